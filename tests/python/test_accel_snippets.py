"""Every snippet gives the same with NumPy interposed, all gates at zero, as without."""

import cProfile
import sys
import warnings

import numpy as np
import pytest
from brio import accel
from brio.accel import _interpose

GATES = dict.fromkeys(accel._BYTES, 0) | {"min_count": 1, "sort_count": 1}


def names():
    """The names that the snippets use; the same values at every call."""
    rng = np.random.default_rng(5)
    x, y = rng.random((50, 60)), rng.random((50, 60)) + 0.1
    i = rng.integers(-100, 100, (50, 60))
    holder = type("Holder", (), {})()
    holder.dt, holder.u = 0.1, rng.random(1000)
    return {
        "np": np,
        "x": x,
        "y": y,
        "f": x.astype(np.float32),
        "g": y.astype(np.float32),
        "i": i,
        "u": i.astype(np.uint8),
        "s": i.astype(np.int16),
        "b": x > 0.5,
        "c": rng.random(60),
        "r": rng.random((50, 1)),
        "z": np.zeros(60),
        "nan": np.where(x > 0.9, np.nan, x),
        "big": x * 1e300,
        "o": holder,
        "q": np.float64(2.5),
        "p": np.float32(1.5),
        "cube": rng.random((6, 7, 8)),
    }


ELEMENTWISE = """
x + y
x - y * 2
(x - y) ** 2 + 1
np.sqrt((x - y) ** 2 + 1) * np.sin(x)
(f - 1) / (f + 2)
x + f
i * 2 + 1
i + x
u + 1
u * u + u
s * u - i
x > 0.5
(x > 0.5) & (y < 0.3)
~b
~i
-x
+x
abs(x - y)
np.abs(i)
(x - y) @ y.T
np.where(x > 0.5, x, y)
np.where(x - y > 0, x * 2, y)
np.where(b, 1.0, 0.0)
np.where(b, x, 0)
np.where(b, f, 1)
np.where(i, x, y)
np.where(b)
x.T + y.T * 2
x.T * 2 + y.T[::-1]
np.asfortranarray(x) + y
np.asfortranarray(x) * 2 - np.asfortranarray(y)
cube.transpose(1, 0, 2) * 2 + 1
cube.transpose(2, 0, 1) + cube.transpose(2, 0, 1)
cube + cube.transpose(0, 1, 2)[::-1]
x[::2] + y[::2]
x[:, ::-1] - y
x[1:-1, 1:-1] - x[:-2, 1:-1] + x[2:, 1:-1] * 0.25
(x[:, None, :] - c[None, None, :]) ** 2
r * x + c
c[:, None] * c[None, :] + 1
np.exp(-x) + np.log(y)
x ** 3
x ** 0.5
x ** -1
x ** 2.0
x ** 1
x ** 0
x ** y
f ** 2
f ** 1.7
i ** 2
abs(i) ** 3
2 ** x
np.power(x, 2)
np.power(x, np.float32(-1))
m[:, ::-1].sum(axis=1)
m[:, ::-1].sum()
m[::-1].sum(axis=1)
(m * 2 + 1)[:, ::-1].mean(axis=1)
np.power(f, 0.5)
2.0 - x
3 - i
i // 2
i % 7
i // -1
i / 3
x // 0.3
x % 0.3
i << 2
i >> 1
i & 7
i | 1
i ^ 3
b & True
b | b
b ^ b
b + 1
b + b
b * 2.5
x * True
q * x
p * f
q * f
x * p
np.int8(3) * u
np.maximum(x, y) - np.minimum(x, 0.5)
np.fmax(nan, x) + np.fmin(nan, x)
np.clip(x, 0.2, 0.8)
x.clip(0.2, 0.8)
x.clip(min=0.3)
np.round(x)
np.round(x, 3)
np.floor(x * 10) + np.ceil(y) - np.trunc(x) + np.rint(y)
np.arctan2(x, y)
np.hypot(x, y)
np.logaddexp(x, y)
np.isnan(nan) | np.isinf(x)
np.isfinite(nan * 2)
nan > 0.5
nan != nan
np.sign(x - 0.5) * np.copysign(x, -1)
np.cbrt(x) + np.log1p(y) + np.expm1(x) + np.tanh(x)
np.logical_and(x > 0.1, y)
np.logical_not(b)
np.square(x) + np.reciprocal(y)
np.fmod(x, 0.3)
np.nextafter(x, y)
np.heaviside(x - 0.5, 0.5)
np.gcd(i, 12)
np.deg2rad(x) + np.rad2deg(x)
np.sinh(x) + np.cosh(x) + np.arcsin(x)
np.tan(x) * np.arccos(x) / np.arctan(x)
np.exp2(x) + np.log2(y) + np.log10(y)
np.float_power(x, 2)
x < y
x == y
0.5 < x
u < 300
u == -1
i < 2.5
x + 1j
(x + 1) * 1j
f + 100000000000
(x + 1).T
(x + 1)[0]
(x + 1).shape
(x + 1)[1:3, ::2]
str(x + 1)
[x + 1, x - 1][0]
(x + 1, x * 2)[1]
np.add(x, y)
np.add(x, y, dtype="f4", casting="same_kind")
np.add(x, y, where=b, out=np.zeros_like(x))
np.add(x, y, np.empty_like(x))
np.add.outer(c, c)
np.concatenate([x + 1, y])
np.stack([x + 1, y * 2])
(x - y).ravel()
(x - y).astype(np.float32) * 2
(x - y).copy()
o.u[2:] - 2 * o.u[1:-1] + o.u[:-2]
o.dt * o.u + o.u
(x - x.mean()) / x.std()
x * x.shape[0] + x.size - len(x)
x.T @ (y * 2)
np.sin(x) if (x - y).any() else y
(lambda t: t - y)(x * 2) + 1
[t + 1 for t in (x, y)][1] * 2
(w := x * 2) + w
x + x[0] * 2 - x[:, :1]
np.exp(x - x.max(axis=1, keepdims=True))
"""

