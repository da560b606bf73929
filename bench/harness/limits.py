"""What the machine can do at most, measured in the same run: memory bandwidth and arithmetic."""

import time

import numpy as np


def _best(work, repeats=5):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def copy_bandwidth(megabytes=256):
    """Bytes read and written per second by a copy on one thread."""
    source = np.ones(megabytes * 2**20, dtype=np.uint8)
    target = np.empty_like(source)
    np.copyto(target, source)
    return 2 * source.nbytes / _best(lambda: np.copyto(target, source))


def peak_flops(n=1024):
    """Float32 operations per second of a matrix product on all threads."""
    a = np.ones((n, n), dtype=np.float32)
    out = np.empty_like(a)
    np.matmul(a, a, out=out)
    return 2 * n**3 / _best(lambda: np.matmul(a, a, out=out))


def measure_limits():
    return {"B": copy_bandwidth(), "P": peak_flops()}


def time_at_limit(limits, moved, operations):
    """The shortest possible seconds for so many bytes and operations, and what limits: `B` or `P`."""
    by_memory, by_arithmetic = moved / limits["B"], operations / limits["P"]
    return (by_memory, "B") if by_memory >= by_arithmetic else (by_arithmetic, "P")
