/* Sorting and searching methods of ndarray. */
#include "interpose.h"

#include <string.h>

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static fastcall original_sort, original_argmax, original_argmin;

/* Whether the array is one that is sorted along contiguous rows, each long enough to gain. */
static int is_sortable(PyObject *self)
{
    PyArrayObject *array = (PyArrayObject *)self;
    int ndim = PyArray_NDIM(array);
    return accel_attached && !(accel_originals && accel_wants_original()) && accel_config.verify <= 0 &&
           ndim >= 1 && ndim <= ACCEL_MAX_DIMS && accel_array_dtype(array) > BRIO_BOOL &&
           PyArray_IS_C_CONTIGUOUS(array) && PyArray_DIM(array, ndim - 1) >= 2 &&
           PyArray_SIZE(array) >= accel_config.sort_count;
}

static int is_default_axis(PyObject *value, int ndim)
{
    if (!PyLong_CheckExact(value))
        return 0;
    long axis = PyLong_AsLong(value);
    if (axis == -1 && PyErr_Occurred())
        PyErr_Clear();
    return axis == -1 || axis == ndim - 1;
}

/* sort(axis=-1, kind=None, order=None, *, stable=None): every kind gives the same values. */
static int is_plain_sort(PyObject *const *args, Py_ssize_t n, PyObject *kwnames, int ndim)
{
    if (n > 1 || (n == 1 && !is_default_axis(args[0], ndim)))
        return 0;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        PyObject *word = PyTuple_GET_ITEM(kwnames, i), *value = args[n + i];
        int ok = value == Py_None;
        if (PyUnicode_CompareWithASCIIString(word, "axis") == 0)
            ok = is_default_axis(value, ndim);
        if (!ok)
            return 0;
    }
    return 1;
}

/* -0.0 equals 0.0: where both may occur their order is the algorithm's own, and exact results are not ours.
 */
static int may_hold_signed_zeros(PyArrayObject *array)
{
    return accel_config.exact && PyArray_ISFLOAT(array);
}

static int sort_now(PyArrayObject *array)
{
    brio_array *wrapped = accel_wrap(array, 1);
    if (!wrapped)
        return 0;
    double begin = accel_now();
    PyThreadState *state = PyEval_SaveThread();
    brio_status status = brio_array_sort_inplace(wrapped, -1, 0);
    PyEval_RestoreThread(state);
    brio_array_unref(wrapped);
    if (status != BRIO_OK)
        return 0;
    accel_count.sorts++;
    accel_count.seconds += accel_now() - begin;
    return 1;
}

static PyObject *call_sort(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (__builtin_expect(accel_is_large(self), 0) && accel_is_array(self) && is_sortable(self)) {
        PyArrayObject *array = (PyArrayObject *)self;
        if (accel_is_writeable(array) && is_plain_sort(args, n, kwnames, PyArray_NDIM(array)) &&
            !may_hold_signed_zeros(array) && sort_now(array))
            Py_RETURN_NONE;
        accel_count.declined[ACCEL_unsupported_argument]++;
    }
    return original_sort(self, args, n, kwnames);
}

/* ---- argmax, argmin ----------------------------------------------------------------------------------- */

static PyObject *large_arg(brio_statistic which, PyObject *self, PyObject *const *args, Py_ssize_t n,
                           PyObject *kwnames)
{
    PyArrayObject *array = (PyArrayObject *)self;
    int dtype = accel_array_dtype(array);
    if (!accel_attached || (accel_originals && accel_wants_original()) || kwnames || n > 1 ||
        dtype <= BRIO_BOOL || (n == 1 && args[0] != Py_None) || !PyArray_IS_C_CONTIGUOUS(array) ||
        accel_config.verify > 0 || PyArray_NDIM(array) > ACCEL_MAX_DIMS ||
        PyArray_NBYTES(array) < accel_config.select_bytes)
        return NULL;
    brio_array *wrapped = accel_wrap(array, 0), *out = NULL;
    if (!wrapped)
        return NULL;
    brio_reduce_options options = BRIO_REDUCE_OPTIONS_INIT;
    double begin = accel_now();
    PyThreadState *state = PyEval_SaveThread();
    brio_status status = brio_array_statistic(which, wrapped, &options, 0, &out);
    PyEval_RestoreThread(state);
    PyObject *result = status == BRIO_OK ? accel_to_numpy(out) : NULL;
    brio_array_unref(out);
    brio_array_unref(wrapped);
    if (result) {
        accel_count.reductions++;
        accel_count.seconds += accel_now() - begin;
    }
    return result;
}

static PyObject *call_argmax(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (__builtin_expect(accel_is_large(self), 0) && accel_is_array(self)) {
        PyObject *result = large_arg(BRIO_ARGMAX, self, args, n, kwnames);
        if (result || PyErr_Occurred())
            return result;
    }
    return original_argmax(self, args, n, kwnames);
}

static PyObject *call_argmin(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (__builtin_expect(accel_is_large(self), 0) && accel_is_array(self)) {
        PyObject *result = large_arg(BRIO_ARGMIN, self, args, n, kwnames);
        if (result || PyErr_Occurred())
            return result;
    }
    return original_argmin(self, args, n, kwnames);
}

int accel_sorts_attach(void)
{
    PyObject *type = (PyObject *)accel_array_type;
    int flags = METH_FASTCALL | METH_KEYWORDS;
    if (accel_method_set(type, "sort", flags, (void **)&original_sort, (void *)call_sort) < 0 ||
        accel_method_set(type, "argmax", flags, (void **)&original_argmax, (void *)call_argmax) < 0)
        return -1;
    return accel_method_set(type, "argmin", flags, (void **)&original_argmin, (void *)call_argmin);
}
