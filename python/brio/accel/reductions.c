/* Reductions: ufunc.reduce (which sum, mean, max, any ... all end in) and reductions of nodes. */
#include "interpose.h"

#include <string.h>

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static fastcall original_reduce;
static PyObject *no_value;

/* ---- Arguments --------------------------------------------------------------------------------------- */

static int is_absent(PyObject *value)
{
    return !value || value == Py_None || value == no_value;
}

/* Fills axes; -1 when they are of no form that is known here, or out of bounds (NumPy then complains). */
static int read_axes(PyObject *axis, int ndim, int *axes)
{
    if (axis == Py_None) {
        for (int i = 0; i < ndim; i++)
            axes[i] = i;
        return ndim;
    }
    PyObject *const *items = &axis;
    Py_ssize_t n = 1;
    if (PyTuple_CheckExact(axis)) {
        items = &PyTuple_GET_ITEM(axis, 0);
        n = PyTuple_GET_SIZE(axis);
    }
    unsigned seen = 0;
    if (n < 1 || n > ndim)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!PyLong_CheckExact(items[i]))
            return -1;
        int overflow;
        long at = PyLong_AsLongAndOverflow(items[i], &overflow);
        if (overflow || at < -ndim || at >= ndim)
            return -1;
        at += at < 0 ? ndim : 0;
        if (seen & (1u << at))
            return -1;
        seen |= 1u << at;
        axes[i] = (int)at;
    }
    return (int)n;
}

static int read_dtype(PyObject *dtype, const accel_op *op, int own, brio_reduce_options *options)
{
    if (is_absent(dtype))
        return 0;
    for (int code = 0; code < BRIO_DTYPE_COUNT; code++) {
        if (!accel_descr[code])
            continue;
        if (dtype != (PyObject *)accel_descr[code] && dtype != (PyObject *)accel_descr[code]->typeobj)
            continue;
        int logical = code == BRIO_BOOL && strncmp(op->name, "logical_", 8) == 0;
        int widens = code == BRIO_F64 && brio_dtype_can_cast((brio_dtype)own, BRIO_F64, BRIO_CAST_SAFE);
        if (code != own && !logical && !widens)
            return -1;
        options->has_dtype = 1;
        options->dtype = (brio_dtype)code;
        return 0;
    }
    return -1;
}

static int reduces_exactly(const accel_op *op, int dtype)
{
    return brio_dtype_kind((brio_dtype)dtype) != 'f' ||
           (strcmp(op->name, "add") != 0 && strcmp(op->name, "multiply") != 0);
}

static int choose_order(const accel_op *op, int dtype, brio_reduce_order *order)
{
    *order = BRIO_ORDER_ANY;
    if (!reduces_exactly(op, dtype) && (accel_config.exact || !accel_called_by_user()))
        *order = BRIO_ORDER_NUMPY;
    return 0;
}

/* ---- Running --------------------------------------------------------------------------------------------
 */

typedef struct job {
    accel_op *op;
    brio_array *input;
    brio_reduce_options *options;
    brio_array *out;
} job;

static brio_status run(job *at, npy_intp bytes)
{
    if (bytes < accel_config.threads_bytes)
        return brio_array_reduce(at->op->op, at->input, at->options, &at->out);
    PyThreadState *state = PyEval_SaveThread();
    brio_status status = brio_array_reduce(at->op->op, at->input, at->options, &at->out);
    PyEval_RestoreThread(state);
    return status;
}

/* An ndarray (or a scalar, for no dimensions) with the elements of a small settled array. */
PyObject *accel_to_numpy(brio_array *array)
{
    brio_array_layout layout = {.size = sizeof layout};
    void *data = NULL;
    if (brio_array_info(array, &layout) != BRIO_OK || layout.ndim > ACCEL_MAX_DIMS ||
        !accel_descr[layout.dtype] || brio_array_data(array, BRIO_READ, &data) != BRIO_OK)
        return NULL;
    PyArray_Descr *descr = accel_descr[layout.dtype];
    if (layout.ndim == 0)
        return PyArray_Scalar(data, descr, NULL);
    npy_intp shape[ACCEL_MAX_DIMS];
    for (int i = 0; i < layout.ndim; i++)
        shape[i] = (npy_intp)layout.shape[i];
    if (brio_array_info(array, &layout) != BRIO_OK || !layout.c_contiguous)
        return NULL;
    Py_INCREF(descr);
    PyObject *result = PyArray_NewFromDescr(accel_array_type, descr, layout.ndim, shape, NULL, NULL, 0, NULL);
    if (result)
        memcpy(PyArray_DATA((PyArrayObject *)result), data, (size_t)PyArray_NBYTES((PyArrayObject *)result));
    return result;
}

