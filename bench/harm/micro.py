"""Every kind of call that Brio's entries see and decline, with Brio attached and detached in turn.

The two alternate within one process, since what is asked for is nanoseconds. A call fails when the
lower bound of its ratio is above 1.05 and it takes more than 10 ns longer.
"""

import numpy as np

from bench.harness import rounds, statistics

SIZES = {"cpu": (0, 1, 3, 10, 100, 1000, 4000, 10**4), "smoke": (1, 100, 10**4)}
ROUNDS = {"cpu": 31, "smoke": 11}
SAMPLE_SECONDS = 5e-4
RATIO, NANOSECONDS = 1.05, 10.0

# Statements over arrays of n elements: x, y float64; f float32; i int64; b bool; o object; l a list;
# m never empty; w for output; v a strided view; t transposed; s a subclass; and over scalars: p Python's,
# q NumPy's, z a 0-d array.
CALLS = {
    "x+y": "x + y",
    "x-1": "x - 1.5",
    "2*x": "2 * x",
    "x/y": "x / y",
    "x**2": "x ** 2",
    "x+=y": "x += y",
    "x<y": "x < y",
    "-x": "-x",
    "abs": "abs(x)",
    "f+f": "f + f",
    "i+i": "i + i",
    "i//3": "i // 3",
    "b&b": "b & b",
    "~b": "~b",
    "x+f": "x + f",
    "x+i": "x + i",
    "v+v": "v + v",
    "t+t": "t + t",
    "s+s": "s + s",
    "o+o": "o + o",
    "x+q": "x + q",
    "x+z": "x + z",
    "np.add": "np.add(x, y)",
    "np.add(out)": "np.add(x, y, out=x)",
    "np.add(where)": "np.add(x, y, out=w, where=b)",
    "np.sqrt": "np.sqrt(y)",
    "np.sin": "np.sin(x)",
    "np.exp": "np.exp(f)",
    "np.maximum": "np.maximum(x, y)",
    "np.isnan": "np.isnan(x)",
    "np.sqrt(list)": "np.sqrt(l)",
    "np.add.reduce": "np.add.reduce(x)",
    "np.where": "np.where(b, x, y)",
    "np.clip": "np.clip(x, 0, 1)",
    "np.sort": "np.sort(x)",
    "np.argsort": "np.argsort(x)",
    "np.concatenate": "np.concatenate((x, y))",
    "np.dot": "np.dot(x, y)",
    "np.cumsum": "np.cumsum(x)",
    "np.sum": "np.sum(x)",
    "np.mean": "np.mean(m)",
    "x.sum": "x.sum()",
    "x.sum(axis)": "x.sum(axis=0)",
    "x.min": "m.min()",
    "x.argmax": "m.argmax()",
    "x.any": "b.any()",
    "x.copy": "x.copy()",
    "x.astype": "x.astype(np.float32)",
    "x[1:]": "x[1:]",
    "x[b]": "x[b]",
    "x[:]=y": "x[:] = y",
    "x.sort": "m.sort()",
    "chain": "np.sqrt((x - y) ** 2 + 1) * np.sin(x)",
}
SCALARS = {
    "p+p": "p + p",
    "q+q": "q + q",
    "q*p": "q * p",
    "z+z": "z + z",
    "np.sqrt(p)": "np.sqrt(p)",
    "np.sqrt(q)": "np.sqrt(q)",
    "np.add(q,p)": "np.add(q, p)",
    "x[0]": "x[0]",
    "x[0]=p": "x[0] = p",
    "np.float64": "np.float64(p)",
    "np.zeros": "np.zeros(3)",
    "np.arange": "np.arange(3)",
}


class Subclass(np.ndarray):
    """An array type of a user's own."""


def _names(n):
    x, y = np.linspace(0.5, 1.5, n), np.linspace(1.0, 2.0, n)
    return {
        "np": np,
        "x": x,
        "y": y,
        "w": np.zeros(n),
        "m": np.linspace(0.5, 1.5, max(n, 1)),
        "f": x.astype(np.float32),
        "i": np.arange(n),
        "b": x > 1,
        "o": x.astype(object),
        "l": x[:100].tolist(),
        "v": np.linspace(0, 1, 2 * n)[::2],
        "t": np.ones((max(n // 10, 1), 10)).T,
        "s": x.view(Subclass),
        "p": 1.5,
        "q": np.float64(2.5),
        "z": np.array(2.5),
    }


def _cases(chosen):
    for n in SIZES[chosen]:
        for name, statement in CALLS.items():
            yield name, n, statement
    for name, statement in SCALARS.items():
        yield name, 3, statement


def compare_paired(statement, names, install, count):
    """Times `statement` attached and detached in turn; returns seconds of each, round by round."""
    timer = rounds.statement_timer(statement, names)
    loops = 1
    while (seconds := timer(loops)) < SAMPLE_SECONDS:
        loops = max(2 * loops, int(loops * SAMPLE_SECONDS / max(seconds, 1e-9)))
    attached, detached = [], []
    for index in range(count):
        for turn in (index % 2, 1 - index % 2):
            if turn:
                handle = install()
                try:
                    timer(1)
                    attached.append(timer(loops) / loops)
                finally:
                    handle.uninstall()
            else:
                timer(1)
                detached.append(timer(loops) / loops)
    return attached, detached


class Harm:
    """One record a call and size; the ratio is the plain call's time over the attached one's."""

    id = "harm"
    work = "declined calls, attached and detached"
    sizes = {"cpu": (1,), "smoke": (1,)}

    def run(self, context):
        import sys

        brio = sys.modules.get("brio")
        if brio is None or not hasattr(brio, "install"):
            return [context.absent(self, "brio.install is missing")]
        records = []
        for name, n, statement in _cases(context.set):
            with np.errstate(all="ignore"):
                records.append(self._measure(context, brio, name, n, statement))
            context.progress(f"harm {name} {n}")
        return records

    def _measure(self, context, brio, name, n, statement):
        attached, detached = compare_paired(statement, _names(n), brio.install, ROUNDS[context.set])
        slower = [a / d for a, d in zip(attached, detached)]
        median, low, high = statistics.bootstrap_median(slower)
        extra = statistics.bootstrap_median([1e9 * (a - d) for a, d in zip(attached, detached)])[0]
        harmed = low > RATIO and extra > NANOSECONDS
        samples = rounds.Samples({"brio": attached, "numpy": detached})
        record = context.ratio_record(self, f"harm.{name}", statement, n, "numpy", samples, None, None)
        record |= {"ratio": 1 / median, "ratio_lo": 1 / high, "ratio_hi": 1 / low, "extra_ns": extra}
        record |= {"goal": 1 / RATIO, "verdict": "fail" if harmed else "pass"}
        return record


ROWS = [Harm()]
