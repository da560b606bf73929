/* Single numbers between Python and the library. */
#include "core.h"

typedef struct integer_range {
    brio_dtype dtype;
    int64_t low;
    uint64_t high;
} integer_range;

static const integer_range ranges[] = {
    {BRIO_I8, INT8_MIN, INT8_MAX},    {BRIO_I16, INT16_MIN, INT16_MAX}, {BRIO_I32, INT32_MIN, INT32_MAX},
    {BRIO_I64, INT64_MIN, INT64_MAX}, {BRIO_U8, 0, UINT8_MAX},          {BRIO_U16, 0, UINT16_MAX},
    {BRIO_U32, 0, UINT32_MAX},        {BRIO_U64, 0, UINT64_MAX},
};

static int out_of_bounds(PyObject *number, brio_dtype dtype)
{
    PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for %s", number,
                 brio_dtype_name(dtype));
    return -1;
}

/* Every integer dtype is written through the two's complement low bytes of 64 bits. */
static void set_low_bits(brio_value *out, brio_dtype dtype, uint64_t bits)
{
    memset(out, 0, sizeof *out);
    switch (brio_dtype_size(dtype)) {
    case 1:
        out->u8 = (uint8_t)bits;
        break;
    case 2:
        out->u16 = (uint16_t)bits;
        break;
    case 4:
        out->u32 = (uint32_t)bits;
        break;
    default:
        out->u64 = bits;
    }
}

static int integer_value(PyObject *number, brio_dtype dtype, brio_value *out)
{
    const integer_range *range = ranges;
    while (range->dtype != dtype)
        range++;
    int overflow;
    long long small = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (small == -1 && PyErr_Occurred())
        return -1;
    if (overflow == 0) {
        if (small < range->low || (small > 0 && (uint64_t)small > range->high))
            return out_of_bounds(number, dtype);
        set_low_bits(out, dtype, (uint64_t)small);
        return 0;
    }
    if (overflow < 0 || dtype != BRIO_U64)
        return out_of_bounds(number, dtype);
    unsigned long long large = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return out_of_bounds(number, dtype);
    }
    set_low_bits(out, dtype, large);
    return 0;
}

static void set_half(double number, uint16_t *out)
{
    if (PyFloat_Pack2(number, (char *)out, PY_LITTLE_ENDIAN) < 0) {
        PyErr_Clear(); /* too large for 16 bits */
        *out = number < 0 ? 0xfc00 : 0x7c00;
    }
}

static int float_value(PyObject *object, brio_dtype dtype, brio_value *out)
{
    double number = PyFloat_AsDouble(object);
    if (number == -1.0 && PyErr_Occurred())
        return -1;
    memset(out, 0, sizeof *out);
    if (dtype == BRIO_F64)
        out->f64 = number;
    else if (dtype == BRIO_F32)
        out->f32 = (float)number;
    else
        set_half(number, &out->f16);
    return 0;
}

static int complex_value(PyObject *object, brio_dtype dtype, brio_value *out)
{
    Py_complex number = PyComplex_AsCComplex(object);
    if (PyErr_Occurred())
        return -1;
    memset(out, 0, sizeof *out);
    if (dtype == BRIO_C128) {
        out->c128[0] = number.real, out->c128[1] = number.imag;
    } else {
        float parts[2] = {(float)number.real, (float)number.imag};
        memcpy(out, parts, sizeof parts);
    }
    return 0;
}

int core_value(PyObject *object, brio_dtype dtype, brio_value *out)
{
    if (PyUnicode_Check(object) || PyBytes_Check(object)) {
        core_not_numbers(object);
        return -1;
    }
    char kind = brio_dtype_kind(dtype);
    if (kind == 'c')
        return complex_value(object, dtype, out);
    if (kind == 'f')
        return float_value(object, dtype, out);
    if (kind == 'b') {
        int truth = PyObject_IsTrue(object);
        memset(out, 0, sizeof *out);
        out->b = truth > 0;
        return truth < 0 ? -1 : 0;
    }
    if (PyLong_Check(object))
        return integer_value(object, dtype, out);
    PyObject *number = PyIndex_Check(object) ? PyNumber_Index(object) : PyNumber_Long(object);
    if (!number)
        return -1;
    int result = integer_value(number, dtype, out);
    Py_DECREF(number);
    return result;
}

