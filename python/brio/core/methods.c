/* Methods that convert: to another dtype, to Python objects, to bytes. */
#include "core.h"

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

static PyObject *method_astype(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "astype", 1, 5, 6, {"dtype", "order", "casting", "subok", "copy", "device"}, {NULL}};
    PyObject *values[6];
    brio_dtype dtype;
    brio_casting casting = BRIO_CAST_UNSAFE;
    brio_device device;
    char order;
    if (core_parse(&signature, args, nargs, kwnames, values) < 0 || core_dtype(values[0], &dtype) < 0 ||
        core_order(values[1], 'K', &order) < 0 || core_device(values[5], &device) < 0)
        return NULL;
    if (values[2] && PyUnicode_Check(values[2]) &&
        PyUnicode_CompareWithASCIIString(values[2], "same_value") == 0) {
        PyObject *module = PyImport_ImportModule("brio._interop");
        PyObject *result = module ? PyObject_CallMethod(module, "same_value", "OO", self, values[0]) : NULL;
        Py_XDECREF(module);
        return result;
    }
    int copy = core_flag(values[4], 1);
    if (core_casting(values[2], &casting) < 0 || copy < 0)
        return NULL;
    brio_array_layout layout = core_layout(core_array(self));
    int ordered = order == 'K' || (order == 'C' && layout.c_contiguous) ||
                  (order == 'F' && layout.f_contiguous) ||
                  (order == 'A' && (layout.c_contiguous || layout.f_contiguous));
    if (!copy && dtype == layout.dtype && ordered)
        return Py_NewRef(self);
    return core_cast(self, dtype, casting, order);
}

static PyObject *method_to_device(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"to_device", 1, 1, 2, {"device", "stream"}, {NULL}};
    PyObject *values[2];
    brio_device device;
    if (core_parse(&signature, args, nargs, kwnames, values) < 0 || core_device(values[0], &device) < 0)
        return NULL;
    return Py_NewRef(self);
}

static PyObject *method_fill(PyObject *self, PyObject *value)
{
    static const brio_index everything = {BRIO_INDEX_ELLIPSIS, 0, 0, 0, 0, 0, NULL};
    core_operand from;
    brio_array *array = core_array(self);
    if (core_operand_get(value, &from) < 0 || core_operand_fits(&from, array) < 0)
        return NULL;
    PyThreadState *state = core_work_begin(core_layout(array).count);
    brio_status status = brio_array_assign(array, &everything, 1, &from.operand);
    core_work_end(state);
    core_operand_clear(&from);
    if (status != BRIO_OK)
        return core_error(status);
    Py_RETURN_NONE;
}

/* ---- To Python objects ----------------------------------------------------------------------------- */

static const char *readable(PyObject *self, brio_array_layout *layout)
{
    brio_array *array = core_array(self);
    *layout = core_layout(array);
    void *data = NULL;
    PyThreadState *state = core_work_begin(layout->pending ? layout->count : 0);
    brio_status status = brio_array_data(array, BRIO_READ, &data);
    core_work_end(state);
    if (status != BRIO_OK) {
        core_error(status);
        return NULL;
    }
    static const char nothing[16];
    *layout = core_layout(array);
    return data ? data : nothing;
}

static PyObject *list_of(const brio_array_layout *layout, const char *at, int axis)
{
    if (axis == layout->ndim)
        return core_python(layout->dtype, at);
    PyObject *list = PyList_New((Py_ssize_t)layout->shape[axis]);
    for (int64_t i = 0; list && i < layout->shape[axis]; i++) {
        PyObject *item = list_of(layout, at + i * layout->strides[axis], axis + 1);
        if (!item)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

PyObject *core_tolist(PyObject *self, PyObject *unused)
{
    brio_array_layout layout;
    const char *data = readable(self, &layout);
    return data ? list_of(&layout, data, 0) : NULL;
}

static PyObject *flat_item(PyObject *self, PyObject *number)
{
    brio_array_layout layout;
    const char *at = readable(self, &layout);
    if (!at)
        return NULL;
    Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred())
        return NULL;
    if (index < -layout.count || index >= layout.count) {
        PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", index,
                     (Py_ssize_t)layout.count);
        return NULL;
    }
    int64_t rest = index < 0 ? index + layout.count : index;
    for (int i = layout.ndim - 1; i >= 0; i--) {
        at += rest % layout.shape[i] * layout.strides[i];
        rest /= layout.shape[i];
    }
    return core_python(layout.dtype, at);
}

