/* Reductions, statistics and scans: from their keywords to the options of the library. */
#include "core.h"

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

/* The arguments that reductions share, in their places among the values. */
typedef struct reduction {
    brio_reduce_options options;
    int axes[BRIO_MAX_DIMS];
    PyObject *where; /* owned */
    PyObject *out;   /* borrowed, or NULL */
} reduction;

static PyObject *none_is_absent(PyObject *object)
{
    return object == Py_None ? NULL : object;
}

/* One array object out of out= (a tuple of one is allowed). */
static int get_out(PyObject *object, PyObject **out)
{
    *out = NULL;
    if (object && PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1)
        object = PyTuple_GET_ITEM(object, 0);
    if (!object || object == Py_None)
        return 0;
    if (!core_is_array(object)) {
        PyErr_Format(PyExc_TypeError, "output must be a brio array, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = object;
    return 0;
}

static int get_where(PyObject *object, reduction *r)
{
    if (!object || object == Py_True || object == Py_None)
        return 0;
    r->where = core_borrow(object);
    if (!r->where)
        return -1;
    if (core_layout(core_array(r->where)).dtype != BRIO_BOOL) {
        PyErr_SetString(PyExc_TypeError,
                        "Cannot cast array data of where from its dtype to dtype('bool') according to the "
                        "rule 'safe'");
        return -1;
    }
    r->options.where = core_array(r->where);
    return 0;
}

/* Whether one axis of an array without dimensions may be named: some of NumPy's functions allow it. */
typedef enum scalar_axis { SCALAR_AXIS_WRONG, SCALAR_AXIS_ALLOWED } scalar_axis;

static int get_axes(PyObject *self, scalar_axis rule, PyObject *axis, reduction *r)
{
    int naxes;
    if (core_axes(axis, &naxes, r->axes) < 0)
        return -1;
    if (naxes > 0 && core_layout(core_array(self)).ndim == 0) {
        int one = naxes == 1 && !PyTuple_Check(axis) && (r->axes[0] == 0 || r->axes[0] == -1);
        if (rule == SCALAR_AXIS_WRONG || !one) {
            core_raise_axis(r->axes[0], 0);
            return -1;
        }
        naxes = -1;
    }
    r->options.all_axes = naxes < 0;
    r->options.naxes = naxes < 0 ? 0 : naxes;
    r->options.axes = r->axes;
    return 0;
}

static int prepare(reduction *r, PyObject *self, scalar_axis rule, PyObject *axis, PyObject *dtype,
                   PyObject *out, PyObject *keepdims, PyObject *where)
{
    static const brio_reduce_options defaults = BRIO_REDUCE_OPTIONS_INIT;
    r->options = defaults;
    r->where = r->out = NULL;
    if (get_axes(self, rule, axis, r) < 0)
        return -1;
    dtype = none_is_absent(dtype);
    if (dtype) {
        r->options.has_dtype = 1;
        if (core_dtype(dtype, &r->options.dtype) < 0)
            return -1;
    }
    r->options.keepdims = core_flag(keepdims, 0);
    if (r->options.keepdims < 0 || get_out(out, &r->out) < 0 || get_where(where, r) < 0)
        return -1;
    if (r->out)
        r->options.out = core_array(r->out);
    return 0;
}

/* The result of the library, or `out` itself. */
static PyObject *finish(reduction *r, brio_status status, brio_array *result)
{
    Py_CLEAR(r->where);
    if (status != BRIO_OK)
        return core_error(status);
    if (!r->out)
        return core_wrap(result);
    brio_array_unref(result);
    return Py_NewRef(r->out);
}

/* ---- Reductions of operations --------------------------------------------------------------------- */

/* The dtype in which NumPy accumulates. */
static brio_dtype accumulator(brio_op op, brio_dtype dtype, const brio_reduce_options *options)
{
    if (options->has_dtype)
        return options->dtype;
    char kind = brio_dtype_kind(dtype);
    if (op == core.ops[OP_logical_and] || op == core.ops[OP_logical_or])
        return BRIO_BOOL;
    if (options->out)
        return core_layout(options->out).dtype;
    if (op != core.ops[OP_add] && op != core.ops[OP_multiply])
        return dtype;
    return kind == 'b' || kind == 'i' ? BRIO_I64 : kind == 'u' ? BRIO_U64 : dtype;
}

/* An initial value may itself be an array of no dimensions. */
static int initial_value(PyObject *object, brio_dtype dtype, brio_value *out)
{
    if (!core_is_array(object))
        return core_value(object, dtype, out);
    PyObject *number = core_tolist(object, NULL);
    int result = number ? core_value(number, dtype, out) : -1;
    Py_XDECREF(number);
    return result;
}

PyObject *core_reduce(brio_op op, PyObject *self, PyObject *const *values)
{
    enum { AXIS, DTYPE, OUT, KEEPDIMS, INITIAL, WHERE };
    reduction r;
    if (prepare(&r, self, SCALAR_AXIS_ALLOWED, values[AXIS], values[DTYPE], values[OUT], values[KEEPDIMS],
                values[WHERE]) < 0) {
        Py_XDECREF(r.where);
        return NULL;
    }
    brio_array *array = core_array(self), *result = NULL;
    brio_array_layout layout = core_layout(array);
    PyObject *initial = none_is_absent(values[INITIAL]);
    if (initial) {
        r.options.has_initial = 1;
        if (initial_value(initial, accumulator(op, layout.dtype, &r.options), &r.options.initial) < 0) {
            Py_XDECREF(r.where);
            return NULL;
        }
    }
    PyThreadState *state = core_work_begin(layout.count);
    brio_status status = brio_array_reduce(op, array, &r.options, &result);
    core_work_end(state);
    return finish(&r, status, result);
}

static PyObject *reduce_all(core_operator id, PyObject *self)
{
    brio_array *array = core_array(self), *result;
    PyThreadState *state = core_work_begin(core_layout(array).count);
    brio_status status = brio_array_reduce(core.ops[id], array, NULL, &result);
    core_work_end(state);
    return status == BRIO_OK ? core_wrap(result) : core_error(status);
}

/* (axis, dtype, out, keepdims, initial, where) as sum takes them. */
static PyObject *sum_like(core_operator id, core_signature *signature, PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames)
{
    if (nargs == 0 && !kwnames)
        return reduce_all(id, self);
    PyObject *values[6];
    return core_parse(signature, args, nargs, kwnames, values) < 0 ? NULL
                                                                   : core_reduce(core.ops[id], self, values);
}

/* (axis, out, keepdims, initial, where) as max takes them. */
static PyObject *max_like(core_operator id, core_signature *signature, PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames)
{
    if (nargs == 0 && !kwnames)
        return reduce_all(id, self);
    PyObject *v[5];
    if (core_parse(signature, args, nargs, kwnames, v) < 0)
        return NULL;
    PyObject *const values[6] = {v[0], NULL, v[1], v[2], v[3], v[4]};
    return core_reduce(core.ops[id], self, values);
}

/* (axis, out, keepdims, where) as all takes them. */
static PyObject *all_like(core_operator id, core_signature *signature, PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames)
{
    if (nargs == 0 && !kwnames)
        return reduce_all(id, self);
    PyObject *v[4];
    if (core_parse(signature, args, nargs, kwnames, v) < 0)
        return NULL;
    PyObject *const values[6] = {v[0], NULL, v[1], v[2], NULL, v[3]};
    return core_reduce(core.ops[id], self, values);
}

#define REDUCTION(name, like, op, total, ...)                                                                \
    static PyObject *method_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,                  \
                                   PyObject *kwnames)                                                        \
    {                                                                                                        \
        static core_signature signature = {#name, 0, total, total, {__VA_ARGS__}, {NULL}};                   \
        return like(OP_##op, &signature, self, args, nargs, kwnames);                                        \
    }

REDUCTION(sum, sum_like, add, 6, "axis", "dtype", "out", "keepdims", "initial", "where")
REDUCTION(prod, sum_like, multiply, 6, "axis", "dtype", "out", "keepdims", "initial", "where")
REDUCTION(max, max_like, maximum, 5, "axis", "out", "keepdims", "initial", "where")
REDUCTION(min, max_like, minimum, 5, "axis", "out", "keepdims", "initial", "where")
REDUCTION(all, all_like, logical_and, 4, "axis", "out", "keepdims", "where")
REDUCTION(any, all_like, logical_or, 4, "axis", "out", "keepdims", "where")

/* ---- Statistics -------------------------------------------------------------------------------------- */

static PyObject *statistic(brio_statistic which, PyObject *self, reduction *r, double correction)
{
    brio_array *array = core_array(self), *result = NULL;
    PyThreadState *state = core_work_begin(core_layout(array).count);
    brio_status status = brio_array_statistic(which, array, &r->options, correction, &result);
    core_work_end(state);
    return finish(r, status, result);
}

static PyObject *method_mean(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"mean", 0, 4, 5, {"axis", "dtype", "out", "keepdims", "where"},
                                       {NULL}};
    PyObject *v[5];
    reduction r = {.where = NULL};
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 ||
        prepare(&r, self, SCALAR_AXIS_WRONG, v[0], v[1], v[2], v[3], v[4]) < 0) {
        Py_XDECREF(r.where);
        return NULL;
    }
    return statistic(BRIO_MEAN, self, &r, 0.0);
}

static PyObject *spread(brio_statistic which, core_signature *signature, PyObject *self,
                        PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *v[8];
    reduction r = {.where = NULL};
    if (core_parse(signature, args, nargs, kwnames, v) < 0 ||
        prepare(&r, self, SCALAR_AXIS_WRONG, v[0], v[1], v[2], v[4], v[5]) < 0) {
        Py_XDECREF(r.where);
        return NULL;
    }
    PyObject *correction = v[3] && v[6] ? NULL : v[6] ? v[6] : v[3];
    if (v[3] && v[6])
        PyErr_SetString(PyExc_ValueError, "ddof and correction can't be provided simultaneously.");
    double number = correction ? PyFloat_AsDouble(correction) : 0.0;
    if (PyErr_Occurred()) {
        Py_XDECREF(r.where);
        return NULL;
    }
    return statistic(which, self, &r, number);
}

static PyObject *method_var(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "var", 0, 5, 7, {"axis", "dtype", "out", "ddof", "keepdims", "where", "correction"}, {NULL}};
    return spread(BRIO_VAR, &signature, self, args, nargs, kwnames);
}

