/* Operators of arrays: the number slots and comparisons, each one operation of the table. */
#include "core.h"

static int is_comparison(brio_op op)
{
    for (int i = OP_less; i <= OP_greater_equal; i++) {
        if (core.ops[i] == op)
            return 1;
    }
    return 0;
}

/* A Python int beyond 64 bits has an answer where it is compared or computed with as a float. */
static int reject_huge(brio_op op, const core_operand *in, int nin)
{
    brio_dtype dtypes[BRIO_MAX_IN], loop[BRIO_MAX_IN], out[BRIO_MAX_OUT];
    brio_dtype integer = BRIO_I64; /* which a Python int becomes, with an unsigned array that array's kind */
    int floats = 0;
    for (int i = 0; i < nin; i++) {
        const brio_operand *operand = &in[i].operand;
        dtypes[i] = operand->array ? core_layout(operand->array).dtype : operand->dtype;
        if (in[i].huge)
            continue;
        char kind = brio_dtype_kind(dtypes[i]);
        floats |= kind == 'f';
        integer = kind == 'u' ? BRIO_U64 : integer;
    }
    for (int i = 0; i < nin; i++)
        dtypes[i] = in[i].huge ? integer : dtypes[i];
    if (floats || is_comparison(op))
        return 0;
    if (brio_op_resolve(op, dtypes, loop, out) == BRIO_OK && brio_dtype_kind(loop[0]) == 'f')
        return 0;
    PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
    return -1;
}

/* Weak integers that do not fit still compare: as numbers of their own width. */
static int strengthen(brio_operand *in, int nin)
{
    int changed = 0;
    for (int i = 0; i < nin; i++) {
        if (!in[i].array && in[i].weak && brio_dtype_kind(in[i].dtype) != 'f')
            in[i].weak = 0, changed = 1;
    }
    return changed;
}