/* One element where it lies, which may be at any address. */
#define LOAD(type)                                                                                           \
    static inline type load_##type(const void *element)                                                      \
    {                                                                                                        \
        type value;                                                                                          \
        memcpy(&value, element, sizeof value);                                                               \
        return value;                                                                                        \
    }
LOAD(int16_t)
LOAD(int32_t)
LOAD(int64_t)
LOAD(uint16_t)
LOAD(uint32_t)
LOAD(uint64_t)
LOAD(float)
LOAD(double)

PyObject *core_python(brio_dtype dtype, const void *element)
{
    const char *at = element;
    switch (dtype) {
    case BRIO_BOOL:
        return PyBool_FromLong(*at);
    case BRIO_I8:
        return PyLong_FromLong((signed char)*at);
    case BRIO_I16:
        return PyLong_FromLong(load_int16_t(at));
    case BRIO_I32:
        return PyLong_FromLong(load_int32_t(at));
    case BRIO_I64:
        return PyLong_FromLongLong(load_int64_t(at));
    case BRIO_U8:
        return PyLong_FromLong((unsigned char)*at);
    case BRIO_U16:
        return PyLong_FromLong(load_uint16_t(at));
    case BRIO_U32:
        return PyLong_FromUnsignedLong(load_uint32_t(at));
    case BRIO_U64:
        return PyLong_FromUnsignedLongLong(load_uint64_t(at));
    case BRIO_F16:
        return PyFloat_FromDouble(PyFloat_Unpack2(at, PY_LITTLE_ENDIAN));
    case BRIO_F32:
        return PyFloat_FromDouble((double)load_float(at));
    case BRIO_F64:
        return PyFloat_FromDouble(load_double(at));
    case BRIO_C64:
        return PyComplex_FromDoubles((double)load_float(at), (double)load_float(at + 4));
    case BRIO_C128:
        return PyComplex_FromDoubles(load_double(at), load_double(at + 8));
    default:
        break;
    }
    PyErr_SetString(PyExc_SystemError, "an array has a dtype that does not exist");
    return NULL;
}

int core_scalar_dtype(PyObject *object, brio_dtype *out)
{
    if (PyBool_Check(object)) {
        *out = BRIO_BOOL;
    } else if (PyFloat_CheckExact(object)) {
        *out = BRIO_F64;
    } else if (PyLong_Check(object)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
        (void)number;
        *out = BRIO_I64;
        if (overflow) {
            unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
            (void)large;
            if (overflow < 0 || PyErr_Occurred()) {
                PyErr_Clear();
                return -1;
            }
            *out = BRIO_U64;
        }
    } else if (PyFloat_Check(object) && !core_is_numpy_scalar(object)) {
        *out = BRIO_F64;
    } else if (PyComplex_Check(object) && !core_is_numpy_scalar(object)) {
        *out = BRIO_C128;
    } else {
        return -1;
    }
    return 0;
}

int core_arange_step(brio_dtype dtype, const brio_value *first, const brio_value *second, brio_value *step)
{
    memset(step, 0, sizeof *step);
    switch (brio_dtype_kind(dtype)) {
    case 'i':
    case 'u':
        /* low bits of the difference are right whatever lies above them */
        set_low_bits(step, dtype, second->u64 - first->u64);
        return 0;
    case 'f':
        if (dtype == BRIO_F64) {
            step->f64 = second->f64 - first->f64;
        } else if (dtype == BRIO_F32) {
            step->f32 = second->f32 - first->f32;
        } else {
            double low = PyFloat_Unpack2((const char *)&first->f16, PY_LITTLE_ENDIAN);
            set_half(PyFloat_Unpack2((const char *)&second->f16, PY_LITTLE_ENDIAN) - low, &step->f16);
        }
        return 0;
    default:
        PyErr_Format(PyExc_TypeError, "arange() does not make arrays of %s", brio_dtype_name(dtype));
        return -1;
    }
}