static PyObject *method_std(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "std", 0, 5, 7, {"axis", "dtype", "out", "ddof", "keepdims", "where", "correction"}, {NULL}};
    return spread(BRIO_STD, &signature, self, args, nargs, kwnames);
}

static PyObject *arg_extreme(brio_statistic which, core_signature *signature, PyObject *self,
                             PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *v[3];
    reduction r = {.where = NULL};
    if (core_parse(signature, args, nargs, kwnames, v) < 0)
        return NULL;
    if (v[0] && PyTuple_Check(v[0])) {
        PyErr_SetString(PyExc_TypeError, "'tuple' object cannot be interpreted as an integer");
        return NULL;
    }
    if (prepare(&r, self, SCALAR_AXIS_ALLOWED, v[0], NULL, v[1], v[2], NULL) < 0) {
        Py_XDECREF(r.where);
        return NULL;
    }
    return statistic(which, self, &r, 0.0);
}

static PyObject *method_argmax(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"argmax", 0, 2, 3, {"axis", "out", "keepdims"}, {NULL}};
    return arg_extreme(BRIO_ARGMAX, &signature, self, args, nargs, kwnames);
}

static PyObject *method_argmin(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"argmin", 0, 2, 3, {"axis", "out", "keepdims"}, {NULL}};
    return arg_extreme(BRIO_ARGMIN, &signature, self, args, nargs, kwnames);
}

