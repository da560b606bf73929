/* argsort: where the order among equal elements is defined (stable), or where no two are equal. */
#include "interpose.h"

#include <string.h>

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static fastcall original_argsort;

/* ---- Ties --------------------------------------------------------------------------------------------- */

/* Bits that are the same for elements between which no order is defined: all NaNs, and both zeros. */
static uint64_t tie_key(const char *element, int dtype, npy_intp itemsize)
{
    uint64_t key = 0;
    memcpy(&key, element, (size_t)itemsize); /* little-endian or not: equal bits give equal keys */
    if (dtype == BRIO_F64) {
        double value;
        memcpy(&value, element, sizeof value);
        return value == 0 ? 0 : value != value ? UINT64_MAX : key;
    }
    if (dtype == BRIO_F32) {
        float value;
        memcpy(&value, element, sizeof value);
        return value == 0 ? 0 : value != value ? UINT64_MAX : key;
    }
    return key;
}

/* Whether some of the elements, taken evenly, are equal. */
static int sample_has_ties(PyArrayObject *array, int dtype)
{
    enum { SAMPLE = 1024, TABLE_BITS = 12, TABLE = 1 << TABLE_BITS };
    uint64_t table[TABLE];
    uint8_t used[TABLE] = {0};
    npy_intp n = PyArray_SIZE(array), itemsize = PyArray_ITEMSIZE(array);
    npy_intp step = n > SAMPLE ? n / SAMPLE : 1, count = n / step < SAMPLE ? n / step : SAMPLE;
    for (npy_intp i = 0; i < count; i++) {
        uint64_t key = tie_key(PyArray_BYTES(array) + i * step * itemsize, dtype, itemsize);
        size_t at = (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - TABLE_BITS);
        for (; used[at]; at = (at + 1) % TABLE)
            if (table[at] == key)
                return 1;
        used[at] = 1;
        table[at] = key;
    }
    return 0;
}

static int order_has_ties(PyArrayObject *array, PyArrayObject *order, int dtype)
{
    npy_intp n = PyArray_SIZE(array), itemsize = PyArray_ITEMSIZE(array);
    const char *elements = PyArray_BYTES(array);
    const npy_intp *at = PyArray_DATA(order);
    uint64_t before = tie_key(elements + at[0] * itemsize, dtype, itemsize);
    for (npy_intp i = 1; i < n; i++) {
        uint64_t key = tie_key(elements + at[i] * itemsize, dtype, itemsize);
        if (key == before)
            return 1;
        before = key;
    }
    return 0;
}

/* ---- The method -----------------------------------------------------------------------------------------
 */

static PyObject *order_of(PyArrayObject *array)
{
    brio_array *wrapped = accel_wrap(array, 0), *out = NULL;
    if (!wrapped)
        return NULL;
    double begin = accel_now();
    PyThreadState *state = PyEval_SaveThread();
    brio_status status = brio_array_argsort(wrapped, -1, 0, &out);
    PyEval_RestoreThread(state);
    PyObject *result = status == BRIO_OK ? accel_to_numpy(out) : NULL;
    brio_array_unref(out);
    brio_array_unref(wrapped);
    if (result) {
        accel_count.sorts++;
        accel_count.seconds += accel_now() - begin;
    }
    return result;
}

/* The order of Brio's, or NULL without an exception and the reason. */
static PyObject *large_argsort(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames,
                               accel_reason *reason)
{
    PyArrayObject *array = (PyArrayObject *)self;
    int stable, dtype = accel_array_dtype(array);
    *reason = ACCEL_unsupported_argument;
    if (!accel_read_sort(args, n, kwnames, PyArray_NDIM(array), &stable))
        return NULL;
    if (!stable) {
        *reason = PyArray_NDIM(array) == 1 ? ACCEL_ties : ACCEL_unsupported_argument;
        if (PyArray_NDIM(array) != 1 || accel_caller_is_closed() || sample_has_ties(array, dtype))
            return NULL;
    }
    PyObject *order = order_of(array);
    if (order && !stable && order_has_ties(array, (PyArrayObject *)order, dtype)) {
        Py_CLEAR(order);
        accel_caller_close();
    }
    return order;
}

static PyObject *call_argsort(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (!__builtin_expect(accel_is_large(self), 0) || !accel_is_array(self) || !accel_is_sortable(self))
        return original_argsort(self, args, n, kwnames);
    accel_reason reason;
    PyObject *ours = large_argsort(self, args, n, kwnames, &reason);
    if (ours && !accel_verify_wanted())
        return ours;
    if (PyErr_Occurred() || (!ours && accel_declined(reason) < 0))
        return NULL;
    PyObject *theirs = original_argsort(self, args, n, kwnames);
    if (ours && theirs)
        accel_verify_compare(ours, theirs, 1, NULL);
    Py_XDECREF(ours);
    return theirs;
}

int accel_argsort_attach(void)
{
    return accel_method_set((PyObject *)accel_array_type, "argsort", METH_FASTCALL | METH_KEYWORDS,
                            (void **)&original_argsort, (void *)call_argsort);
}
