"""What the array API asks about a namespace."""

from brio import _core, _dtypes


class _Info:
    """Capabilities, dtypes and devices of Brio, as the array API describes them."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        names = {
            "real floating": "float64",
            "complex floating": "complex128",
            "integral": "int64",
            "indexing": "int64",
        }
        return {use: _dtypes.DTYPES[_core.dtype_code(name)] for use, name in names.items()}

    def dtypes(self, *, device=None, kind=None):
        found = {str(d): d for d in _dtypes.DTYPES if d.kind != "c" and str(d) != "float16"}
        if kind is None:
            return found
        return {name: d for name, d in found.items() if _dtypes.isdtype(d, kind)}


def __array_namespace_info__():
    return _Info()
