/* Mechanism M1: the number slots and comparison of ndarray.
 *
 * Each slot first asks whether an operand is large; when none is, it forwards at once. Nodes have the
 * same functions in their own slots. */
#include "interpose.h"

#include <string.h>

/* ufunc, slot */
#define BINARY(X)                                                                                            \
    X(add, nb_add)                                                                                           \
    X(subtract, nb_subtract)                                                                                 \
    X(multiply, nb_multiply) X(divide, nb_true_divide) X(floor_divide, nb_floor_divide)                      \
        X(remainder, nb_remainder) X(bitwise_and, nb_and) X(bitwise_or, nb_or) X(bitwise_xor, nb_xor)        \
            X(left_shift, nb_lshift) X(right_shift, nb_rshift)
#define UNARY(X)                                                                                             \
    X(negative, nb_negative) X(positive, nb_positive) X(absolute, nb_absolute) X(invert, nb_invert)
#define INPLACE(X)                                                                                           \
    X(add, nb_inplace_add)                                                                                   \
    X(subtract, nb_inplace_subtract)                                                                         \
    X(multiply, nb_inplace_multiply) X(divide, nb_inplace_true_divide)                                       \
        X(floor_divide, nb_inplace_floor_divide) X(remainder, nb_inplace_remainder)                          \
            X(bitwise_and, nb_inplace_and) X(bitwise_or, nb_inplace_or) X(bitwise_xor, nb_inplace_xor)       \
                X(left_shift, nb_inplace_lshift) X(right_shift, nb_inplace_rshift)

/* One slot: the operation, the original and how it is called. */
typedef struct operator_entry {
    accel_op *op;
    accel_original original;
} operator_entry;

#define DECLARE(name, slot) static operator_entry entry_##slot;
BINARY(DECLARE)
UNARY(DECLARE)
INPLACE(DECLARE)
static operator_entry entry_power, entry_square, entry_sqrt, entry_reciprocal, entry_compare[6];
static ternaryfunc original_power, original_inplace_power;

static PyObject *forward_pending(const operator_entry *entry, PyObject *const *objects, int n)
{
    return accel_quiet(&entry->original, objects, n);
}