REDUCTIONS = """
x.sum()
x.sum(0)
x.sum(axis=1)
x.sum(axis=(0, 1))
x.sum(axis=1, keepdims=True)
x.T.sum(axis=0)
(x - y).sum()
((x - y) ** 2).sum(axis=1)
((x - y) ** 2).sum(axis=0)
((x - y) ** 2).sum(axis=1, keepdims=True)
np.sum((x - y) ** 2, axis=-1)
((x[:, None, :] - x[None, :5, :]) ** 2).sum(axis=2)
((x - y) ** 2).mean()
((x - y) ** 2).mean(axis=0)
np.mean(x * y)
np.mean(x * y, axis=1)
(f * g).sum()
(f - g).mean()
x.mean()
x.std()
x.var(axis=0)
f.std()
x.max()
(x - y).max(axis=1)
np.max(x * y)
np.min(x - y, axis=0)
nan.max()
np.nanmax(nan)
np.nansum(nan)
(x > 0.9).any()
(x > 2).any()
np.all(x + y > 0)
(x > 0.5).all(axis=0)
(x > 0.5).sum()
(x > 0.5).sum(axis=1)
(x > 0.5).mean()
i.sum()
i.sum(axis=0)
(i * 2).sum()
(i - 1).mean()
u.sum()
(u + 1).sum()
b.sum()
b.mean()
i.mean()
f.sum()
f.mean(axis=0)
x.argmax()
x.argmin(axis=1)
i.argmin()
f.argmax()
b.argmax()
nan.argmax()
x.prod()
i.max()
u.min(axis=1)
x.sum(dtype=np.float32)
i.sum(dtype=np.int32)
x.sum(initial=5.0)
x.sum(where=b)
np.add.reduce(x)
np.add.reduce(x, axis=None)
np.multiply.reduce(c)
np.maximum.reduce(x, axis=1)
np.logical_or.reduce(b)
np.sum(x, out=np.empty(60), axis=0)
np.sort(x, axis=None)
np.sort(x)
np.sort(i)
np.sort(u)
np.sort(f, axis=0)
np.sort(nan)
np.sort(x[:, ::2])
np.argsort(x, axis=None)
np.median(x)
np.percentile(x, 30)
np.unique(i)
np.cumsum(x)
np.cumsum(i)
np.dot(x, y.T)
np.linalg.norm(x - y)
np.linalg.norm(x - y, axis=1)
np.einsum("ij,ij->i", x * 2, y)
np.allclose(x * 2, x + x)
np.array_equal(x * 2, x + x)
"""

WARNING = """
x / 0.0
z / z
1 / (x - x)
i // 0
i % (i - i)
np.log(x - 0.5)
np.sqrt(x - 0.5) * 2
np.isfinite(np.log(x - 0.5))
np.exp(x * 1000)
f * 1e38 * 1e10
big * 1e10 + big
big * big
(x / z).sum()
(x / 0.0 - x / 0.0).max()
np.where(x > 0.5, x / 0, y)
np.arcsin(x * 3)
np.arccosh(x)
x ** -1000
np.power(x - 0.5, 0.5)
(x - 0.5) ** 0.5
np.reciprocal(x - x)
np.log(x * 0) * 2 + np.sqrt(-y)
x // 0.0
x % 0.0
np.float64(1) / z
(x - y) / (y - y) + undefined
(x / (y - y)) + x[:3]
(x / (y - y)) * x[99]
nan * 2 + np.log(-y)
"""

