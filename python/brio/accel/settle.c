/* Evaluation: from a node to an ordinary ndarray, in one pass of Brio over the operands. */
#include "interpose.h"

#include <string.h>
#include <time.h>

double accel_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

brio_array *accel_wrap(PyArrayObject *array, int writeable)
{
    int64_t shape[ACCEL_MAX_DIMS], strides[ACCEL_MAX_DIMS];
    int dtype = accel_array_dtype(array), ndim = PyArray_NDIM(array);
    if (dtype < 0 || ndim > ACCEL_MAX_DIMS)
        return NULL;
    for (int i = 0; i < ndim; i++) {
        shape[i] = PyArray_DIM(array, i);
        strides[i] = PyArray_STRIDE(array, i);
    }
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    spec.dtype = (brio_dtype)dtype;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.strides = strides;
    spec.device.kind = BRIO_DEVICE_CPU;
    brio_array *result = NULL;
    if (brio_array_wrap(PyArray_DATA(array), &spec, writeable, NULL, NULL, &result) != BRIO_OK)
        return NULL;
    return result;
}

brio_array *accel_holder_leaf(accel_holder *holder, PyObject *array)
{
    for (int i = 0; i < holder->nleaves; i++)
        if (holder->leaf[i] == array)
            return holder->wrapped[i];
    brio_array *wrapped = accel_wrap((PyArrayObject *)array, 0);
    if (!wrapped)
        return NULL;
    holder->leaf[holder->nleaves] = array;
    holder->wrapped[holder->nleaves++] = wrapped;
    return wrapped;
}

void accel_holder_clear(accel_holder *holder)
{
    while (holder->nleaves)
        brio_array_unref(holder->wrapped[--holder->nleaves]);
}

/* NumPy's own inner loop for the dtypes of the node. */
static int find_loop(const accel_node *node, brio_external_loop *loop, void **data)
{
    const PyUFuncObject *ufunc = node->op->ufunc;
    for (int i = 0; ufunc && i < ufunc->ntypes; i++) {
        const char *types = ufunc->types + i * ufunc->nargs;
        int same = types[node->nin] == accel_descr[node->dtype]->type_num;
        for (int j = 0; same && j < node->nin; j++)
            same = types[j] == accel_descr[node->loop[j]]->type_num;
        if (!same || !ufunc->functions[i])
            continue;
        *loop = (brio_external_loop)(void (*)(void))ufunc->functions[i];
        *data = ufunc->data ? ufunc->data[i] : NULL;
        return 1;
    }
    return 0;
}

/* An input of a step. An intermediate belongs to the step alone: once the step is recorded nobody else
 * may hold it, or the pass would have to keep its elements. */
typedef struct step_input {
    brio_operand operand;
    brio_array *owned;
} step_input;

/* The input in the dtype that an external loop takes. */
static int cast_input(step_input *input, uint8_t to)
{
    brio_array *cast = NULL;
    if (brio_array_cast((brio_array *)input->operand.array, (brio_dtype)to, BRIO_CAST_SAFE, 'K', &cast) !=
        BRIO_OK)
        return 0;
    brio_array_unref(input->owned);
    input->owned = cast;
    input->operand = brio_operand_array(cast);
    return 1;
}

static int build_input(accel_node *node, int i, accel_holder *holder, step_input *input)
{
    const accel_operand *in = &node->in[i];
    brio_array *array;
    if (in->is_scalar) {
        input->operand = accel_scalar_operand(in, node->loop[i]);
        return 1;
    }
    if (in->is_node && !((accel_node *)in->object)->settled) {
        array = input->owned = accel_build((accel_node *)in->object, holder);
    } else {
        PyObject *leaf = in->is_node ? ((accel_node *)in->object)->value : in->object;
        array = leaf ? accel_holder_leaf(holder, leaf) : NULL;
    }
    if (!array)
        return 0;
    input->operand = brio_operand_array(array);
    return !node->external || in->kind == node->loop[i] || cast_input(input, node->loop[i]);
}

static brio_array *record_step(accel_node *node, const step_input *inputs)
{
    brio_operand in[BRIO_MAX_IN];
    brio_array *result = NULL;
    for (int i = 0; i < node->nin; i++)
        in[i] = inputs[i].operand;
    if (node->external) {
        brio_external_loop loop;
        void *data;
        if (!find_loop(node, &loop, &data) ||
            brio_array_map_external(loop, data, node->nin, in, (brio_dtype)node->dtype, &result) != BRIO_OK)
            return NULL;
        return result;
    }
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    options.lazy = BRIO_LAZY_ALWAYS;
    return brio_array_map(node->op->op, in, &options, &result) == BRIO_OK ? result : NULL;
}

