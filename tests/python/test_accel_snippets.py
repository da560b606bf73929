"""Every snippet gives the same with NumPy interposed, all gates at zero, as without."""

import warnings

import accel_cases
import numpy as np
import pytest
from brio import accel
from brio.accel import _interpose

GATES = {"min_count": 1, "single_bytes": 0, "region_bytes": 0, "reduce_bytes": 0, "sort_count": 1}


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
    space = accel_cases.names()
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


EVERYTHING = accel_cases.ELEMENTWISE + accel_cases.REDUCTIONS + accel_cases.WARNING + accel_cases.FAILING


@pytest.mark.parametrize("snippet", accel_cases.lines(EVERYTHING))
def test_exact(snippet):
    plain, first, second, _ = both(snippet, exact=1)
    assert_same(plain, first, exactly)
    assert_same(plain, second, exactly)


@pytest.mark.parametrize("snippet", accel_cases.lines(EVERYTHING))
def test_close(snippet):
    plain, first, second, _ = both(snippet, exact=0, scope="all")
    assert_same(plain, first, closely)
    assert_same(plain, second, closely)


@pytest.mark.parametrize("snippet", accel_cases.lines(EVERYTHING))
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
