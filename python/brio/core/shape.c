/* Methods that change how an array's elements are arranged, mostly without moving them. */
#include "core.h"

static PyObject *reshaped(PyObject *self, int ndim, const int64_t *shape, char order)
{
    brio_array *array = core_array(self), *result;
    PyThreadState *state = core_work_begin(core_layout(array).c_contiguous ? 0 : core_layout(array).count);
    brio_status status = brio_array_reshape(array, ndim, shape, order, &result);
    core_work_end(state);
    if (status != BRIO_OK)
        return core_error(status);
    return brio_array_may_overlap(array, result) ? core_wrap_view(result, self) : core_wrap(result);
}

static PyObject *transposed(PyObject *self, const int *axes)
{
    brio_array *result;
    brio_status status = brio_array_transpose(core_array(self), axes, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

static PyObject *copied(PyObject *self, char order)
{
    return core_cast(self, core_layout(core_array(self)).dtype, BRIO_CAST_UNSAFE, order);
}

/* ---- reshape ----------------------------------------------------------------------------------- */

/* Positions are either one shape or its extents; a str at the end is the order. */
static PyObject *method_reshape(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"reshape", 0, 0, 3, {"shape", "order", "copy"}, {NULL}};
    PyObject *values[3];
    if (core_parse(&signature, args + nargs, 0, kwnames, values) < 0)
        return NULL;
    if (nargs > 1 && PyUnicode_Check(args[nargs - 1]) && !values[1])
        values[1] = args[--nargs];
    int ndim = 0;
    int64_t shape[BRIO_MAX_DIMS];
    char order;
    if (core_order(values[1], 'C', &order) < 0)
        return NULL;
    if (nargs == 0 && !values[0]) {
        PyErr_SetString(PyExc_TypeError, "reshape() takes a shape");
        return NULL;
    }
    if (nargs <= 1) {
        if (core_shape(nargs ? args[0] : values[0], &ndim, shape) < 0)
            return NULL;
    } else {
        PyObject *extents = PyTuple_New(nargs);
        for (Py_ssize_t i = 0; extents && i < nargs; i++)
            PyTuple_SET_ITEM(extents, i, Py_NewRef(args[i]));
        int failed = !extents || core_shape(extents, &ndim, shape) < 0;
        Py_XDECREF(extents);
        if (failed)
            return NULL;
    }
    brio_array_layout layout = core_layout(core_array(self));
    if (order == 'K') {
        PyErr_SetString(PyExc_ValueError, "order 'K' is not permitted for reshaping");
        return NULL;
    }
    if (order == 'A')
        order = layout.f_contiguous && !layout.c_contiguous ? 'F' : 'C';
    int copy = core_flag(values[2], -1);
    if (values[2] && copy < 0 && PyErr_Occurred())
        return NULL;
    PyObject *result = reshaped(self, ndim, shape, order);
    if (!result || copy < 0)
        return result;
    int shares = ((array_object *)result)->base != NULL;
    if (copy == 0 && !shares && layout.count) {
        Py_DECREF(result);
        PyErr_SetString(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
        return NULL;
    }
    if (copy == 1 && shares) {
        PyObject *fresh = copied(result, order == 'F' ? 'F' : 'C');
        Py_SETREF(result, fresh);
    }
    return result;
}

/* ---- ravel, flatten ------------------------------------------------------------------------------ */

/* The axes from the largest stride to the smallest. */
static void axes_by_stride(const brio_array_layout *layout, int *axes)
{
    for (int i = 0; i < layout->ndim; i++) {
        int at = i;
        int64_t stride = llabs(layout->strides[i]);
        while (at > 0 && llabs(layout->strides[axes[at - 1]]) < stride) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = i;
    }
}

static PyObject *flat(PyObject *self, char order)
{
    static const int64_t whole[1] = {-1};
    brio_array_layout layout = core_layout(core_array(self));
    int axes[BRIO_MAX_DIMS];
    int64_t count[1] = {layout.count};
    PyObject *turned = NULL;
    if (order == 'A')
        order = layout.f_contiguous && !layout.c_contiguous ? 'F' : 'C';
    if (order == 'F') {
        turned = transposed(self, NULL);
    } else if (order == 'K' && !layout.c_contiguous) {
        axes_by_stride(&layout, axes);
        turned = transposed(self, axes);
    } else {
        return reshaped(self, 1, layout.count ? whole : count, 'C');
    }
    if (!turned)
        return NULL;
    PyObject *result = reshaped(turned, 1, count, 'C');
    Py_DECREF(turned);
    return result;
}

static int one_order(const char *name, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                     char *order)
{
    static core_signature signature = {"", 0, 1, 1, {"order"}, {NULL}};
    PyObject *values[1];
    signature.function = name;
    return core_parse(&signature, args, nargs, kwnames, values) < 0 ? -1 : core_order(values[0], 'C', order);
}

static PyObject *method_ravel(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    char order;
    return one_order("ravel", args, nargs, kwnames, &order) < 0 ? NULL : flat(self, order);
}

static PyObject *method_flatten(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    char order;
    if (one_order("flatten", args, nargs, kwnames, &order) < 0)
        return NULL;
    PyObject *result = flat(self, order);
    if (result && ((array_object *)result)->base) {
        PyObject *fresh = copied(result, 'C');
        Py_SETREF(result, fresh);
    }
    return result;
}

/* ---- Axes ----------------------------------------------------------------------------------------- */

static PyObject *method_transpose(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"transpose", 0, 0, 1, {"axes"}, {NULL}};
    PyObject *values[1], *given = NULL;
    if (core_parse(&signature, args + nargs, 0, kwnames, values) < 0)
        return NULL;
    int ndim = core_layout(core_array(self)).ndim, axes[BRIO_MAX_DIMS];
    if (nargs <= 1) {
        PyObject *one = nargs ? args[0] : values[0];
        if (!one || one == Py_None)
            return transposed(self, NULL);
        given = PySequence_Check(one) ? PySequence_Tuple(one) : PyTuple_Pack(1, one);
    } else if ((given = PyTuple_New(nargs)) != NULL) {
        for (Py_ssize_t i = 0; i < nargs; i++)
            PyTuple_SET_ITEM(given, i, Py_NewRef(args[i]));
    }
    if (!given)
        return NULL;
    PyObject *result = NULL;
    if (PyTuple_GET_SIZE(given) != ndim) {
        PyErr_SetString(PyExc_ValueError, "axes don't match array");
    } else {
        int i = 0;
        while (i < ndim && core_axis(PyTuple_GET_ITEM(given, i), ndim, &axes[i]) == 0)
            i++;
        if (i == ndim)
            result = transposed(self, axes);
    }
    Py_DECREF(given);
    return result;
}

static PyObject *method_swapaxes(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"swapaxes", 2, 2, 2, {"axis1", "axis2"}, {NULL}};
    PyObject *values[2];
    int ndim = core_layout(core_array(self)).ndim, first, second, axes[BRIO_MAX_DIMS];
    if (core_parse(&signature, args, nargs, kwnames, values) < 0 || core_axis(values[0], ndim, &first) < 0 ||
        core_axis(values[1], ndim, &second) < 0)
        return NULL;
    for (int i = 0; i < ndim; i++)
        axes[i] = i;
    axes[first] = second, axes[second] = first;
    return transposed(self, axes);
}

