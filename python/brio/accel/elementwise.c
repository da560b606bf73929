/* One elementwise operation: may Brio do it, is it worth it, now or later. */
#include "interpose.h"

#include <math.h>
#include <string.h>

PyObject *accel_decline(accel_reason reason, const accel_original *original, PyObject *const *objects, int n)
{
    if (accel_declined(reason) < 0 || (accel_pending && accel_settle_pending() < 0))
        return NULL;
    PyObject *plain[BRIO_MAX_IN] = {NULL, NULL, NULL};
    PyObject *result = NULL;
    int has_node = 0;
    for (int i = 0; i < n; i++)
        has_node |= Py_TYPE(objects[i]) == &accel_node_type;
    if (!has_node)
        return accel_call_original(original, objects, n);
    int ready = 0;
    while (ready < n && (plain[ready] = accel_plain(objects[ready])))
        ready++;
    if (ready == n)
        result = accel_call_original(original, plain, n);
    for (int i = 0; i < n; i++)
        Py_XDECREF(plain[i]);
    return result;
}

/* Clipping to a scalar bound NumPy keeps a zero of the other sign, to an array of bounds it does not. */
static int has_zero_bound(const accel_operand *in, const accel_types *types)
{
    if (brio_dtype_kind((brio_dtype)types->out) != 'f')
        return 0;
    for (int i = 1; i < 3; i++) {
        brio_operand bound = in[i].is_scalar ? accel_scalar_operand(&in[i], BRIO_F64) : brio_operand_float(1);
        if (bound.value.f64 == 0)
            return 1;
    }
    return 0;
}

/* Whether the value of an integer divisor or exponent may make NumPy warn or raise. */
static int has_dangerous_number(const accel_op *op, const accel_operand *in, const accel_types *types)
{
    if (op->danger == ACCEL_DANGER_BOUND)
        return has_zero_bound(in, types);
    char kind = brio_dtype_kind((brio_dtype)types->in[0]);
    if (kind == 'f' || kind == 'b' || op->danger == ACCEL_NO_DANGER)
        return op->danger == ACCEL_DANGER_DIVISOR && kind == 'b';
    if (op->nin != 2 || !in[1].is_scalar)
        return 1;
    int64_t number = accel_scalar_int(&in[1]);
    return op->danger == ACCEL_DANGER_DIVISOR ? number == 0 || number == -1 : number < 0;
}

static int is_foreign_array(PyObject *object)
{
    return !accel_is_array(object) && PyArray_Check(object);
}

/* Reads the operands and finds dtype and shape. Returns a reason against, or -1. */
int accel_prepare(accel_op *op, PyObject *const *objects, accel_attempt *at)
{
    uint8_t kinds[BRIO_MAX_IN];
    at->has_node = 0;
    at->operand_bytes = 0;
    for (int i = 0; i < op->nin; i++) {
        accel_operand *in = &at->in[i];
        if (!accel_operand_read(objects[i], in))
            return is_foreign_array(objects[i]) ? ACCEL_subclass : ACCEL_unsupported_dtype;
        kinds[i] = in->kind;
        at->has_node |= in->is_node;
    }
    at->types = accel_resolve(op, kinds);
    if (!at->types)
        return ACCEL_unsupported_dtype;
    for (int i = 0; i < op->nin; i++)
        if (at->in[i].is_scalar && !accel_scalar_fits(&at->in[i], at->types->in[i]))
            return ACCEL_unsupported_argument;
    if (op->danger && has_dangerous_number(op, at->in, at->types))
        return ACCEL_unsupported_argument;
    if (op->danger == ACCEL_DANGER_DIVISOR && brio_dtype_kind((brio_dtype)at->types->in[0]) != 'f' &&
        accel_config.light_bytes > 0)
        return ACCEL_predicted_slower; /* NumPy multiplies by the divisor's reciprocal */
    npy_intp itemsize = PyDataType_ELSIZE(accel_descr[at->types->out]);
    if (!accel_broadcast(at->in, op->nin, itemsize, &at->ndim, at->shape, at->strides))
        return ACCEL_unsupported_argument;
    at->out_bytes = itemsize;
    for (int i = 0; i < at->ndim; i++)
        at->out_bytes *= at->shape[i];
    for (int i = 0; i < op->nin; i++) {
        npy_intp bytes = at->in[i].is_scalar ? 0 : PyDataType_ELSIZE(accel_descr[kinds[i]]);
        for (int j = 0; j < at->in[i].ndim && bytes; j++)
            bytes *= at->in[i].shape[j];
        if (bytes > at->operand_bytes)
            at->operand_bytes = bytes;
    }
    return at->ndim == 0 || at->out_bytes == 0 ? ACCEL_too_small : -1;
}