static PyObject *method_count_nonzero(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                      PyObject *kwnames)
{
    static core_signature signature = {"count_nonzero", 0, 1, 2, {"axis", "keepdims"}, {NULL}};
    PyObject *v[2];
    reduction r = {.where = NULL};
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 ||
        prepare(&r, self, SCALAR_AXIS_ALLOWED, v[0], NULL, NULL, v[1], NULL) < 0)
        return NULL;
    return statistic(BRIO_COUNT_NONZERO, self, &r, 0.0);
}

/* ---- Scans --------------------------------------------------------------------------------------------- */

PyObject *core_scan(brio_op op, PyObject *self, PyObject *axis, PyObject *dtype, PyObject *out, int initial)
{
    brio_scan_options options = BRIO_SCAN_OPTIONS_INIT;
    brio_array *array = core_array(self), *result = NULL;
    brio_array_layout layout = core_layout(array);
    PyObject *target;
    options.include_initial = initial;
    if (axis && axis != Py_None) { /* no dimension counts as one */
        options.ravel = layout.ndim == 0;
        if (core_axis(axis, layout.ndim ? layout.ndim : 1, &options.axis) < 0)
            return NULL;
    }
    if (dtype && dtype != Py_None) {
        options.has_dtype = 1;
        if (core_dtype(dtype, &options.dtype) < 0)
            return NULL;
    }
    if (get_out(out, &target) < 0)
        return NULL;
    if (target)
        options.out = core_array(target);
    PyThreadState *state = core_work_begin(layout.count);
    brio_status status = brio_array_scan(op, array, &options, &result);
    core_work_end(state);
    if (status != BRIO_OK)
        return core_error(status);
    if (!target)
        return core_wrap(result);
    brio_array_unref(result);
    return Py_NewRef(target);
}

