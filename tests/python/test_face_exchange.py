"""Memory shared with others: DLPack, the buffer protocol, NumPy's protocols, pickles. Nothing that
comes in is trusted, and what goes out writable is never read late."""

import array
import copy
import ctypes
import gc
import pickle
import threading
import weakref

import brio as xp
import numpy as np
import pytest

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64"]  # fmt: skip


def samples(dtype):
    base = np.arange(24).reshape(2, 3, 4).astype(dtype)
    return [
        base,
        base.T,
        base[:, ::2],
        base[::-1, :, 1:3],
        base[:0],
        base[0, 0, 0:1],
        np.asarray(base[1, 2, 3]),
    ]


# ---- The buffer protocol and NumPy --------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_numpy_come_in_and_go_out(dtype):
    for theirs in samples(dtype):
        mine = xp.asarray(theirs)
        back = np.asarray(mine)
        assert back.dtype == theirs.dtype and back.shape == theirs.shape
        np.testing.assert_array_equal(back, theirs)
        assert mine.dtype == dtype == str(mine.dtype)
        view = memoryview(mine)
        assert view.shape == theirs.shape and view.format == memoryview(np.empty(1, dtype)).format
        assert np.array_equal(np.from_dlpack(mine), theirs)
        assert xp.array_equal(xp.from_dlpack(theirs), mine)


def test_asarray_copies_unless_told_otherwise():
    theirs = np.arange(4.0)
    copied, shared = xp.asarray(theirs), xp.asarray(theirs, copy=False)
    theirs[0] = 9
    assert copied[0].item() == 0 and shared[0].item() == 9
    assert shared.base is theirs and copied.base is None
    shared[1] = 5
    assert theirs[1] == 5
    for dtype, order in ((np.float32, None), (None, "F")):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            xp.asarray(theirs.reshape(2, 2), dtype=dtype, order=order, copy=False)
    x = xp.arange(3)
    assert xp.asarray(x) is x and xp.array(x) is not x


def test_shared_memory_lives_as_long_as_anybody_shows_it():
    theirs = np.arange(8.0)
    gone = weakref.ref(theirs)
    shared = xp.asarray(theirs, copy=False)[2:]
    late = shared + 1
    del theirs
    gc.collect()
    assert gone() is not None and shared.tolist() == [2, 3, 4, 5, 6, 7] and late[0].item() == 3
    del shared
    gc.collect()
    assert gone() is None
    view = memoryview(xp.arange(5))
    gc.collect()
    assert view.tolist() == [0, 1, 2, 3, 4]


def test_read_only_memory_stays_so():
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    for x in (xp.asarray(frozen, copy=False), xp.from_dlpack(frozen), xp.broadcast_to(xp.ones(1), (3,)),
              xp.frombuffer(b"\0" * 24)):  # fmt: skip
        assert not x.flags.writeable and memoryview(x).readonly
        assert not np.asarray(x).flags.writeable and not np.from_dlpack(x).flags.writeable
        with pytest.raises(ValueError):
            x[0] = 1
        with pytest.raises((BufferError, TypeError)):
            ctypes.c_char.from_buffer(x)
        with pytest.raises(BufferError):
            x.__dlpack__()


def test_other_exporters():
    assert xp.asarray(array.array("i", [1, 2])).dtype == "int32"
    assert xp.asarray(bytearray(b"ab")).tolist() == [97, 98]
    assert xp.asarray(memoryview(b"ab")).tolist() == [97, 98]
    assert xp.asarray((ctypes.c_double * 2)(1, 2)).tolist() == [1, 2]
    assert xp.asarray(np.arange(3, dtype=">i4")).tolist() == [0, 1, 2]
    assert xp.asarray(np.float32(2)).dtype == "float32"
    odd = np.frombuffer(b"\x02\x00\xff", dtype=bool)
    assert xp.asarray(odd).view("uint8").tolist() == [1, 0, 1]

    class Interface:
        def __init__(self):
            self.kept = np.arange(3.0)
            self.__array_interface__ = self.kept.__array_interface__

    class Method:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3, dtype=dtype)

    assert xp.asarray(Interface()).tolist() == [0, 1, 2] and xp.sin(Method()).shape == (3,)
    interface = xp.arange(6).reshape(2, 3).T.__array_interface__
    assert interface["shape"] == (3, 2) and interface["typestr"] == "<i8" and interface["strides"] == (8, 24)


