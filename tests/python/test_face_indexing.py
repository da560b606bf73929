"""Subscripts of Brio's arrays against NumPy's: reading, assigning, overlap, duplicates, errors."""

import brio as xp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
EXAMPLES = settings(max_examples=100, deadline=None)


@st.composite
def single(draw, extent):
    """One entry of a subscript for an axis of that extent; sometimes out of bounds."""
    reach = extent + (draw(st.integers(0, 9)) == 0)
    bound = st.none() | st.integers(-reach - 2, reach + 2)
    kind = draw(st.sampled_from(["int", "slice", "slice", "ints", "bools", "list", "none", "dots", "0-d"]))
    if kind == "int":
        return draw(st.integers(-reach, reach))
    if kind == "slice":
        step = draw(st.none() | st.integers(-3, 3).filter(bool))
        return slice(draw(bound), draw(bound), step)
    if kind in ("ints", "list"):
        shape = draw(st.sampled_from([(), (1,), (2,), (3,), (2, 1), (0,)]))
        n = int(np.prod(shape))
        places = draw(st.lists(st.integers(-reach, max(reach - 1, 0)), min_size=n, max_size=n))
        array = np.array(places, dtype=draw(st.sampled_from(["int64", "int8", "int32"]))).reshape(shape)
        return array.tolist() if kind == "list" else array
    if kind == "bools":
        return np.array(draw(st.lists(st.booleans(), min_size=reach, max_size=reach)), dtype=bool)
    if kind == "0-d":
        return draw(st.sampled_from([True, False, np.array(True), np.int8(0)]))
    return None if kind == "none" else ...


@st.composite
def subscripts(draw):
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    count = draw(st.integers(0, len(shape) + 1))
    extents = [*shape, 2]
    key = tuple(draw(single(extents[i])) for i in range(count))
    return shape, key[0] if count == 1 and draw(st.booleans()) else key


def ours(key):
    """The subscript with NumPy's arrays in it as Brio's."""
    if isinstance(key, tuple):
        return tuple(ours(k) for k in key)
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


def attempt(call):
    try:
        return call(), None
    except (IndexError, ValueError, TypeError, OverflowError) as error:
        return None, error


def agree(mine, raised, expected, error):
    assert (error is None) == (raised is None), (error, raised)
    if error is not None:
        assert type(raised) is type(error), (error, raised)
        return
    got = np.asarray(mine)
    assert got.shape == np.shape(expected) and got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@EXAMPLES
@given(case=subscripts(), foreign=st.booleans())
def test_reading(case, foreign):
    shape, key = case
    theirs = np.arange(np.prod(shape, dtype=int), dtype="int32").reshape(shape)
    mine = xp.asarray(theirs)
    expected, error = attempt(lambda: theirs[key])
    got, raised = attempt(lambda: mine[key if foreign else ours(key)])
    if error is None and expected.size == 0 and raised is not None and "boolean index" in str(raised):
        return  # NumPy overlooks a mask of another length where nothing is selected
    agree(got, raised, expected, error)


@EXAMPLES
@given(
    case=subscripts(), value=st.sampled_from(["number", "row", "shape", "column"]), seed=st.integers(0, 99)
)
def test_assigning(case, value, seed):
    shape, key = case
    theirs = np.arange(np.prod(shape, dtype=int), dtype="float32").reshape(shape)
    mine = xp.asarray(theirs)
    selected, error = attempt(lambda: theirs[key])
    given_ = np.float64(-1.5)
    if error is None and value != "number":
        target = np.shape(selected)
        target = {"row": target[-1:], "shape": target, "column": (*target[:-1], 1) if target else ()}[value]
        given_ = np.random.default_rng(seed).standard_normal(target)
    _, error = attempt(lambda: theirs.__setitem__(key, given_))
    source = xp.asarray(given_) if isinstance(given_, np.ndarray) else float(given_)
    _, raised = attempt(lambda: mine.__setitem__(ours(key), source))
    if error is None and np.size(selected) == 0 and raised is not None and "boolean index" in str(raised):
        return
    assert (error is None) == (raised is None), (error, raised)
    if error is not None:
        assert type(error) is type(raised), (error, raised)
    np.testing.assert_array_equal(np.asarray(mine), theirs)


