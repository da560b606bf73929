"""Times CuPy and PyTorch on the rows of check_cuda --time, on the same device; a library that is missing is left out.

usage: peers.py
"""

import statistics
import time

ROWS = 1 << 28
REPEATS = 15
WARM = 3


def cupy_rows():
    """(name, function) for CuPy, and its timer."""
    import cupy

    generator = cupy.random.default_rng(1)
    x = generator.random(ROWS, dtype=cupy.float32) * 8 - 4
    y = generator.random(ROWS, dtype=cupy.float32) * 2
    out = cupy.empty_like(x)
    whole = cupy.random.randint(-(1 << 62), 1 << 62, size=ROWS // 2, dtype=cupy.int64)

    @cupy.fuse()
    def fused(a, b):
        return cupy.sqrt((a - b) ** 2 + 1) * cupy.sin(a)

    square = x.reshape(16384, 16384)

    def milliseconds(function):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        function()
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end)

    small = cupy.ones(8, dtype=cupy.float32)
    rows = [
        ("copy 1 GiB", lambda: cupy.copyto(out, x)),
        ("add float32 2^28", lambda: cupy.add(x, y, out=out)),
        ("chain, fused float32 2^28", lambda: fused(x, y)),
        ("sum float32 2^28", lambda: x.sum()),
        ("argmax float32 2^28", lambda: x.argmax()),
        ("max float32 2^28", lambda: x.max()),
        ("sum axis 1, 16384^2 float32", lambda: square.sum(axis=1)),
        ("sum axis 0, 16384^2 float32", lambda: square.sum(axis=0)),
        ("cumsum float32 2^28", lambda: cupy.cumsum(x, out=out)),
        ("sort float32 2^28", lambda: cupy.sort(x)),
        ("sort int64 2^27", lambda: cupy.sort(whole)),
        ("argsort float32 2^27", lambda: cupy.argsort(x[: ROWS // 2])),
    ]
    return rows, milliseconds, (lambda: small + small), cupy.cuda.Device().synchronize


def torch_rows():
    """The same for PyTorch."""
    import torch

    x = torch.rand(ROWS, device="cuda") * 8 - 4
    y = torch.rand(ROWS, device="cuda") * 2
    out = torch.empty_like(x)
    whole = torch.randint(-(1 << 62), 1 << 62, (ROWS // 2,), device="cuda")
    square = x.reshape(16384, 16384)
    small = torch.ones(8, device="cuda")

    def milliseconds(function):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    rows = [
        ("copy 1 GiB", lambda: out.copy_(x)),
        ("add float32 2^28", lambda: torch.add(x, y, out=out)),
        ("sum float32 2^28", lambda: x.sum()),
        ("argmax float32 2^28", lambda: x.argmax()),
        ("max float32 2^28", lambda: x.max()),
        ("sum axis 1, 16384^2 float32", lambda: square.sum(dim=1)),
        ("sum axis 0, 16384^2 float32", lambda: square.sum(dim=0)),
        ("cumsum float32 2^28", lambda: torch.cumsum(x, 0, out=out)),
        ("sort float32 2^28", lambda: torch.sort(x)),
        ("sort int64 2^27", lambda: torch.sort(whole)),
        ("argsort float32 2^27", lambda: torch.argsort(x[: ROWS // 2])),
    ]
    return rows, milliseconds, (lambda: small + small), torch.cuda.synchronize


def main():
    for name, make in [("cupy", cupy_rows), ("torch", torch_rows)]:
        try:
            rows, milliseconds, small, synchronize = make()
        except ImportError:
            print(f"{name} is not there")
            continue
        for row, function in rows:
            times = [milliseconds(function) for _ in range(WARM + REPEATS)][WARM:]
            print(f"{name:6} {row:32} {statistics.median(times):8.4f} ms  (best {min(times):8.4f})", flush=True)
        best = 1e9
        for _ in range(20):
            begin = time.perf_counter()
            for _ in range(200):
                small()
            best = min(best, time.perf_counter() - begin)
            synchronize()
        print(f"{name:6} {'add of 8 elements, enqueued':32} {best * 5e3:8.3f} us")


if __name__ == "__main__":
    main()