static void remember_original(accel_node *node, const accel_original *original, PyObject *const *objects,
                              int n, const accel_place *place)
{
    node->original = *original;
    node->replay_n = n;
    for (int i = 0; i < n; i++)
        node->replay_objects[i] = Py_NewRef(objects[i]);
    node->site = place->site;
    if (place->known && place->marked) {
        node->line = place->line;
        node->code = (PyCodeObject *)Py_NewRef((PyObject *)place->frame.code);
        node->globals = Py_NewRef(place->frame.globals);
    }
}

/* Evaluates sub-regions first when the whole would be too large. */
static PyObject *settle_and_retry(accel_op *op, const accel_original *original, PyObject *const *objects,
                                  int n)
{
    PyObject *plain[BRIO_MAX_IN] = {NULL, NULL, NULL};
    PyObject *result = NULL;
    int ready = 0;
    while (ready < n && (plain[ready] = accel_plain(objects[ready])))
        ready++;
    if (ready == n)
        result = accel_elementwise(op, original, plain, n, NULL);
    for (int i = 0; i < n; i++)
        Py_XDECREF(plain[i]);
    return result;
}

/* Which implementation computes the operation: 0 Brio's, 1 NumPy's own loop in tiles. */
static int needs_numpy_loop(const accel_op *op, const accel_place *place)
{
    if (op->exact)
        return 0;
    return accel_config.exact || (accel_config.scope != 'l' && !place->user);
}

/* Bytes of the largest array, or of the result where the arrays broadcast to more (its items taken as
 * those of the widest array); -1 when there is a node. */
static npy_intp largest_bytes(PyObject *const *objects, int n)
{
    npy_intp largest = 0, itemsize = 1, count = 1;
    int ndim = 0;
    for (int i = 0; i < n; i++) {
        if (Py_TYPE(objects[i]) == &accel_node_type)
            return -1;
        if (!accel_is_array(objects[i]))
            continue;
        PyArrayObject *array = (PyArrayObject *)objects[i];
        npy_intp item = PyArray_ITEMSIZE(array), bytes = accel_array_count(objects[i]) * item;
        largest = bytes > largest ? bytes : largest;
        itemsize = item > itemsize ? item : itemsize;
        ndim = PyArray_NDIM(array) > ndim ? PyArray_NDIM(array) : ndim;
    }
    for (int axis = 1; axis <= ndim; axis++) {
        npy_intp extent = 1;
        for (int i = 0; i < n; i++) {
            PyArrayObject *array = (PyArrayObject *)objects[i];
            if (accel_is_array(objects[i]) && axis <= PyArray_NDIM(array) &&
                PyArray_DIM(array, PyArray_NDIM(array) - axis) > extent)
                extent = PyArray_DIM(array, PyArray_NDIM(array) - axis);
        }
        count *= extent;
    }
    return count * itemsize > largest ? count * itemsize : largest;
}

/* The original, when a call is too small for anything but a place in a region. */
static PyObject *leave_small(const accel_original *original, PyObject *const *objects, int n)
{
    accel_count.declined[ACCEL_too_small]++;
    return accel_pending ? accel_quiet(original, objects, n) : accel_call_original(original, objects, n);
}

