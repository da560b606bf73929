/* Mean, variance, counts and positions of extremes. */
#include "array/fold.h"
#include "op/rules.h"

static const brio_reduce_options defaults = BRIO_REDUCE_OPTIONS_INIT;

static brio_fold fold_of(brio_array *array, const brio_reduce_options *options, uint64_t axes)
{
    return (brio_fold){.array = array,
                       .axes = axes,
                       .keepdims = options->keepdims != 0,
                       .order = options->order,
                       .where = options->where,
                       .fp_flags = options->fp_flags};
}

static brio_status filled(const brio_fold *fold, brio_dtype dtype, brio_array **out)
{
    int64_t shape[BRIO_MAX_DIMS];
    brio_value zero = {0};
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    spec.dtype = dtype;
    spec.ndim = brio_fold_shape(fold->array, fold->axes, fold->keepdims, shape);
    spec.shape = shape;
    return brio_array_full(&spec, &zero, out);
}

static brio_status fold_or_zero(const brio_fold *fold, brio_array **out)
{
    int64_t reduced, kept;
    brio_fold_counts(fold->array, fold->axes, &reduced, &kept);
    return reduced == 0 ? filled(fold, fold->dtype, out) : brio_fold_run(fold, out);
}

/* to = op(to, by), computed in float64 where the two differ, in place. */
static brio_status apply(brio_op op, brio_array *to, brio_operand by)
{
    brio_operand in[2] = {brio_operand_array(to), by};
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    brio_array *same;
    options.out[0] = to;
    options.casting = BRIO_CAST_UNSAFE;
    BRIO_TRY(brio_array_map(op, in, &options, &same));
    brio_array_unref(same);
    return BRIO_OK;
}

static brio_operand strong(double number)
{
    brio_operand operand = brio_operand_float(number);
    operand.weak = 0;
    return operand;
}

/* How many elements count for each result, less `correction` (not below 0): an array under a mask. */
static brio_status counts_under_mask(const brio_fold *fold, double correction, brio_array **out)
{
    brio_array *mask;
    BRIO_TRY(
        brio_array_broadcast(brio_array_mutable(fold->where), fold->array->ndim, fold->array->shape, &mask));
    brio_fold count = {.array = mask,
                       .axes = fold->axes,
                       .keepdims = fold->keepdims,
                       .kind = BRIO_REDUCE_ADD,
                       .dtype = BRIO_F64};
    brio_status status = fold_or_zero(&count, out);
    brio_array_unref(mask);
    if (status == BRIO_OK && correction != 0) {
        status = apply(BRIO_OPCODE_subtract, *out, strong(correction));
        if (status == BRIO_OK)
            status = apply(BRIO_OPCODE_maximum, *out, strong(0));
        if (status != BRIO_OK)
            brio_array_unref(*out);
    }
    return status;
}

static brio_status divide_by_count(const brio_fold *fold, double correction, brio_array *sum)
{
    int64_t reduced, kept;
    if (fold->where == NULL) {
        brio_fold_counts(fold->array, fold->axes, &reduced, &kept);
        double count = (double)reduced - correction;
        return apply(BRIO_OPCODE_divide, sum, strong(count > 0 ? count : 0));
    }
    brio_array *counts;
    BRIO_TRY(counts_under_mask(fold, correction, &counts));
    brio_status status = apply(BRIO_OPCODE_divide, sum, brio_operand_array(counts));
    brio_array_unref(counts);
    return status;
}

/* The dtype in which means are computed and the dtype in which they are given. */
static brio_status mean_dtypes(const brio_array *array, const brio_reduce_options *options,
                               brio_dtype *compute, brio_dtype *result)
{
    *result = options->has_dtype                                 ? options->dtype
              : brio_dtype_kind((brio_dtype)array->dtype) == 'f' ? (brio_dtype)array->dtype
                                                                 : BRIO_F64;
    if (brio_dtype_kind((brio_dtype)array->dtype) == 'c' || brio_dtype_kind(*result) == 'c')
        return brio_fail(BRIO_E_TYPE, "no mean of %s", brio_dtype_name((brio_dtype)array->dtype));
    *compute = *result == BRIO_F16 ? BRIO_F32 : *result;
    return BRIO_OK;
}

