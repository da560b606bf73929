/* Sorting and searching methods of ndarray. */
#include "interpose.h"

#include <string.h>

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static fastcall original_sort, original_argmax, original_argmin;

int accel_is_sortable(PyObject *self)
{
    PyArrayObject *array = (PyArrayObject *)self;
    int ndim = PyArray_NDIM(array);
    return accel_reason_off() < 0 && ndim >= 1 && ndim <= ACCEL_MAX_DIMS &&
           accel_array_dtype(array) > BRIO_BOOL && PyArray_IS_C_CONTIGUOUS(array) &&
           PyArray_DIM(array, ndim - 1) >= 2 && PyArray_SIZE(array) >= accel_config.sort_count;
}

/* ---- Arguments ---------------------------------------------------------------------------------------- */

static int is_default_axis(PyObject *value, int ndim)
{
    if (!PyLong_CheckExact(value))
        return 0;
    long axis = PyLong_AsLong(value);
    if (axis == -1 && PyErr_Occurred())
        PyErr_Clear();
    return axis == -1 || axis == ndim - 1;
}

static int read_kind(PyObject *value, int *stable)
{
    static const char *const kinds[] = {"quicksort", "heapsort", "mergesort", "stable"};
    for (int i = 0; PyUnicode_Check(value) && i < 4; i++)
        if (PyUnicode_CompareWithASCIIString(value, kinds[i]) == 0) {
            *stable = i >= 2;
            return 1;
        }
    return 0;
}

/* method(axis=-1, kind=None, order=None, *, stable=None) */
int accel_read_sort(PyObject *const *args, Py_ssize_t n, PyObject *kwnames, int ndim, int *stable)
{
    static const char *const words[] = {"axis", "kind", "order", "stable"};
    PyObject *values[4] = {NULL};
    *stable = 0;
    if (n > 3)
        return 0;
    for (Py_ssize_t i = 0; i < n; i++)
        values[i] = args[i];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        int at = 0;
        while (at < 4 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), words[at]) != 0)
            at++;
        if (at == 4 || values[at])
            return 0;
        values[at] = args[n + i];
    }
    if ((values[0] && !is_default_axis(values[0], ndim)) || (values[2] && values[2] != Py_None))
        return 0;
    int has_kind = values[1] && values[1] != Py_None, has_stable = values[3] && values[3] != Py_None;
    if (has_stable)
        *stable = values[3] == Py_True;
    return !(has_kind && has_stable) && (!has_kind || read_kind(values[1], stable)) &&
           (!has_stable || PyBool_Check(values[3]));
}

/* ---- sort --------------------------------------------------------------------------------------------- */

enum { HAS_ZERO = 1, HAS_MINUS_ZERO = 2, HAS_NAN = 4 };

static unsigned specials_f64(const uint64_t *bits, npy_intp n)
{
    const uint64_t sign = UINT64_C(1) << 63, infinity = UINT64_C(0x7ff) << 52;
    uint64_t zero = 0, minus = 0, nan = 0;
    for (npy_intp i = 0; i < n; i++) {
        zero |= bits[i] == 0;
        minus |= bits[i] == sign;
        nan |= (bits[i] & ~sign) > infinity;
    }
    return (zero ? HAS_ZERO : 0) | (minus ? HAS_MINUS_ZERO : 0) | (nan ? HAS_NAN : 0);
}

static unsigned specials_f32(const uint32_t *bits, npy_intp n)
{
    const uint32_t sign = UINT32_C(1) << 31, infinity = UINT32_C(0xff) << 23;
    uint32_t zero = 0, minus = 0, nan = 0;
    for (npy_intp i = 0; i < n; i++) {
        zero |= bits[i] == 0;
        minus |= bits[i] == sign;
        nan |= (bits[i] & ~sign) > infinity;
    }
    return (zero ? HAS_ZERO : 0) | (minus ? HAS_MINUS_ZERO : 0) | (nan ? HAS_NAN : 0);
}

/* Whether the sorted values have but one order of bits. -0.0 equals 0.0, and all NaNs are equal: where both
 * zeros or NaNs occur their order is the algorithm's own. */