#define BINARY_SLOT(name, slot)                                                                              \
    static PyObject *call_##slot(PyObject *a, PyObject *b)                                                   \
    {                                                                                                        \
        if (__builtin_expect(accel_is_large(a) || accel_is_large(b), 0))                                     \
            return accel_elementwise(entry_##slot.op, &entry_##slot.original, (PyObject *[]){a, b}, 2,       \
                                     NULL);                                                                  \
        if (__builtin_expect(accel_pending != 0, 0))                                                         \
            return forward_pending(&entry_##slot, (PyObject *[]){a, b}, 2);                                  \
        return entry_##slot.original.as.binary(a, b);                                                        \
    }
BINARY(BINARY_SLOT)

#define UNARY_SLOT(name, slot)                                                                               \
    static PyObject *call_##slot(PyObject *a)                                                                \
    {                                                                                                        \
        if (__builtin_expect(accel_is_large(a), 0))                                                          \
            return accel_elementwise(entry_##slot.op, &entry_##slot.original, (PyObject *[]){a}, 1, NULL);   \
        if (__builtin_expect(accel_pending != 0, 0))                                                         \
            return forward_pending(&entry_##slot, (PyObject *[]){a}, 1);                                     \
        return entry_##slot.original.as.unary(a);                                                            \
    }
UNARY(UNARY_SLOT)

#define INPLACE_SLOT(name, slot)                                                                             \
    static PyObject *call_##slot(PyObject *a, PyObject *b)                                                   \
    {                                                                                                        \
        if (__builtin_expect(accel_is_large(a) || Py_TYPE(b) == &accel_node_type, 0))                        \
            return accel_inplace(entry_##slot.op, &entry_##slot.original, a, b);                             \
        if (__builtin_expect(accel_pending != 0, 0) && accel_settle_pending() < 0)                           \
            return NULL;                                                                                     \
        return entry_##slot.original.as.binary(a, b);                                                        \
    }
INPLACE(INPLACE_SLOT)

/* ---- Power --------------------------------------------------------------------------------------- */

/* NumPy's fast ways: x**2 is square, x**0.5 sqrt, x**-1 reciprocal, for arrays of floats. `anyway`: not
 * only where NumPy does so. */
static const operator_entry *fast_power(PyObject *exponent)
{
    if (PyLong_CheckExact(exponent)) {
        int overflow;
        long number = PyLong_AsLongAndOverflow(exponent, &overflow);
        return overflow ? NULL : number == 2 ? &entry_square : number == -1 ? &entry_reciprocal : NULL;
    }
    if (PyFloat_CheckExact(exponent)) {
        double number = PyFloat_AS_DOUBLE(exponent);
        return number == 2.0    ? &entry_square
               : number == 0.5  ? &entry_sqrt
               : number == -1.0 ? &entry_reciprocal
                                : NULL;
    }
    return NULL;
}

static int is_float_operand(PyObject *object)
{
    accel_operand operand;
    return accel_operand_read(object, &operand) && operand.kind < BRIO_DTYPE_COUNT &&
           brio_dtype_kind((brio_dtype)operand.kind) == 'f';
}

static PyObject *large_power(PyObject *a, PyObject *b)
{
    PyObject *objects[2] = {a, b};
    const operator_entry *fast = is_float_operand(a) ? fast_power(b) : NULL;
    if (fast)
        return accel_elementwise(fast->op, &fast->original, objects, 2, NULL);
    return accel_elementwise(entry_power.op, &entry_power.original, objects, 2, NULL);
}

static PyObject *call_nb_power(PyObject *a, PyObject *b, PyObject *modulo)
{
    if (__builtin_expect(modulo == Py_None && (accel_is_large(a) || accel_is_large(b)), 0))
        return large_power(a, b);
    if (__builtin_expect(accel_pending != 0 && modulo == Py_None, 0))
        return forward_pending(&entry_power, (PyObject *[]){a, b}, 2);
    return original_power(a, b, modulo);
}

static PyObject *call_nb_inplace_power(PyObject *a, PyObject *b, PyObject *modulo)
{
    if (__builtin_expect(accel_pending != 0 && accel_settle_pending() < 0, 0))
        return NULL;
    PyObject *plain = accel_plain(b);
    if (!plain)
        return NULL;
    PyObject *result = original_inplace_power(a, plain, modulo);
    Py_DECREF(plain);
    return result;
}

/* ---- Comparison ------------------------------------------------------------------------------------ */

static richcmpfunc original_compare;
static const char *const comparisons[6] = {"less",      "less_equal", "equal",
                                           "not_equal", "greater",    "greater_equal"};

static PyObject *call_compare(PyObject *a, PyObject *b, int which)
{
    if (__builtin_expect(accel_is_large(a) || accel_is_large(b), 0) && which >= 0 && which < 6)
        return accel_elementwise(entry_compare[which].op, &entry_compare[which].original,
                                 (PyObject *[]){a, b}, 2, NULL);
    if (__builtin_expect(accel_pending != 0, 0))
        return forward_pending(&entry_compare[which], (PyObject *[]){a, b}, 2);
    return original_compare(a, b, which);
}

PyObject *accel_node_compare(PyObject *a, PyObject *b, int which)
{
    return call_compare(a, b, which);
}

/* ---- Attaching --------------------------------------------------------------------------------------- */

#define NODE_BINARY(name, slot) .slot = call_##slot,
PyNumberMethods accel_node_number = {BINARY(NODE_BINARY) UNARY(NODE_BINARY).nb_power = call_nb_power};

static int attach_slot(void **where, void *now, operator_entry *entry, const char *name, accel_form form)
{
    entry->op = accel_op_by_name(name);
    if (!entry->op || !*where)
        return 0;
    entry->original.form = form;
    /* Every function pointer has one representation here; the union's members share it. */
    memcpy(&entry->original.as, where, sizeof *where);
    return accel_patch_set(where, now);
}

static int attach_power(PyNumberMethods *number)
{
    static const struct {
        operator_entry *entry;
        const char *name;
    } entries[] = {{&entry_power, "power"},
                   {&entry_square, "square"},
                   {&entry_sqrt, "sqrt"},
                   {&entry_reciprocal, "reciprocal"}};
    original_power = number->nb_power;
    original_inplace_power = number->nb_inplace_power;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        entries[i].entry->op = accel_op_by_name(entries[i].name);
        entries[i].entry->original = (accel_original){.form = ACCEL_POWER, .as.power = original_power};
        if (!entries[i].entry->op)
            return 0;
    }
    if (accel_patch_set((void **)&number->nb_inplace_power, (void *)call_nb_inplace_power) < 0)
        return -1;
    return accel_patch_set((void **)&number->nb_power, (void *)call_nb_power);
}

static int attach_compare(void)
{
    original_compare = accel_array_type->tp_richcompare;
    for (int i = 0; i < 6; i++) {
        entry_compare[i].op = accel_op_by_name(comparisons[i]);
        entry_compare[i].original =
            (accel_original){.form = ACCEL_COMPARE, .as.compare = original_compare, .compare_op = i};
        if (!entry_compare[i].op)
            return 0;
    }
    return accel_patch_set((void **)&accel_array_type->tp_richcompare, (void *)call_compare);
}

int accel_operators_attach(void)
{
    PyNumberMethods *number = accel_array_type->tp_as_number;
#define ATTACH_BINARY(name, slot)                                                                            \
    if (attach_slot((void **)&number->slot, (void *)call_##slot, &entry_##slot, #name, ACCEL_BINARY) < 0)    \
        return -1;
#define ATTACH_UNARY(name, slot)                                                                             \
    if (attach_slot((void **)&number->slot, (void *)call_##slot, &entry_##slot, #name, ACCEL_UNARY) < 0)     \
        return -1;
    BINARY(ATTACH_BINARY)
    INPLACE(ATTACH_BINARY)
    UNARY(ATTACH_UNARY)
    return attach_power(number) < 0 ? -1 : attach_compare();
}