static brio_status sum_over_count(brio_fold *fold, double correction, brio_array **out)
{
    BRIO_TRY(fold_or_zero(fold, out));
    brio_status status = divide_by_count(fold, correction, *out);
    if (status != BRIO_OK) {
        brio_array_unref(*out);
        *out = NULL;
    }
    return status;
}

static brio_status variance(brio_fold *fold, double correction, brio_array **out)
{
    brio_array *mean;
    brio_fold first = *fold;
    first.keepdims = true;
    BRIO_TRY(brio_lazy_settle(fold->array));
    BRIO_TRY(sum_over_count(&first, 0, &mean));
    fold->center = mean;
    brio_status status = sum_over_count(fold, correction, out);
    brio_array_unref(mean);
    return status;
}

static brio_status root_in_place(brio_array *array)
{
    return apply(BRIO_OPCODE_sqrt, array, strong(0));
}

static brio_status moments(brio_statistic which, brio_array *array, const brio_reduce_options *options,
                           double correction, uint64_t axes, brio_array **out)
{
    brio_dtype result;
    brio_fold fold = fold_of(array, options, axes);
    fold.kind = BRIO_REDUCE_ADD;
    BRIO_TRY(mean_dtypes(array, options, &fold.dtype, &result));
    brio_array *made;
    if (which == BRIO_MEAN)
        BRIO_TRY(sum_over_count(&fold, 0, &made));
    else
        BRIO_TRY(variance(&fold, correction, &made));
    if (which == BRIO_STD) {
        brio_status status = root_in_place(made);
        if (status != BRIO_OK) {
            brio_array_unref(made);
            return status;
        }
    }
    return brio_fold_deliver(options, "add", made, result, out);
}

static brio_status count_nonzero(brio_array *array, const brio_reduce_options *options, uint64_t axes,
                                 brio_array **out)
{
    brio_fold fold = fold_of(array, options, axes);
    brio_array *made;
    fold.kind = BRIO_REDUCE_ADD;
    fold.dtype = BRIO_I64;
    fold.test = true;
    BRIO_TRY(fold_or_zero(&fold, &made));
    return brio_fold_deliver(options, "count_nonzero", made, BRIO_I64, out);
}

static brio_status position(brio_statistic which, brio_array *array, const brio_reduce_options *options,
                            uint64_t axes, brio_array **out)
{
    const char *name = which == BRIO_ARGMAX ? "argmax" : "argmin";
    int64_t reduced, kept;
    brio_fold fold = fold_of(array, options, axes);
    if (options->where != NULL)
        return brio_fail(BRIO_E_VALUE, "%s takes no mask", name);
    if (!options->all_axes && options->naxes != 1)
        return brio_fail(BRIO_E_VALUE, "%s takes one axis or all of them", name);
    brio_fold_counts(array, axes, &reduced, &kept);
    if (reduced == 0)
        return brio_fail(BRIO_E_VALUE, "attempt to get %s of an empty sequence", name);
    fold.kind = which == BRIO_ARGMAX ? BRIO_REDUCE_ARGMAX : BRIO_REDUCE_ARGMIN;
    fold.dtype = array->dtype == BRIO_F16    ? BRIO_F32
                 : array->dtype == BRIO_BOOL ? BRIO_U8
                                             : (brio_dtype)array->dtype;
    brio_array *made;
    BRIO_TRY(brio_fold_run(&fold, &made));
    return brio_fold_deliver(options, name, made, BRIO_I64, out);
}

brio_status brio_array_statistic(brio_statistic which, brio_array *array, const brio_reduce_options *options,
                                 double correction, brio_array **out)
{
    uint64_t axes;
    *out = NULL;
    if (options == NULL)
        options = &defaults;
    if (options->size < sizeof *options)
        return brio_fail(BRIO_E_VALUE, "the size of reduction options is not set");
    BRIO_TRY(brio_fold_axes(options, array->ndim, &axes));
    BRIO_TRY(brio_fold_check_where(options, array));
    switch (which) {
    case BRIO_MEAN:
    case BRIO_VAR:
    case BRIO_STD:
        return moments(which, array, options, correction, axes, out);
    case BRIO_COUNT_NONZERO:
        return count_nonzero(array, options, axes, out);
    case BRIO_ARGMAX:
    case BRIO_ARGMIN:
        return position(which, array, options, axes, out);
    }
    return brio_fail(BRIO_E_VALUE, "%d names no statistic", (int)which);
}