FAILING = """
x + x[:3]
(x - y) + x[:, :3]
x @ y
np.sqrt("text")
x + "text"
x + None
x < None
x + [1, 2]
i ** -1
u + 300
u << -1
(x - y).nothing
np.add(x, y, z)
np.add(x)
(x * 2)[99]
x.sum(axis=5)
(x - y).sum(axis=5)
(x - y).sum(axis="text")
undefined + x
x * 2 + undefined
np.nothing(x * 2)
"""


def lines(table):
    """The snippets of a table."""
    return [line for line in table.strip().splitlines() if line]


@pytest.fixture(autouse=True)
def gates():
    accel.attach()
    accel.detach()
    before = _interpose.settings()
    yield
    accel.detach()
    _interpose.configure(**before)


def run(function):
    """Value or exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function()
        except Exception as problem:
            value = problem
    return value, [(str(item.message), item.category, item.lineno, item.filename) for item in caught]


def compile_snippet(snippet):
    # A function of its own, so that names are looked up as in a user's script.
    space = names()
    exec(compile(f"def snippet():\n    return ({snippet})\n", "snippet.py", "exec"), space)
    return space["snippet"]


def both(snippet, **settings):
    _interpose.configure(**GATES, **settings)
    plain = run(compile_snippet(snippet))
    function = compile_snippet(snippet)
    accel.attach()
    _interpose.reset_counters()
    first = run(function)
    second = run(function)
    counters = _interpose.counters()
    accel.detach()
    assert counters["pending"] == 0
    return plain, first, second, counters


def assert_same(plain, ours, compare):
    (value, warned), (other, other_warned) = plain, ours
    assert type(other) is type(value)
    if isinstance(value, Exception):
        assert str(other) == str(value)
    elif isinstance(value, tuple):
        assert all(np.array_equal(a, b) for a, b in zip(value, other, strict=True))
    elif isinstance(value, np.ndarray):
        assert (other.dtype, other.shape, other.strides) == (value.dtype, value.shape, value.strides)
        assert other.flags.owndata == value.flags.owndata
        assert other.flags.writeable == value.flags.writeable
        compare(other, value)
    elif isinstance(value, np.generic):
        assert other.dtype == value.dtype
        compare(other, value)
    else:
        assert other == value
    assert other_warned == warned


def exactly(other, value):
    np.testing.assert_array_equal(other, value)
    if value.dtype.kind == "f":
        number = ~np.isnan(value)
        assert (np.signbit(other) == np.signbit(value))[number].all()


def closely(other, value):
    if value.dtype.kind == "f":
        eps = np.finfo(value.dtype).eps
        np.testing.assert_allclose(other, value, rtol=100 * eps, atol=100 * eps)
    else:
        np.testing.assert_array_equal(other, value)


EVERYTHING = ELEMENTWISE + REDUCTIONS + WARNING + FAILING


@pytest.mark.parametrize("snippet", lines(EVERYTHING))
def test_exact(snippet):
    plain, first, second, _ = both(snippet, exact=1)
    assert_same(plain, first, exactly)
    assert_same(plain, second, exactly)


@pytest.mark.parametrize("snippet", lines(EVERYTHING))
def test_close(snippet):
    plain, first, second, _ = both(snippet, exact=0, scope="all")
    assert_same(plain, first, closely)
    assert_same(plain, second, closely)


@pytest.mark.parametrize("snippet", lines(EVERYTHING))
def test_without_fusion(snippet):
    plain, first, _, counters = both(snippet, exact=1, fuse=0)
    assert_same(plain, first, exactly)
    assert counters["fused"] == 0


@pytest.mark.parametrize(
    ("snippet", "operations"),
    [
        ("np.sqrt((x - y) ** 2 + 1) * np.sin(x)", 6),
        ("o.u[2:] - 2 * o.u[1:-1] + o.u[:-2]", 3),
        ("(x - x.mean()) / x.std()", 2),
        ("((x - y) ** 2).sum(axis=1)", 3),
        ("np.where(x - y > 0, x * 2, y)", 4),
        ("abs(x - y)", 2),
        ("x * x.shape[0] + x.size - len(x)", 3),
        ("-(x + y) * np.pi", 3),
        ("(x > 0.5) & (y < 0.3) | b", 4),
        ("np.mean(x * y)", 2),
    ],
)
def test_fuses(snippet, operations):
    """As many operations as there are become one region."""
    for counters in [both(snippet, exact=1)[3]]:
        assert counters["fused"] == 2 * operations


def large_names():
    """Arrays so large that NumPy computes in the memory of a temporary (256 KiB)."""
    rng = np.random.default_rng(6)
    x = rng.random(40_000) + 0.5
    return {
        "np": np,
        "x": x,
        "f": x.astype(np.float32),
        "i": np.arange(40_000),
        "m": x.reshape(200, 200),
        "e": np.array([2.0, 0.5, 3.0, -1.0] * 50)[:, None],
        "k": np.float64(2),
        "h": np.float32(0.5),
        "d": np.array(2.0),
        "o": np.where(x > 1, 0.0, -0.0),
    }


LARGE = """
x ** k
x ** h
x ** d
f ** h
f ** k
i ** 0.5
i ** k
m ** e
np.power(x, -1)
np.power(x, 2)
np.power(x, k)
x ** np.broadcast_to(k, x.shape)
x * 2 + x ** k
np.clip(o, 0.0, 1)
np.clip(o, -1, -0.0)
np.clip(o, 0 * x, 1)
o.max()
o.min()
np.where(x > 1, o, -o).max()
o.reshape(200, 200).max(axis=1)
"""


@pytest.mark.parametrize("snippet", lines(LARGE))
def test_exact_when_large(monkeypatch, snippet):
    monkeypatch.setitem(globals(), "names", large_names)
    plain, first, second, _ = both(snippet, exact=1)
    assert_same(plain, first, exactly)
    assert_same(plain, second, exactly)


@pytest.mark.parametrize("snippet", ["(x * 1) / 0", "(x - 1e300) * (x * 1e300)", "np.sqrt(-x) + 1"])
def test_calls_the_handler_of_conditions(monkeypatch, snippet):
    monkeypatch.setitem(globals(), "names", large_names)
    calls = []
    before = np.seterrcall(lambda kind, flags: calls.append((kind, flags)))
    try:
        with np.errstate(all="call"):
            both(snippet, exact=1)
    finally:
        np.seterrcall(before)
    assert len(calls) % 3 == 0 and calls[: len(calls) // 3] * 3 == calls and calls


@pytest.mark.parametrize(
    "snippet",
    [
        "np.copysign(np.square(x), abs(y.sum()))",
        "np.copysign(np.square(x), np.prod(big))",
        "np.copysign(np.square(x), big.prod(axis=0))",
        "np.sum(np.square(x), axis=int(big.prod() > 0) - 1)",
        "np.maximum(x * 2, (big * big).max())",
    ],
)
def test_settled_in_between(snippet):
    """What comes between a temporary and its use may warn, and so have it computed before."""
    for fuse in (1, 0):
        plain, first, second, _ = both(snippet, exact=1, fuse=fuse)
        assert_same(plain, first, exactly)
        assert_same(plain, second, exactly)


def test_sums_of_any_length():
    """NumPy's tree of additions, whatever the lengths of its leaves."""
    rows = np.random.default_rng(7).random((2, 2100)) - 0.5
    arrays = [rows[:, :n].astype(kind) for n in range(1, 2100, 3) for kind in "fd"]
    plain = [array.sum(axis=1) for array in arrays]
    _interpose.configure(**GATES, exact=1)
    accel.attach()
    ours = [array.sum(axis=1) for array in arrays]
    accel.detach()
    for array, expected, value in zip(arrays, plain, ours, strict=True):
        assert (expected == value).all(), array.shape


def test_messages_are_those_of_the_function():
    for snippet in ["np.sum(x * 2 + 1, bogus=3)", "(x * 2 + 1).sum(bogus=3)", "np.max(x * 2 + 1, axis='a')"]:
        plain, first, second, _ = both(snippet, exact=1)
        assert_same(plain, first, exactly)
        assert_same(plain, second, exactly)


def test_tracers_see_the_script_alone():
    seen = []

    def tracer(frame, event, argument):
        seen.append((frame.f_code.co_name, event))
        return tracer

    def watched(function):
        seen.clear()
        sys.settrace(tracer)
        try:
            function()
        finally:
            sys.settrace(None)
        return list(seen)

    def profiled(function):
        profile = cProfile.Profile()
        profile.runcall(function)
        return sorted(entry.code if isinstance(entry.code, str) else entry.code.co_name
                      for entry in profile.getstats())  # fmt: skip

    for watch in (watched, profiled):
        plain = watch(compile_snippet("np.sqrt(x * 2 + 1).sum() + (x * y).mean()"))
        _interpose.configure(**GATES, exact=1)
        accel.attach()
        ours = watch(compile_snippet("np.sqrt(x * 2 + 1).sum() + (x * y).mean()"))
        accel.detach()
        assert ours == plain