static PyObject *method_squeeze(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"squeeze", 0, 1, 1, {"axis"}, {NULL}};
    PyObject *values[1];
    int naxes, axes[BRIO_MAX_DIMS];
    if (core_parse(&signature, args, nargs, kwnames, values) < 0 || core_axes(values[0], &naxes, axes) < 0)
        return NULL;
    brio_array_layout layout = core_layout(core_array(self));
    char gone[BRIO_MAX_DIMS] = {0};
    for (int i = 0; i < naxes; i++) {
        int axis = axes[i] < 0 ? axes[i] + layout.ndim : axes[i];
        if (axis < 0 || axis >= layout.ndim)
            return core_raise_axis(axes[i], layout.ndim);
        if (gone[axis] || layout.shape[axis] != 1) {
            PyErr_SetString(PyExc_ValueError, gone[axis]
                                                  ? "duplicate value in 'axis'"
                                                  : "cannot select an axis to squeeze out which has size "
                                                    "not equal to one");
            return NULL;
        }
        gone[axis] = 1;
    }
    int ndim = 0;
    int64_t shape[BRIO_MAX_DIMS];
    for (int i = 0; i < layout.ndim; i++) {
        if (naxes < 0 ? layout.shape[i] != 1 : !gone[i])
            shape[ndim++] = layout.shape[i];
    }
    return reshaped(self, ndim, shape, 'C');
}