static PyObject *method_item(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    brio_array *array = core_array(self);
    brio_array_layout layout = core_layout(array);
    if (nargs == 0) {
        if (layout.count != 1) {
            PyErr_SetString(PyExc_ValueError, "can only convert an array of size 1 to a Python scalar");
            return NULL;
        }
        brio_value value;
        brio_status status = brio_array_item(array, &value);
        return status == BRIO_OK ? core_python(layout.dtype, &value) : core_error(status);
    }
    if (nargs == 1 && !PyTuple_Check(args[0]))
        return flat_item(self, args[0]);
    PyObject *key = nargs == 1 ? Py_NewRef(args[0]) : PyTuple_New(nargs);
    for (Py_ssize_t i = 0; key && nargs > 1 && i < nargs; i++)
        PyTuple_SET_ITEM(key, i, Py_NewRef(args[i]));
    if (!key)
        return NULL;
    PyObject *element = NULL;
    if (PyTuple_GET_SIZE(key) != layout.ndim)
        PyErr_SetString(PyExc_ValueError, "incorrect number of indices for array");
    else
        element = core_subscript(self, key);
    Py_DECREF(key);
    PyObject *result = element ? core_tolist(element, NULL) : NULL;
    Py_XDECREF(element);
    return result;
}

static PyObject *method_tobytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"tobytes", 0, 1, 1, {"order"}, {NULL}};
    PyObject *values[1];
    char order;
    if (core_parse(&signature, args, nargs, kwnames, values) < 0 || core_order(values[0], 'C', &order) < 0)
        return NULL;
    brio_array_layout layout = core_layout(core_array(self));
    if (order == 'A' || order == 'K')
        order = layout.f_contiguous && !layout.c_contiguous ? 'F' : 'C';
    int ordered = order == 'C' ? layout.c_contiguous : layout.f_contiguous;
    PyObject *packed = ordered ? Py_NewRef(self) : core_cast(self, layout.dtype, BRIO_CAST_UNSAFE, order);
    const char *data = packed ? readable(packed, &layout) : NULL;
    PyObject *bytes = NULL;
    if (data)
        bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)layout.count *
                                                    (Py_ssize_t)brio_dtype_size(layout.dtype));
    Py_XDECREF(packed);
    return bytes;
}

static PyObject *method_complex(PyObject *self, PyObject *unused)
{
    if (core_layout(core_array(self)).ndim != 0) {
        PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
        return NULL;
    }
    PyObject *element = core_tolist(self, NULL);
    PyObject *number = element ? PyObject_CallOneArg((PyObject *)&PyComplex_Type, element) : NULL;
    Py_XDECREF(element);
    return number;
}

static PyObject *method_eval(PyObject *self, PyObject *unused)
{
    brio_array *array = core_array(self);
    PyThreadState *state = core_work_begin(core_layout(array).count);
    brio_status status = brio_array_eval(array, NULL);
    core_work_end(state);
    return status == BRIO_OK ? Py_NewRef(self) : core_error(status);
}

PyMethodDef core_convert_methods[] = {
    {"astype", FAST(method_astype), "A copy in another dtype."},
    {"to_device", FAST(method_to_device), "The array on another device."},
    {"fill", method_fill, METH_O, "Sets every element to one value."},
    {"tolist", core_tolist, METH_NOARGS, "The elements as nested lists of Python numbers."},
    {"item", (PyCFunction)(void (*)(void))method_item, METH_FASTCALL, "One element as a Python number."},
    {"tobytes", FAST(method_tobytes), "The elements as bytes."},
    {"__complex__", method_complex, METH_NOARGS, NULL},
    {"_eval", method_eval, METH_NOARGS, "Evaluates a pending array; returns the array."},
    {NULL, NULL, 0, NULL},
};