@pytest.mark.parametrize(
    "thing, dtype",
    [("abc", "<U3"), (b"abc", "|S3"), (["ab", "c"], "<U"), (None, "object"), (object(), "object"),
     ({1: 2}, "object"), ([1, None], "object"), ({1, 2}, "object"), (np.array(["ab"]), "<U2"),
     (np.array([1], dtype=object), "object"), (np.array(["2020"], dtype="M8[D]"), "datetime64[D]"),
     (np.timedelta64(3, "s"), "timedelta64[s]"), (np.zeros(1, np.longdouble), "float128"),
     (np.zeros(1, "i4,f4"), "f0"), (np.str_("x"), "<U1"), (2**70, "object"), (lambda: 1, "object")],
)  # fmt: skip
def test_what_is_no_number_is_named(thing, dtype):
    with pytest.raises(TypeError, match="brio arrays hold numbers; got dtype '") as caught:
        xp.asarray(thing)
    assert dtype in str(caught.value)
    with pytest.raises((TypeError, OverflowError)):
        xp.ones(2, int) + thing


# ---- DLPack ----------------------------------------------------------------------------------------------


class DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class DLVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


NEW = ctypes.pythonapi.PyCapsule_New
NEW.restype, NEW.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Forged:
    """A DLPack exporter whose tensor says whatever a test wants; it counts how often it is deleted."""

    def __init__(self, versioned=True, major=1, shape=(3,), strides=None, code=2, bits=64, lanes=1, device=1,
                 data=True, flags=0, ndim=None, offset=0):  # fmt: skip
        self.deleted = 0
        self.kept = np.arange(64.0)
        self.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = (ctypes.c_int64 * len(strides))(*strides) if strides else None
        self.deleter = DELETER(self._delete)
        tensor = DLTensor(
            self.kept.ctypes.data if data else None,
            DLDevice(1, 0),
            len(shape) if ndim is None else ndim,
            DLDataType(code, bits, lanes),
            self.shape,
            ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64)) if strides else None,
            offset,
        )
        tensor.device.type = device
        if versioned:
            self.managed = DLVersioned(major, 0, None, self.deleter, flags, tensor)
        else:
            self.managed = DLManagedTensor(tensor, None, self.deleter)
        self.name = b"dltensor_versioned" if versioned else b"dltensor"

    def _delete(self, pointer):
        self.deleted += 1

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        return NEW(ctypes.addressof(self.managed), self.name, None)


@pytest.mark.parametrize("versioned", [True, False])
def test_a_tensor_of_anybody_is_taken_and_given_back_once(versioned):
    forged = Forged(versioned, shape=(2, 3), strides=(1, 2))
    x = xp.from_dlpack(forged)
    assert x.tolist() == [[0, 2, 4], [1, 3, 5]] and x.flags.writeable
    y = x[1:] + 0
    del x
    gc.collect()
    assert forged.deleted == 1 and y.tolist() == [[1, 3, 5]]
    for options in ({"shape": ()}, {"shape": (0, 3)}, {"shape": (4,), "strides": (0,)}, {"offset": 16},
                    {"shape": (0,), "data": False}, {"shape": (3,), "strides": (-1,), "offset": 16},
                    ):  # fmt: skip
        forged = Forged(versioned, **options)
        assert xp.from_dlpack(forged).shape == options.get("shape", (3,))
        assert forged.deleted == 1
    assert xp.from_dlpack(Forged(versioned, shape=(2,), offset=16)).tolist() == [2, 3]
    assert xp.from_dlpack(Forged(versioned, shape=(3,), strides=(-1,), offset=16)).tolist() == [2, 1, 0]


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize(
    "options",
    [{"ndim": -1}, {"ndim": 65}, {"ndim": 2**31 - 1}, {"shape": (-3,)}, {"shape": (2**62, 4)},
     {"shape": (2**40, 2**40)}, {"shape": (3,), "strides": (2**62,)}, {"lanes": 4}, {"lanes": 0},
     {"bits": 12},
     {"bits": 128}, {"code": 9}, {"code": 3}, {"device": 2}, {"device": 99}, {"data": False},
     {"offset": 2**64 - 8}, {"shape": (2**62,)}],
)  # fmt: skip
def test_a_tensor_that_cannot_be_is_refused_and_given_back_once(versioned, options):
    forged = Forged(versioned, **options)
    with pytest.raises((BufferError, ValueError)) as caught:
        xp.from_dlpack(forged)
    assert str(caught.value)
    gc.collect()
    assert forged.deleted == 1


def test_flags_versions_and_capsules_used_twice():
    assert not xp.from_dlpack(Forged(flags=1)).flags.writeable
    with pytest.raises(BufferError, match="version 2"):
        xp.from_dlpack(Forged(major=2))
    for keywords in ({}, {"max_version": (1, 0)}):
        capsule = xp.ones(2).__dlpack__(**keywords)
        xp.from_dlpack(capsule)
        with pytest.raises(ValueError, match="used already"):
            xp.from_dlpack(capsule)

    class Wrong:
        def __init__(self, result):
            self.result = result

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **keywords):
            return self.result

    for result in (None, 3, NEW(1 << 12, b"something else", None)):
        with pytest.raises((TypeError, ValueError)):
            xp.from_dlpack(Wrong(result))
    with pytest.raises(TypeError, match="has no __dlpack__"):
        xp.from_dlpack(3)


