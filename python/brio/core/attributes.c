/* Attributes of arrays. None of them evaluates a pending array. */
#include "core.h"

static PyObject *get_shape(PyObject *self, void *closure)
{
    brio_array_layout layout = core_layout(core_array(self));
    return core_tuple(layout.ndim, layout.shape);
}

static PyObject *get_strides(PyObject *self, void *closure)
{
    brio_array_layout layout = core_layout(core_array(self));
    return core_tuple(layout.ndim, layout.strides);
}

static PyObject *get_ndim(PyObject *self, void *closure)
{
    return PyLong_FromLong(core_layout(core_array(self)).ndim);
}

static PyObject *get_size(PyObject *self, void *closure)
{
    return PyLong_FromLongLong(core_layout(core_array(self)).count);
}

static PyObject *get_itemsize(PyObject *self, void *closure)
{
    return PyLong_FromSize_t(brio_dtype_size(core_layout(core_array(self)).dtype));
}

static PyObject *get_nbytes(PyObject *self, void *closure)
{
    brio_array_layout layout = core_layout(core_array(self));
    return PyLong_FromLongLong(layout.count * (int64_t)brio_dtype_size(layout.dtype));
}

static PyObject *get_dtype(PyObject *self, void *closure)
{
    return Py_XNewRef(core_dtype_object(core_layout(core_array(self)).dtype));
}

static PyObject *get_base(PyObject *self, void *closure)
{
    PyObject *base = ((array_object *)self)->base;
    return Py_NewRef(base ? base : Py_None);
}

static PyObject *get_device(PyObject *self, void *closure)
{
    brio_device device = core_layout(core_array(self)).device;
    if (device.kind == BRIO_DEVICE_AUTO)
        device.kind = BRIO_DEVICE_CPU; /* not computed yet, so it is where the host is */
    char text[32];
    return PyUnicode_FromString(brio_device_format(device, text, sizeof text));
}

static PyObject *get_transposed(PyObject *self, void *closure)
{
    brio_array *result;
    brio_status status = brio_array_transpose(core_array(self), NULL, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

static PyObject *get_matrix_transposed(PyObject *self, void *closure)
{
    int axes[BRIO_MAX_DIMS];
    int ndim = core_layout(core_array(self)).ndim;
    if (ndim < 2) {
        PyErr_SetString(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
        return NULL;
    }
    for (int i = 0; i < ndim; i++)
        axes[i] = i;
    axes[ndim - 1] = ndim - 2, axes[ndim - 2] = ndim - 1;
    brio_array *result;
    brio_status status = brio_array_transpose(core_array(self), axes, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

/* closure: NULL for the real part, anything else for the imaginary one. */
static PyObject *get_part(PyObject *self, void *closure)
{
    brio_array *array = core_array(self);
    brio_array_layout layout = core_layout(array);
    if (brio_dtype_kind(layout.dtype) != 'c') {
        if (!closure)
            return Py_NewRef(self);
        brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
        spec.dtype = layout.dtype, spec.ndim = layout.ndim, spec.shape = layout.shape;
        brio_value zero;
        memset(&zero, 0, sizeof zero);
        brio_array *zeros;
        brio_status status = brio_array_full(&spec, &zero, &zeros);
        return status == BRIO_OK ? core_wrap(zeros) : core_error(status);
    }
    PyErr_SetString(PyExc_NotImplementedError, "parts of complex arrays cannot be taken");
    return NULL;
}

static PyObject *get_priority(PyObject *self, void *closure)
{
    return PyFloat_FromDouble(100.0);
}

static PyObject *get_pending(PyObject *self, void *closure)
{
    return PyBool_FromLong(core_layout(core_array(self)).pending);
}

static PyObject *get_flag_bits(PyObject *self, void *closure)
{
    brio_array_layout layout = core_layout(core_array(self));
    return Py_BuildValue("(NNN)", PyBool_FromLong(layout.c_contiguous), PyBool_FromLong(layout.f_contiguous),
                         PyBool_FromLong(layout.writeable));
}

static int set_writeable(PyObject *self, PyObject *value, void *closure)
{
    int truth = value ? PyObject_IsTrue(value) : -1;
    if (truth < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_AttributeError, "the flag cannot be deleted");
        return -1;
    }
    brio_status status = brio_array_set_writeable(core_array(self), truth);
    return status == BRIO_OK ? 0 : core_fail(status);
}

static int set_shape(PyObject *self, PyObject *value, void *closure)
{
    PyErr_SetString(PyExc_AttributeError, "the shape of a brio array cannot be set: use reshape");
    return -1;
}

PyGetSetDef core_attributes[] = {
    {"shape", get_shape, set_shape, "The extent of each axis.", NULL},
    {"strides", get_strides, NULL, "Bytes from one element to the next along each axis.", NULL},
    {"ndim", get_ndim, NULL, "The number of axes.", NULL},
    {"size", get_size, NULL, "The number of elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
    {"dtype", get_dtype, NULL, "The type of the elements.", NULL},
    {"base", get_base, NULL, "The object whose memory this array shows, or None.", NULL},
    {"device", get_device, NULL, "Where the elements are.", NULL},
    {"T", get_transposed, NULL, "The array with its axes reversed.", NULL},
    {"mT", get_matrix_transposed, NULL, "The array with its last two axes exchanged.", NULL},
    {"real", get_part, NULL, "The real part.", NULL},
    {"imag", get_part, NULL, "The imaginary part.", (void *)1},
    {"__array_priority__", get_priority, NULL, NULL, NULL},
    {"__array_interface__", core_array_interface, NULL, NULL, NULL},
    {"_pending", get_pending, NULL, "Whether the elements are not computed yet.", NULL},
    {"_flag_bits", get_flag_bits, set_writeable, "C order, Fortran order, writeable; set: writeable.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
