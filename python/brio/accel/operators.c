/* Mechanism M1: the number slots and comparison of ndarray, for the sake of nodes.
 *
 * An operator of two ndarrays ends in a ufunc, and that is where it is looked at (ufuncs.c). Here only
 * nodes are taken out of the way; everything else is forwarded after comparing two types. Nodes have the
 * same functions in their own slots. */
#include "interpose.h"

#include <string.h>

/* ufunc, slot */
#define BINARY(X)                                                                                            \
    X(add, nb_add)                                                                                           \
    X(subtract, nb_subtract)                                                                                 \
    X(multiply, nb_multiply)                                                                                 \
    X(divide, nb_true_divide)                                                                                \
    X(floor_divide, nb_floor_divide)                                                                         \
    X(remainder, nb_remainder)                                                                               \
    X(bitwise_and, nb_and)                                                                                   \
    X(bitwise_or, nb_or) X(bitwise_xor, nb_xor) X(left_shift, nb_lshift) X(right_shift, nb_rshift)
#define UNARY(X)                                                                                             \
    X(negative, nb_negative) X(positive, nb_positive) X(absolute, nb_absolute) X(invert, nb_invert)
#define INPLACE(X)                                                                                           \
    X(add, nb_inplace_add)                                                                                   \
    X(subtract, nb_inplace_subtract)                                                                         \
    X(multiply, nb_inplace_multiply)                                                                         \
    X(divide, nb_inplace_true_divide)                                                                        \
    X(floor_divide, nb_inplace_floor_divide)                                                                 \
    X(remainder, nb_inplace_remainder)                                                                       \
    X(bitwise_and, nb_inplace_and)                                                                           \
    X(bitwise_or, nb_inplace_or)                                                                             \
    X(bitwise_xor, nb_inplace_xor) X(left_shift, nb_inplace_lshift) X(right_shift, nb_inplace_rshift)

/* One slot: the operation, the original and how it is called. */
typedef struct operator_entry {
    accel_op *op;
    accel_original original;
} operator_entry;

#define DECLARE(name, slot) static operator_entry entry_##slot;
BINARY(DECLARE)
UNARY(DECLARE)
INPLACE(DECLARE)
static operator_entry entry_power, entry_compare[6];
static ternaryfunc original_power, original_inplace_power;

static int is_node(PyObject *object)
{
    return Py_TYPE(object) == &accel_node_type;
}

#define BINARY_SLOT(name, slot)                                                                              \
    static PyObject *call_##slot(PyObject *a, PyObject *b)                                                   \
    {                                                                                                        \
        if (__builtin_expect(is_node(b) || is_node(a), 0))                                                   \
            return accel_elementwise(entry_##slot.op, &entry_##slot.original, (PyObject *[]){a, b}, 2,       \
                                     NULL);                                                                  \
        return entry_##slot.original.as.binary(a, b);                                                        \
    }
BINARY(BINARY_SLOT)

#define UNARY_SLOT(name, slot)                                                                               \
    static PyObject *call_##slot(PyObject *a)                                                                \
    {                                                                                                        \
        return accel_elementwise(entry_##slot.op, &entry_##slot.original, (PyObject *[]){a}, 1, NULL);       \
    }
UNARY(UNARY_SLOT)

#define INPLACE_SLOT(name, slot)                                                                             \
    static PyObject *call_##slot(PyObject *a, PyObject *b)                                                   \
    {                                                                                                        \
        if (__builtin_expect(is_node(b), 0))                                                                 \
            return accel_inplace(entry_##slot.op, &entry_##slot.original, a, b);                             \
        return entry_##slot.original.as.binary(a, b);                                                        \
    }
INPLACE(INPLACE_SLOT)

/* ---- Power --------------------------------------------------------------------------------------- */

static PyObject *call_nb_power(PyObject *a, PyObject *b, PyObject *modulo)
{
    if (__builtin_expect((is_node(a) || is_node(b)) && modulo == Py_None, 0))
        return accel_elementwise(entry_power.op, &entry_power.original, (PyObject *[]){a, b}, 2, NULL);
    return original_power(a, b, modulo);
}

static PyObject *call_nb_inplace_power(PyObject *a, PyObject *b, PyObject *modulo)
{
    if (__builtin_expect(!is_node(b), 1))
        return original_inplace_power(a, b, modulo);
    PyObject *plain = accel_plain(b);
    PyObject *result = plain ? original_inplace_power(a, plain, modulo) : NULL;
    Py_XDECREF(plain);
    return result;
}

/* ---- Comparison ------------------------------------------------------------------------------------ */

static richcmpfunc original_compare;
static const char *const comparisons[6] = {"less",      "less_equal", "equal",
                                           "not_equal", "greater",    "greater_equal"};

static PyObject *call_compare(PyObject *a, PyObject *b, int which)
{
    if (__builtin_expect(is_node(b) || is_node(a), 0))
        return accel_elementwise(entry_compare[which].op, &entry_compare[which].original,
                                 (PyObject *[]){a, b}, 2, NULL);
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
    if (!*where)
        return 0;
    entry->original.form = form;
    /* Every function pointer has one representation here; the union's members share it. */
    memcpy(&entry->original.as, where, sizeof *where);
    /* A node alone has unary operators of ours: one operand is a node or is not. */
    return form == ACCEL_UNARY || !entry->op ? 0 : accel_patch_set(where, now);
}

static int attach_power(PyNumberMethods *number)
{
    original_power = number->nb_power;
    original_inplace_power = number->nb_inplace_power;
    entry_power.op = accel_op_by_name("power");
    entry_power.original = (accel_original){.form = ACCEL_POWER, .as.power = original_power};
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
