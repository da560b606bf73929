"""Creation, manipulation, statistics and dtype functions against NumPy, call by call."""

import brio as xp
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

# Each is evaluated with m = numpy and with m = brio.
EXACT = """
m.zeros(3)
m.zeros((2, 0, 3), 'int8')
m.ones((2, 2), dtype=m.float32)
m.full((2, 3), 7)
m.full(2, 2.5, dtype='int32')
m.full((2, 3), [1, 2, 3])
m.full((), True)
m.empty((0, 3), 'uint8')
m.zeros_like(m.ones((2, 3), 'int16'))
m.ones_like(m.ones((2, 3)), dtype=bool)
m.full_like(m.ones((2, 3), 'int16'), 4.7)
m.empty_like(m.ones((2, 3)), shape=(0, 4))
m.eye(3)
m.eye(2, 4, 1, dtype='int64')
m.eye(3, k=-1)
m.eye(3, 2, -5)
m.identity(2)
m.tri(3, 4, 1)
m.tril(m.arange(12).reshape(3, 4), -1)
m.triu(m.arange(24.).reshape(2, 3, 4), 1)
m.triu(m.arange(3), k=1)
m.diag(m.arange(3), 1)
m.diag(m.arange(9).reshape(3, 3), -1)
m.diagflat([[1, 2], [3, 4]])
m.arange(5)
m.arange(2, 9, 3)
m.arange(9, 2, -3)
m.arange(0, 1, 0.1)
m.arange(3.0)
m.arange(0.5, 3.4, dtype='float32')
m.arange(5, dtype='uint8')
m.arange(0)
m.arange(3, 1)
m.arange(-(2**62), -(2**62) + 3)
m.arange(5, dtype='float16')
m.linspace(0, 1, 11)
m.linspace(2, 3, 5, endpoint=False)
m.linspace(0, 10, 4, dtype=int)
m.linspace(5, 5, 3)
m.linspace(0, 1, 1)
m.linspace(0, 1, 0)
m.linspace([0, 1], [2, 3], 3)
m.linspace([0, 1], [2, 3], 3, axis=1)
m.linspace(1, 10, 4, retstep=True)
m.meshgrid(m.arange(3), m.arange(2))
m.meshgrid(m.arange(3), m.arange(2), indexing='ij')
m.meshgrid(m.arange(3), m.arange(2), sparse=True)
m.indices((2, 3))
m.fromfunction(lambda i, j: i * 2 + j, (2, 3))
m.fromiter((i * i for i in range(4)), dtype='int32')
m.frombuffer(b'\\x01\\x00\\x02\\x00\\x03\\x00', dtype='int16', offset=2)
m.array([[1, 2], [3, 4]])
m.array([[1, 2.5], [True, 4]])
m.array(5)
m.array([], dtype='int8')
m.array([[], []])
m.array([1, 2, 3], ndmin=3)
m.array([True, False])
m.array([2**63])
m.array([1.7, -1.7], dtype='int8')
m.array((range(3), range(3, 6)))
m.array([[1, 2], [3, 4]], order='F').T
m.asarray([1, 2], dtype=float)
m.ascontiguousarray(m.arange(6).reshape(2, 3).T)
m.asfortranarray(m.arange(6).reshape(2, 3))
m.ascontiguousarray(3)
m.reshape(A, (4, 3))
m.reshape(A, (2, -1), order='F')
A.reshape(2, -1)
A.reshape(12)
m.ravel(A)
m.ravel(A.T)
m.ravel(A, order='F')
m.ravel(A.T, order='K')
A.flatten('F')
m.transpose(C)
m.transpose(C, (1, 2, 0))
C.transpose(2, 0, 1)
C.T
C.mT
m.permute_dims(C, (0, 2, 1))
m.matrix_transpose(C)
m.swapaxes(C, 0, -1)
m.moveaxis(C, 0, -1)
m.moveaxis(C, (0, 1), (-1, 0))
m.rollaxis(C, 2)
m.squeeze(C[:1])
m.squeeze(C[None, :, :1], axis=(0, 2))
m.expand_dims(A, 1)
m.expand_dims(A, (0, -1))
m.atleast_1d(3)
m.atleast_2d(m.arange(3))
m.atleast_3d(A)
m.broadcast_to(m.arange(3), (2, 3))
m.broadcast_arrays(m.arange(3), m.arange(2).reshape(2, 1))
m.broadcast_shapes((2, 1), (3,), 1)
m.concatenate([A, A])
m.concatenate([A, A], axis=1)
m.concatenate([A, A], axis=None)
m.concatenate([A, A.astype('float32')], axis=-1)
m.concatenate([A, A], dtype='float64')
m.concatenate([m.zeros((0, 4)), A])
m.concat([A, A])
m.stack([A, A])
m.stack([A, A], axis=-1)
m.unstack(A)
m.unstack(A, axis=1)
m.vstack([m.arange(3), m.arange(3)])
m.hstack([A, A])
m.hstack([m.arange(3), m.arange(2)])
m.dstack([A, A])
m.column_stack([m.arange(3), m.ones((3, 2))])
m.split(A, 2, axis=1)
m.split(m.arange(7), [2, 5])
m.array_split(m.arange(7), 3)
m.vsplit(A, 3)
m.hsplit(A, 2)
m.dsplit(C, 2)
m.append(A, [[1, 2, 3, 4]], axis=0)
m.append(m.arange(3), 9)
m.tile(m.arange(3), 2)
m.tile(A, (2, 1, 2))
m.tile(A, 0)
m.repeat(A, 2)
m.repeat(A, 3, axis=1)
m.repeat(A, [1, 0, 2], axis=0)
m.repeat(m.arange(3), 0)
m.flip(A)
m.flip(C, (0, 2))
m.fliplr(A)
m.flipud(A)
m.roll(A, 1)
m.roll(A, -3, axis=1)
m.roll(A, (1, 2), axis=(0, 1))
m.rot90(A)
m.rot90(A, 2)
m.rot90(C, -1, (1, 2))
m.take(A, [1, -1])
m.take(A, [[0, 2], [1, 1]], axis=1)
m.take(A, 2, axis=0)
m.take(A, [5, -9], mode='wrap', axis=0)
m.take(A, [5, -9], mode='clip', axis=0)
m.take_along_axis(A, m.argsort(A, axis=1), axis=1)
m.compress([True, False, True], A, axis=0)
m.extract(A > 3, A)
m.where(A > 5, A, -A)
m.where(A > 5)
m.where(A > 5, A, 0.5)
m.nonzero(A % 3)
m.flatnonzero(A % 3)
m.argwhere(A % 3)
m.trim_zeros(m.array([0, 0, 1, 0, 2, 0]))
m.clip(A, 2, 7)
m.clip(A, None, 4)
m.clip(A, 4, None)
m.clip(A, 8, 3)
m.clip(A, min=2)
m.diagonal(A, 1)
m.diagonal(C, 0, 1, 2)
m.diagonal(A, -9)
m.trace(A)
m.trace(C, axis1=1, axis2=2)
m.sort(A[::-1], axis=0)
m.sort(A, axis=None)
m.argsort(A[:, ::-1])
m.unique(A % 4)
m.unique(A % 4, return_index=True, return_inverse=True, return_counts=True)
m.unique(m.array([m.nan, 1, m.nan]))
m.sort(m.unique_values(A % 3))
m.unique_counts(A % 3)
m.unique_inverse(A % 3)
m.partition(A, 2, axis=0)[2]
m.argpartition(A[::-1], 0, axis=0)[0]
m.searchsorted(m.arange(5), [1.5, 3], side='right')
m.arange(5).searchsorted(2)
m.array([0, 1]).choose([[1, 2], [3, 4]])
m.diff(A)
m.diff(A, 2, axis=0)
m.diff(A, prepend=0, append=A[:, :1])
m.diff(m.array([True, False, False]))
m.ediff1d(A, to_begin=-1, to_end=[7, 8])
m.cumsum(A)
m.cumsum(A, axis=1, dtype='float32')
m.cumprod(A + 1, axis=0)
m.cumulative_sum(m.arange(4), include_initial=True)
m.cumulative_prod(A + 1, axis=1)
m.ptp(A, axis=0)
m.round(m.array([0.5, 1.5, 2.25, -0.5]))
m.round(m.array([1.005, 2.675, -1.245]), 2)
m.round(m.array([15, 25, 149]), -1)
m.around(A)
m.median(A)
m.median(A, axis=0)
m.median(C, axis=(0, 2), keepdims=True)
m.median(m.array([1.0, m.nan, 3]))
m.average(A, axis=1, weights=[1, 2, 3, 4])
m.average(A)
m.nansum(N)
m.nanprod(N, axis=0)
m.nanmax(N, axis=1)
m.nanmin(N)
m.nanmean(N, axis=0)
m.nancumsum(N)
m.nan_to_num(N)
m.dot(A, A.T)
m.dot(C, C.swapaxes(1, 2))
m.inner(A, A)
m.outer(m.arange(3), m.arange(4))
m.vdot(A, A)
m.vecdot(A, A)
m.tensordot(C, C, axes=([0, 1], [0, 1]))
m.tensordot(A, A.T, 1)
m.isclose(A, A + 1e-9)
m.allclose(A, A + 1)
m.array_equal(A, A)
m.array_equiv(A, A[None])
m.isneginf(N)
m.isposinf(N)
m.sinc(m.arange(3.0))
m.real(A)
m.imag(A)
m.result_type(m.float32, m.int64)
m.result_type(A, 2.5)
m.result_type('int8', 3)
m.result_type(m.float32(1), 2.5)
m.result_type(3, 2.5)
m.result_type(m.uint64, m.int64)
m.promote_types('int8', 'uint8')
m.can_cast('int16', 'int8')
m.can_cast('int16', 'int8', 'same_kind')
m.isdtype(m.dtype('float32'), 'real floating')
m.isdtype(m.dtype('int8'), ('bool', 'integral'))
m.issubdtype(m.float32, m.floating)
m.finfo('float32').eps == float(numpy.finfo('float32').eps)
m.iinfo('int16').max
m.min_scalar_type(300)
m.sum(A, axis=(0, 1), keepdims=True)
m.sum(A, dtype='int8')
m.prod(A + 1)
m.max(A, axis=0, initial=5)
m.amin(A)
m.all(A, axis=1)
m.any(A)
m.mean(A, axis=0)
m.var(A, ddof=1)
m.std(A, axis=1, correction=1)
m.argmax(A, axis=1, keepdims=True)
m.argmin(A[::-1])
m.count_nonzero(A % 2, axis=0)
m.add.reduce(A, axis=1)
m.subtract.reduce(A, axis=1)
m.multiply.accumulate(A, axis=1)
m.power.accumulate(m.arange(1, 4))
m.add.reduceat(m.arange(8), [0, 4, 1, 5])
m.maximum.outer(m.arange(3), m.arange(2))
m.divmod(A, 4)
m.modf(N)
m.frexp(N)
m.copy(A, order='F')
m.astype(A, 'float32')
A.astype('float32').tolist()
A.item(5)
A.item(1, 2)
A.tobytes('F')
A.view('int32').shape
A.nbytes + A.itemsize + A.ndim + A.size
A.strides
A.T.flags.f_contiguous
A.dot(A.T)
A.repeat(2)
A.conj()
A.std(axis=0, ddof=1)
divmod(A, 5)
abs(-A)
~A
A @ A.T
m.abs(-A)
m.pow(A, 2)
m.acos(m.zeros(2))
m.bitwise_invert(A)
m.bitwise_left_shift(A, 1)
m.e + m.pi + m.euler_gamma
m.newaxis is None
m.lib.stride_tricks.sliding_window_view(A, (2, 2)).shape
m.linalg.det(m.eye(3))
m.percentile(A, 30)
m.histogram(A)
m.bincount(m.array([1, 1, 3]))
m.interp(2.5, [1, 2, 3], [3, 2, 0])
m.fft.fft(m.arange(4)).shape
""".strip().splitlines()


