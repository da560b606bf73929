/* Functions that make arrays. */
#include "core.h"
#include <math.h>

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

static int refuse_like(PyObject *like)
{
    if (!like || like == Py_None)
        return 0;
    if (core_is_array(like) || core_is_numpy_array(like))
        return 0;
    PyErr_SetString(PyExc_TypeError, "The `like` argument must be an array that can be made here.");
    return -1;
}

/* dtype, order, device as every function here takes them. */
static int fill_spec(brio_array_spec *spec, PyObject *dtype, PyObject *order, PyObject *device)
{
    if (dtype && dtype != Py_None && core_dtype(dtype, &spec->dtype) < 0)
        return -1;
    char letter;
    if (core_order(order, 'C', &letter) < 0)
        return -1;
    if (letter != 'C' && letter != 'F') {
        PyErr_SetString(PyExc_ValueError, "only 'C' or 'F' order is permitted");
        return -1;
    }
    spec->order = letter;
    return core_device(device, &spec->device);
}

static PyObject *empty(const brio_array_spec *spec)
{
    brio_array *array;
    core_enter();
    brio_status status = brio_array_empty(spec, &array);
    return status == BRIO_OK ? core_wrap(array) : core_error(status);
}

static PyObject *filled(const brio_array_spec *spec, const brio_value *value)
{
    int64_t count = 1;
    for (int i = 0; i < spec->ndim && count < INT32_MAX; i++)
        count *= spec->shape[i] > INT32_MAX ? INT32_MAX : spec->shape[i];
    brio_array *array;
    PyThreadState *state = core_work_begin(count);
    brio_status status = brio_array_full(spec, value, &array);
    core_work_end(state);
    return status == BRIO_OK ? core_wrap(array) : core_error(status);
}

static void set_number(brio_value *value, brio_dtype dtype, int one)
{
    memset(value, 0, sizeof *value);
    if (!one)
        return;
    if (dtype == BRIO_F16)
        value->f16 = 0x3c00;
    else if (dtype == BRIO_F32)
        value->f32 = 1;
    else if (dtype == BRIO_F64 || dtype == BRIO_C128)
        value->f64 = 1;
    else if (dtype == BRIO_C64)
        value->f32 = 1;
    else
        value->u8 = 1; /* the lowest byte of any integer */
}

enum { KIND_EMPTY = -1, KIND_ZEROS = 0, KIND_ONES = 1 };

static PyObject *make(int kind, core_signature *signature, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    PyObject *v[5];
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    int64_t shape[BRIO_MAX_DIMS];
    if (core_parse(signature, args, nargs, kwnames, v) < 0 || core_shape(v[0], &spec.ndim, shape) < 0 ||
        fill_spec(&spec, v[1], v[2], v[3]) < 0 || refuse_like(v[4]) < 0)
        return NULL;
    spec.shape = shape;
    brio_value value;
    set_number(&value, spec.dtype, kind == KIND_ONES);
    return kind == KIND_EMPTY ? empty(&spec) : filled(&spec, &value);
}

#define MAKE_SIGNATURE(name)                                                                                 \
    {                                                                                                        \
        name, 1, 3, 5, {"shape", "dtype", "order", "device", "like"},                                        \
        {                                                                                                    \
            NULL                                                                                             \
        }                                                                                                    \
    }

static PyObject *make_empty(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = MAKE_SIGNATURE("empty");
    return make(KIND_EMPTY, &signature, args, nargs, kwnames);
}

static PyObject *make_zeros(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = MAKE_SIGNATURE("zeros");
    return make(KIND_ZEROS, &signature, args, nargs, kwnames);
}

static PyObject *make_ones(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = MAKE_SIGNATURE("ones");
    return make(KIND_ONES, &signature, args, nargs, kwnames);
}

/* `spec` filled with `object`, broadcast when it is an array. */
static PyObject *filled_with(brio_array_spec *spec, PyObject *object, int has_dtype)
{
    brio_dtype found;
    if (core_scalar_dtype(object, &found) == 0) {
        brio_value value;
        if (!has_dtype)
            spec->dtype = found;
        return core_value(object, spec->dtype, &value) < 0 ? NULL : filled(spec, &value);
    }
    PyObject *from = core_borrow(object);
    if (!from)
        return NULL;
    if (!has_dtype)
        spec->dtype = core_layout(core_array(from)).dtype;
    PyObject *result = empty(spec);
    if (result) {
        brio_operand operand = brio_operand_array(core_array(from));
        brio_status status = brio_array_copyto(core_array(result), &operand, BRIO_CAST_UNSAFE, NULL);
        if (status != BRIO_OK) {
            Py_CLEAR(result);
            core_error(status);
        }
    }
    Py_DECREF(from);
    return result;
}

