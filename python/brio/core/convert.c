/* From any Python object to an operand or an array. */
#include "core.h"

/* ---- What kind of object ---------------------------------------------------------------------- */

static int find_numpy(void)
{
    if (core.numpy_generic)
        return 1;
    PyObject *module = PyDict_GetItemString(core.modules, "numpy");
    if (!module)
        return 0;
    PyObject *generic = PyObject_GetAttrString(module, "generic");
    PyObject *ndarray = generic ? PyObject_GetAttrString(module, "ndarray") : NULL;
    if (!ndarray) { /* NumPy's import is not finished */
        PyErr_Clear();
        Py_XDECREF(generic);
        return 0;
    }
    core.numpy_generic = generic, core.numpy_ndarray = ndarray;
    return 1;
}

static int is_instance(PyObject *object, PyObject *type)
{
    return PyType_Check(type) && PyObject_TypeCheck(object, (PyTypeObject *)type);
}

int core_is_numpy_scalar(PyObject *object)
{
    return find_numpy() && is_instance(object, core.numpy_generic);
}

int core_is_numpy_array(PyObject *object)
{
    return find_numpy() && is_instance(object, core.numpy_ndarray);
}

int core_has_buffer(PyObject *object)
{
    return PyObject_CheckBuffer(object) && !PyBytes_Check(object);
}

int core_is_sequence(PyObject *object)
{
    if (PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object))
        return 1;
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyDict_Check(object) ||
        PyObject_CheckBuffer(object))
        return 0;
    return PySequence_Check(object) && PyObject_HasAttrString(object, "__len__") &&
           !PyObject_HasAttrString(object, "__array__") && !PyObject_HasAttrString(object, "__dlpack__");
}

PyObject *core_not_numbers(PyObject *object)
{
    PyObject *dtype = NULL;
    if (core_is_numpy_scalar(object) || core_is_numpy_array(object)) {
        PyObject *descr = PyObject_GetAttrString(object, "dtype");
        dtype = descr ? PyObject_Str(descr) : NULL;
        Py_XDECREF(descr);
    } else if (PyUnicode_Check(object)) {
        dtype = PyUnicode_FromFormat("<U%zd", PyUnicode_GET_LENGTH(object));
    } else if (PyBytes_Check(object)) {
        dtype = PyUnicode_FromFormat("|S%zd", PyBytes_GET_SIZE(object));
    } else {
        PyErr_Format(PyExc_TypeError,
                     "brio arrays hold numbers; got dtype 'object' (an object of type '%.100s')",
                     Py_TYPE(object)->tp_name);
    }
    if (dtype)
        PyErr_Format(PyExc_TypeError, "brio arrays hold numbers; got dtype '%U'", dtype);
    Py_XDECREF(dtype);
    return NULL;
}

/* ---- Operands --------------------------------------------------------------------------------- */

static void set_array(core_operand *out, PyObject *array, PyObject *owner)
{
    out->operand = brio_operand_array(((array_object *)array)->array);
    out->owner = owner;
}

static int integer_operand(PyObject *object, core_operand *out)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (number == -1 && PyErr_Occurred())
        return -1;
    out->operand = brio_operand_int(number);
    if (!overflow)
        return 1;
    unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    if (overflow > 0 && !PyErr_Occurred()) {
        out->operand.dtype = BRIO_U64;
        out->operand.value.u64 = large;
        return 1;
    }
    PyErr_Clear();
    double rounded = PyLong_AsDouble(object);
    if (rounded == -1.0 && PyErr_Occurred())
        return -1;
    out->operand = brio_operand_float(rounded);
    out->huge = 1;
    return 1;
}

/* A NumPy scalar: its dtype counts, so the operand is strong. */
static int numpy_scalar_operand(PyObject *object, core_operand *out)
{
    PyObject *array = core_from_buffer(object);
    if (!array) {
        if (!PyErr_Occurred())
            core_not_numbers(object);
        return -1;
    }
    brio_array *handle = core_array(array);
    out->operand.array = NULL;
    out->operand.weak = 0;
    out->operand.dtype = core_layout(handle).dtype;
    brio_status status = brio_array_item(handle, &out->operand.value);
    Py_DECREF(array);
    return status == BRIO_OK ? 1 : core_fail(status);
}

int core_operand_try(PyObject *object, core_operand *out)
{
    out->owner = NULL;
    out->huge = 0;
    if (core_is_array(object)) {
        set_array(out, object, NULL);
        return 1;
    }
    if (PyFloat_CheckExact(object)) {
        out->operand = brio_operand_float(PyFloat_AS_DOUBLE(object));
        return 1;
    }
    if (PyBool_Check(object)) {
        out->operand = brio_operand_int(0);
        out->operand.dtype = BRIO_BOOL;
        out->operand.value.b = object == Py_True;
        return 1;
    }
    if (PyLong_Check(object))
        return integer_operand(object, out);
    if (core_is_numpy_scalar(object))
        return numpy_scalar_operand(object, out);
    if (PyFloat_Check(object)) {
        out->operand = brio_operand_float(PyFloat_AS_DOUBLE(object));
        return 1;
    }
    PyObject *array = NULL;
    if (core_is_numpy_array(object) || PyMemoryView_Check(object))
        array = core_borrow(object);
    else if (PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object))
        array = core_from_sequence(object, -1);
    else
        return 0;
    if (!array)
        return -1;
    set_array(out, array, array);
    return 1;
}

