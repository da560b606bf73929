"""Between Brio's arrays and other libraries' objects: taking them in, NumPy's two dispatch protocols,
and NumPy on the host for what Brio does not do."""

from brio import _core

ndarray = _core.ndarray


# ---- In and out ----------------------------------------------------------------------------------


def take_in(thing):
    """An array of an object that is no buffer and no sequence; None when it offers no protocol."""
    if hasattr(type(thing), "__dlpack__"):
        try:
            return _core.from_dlpack(thing)
        except (BufferError, TypeError, ValueError, RuntimeError):
            if not (hasattr(thing, "__array__") or hasattr(thing, "__array_interface__")):
                raise
    if hasattr(thing, "__array__") or hasattr(thing, "__array_interface__"):
        import numpy

        found = numpy.asarray(thing)
        return _core.asarray(found)
    return None


def native(thing):
    """A NumPy array whose bytes are in this machine's order; the object itself when it is one already."""
    import numpy

    array = numpy.asarray(thing)
    if array.dtype.isnative:
        return thing
    return array.astype(array.dtype.newbyteorder("="))


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array with the elements of any array; the same object when it is one already."""
    import numpy

    if isinstance(a, ndarray):
        found = numpy.array(memoryview(a), order=order, copy=True)
    else:
        found = numpy.asarray(a)
    if out is None:
        return found
    out[...] = found
    return out


def _array(self, dtype=None, *, copy=None):
    import numpy

    if copy:
        return numpy.array(memoryview(self), dtype=dtype, copy=True)
    shown = numpy.asarray(memoryview(self))
    if dtype is None or numpy.dtype(dtype) == shown.dtype:
        return shown
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return shown.astype(dtype)


def same_value(array, dtype):
    """astype with casting="same_value": ValueError when any value changes."""
    cast = array.astype(dtype)
    back = cast.astype(array.dtype)
    if not bool(((back == array) | ((back != back) & (array != array))).all()):
        raise ValueError("could not cast 'same_value': a value would change")
    return cast


# ---- To NumPy and back ---------------------------------------------------------------------------


def to_numpy(thing):
    """The thing with every Brio array in it shown as a NumPy array."""
    if isinstance(thing, ndarray):
        import numpy

        return numpy.asarray(memoryview(thing))
    if isinstance(thing, (list, tuple)) and any(
        isinstance(t, (ndarray, list, tuple, _core.ufunc)) for t in thing
    ):
        parts = [to_numpy(t) for t in thing]
        if isinstance(thing, list):
            return parts
        return type(thing)(*parts) if hasattr(thing, "_fields") else tuple(parts)
    if isinstance(thing, dict):
        return {key: to_numpy(value) for key, value in thing.items()}
    if isinstance(thing, _core.ufunc):
        import numpy

        return getattr(numpy, thing.__name__, thing)
    return thing


def from_numpy(thing):
    """The thing with every NumPy array or scalar of numbers in it as a Brio array."""
    import numpy

    if isinstance(thing, (numpy.ndarray, numpy.generic)):
        if (
            thing.dtype.kind in "biufc"
            and thing.dtype.itemsize <= 16
            and thing.dtype.name in _core.DTYPE_NAMES
        ):
            return _core.asarray(thing)
        return thing
    if isinstance(thing, (list, tuple)) and any(isinstance(t, (numpy.ndarray, numpy.generic)) for t in thing):
        parts = [from_numpy(t) for t in thing]
        if isinstance(thing, list):
            return parts
        return type(thing)(*parts) if hasattr(thing, "_fields") else tuple(parts)
    return thing


def call_numpy(function, args, kwargs):
    """function(*args, **kwargs) of NumPy on the host, arrays going in and coming out as Brio's."""
    return from_numpy(function(*to_numpy(args), **to_numpy(kwargs)))


