/* Operators that write into their left operand. */
#include "interpose.h"

static int is_same_memory(const accel_operand *operand, PyArrayObject *target)
{
    PyArrayObject *array = (PyArrayObject *)operand->object;
    if (PyArray_DATA(array) != PyArray_DATA(target) || operand->ndim != PyArray_NDIM(target))
        return 0;
    for (int i = 0; i < operand->ndim; i++)
        if (operand->shape[i] != PyArray_DIM(target, i) || operand->strides[i] != PyArray_STRIDE(target, i))
            return 0;
    return 1;
}

static void bounds(PyArrayObject *array, char **low, char **high)
{
    *low = *high = PyArray_BYTES(array);
    for (int i = 0; i < PyArray_NDIM(array); i++) {
        npy_intp reach = (PyArray_DIM(array, i) - 1) * PyArray_STRIDE(array, i);
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
    *high += PyArray_ITEMSIZE(array);
}

/* Whether some array that the node reads passes the test. */
static int any_leaf(const accel_node *node, PyArrayObject *target,
                    int (*test)(const accel_operand *, PyArrayObject *))
{
    for (int i = 0; i < node->nin; i++) {
        accel_operand in = node->in[i];
        if (in.is_scalar)
            continue;
        if (in.is_node) {
            const accel_node *below = (const accel_node *)in.object;
            if (!below->settled && any_leaf(below, target, test))
                return 1;
            if (!below->settled || !below->value)
                continue;
            in.object = below->value;
        }
        if (test(&in, target))
            return 1;
    }
    return 0;
}

static int overlaps(const accel_operand *in, PyArrayObject *target)
{
    char *low, *high, *other_low, *other_high;
    bounds(target, &low, &high);
    bounds((PyArrayObject *)in->object, &other_low, &other_high);
    return other_low < high && low < other_high;
}

static int overlaps_elsewhere(const accel_operand *in, PyArrayObject *target)
{
    return overlaps(in, target) && !is_same_memory(in, target);
}

int accel_reads(const accel_node *node, PyArrayObject *target)
{
    return any_leaf(node, target, overlaps);
}

/* Whether writing `target` element by element could change what the node has yet to read. */
static int would_disturb(const accel_node *node, PyArrayObject *target)
{
    return any_leaf(node, target, overlaps_elsewhere);
}

static int has_shape_of(const accel_attempt *at, PyArrayObject *target)
{
    if (at->ndim != PyArray_NDIM(target))
        return 0;
    for (int i = 0; i < at->ndim; i++)
        if (at->shape[i] != PyArray_DIM(target, i))
            return 0;
    return 1;
}

/* Whether NumPy would let the array be written without a word, and no two elements share memory. */
static int is_plain_target(PyArrayObject *target)
{
    if (!accel_is_writeable(target))
        return 0;
    npy_intp inner[ACCEL_MAX_DIMS], extent[ACCEL_MAX_DIMS];
    int ndim = PyArray_NDIM(target), count = 0;
    for (int i = 0; i < ndim; i++) {
        if (PyArray_DIM(target, i) == 1)
            continue;
        npy_intp stride =
            PyArray_STRIDE(target, i) < 0 ? -PyArray_STRIDE(target, i) : PyArray_STRIDE(target, i);
        int at = count++;
        for (; at > 0 && inner[at - 1] > stride; at--) {
            inner[at] = inner[at - 1];
            extent[at] = extent[at - 1];
        }
        inner[at] = stride;
        extent[at] = PyArray_DIM(target, i);
    }
    npy_intp reach = PyArray_ITEMSIZE(target);
    for (int i = 0; i < count; i++) {
        if (inner[i] < reach)
            return 0;
        reach = inner[i] * (extent[i] - 1) + reach;
    }
    return 1;
}

/* Whether the operation, computed straight into the target, needs no second run whatever happens. */
static int cannot_need_replay(const accel_node *node)
{
    char kind = brio_dtype_kind((brio_dtype)node->dtype);
    if (kind != 'f')
        return 1;
    return node->steps == 1 && node->op->exact && node->op->plain_flags && accel_gives_all();
}

/* Computes into the target. NULL without an exception: Brio could not, and nothing was written. */
static PyObject *run_inplace(accel_node *node, PyArrayObject *target)
{
    uint32_t flags = 0;
    if (accel_evaluate_into(node, target, &flags) < 0)
        return NULL;
    flags = node->op->silent || brio_dtype_kind((brio_dtype)node->dtype) != 'f' ? 0 : accel_relevant(flags);
    if (flags && accel_pending && accel_settle_pending() < 0)
        return NULL;
    if (flags && accel_give(flags, node->op->ufunc->name) < 0)
        return NULL;
    return Py_NewRef((PyObject *)target);
}

/* A value that is a node and cannot join the pass is settled; then it is an operation of two arrays. */
static PyObject *settle_value(accel_op *op, const accel_original *original, PyObject *target, PyObject *value)
{
    PyObject *plain = accel_plain(value);
    PyObject *result = plain ? accel_inplace(op, original, target, plain) : NULL;
    Py_XDECREF(plain);
    return result;
}

static int reason_against(const accel_attempt *at, PyArrayObject *target)
{
    if (at->types->out != at->in[0].kind || !has_shape_of(at, target) || !is_plain_target(target))
        return ACCEL_unsupported_argument;
    return at->out_bytes < accel_config.region_bytes ? ACCEL_too_small : -1;
}

/* --verify: Brio writes the target, then, from what it was before, the original does. */
static PyObject *verify_inplace(accel_node *node, const accel_original *original, PyObject *const *objects)
{
    PyObject *ours = accel_verify_into(node, (PyArrayObject *)objects[0]);
    int exact = accel_all_exact(node);
    PyObject *value = accel_plain(objects[1]), *result = NULL;
    int attached = accel_attached;
    accel_attached = 0;
    if (value)
        result = accel_call_original(original, (PyObject *[]){objects[0], value}, 2);
    accel_attached = attached;
    if (ours && result)
        accel_verify_compare(ours, result, exact, NULL);
    Py_XDECREF(ours);
    Py_XDECREF(value);
    return result;
}

PyObject *accel_inplace(accel_op *op, const accel_original *original, PyObject *target, PyObject *value)
{
    PyObject *objects[2] = {target, value};
    accel_attempt at;
    int reason = accel_is_array(target) ? accel_reason_off() : ACCEL_disabled;
    if (reason < 0)
        reason = accel_prepare(op, objects, &at);
    if (reason < 0)
        reason = reason_against(&at, (PyArrayObject *)target);
    if (reason >= 0)
        return accel_decline((accel_reason)reason, original, objects, 2);
    accel_node *node = accel_node_new(op, at.in, at.types, at.ndim, at.shape, at.strides);
    if (!node)
        return at.has_node ? settle_value(op, original, target, value)
                           : accel_decline(ACCEL_low_memory, original, objects, 2);
    PyObject *result = NULL;
    int may = accel_region_is_worth(node->steps, node->heavy, at.out_bytes) && !node->external &&
              cannot_need_replay(node) && !would_disturb(node, (PyArrayObject *)target);
    if (may)
        result = accel_verify_wanted() ? verify_inplace(node, original, objects)
                                       : run_inplace(node, (PyArrayObject *)target);
    Py_DECREF(node);
    if (result || PyErr_Occurred())
        return result;
    return at.has_node ? settle_value(op, original, target, value)
                       : accel_decline(ACCEL_unsupported_op, original, objects, 2);
}

/* The same of op(..., out=target). */
static PyObject *verify_out(accel_node *node, PyObject *const *objects, PyArrayObject *target)
{
    PyObject *ours = accel_verify_into(node, target);
    PyObject *arguments[BRIO_MAX_IN + 1];
    int attached = accel_attached, n = node->nin;
    for (int i = 0; i < n; i++)
        arguments[i] = objects[i];
    arguments[n] = (PyObject *)target;
    accel_attached = 0;
    PyObject *result = PyObject_Vectorcall((PyObject *)node->op->ufunc, arguments, (size_t)n + 1, NULL);
    accel_attached = attached;
    if (ours && result)
        accel_verify_compare(ours, result, accel_all_exact(node), NULL);
    Py_XDECREF(ours);
    return result;
}

static int reason_against_out(accel_op *op, PyObject *const *objects, PyArrayObject *target,
                              accel_attempt *at)
{
    if (!op->exact)
        return ACCEL_class_not_allowed;
    if (PyArray_NBYTES(target) < accel_lone_gate(op))
        return op->light ? ACCEL_predicted_slower : ACCEL_too_small;
    int reason = accel_prepare(op, objects, at);
    if (reason >= 0)
        return reason;
    if (at->has_node || at->types->out != accel_array_dtype(target) || !has_shape_of(at, target) ||
        !is_plain_target(target))
        return ACCEL_unsupported_argument;
    return -1;
}

PyObject *accel_into(accel_op *op, PyObject *const *objects, PyObject *out, accel_reason *reason)
{
    PyArrayObject *target = (PyArrayObject *)out;
    accel_attempt at;
    int against = reason_against_out(op, objects, target, &at);
    *reason = ACCEL_unsupported_argument;
    if (against >= 0) {
        *reason = (accel_reason)against;
        return NULL;
    }
    if (accel_pending && accel_settle_readers(target) < 0)
        return NULL;
    accel_node *node = accel_node_new(op, at.in, at.types, at.ndim, at.shape, at.strides);
    if (!node)
        return NULL;
    PyObject *result = NULL;
    if (cannot_need_replay(node) && !would_disturb(node, target))
        result = accel_verify_wanted() ? verify_out(node, objects, target) : run_inplace(node, target);
    Py_DECREF(node);
    return result;
}