static PyObject *make_full(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "full", 2, 4, 6, {"shape", "fill_value", "dtype", "order", "device", "like"}, {NULL}};
    PyObject *v[6];
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    int64_t shape[BRIO_MAX_DIMS];
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 || core_shape(v[0], &spec.ndim, shape) < 0 ||
        fill_spec(&spec, v[2], v[3], v[4]) < 0 || refuse_like(v[5]) < 0)
        return NULL;
    spec.shape = shape;
    return filled_with(&spec, v[1], v[2] && v[2] != Py_None);
}

/* A permutation of `from`'s extents such that C order of it is `from`'s own order. */
static void order_axes(const brio_array_layout *from, int *axes)
{
    for (int i = 0; i < from->ndim; i++) {
        int at = i;
        while (at > 0 && llabs(from->strides[axes[at - 1]]) < llabs(from->strides[i])) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = i;
    }
}

/* An empty array like `from` in order K: its axes lie in memory as those of `from`. */
static PyObject *empty_in_order(const brio_array_layout *from, brio_array_spec *spec)
{
    int axes[BRIO_MAX_DIMS], back[BRIO_MAX_DIMS];
    int64_t shape[BRIO_MAX_DIMS];
    order_axes(from, axes);
    for (int i = 0; i < from->ndim; i++) {
        shape[i] = from->shape[axes[i]];
        back[axes[i]] = i;
    }
    brio_array_spec permuted = *spec;
    permuted.shape = shape;
    brio_array *packed, *turned;
    core_enter();
    brio_status status = brio_array_empty(&permuted, &packed);
    if (status != BRIO_OK)
        return core_error(status);
    status = brio_array_transpose(packed, back, &turned);
    brio_array_unref(packed);
    return status == BRIO_OK ? core_wrap(turned) : core_error(status);
}

static PyObject *like(int kind, core_signature *signature, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    PyObject *v[6];
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    int64_t shape[BRIO_MAX_DIMS];
    char order;
    if (core_parse(signature, args, nargs, kwnames, v) < 0 || core_order(v[2], 'K', &order) < 0 ||
        core_device(v[5], &spec.device) < 0)
        return NULL;
    PyObject *from = core_borrow(v[0]);
    if (!from)
        return NULL;
    brio_array_layout layout = core_layout(core_array(from));
    spec.dtype = layout.dtype, spec.ndim = layout.ndim, spec.shape = layout.shape;
    PyObject *result = NULL;
    int shaped = v[4] && v[4] != Py_None;
    if ((v[1] && v[1] != Py_None && core_dtype(v[1], &spec.dtype) < 0) ||
        (shaped && core_shape(v[4], &spec.ndim, shape) < 0)) {
        Py_DECREF(from);
        return NULL;
    }
    if (shaped)
        spec.shape = shape;
    spec.order = order == 'F' || (order != 'C' && layout.f_contiguous && !layout.c_contiguous) ? 'F' : 'C';
    if (order == 'K' && !shaped && !layout.c_contiguous && !layout.f_contiguous)
        result = empty_in_order(&layout, &spec);
    else
        result = empty(&spec);
    Py_DECREF(from);
    if (!result || kind == KIND_EMPTY)
        return result;
    brio_operand number = brio_operand_int(kind == KIND_ONES);
    brio_status status = brio_array_copyto(core_array(result), &number, BRIO_CAST_UNSAFE, NULL);
    if (status != BRIO_OK) {
        Py_DECREF(result);
        return core_error(status);
    }
    return result;
}

#define LIKE_SIGNATURE(name)                                                                                 \
    {                                                                                                        \
        name, 1, 5, 6, {"prototype", "dtype", "order", "subok", "shape", "device"},                          \
        {                                                                                                    \
            NULL                                                                                             \
        }                                                                                                    \
    }

static PyObject *empty_like(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = LIKE_SIGNATURE("empty_like");
    return like(KIND_EMPTY, &signature, args, nargs, kwnames);
}

static PyObject *zeros_like(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = LIKE_SIGNATURE("zeros_like");
    return like(KIND_ZEROS, &signature, args, nargs, kwnames);
}

static PyObject *ones_like(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = LIKE_SIGNATURE("ones_like");
    return like(KIND_ONES, &signature, args, nargs, kwnames);
}