static int has_one_order(PyArrayObject *array)
{
    unsigned specials = 0;
    if (PyArray_TYPE(array) == NPY_DOUBLE)
        specials = specials_f64(PyArray_DATA(array), PyArray_SIZE(array));
    else if (PyArray_TYPE(array) == NPY_FLOAT)
        specials = specials_f32(PyArray_DATA(array), PyArray_SIZE(array));
    else
        return !PyArray_ISFLOAT(array);
    return !(specials & HAS_NAN) && (specials & (HAS_ZERO | HAS_MINUS_ZERO)) != (HAS_ZERO | HAS_MINUS_ZERO);
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

/* --verify: Brio sorts a copy, the original the array. */
static PyObject *verify_sort(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    PyObject *copy = PyArray_NewCopy((PyArrayObject *)self, NPY_CORDER);
    int done = copy && sort_now((PyArrayObject *)copy);
    PyErr_Clear();
    PyObject *result = original_sort(self, args, n, kwnames);
    if (done && result)
        accel_verify_compare(copy, self, 1, NULL);
    Py_XDECREF(copy);
    return result;
}

/* NumPy's own sort of so many times fewer floats than a sort of integers is worth is as fast. */
enum { FLOAT_FACTOR = 8 };

static int reason_against_sort(PyArrayObject *array, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    int stable;
    if (!accel_is_writeable(array) || !accel_read_sort(args, n, kwnames, PyArray_NDIM(array), &stable))
        return ACCEL_unsupported_argument;
    if (PyArray_ISFLOAT(array) && accel_config.sort_count > 1 &&
        PyArray_SIZE(array) < FLOAT_FACTOR * accel_config.sort_count)
        return ACCEL_predicted_slower;
    return accel_config.exact && !has_one_order(array) ? ACCEL_class_not_allowed : -1;
}

static PyObject *call_sort(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (__builtin_expect(accel_is_large(self), 0) && accel_is_array(self) && accel_is_sortable(self)) {
        int reason = reason_against_sort((PyArrayObject *)self, args, n, kwnames);
        if (reason < 0 && accel_verify_wanted())
            return verify_sort(self, args, n, kwnames);
        if (reason < 0 && sort_now((PyArrayObject *)self))
            Py_RETURN_NONE;
        if (accel_declined(reason < 0 ? ACCEL_low_memory : (accel_reason)reason) < 0)
            return NULL;
    }
    return original_sort(self, args, n, kwnames);
}

/* ---- argmax, argmin ----------------------------------------------------------------------------------- */

static PyObject *large_arg(brio_statistic which, PyObject *self, PyObject *const *args, Py_ssize_t n,
                           PyObject *kwnames)
{
    PyArrayObject *array = (PyArrayObject *)self;
    int dtype = accel_array_dtype(array);
    if (kwnames || n > 1 || dtype <= BRIO_BOOL || (n == 1 && args[0] != Py_None) ||
        !PyArray_IS_C_CONTIGUOUS(array) || PyArray_NDIM(array) > ACCEL_MAX_DIMS ||
        PyArray_NBYTES(array) < accel_config.select_bytes || accel_reason_off() >= 0)
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

/* --verify: `ours` (stolen) beside the original's, which is returned. */
static PyObject *verified(fastcall original, PyObject *self, PyObject *const *args, Py_ssize_t n,
                          PyObject *ours)
{
    if (!accel_verify_wanted())
        return ours;
    PyObject *theirs = original(self, args, n, NULL);
    if (theirs)
        accel_verify_compare(ours, theirs, 1, NULL);
    Py_DECREF(ours);
    return theirs;
}

static PyObject *call_argmax(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (__builtin_expect(accel_is_large(self), 0) && accel_is_array(self)) {
        PyObject *result = large_arg(BRIO_ARGMAX, self, args, n, kwnames);
        if (result || PyErr_Occurred())
            return result ? verified(original_argmax, self, args, n, result) : NULL;
    }
    return original_argmax(self, args, n, kwnames);
}

static PyObject *call_argmin(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (__builtin_expect(accel_is_large(self), 0) && accel_is_array(self)) {
        PyObject *result = large_arg(BRIO_ARGMIN, self, args, n, kwnames);
        if (result || PyErr_Occurred())
            return result ? verified(original_argmin, self, args, n, result) : NULL;
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
