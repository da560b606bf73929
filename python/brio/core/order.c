/* Methods that sort and select. */
#include "core.h"

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

enum { SORT_AXIS, SORT_KIND, SORT_ORDER, SORT_STABLE, SORT_DESCENDING, SORT_ARGUMENTS };

/* Checks kind= and order=, which do not change the answer: every sort here is stable. */
static int sort_arguments(core_signature *signature, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames, PyObject **values, int *descending)
{
    static const char *const kinds[] = {"quicksort", "mergesort", "heapsort", "stable"};
    if (core_parse(signature, args, nargs, kwnames, values) < 0)
        return -1;
    PyObject *kind = values[SORT_KIND];
    if (values[SORT_ORDER] && values[SORT_ORDER] != Py_None) {
        PyErr_SetString(PyExc_ValueError, "Cannot specify order when the array has no fields.");
        return -1;
    }
    int known = !kind || kind == Py_None;
    for (size_t i = 0; !known && PyUnicode_Check(kind) && i < sizeof kinds / sizeof *kinds; i++)
        known = PyUnicode_CompareWithASCIIString(kind, kinds[i]) == 0;
    if (!known) {
        PyErr_Format(PyExc_ValueError, "sort kind must be one of 'quick', 'heap', or 'stable' (got %R)",
                     kind);
        return -1;
    }
    *descending = core_flag(values[SORT_DESCENDING], 0);
    return *descending < 0 ? -1 : 0;
}

/* The axis to sort along. *self becomes a new reference: to another array where None ravels it, or
 * where no dimension counts as one (`widen`). */
static int sort_axis(PyObject **self, PyObject *object, int widen, int *axis)
{
    Py_INCREF(*self);
    if (object == Py_None) {
        PyObject *flat = PyObject_CallMethod(*self, "ravel", NULL);
        Py_SETREF(*self, flat);
        *axis = 0;
        return flat ? 0 : -1;
    }
    int ndim = core_layout(core_array(*self)).ndim;
    if (ndim == 0 && widen) {
        PyObject *flat = PyObject_CallMethod(*self, "reshape", "i", 1);
        Py_SETREF(*self, flat);
        if (!flat)
            return -1;
        ndim = 1;
    }
    *axis = ndim - 1;
    if (object)
        return core_axis(object, ndim, axis);
    if (ndim == 0)
        core_raise_axis(-1, 0);
    return ndim ? 0 : -1;
}

typedef brio_status (*sort_function)(brio_array *, int, int, brio_array **);

static PyObject *sorted_copy(sort_function sort, core_signature *signature, PyObject *self,
                             PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[SORT_ARGUMENTS], *from = self;
    int descending, axis;
    if (sort_arguments(signature, args, nargs, kwnames, values, &descending) < 0)
        return NULL;
    PyObject *result = NULL;
    if (sort_axis(&from, values[SORT_AXIS], sort == brio_array_argsort, &axis) == 0) {
        brio_array *array = core_array(from), *sorted;
        PyThreadState *state = core_work_begin(8 * core_layout(array).count);
        brio_status status = sort(array, axis, descending, &sorted);
        core_work_end(state);
        result = status == BRIO_OK ? core_wrap(sorted) : core_error(status);
    }
    Py_XDECREF(from);
    return result;
}

#define SORT_SIGNATURE(name)                                                                                 \
    {                                                                                                        \
        name, 0, 3, SORT_ARGUMENTS, {"axis", "kind", "order", "stable", "descending"},                       \
        {                                                                                                    \
            NULL                                                                                             \
        }                                                                                                    \
    }

static PyObject *method_argsort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = SORT_SIGNATURE("argsort");
    return sorted_copy(brio_array_argsort, &signature, self, args, nargs, kwnames);
}

static PyObject *method_sorted(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = SORT_SIGNATURE("sort");
    return sorted_copy(brio_array_sort, &signature, self, args, nargs, kwnames);
}

