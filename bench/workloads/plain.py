"""Row A2r: the expression of A2 on plain NumPy arrays, in code that nobody edited, under Brio or not.

Both run in this process: Brio is installed before Brio's turn and uninstalled after it.
"""

import numpy as np

from bench import gen
from bench.workloads.base import CheckFailed, Row


def chain(x, y):
    return np.sqrt((x - y) ** 2 + 1) * np.sin(x)


class PlainChain(Row):
    sizes = {"cpu": (10**7,), "smoke": (10**5,)}
    named = 10**7
    statements = {"brio": "chain(x, y)", "numpy": "chain(x, y)"}

    def __init__(self, results, dtype, goal):
        self.id = f"A2r.{results}.{np.dtype(dtype).name}"
        self.work = f"A2 on ndarrays, brio run --results={results}, {np.dtype(dtype).name}"
        self.goals = {"numpy": {10**7: goal}}
        self.tolerance = 0.0 if results == "exact" else 1e-6
        self._results, self._dtype = results, dtype

    def make(self, n):
        low_high = {"low": -10, "high": 10}
        return {"x": gen.uniform(n, self._dtype, **low_high), "y": gen.uniform(n, self._dtype, column=1)}

    def moved(self, n):
        return 3 * np.dtype(self._dtype).itemsize * n

    def _under_brio(self, call):
        import brio

        handle = brio.install(results=self._results)
        try:
            return call()
        finally:
            handle.uninstall()

    def namespace(self, peer, data):
        return {**data, "chain": chain}

    def check(self, name, statement, namespace, data):
        plain = chain(**data)
        result = self._under_brio(lambda: chain(**data)) if name == "brio" else plain
        if type(result) is not np.ndarray or result.dtype != plain.dtype:
            raise CheckFailed(f"{self.id}: {type(result).__name__} of {result.dtype}")
        if not self.tolerance:
            same = np.array_equal(result.view(np.uint8), plain.view(np.uint8))
            return self.judge(name, 0.0 if same else float("inf"))
        scale = np.sqrt(np.mean(plain**2))
        return self.judge(name, float(np.max(np.abs(result - plain) / np.maximum(np.abs(plain), scale))))

    def timers(self, peers, data):
        timers = super().timers(peers, data)
        if "brio" in timers:
            timer = timers["brio"]
            timers["brio"] = lambda loops: self._under_brio(lambda: timer(loops))
        return timers


ROWS = [
    PlainChain("close", np.float32, goal=2.5),
    PlainChain("exact", np.float32, goal=1.5),
    PlainChain("close", np.float64, goal=None),
    PlainChain("exact", np.float64, goal=None),
]