/* ---- arange -------------------------------------------------------------------------------------- */

/* ceil((stop - start) / step) as Python computes it, so that wide integers stay exact. */
static int arange_length(PyObject *start, PyObject *stop, PyObject *step, int64_t *out)
{
    PyObject *span = PyNumber_Subtract(stop, start);
    PyObject *steps = span ? PyNumber_TrueDivide(span, step) : NULL;
    Py_XDECREF(span);
    if (!steps)
        return -1;
    double length = ceil(PyFloat_AsDouble(steps));
    Py_DECREF(steps);
    if (PyErr_Occurred())
        return -1;
    if (isnan(length)) {
        PyErr_SetString(PyExc_ValueError, "arange: cannot compute length");
        return -1;
    }
    if (length >= 9.2e18) {
        PyErr_SetString(PyExc_ValueError, "Maximum allowed size exceeded");
        return -1;
    }
    *out = length > 0 ? (int64_t)length : 0;
    return 0;
}

static int arange_dtype(PyObject *const *numbers, brio_dtype *out)
{
    int found = -1;
    for (int i = 0; i < 3; i++) {
        brio_dtype dtype;
        if (core_scalar_dtype(numbers[i], &dtype) < 0) {
            PyObject *array = core_borrow(numbers[i]);
            if (!array)
                return -1;
            dtype = core_layout(core_array(array)).dtype;
            Py_DECREF(array);
        }
        if (dtype == BRIO_BOOL)
            dtype = BRIO_I64;
        found = found < 0 ? (int)dtype : (int)brio_dtype_promote((brio_dtype)found, dtype);
    }
    *out = (brio_dtype)found;
    return 0;
}

static PyObject *arange(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "arange", 0, 4, 6, {"start", "stop", "step", "dtype", "device", "like"}, {NULL}};
    PyObject *v[6];
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 || refuse_like(v[5]) < 0)
        return NULL;
    if (!v[0] && !v[1]) {
        PyErr_SetString(PyExc_TypeError, "arange() requires stop to be specified.");
        return NULL;
    }
    int only_stop = !v[1] || v[1] == Py_None || !v[0];
    PyObject *zero = PyLong_FromLong(0), *one = PyLong_FromLong(1);
    PyObject *numbers[3] = {only_stop ? zero : v[0], only_stop ? (v[0] ? v[0] : v[1]) : v[1],
                            v[2] && v[2] != Py_None ? v[2] : one};
    int64_t length[1];
    brio_value start, step, second;
    PyObject *result = NULL, *next = NULL;
    int typed = v[3] && v[3] != Py_None;
    if (zero && one && arange_length(numbers[0], numbers[1], numbers[2], length) == 0 &&
        (typed ? core_dtype(v[3], &spec.dtype) : arange_dtype(numbers, &spec.dtype)) == 0 &&
        core_device(v[4], &spec.device) == 0 && (next = PyNumber_Add(numbers[0], numbers[2])) != NULL) {
        spec.ndim = 1, spec.shape = length;
        memset(&start, 0, sizeof start);
        memset(&step, 0, sizeof step);
        if (length[0] == 0)
            result = empty(&spec);
        else if (core_value(numbers[0], spec.dtype, &start) == 0 &&
                 (length[0] < 2 || core_value(next, spec.dtype, &second) == 0) &&
                 core_arange_step(spec.dtype, &start, length[0] < 2 ? &start : &second, &step) == 0) {
            brio_array *array;
            PyThreadState *state = core_work_begin(length[0]);
            brio_status status = brio_array_arange(&spec, start, step, &array);
            core_work_end(state);
            result = status == BRIO_OK ? core_wrap(array) : core_error(status);
        }
    }
    Py_XDECREF(next);
    Py_XDECREF(zero);
    Py_XDECREF(one);
    return result;
}

/* ---- From data ------------------------------------------------------------------------------------- */

static PyObject *convert(PyObject *object, PyObject *dtype, PyObject *copy, int copy_default, PyObject *order,
                         char order_default, PyObject *device)
{
    brio_dtype wanted = BRIO_F64;
    brio_device place;
    char letter;
    int copied = copy == Py_None ? -1 : core_flag(copy, copy_default);
    if ((copied < 0 && PyErr_Occurred()) || core_order(order, order_default, &letter) < 0 ||
        core_device(device, &place) < 0 || (dtype && dtype != Py_None && core_dtype(dtype, &wanted) < 0))
        return NULL;
    return core_convert(object, dtype && dtype != Py_None ? (int)wanted : -1, copied, letter);
}

