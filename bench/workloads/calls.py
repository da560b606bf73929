"""Rows A12: what a call costs, on eight numbers."""

import numpy as np

from bench.workloads.base import Row, largest_error

# Name of the row, statement, ratio promised now (None: only aimed at). `{xp}` is the library.
CALLS = [
    ("a+b", "a + b", 1 / 1.1),
    ("a+1", "a + 1", None),
    ("a*=2", "a *= 2", None),
    ("a[2]", "a[2]", None),
    ("a[1:3]", "a[1:3]", None),
    ("a[idx]", "a[i]", None),
    ("a[2]=5", "a[2] = 5", None),
    ("a.sum", "a.sum()", None),
    ("a.max", "a.max()", None),
    ("a.mean", "a.mean()", None),
    ("sin", "{xp}.sin(a)", None),
    ("add-out", "{xp}.add(a, b, out=c)", None),
    ("reshape", "a.reshape(2, 4)", None),
    ("a.T", "a.T", None),
    ("a@b", "a @ b", None),
    ("zeros", "{xp}.zeros(8)", None),
    ("asarray", "{xp}.asarray([1, 2])", None),
    ("concatenate", "{xp}.concatenate([a, b])", None),
    ("where", "{xp}.where(m, a, b)", None),
    ("tolist", "a.tolist()", None),
    ("float", "float(a[0])", None),
]


class Call(Row):
    unit = "elements"
    sizes = {"cpu": (8,), "smoke": (8,)}
    aims = {"numpy": 1.0}
    tolerance = 1e-15

    def __init__(self, name, statement, goal):
        self.id = f"A12.{name}"
        self.work = statement.format(xp="xp") + ", float64"
        self.statements = {"brio": statement.format(xp="xp"), "numpy": statement.format(xp="np")}
        self.goals = {"numpy": goal}

    def make(self, n):
        # zeros stay what they are when a statement in place is repeated a million times
        a = np.zeros(n) if "=" in self.id else np.linspace(1, 2, n)
        return {"a": a, "b": np.linspace(3, 4, n), "c": np.zeros(n), "i": np.array([5, 0, 3]), "m": a > 1.5}

    def check(self, name, statement, namespace, data):
        expected = _outcome(self.statements["numpy"], {**data, "np": np})
        result = np.asarray(_outcome(statement, dict(namespace)))
        return self.judge(name, largest_error(np.asarray(expected), result, name))


def _outcome(statement, names):
    """The value of an expression; of an assignment, what it leaves in `a`."""
    if "=" not in statement.replace("out=", ""):
        return eval(statement, names)
    exec(statement, names)
    return names["a"]


ROWS = [Call(*call) for call in CALLS]
