/* Operators of nodes (mechanism M1, on the type of nodes alone).
 *
 * An operator of two ndarrays ends in a ufunc, and that is where it is looked at (ufuncs.c): ndarray's own
 * slots stay untouched and cost nothing. Beside a node ndarray steps back by NumPy's own protocol, since
 * nodes have __array_ufunc__ = None, and the slots here are asked. Operators in place do not step back;
 * their ufunc receives the node. */
#include "interpose.h"

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

#define BINARY_SLOT(name, slot)                                                                              \
    static PyObject *call_##slot(PyObject *a, PyObject *b)                                                   \
    {                                                                                                        \
        return accel_elementwise(entry_##slot.op, &entry_##slot.original, (PyObject *[]){a, b}, 2, NULL);    \
    }
BINARY(BINARY_SLOT)

#define UNARY_SLOT(name, slot)                                                                               \
    static PyObject *call_##slot(PyObject *a)                                                                \
    {                                                                                                        \
        return accel_elementwise(entry_##slot.op, &entry_##slot.original, (PyObject *[]){a}, 1, NULL);       \
    }
UNARY(UNARY_SLOT)

static PyObject *call_nb_power(PyObject *a, PyObject *b, PyObject *modulo)
{
    if (modulo != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return accel_elementwise(entry_power.op, &entry_power.original, (PyObject *[]){a, b}, 2, NULL);
}

/* ---- Comparison ------------------------------------------------------------------------------------ */

static const char *const comparisons[6] = {"less",      "less_equal", "equal",
                                           "not_equal", "greater",    "greater_equal"};

PyObject *accel_node_compare(PyObject *a, PyObject *b, int which)
{
    return accel_elementwise(entry_compare[which].op, &entry_compare[which].original, (PyObject *[]){a, b}, 2,
                             NULL);
}

/* ---- Loading ----------------------------------------------------------------------------------------- */

#define NODE_BINARY(name, slot) .slot = call_##slot,
PyNumberMethods accel_node_number = {BINARY(NODE_BINARY) UNARY(NODE_BINARY).nb_power = call_nb_power};

PyObject *accel_inplace_operator(const accel_op *op, PyObject *target, PyObject *value)
{
#define TRY_INPLACE(name, slot)                                                                              \
    if (entry_##slot.op == op)                                                                               \
        return accel_inplace(entry_##slot.op, &entry_##slot.original, target, value);
    INPLACE(TRY_INPLACE)
    return NULL;
}

int accel_operators_load(void)
{
    PyNumberMethods *number = accel_array_type->tp_as_number;
#define LOAD_BINARY(name, slot)                                                                              \
    entry_##slot.op = accel_op_by_name(#name);                                                               \
    entry_##slot.original.form = ACCEL_BINARY;                                                               \
    entry_##slot.original.as.binary = number->slot;
#define LOAD_UNARY(name, slot)                                                                               \
    entry_##slot.op = accel_op_by_name(#name);                                                               \
    entry_##slot.original.form = ACCEL_UNARY;                                                                \
    entry_##slot.original.as.unary = number->slot;
    BINARY(LOAD_BINARY)
    INPLACE(LOAD_BINARY)
    UNARY(LOAD_UNARY)
    entry_power.op = accel_op_by_name("power");
    entry_power.original = (accel_original){.form = ACCEL_POWER, .as.power = number->nb_power};
    for (int i = 0; i < 6; i++) {
        entry_compare[i].op = accel_op_by_name(comparisons[i]);
        entry_compare[i].original = (accel_original){
            .form = ACCEL_COMPARE, .as.compare = accel_array_type->tp_richcompare, .compare_op = i};
    }
    return PyDict_SetItemString(accel_node_type.tp_dict, "__array_ufunc__", Py_None);
}