static PyObject *method_cumsum(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"cumsum", 0, 3, 3, {"axis", "dtype", "out"}, {NULL}};
    PyObject *v[3];
    return core_parse(&signature, args, nargs, kwnames, v) < 0
               ? NULL
               : core_scan(core.ops[OP_add], self, v[0], v[1], v[2], 0);
}

static PyObject *method_cumprod(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"cumprod", 0, 3, 3, {"axis", "dtype", "out"}, {NULL}};
    PyObject *v[3];
    return core_parse(&signature, args, nargs, kwnames, v) < 0
               ? NULL
               : core_scan(core.ops[OP_multiply], self, v[0], v[1], v[2], 0);
}

/* The array API's form: an axis is needed unless there is only one; a leading identity on request. */
static PyObject *cumulative(core_operator id, core_signature *signature, PyObject *self,
                            PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *v[4];
    if (core_parse(signature, args, nargs, kwnames, v) < 0)
        return NULL;
    int initial = core_flag(v[3], 0);
    if (initial < 0)
        return NULL;
    if ((!v[0] || v[0] == Py_None) && core_layout(core_array(self)).ndim != 1) {
        PyErr_SetString(PyExc_ValueError,
                        "For arrays which have more than one dimension ``axis`` argument is required.");
        return NULL;
    }
    return core_scan(core.ops[id], self, v[0], v[1], v[2], initial);
}

static PyObject *method_cumulative_sum(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                       PyObject *kwnames)
{
    static core_signature signature = {
        "cumulative_sum", 0, 0, 4, {"axis", "dtype", "out", "include_initial"}, {NULL}};
    return cumulative(OP_add, &signature, self, args, nargs, kwnames);
}

static PyObject *method_cumulative_prod(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                        PyObject *kwnames)
{
    static core_signature signature = {
        "cumulative_prod", 0, 0, 4, {"axis", "dtype", "out", "include_initial"}, {NULL}};
    return cumulative(OP_multiply, &signature, self, args, nargs, kwnames);
}

PyMethodDef core_reduction_methods[] = {
    {"sum", FAST(method_sum), "The sum of elements along axes."},
    {"prod", FAST(method_prod), "The product of elements along axes."},
    {"max", FAST(method_max), "The largest element along axes; NaN wins."},
    {"min", FAST(method_min), "The smallest element along axes; NaN wins."},
    {"all", FAST(method_all), "Whether all elements along axes are true."},
    {"any", FAST(method_any), "Whether any element along axes is true."},
    {"mean", FAST(method_mean), "The arithmetic mean along axes."},
    {"var", FAST(method_var), "The variance along axes."},
    {"std", FAST(method_std), "The standard deviation along axes."},
    {"argmax", FAST(method_argmax), "Where the largest element is."},
    {"argmin", FAST(method_argmin), "Where the smallest element is."},
    {"cumsum", FAST(method_cumsum), "Running sums along an axis."},
    {"cumprod", FAST(method_cumprod), "Running products along an axis."},
    {"_count_nonzero", FAST(method_count_nonzero), "How many elements along axes are not zero."},
    {"_cumulative_sum", FAST(method_cumulative_sum), "Running sums, by the array API."},
    {"_cumulative_prod", FAST(method_cumulative_prod), "Running products, by the array API."},
    {NULL, NULL, 0, NULL},
};
