/* What an operation was given: exact ndarrays, nodes, numbers. */
#include "interpose.h"

#include <float.h>
#include <math.h>
#include <string.h>

PyTypeObject *accel_array_type;
PyArray_Descr *accel_descr[BRIO_DTYPE_COUNT];

static int8_t dtype_of_type_num[NPY_NTYPES_LEGACY];

typedef struct scalar_type {
    PyTypeObject *type;
    uint8_t dtype;
} scalar_type;

static scalar_type scalar_types[BRIO_DTYPE_COUNT];
static int scalar_type_count;

static void learn(int type_num, brio_dtype dtype, PyTypeObject *scalar)
{
    dtype_of_type_num[type_num] = (int8_t)dtype;
    accel_descr[dtype] = PyArray_DescrFromType(type_num);
    scalar_types[scalar_type_count++] = (scalar_type){scalar, (uint8_t)dtype};
}

void accel_operands_load(void)
{
    if (scalar_type_count)
        return;
    accel_array_type = &PyArray_Type;
    memset(dtype_of_type_num, -1, sizeof dtype_of_type_num);
    learn(NPY_BOOL, BRIO_BOOL, &PyBoolArrType_Type);
    learn(NPY_INT8, BRIO_I8, &PyInt8ArrType_Type);
    learn(NPY_INT16, BRIO_I16, &PyInt16ArrType_Type);
    learn(NPY_INT32, BRIO_I32, &PyInt32ArrType_Type);
    learn(NPY_INT64, BRIO_I64, &PyInt64ArrType_Type);
    learn(NPY_UINT8, BRIO_U8, &PyUInt8ArrType_Type);
    learn(NPY_UINT16, BRIO_U16, &PyUInt16ArrType_Type);
    learn(NPY_UINT32, BRIO_U32, &PyUInt32ArrType_Type);
    learn(NPY_UINT64, BRIO_U64, &PyUInt64ArrType_Type);
    learn(NPY_FLOAT32, BRIO_F32, &PyFloat32ArrType_Type);
    learn(NPY_FLOAT64, BRIO_F64, &PyFloat64ArrType_Type);
}

int accel_array_dtype(PyArrayObject *array)
{
    int type_num = PyArray_TYPE(array);
    if (type_num < 0 || type_num >= NPY_NTYPES_LEGACY || dtype_of_type_num[type_num] < 0)
        return -1;
    int dtype = dtype_of_type_num[type_num];
    /* The one descriptor of the dtype: native byte order, no metadata. */
    return PyArray_DESCR(array) == accel_descr[dtype] && (PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) ? dtype
                                                                                                    : -1;
}

/* NumPy's private flag of arrays from broadcast_arrays, where writing warns. */
enum { WARN_ON_WRITE = 1 << 31 };

int accel_is_writeable(PyArrayObject *array)
{
    return PyArray_ISWRITEABLE(array) && !(PyArray_FLAGS(array) & WARN_ON_WRITE);
}

static int read_array(PyArrayObject *array, accel_operand *out)
{
    int dtype = accel_array_dtype(array);
    if (dtype < 0 || PyArray_NDIM(array) > ACCEL_MAX_DIMS)
        return 0;
    out->kind = (uint8_t)dtype;
    out->ndim = PyArray_NDIM(array);
    out->shape = PyArray_DIMS(array);
    out->strides = PyArray_STRIDES(array);
    if (out->ndim == 0) {
        out->is_scalar = 1;
        out->scalar.dtype = (brio_dtype)dtype;
        memcpy(&out->scalar.value, PyArray_DATA(array), (size_t)PyArray_ITEMSIZE(array));
    }
    return 1;
}

static int read_node(accel_node *node, accel_operand *out)
{
    if (node->settled) {
        out->object = node->value;
        return node->value && accel_is_array(node->value) && read_array((PyArrayObject *)node->value, out);
    }
    out->is_node = 1;
    out->kind = node->dtype;
    out->ndim = node->ndim;
    out->shape = node->shape;
    out->strides = node->strides;
    return 1;
}

static int read_python_int(PyObject *object, accel_operand *out)
{
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow)
        return 0;
    out->kind = ACCEL_WEAK_INT;
    out->scalar = brio_operand_int(number);
    return 1;
}

static int read_numpy_scalar(PyObject *object, accel_operand *out)
{
    for (int i = 0; i < scalar_type_count; i++) {
        if (scalar_types[i].type != Py_TYPE(object))
            continue;
        out->kind = scalar_types[i].dtype;
        out->scalar.dtype = (brio_dtype)out->kind;
        PyArray_ScalarAsCtype(object, &out->scalar.value);
        return 1;
    }
    return 0;
}

