"""Values of operations and reductions on Brio's arrays against NumPy: any dtype, shape, stride and
special value. Then late against early evaluation and one thread against two, bit for bit."""

import brio as xp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
settings.register_profile(
    "face", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("face")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
DTYPES = ["bool", *INTEGERS, *FLOATS]
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    3.7,
    -2.5,
    1e-40,
    5e-324,
    1e5,
    -1e30,
    1e300,
    np.inf,
    -np.inf,
    np.nan,
]

# How an array is seen; each applies to both kinds of array alike.
VIEWS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::-1] if a.ndim else a,
    lambda a: a[..., ::2] if a.ndim else a,
    lambda a: a[..., ::-1] if a.ndim else a,
    lambda a: a.reshape(-1),
    lambda a: a.swapaxes(0, -1) if a.ndim else a,
    lambda a: a[1:] if a.ndim else a,
    lambda a: a[None],
]


def filled(rng, shape, dtype):
    """Random values of a dtype with special ones strewn in."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        small = rng.integers(max(limits.min, -9), min(limits.max, 9), shape, endpoint=True)
        edge = rng.choice(np.array([limits.min, limits.max, 0, 1], dtype=dtype), shape)
        return np.where(rng.random(shape) < 0.15, edge, small.astype(dtype)).astype(dtype)
    values = rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 3, shape)
    special = rng.choice(SPECIAL, shape)
    return np.where(rng.random(shape) < 0.15, special, values).astype(dtype)


@st.composite
def pairs(draw, dtypes=DTYPES, dims=4):
    """The same view of the same values as a NumPy array and as one of Brio."""
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=dims)))
    base = filled(np.random.default_rng(draw(st.integers(0, 2**32))), shape, draw(st.sampled_from(dtypes)))
    view = draw(st.sampled_from(VIEWS))
    return view(base), view(xp.asarray(base))


def result_of(call, *args, **kwargs):
    """(result, None), or (None, class of the exception)."""
    try:
        return call(*args, **kwargs), None
    except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError) as error:
        return None, type(error)


def assert_same(ours, theirs, ulp=0):
    """Equal shape, dtype and values; floats within so many units in the last place."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    if theirs.dtype.kind == "f" and ulp:
        apart = np.abs(ours.astype(np.longdouble) - theirs.astype(np.longdouble))
        same = (
            (ours == theirs)
            | (np.isnan(ours) & np.isnan(theirs))
            | (apart <= ulp * np.spacing(np.abs(theirs)))
        )
        assert same.all(), (ours[~same][:5], theirs[~same][:5])
    else:
        np.testing.assert_array_equal(ours, theirs)
        if theirs.dtype.kind == "f":
            signs = ~np.isnan(theirs)
            np.testing.assert_array_equal(np.signbit(ours[signs]), np.signbit(theirs[signs]))


def assert_as_numpy(call, ours, theirs, ulp=0):
    """call of both kinds of operands: the same result or the same class of exception."""
    expected, error = result_of(call, np, *theirs)
    actual, raised = result_of(call, xp, *ours)
    if error is not None:
        assert raised is not None and (issubclass(raised, error) or issubclass(error, raised)), (
            error,
            raised,
        )
        return
    assert raised is None, raised
    if isinstance(expected, tuple):
        for a, b in zip(actual, expected, strict=True):
            assert_same(a, b, ulp)
    else:
        assert_same(actual, expected, ulp)


# ---- Operations ------------------------------------------------------------------------------------

NAMES = sorted(n for n in vars(xp._core)["ufuncs"] if hasattr(np, n) and isinstance(getattr(np, n), np.ufunc))
ONE = [n for n in NAMES if getattr(np, n).nin == 1]
TWO = [n for n in NAMES if getattr(np, n).nin == 2]


def allowed(name):
    """How far a float result may be from NumPy's, whose own error is up to four units too."""
    ulp = getattr(xp, name).ulp
    return ulp and ulp + 4


def test_the_table_has_the_operations_of_numpy():
    assert len(NAMES) > 80
    for name in NAMES:
        assert getattr(xp, name).nin == getattr(np, name).nin
        assert getattr(xp, name).nout == getattr(np, name).nout


@pytest.mark.parametrize("name", ONE)
@given(pair=pairs())
@settings(max_examples=15)
def test_operations_of_one_array(name, pair):
    theirs, ours = pair
    assert_as_numpy(lambda m, a: getattr(m, name)(a), [ours], [theirs], allowed(name))