brio_array *accel_build(accel_node *node, accel_holder *holder)
{
    step_input inputs[BRIO_MAX_IN] = {{{0}, NULL}};
    brio_array *result = NULL;
    int ready = 0;
    while (ready < node->nin && build_input(node, ready, holder, &inputs[ready]))
        ready++;
    if (ready == node->nin)
        result = record_step(node, inputs);
    for (int i = 0; i < node->nin; i++)
        brio_array_unref(inputs[i].owned);
    brio_array_layout layout = {.size = sizeof layout};
    if (result && (brio_array_info(result, &layout) != BRIO_OK || layout.dtype != (brio_dtype)node->dtype)) {
        brio_array_unref(result);
        return NULL;
    }
    return result;
}

static brio_status run(brio_array *expression, const brio_eval_options *options, npy_intp bytes)
{
    if (bytes < accel_config.threads_bytes)
        return brio_array_eval(expression, options);
    PyThreadState *state = PyEval_SaveThread();
    brio_status status = brio_array_eval(expression, options);
    PyEval_RestoreThread(state);
    return status;
}

int accel_evaluate_into(accel_node *node, PyArrayObject *out, uint32_t *flags)
{
    double begin = accel_now();
    accel_holder holder;
    holder.nleaves = 0;
    int failed = -1;
    brio_array *target = accel_wrap(out, 1);
    brio_array *expression = target ? accel_build(node, &holder) : NULL;
    if (expression) {
        brio_eval_options options = BRIO_EVAL_OPTIONS_INIT;
        options.out = target;
        options.fp_flags = flags;
        failed = run(expression, &options, node->count * PyArray_ITEMSIZE(out)) == BRIO_OK ? 0 : -1;
    }
    brio_array_unref(expression);
    accel_holder_clear(&holder);
    brio_array_unref(target);
    if (!failed) {
        accel_count.evaluated++;
        accel_count.operations += (uint64_t)node->steps;
        accel_count.fused += node->steps > 1 ? (uint64_t)node->steps : 0;
        accel_count.seconds += accel_now() - begin;
    }
    return failed;
}

PyObject *accel_evaluate(accel_node *node, uint32_t *flags)
{
    PyArray_Descr *descr = accel_descr[node->dtype];
    Py_INCREF(descr);
    PyObject *out =
        PyArray_NewFromDescr(accel_array_type, descr, node->ndim, node->shape, node->strides, NULL, 0, NULL);
    if (out && accel_evaluate_into(node, (PyArrayObject *)out, flags) == 0)
        return out;
    PyErr_Clear();
    Py_XDECREF(out);
    return NULL;
}

/* Whether the conditions need no second run to be reported: one operation, computed as what it is called. */
static int gives_own_flags(const accel_node *node)
{
    int renamed =
        node->original.form == ACCEL_POWER ||
        (node->original.form == ACCEL_UFUNC && node->original.callee != (PyObject *)node->op->ufunc);
    return node->steps == 1 && !renamed && node->op->plain_flags && (node->op->exact || node->external);
}

/* Whether the pass is worth it; where not, NumPy does the steps, and their sites remember the size. */
static int is_worth(const accel_node *node)
{
    npy_intp bytes = node->count * PyDataType_ELSIZE(accel_descr[node->dtype]);
    if (node->steps == 1)
        return bytes >= accel_lone_gate(node->op);
    if (accel_region_is_worth(node->steps, node->heavy, bytes))
        return 1;
    accel_node_refuse(node, bytes);
    return 0;
}

PyObject *accel_settle(accel_node *node)
{
    if (!is_worth(node)) {
        accel_count.declined[ACCEL_predicted_slower]++;
        return accel_replay(node);
    }
    uint32_t flags = 0;
    PyObject *value = accel_evaluate(node, &flags);
    if (!value)
        return accel_declined(ACCEL_unsupported_op) < 0 ? NULL : accel_replay(node);
    flags = accel_relevant(flags);
    if (accel_verify_wanted())
        return accel_verify(node, value);
    if (!flags || (node->steps == 1 && node->op->silent))
        return value;
    if (accel_pending && accel_settle_pending() < 0) { /* earlier operations warn first */
        Py_DECREF(value);
        return NULL;
    }
    int given = gives_own_flags(node) ? accel_give(flags, node->op->ufunc->name) : 1;
    if (given == 0)
        return value;
    Py_DECREF(value);
    if (given < 0)
        return NULL;
    accel_count.replays++;
    if (node->steps > 1)
        accel_site_replayed(node->site);
    return accel_replay(node);
}
