/* Arguments of calls: positions and keywords, axes, shapes, orders, casting rules, devices. */
#include "core.h"

static int intern_keys(core_signature *signature)
{
    for (int i = 0; i < signature->total; i++) {
        if (!signature->keys[i] && !(signature->keys[i] = PyUnicode_InternFromString(signature->names[i])))
            return -1;
    }
    return 0;
}

static int find_key(const core_signature *signature, PyObject *key)
{
    for (int i = 0; i < signature->total; i++) {
        if (signature->keys[i] == key)
            return i;
    }
    for (int i = 0; i < signature->total; i++) {
        if (PyUnicode_Compare(signature->keys[i], key) == 0)
            return i;
    }
    return -1;
}

static int take_keywords(core_signature *signature, PyObject *const *kwvalues, PyObject *kwnames,
                         PyObject **values)
{
    if (intern_keys(signature) < 0)
        return -1;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *key = PyTuple_GET_ITEM(kwnames, k);
        int i = find_key(signature, key);
        if (i < 0) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", signature->function,
                         key);
            return -1;
        }
        if (values[i]) {
            PyErr_Format(PyExc_TypeError, "argument for %s() given by name ('%U') and position (%d)",
                         signature->function, key, i + 1);
            return -1;
        }
        values[i] = kwvalues[k];
    }
    return 0;
}

int core_parse(core_signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
               PyObject **values)
{
    if (nargs > signature->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)",
                     signature->function, signature->positional, nargs);
        return -1;
    }
    for (int i = 0; i < signature->total; i++)
        values[i] = i < nargs ? args[i] : NULL;
    if (kwnames && take_keywords(signature, args + nargs, kwnames, values) < 0)
        return -1;
    for (int i = 0; i < signature->required; i++) {
        if (!values[i]) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", signature->function,
                         signature->names[i], i + 1);
            return -1;
        }
    }
    return 0;
}

/* An index of an axis as an int that fits; bool is no axis. */
static int axis_number(PyObject *object, long long *out)
{
    if (PyBool_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "an integer is required for the axis");
        return -1;
    }
    PyObject *index = PyNumber_Index(object);
    if (!index)
        return -1;
    int overflow;
    *out = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow || *out > INT32_MAX || *out < INT32_MIN)
        *out = INT32_MAX;
    return 0;
}

int core_axis(PyObject *object, int ndim, int *out)
{
    long long axis;
    if (axis_number(object, &axis) < 0)
        return -1;
    if (axis < -ndim || axis >= ndim) {
        core_raise_axis((int)axis, ndim);
        return -1;
    }
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return 0;
}

int core_axes(PyObject *object, int *naxes, int *axes)
{
    long long axis;
    *naxes = -1;
    if (!object || object == Py_None)
        return 0;
    if (!PyTuple_Check(object) && !PyList_Check(object)) {
        if (axis_number(object, &axis) < 0)
            return -1;
        *naxes = 1, axes[0] = (int)axis;
        return 0;
    }
    PyObject *items = PySequence_Tuple(object);
    if (!items)
        return -1;
    Py_ssize_t n = PyTuple_GET_SIZE(items);
    int failed = 0;
    if (n > BRIO_MAX_DIMS) {
        PyErr_SetString(PyExc_ValueError, "too many axes");
        failed = 1;
    }
    for (Py_ssize_t i = 0; !failed && i < n; i++) {
        failed = axis_number(PyTuple_GET_ITEM(items, i), &axis) < 0;
        axes[i] = failed ? 0 : (int)axis;
    }
    Py_DECREF(items);
    *naxes = (int)n;
    return failed ? -1 : 0;
}

static int shape_extent(PyObject *object, int64_t *out)
{
    PyObject *index = PyNumber_Index(object);
    if (!index)
        return -1;
    int overflow;
    long long extent = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow) {
        PyErr_SetString(PyExc_ValueError, overflow > 0 ? "Maximum allowed dimension exceeded"
                                                       : "negative dimensions are not allowed");
        return -1;
    }
    *out = extent;
    return 0;
}

int core_shape(PyObject *object, int *ndim, int64_t *shape)
{
    if (PyLong_CheckExact(object) || (PyIndex_Check(object) && !PySequence_Check(object)) ||
        core_is_array(object)) {
        *ndim = 1;
        return shape_extent(object, shape);
    }
    if (!PySequence_Check(object)) {
        PyErr_Format(PyExc_TypeError, "expected a sequence of integers or a single integer, got '%R'",
                     object);
        return -1;
    }
    PyObject *items = PySequence_Tuple(object);
    if (!items)
        return -1;
    Py_ssize_t n = PyTuple_GET_SIZE(items);
    int failed = 0;
    if (n > BRIO_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %zd", BRIO_MAX_DIMS,
                     n);
        failed = 1;
    }
    for (Py_ssize_t i = 0; !failed && i < n; i++)
        failed = shape_extent(PyTuple_GET_ITEM(items, i), &shape[i]) < 0;
    Py_DECREF(items);
    *ndim = (int)n;
    return failed ? -1 : 0;
}

int core_order(PyObject *object, char otherwise, char *out)
{
    *out = otherwise;
    if (!object || object == Py_None)
        return 0;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "order must be str, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text)
        return -1;
    char letter = length == 1 ? (char)Py_TOUPPER(text[0]) : 0;
    if (letter != 'C' && letter != 'F' && letter != 'A' && letter != 'K') {
        PyErr_Format(PyExc_ValueError, "order must be one of 'C', 'F', 'A', or 'K' (got '%U')", object);
        return -1;
    }
    *out = letter;
    return 0;
}

int core_casting(PyObject *object, brio_casting *out)
{
    static const char *const names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    if (!object)
        return 0;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "casting must be str, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    for (int i = 0; i < 5; i++) {
        if (PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
            *out = (brio_casting)i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError,
                 "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '%U')", object);
    return -1;
}

int core_device(PyObject *object, brio_device *out)
{
    out->kind = BRIO_DEVICE_AUTO, out->index = 0;
    if (!object || object == Py_None)
        return 0;
    PyObject *text = PyObject_Str(object);
    if (!text)
        return -1;
    const char *utf8 = PyUnicode_AsUTF8(text);
    const char *reason = NULL;
    brio_status status = utf8 ? brio_device_parse(utf8, out) : BRIO_OK;
    if (utf8 && status != BRIO_OK) {
        core_error(status);
    } else if (utf8 && out->kind != BRIO_DEVICE_AUTO && !brio_device_available(*out, &reason)) {
        PyErr_Format(PyExc_ValueError, "device '%s' cannot be used: %s", utf8,
                     reason ? reason : "it is not there");
    }
    Py_DECREF(text);
    return PyErr_Occurred() ? -1 : 0;
}

int core_flag(PyObject *object, int otherwise)
{
    return object && object != Py_None ? PyObject_IsTrue(object) : otherwise;
}

PyObject *core_tuple(int n, const int64_t *values)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *item = PyLong_FromLongLong(values[i]);
        if (!item) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}