@pytest.mark.parametrize("name", TWO)
@given(data=st.data())
@settings(max_examples=15)
def test_operations_of_two_arrays(name, data):
    theirs, ours = data.draw(pairs())
    other = filled(
        np.random.default_rng(data.draw(st.integers(0, 99))),
        theirs.shape if data.draw(st.booleans()) else theirs.shape[-1:],
        data.draw(st.sampled_from(DTYPES)),
    )
    if name == "ldexp":
        other = np.clip(other.astype("int64"), -2000, 2000).astype("int32")
    if name.startswith("logaddexp"):  # near 0 the result cancels, and units in its last place mean nothing
        theirs, other = np.abs(theirs), np.abs(other)
        ours = xp.asarray(theirs)
    call = lambda m, a, b: getattr(m, name)(a, b)  # noqa: E731
    assert_as_numpy(call, [ours, xp.asarray(other)], [theirs, other], allowed(name))


SCALARS = [0, 1, -1, 2, 3, 7, 127, 300, 2**40, 2**63, 2**70, -(2**70), True, 0.0, -0.5, 1e10, np.inf, np.nan]
STRONG = [np.int8(3), np.uint64(5), np.float32(1.5), np.float64(0.1), np.float16(2), np.bool_(True)]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=", ">", ">="]


@pytest.mark.parametrize("sign", OPERATORS)
@given(pair=pairs(dims=2), scalar=st.sampled_from(SCALARS + STRONG), swapped=st.booleans())
def test_operators_with_scalars(sign, pair, scalar, swapped):
    theirs, ours = pair
    if theirs.dtype == bool and isinstance(scalar, int) and abs(scalar) >= 2**63:
        return None  # a bool array meets it as int64 in NumPy, which then cannot compare
    text = f"s {sign} a" if swapped else f"a {sign} s"
    call = lambda m, a: eval(text, {"a": a, "s": scalar})  # noqa: E731
    if sign == "**" and (theirs.dtype == bool or theirs.size == 0):
        return None  # NumPy squares a bool as int8, and looks at no exponent where there is no base
    return assert_as_numpy(call, [ours], [theirs], 8 if sign == "**" else 0)


@pytest.mark.parametrize("sign", OPERATORS[:12])
@given(pair=pairs(dims=2), scalar=st.sampled_from([1, 2, True, 0.5, np.float64(3), np.int16(2)]))
def test_operators_in_place(sign, pair, scalar):
    theirs, ours = pair
    theirs = theirs.copy()
    if sign == "**" and (theirs.dtype == bool or theirs.size == 0):
        return

    def call(m, a):
        scope = {"a": a if m is xp else theirs, "s": scalar}
        exec(f"a {sign}= s", scope)
        return scope["a"]

    before = ours.copy()
    same = ours
    assert_as_numpy(call, [ours], [theirs], 8 if sign == "**" else 0)
    assert same is ours and before.shape == ours.shape


@given(pair=pairs(FLOATS), mask=st.integers(0, 99))
def test_where_out_and_dtype_of_operations(pair, mask):
    theirs, ours = pair
    chosen = np.random.default_rng(mask).random(theirs.shape) < 0.5

    def masked(m, a):
        out = m.full(theirs.shape, 7, dtype="float64")
        where = chosen if m is np else xp.asarray(chosen)
        result = m.add(a, 1, out=out, where=where)
        assert result is out
        return out

    assert_as_numpy(masked, [ours], [theirs])
    assert_as_numpy(lambda m, a: m.multiply(a, a, dtype="float64"), [ours], [theirs])
    assert_as_numpy(lambda m, a: m.add(a, a, out=m.zeros(theirs.shape, "int32")), [ours], [theirs])


@given(pair=pairs(), other=pairs())
def test_choice_and_outer(pair, other):
    theirs, ours = pair
    assert_as_numpy(lambda m, a: m.where(a, a, 3), [ours], [theirs])
    assert_as_numpy(lambda m, a: m.clip(a, 1, 4), [ours], [theirs])
    assert_as_numpy(lambda m, a, b: m.multiply.outer(a, b), [ours, other[1]], [theirs, other[0]])