/* The exponent that all elements share, as the loop of the power will read it; NAN when there is none. */
static double shared_exponent(const accel_operand *exponent, const accel_types *types)
{
    if (!exponent->is_scalar || !accel_scalar_fits(exponent, types->in[1]))
        return NAN;
    brio_operand number = accel_scalar_operand(exponent, types->in[1]);
    return types->in[1] == BRIO_F32   ? (double)number.value.f32
           : types->in[1] == BRIO_F64 ? number.value.f64
                                      : NAN;
}

/* The exponents by which NumPy computes powers of floats in a simpler way, when many elements share one. */
static const struct {
    double exponent;
    const char *name;
} simpler[] = {{2.0, "square"}, {0.5, "sqrt"}, {-1.0, "reciprocal"}, {1.0, "positive"}};
enum { SIMPLER = sizeof simpler / sizeof *simpler };

static accel_op *simpler_power(accel_op *op, PyObject *const *objects)
{
    accel_operand base, exponent;
    if (!accel_operand_read(objects[0], &base) || !accel_operand_read(objects[1], &exponent) ||
        (base.kind != BRIO_F64 && base.kind != BRIO_F32) || base.is_scalar)
        return op;
    const accel_types *types = accel_resolve(op, (uint8_t[]){base.kind, exponent.kind});
    if (!types || types->in[0] != base.kind)
        return op;
    double number = shared_exponent(&exponent, types);
    for (int i = 0; i < SIMPLER; i++)
        if (simpler[i].exponent == number) {
            accel_op *other = accel_op_by_name(simpler[i].name);
            return other ? other : op;
        }
    return op;
}

/* Whether NumPy's loop for powers would meet one exponent for many elements, which it treats apart: tiles
 * do not repeat that. */
static int has_repeated_exponent(const accel_attempt *at)
{
    const accel_operand *exponent = &at->in[1];
    if (exponent->is_scalar) {
        double number = shared_exponent(exponent, at->types);
        for (int i = 0; i < SIMPLER; i++)
            if (simpler[i].exponent == number)
                return 1;
        return 0;
    }
    for (int i = 0; i < at->ndim; i++) {
        int axis = exponent->ndim - at->ndim + i;
        if (at->shape[i] > 1 && (axis < 0 || exponent->shape[axis] == 1 || exponent->strides[axis] == 0))
            return 1;
    }
    return 0;
}

PyObject *accel_elementwise(accel_op *op, const accel_original *original, PyObject *const *objects, int n,
                            PyObject *const *stack)
{
    int off = op ? accel_reason_off() : ACCEL_disabled;
    if (off >= 0)
        return accel_decline((accel_reason)off, original, objects, n);
    npy_intp largest = largest_bytes(objects, n);
    if (largest >= 0 && largest < accel_config.region_bytes)
        return leave_small(original, objects, n);
    accel_place place;
    place.known = place.user = place.marked = 0;
    place.site = NULL;
    if (accel_config.fuse || !op->exact)
        accel_place_find(&place, objects, n, stack, largest);
    if (largest >= 0 && !place.marked && largest < accel_lone_gate(op))
        return leave_small(original, objects, n);
    if (op->is_power)
        op = simpler_power(op, objects);
    accel_attempt at;
    int reason = accel_prepare(op, objects, &at);
    int external = needs_numpy_loop(op, &place);
    if (reason < 0 && external && op->is_power && has_repeated_exponent(&at))
        reason = ACCEL_unsupported_argument;
    if (reason >= 0)
        return accel_decline((accel_reason)reason, original, objects, n);
    accel_node *node = accel_node_new(op, at.in, at.types, at.ndim, at.shape, at.strides);
    if (!node)
        return at.has_node ? settle_and_retry(op, original, objects, n)
                           : accel_decline(ACCEL_low_memory, original, objects, n);
    remember_original(node, original, objects, n, &place);
    node->external = (uint8_t)external;
    if (place.marked)
        return accel_node_hand_out(node);
    PyObject *value = accel_node_value(node);
    Py_DECREF(node);
    return value;
}