/* Whether the layout is C order, so that the result is too. */
static int is_c_order(const accel_operand *operand)
{
    npy_intp inner = 0;
    for (int i = operand->ndim - 1; i >= 0; i--) {
        if (operand->shape[i] == 1)
            continue;
        if (operand->strides[i] < inner)
            return 0;
        inner = operand->strides[i];
    }
    return 1;
}

/* NumPy walks axes of negative stride backwards, which shows in the order of a sum. */
static int goes_backwards(const accel_operand *operand)
{
    for (int i = 0; i < operand->ndim; i++)
        if (operand->strides[i] < 0 && operand->shape[i] > 1)
            return 1;
    return 0;
}

/* Whether an extreme is a zero: which of its signs wins is the algorithm's own. */
static int has_zero_extreme(const accel_op *op, const brio_array *array)
{
    static const char *const extremes[] = {"maximum", "minimum", "fmax", "fmin"};
    brio_array_layout layout = {.size = sizeof layout};
    void *data = NULL;
    int is_extreme = 0;
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        is_extreme |= strcmp(op->name, extremes[i]) == 0;
    if (!is_extreme || brio_array_info(array, &layout) != BRIO_OK || brio_dtype_kind(layout.dtype) != 'f' ||
        brio_array_data((brio_array *)array, BRIO_READ, &data) != BRIO_OK)
        return 0;
    int64_t count = 1;
    for (int i = 0; i < layout.ndim; i++)
        count *= layout.shape[i];
    for (int64_t i = 0; i < count; i++)
        if (layout.dtype == BRIO_F64 ? ((const double *)data)[i] == 0 : ((const float *)data)[i] == 0)
            return 1;
    return 0;
}

PyObject *accel_reduce(accel_op *op, PyObject *array, const accel_reduction *parts)
{
    accel_operand operand;
    int axes[ACCEL_MAX_DIMS];
    brio_reduce_options options = BRIO_REDUCE_OPTIONS_INIT;
    uint32_t flags = 0;
    if (!accel_operand_read(array, &operand) || operand.is_scalar || !is_absent(parts->out) ||
        !is_absent(parts->initial) || !(is_absent(parts->where) || parts->where == Py_True) ||
        !(is_absent(parts->keepdims) || PyBool_Check(parts->keepdims)))
        return NULL;
    int naxes = read_axes(parts->axis ? parts->axis : Py_None, operand.ndim, axes);
    if (naxes < 1 || read_dtype(parts->dtype, op, operand.kind, &options) < 0)
        return NULL;
    if (operand.ndim - naxes > 1 && !is_c_order(&operand))
        return NULL;
    options.all_axes = naxes == operand.ndim;
    options.naxes = naxes;
    options.axes = axes;
    options.keepdims = parts->keepdims == Py_True;
    options.fp_flags = &flags;
    choose_order(op, options.has_dtype ? (int)options.dtype : operand.kind, &options.order);
    if (options.order == BRIO_ORDER_NUMPY && goes_backwards(&operand))
        return NULL;
    double begin = accel_now();
    accel_holder holder;
    holder.nleaves = 0;
    job work = {.op = op, .options = &options};
    work.input = operand.is_node ? accel_build((accel_node *)operand.object, &holder)
                                 : brio_array_ref(accel_holder_leaf(&holder, operand.object));
    npy_intp bytes = PyDataType_ELSIZE(accel_descr[operand.kind]);
    for (int i = 0; i < operand.ndim; i++)
        bytes *= operand.shape[i];
    PyObject *result = NULL;
    if (work.input && run(&work, bytes) == BRIO_OK) {
        int silent = op->silent && !operand.is_node;
        if ((silent || !accel_relevant(flags)) && !(accel_config.exact && has_zero_extreme(op, work.out)))
            result = accel_to_numpy(work.out);
    }
    brio_array_unref(work.out);
    brio_array_unref(work.input);
    accel_holder_clear(&holder);
    if (result) {
        accel_count.reductions++;
        accel_count.operations += operand.is_node ? (uint64_t)((accel_node *)operand.object)->steps + 1 : 1;
        accel_count.fused += operand.is_node ? (uint64_t)((accel_node *)operand.object)->steps + 1 : 0;
        accel_count.seconds += accel_now() - begin;
    }
    return result;
}