@given(pair=pairs(), dtype=st.sampled_from(DTYPES))
def test_casts(pair, dtype):
    theirs, ours = pair
    if theirs.dtype.kind == "f" and dtype in INTEGERS:
        # out of range NumPy's result depends on the processor's instructions
        fits = np.abs(theirs.astype(float)) < min(np.iinfo(dtype).max, 2**53)
        theirs = np.where(fits & (theirs >= np.iinfo(dtype).min), theirs, theirs.dtype.type(1))
        ours = xp.asarray(theirs)
    assert_as_numpy(lambda m, a: a.astype(dtype), [ours], [theirs])
    assert_as_numpy(lambda m, a: a.astype(dtype, casting="same_kind"), [ours], [theirs])


# ---- Reductions ------------------------------------------------------------------------------------

REDUCTIONS = ["sum", "prod", "max", "min", "all", "any", "mean", "std", "var", "argmax", "argmin"]
AXES = [None, 0, -1, 1, (0, 1), (0, -1), (), 7]


def close_enough(name, theirs):
    """Sums in another order agree within the error of either."""
    return 64 if theirs.dtype.kind == "f" or name in ("mean", "std", "var") else 0


@pytest.mark.parametrize("name", REDUCTIONS)
@given(pair=pairs(["bool", "int8", "int32", "uint16", "int64", "float32", "float64"]), data=st.data())
def test_reductions(name, pair, data):
    theirs, ours = pair
    if theirs.dtype.kind == "f":
        # the order of additions shows in the last places, so keep clear of cancellation and overflow
        theirs = np.where(np.abs(theirs) < 1e3, np.abs(theirs) + 1, theirs.dtype.type(2)).astype(theirs.dtype)
        if name == "max":
            theirs = np.where(theirs > 3, theirs, np.nan).astype(theirs.dtype)
        ours = xp.asarray(theirs)
    elif name in ("mean", "std", "var") and theirs.dtype.kind == "i":
        theirs = np.clip(theirs, -100, 100)
        ours = xp.asarray(theirs)
    axis = data.draw(st.sampled_from(AXES))
    keepdims = data.draw(st.booleans())
    call = lambda m, a: getattr(m, name)(a, axis=axis, keepdims=keepdims)  # noqa: E731
    if theirs.size == 0 and name in ("mean", "std", "var"):
        return
    assert_as_numpy(call, [ours], [theirs], close_enough(name, theirs))


@given(pair=pairs(INTEGERS), mask=st.integers(0, 99), axis=st.sampled_from([None, 0, -1]))
def test_where_initial_and_dtype_of_reductions(pair, mask, axis):
    theirs, ours = pair
    chosen = np.random.default_rng(mask).random(theirs.shape) < 0.5
    mine = xp.asarray(chosen)
    pick = lambda m: chosen if m is np else mine  # noqa: E731
    assert_as_numpy(lambda m, a: m.sum(a, axis, where=pick(m)), [ours], [theirs])
    assert_as_numpy(lambda m, a: m.max(a, axis, where=pick(m), initial=3), [ours], [theirs])
    exact = theirs // 2**20 if theirs.dtype.itemsize == 8 else theirs  # sums are, in any order
    assert_as_numpy(lambda m, a: m.sum(a, axis, dtype="float64", initial=2), [xp.asarray(exact)], [exact])
    assert_as_numpy(lambda m, a: m.max(a, axis, where=pick(m)), [ours], [theirs])
    assert_as_numpy(lambda m, a: m.add.reduce(a), [ours], [theirs])
    assert_as_numpy(lambda m, a: m.count_nonzero(a, axis), [ours], [theirs])


@given(pair=pairs(["bool", *INTEGERS]), axis=st.sampled_from([None, 0, -1, 5]))
def test_running_sums(pair, axis):
    theirs, ours = pair
    assert_as_numpy(lambda m, a: m.cumsum(a, axis), [ours], [theirs])
    assert_as_numpy(lambda m, a: m.cumprod(a, axis), [ours], [theirs])
    assert_as_numpy(lambda m, a: m.maximum.accumulate(a), [ours], [theirs])