def values():
    A = np.arange(12).reshape(3, 4)
    N = np.array([[1.0, np.nan, -2.5], [np.inf, 0.0, -np.inf]])
    return {"A": A, "C": np.arange(24).reshape(2, 3, 4), "N": N, "numpy": np}


def compare(mine, theirs, text):
    if isinstance(theirs, (tuple, list)):
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            compare(a, b, text)
    elif isinstance(theirs, (np.ndarray, np.generic)):
        shown = np.asarray(mine)
        assert shown.dtype == theirs.dtype and shown.shape == theirs.shape
        close = {"rtol": 1e-14, "atol": 0} if theirs.dtype == float else {"rtol": 0, "atol": 0}
        np.testing.assert_allclose(shown, theirs, **close)
    else:
        assert mine == theirs
        if isinstance(theirs, bool):
            assert type(mine) is bool


@pytest.mark.parametrize("text", EXACT)
def test_as_numpy(text):
    theirs = eval(text, {"m": np, **values()})
    mine = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in values().items()}
    compare(eval(text, {"m": xp, **mine}), theirs, text)


WRONG = """
m.zeros(-1)
m.zeros((2**40, 2**40))
m.zeros((1,) * 65)
m.zeros(2.5)
m.zeros(3, order='Z')
m.empty()
m.zeros(3, bad=1)
m.zeros(3, float, 'C', 1, 2, 3, 4)
m.arange()
m.arange(0, 10, 0)
m.linspace(0, 1, -1)
m.array([[1, 2], [3]])
m.array([300], dtype='uint8')
m.array([m.nan], dtype='int32')
m.full(3, 300, dtype='uint8')
m.asarray([1, 2], copy=False)
m.reshape(A, (5, 5))
m.reshape(A, (-1, -1))
A.reshape(5, -1)
A.transpose(0, 0)
A.transpose(0)
A.swapaxes(0, 5)
A.squeeze(0)
m.expand_dims(A, 5)
m.moveaxis(A, 0, 5)
m.broadcast_to(A, (2, 2))
m.broadcast_shapes((2,), (3,))
m.concatenate([])
m.concatenate([A, A[0]])
m.concatenate([A, A[:, :2]])
m.concatenate([A, A], axis=2)
m.concatenate([m.array(1), m.array(2)])
m.concatenate([A.astype(float)], dtype=int)
m.stack([])
m.stack([A, A[0]])
m.split(A, 5)
m.array_split(A, 0)
m.repeat(A, -1)
m.repeat(A, [1, 2])
m.take(A, [50])
m.take(A, A * 0.5)
m.sum(A, axis=2)
m.sum(A, axis=(0, 0))
m.sum(A, axis=1.0)
m.sum(A, axis=True)
m.max(A[:0])
m.min(A[:0], axis=0)
m.argmax(A[:0])
m.argmax(A, axis=(0, 1))
m.mean(m.array(1.0), axis=0)
m.sort(m.array(1))
m.sort(A, axis=3)
m.sort(A, kind='bogo')
m.nonzero(m.array(1))
m.cumsum(A, axis=2)
m.add.accumulate(m.array(1))
m.sin.reduce(A)
m.add(A)
m.add(1, 2, 3, 4)
m.add(A, A, out=m.zeros((2, 2)))
m.add(A, 0.5, out=m.zeros((3, 4), int))
m.add(A, 1, where=A)
m.add(A, 1, casting='bogus')
m.add(A, 1, bogus=3)
m.matmul(A, A)
m.matmul(A, 3)
A @ A
A + m.ones(3)
A + 'x'
A + None
A << 1.0
A.astype('uint8') + 300
A ** -1
-m.array([True])
m.array([True]) - m.array([True])
m.sin('a')
m.bitwise_and(1.5, 2)
m.dot(A, A)
float(A)
int(A[0])
complex(A)
bool(A)
bool(A[:0])
range(3)[A]
A.item()
A.item(99)
len(m.array(1))
hash(A)
A.astype('int8', casting='safe')
A.view('float16')[..., 0].view('int64')
m.result_type()
m.can_cast(1, 'int8')
m.iinfo('float32')
m.finfo('int32')
m.isdtype(m.dtype('int8'), 'bogus')
m.diag(C)
m.diagonal(m.arange(3))
m.diagonal(A, 0, 1, 1)
m.frombuffer(b'abc', dtype='int16')
m.meshgrid([1], indexing='zz')
m.from_dlpack(3)
m.no_such_name
""".strip().splitlines()


