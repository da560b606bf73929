/* Reductions by an operation of the table. */
#include "array/fold.h"
#include "op/rules.h"

static const brio_reduce_options defaults = BRIO_REDUCE_OPTIONS_INIT;

static bool is_logical(brio_op op)
{
    return op == BRIO_OPCODE_logical_and || op == BRIO_OPCODE_logical_or || op == BRIO_OPCODE_logical_xor;
}

/* The dtype in which the reduction is kept. float16 adds up in float32. */
static brio_status accumulator(brio_op op, const brio_array *array, const brio_reduce_options *options,
                               brio_dtype *dtype)
{
    if (is_logical(op)) {
        *dtype = BRIO_BOOL;
        return BRIO_OK;
    }
    brio_dtype in[2], loop[2], out[1];
    *dtype = (brio_dtype)array->dtype;
    if (options->has_dtype)
        *dtype = options->dtype;
    else if (options->out != NULL)
        *dtype = (brio_dtype)options->out->dtype;
    else if (op == BRIO_OPCODE_add || op == BRIO_OPCODE_multiply)
        *dtype = brio_fold_sum_dtype(*dtype);
    in[0] = in[1] = *dtype;
    return brio_op_resolve(op, in, loop, out);
}

/* What an empty reduction gives; false when it has no value. */
static bool identity(brio_op op, brio_dtype dtype, brio_value *value)
{
    brio_operand scalar = {NULL, BRIO_I64, 0, {0}};
    switch (op) {
    case BRIO_OPCODE_add:
    case BRIO_OPCODE_bitwise_or:
    case BRIO_OPCODE_bitwise_xor:
    case BRIO_OPCODE_logical_or:
    case BRIO_OPCODE_logical_xor:
        scalar.value.i64 = 0;
        break;
    case BRIO_OPCODE_multiply:
    case BRIO_OPCODE_logical_and:
        scalar.value.i64 = 1;
        break;
    case BRIO_OPCODE_bitwise_and:
        scalar.value.i64 = -1;
        break;
    default:
        return false;
    }
    return brio_value_convert(&scalar, dtype, value) == BRIO_OK;
}

static brio_status empty_result(brio_op op, const brio_fold *fold, const brio_reduce_options *options,
                                const brio_value *start, brio_array **out)
{
    brio_value value = *start;
    int64_t shape[BRIO_MAX_DIMS];
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    if (!options->has_initial && !identity(op, fold->dtype, &value))
        return brio_fail(BRIO_E_VALUE, "zero-size array to reduction operation %s which has no identity",
                         brio_op_lines[op].name);
    spec.dtype = fold->dtype;
    spec.ndim = brio_fold_shape(fold->array, fold->axes, fold->keepdims, shape);
    spec.shape = shape;
    return brio_array_full(&spec, &value, out);
}

/* result = op(initial, result), in place. */
static brio_status add_initial(brio_op op, brio_dtype dtype, const brio_value *initial, brio_array *result)
{
    brio_operand in[2] = {{NULL, dtype, 0, *initial}, brio_operand_array(result)};
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    brio_array *same;
    options.out[0] = result;
    BRIO_TRY(brio_array_map(op, in, &options, &same));
    brio_array_unref(same);
    return BRIO_OK;
}

static brio_status prepare(brio_op op, const brio_reduce_options *options, brio_dtype dtype,
                           brio_value *start, brio_fold *fold)
{
    fold->dtype = dtype == BRIO_F16 ? BRIO_F32 : dtype;
    fold->test = is_logical(op);
    int kind = brio_op_reduce_kind(op);
    if (fold->dtype == BRIO_BOOL &&
        (op == BRIO_OPCODE_maximum || op == BRIO_OPCODE_fmax || op == BRIO_OPCODE_add))
        kind = BRIO_REDUCE_OR;
    if (fold->dtype == BRIO_BOOL &&
        (op == BRIO_OPCODE_minimum || op == BRIO_OPCODE_fmin || op == BRIO_OPCODE_multiply))
        kind = BRIO_REDUCE_AND;
    fold->kind = (brio_reduce_kind)kind;
    brio_operand initial = {NULL, dtype, 0, options->initial};
    if (options->has_initial)
        BRIO_TRY(brio_value_convert(&initial, fold->dtype, start));
    if (fold->where == NULL || identity(op, fold->dtype, &fold->rest))
        return BRIO_OK;
    if (!options->has_initial)
        return brio_fail(
            BRIO_E_VALUE,
            "reduction operation '%s' does not have an identity, so to use a where mask one has to "
            "specify 'initial'",
            brio_op_lines[op].name);
    fold->rest = *start;
    return BRIO_OK;
}

static brio_status reduce(brio_op op, brio_array *array, const brio_reduce_options *options, brio_array **out)
{
    brio_dtype dtype;
    brio_value start = {0};
    int64_t reduced, kept;
    brio_fold fold = {.array = array,
                      .keepdims = options->keepdims != 0,
                      .order = options->order,
                      .where = options->where,
                      .fp_flags = options->fp_flags};
    if (op < 0 || op >= BRIO_OP_COUNT || brio_op_reduce_kind(op) < 0)
        return brio_fail(BRIO_E_UNSUPPORTED, "the operation does not reduce arrays");
    BRIO_TRY(brio_fold_axes(options, array->ndim, &fold.axes));
    BRIO_TRY(brio_fold_check_where(options, array));
    BRIO_TRY(accumulator(op, array, options, &dtype));
    BRIO_TRY(prepare(op, options, dtype, &start, &fold));
    brio_fold_counts(array, fold.axes, &reduced, &kept);
    brio_array *result = NULL;
    bool empty = reduced == 0;
    BRIO_TRY(empty ? empty_result(op, &fold, options, &start, &result) : brio_fold_run(&fold, &result));
    brio_status status = BRIO_OK;
    if (options->has_initial && !empty && kept != 0)
        status = add_initial(op, fold.dtype, &start, result);
    if (status != BRIO_OK) {
        brio_array_unref(result);
        return status;
    }
    return brio_fold_deliver(options, brio_op_lines[op].name, result, dtype, out);
}

brio_status brio_array_reduce(brio_op op, brio_array *array, const brio_reduce_options *options,
                              brio_array **out)
{
    *out = NULL;
    if (options == NULL)
        options = &defaults;
    if (options->size < sizeof *options)
        return brio_fail(BRIO_E_VALUE, "the size of reduction options is not set");
    return reduce(op, array, options, out);
}