@given(pair=pairs(), axis=st.sampled_from([-1, 0, None, 6]))
def test_sorts(pair, axis):
    theirs, ours = pair
    expected, error = result_of(np.sort, theirs, axis=axis)
    actual, raised = result_of(xp.sort, ours, axis=axis)
    assert raised is error
    if error is None:
        np.testing.assert_array_equal(np.asarray(actual), expected)  # zeros of either sign are equal
    assert_as_numpy(lambda m, a: m.argsort(a, axis=axis, stable=True), [ours], [np.asarray(theirs)])
    expected, error = result_of(np.nonzero, theirs)
    actual, raised = result_of(xp.nonzero, ours)
    assert (error is None) == (raised is None)
    for a, b in zip(actual or (), expected or (), strict=True):
        assert_same(a, b)


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "float32", "float64"])
@pytest.mark.parametrize(
    "left, right",
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((0, 3), (3, 2)),
     ((2, 0), (0, 3)), ((5, 1, 2, 3), (4, 3, 2)), ((2, 3), (2, 3)), ((), (3,)), ((65, 70), (70, 33))],
)  # fmt: skip
def test_products(dtype, left, right):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 3, s).astype(dtype) for s in (left, right))
    assert_as_numpy(lambda m, x, y: m.matmul(x, y), [xp.asarray(a), xp.asarray(b)], [a, b])
    assert_as_numpy(lambda m, x, y: x @ y, [xp.asarray(a), xp.asarray(b)], [a, b])
    assert_as_numpy(lambda m, x, y: m.dot(x, y), [xp.asarray(a), xp.asarray(b)], [a, b])


# ---- Late against early, one thread against two ----------------------------------------------------------

EXPRESSIONS = [
    lambda m, x, y: m.sqrt((x - y) ** 2 + 1) * m.sin(x),
    lambda m, x, y: m.where(x > y, m.exp(-abs(x)), y / (x * x + 1)),
    lambda m, x, y: (x * 2 + y[0]).astype("int32") // 3 + (x < 0.5),
    lambda m, x, y: m.maximum(x[:, ::-1], y) - m.minimum(x, y)[::-1],
    lambda m, x, y: ((x - x.mean()) / x.std()).sum(axis=0),
    lambda m, x, y: (m.log1p(abs(x)) * y).sum(),
    lambda m, x, y: m.hypot(x, y).max(axis=1) + m.arctan2(y, x).min(),
]


@pytest.fixture
def settings_restored():
    threads, lazy = xp.config.threads(), xp.config.lazy()
    yield
    xp.config.set_threads(threads)
    xp.config.set_lazy(lazy)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
@pytest.mark.parametrize("shape", [(3, 5), (401, 533)])
def test_late_and_early_evaluation_give_the_same_bits(settings_restored, dtype, number, shape):
    rng = np.random.default_rng(number)
    x, y = (xp.asarray(rng.standard_normal(shape).astype(dtype)) for _ in range(2))
    results = []
    for lazy, threads in ((False, 1), (True, 1), (True, 2), (False, 2)):
        xp.config.set_lazy(lazy)
        xp.config.set_threads(threads)
        results.append(EXPRESSIONS[number](xp, x, y).tobytes())
    assert all(r == results[0] for r in results)


def test_large_expressions_are_late_and_small_ones_are_not(settings_restored):
    xp.config.set_lazy(True)
    assert not (xp.ones(8) + 1)._pending
    late = xp.ones(1 << 20) + 1
    assert late._pending
    assert float(late[5]) == 2 and not late._pending


def test_writing_does_not_change_what_was_expressed_before(settings_restored):
    xp.config.set_lazy(True)
    x = xp.ones(1 << 20)
    y = x + 1
    x[...] = 5
    z = x * 2
    x += 1
    assert float(y.max()) == 2 and float(z.min()) == 10 and float(x[0]) == 6


def test_lent_memory_is_never_read_late(settings_restored):
    xp.config.set_lazy(True)
    x = xp.ones(1 << 20)
    shown = np.asarray(x)
    y = x + 1
    shown[...] = 9
    assert float(y.max()) == 2
    theirs = np.ones(1 << 20)
    z = xp.asarray(theirs, copy=False) + 1
    theirs[...] = 9
    assert float(z.max()) == 2


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("exponent", [0.5, 2, 2.0, -1, 1, 1.0, 3, 1.5])
def test_power_operators_by_simple_exponents(dtype, exponent):
    theirs = np.array([-np.inf, np.inf, np.nan, 4, 1, 0.0, -0.0, -2, 0.3], dtype)
    ours = xp.asarray(theirs)
    with np.errstate(all="ignore"):
        expected, result = theirs**exponent, np.asarray(ours**exponent)
        theirs **= exponent
        ours **= exponent
    assert result.dtype == expected.dtype
    for got, wanted in ((result, expected), (np.asarray(ours), theirs)):
        np.testing.assert_allclose(got, wanted, rtol=4 * np.finfo(dtype).eps, equal_nan=True)
        np.testing.assert_array_equal(np.signbit(got[wanted == 0]), np.signbit(wanted[wanted == 0]))