@pytest.mark.parametrize("text", WRONG)
def test_wrong_calls_raise_the_same_class(text):
    with pytest.raises(Exception) as expected:
        eval(text, {"m": np, **values()})
    mine = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in values().items()}
    with pytest.raises(Exception) as caught:
        eval(text, {"m": xp, **mine})
    theirs, ours = expected.type, caught.type
    if theirs is AttributeError and "from_dlpack" in text:
        theirs = TypeError
    assert issubclass(ours, theirs) or issubclass(theirs, ours), (theirs, caught.value)
    assert str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["m.zeros(-1)", "m.zeros((2**40, 2**40))", "m.max(A[:0])", "m.sum(A, axis=2)", "m.sum(A, axis=(0, 0))",
     "A + m.ones(3)", "A.astype('uint8') + 300", "bool(A)", "bool(A[:0])", "float(A)", "A.item()",
     "m.reshape(A, (5, 5))", "m.concatenate([m.array(1), m.array(2)])", "len(m.array(1))",
     "m.full(3, 300, dtype='uint8')", "m.argmax(A[:0])", "m.concatenate([])", "m.sort(m.array(1))",
     "A.transpose(0)", "A ** -1", "m.array([1, [2]])"],
)  # fmt: skip
def test_words_are_those_of_numpy(text):
    mine = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in values().items()}
    with pytest.raises(Exception) as expected:
        eval(text, {"m": np, **values()})
    with pytest.raises(Exception) as caught:
        eval(text, {"m": xp, **mine})
    assert str(caught.value).strip() == str(expected.value).strip()


