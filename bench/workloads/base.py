"""What a row of the benchmark is."""

import numpy as np

from bench.harness import rounds


class CheckFailed(Exception):
    """A contender's result is wrong; its time means nothing."""


class Row:
    """One workload on one or several sizes.

    `statements` holds one line of Python a contender; it sees the arrays of `make` (converted once to
    what the contender works on) and the names that its module in bench/peers gives. Brio's line ends
    with the value settled. Goals and aims are ratios, peer's time over Brio's: goals are what this
    stage of the project promises, aims what a finished one does.
    """

    id = ""
    work = ""
    unit = "elements"
    sizes = {"cpu": (), "smoke": ()}
    named = None  # the size that gets the larger budget
    statements = {}
    goals = {}  # peer -> ratio, or {size: ratio}
    aims = {}
    harmless = False  # compared with the original, it must not lose at any size
    tolerance = 0.0  # of the check, relative; 0: equal

    def make(self, n):
        """The input arrays by name, in NumPy."""
        raise NotImplementedError

    def reference(self, data):
        """The right result on these inputs, from NumPy or from higher precision."""
        raise NotImplementedError

    def moved(self, n):
        """Bytes that must cross the memory bus once; 0 where that says nothing."""
        return 0

    def flops(self, n):
        return 0

    def goal(self, peer, n, goals=None):
        value = (self.goals if goals is None else goals).get(peer)
        return value.get(n) if isinstance(value, dict) else value

    def aim(self, peer, n):
        return self.goal(peer, n, self.aims)

    def namespace(self, peer, data):
        return {name: peer.convert(value) for name, value in data.items()} | peer.names

    def check(self, name, statement, namespace, data):
        """Raises CheckFailed unless `statement` gives the reference; returns the class and the error."""
        result = np.asarray(eval(statement, dict(namespace)))
        return self.judge(name, largest_error(self.reference(data), result, name))

    def judge(self, name, error):
        """The report of a check that found this relative error; raises CheckFailed when it is too large."""
        if not error <= self.tolerance:
            raise CheckFailed(f"{self.id}: {name} is wrong by {error:.3g}, {self.tolerance:g} is allowed")
        return {"class": f"F({self.tolerance:g})" if self.tolerance else "E", "error": error, "ok": True}

    def timers(self, peers, data):
        """name -> callable(loops) -> seconds, for the contenders that are present and have a statement."""
        return {
            peer.name: rounds.statement_timer(self.statements[peer.name], self.namespace(peer, data))
            for peer in peers
            if peer.present and peer.name in self.statements
        }


def largest_error(expected, actual, label="result"):
    """The largest |x-y| / max(|y|, scale); infinite where a NaN, an infinity or the shape is not the same."""
    expected, actual = np.asarray(expected), np.asarray(actual)
    if expected.shape != actual.shape:
        raise CheckFailed(f"{label}: shape {actual.shape} instead of {expected.shape}")
    if expected.dtype.kind not in "fc" and expected.dtype != actual.dtype:
        raise CheckFailed(f"{label}: dtype {actual.dtype} instead of {expected.dtype}")
    if expected.size == 0:
        return 0.0
    if expected.dtype.kind not in "fc":
        return 0.0 if np.array_equal(expected, actual) else float("inf")
    special = ~np.isfinite(expected)
    if not np.array_equal(expected[special], actual[special], equal_nan=True):
        return float("inf")
    x, y = actual[~special].astype(np.float64), expected[~special].astype(np.float64)
    if x.size == 0:
        return 0.0
    scale = np.sqrt(np.mean(y * y)) or 1.0
    error = np.max(np.abs(x - y) / np.maximum(np.abs(y), scale))
    return float("inf") if np.isnan(error) else float(error)