int accel_operand_read(PyObject *object, accel_operand *out)
{
    *out = (accel_operand){.object = object};
    PyTypeObject *type = Py_TYPE(object);
    if (type == accel_array_type)
        return read_array((PyArrayObject *)object, out);
    if (type == &accel_node_type)
        return read_node((accel_node *)object, out);
    out->is_scalar = 1;
    if (type == &PyFloat_Type) {
        out->kind = ACCEL_WEAK_FLOAT;
        out->scalar = brio_operand_float(PyFloat_AS_DOUBLE(object));
        return 1;
    }
    if (type == &PyLong_Type)
        return read_python_int(object, out);
    if (type == &PyBool_Type) {
        out->kind = BRIO_BOOL;
        out->scalar.dtype = BRIO_BOOL;
        out->scalar.value.b = object == Py_True;
        return 1;
    }
    return read_numpy_scalar(object, out);
}

static int int_fits(int64_t number, uint8_t dtype)
{
    int bits = (int)brio_dtype_size((brio_dtype)dtype) * 8;
    if (brio_dtype_kind((brio_dtype)dtype) == 'u')
        return number >= 0 && (bits == 64 || number < (int64_t)1 << bits);
    return bits == 64 || (number >= -((int64_t)1 << (bits - 1)) && number < (int64_t)1 << (bits - 1));
}

int accel_scalar_fits(const accel_operand *operand, uint8_t dtype)
{
    char kind = brio_dtype_kind((brio_dtype)dtype);
    if (operand->kind == ACCEL_WEAK_INT) {
        int64_t number = operand->scalar.value.i64;
        if (kind == 'f')
            return number >= -((int64_t)1 << 53) && number <= (int64_t)1 << 53;
        return (kind == 'i' || kind == 'u') && int_fits(number, dtype);
    }
    if (operand->kind == ACCEL_WEAK_FLOAT) {
        double number = fabs(operand->scalar.value.f64);
        return kind == 'f' && (dtype == BRIO_F64 || !isfinite(number) || number == 0.0 ||
                               (number >= FLT_MIN && number <= FLT_MAX));
    }
    if (operand->kind == dtype)
        return 1;
    /* A strong scalar that is cast: only where no value can raise a condition. */
    return !(operand->kind == BRIO_F64 && dtype == BRIO_F32);
}

int64_t accel_scalar_int(const accel_operand *operand)
{
    switch (operand->scalar.dtype) {
    case BRIO_BOOL:
        return operand->scalar.value.b != 0;
    case BRIO_I8:
        return operand->scalar.value.i8;
    case BRIO_I16:
        return operand->scalar.value.i16;
    case BRIO_I32:
        return operand->scalar.value.i32;
    case BRIO_U8:
        return operand->scalar.value.u8;
    case BRIO_U16:
        return operand->scalar.value.u16;
    case BRIO_U32:
        return operand->scalar.value.u32;
    default:
        return operand->scalar.value.i64; /* I64, and U64 where it fits; else negative */
    }
}

static double scalar_double(const accel_operand *operand)
{
    if (operand->scalar.dtype == BRIO_F64)
        return operand->scalar.value.f64;
    if (operand->scalar.dtype == BRIO_F32)
        return (double)operand->scalar.value.f32;
    if (operand->scalar.dtype == BRIO_U64)
        return (double)operand->scalar.value.u64;
    return (double)accel_scalar_int(operand);
}

static void set_int(brio_operand *to, uint64_t number)
{
    switch (brio_dtype_size(to->dtype)) {
    case 1:
        to->value.u8 = (uint8_t)number;
        break;
    case 2:
        to->value.u16 = (uint16_t)number;
        break;
    case 4:
        to->value.u32 = (uint32_t)number;
        break;
    default:
        to->value.u64 = number;
    }
}

/* The scalar as a strong one of the loop's dtype, so that no promotion is left to do. */
brio_operand accel_scalar_operand(const accel_operand *operand, uint8_t dtype)
{
    brio_operand result = {NULL, (brio_dtype)dtype, 0, {0}};
    if (dtype == BRIO_F64)
        result.value.f64 = scalar_double(operand);
    else if (dtype == BRIO_F32)
        result.value.f32 = (float)scalar_double(operand);
    else if (dtype == BRIO_BOOL)
        result.value.b = operand->scalar.dtype == BRIO_F64 || operand->scalar.dtype == BRIO_F32
                             ? scalar_double(operand) != 0
                             : accel_scalar_int(operand) != 0;
    else
        set_int(&result, (uint64_t)accel_scalar_int(operand));
    return result;
}
