/* Nested sequences to arrays: one walk finds shape and dtype, a second one fills. */
#include "core.h"

typedef struct discovery {
    int known; /* extents known from sequences on the way down */
    int ndim;  /* -1 until the first element is reached */
    int dtype; /* -1 until known */
    int64_t shape[BRIO_MAX_DIMS];
} discovery;

static int ragged(const discovery *d, int depth)
{
    PyObject *shape = core_tuple(depth < d->known ? depth : d->known, d->shape);
    if (shape)
        PyErr_Format(
            PyExc_ValueError,
            "setting an array element with a sequence. The requested array has an inhomogeneous shape "
            "after %d dimensions. The detected shape was %R + inhomogeneous part.",
            depth, shape);
    Py_XDECREF(shape);
    return -1;
}

static int agree(discovery *d, int depth, int64_t extent)
{
    if (depth >= BRIO_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "a nested sequence has more than %d dimensions", BRIO_MAX_DIMS);
        return -1;
    }
    if (depth < d->known)
        return d->shape[depth] == extent ? 0 : ragged(d, depth);
    if (d->ndim >= 0)
        return ragged(d, depth);
    d->shape[depth] = extent;
    d->known = depth + 1;
    return 0;
}

static int end_at(discovery *d, int ndim)
{
    if (d->ndim < 0 && d->known == ndim)
        d->ndim = ndim;
    return d->ndim == ndim ? 0 : ragged(d, ndim);
}

static void promote(discovery *d, brio_dtype dtype)
{
    d->dtype = d->dtype < 0 ? (int)dtype : (int)brio_dtype_promote((brio_dtype)d->dtype, dtype);
}

static int discover_array(discovery *d, PyObject *array, int depth)
{
    brio_array_layout layout = core_layout(core_array(array));
    for (int i = 0; i < layout.ndim; i++) {
        if (agree(d, depth + i, layout.shape[i]) < 0)
            return -1;
    }
    promote(d, layout.dtype);
    return end_at(d, depth + layout.ndim);
}

static int discover(discovery *d, PyObject *object, int depth);

static int discover_items(discovery *d, PyObject *object, int depth)
{
    PyObject *items = PySequence_Fast(object, "expected a sequence");
    if (!items)
        return -1;
    int failed = agree(d, depth, PySequence_Fast_GET_SIZE(items)) < 0;
    if (!failed && PySequence_Fast_GET_SIZE(items) == 0)
        failed = end_at(d, depth + 1) < 0;
    for (Py_ssize_t i = 0; !failed && i < PySequence_Fast_GET_SIZE(items); i++)
        failed = discover(d, PySequence_Fast_GET_ITEM(items, i), depth + 1) < 0;
    Py_DECREF(items);
    return failed ? -1 : 0;
}

static int discover(discovery *d, PyObject *object, int depth)
{
    brio_dtype dtype;
    if (core_scalar_dtype(object, &dtype) == 0) {
        promote(d, dtype);
        return end_at(d, depth);
    }
    if (core_is_array(object))
        return discover_array(d, object, depth);
    if (core_is_sequence(object))
        return discover_items(d, object, depth);
    PyObject *array = core_borrow(object);
    if (!array)
        return -1;
    int result = discover_array(d, array, depth);
    Py_DECREF(array);
    return result;
}

/* Where the second walk writes; it checks again, for conversions can run anybody's code. */
typedef struct filling {
    const discovery *d;
    brio_dtype dtype;
    size_t size;
    char *cursor;
    char *end;
} filling;

static int changed(void)
{
    PyErr_SetString(PyExc_RuntimeError, "a sequence changed while it was converted to an array");
    return -1;
}

static int fill_array(filling *f, PyObject *array)
{
    PyObject *settled = core_cast(array, f->dtype, BRIO_CAST_UNSAFE, 'C');
    if (!settled)
        return -1;
    brio_array *handle = core_array(settled);
    size_t bytes = (size_t)core_layout(handle).count * f->size;
    void *data = NULL;
    brio_status status = brio_array_data(handle, BRIO_READ, &data);
    int result = 0;
    if (status != BRIO_OK) {
        result = core_fail(status);
    } else if (bytes > (size_t)(f->end - f->cursor)) {
        result = changed();
    } else if (bytes) {
        memcpy(f->cursor, data, bytes);
        f->cursor += bytes;
    }
    Py_DECREF(settled);
    return result;
}

static int fill(filling *f, PyObject *object, int depth);

static int fill_items(filling *f, PyObject *object, int depth)
{
    PyObject *items = PySequence_Fast(object, "expected a sequence");
    if (!items)
        return -1;
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PySequence_Fast_GET_SIZE(items); i++)
        failed = fill(f, PySequence_Fast_GET_ITEM(items, i), depth + 1) < 0;
    Py_DECREF(items);
    return failed ? -1 : 0;
}

static int fill(filling *f, PyObject *object, int depth)
{
    brio_dtype dtype;
    if (core_scalar_dtype(object, &dtype) == 0) {
        brio_value value;
        if (core_value(object, f->dtype, &value) < 0)
            return -1;
        if ((size_t)(f->end - f->cursor) < f->size)
            return changed();
        memcpy(f->cursor, &value, f->size);
        f->cursor += f->size;
        return 0;
    }
    if (core_is_array(object))
        return fill_array(f, object);
    if (core_is_sequence(object))
        return depth < f->d->ndim ? fill_items(f, object, depth) : changed();
    PyObject *array = core_borrow(object);
    if (!array)
        return -1;
    int result = fill_array(f, array);
    Py_DECREF(array);
    return result;
}

PyObject *core_from_sequence(PyObject *object, int dtype)
{
    discovery d = {0, -1, -1, {0}};
    if (discover(&d, object, 0) < 0)
        return NULL;
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    spec.dtype = dtype >= 0 ? (brio_dtype)dtype : d.dtype >= 0 ? (brio_dtype)d.dtype : BRIO_F64;
    spec.ndim = d.ndim, spec.shape = d.shape;
    brio_array *array;
    core_enter();
    brio_status status = brio_array_empty(&spec, &array);
    if (status != BRIO_OK)
        return core_error(status);
    PyObject *result = core_wrap(array);
    if (!result)
        return NULL;
    void *data = NULL;
    if ((status = brio_array_data(array, BRIO_WRITE, &data)) != BRIO_OK) {
        Py_DECREF(result);
        return core_error(status);
    }
    filling f = {&d, spec.dtype, brio_dtype_size(spec.dtype), data, data};
    f.end += (size_t)core_layout(array).count * f.size;
    if (fill(&f, object, 0) < 0 || (f.cursor != f.end && changed() < 0))
        Py_CLEAR(result);
    return result;
}