static PyObject *make_array(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "array", 1, 2, 8, {"object", "dtype", "copy", "order", "subok", "ndmin", "device", "like"}, {NULL}};
    PyObject *v[8];
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 || refuse_like(v[7]) < 0)
        return NULL;
    PyObject *result = convert(v[0], v[1], v[2], 1, v[3], 'K', v[6]);
    long ndmin = v[5] ? PyLong_AsLong(v[5]) : 0;
    if (result && ndmin == -1 && PyErr_Occurred())
        Py_CLEAR(result);
    if (!result || ndmin <= core_layout(core_array(result)).ndim)
        return result;
    brio_array_layout layout = core_layout(core_array(result));
    int64_t shape[BRIO_MAX_DIMS];
    if (ndmin > BRIO_MAX_DIMS) {
        Py_DECREF(result);
        PyErr_Format(PyExc_ValueError, "ndmin must be at most %d", BRIO_MAX_DIMS);
        return NULL;
    }
    int added = (int)ndmin - layout.ndim;
    for (int i = 0; i < (int)ndmin; i++)
        shape[i] = i < added ? 1 : layout.shape[i - added];
    brio_array *wider;
    brio_status status = brio_array_reshape(core_array(result), (int)ndmin, shape, 'C', &wider);
    Py_DECREF(result);
    return status == BRIO_OK ? core_wrap(wider) : core_error(status);
}

static PyObject *as_array(core_signature *signature, char order, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames)
{
    if (nargs == 1 && !kwnames && order == 'K' && core_is_array(args[0]))
        return Py_NewRef(args[0]);
    PyObject *v[6];
    if (core_parse(signature, args, nargs, kwnames, v) < 0 || refuse_like(v[5]) < 0)
        return NULL;
    PyObject *result = convert(v[0], v[1], v[3] ? v[3] : Py_None, -1, v[2], order, v[4]);
    if (!result || order == 'K' || core_layout(core_array(result)).ndim)
        return result;
    PyObject *one = PyObject_CallMethod(result, "reshape", "i", 1); /* at least one dimension */
    Py_DECREF(result);
    return one;
}

static PyObject *asarray(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"asarray", 1, 3, 6, {"a", "dtype", "order", "copy", "device", "like"},
                                       {NULL}};
    static core_signature standard = {"asarray", 1, 3, 6, {"obj", "dtype", "order", "copy", "device", "like"},
                                      {NULL}};
    return as_array(nargs ? &signature : &standard, 'K', args, nargs, kwnames);
}

static PyObject *ascontiguousarray(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *kwnames)
{
    static core_signature signature = {
        "ascontiguousarray", 1, 2, 6, {"a", "dtype", "order", "copy", "device", "like"}, {NULL}};
    return as_array(&signature, 'C', args, nargs, kwnames);
}

static PyObject *asfortranarray(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "asfortranarray", 1, 2, 6, {"a", "dtype", "order", "copy", "device", "like"}, {NULL}};
    return as_array(&signature, 'F', args, nargs, kwnames);
}

PyMethodDef core_creation_functions[] = {
    {"empty", FAST(make_empty),
     "empty(shape, dtype=float64, order='C')\n--\n\nA new array with undefined elements."},
    {"zeros", FAST(make_zeros), "zeros(shape, dtype=float64, order='C')\n--\n\nA new array of zeros."},
    {"ones", FAST(make_ones), "ones(shape, dtype=float64, order='C')\n--\n\nA new array of ones."},
    {"full", FAST(make_full), "full(shape, fill_value, dtype=None)\n--\n\nA new array of one value."},
    {"empty_like", FAST(empty_like), "A new array with undefined elements, shaped as another."},
    {"zeros_like", FAST(zeros_like), "A new array of zeros, shaped as another."},
    {"ones_like", FAST(ones_like), "A new array of ones, shaped as another."},
    {"arange", FAST(arange), "arange([start,] stop[, step], dtype=None)\n--\n\nEvenly spaced numbers."},
    {"array", FAST(make_array), "A new array from numbers, sequences or arrays."},
    {"asarray", FAST(asarray), "An array of what is given; a copy only where one is needed."},
    {"asanyarray", FAST(asarray), "The same as asarray."},
    {"ascontiguousarray", FAST(ascontiguousarray), "An array in C order."},
    {"asfortranarray", FAST(asfortranarray), "An array in Fortran order."},
    {"from_dlpack", FAST(core_from_dlpack), "An array over the memory of a DLPack exporter."},
    {NULL, NULL, 0, NULL},
};
