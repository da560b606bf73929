/* The buffer protocol, both ways, and __array_interface__. Memory that goes out writable is lent:
 * nothing over it is evaluated late until it comes back. */
#include "core.h"

/* ---- In ---------------------------------------------------------------------------------------- */

/* Called by the library from any thread when the last view of foreign memory is gone. */
static void release_buffer(void *context)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(context);
    PyMem_Free(context);
    PyGILState_Release(state);
}

static int same_bytes_bool(brio_array **array)
{
    /* Foreign bytes of a bool may be any number: bring them to 0 and 1 in memory of our own. */
    brio_array *bytes, *clean;
    brio_status status = brio_array_view(*array, BRIO_U8, &bytes);
    if (status != BRIO_OK)
        return core_fail(status);
    status = brio_array_cast(bytes, BRIO_BOOL, BRIO_CAST_UNSAFE, 'K', &clean);
    brio_array_unref(bytes);
    if (status != BRIO_OK)
        return core_fail(status);
    brio_array_unref(*array);
    *array = clean;
    return 0;
}

static int has_odd_bools(const Py_buffer *view)
{
    if (!PyBuffer_IsContiguous(view, 'A'))
        return 1;
    const unsigned char *bytes = view->buf;
    unsigned char seen = 0;
    for (Py_ssize_t i = 0; i < view->len; i++)
        seen |= bytes[i];
    return seen > 1;
}

/* Wraps `view`, which then belongs to the array. */
static brio_array *wrap_view(Py_buffer *view, brio_dtype dtype)
{
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
    Py_ssize_t run = view->itemsize;
    for (int i = view->ndim - 1; i >= 0; i--) {
        shape[i] = view->shape ? view->shape[i] : view->len / view->itemsize;
        strides[i] = view->strides ? view->strides[i] : run;
        run *= (Py_ssize_t)shape[i];
    }
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    spec.dtype = dtype, spec.ndim = view->ndim, spec.shape = shape, spec.strides = strides;
    brio_array *array;
    core_enter();
    brio_status status = brio_array_wrap(view->buf, &spec, !view->readonly, release_buffer, view, &array);
    if (status != BRIO_OK) {
        core_error(status);
        return NULL;
    }
    return array;
}

/* An array of `swapped` bytes or another form that the library does not hold, by way of NumPy. */
static PyObject *through_numpy(PyObject *object)
{
    PyObject *module = PyImport_ImportModule("brio._interop");
    PyObject *native = module ? PyObject_CallMethod(module, "native", "O", object) : NULL;
    Py_XDECREF(module);
    if (!native)
        return NULL;
    PyObject *array = native == object ? core_not_numbers(object) : core_from_buffer(native);
    Py_DECREF(native);
    return array;
}

PyObject *core_from_buffer(PyObject *object)
{
    Py_buffer *view = PyMem_Malloc(sizeof *view);
    if (!view)
        return PyErr_NoMemory();
    if (PyObject_GetBuffer(object, view, PyBUF_FULL_RO) < 0) {
        PyMem_Free(view);
        if (!core_is_numpy_array(object) && !core_is_numpy_scalar(object))
            return NULL;
        PyErr_Clear(); /* a dtype that buffers cannot describe */
        return core_not_numbers(object);
    }
    int swapped;
    int dtype = core_dtype_of_format(view->format, view->itemsize, &swapped);
    if (view->ndim != 0 && core_is_numpy_scalar(object))
        dtype = -1; /* a time, which NumPy exports as its bytes */
    if (dtype < 0 || swapped || view->ndim > BRIO_MAX_DIMS || view->suboffsets) {
        PyBuffer_Release(view);
        PyMem_Free(view);
        return dtype < 0 ? core_not_numbers(object) : through_numpy(object);
    }
    int odd = dtype == BRIO_BOOL && has_odd_bools(view);
    brio_array *array = wrap_view(view, (brio_dtype)dtype);
    if (!array) {
        PyBuffer_Release(view);
        PyMem_Free(view);
        return NULL;
    }
    if (odd && same_bytes_bool(&array) < 0) {
        brio_array_unref(array);
        return NULL;
    }
    return core_wrap_view(array, odd ? NULL : object);
}

/* ---- Out --------------------------------------------------------------------------------------- */

int core_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    brio_array *array = core_array(self);
    brio_array_layout layout = core_layout(array);
    view->obj = NULL;
    if ((flags & PyBUF_WRITABLE) && !layout.writeable) {
        PyErr_SetString(PyExc_BufferError, "the array is read-only");
        return -1;
    }
    int strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    if ((!strided && !layout.c_contiguous) ||
        ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !layout.c_contiguous) ||
        ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !layout.f_contiguous) ||
        ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !layout.c_contiguous &&
         !layout.f_contiguous)) {
        PyErr_SetString(PyExc_BufferError, "the array is not contiguous in the order asked for");
        return -1;
    }
    void *data = NULL;
    PyThreadState *state = core_work_begin(layout.pending ? layout.count : 0);
    brio_status status = brio_array_data(array, layout.writeable ? BRIO_READWRITE : BRIO_READ, &data);
    core_work_end(state);
    if (status == BRIO_OK && layout.writeable)
        status = brio_array_lend(array, 1);
    if (status != BRIO_OK)
        return core_fail(status);
    layout = core_layout(array);
    _Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "shapes are handed out as they are");
    view->buf = data;
    view->obj = Py_NewRef(self);
    view->itemsize = (Py_ssize_t)brio_dtype_size(layout.dtype);
    view->len = (Py_ssize_t)layout.count * view->itemsize;
    view->readonly = !layout.writeable;
    view->ndim = layout.ndim;
    view->format = flags & PyBUF_FORMAT ? (char *)core_dtype_format(layout.dtype) : NULL;
    view->shape = (flags & PyBUF_ND) == PyBUF_ND ? (Py_ssize_t *)layout.shape : NULL;
    view->strides = strided ? (Py_ssize_t *)layout.strides : NULL;
    if (layout.ndim == 0)
        view->shape = view->strides = NULL;
    if (!(flags & PyBUF_ND))
        view->shape = NULL, view->ndim = 1;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

void core_releasebuffer(PyObject *self, Py_buffer *view)
{
    if (view->readonly)
        return;
    core_enter();
    if (brio_array_lend(((array_object *)self)->array, 0) != BRIO_OK)
        PyErr_WriteUnraisable(self);
}

PyObject *core_array_interface(PyObject *self, void *closure)
{
    static const char *const typestr[BRIO_DTYPE_COUNT] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2",
                                                          "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"};
    brio_array *array = core_array(self);
    int writeable = core_layout(array).writeable;
    void *data = NULL;
    brio_status status = brio_array_data(array, writeable ? BRIO_READWRITE : BRIO_READ, &data);
    if (status == BRIO_OK && writeable)
        status = brio_array_lend(array, 1); /* nobody says when such a pointer is given up */
    if (status != BRIO_OK)
        return core_error(status);
    brio_array_layout layout = core_layout(array);
    PyObject *shape = core_tuple(layout.ndim, layout.shape);
    PyObject *strides = core_tuple(layout.ndim, layout.strides);
    PyObject *result = NULL;
    if (shape && strides)
        result = Py_BuildValue("{s:i,s:O,s:O,s:s,s:(KO)}", "version", 3, "shape", shape, "strides", strides,
                               "typestr", typestr[layout.dtype], "data", (unsigned long long)(uintptr_t)data,
                               writeable ? Py_False : Py_True);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return result;
}