def ufunc_method(name, method):
    """The method of NumPy's ufunc of that name, on the host. `at` works in place on a Brio array."""
    import numpy

    found = getattr(getattr(numpy, name), method)

    def call(*args, **kwargs):
        out = kwargs.get("out")
        result = call_numpy(found, args, kwargs)
        return result if out is None else out

    return call


# ---- NumPy's protocols ---------------------------------------------------------------------------


def _known(thing):
    """Whether an operand is of a type that Brio mixes with."""
    if isinstance(thing, (ndarray, bool, int, float, complex, list, tuple, type(None))):
        return True
    import numpy

    if isinstance(thing, (numpy.ndarray, numpy.generic)):
        return (
            type(thing).__array_ufunc__ is numpy.ndarray.__array_ufunc__
            if isinstance(thing, numpy.ndarray)
            else True
        )
    return not hasattr(type(thing), "__array_ufunc__")


def _out_to_brio(kwargs):
    """Takes NumPy arrays out of out=: (arrays for Brio, where to copy results)."""
    out = kwargs.get("out")
    if out is None:
        return None
    targets = out if isinstance(out, tuple) else (out,)
    if all(isinstance(t, (ndarray, type(None))) for t in targets):
        kwargs["out"] = targets if len(targets) > 1 else targets[0]
        return None
    del kwargs["out"]
    return targets


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """numpy.add(x, y) and the like with a Brio array among the operands."""
    operands = inputs + tuple(kwargs.get("out") or ())
    if not all(_known(x) for x in operands):
        return NotImplemented
    own = _core.ufuncs.get(ufunc.__name__)
    if own is None:
        return call_numpy(getattr(ufunc, method), inputs, kwargs)
    targets = _out_to_brio(kwargs)
    result = (own if method == "__call__" else getattr(own, method))(*inputs, **kwargs)
    if targets is None:
        return result
    import numpy

    casting = kwargs.get("casting", "same_kind")
    results = result if isinstance(result, tuple) else (result,)
    for target, value in zip(targets, results):
        if isinstance(target, ndarray):
            _core.copyto(target, value, casting=casting)
        elif target is not None:
            numpy.copyto(target, to_numpy(value), casting=casting)
    return targets[0] if len(targets) == 1 else targets


def array_function(self, func, types, args, kwargs):
    """numpy.sum(x) and the like: Brio's function of that name, else NumPy's on the host."""
    import numpy

    import brio

    for t in types:
        if not issubclass(t, (ndarray, numpy.ndarray)):
            return NotImplemented
    own = brio.own(func.__name__) if func.__module__ in ("numpy", None) else None
    if own is not None and not isinstance(own, type):
        return own(*args, **kwargs)
    if not brio.config.fallback():
        raise TypeError(f"brio has no {func.__module__}.{func.__name__}, and BRIO_FALLBACK=0 forbids NumPy's")
    implementation = getattr(func, "_implementation", None)
    if implementation is None:
        return NotImplemented
    return call_numpy(implementation, args, kwargs)


def array_namespace(self, /, *, api_version=None):
    """The module brio."""
    import brio

    if api_version not in (None, *brio._API_VERSIONS):
        raise ValueError(f"array API version {api_version!r} is not one of {', '.join(brio._API_VERSIONS)}")
    return brio


# ---- Pickles -------------------------------------------------------------------------------------


def rebuild(data, dtype, shape, order):
    """An array from the bytes of a pickle."""
    flat = _core.asarray(memoryview(data).cast("B")).view(dtype) if len(memoryview(data)) else None
    if flat is None:
        return _core.empty(shape, dtype)
    if order == "F":
        return flat.reshape(shape[::-1]).transpose()
    return flat.reshape(shape)