static PyObject *method_sort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = SORT_SIGNATURE("sort");
    PyObject *values[SORT_ARGUMENTS];
    int descending, axis;
    if (sort_arguments(&signature, args, nargs, kwnames, values, &descending) < 0)
        return NULL;
    if (values[SORT_AXIS] == Py_None) {
        PyErr_SetString(PyExc_TypeError, "'NoneType' object cannot be interpreted as an integer");
        return NULL;
    }
    PyObject *target = self;
    int failed = sort_axis(&target, values[SORT_AXIS], 0, &axis) < 0;
    Py_XDECREF(target);
    if (failed)
        return NULL;
    brio_array *array = core_array(self);
    PyThreadState *state = core_work_begin(8 * core_layout(array).count);
    brio_status status = brio_array_sort_inplace(array, axis, descending);
    core_work_end(state);
    if (status != BRIO_OK)
        return core_error(status);
    Py_RETURN_NONE;
}

static PyObject *method_nonzero(PyObject *self, PyObject *unused)
{
    brio_array *array = core_array(self), *found[BRIO_MAX_DIMS];
    brio_array_layout layout = core_layout(array);
    if (layout.ndim == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
                        "instead. If the context of this error is of the form `arr[nonzero(cond)]`, "
                        "just use `arr[cond]`.");
        return NULL;
    }
    PyThreadState *state = core_work_begin(layout.count);
    brio_status status = brio_array_nonzero(array, found);
    core_work_end(state);
    if (status != BRIO_OK)
        return core_error(status);
    PyObject *result = PyTuple_New(layout.ndim);
    for (int i = 0; i < layout.ndim; i++) {
        if (!result) {
            brio_array_unref(found[i]);
            continue;
        }
        PyObject *one = core_wrap(found[i]);
        if (!one)
            Py_CLEAR(result);
        else
            PyTuple_SET_ITEM(result, i, one);
    }
    return result;
}

/* Indices as a fresh int64 array, cast as NumPy does (same kind: no floats). */
static PyObject *index_array(PyObject *object)
{
    PyObject *array = core_borrow(object);
    if (!array)
        return NULL;
    brio_array_layout layout = core_layout(core_array(array));
    char kind = brio_dtype_kind(layout.dtype);
    if (kind == 'f' && layout.count == 0 && !core_is_array(object))
        kind = 'i';
    if (kind == 'f' || kind == 'c') {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule "
                     "'safe'",
                     brio_dtype_name(layout.dtype));
        Py_DECREF(array);
        return NULL;
    }
    if (layout.dtype != BRIO_I64) {
        PyObject *cast = core_cast(array, BRIO_I64, BRIO_CAST_UNSAFE, 'C');
        Py_SETREF(array, cast);
    }
    return array;
}

static PyObject *take(PyObject *self, PyObject *indices, PyObject *axis_object)
{
    PyObject *from = self, *at = NULL, *result = NULL;
    int axis = 0;
    int ndim = core_layout(core_array(self)).ndim;
    if (axis_object && axis_object != Py_None && core_axis(axis_object, ndim ? ndim : 1, &axis) < 0)
        return NULL;
    if (axis_object && axis_object != Py_None && ndim) {
        Py_INCREF(from);
    } else {
        from = PyObject_CallMethod(self, "ravel", NULL);
    }
    if (from && (at = index_array(indices)) != NULL) {
        brio_array *array = core_array(from), *taken;
        PyThreadState *state = core_work_begin(core_layout(array).count);
        brio_status status = brio_array_take(array, core_array(at), axis, &taken);
        core_work_end(state);
        result = status == BRIO_OK ? core_wrap(taken) : core_error(status);
    }
    Py_XDECREF(from);
    Py_XDECREF(at);
    return result;
}