static PyObject *method_diagonal(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"diagonal", 0, 3, 3, {"offset", "axis1", "axis2"}, {NULL}};
    PyObject *values[3];
    brio_array *array = core_array(self), *result;
    brio_array_layout layout = core_layout(array);
    if (core_parse(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    if (layout.ndim < 2) {
        PyErr_SetString(PyExc_ValueError, "diag requires an array of at least two dimensions");
        return NULL;
    }
    long offset = values[0] ? PyLong_AsLong(values[0]) : 0;
    int first = 0, second = 1;
    if ((offset == -1 && PyErr_Occurred()) || (values[1] && core_axis(values[1], layout.ndim, &first) < 0) ||
        (values[2] && core_axis(values[2], layout.ndim, &second) < 0))
        return NULL;
    if (first == second) {
        PyErr_SetString(PyExc_ValueError, "axis1 and axis2 cannot be the same");
        return NULL;
    }
    brio_status status = layout.pending ? brio_array_eval(array, NULL) : BRIO_OK;
    if (status != BRIO_OK)
        return core_error(status);
    layout = core_layout(array);
    int64_t rows = layout.shape[first] + (offset < 0 ? offset : 0);
    int64_t columns = layout.shape[second] - (offset > 0 ? offset : 0);
    int64_t length = rows < columns ? rows : columns;
    length = length > 0 ? length : 0;
    int64_t start = offset > 0 ? offset * layout.strides[second] : -offset * layout.strides[first];
    int ndim = 0;
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
    for (int i = 0; i < layout.ndim; i++) {
        if (i != first && i != second)
            shape[ndim] = layout.shape[i], strides[ndim] = layout.strides[i], ndim++;
    }
    shape[ndim] = length, strides[ndim] = layout.strides[first] + layout.strides[second], ndim++;
    status = brio_array_as_strided(array, length ? start : 0, ndim, shape, strides, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

/* ---- view, copy ------------------------------------------------------------------------------------ */

static PyObject *method_view(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"view", 0, 1, 2, {"dtype", "type"}, {NULL}};
    PyObject *values[2];
    brio_array *array = core_array(self), *result;
    brio_dtype dtype = core_layout(array).dtype;
    if (core_parse(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    if (values[0] && values[0] != Py_None && values[0] != (PyObject *)core.array_type &&
        core_dtype(values[0], &dtype) < 0)
        return NULL;
    brio_status status = brio_array_view(array, dtype, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

static PyObject *method_copy(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    char order;
    return one_order("copy", args, nargs, kwnames, &order) < 0 ? NULL : copied(self, order);
}

static PyObject *method_dunder_copy(PyObject *self, PyObject *unused)
{
    return copied(self, 'K');
}

static PyObject *method_broadcast(PyObject *self, PyObject *shape)
{
    int ndim;
    int64_t extents[BRIO_MAX_DIMS];
    brio_array *result;
    if (core_shape(shape, &ndim, extents) < 0)
        return NULL;
    for (int i = 0; i < ndim; i++) {
        if (extents[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "all elements of broadcast shape must be non-negative");
            return NULL;
        }
    }
    brio_status status = brio_array_broadcast(core_array(self), ndim, extents, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

static PyObject *method_as_strided(PyObject *self, PyObject *args)
{
    PyObject *shape_object, *stride_object;
    long long offset = 0;
    if (!PyArg_ParseTuple(args, "OO|L:_as_strided", &shape_object, &stride_object, &offset))
        return NULL;
    int ndim, nstrides;
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
    if (core_shape(shape_object, &ndim, shape) < 0 || core_shape(stride_object, &nstrides, strides) < 0)
        return NULL;
    if (ndim != nstrides) {
        PyErr_SetString(PyExc_ValueError, "shape and strides differ in length");
        return NULL;
    }
    brio_array *array = core_array(self), *result;
    brio_status status = brio_array_as_strided(array, offset, ndim, shape, strides, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

PyMethodDef core_shape_methods[] = {
    {"reshape", FAST(method_reshape), "The elements in another shape; a view where that can be."},
    {"ravel", FAST(method_ravel), "The elements in one dimension; a view where that can be."},
    {"flatten", FAST(method_flatten), "A copy of the elements in one dimension."},
    {"transpose", FAST(method_transpose), "A view with permuted axes."},
    {"swapaxes", FAST(method_swapaxes), "A view with two axes exchanged."},
    {"squeeze", FAST(method_squeeze), "A view without axes of length one."},
    {"diagonal", FAST(method_diagonal), "A view of the diagonals of two axes."},
    {"view", FAST(method_view), "The same bytes as another dtype."},
    {"copy", FAST(method_copy), "A copy."},
    {"__copy__", method_dunder_copy, METH_NOARGS, NULL},
    {"__deepcopy__", method_dunder_copy, METH_O, NULL},
    {"_broadcast_to", method_broadcast, METH_O, "A read-only view broadcast to a shape."},
    {"_as_strided", method_as_strided, METH_VARARGS, "A view with any shape and strides, unchecked."},
    {NULL, NULL, 0, NULL},
};