/* ---- Reductions of nodes ----------------------------------------------------------------------------------
 */

typedef struct reduction_name {
    const char *name, *op;
    int is_mean, has_dtype; /* the second positional argument is dtype */
} reduction_name;

static const reduction_name names[] = {
    {"sum", "add", 0, 1},      {"mean", "add", 1, 1},       {"prod", "multiply", 0, 1},
    {"max", "maximum", 0, 0},  {"min", "minimum", 0, 0},    {"amax", "maximum", 0, 0},
    {"amin", "minimum", 0, 0}, {"any", "logical_or", 0, 0}, {"all", "logical_and", 0, 0}};

static const reduction_name *find_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

/* axis (positional or by keyword) and keepdims; anything else makes the call one that is not known. */
static int read_call(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, accel_reduction *parts)
{
    if (nargs > 1)
        return 0;
    if (nargs == 1)
        parts->axis = args[0];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        PyObject *word = PyTuple_GET_ITEM(kwnames, i);
        if (PyUnicode_CompareWithASCIIString(word, "axis") == 0)
            parts->axis = args[nargs + i];
        else if (PyUnicode_CompareWithASCIIString(word, "keepdims") == 0)
            parts->keepdims = args[nargs + i];
        else
            return 0;
    }
    return 1;
}

static npy_intp reduced_count(const accel_node *node, PyObject *axis)
{
    int axes[ACCEL_MAX_DIMS];
    int n = read_axes(axis ? axis : Py_None, node->ndim, axes);
    npy_intp count = 1;
    for (int i = 0; i < n; i++)
        count *= node->shape[axes[i]];
    return count;
}

static PyObject *try_node(const reduction_name *name, accel_node *node, accel_reduction *parts)
{
    accel_op *op = accel_op_by_name(name->op);
    if (!op || node->settled)
        return NULL;
    npy_intp bytes = node->count * PyDataType_ELSIZE(accel_descr[node->dtype]);
    if (!accel_region_is_worth(node->steps + 1, node->heavy, bytes))
        return NULL;
    char kind = brio_dtype_kind((brio_dtype)node->dtype);
    if (name->is_mean && kind != 'f')
        parts->dtype = (PyObject *)accel_descr[BRIO_F64];
    if (strncmp(name->op, "logical_", 8) == 0)
        parts->dtype = (PyObject *)accel_descr[BRIO_BOOL];
    PyObject *result = accel_reduce(op, (PyObject *)node, parts);
    if (!result || !name->is_mean)
        return result;
    PyObject *count = PyLong_FromSsize_t(reduced_count(node, parts->axis));
    PyObject *mean = count ? PyNumber_TrueDivide(result, count) : NULL;
    Py_XDECREF(count);
    Py_DECREF(result);
    return mean;
}

/* --verify of a reduction that went over a node: `result` (stolen) beside the method of NumPy's own value. */
static PyObject *verify_node(const reduction_name *known, const char *method_name, accel_node *node,
                             PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, PyObject *result)
{
    int sums = strcmp(known->op, "add") == 0 || strcmp(known->op, "multiply") == 0;
    int attached = accel_attached;
    PyObject *value = accel_replay(node);
    accel_attached = 0;
    PyObject *method = value ? PyObject_GetAttrString(value, method_name) : NULL;
    PyObject *theirs = method ? PyObject_Vectorcall(method, args, (size_t)nargs, kwnames) : NULL;
    accel_attached = attached;
    if (theirs)
        accel_verify_compare(result, theirs, accel_all_exact(node) && (accel_config.exact || !sums), value);
    Py_XDECREF(method);
    Py_XDECREF(value);
    Py_DECREF(result);
    return theirs;
}