int core_operand_get(PyObject *object, core_operand *out)
{
    int taken = core_operand_try(object, out);
    if (taken != 0)
        return taken < 0 ? -1 : 0;
    PyObject *array = core_borrow(object);
    if (!array)
        return -1;
    set_array(out, array, array);
    return 0;
}

void core_operand_clear(core_operand *operand)
{
    Py_CLEAR(operand->owner);
}

int core_operand_fits(const core_operand *operand, const brio_array *to)
{
    if (!operand->huge || brio_dtype_kind(core_layout(to).dtype) == 'f')
        return 0;
    PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
    return -1;
}

int core_operand_settle(core_operand *operand)
{
    if (operand->operand.array)
        return 0;
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    spec.dtype = operand->operand.dtype;
    brio_array *array;
    core_enter();
    brio_status status = brio_array_full(&spec, &operand->operand.value, &array);
    if (status != BRIO_OK)
        return core_fail(status);
    PyObject *object = core_wrap(array);
    if (!object)
        return -1;
    set_array(operand, object, object);
    return 0;
}

int64_t core_operand_count(const core_operand *operands, int n)
{
    int64_t most = 0;
    for (int i = 0; i < n; i++) {
        int64_t count = operands[i].operand.array ? core_layout(operands[i].operand.array).count : 1;
        most = count > most ? count : most;
    }
    return most;
}

/* ---- Arrays ----------------------------------------------------------------------------------- */

PyObject *core_cast(PyObject *self, brio_dtype dtype, brio_casting casting, char order)
{
    brio_array *from = core_array(self), *result;
    PyThreadState *state = core_work_begin(core_layout(from).count);
    brio_status status = brio_array_cast(from, dtype, casting, order, &result);
    core_work_end(state);
    return status == BRIO_OK ? core_wrap(result) : core_error(status);
}

static PyObject *no_copy(void)
{
    PyErr_SetString(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
    return NULL;
}

/* An array object that shows what `object` holds, or a new one; sets *fresh when nobody else has it. */
static PyObject *show(PyObject *object, int dtype, int *fresh)
{
    *fresh = 0;
    if (core_is_array(object))
        return Py_NewRef(object);
    if (core_is_numpy_array(object) || core_has_buffer(object)) {
        PyObject *array = core_from_buffer(object);
        if (array || PyErr_Occurred())
            return array;
    }
    brio_dtype scalar;
    *fresh = 1;
    if (core_scalar_dtype(object, &scalar) == 0)
        return core_from_scalar(object, dtype);
    if (PyUnicode_Check(object) || PyBytes_Check(object))
        return core_not_numbers(object);
    if (core_is_sequence(object))
        return core_from_sequence(object, dtype);
    PyObject *module = PyImport_ImportModule("brio._interop");
    if (!module)
        return NULL;
    *fresh = 0;
    PyObject *array = PyObject_CallMethod(module, "take_in", "O", object);
    Py_DECREF(module);
    if (array && !core_is_array(array)) {
        Py_DECREF(array);
        return core_not_numbers(object);
    }
    return array;
}

PyObject *core_convert(PyObject *object, int dtype, int copy, char order)
{
    int fresh;
    PyObject *array = show(object, dtype, &fresh);
    if (!array)
        return NULL;
    brio_array_layout layout = core_layout(core_array(array));
    int same = dtype < 0 || layout.dtype == (brio_dtype)dtype;
    int ordered = order == 'K' || (order == 'C' && layout.c_contiguous) ||
                  (order == 'F' && layout.f_contiguous) ||
                  (order == 'A' && (layout.c_contiguous || layout.f_contiguous));
    int foreign = array != object && !fresh;
    if (copy == 0 && (fresh || !same || !ordered)) {
        Py_DECREF(array);
        return no_copy();
    }
    if (same && ordered && (copy == 0 || (copy < 0 && !foreign) || (fresh && copy > 0)))
        return array;
    PyObject *result = core_cast(array, same ? layout.dtype : (brio_dtype)dtype, BRIO_CAST_UNSAFE, order);
    Py_DECREF(array);
    return result;
}

PyObject *core_asarray(PyObject *object)
{
    return core_is_array(object) ? Py_NewRef(object) : core_convert(object, -1, -1, 'K');
}

PyObject *core_borrow(PyObject *object)
{
    int fresh;
    return show(object, -1, &fresh);
}

PyObject *core_from_scalar(PyObject *object, int dtype)
{
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    if (dtype >= 0)
        spec.dtype = (brio_dtype)dtype;
    else if (core_scalar_dtype(object, &spec.dtype) < 0)
        return core_not_numbers(object);
    brio_value value;
    if (core_value(object, spec.dtype, &value) < 0)
        return NULL;
    brio_array *array;
    core_enter();
    brio_status status = brio_array_full(&spec, &value, &array);
    return status == BRIO_OK ? core_wrap(array) : core_error(status);
}
