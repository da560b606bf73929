"""Rows A1 to A5: elementwise operations, reductions and sorts on whole arrays.

Brio's elementwise results may be pending, so their lines end with `wait`; what is written into an array
that is there, reductions and sorts are computed at the call.
"""

import numpy as np

from bench import gen
from bench.workloads.base import Row

CHAIN = "{np}sqrt((x - y)**2 + 1) * {np}sin(x)"


class Add(Row):
    """One elementwise operation into an array that is there: memory traffic and nothing else."""

    id = "A1"
    work = "add(x, y, out=z), float32"
    sizes = {"cpu": (2**12, 2**20, 2**26), "smoke": (2**12, 2**18)}
    named = 2**26
    statements = {
        "brio": "xp.add(x, y, out=z)",
        "numpy": "np.add(x, y, out=z)",
        "numexpr": "evaluate('x + y', out=z)",
    }
    aims = {"numpy": {2**12: 1.0, 2**20: 1.5, 2**26: 1.3}}

    def make(self, n):
        x, y = gen.uniform(n), gen.uniform(n, column=1)
        return {"x": x, "y": y, "z": np.empty_like(x)}

    def reference(self, data):
        return data["x"] + data["y"]

    def moved(self, n):
        return 12 * n


class Chain(Row):
    """An expression as a user writes it: fused, it is one pass over the inputs."""

    id = "A2"
    work = "sqrt((x-y)**2+1)*sin(x), float32"
    sizes = {"cpu": (2**24, 2**26), "smoke": (2**12, 2**20)}
    named = 2**26
    statements = {
        "brio": "wait(" + CHAIN.format(np="xp.") + ")",
        "numpy": CHAIN.format(np="np."),
        "numexpr": "evaluate('" + CHAIN.format(np="") + "')",
    }
    goals = {"numpy": {2**26: 4.0}, "numexpr": {2**26: 1.0}}
    aims = {"numpy": 5.0, "numexpr": 1.2}
    tolerance = 1e-6

    def make(self, n):
        return {"x": gen.uniform(n, low=-10, high=10), "y": gen.uniform(n, column=1)}

    def reference(self, data):
        x, y = data["x"].astype(np.float64), data["y"].astype(np.float64)
        return np.sqrt((x - y) ** 2 + 1) * np.sin(x)

    def moved(self, n):
        return 12 * n


class ChainSum(Chain):
    """The same, summed: nothing need be written at all."""

    id = "A2.sum"
    work = "(sqrt((x-y)**2+1)*sin(x)).sum(), float32"
    statements = {
        "brio": "(" + CHAIN.format(np="xp.") + ").sum()",
        "numpy": "(" + CHAIN.format(np="np.") + ").sum()",
        "numexpr": "evaluate('" + CHAIN.format(np="") + "').sum()",
    }
    goals = {}

    def make(self, n):
        return {"x": gen.uniform(n, low=0, high=3), "y": gen.uniform(n, column=1)}

    def reference(self, data):
        return super().reference(data).sum()

    def moved(self, n):
        return 8 * n


class Reduction(Row):
    """One number from an array, from sizes where the call is the cost to those where memory is."""

    sizes = {"cpu": (10, 100, 1000, 10**4, 10**5, 10**6, 2**24, 2**26), "smoke": (10, 1000, 10**5)}
    named = 2**26
    goals = {"numpy": 1.0}
    aims = {"numpy": {10**5: 1.5, 2**26: 1.1}}

    def __init__(self, name, tolerance):
        self.id = f"A3.{name}"
        self.work = f"x.{name}(), float32"
        self.statements = {"brio": f"x.{name}()", "numpy": f"x.{name}()"}
        self._name, self.tolerance = name, tolerance

    def make(self, n):
        return {"x": gen.uniform(n)}

    def reference(self, data):
        x = data["x"].astype(np.float64) if self.tolerance else data["x"]
        return getattr(x, self._name)()

    def moved(self, n):
        return 4 * n


class Sort(Row):
    """A sorted copy, or the order."""

    sizes = {"cpu": (2**24,), "smoke": (2**10, 2**17)}
    named = 2**24

    def __init__(self, function, dtype, goal, aim):
        self.id = f"A5.{function}.{np.dtype(dtype).name}"
        self.work = f"{function}(x), {np.dtype(dtype).name}"
        self.statements = {"brio": f"xp.{function}(x)", "numpy": f"np.{function}(x)"}
        self.goals, self.aims = {"numpy": {2**24: goal}}, {"numpy": {2**24: aim}}
        self._function, self._dtype = function, dtype

    def make(self, n):
        make = gen.integers if np.dtype(self._dtype).kind == "i" else gen.uniform
        return {"x": make(n, self._dtype)}

    def reference(self, data):
        return np.sort(data["x"])

    def check(self, name, statement, namespace, data):
        if self._function == "argsort":  # equal elements may be in any order: check what it sorts
            statement = f"np.asarray(x)[np.asarray({statement})]"
            namespace = namespace | {"np": np}
        return super().check(name, statement, namespace, data)

    def moved(self, n):
        return 2 * np.dtype(self._dtype).itemsize * n


ROWS = [
    Add(),
    Chain(),
    ChainSum(),
    Reduction("sum", 1e-6),
    Reduction("max", 0.0),
    Reduction("argmax", 0.0),
    Sort("sort", np.float32, goal=1.0, aim=1.6),
    Sort("sort", np.int64, goal=1.0, aim=1.6),
    Sort("argsort", np.float32, goal=None, aim=1.3),
]