/* The method or function of the value, when the reduction could not join the pass. */
static PyObject *of_value(const char *name, accel_node *node, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames)
{
    PyObject *value = accel_node_value(node);
    PyObject *method = value ? PyObject_GetAttrString(value, name) : NULL;
    PyObject *result = method ? PyObject_Vectorcall(method, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(method);
    Py_XDECREF(value);
    return result;
}

PyObject *accel_fuse_reduction(const char *name, accel_node *node, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames)
{
    const reduction_name *known = find_name(name);
    accel_reduction parts = {0};
    if (!known || !read_call(args, nargs, kwnames, &parts))
        return NULL;
    PyObject *result = try_node(known, node, &parts);
    if (!result)
        return NULL;
    accel_node_drop(node);
    const char *method = strcmp(name, "amax") == 0 ? "max" : strcmp(name, "amin") == 0 ? "min" : name;
    return accel_verify_wanted() ? verify_node(known, method, node, args, nargs, kwnames, result) : result;
}

PyObject *accel_reduce_node(const char *name, accel_node *node, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames)
{
    PyObject *result = accel_fuse_reduction(name, node, args, nargs, kwnames);
    return result || PyErr_Occurred() ? result : of_value(name, node, args, nargs, kwnames);
}

/* ---- ufunc.reduce
 * -------------------------------------------------------------------------------------------- */

static const char *const words[] = {"array", "axis", "dtype", "out", "keepdims", "initial", "where"};
enum { WORDS = 7 };

static int read_reduce(PyObject *const *args, Py_ssize_t n, PyObject *kwnames, PyObject **values)
{
    if (n > WORDS)
        return 0;
    for (Py_ssize_t i = 0; i < n; i++)
        values[i] = args[i];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        int at = 0;
        while (at < WORDS && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), words[at]) != 0)
            at++;
        if (at == WORDS || values[at])
            return 0;
        values[at] = args[n + i];
    }
    return 1;
}

/* Those that stop at the first decisive element are left alone. */
static int is_worth(const accel_op *op, PyObject *array)
{
    if (strncmp(op->name, "logical_", 8) == 0)
        return 0;
    int sums = strcmp(op->name, "add") == 0 || strcmp(op->name, "multiply") == 0;
    return PyArray_NBYTES((PyArrayObject *)array) >=
           (sums ? accel_config.reduce_bytes : accel_config.select_bytes);
}

/* --verify: `result` (stolen) beside the original's, which is returned. */
static PyObject *verify_reduce(const accel_op *op, PyObject *self, PyObject *const *args, Py_ssize_t n,
                               PyObject *kwnames, PyObject *result)
{
    int sums = strcmp(op->name, "add") == 0 || strcmp(op->name, "multiply") == 0;
    PyObject *theirs = original_reduce(self, args, n, kwnames);
    if (theirs)
        accel_verify_compare(result, theirs, accel_config.exact || !sums, args[0]);
    Py_DECREF(result);
    return theirs;
}

static PyObject *large_reduce(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    PyObject *values[WORDS] = {NULL};
    accel_op *op = accel_op_by_ufunc(self);
    if (!op || !accel_is_array(args[0]) || !is_worth(op, args[0]) || !read_reduce(args, n, kwnames, values))
        return NULL;
    int off = accel_reason_off();
    if (off >= 0) {
        accel_count.declined[off]++;
        return NULL;
    }
    PyObject *first_axis = PyLong_FromLong(0);
    accel_reduction parts = {
        values[1] ? values[1] : first_axis, values[2], values[3], values[4], values[5], values[6]};
    PyObject *result = accel_reduce(op, args[0], &parts);
    Py_XDECREF(first_axis);
    if (!result) {
        accel_declined(ACCEL_unsupported_argument);
        return NULL;
    }
    return accel_verify_wanted() ? verify_reduce(op, self, args, n, kwnames, result) : result;
}

static __attribute__((noinline)) PyObject *slow_reduce(PyObject *self, PyObject *const *args, Py_ssize_t n,
                                                       PyObject *kwnames)
{
    PyObject *result = accel_is_large(args[0]) ? large_reduce(self, args, n, kwnames) : NULL;
    if (result || PyErr_Occurred())
        return result;
    if (accel_pending && accel_is_large(args[0]) && accel_settle_pending() < 0)
        return NULL;
    return original_reduce(self, args, n, kwnames);
}

static PyObject *call_reduce(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (__builtin_expect(n > 0 && accel_may_be_large(args[0]), 0))
        return slow_reduce(self, args, n, kwnames);
    return original_reduce(self, args, n, kwnames);
}

int accel_reductions_attach(PyObject *numpy)
{
    no_value = PyObject_GetAttrString(numpy, "_NoValue");
    if (!no_value)
        return -1;
    return accel_method_set((PyObject *)&PyUFunc_Type, "reduce", METH_FASTCALL | METH_KEYWORDS,
                            (void **)&original_reduce, (void *)call_reduce);
}