def test_views_share_memory_and_copies_do_not():
    x = xp.arange(12).reshape(3, 4)
    x[1][2] = 77
    x[:, ::2][0] = -1
    x.T[3, 2] = 5
    assert x.tolist() == [[-1, 1, -1, 3], [4, 5, 77, 7], [8, 9, 10, 5]]
    assert x[1:].base is not None and x[[0, 1]].base is None
    taken = x[[0, 1]]
    taken[...] = 0
    assert x[1, 2].item() == 77
    assert xp.may_share_memory(x, x[::-1]) and not xp.may_share_memory(x, taken)


def test_overlap_is_as_if_copied_first():
    theirs, mine = np.arange(10), xp.arange(10)
    for a in (theirs, mine):
        a[1:] = a[:-1]
        a[::-1] = a
        a[[3, 4, 5]] = a[[4, 5, 3]]
        a += a[::-1]
    assert mine.tolist() == theirs.tolist()


def test_of_duplicate_indices_the_last_wins():
    n = 200_000
    rng = np.random.default_rng(1)
    at, values = rng.integers(0, 50, n), np.arange(n, dtype=float)
    mine = xp.zeros(50)
    mine[xp.asarray(at)] = xp.asarray(values)
    expected = np.zeros(50)
    for i, v in zip(at[-5000:], values[-5000:], strict=True):
        expected[i] = v
    assert mine.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "key, error, words",
    [
        (5, IndexError, "index 5 is out of bounds for axis 0 with size 3"),
        (-4, IndexError, "index -4 is out of bounds for axis 0 with size 3"),
        ((0, 9), IndexError, "index 9 is out of bounds for axis 1 with size 4"),
        ((0, 0, 0), IndexError, "too many indices for array: array is 2-dimensional, but 3 were indexed"),
        ((..., ...), IndexError, "an index can only have a single ellipsis ('...')"),
        (1.0, IndexError, "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`)"),
        ("a", IndexError, "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`)"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (slice(1.5), TypeError, "slice indices must be integers or None or have an __index__ method"),
        ([0.5], IndexError, "arrays used as indices must be of integer (or boolean) type"),
        ([0, 7], IndexError, "index 7 is out of bounds for axis 0 with size 3"),
        (np.ones((3, 3), bool), IndexError, "boolean index did not match indexed array along axis 1"),
        (2**80, IndexError, "cannot fit 'int' into an index-sized integer"),
    ],
)
def test_words_of_wrong_subscripts(key, error, words):
    x = xp.zeros((3, 4))
    with pytest.raises(error) as caught:
        x[key]
    assert words in str(caught.value)
    with pytest.raises(error):
        x[key] = 1
    assert float(abs(x).max()) == 0


def test_assignment_of_what_does_not_fit():
    x = xp.zeros(4, "uint8")
    for value in (300, -1, 2**70):
        with pytest.raises(OverflowError):
            x[0] = value
        with pytest.raises(OverflowError):
            x[1:] = value
    with pytest.raises(ValueError, match="could not broadcast input array from shape"):
        x[:3] = [1, 2]
    with pytest.raises(TypeError, match="brio arrays hold numbers; got dtype '<U1'"):
        x[0] = "a"
    with pytest.raises(ValueError, match="cannot delete array elements"):
        del x[0]
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x[:] = 1
    with pytest.raises(ValueError):
        x += 1
    assert x.tolist() == [0, 0, 0, 0]


def test_iteration_length_and_flat():
    x = xp.arange(6).reshape(2, 3)
    assert [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]] and len(x) == 2
    assert [int(v) for v in x.flat] == [0, 1, 2, 3, 4, 5]
    x.flat[4] = 9
    x.T.flat[1] = 7
    assert x.flat[4].item() == 9 and x.tolist() == [[0, 1, 2], [7, 9, 5]]
    x.flat = [1, 2]
    assert x.tolist() == [[1, 2, 1], [2, 1, 2]] and 2 in x and 3 not in x
    for wrong in (len, iter):
        with pytest.raises(TypeError):
            wrong(xp.asarray(1))