/* Hands conditions that floating-point work raised to brio._errstate, which warns, raises or calls. */
static int report(brio_op op, uint32_t flags)
{
    brio_op_info info;
    info.size = sizeof info;
    PyObject *module = PyImport_ImportModule("brio._errstate");
    if (!module || brio_op_describe(op, &info) != BRIO_OK) {
        Py_XDECREF(module);
        return -1;
    }
    PyObject *done = PyObject_CallMethod(module, "raised", "sI", info.name, (unsigned)flags);
    Py_DECREF(module);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyObject *core_map(brio_op op, core_operand *in, int nin, brio_map_options *options)
{
    static const brio_map_options defaults = BRIO_MAP_OPTIONS_INIT;
    brio_map_options strict;
    uint32_t flags = 0;
    if (core.strict_fp) {
        strict = options ? *options : defaults;
        strict.lazy = BRIO_LAZY_NEVER;
        strict.fp_flags = &flags;
        options = &strict;
    }
    int arrays = 0, huge = 0;
    for (int i = 0; i < nin; i++)
        arrays += in[i].operand.array != NULL, huge |= in[i].huge;
    if (huge && reject_huge(op, in, nin) < 0)
        return NULL;
    if (!arrays && core_operand_settle(&in[0]) < 0)
        return NULL;
    brio_operand operands[BRIO_MAX_IN];
    for (int i = 0; i < nin; i++)
        operands[i] = in[i].operand;
    brio_array *out[BRIO_MAX_OUT] = {NULL, NULL};
    PyThreadState *state = core_work_begin(core_operand_count(in, nin));
    brio_status status = brio_array_map(op, operands, options, out);
    if (status == BRIO_E_OVERFLOW && is_comparison(op) && strengthen(operands, nin))
        status = brio_array_map(op, operands, options, out);
    core_work_end(state);
    if (status != BRIO_OK)
        return core_error(status);
    if (flags && report(op, flags) < 0) {
        brio_array_unref(out[0]);
        brio_array_unref(out[1]);
        return NULL;
    }
    if (!out[1])
        return core_wrap(out[0]);
    PyObject *first = core_wrap(out[0]), *second = core_wrap(out[1]);
    PyObject *pair = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pair;
}

static PyObject *no_operation(core_operator id)
{
#define OPERATOR_NAME(name) #name,
    static const char *const names[] = {CORE_OPERATORS(OPERATOR_NAME)};
#undef OPERATOR_NAME
    PyErr_Format(PyExc_NotImplementedError, "this build of Brio has no operation %s", names[id]);
    return NULL;
}

/* Whether `object` asks that arrays leave operators to it. */
static int defers(PyObject *object)
{
    if (core_is_array(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object))
        return 0;
    PyObject *ufunc = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__array_ufunc__");
    if (!ufunc)
        PyErr_Clear();
    int result = ufunc == Py_None;
    Py_XDECREF(ufunc);
    return result;
}

static PyObject *binary_general(core_operator id, PyObject *a, PyObject *b)
{
    if (core.ops[id] == BRIO_OP_NONE)
        return no_operation(id);
    if (defers(a) || defers(b))
        Py_RETURN_NOTIMPLEMENTED;
    core_operand in[2] = {{{0}, NULL, 0}, {{0}, NULL, 0}};
    int taken = core_operand_try(a, &in[0]);
    if (taken > 0)
        taken = core_operand_try(b, &in[1]);
    PyObject *result = NULL;
    if (taken > 0)
        result = core_map(core.ops[id], in, 2, NULL);
    else if (taken == 0)
        result = Py_NewRef(Py_NotImplemented);
    core_operand_clear(&in[0]);
    core_operand_clear(&in[1]);
    return result;
}

static PyObject *binary(core_operator id, PyObject *a, PyObject *b)
{
    if (core_is_array(a) && core_is_array(b) && !core.strict_fp && core.ops[id] != BRIO_OP_NONE) {
        brio_array *result;
        core_enter();
        brio_status status = brio_array_map2_small(core.ops[id], ((array_object *)a)->array,
                                                   ((array_object *)b)->array, &result);
        if (status != BRIO_OK)
            return core_error(status);
        if (result)
            return core_wrap(result);
    }
    return binary_general(id, a, b);
}

static PyObject *inplace(core_operator id, PyObject *self, PyObject *other)
{
    if (core.ops[id] == BRIO_OP_NONE)
        return no_operation(id);
    core_operand in[2] = {{{0}, NULL, 0}, {{0}, NULL, 0}};
    if (defers(other))
        Py_RETURN_NOTIMPLEMENTED;
    int taken = core_operand_try(other, &in[1]);
    if (taken <= 0)
        return taken < 0 ? NULL : Py_NewRef(Py_NotImplemented);
    in[0].operand = brio_operand_array(core_array(self));
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    options.out[0] = core_array(self);
    PyObject *result = core_map(core.ops[id], in, 2, &options);
    core_operand_clear(&in[1]);
    if (!result)
        return NULL;
    Py_DECREF(result);
    return Py_NewRef(self);
}

static PyObject *unary(core_operator id, PyObject *self)
{
    if (core.ops[id] == BRIO_OP_NONE)
        return no_operation(id);
    core_operand in = {brio_operand_array(core_array(self)), NULL, 0};
    return core_map(core.ops[id], &in, 1, NULL);
}

/* One function a slot, for that is what a type holds. */
#define BINARY(name)                                                                                         \
    static PyObject *array_##name(PyObject *a, PyObject *b)                                                  \
    {                                                                                                        \
        return binary(OP_##name, a, b);                                                                      \
    }                                                                                                        \
    static PyObject *array_inplace_##name(PyObject *a, PyObject *b)                                          \
    {                                                                                                        \
        return inplace(OP_##name, a, b);                                                                     \
    }
#define UNARY(name)                                                                                          \
    static PyObject *array_##name(PyObject *a)                                                               \
    {                                                                                                        \
        return unary(OP_##name, a);                                                                          \
    }

BINARY(add)
BINARY(subtract)
BINARY(multiply)
BINARY(divide)
BINARY(floor_divide)
BINARY(remainder)
BINARY(left_shift)
BINARY(right_shift)
BINARY(bitwise_and)
BINARY(bitwise_or)
BINARY(bitwise_xor)
UNARY(negative)
UNARY(positive)
UNARY(absolute)
UNARY(invert)

/* As NumPy's operator, but not its ufunc, does: a float array to the power of a Python number that a simpler
 * operation carries out is that operation. BRIO_OP_NONE: it is a power. */
static brio_op simple_power(PyObject *base, PyObject *exponent)
{
    static const struct {
        double exponent;
        const char *name;
    } simple[] = {{0.5, "sqrt"}, {2, "square"}, {-1, "reciprocal"}, {1, "positive"}};
    brio_array_layout layout = {.size = sizeof layout};
    if (!core_is_array(base) || !(PyLong_CheckExact(exponent) || PyFloat_Check(exponent)) ||
        brio_array_info(core_array(base), &layout) != BRIO_OK || brio_dtype_kind(layout.dtype) != 'f' ||
        (!PyLong_CheckExact(exponent) && !PyFloat_CheckExact(exponent) && layout.dtype != BRIO_F64))
        return BRIO_OP_NONE;
    double number = PyFloat_AsDouble(exponent);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return BRIO_OP_NONE;
    }
    for (size_t i = 0; i < sizeof simple / sizeof simple[0]; i++)
        if (number == simple[i].exponent)
            return brio_op_find(simple[i].name);
    return BRIO_OP_NONE;
}

static PyObject *array_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    brio_op simple = simple_power(a, b);
    if (simple == BRIO_OP_NONE)
        return binary(OP_power, a, b);
    core_operand in = {brio_operand_array(core_array(a)), NULL, 0};
    return core_map(simple, &in, 1, NULL);
}

static PyObject *array_inplace_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    brio_op simple = simple_power(a, b);
    if (simple == BRIO_OP_NONE)
        return inplace(OP_power, a, b);
    core_operand in = {brio_operand_array(core_array(a)), NULL, 0};
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    options.out[0] = core_array(a);
    PyObject *result = core_map(simple, &in, 1, &options);
    if (!result)
        return NULL;
    Py_DECREF(result);
    return Py_NewRef(a);
}

static PyObject *array_divmod(PyObject *a, PyObject *b)
{
    PyObject *quotient = binary(OP_floor_divide, a, b);
    if (!quotient || quotient == Py_NotImplemented)
        return quotient;
    PyObject *rest = binary(OP_remainder, a, b);
    PyObject *pair = rest ? PyTuple_Pack(2, quotient, rest) : NULL;
    Py_DECREF(quotient);
    Py_XDECREF(rest);
    return pair;
}

static PyObject *array_matmul(PyObject *a, PyObject *b)
{
    if (defers(a) || defers(b))
        Py_RETURN_NOTIMPLEMENTED;
    core_operand in[2] = {{{0}, NULL, 0}, {{0}, NULL, 0}};
    int taken = core_operand_try(a, &in[0]);
    if (taken > 0)
        taken = core_operand_try(b, &in[1]);
    PyObject *result = NULL;
    if (taken == 0) {
        result = Py_NewRef(Py_NotImplemented);
    } else if (taken > 0 && (!in[0].operand.array || !in[1].operand.array)) {
        PyErr_SetString(PyExc_ValueError,
                        "matmul: an operand is a scalar and does not have enough dimensions "
                        "(has 0, expects 1 at least)");
    } else if (taken > 0) {
        brio_array *product;
        /* products take longer than their elements say */
        PyThreadState *state = core_work_begin(16 * core_operand_count(in, 2));
        brio_status status =
            brio_array_matmul((brio_array *)in[0].operand.array, (brio_array *)in[1].operand.array, &product);
        core_work_end(state);
        result = status == BRIO_OK ? core_wrap(product) : core_error(status);
    }
    core_operand_clear(&in[0]);
    core_operand_clear(&in[1]);
    return result;
}

static PyObject *array_inplace_matmul(PyObject *self, PyObject *other)
{
    PyObject *product = array_matmul(self, other);
    if (!product || product == Py_NotImplemented)
        return product;
    brio_operand from = brio_operand_array(core_array(product));
    brio_status status = brio_array_copyto(core_array(self), &from, BRIO_CAST_SAME_KIND, NULL);
    Py_DECREF(product);
    return status == BRIO_OK ? Py_NewRef(self) : core_error(status);
}

static PyObject *array_compare(PyObject *a, PyObject *b, int operation)
{
    static const core_operator ids[] = {
        [Py_LT] = OP_less,      [Py_LE] = OP_less_equal, [Py_EQ] = OP_equal,
        [Py_NE] = OP_not_equal, [Py_GT] = OP_greater,    [Py_GE] = OP_greater_equal};
    return binary(ids[operation], a, b);
}

/* ---- To Python numbers ------------------------------------------------------------------------- */

/* The one element of `self` as a Python number. `most` is how many dimensions may be there. */
static PyObject *only_element(PyObject *self, int most)
{
    brio_array *array = core_array(self);
    brio_array_layout layout = core_layout(array);
    if (layout.count != 1 || layout.ndim > most) {
        PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
        return NULL;
    }
    brio_value value;
    brio_status status = brio_array_item(array, &value);
    return status == BRIO_OK ? core_python(layout.dtype, &value) : core_error(status);
}

static int array_bool(PyObject *self)
{
    int64_t count = core_layout(core_array(self)).count;
    if (count != 1) {
        PyErr_SetString(PyExc_ValueError,
                        count == 0
                            ? "The truth value of an empty array is ambiguous. Use `array.size > 0` to "
                              "check that an array is not empty."
                            : "The truth value of an array with more than one element is ambiguous. Use "
                              "a.any() or a.all()");
        return -1;
    }
    PyObject *element = only_element(self, BRIO_MAX_DIMS);
    int truth = element ? PyObject_IsTrue(element) : -1;
    Py_XDECREF(element);
    return truth;
}

static PyObject *array_int(PyObject *self)
{
    PyObject *element = only_element(self, 0);
    PyObject *number = element ? PyNumber_Long(element) : NULL;
    Py_XDECREF(element);
    return number;
}

static PyObject *array_float(PyObject *self)
{
    PyObject *element = only_element(self, 0);
    PyObject *number = element ? PyNumber_Float(element) : NULL;
    Py_XDECREF(element);
    return number;
}

static PyObject *array_index(PyObject *self)
{
    brio_array_layout layout = core_layout(core_array(self));
    char kind = brio_dtype_kind(layout.dtype);
    if (layout.ndim != 0 || (kind != 'i' && kind != 'u')) {
        PyErr_SetString(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
        return NULL;
    }
    return only_element(self, 0);
}

PyType_Slot core_operator_slots[] = {
    {Py_nb_add, array_add},
    {Py_nb_subtract, array_subtract},
    {Py_nb_multiply, array_multiply},
    {Py_nb_true_divide, array_divide},
    {Py_nb_floor_divide, array_floor_divide},
    {Py_nb_remainder, array_remainder},
    {Py_nb_divmod, array_divmod},
    {Py_nb_power, array_power},
    {Py_nb_lshift, array_left_shift},
    {Py_nb_rshift, array_right_shift},
    {Py_nb_and, array_bitwise_and},
    {Py_nb_or, array_bitwise_or},
    {Py_nb_xor, array_bitwise_xor},
    {Py_nb_matrix_multiply, array_matmul},
    {Py_nb_inplace_add, array_inplace_add},
    {Py_nb_inplace_subtract, array_inplace_subtract},
    {Py_nb_inplace_multiply, array_inplace_multiply},
    {Py_nb_inplace_true_divide, array_inplace_divide},
    {Py_nb_inplace_floor_divide, array_inplace_floor_divide},
    {Py_nb_inplace_remainder, array_inplace_remainder},
    {Py_nb_inplace_power, array_inplace_power},
    {Py_nb_inplace_lshift, array_inplace_left_shift},
    {Py_nb_inplace_rshift, array_inplace_right_shift},
    {Py_nb_inplace_and, array_inplace_bitwise_and},
    {Py_nb_inplace_or, array_inplace_bitwise_or},
    {Py_nb_inplace_xor, array_inplace_bitwise_xor},
    {Py_nb_inplace_matrix_multiply, array_inplace_matmul},
    {Py_nb_negative, array_negative},
    {Py_nb_positive, array_positive},
    {Py_nb_absolute, array_absolute},
    {Py_nb_invert, array_invert},
    {Py_nb_bool, array_bool},
    {Py_nb_int, array_int},
    {Py_nb_float, array_float},
    {Py_nb_index, array_index},
    {Py_tp_richcompare, array_compare},
    {0, NULL},
};