def test_memory_that_cannot_be_had_is_a_memory_error_and_the_process_goes_on():
    with pytest.raises(MemoryError) as caught:
        xp.zeros(2**50)
    assert "8.0 PiB" in str(caught.value)
    assert xp.ones(3).sum().item() == 3


def test_reductions_give_arrays_and_printing_is_numpys():
    x = xp.asarray([[1.5, 2], [3, 4]])
    for result in (x.sum(), x.max(), x.mean(), x[0, 0], xp.sin(1.0)):
        assert isinstance(result, xp.ndarray) and result.shape == ()
    assert repr(x) == repr(np.asarray(x)) and str(x) == str(np.asarray(x))
    assert repr(xp.arange(2000, dtype="int8")) == repr(np.arange(2000, dtype="int8"))
    assert f"{x[0, 0]:.3f}" == "1.500" and f"{x}" == str(np.asarray(x))


def test_the_array_apis_namespace():
    x = xp.ones(2)
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError):
        x.__array_namespace__(api_version="1999.1")
    info = xp.__array_namespace_info__()
    assert info.default_device() == x.device == "cpu" and info.devices() == ["cpu"]
    assert x.to_device("cpu") is x
    assert info.default_dtypes()["integral"] == xp.int64
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    with pytest.raises(ValueError):
        xp.ones(2, device="cuda:9")


def test_floating_point_conditions_are_silent_unless_asked_for():
    zero = xp.zeros(3)
    with np.errstate(all="raise"):
        assert xp.isinf(1 / zero).all()
    with xp.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        1 / zero
    with xp.errstate(invalid="warn"), pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        xp.sqrt(zero - 1)
    assert xp.geterr() == dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