static PyObject *method_take(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"take", 1, 4, 4, {"indices", "axis", "out", "mode"}, {NULL}};
    PyObject *values[4];
    if (core_parse(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    int plain = (!values[2] || values[2] == Py_None) &&
                (!values[3] ||
                 (PyUnicode_Check(values[3]) && PyUnicode_CompareWithASCIIString(values[3], "raise") == 0));
    if (plain)
        return take(self, values[0], values[1]);
    PyObject *module = PyImport_ImportModule("brio._manipulation");
    PyObject *result = NULL;
    if (module)
        result =
            PyObject_CallMethod(module, "_take", "OOOOO", self, values[0], values[1] ? values[1] : Py_None,
                                values[2] ? values[2] : Py_None, values[3] ? values[3] : Py_None);
    Py_XDECREF(module);
    return result;
}

/* The index of the element that each place of repeat(x, counts) shows. */
static PyObject *repeat_indices(const int64_t *counts, int64_t n)
{
    int64_t total[1] = {0};
    for (int64_t i = 0; i < n; i++) {
        if (counts[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "repeats may not contain negative values.");
            return NULL;
        }
        if (__builtin_add_overflow(total[0], counts[i], &total[0]))
            return PyErr_NoMemory();
    }
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    spec.dtype = BRIO_I64, spec.ndim = 1, spec.shape = total;
    brio_array *array;
    void *data = NULL;
    brio_status status = brio_array_empty(&spec, &array);
    if (status != BRIO_OK)
        return core_error(status);
    PyObject *result = core_wrap(array);
    if (!result || (status = brio_array_data(array, BRIO_WRITE, &data)) != BRIO_OK) {
        Py_XDECREF(result);
        return result ? core_error(status) : NULL;
    }
    int64_t *to = data;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < counts[i]; k++)
            *to++ = i;
    }
    return result;
}

static PyObject *method_repeat(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"repeat", 1, 2, 2, {"repeats", "axis"}, {NULL}};
    PyObject *values[2], *result = NULL;
    if (core_parse(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    PyObject *counts = index_array(values[0]);
    int along_axis = values[1] && values[1] != Py_None && core_layout(core_array(self)).ndim;
    PyObject *from = along_axis ? Py_NewRef(self) : PyObject_CallMethod(self, "ravel", NULL);
    int axis = 0;
    int64_t extent = 0;
    if (counts && from) {
        brio_array_layout layout = core_layout(core_array(from));
        if (!values[1] || values[1] == Py_None || core_axis(values[1], layout.ndim, &axis) == 0)
            extent = layout.shape[axis];
        PyObject *shape = Py_BuildValue("(L)", (long long)extent);
        PyObject *spread =
            shape && !PyErr_Occurred() ? PyObject_CallMethod(counts, "_broadcast_to", "O", shape) : NULL;
        PyObject *packed = spread ? core_cast(spread, BRIO_I64, BRIO_CAST_UNSAFE, 'C') : NULL;
        void *data = NULL;
        brio_status status = packed ? brio_array_data(core_array(packed), BRIO_READ, &data) : BRIO_OK;
        PyObject *at = packed && status == BRIO_OK ? repeat_indices(data, extent) : NULL;
        PyObject *along = at ? PyLong_FromLong(axis) : NULL;
        if (along)
            result = take(from, at, along);
        if (status != BRIO_OK)
            core_error(status);
        Py_XDECREF(along);
        Py_XDECREF(at);
        Py_XDECREF(packed);
        Py_XDECREF(spread);
        Py_XDECREF(shape);
    }
    Py_XDECREF(counts);
    Py_XDECREF(from);
    return result;
}

PyMethodDef core_order_methods[] = {
    {"sort", FAST(method_sort), "Sorts the array in place; NaN goes last."},
    {"argsort", FAST(method_argsort), "The stable order of the elements."},
    {"_sorted", FAST(method_sorted), "A sorted copy."},
    {"nonzero", method_nonzero, METH_NOARGS, "Where elements are not zero: one index array an axis."},
    {"take", FAST(method_take), "Elements at indices along an axis."},
    {"repeat", FAST(method_repeat), "Each element several times."},
    {NULL, NULL, 0, NULL},
};