def reduce_ex(self, protocol):
    import pickle

    c_order, f_order, _ = self._flag_bits
    order = "F" if f_order and not c_order else "C"
    name = str(self.dtype)
    if protocol >= 5 and (c_order or f_order):
        flat = (self.transpose() if order == "F" else self).reshape(-1)
        return rebuild, (
            pickle.PickleBuffer(flat.view("uint8") if flat.size else flat),
            name,
            self.shape,
            order,
        )
    return rebuild, (self.tobytes(order), name, self.shape, order)


class flags:
    """Memory layout of an array: c_contiguous, f_contiguous, writeable and the like; also by NumPy's keys."""

    __slots__ = ("_array",)
    _KEYS = {
        "C_CONTIGUOUS": "c_contiguous",
        "F_CONTIGUOUS": "f_contiguous",
        "OWNDATA": "owndata",
        "WRITEABLE": "writeable",
        "ALIGNED": "aligned",
        "WRITEBACKIFCOPY": "writebackifcopy",
        "C": "c_contiguous",
        "F": "f_contiguous",
        "O": "owndata",
        "W": "writeable",
        "A": "aligned",
        "FNC": "fnc",
        "FORC": "forc",
    }

    def __init__(self, array):
        self._array = array

    c_contiguous = property(lambda self: self._array._flag_bits[0])
    f_contiguous = property(lambda self: self._array._flag_bits[1])
    contiguous = c_contiguous
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)
    owndata = property(lambda self: self._array.base is None)
    aligned = property(lambda self: True)
    writebackifcopy = property(lambda self: False)

    @property
    def writeable(self):
        return self._array._flag_bits[2]

    @writeable.setter
    def writeable(self, value):
        self._array._flag_bits = value

    def __getitem__(self, key):
        if key not in self._KEYS:
            raise KeyError("Unknown flag")
        return getattr(self, self._KEYS[key])

    def __setitem__(self, key, value):
        if key not in ("WRITEABLE", "W"):
            raise KeyError("Unknown flag")
        self.writeable = value

    def __repr__(self):
        names = list(self._KEYS)[:6]
        return "\n".join(f"  {name} : {self[name]}" for name in names) + "\n"


class flatiter:
    """The elements of an array in C order: iterated, indexed and assigned in one dimension."""

    __slots__ = ("_array", "_next")

    def __init__(self, array):
        self._array, self._next = array, 0

    base = property(lambda self: self._array)
    index = property(lambda self: self._next)

    def __len__(self):
        return self._array.size

    def __iter__(self):
        self._next = 0
        return self

    def __next__(self):
        if self._next >= self._array.size:
            raise StopIteration
        self._next += 1
        return self._array.ravel()[self._next - 1]

    def copy(self):
        return self._array.flatten()

    def __array__(self, dtype=None, *, copy=None):
        return _array(self._array.flatten(), dtype)

    def __getitem__(self, key):
        found = self._array.ravel()[key]
        return found.copy() if isinstance(found, ndarray) else found

    def __setitem__(self, key, value):
        flat = self._array.ravel()
        flat[key] = value
        if flat.base is None:
            self._array[...] = flat.reshape(self._array.shape)


def _set_flat(self, value):
    source = _core.asarray(value).ravel()
    n = self.size
    if n and source.size:
        repeats = -(-n // source.size)
        filled = _core.concatenate([source] * repeats)[:n] if repeats > 1 else source[:n]
        self[...] = filled.reshape(self.shape)


def _signature(function):
    from brio import _signatures

    return _signatures.of(function)


def install():
    """Gives the types of the extension what is written in Python."""
    _core.function.__signature__ = property(_signature)
    ndarray.__array__ = _array
    ndarray.__array_ufunc__ = array_ufunc
    ndarray.__array_function__ = array_function
    ndarray.__array_namespace__ = array_namespace
    ndarray.__reduce_ex__ = reduce_ex
    ndarray.flags = property(flags)
    ndarray.flat = property(flatiter, _set_flat)
    ndarray.data = property(memoryview)
    ndarray.get = asnumpy
    ndarray.set = lambda self, value, stream=None: self.__setitem__(..., value)