def test_arguments_of_dlpack():
    x = xp.arange(3.0)
    assert x.__dlpack_device__() == (1, 0)
    copied = xp.from_dlpack(x, copy=True)
    copied[0] = 9
    assert x[0].item() == 0
    shared = xp.from_dlpack(x)
    shared[0] = 7
    assert x[0].item() == 7
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(RuntimeError):
        x.__dlpack__(stream=1)
    for wrong in (3, (1,), "1.0"):
        with pytest.raises(TypeError):
            x.__dlpack__(max_version=wrong)
    for _ in range(1000):  # capsules that nobody takes give their memory back
        x.__dlpack__()
    del shared
    gc.collect()
    late = xp.ones(1 << 20) + 1
    assert float(np.from_dlpack(late).max()) == 2


# ---- NumPy's dispatch ------------------------------------------------------------------------------------


def test_functions_of_numpy_on_brio_arrays_are_brios():
    x = xp.asarray([[3.0, 1.0], [2.0, 4.0]])
    for call in (
        lambda: np.sin(x),
        lambda: np.add(np.ones(2), x),
        lambda: np.ones(2) + x,
        lambda: np.float64(2) * x,
        lambda: np.sum(x, axis=0),
        lambda: np.add.reduce(x),
        lambda: np.multiply.outer(x, x),
        lambda: np.sort(x),
        lambda: np.concatenate([x, np.ones((1, 2))]),
        lambda: np.linalg.inv(x),
        lambda: np.cov(x),
    ):
        assert isinstance(call(), xp.ndarray)
    target = np.zeros((2, 2))
    assert np.add(x, 1, out=target) is target and target[0, 0] == 4
    mine = xp.zeros((2, 2))
    assert np.add(x, 1, out=mine) is mine and mine[0, 0].item() == 4
    assert np.mean(x).item() == 2.5 and np.result_type(np.float32, x.dtype) == np.float64


def test_unknown_types_decide_for_themselves():
    class Stranger:
        def __radd__(self, other):
            return "mine"

        __array_ufunc__ = None

    class Plain:
        def __radd__(self, other):
            return "plain"

        def __rmatmul__(self, other):
            return "product"

    class Dispatching:
        def __array_ufunc__(self, *args, **kwargs):
            return "dispatched"

    x = xp.ones(2)
    assert x + Stranger() == "mine" and x + Plain() == "plain" and x @ Plain() == "product"
    assert np.add(x, Dispatching()) == "dispatched"
    with pytest.raises(TypeError, match="unsupported operand type"):
        x + object()
    assert (x == object()) is False and x.__array_priority__ == 100


def test_copies_and_pickles():
    for dtype in DTYPES:
        for theirs in samples(dtype):
            x = xp.asarray(theirs)
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                again = pickle.loads(pickle.dumps(x, protocol))
                assert again.dtype == x.dtype and again.shape == x.shape and again.flags.writeable
                assert again.tolist() == x.tolist()
            for other in (copy.copy(x), copy.deepcopy(x), x.copy()):
                assert other.tolist() == x.tolist() and not xp.may_share_memory(x, other)
    buffers = []
    data = pickle.dumps(xp.arange(1000), 5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(data) < 1000
    assert pickle.loads(data, buffers=buffers).tolist() == list(range(1000))
    for f in (xp.sin, xp.sum, xp.zeros, xp.median):
        assert pickle.loads(pickle.dumps(f)) is f


def test_flags_have_numpys_names():
    x = xp.zeros((3, 4))
    theirs = np.zeros((3, 4))
    for name in (
        "C_CONTIGUOUS",
        "F_CONTIGUOUS",
        "OWNDATA",
        "WRITEABLE",
        "ALIGNED",
        "WRITEBACKIFCOPY",
        "FNC",
        "FORC",
    ):
        for mine, other in ((x, theirs), (x.T, theirs.T), (x[:, 1:], theirs[:, 1:])):
            assert mine.flags[name] == other.flags[name]
    assert str(x.flags) == str(theirs.flags)
    with pytest.raises(KeyError):
        x.flags["NO"]


def test_threads_may_use_the_same_arrays():
    x = xp.asarray(np.random.default_rng(0).standard_normal(300_000))
    shared = x * 2 + 1
    expected = float((np.asarray(x) * 2 + 1).max())
    wrong = []

    def work():
        for i in range(40):
            y = (x * 2 + 1 if i % 2 else shared) + 0
            if float(y.max()) != expected:
                wrong.append(i)
            y[i] = 3.0
            del y

    workers = [threading.Thread(target=work) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not wrong
