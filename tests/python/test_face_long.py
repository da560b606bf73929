"""Arrays long enough for the ways that short ones do not take: division by one divisor as a
multiplication, rows split among threads before they are sorted, positions of non-zeros by vectors."""

import brio as xp
import numpy as np
import pytest

INTEGERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


def extremes_and_random(rng, dtype, n):
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    values[:6] = [info.min, info.max, 0, 1, info.max - 1, info.min + 1]
    return values


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_division_by_one_divisor(name, dtype):
    rng, info = np.random.default_rng(1), np.iinfo(dtype)
    values = extremes_and_random(rng, dtype, 1000)
    ours = xp.array(values)
    near = range(max(info.min, -40), min(info.max, 40) + 1)
    divisors = [*near, *extremes_and_random(rng, dtype, 60).tolist()]
    with np.errstate(all="ignore"), xp.errstate(all="ignore"):
        for divisor in divisors:
            one = np.array(divisor, dtype=dtype)
            expected = getattr(np, name)(values, one)
            result = np.asarray(getattr(xp, name)(ours, xp.array(one)))
            assert result.dtype == expected.dtype
            np.testing.assert_array_equal(result, expected, err_msg=f"divisor {divisor}")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_by_one_zero_is_noticed(dtype):
    values = xp.array(np.arange(1, 101, dtype=dtype))
    with xp.errstate(divide="raise"):
        memoryview(xp.reciprocal(values))
        memoryview(values // xp.array(np.array(7, dtype=dtype)))
        with pytest.raises(FloatingPointError):
            memoryview(values // xp.array(np.array(0, dtype=dtype)))
        with pytest.raises(FloatingPointError):
            memoryview(xp.reciprocal(xp.array(np.arange(100, dtype=dtype))))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits_and_reciprocals(dtype):
    values = extremes_and_random(np.random.default_rng(2), dtype, 1000)
    with np.errstate(all="ignore"), xp.errstate(all="ignore"):
        for name in ("bitwise_count", "reciprocal"):
            expected = getattr(np, name)(values)
            np.testing.assert_array_equal(np.asarray(getattr(xp, name)(xp.array(values))), expected)


def keys(kind, n, dtype):
    rng = np.random.default_rng(n)
    if kind == "random":
        made = np.abs(rng.standard_normal(n)) * 1e6
    elif kind == "few":
        made = rng.integers(0, 3, n)
    elif kind == "equal":
        made = np.full(n, 7)
    elif kind == "falling":
        made = np.arange(n)[::-1]
    else:
        made = np.arange(n) % 1000
    made = np.asarray(made).astype(dtype)
    if kind == "random" and made.dtype.kind == "f":
        made[::3], made[1::5], made[2::7] = np.nan, np.inf, -np.inf
    elif kind == "random":
        made[::2], made[1::4] = np.iinfo(dtype).max, np.iinfo(dtype).min
    return made


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u4", "u8"])
@pytest.mark.parametrize("kind", ["random", "few", "equal", "falling", "saw"])
@pytest.mark.parametrize("n", [5, 8, 10, 17, 31, 65536, 131073, 300001])
def test_sort(n, kind, dtype):
    values = keys(kind, n, dtype)
    np.testing.assert_array_equal(np.asarray(xp.sort(xp.array(values))), np.sort(values))


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99, 1])
@pytest.mark.parametrize("n", [1, 7, 8, 63, 100, 70000, 200001])
def test_nonzero(n, share):
    mask = np.random.default_rng(n).random(n) < share
    np.testing.assert_array_equal(np.asarray(xp.nonzero(xp.array(mask))[0]), np.nonzero(mask)[0])


def test_index_that_is_written():
    """An array indexed by itself: the index is read as it was."""
    for values in ([4, 3, 2, 1, 0], [1, 0, 2, 4, 3]):
        theirs, ours = np.array(values), xp.array(values)
        theirs[theirs] = theirs[::-1].copy()
        ours[ours] = ours[::-1].copy()
        np.testing.assert_array_equal(np.asarray(ours), theirs)
