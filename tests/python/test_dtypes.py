"""Type resolution, promotion and casting rules of the C library against NumPy's, for every pair of dtypes."""

import ctypes
import itertools

import brio._core  # noqa: F401  loads the library
import numpy as np
import pytest

NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
ALL = [*NAMES, "complex64", "complex128"]


def library():
    """The libbrio.so that the package under test has loaded."""
    with open("/proc/self/maps") as maps:
        return ctypes.CDLL(next(line.split()[-1] for line in maps if "/libbrio.so" in line))


BRIO = library()
BRIO.brio_last_error.restype = ctypes.c_char_p


class Info(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("doc", ctypes.c_char_p)] + [
        (field, ctypes.c_int) for field in ("nin", "nout", "ulp", "reduces", "has_identity")
    ]


def describe(op):
    info = Info(ctypes.sizeof(Info))
    assert BRIO.brio_op_describe(op, ctypes.byref(info)) == 0
    return info


OPS = {describe(op).name.decode(): op for op in range(BRIO.brio_op_count())}


def resolve(op, names, nin, nout):
    """Brio's (loop dtypes, output dtypes), or its error's text."""
    given = (ctypes.c_int * 3)(*[ALL.index(name) for name in names])
    loop, out = (ctypes.c_int * 3)(), (ctypes.c_int * 2)()
    if BRIO.brio_op_resolve(op, given, loop, out):
        return BRIO.brio_last_error().decode()
    return [ALL[loop[i]] for i in range(nin)], [ALL[out[j]] for j in range(nout)]


def numpy_resolves(ufunc, names, nout):
    try:
        found = ufunc.resolve_dtypes((*[np.dtype(name) for name in names], *[None] * nout))
    except TypeError:
        with pytest.raises(TypeError) as error:
            ufunc(*[np.ones(1, name) for name in names])
        return str(error.value)
    return [str(d) for d in found[: len(names)]], [str(d) for d in found[len(names) :]]


@pytest.mark.parametrize("name", [name for name in OPS if name != "where"])
def test_resolution_is_numpys(name):
    info = describe(OPS[name])
    ufunc = np._core.umath.clip if name == "clip" else getattr(np, name)
    assert (ufunc.nin, ufunc.nout) == (info.nin, info.nout)
    for names in itertools.product(NAMES, repeat=info.nin):
        assert resolve(OPS[name], names, info.nin, info.nout) == numpy_resolves(ufunc, names, info.nout), names


def test_where_resolves_by_promotion():
    for a, b in itertools.product(NAMES, repeat=2):
        both = str(np.result_type(a, b))
        assert resolve(OPS["where"], ("float32", a, b), 3, 1) == (["bool", both, both], [both])


def test_complex_is_refused():
    for name, op in OPS.items():
        assert "complex64" in resolve(op, ("complex64",) * 3, 1, 1), name


def test_names_and_aliases():
    for name, op in OPS.items():
        assert BRIO.brio_op_find(name.encode()) == op
    for alias, name in [("true_divide", "divide"), ("mod", "remainder"), ("asin", "arcsin"), ("pow", "power")]:
        assert BRIO.brio_op_find(alias.encode()) == OPS[name]
    assert BRIO.brio_op_find(b"no such operation") == -1


def test_identities_are_numpys():
    for name, op in OPS.items():
        info = describe(op)
        if info.reduces:
            assert bool(info.has_identity) == (getattr(np, name).identity is not None), name


def test_promotion():
    for a, b in itertools.product(range(len(ALL)), repeat=2):
        assert ALL[BRIO.brio_dtype_promote(a, b)] == str(np.promote_types(ALL[a], ALL[b])), (ALL[a], ALL[b])


@pytest.mark.parametrize("rule,code", [("no", 0), ("equiv", 1), ("safe", 2), ("same_kind", 3), ("unsafe", 4)])
def test_casting_rules(rule, code):
    for a, b in itertools.product(range(len(ALL)), repeat=2):
        assert bool(BRIO.brio_dtype_can_cast(a, b, code)) == np.can_cast(ALL[a], ALL[b], rule), (ALL[a], ALL[b])
