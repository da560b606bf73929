/* Sets up the space and the program of a reduction and runs it. */
#include "array/fold.h"
#include "op/rules.h"

#include <stdlib.h>

brio_status brio_fold_axes(const brio_reduce_options *options, int ndim, uint64_t *axes)
{
    *axes = 0;
    if (options->all_axes) {
        *axes = ndim == 64 ? UINT64_MAX : ((uint64_t)1 << ndim) - 1;
        return BRIO_OK;
    }
    for (int i = 0; i < options->naxes; i++) {
        int axis = 0;
        if (ndim > 0 || options->axes[i] < -1 || options->axes[i] > 0) /* no dimensions take axis 0 and -1 */
            BRIO_TRY(brio_layout_axis(options->axes[i], ndim, &axis));
        if (*axes >> axis & 1)
            return brio_fail(BRIO_E_VALUE, "duplicate value in 'axis'");
        *axes |= (uint64_t)1 << axis;
    }
    return BRIO_OK;
}

void brio_fold_counts(const brio_array *array, uint64_t axes, int64_t *reduced, int64_t *kept)
{
    *reduced = *kept = 1;
    for (int d = 0; d < array->ndim; d++)
        *(axes >> d & 1 ? reduced : kept) *= array->shape[d];
}

int brio_fold_shape(const brio_array *array, uint64_t axes, bool keepdims, int64_t *shape)
{
    int ndim = 0;
    for (int d = 0; d < array->ndim; d++)
        if (!(axes >> d & 1))
            shape[ndim++] = array->shape[d];
        else if (keepdims)
            shape[ndim++] = 1;
    return ndim;
}

brio_dtype brio_fold_sum_dtype(brio_dtype dtype)
{
    switch (brio_dtype_kind(dtype)) {
    case 'b':
    case 'i':
        return BRIO_I64;
    case 'u':
        return BRIO_U64;
    default:
        return dtype;
    }
}

brio_status brio_fold_check_where(const brio_reduce_options *options, const brio_array *array)
{
    const brio_array *where = options->where;
    char a[BRIO_LAYOUT_TEXT], b[BRIO_LAYOUT_TEXT];
    if (where == NULL)
        return BRIO_OK;
    BRIO_TRY(brio_mask_check(where));
    if (!brio_layout_fits(where, array->ndim, array->shape))
        return brio_fail(BRIO_E_VALUE, "operands could not be broadcast together with shapes %s %s ",
                         brio_layout_text(array->ndim, array->shape, a, sizeof a),
                         brio_layout_text(where->ndim, where->shape, b, sizeof b));
    return BRIO_OK;
}

static bool is_arg(brio_reduce_kind kind)
{
    return kind == BRIO_REDUCE_ARGMAX || kind == BRIO_REDUCE_ARGMIN;
}

static brio_term square_of_distance(brio_pass *pass, const brio_fold *fold, brio_term value)
{
    brio_dtype loop[2] = {fold->dtype, fold->dtype};
    brio_term in[2] = {value, brio_pass_cast(pass, brio_pass_leaf(pass, fold->center), fold->dtype)};
    brio_term distance = brio_pass_op(pass, BRIO_OPCODE_subtract, in, loop, fold->dtype);
    brio_term both[2] = {distance, distance};
    return brio_pass_op(pass, BRIO_OPCODE_multiply, both, loop, fold->dtype);
}

static brio_term emit(brio_pass *pass, const brio_fold *fold)
{
    brio_term value = brio_pass_array(pass, fold->array);
    if (fold->test)
        value = brio_pass_cast(pass, value, BRIO_BOOL);
    value = brio_pass_cast(pass, value, fold->dtype);
    if (fold->center != NULL)
        value = square_of_distance(pass, fold, value);
    if (fold->where != NULL) {
        brio_term in[3] = {brio_pass_array(pass, fold->where), value,
                           brio_pass_const(pass, fold->dtype, fold->rest)};
        brio_dtype loop[3] = {BRIO_BOOL, fold->dtype, fold->dtype};
        value = brio_pass_op(pass, BRIO_OPCODE_where, in, loop, fold->dtype);
    }
    return value;
}

/* Orders the axes of one sort (kept, or reduced) from the largest stride of the array itself to the least,
 * so that the order of a sum depends on the array's layout alone, pending or not. */
static void order_axes(const brio_array *array, int n, int *axes)
{
    for (int i = 1; i < n; i++) {
        int axis = axes[i], j = i;
        for (; j > 0 && llabs(array->strides[axis]) > llabs(array->strides[axes[j - 1]]); j--)
            axes[j] = axes[j - 1];
        axes[j] = axis;
    }
}

/* Kept axes, then reduced ones, without those of extent 1; returns how many are kept. */
static int choose_axes(const brio_fold *fold, int *axes, int *total)
{
    const brio_array *array = fold->array;
    int nkeep = 0, n;
    for (int d = 0; d < array->ndim; d++)
        if (!(fold->axes >> d & 1) && array->shape[d] != 1)
            axes[nkeep++] = d;
    n = nkeep;
    for (int d = 0; d < array->ndim; d++)
        if (fold->axes >> d & 1 && array->shape[d] != 1)
            axes[n++] = d;
    order_axes(array, nkeep, axes);
    if (!is_arg(fold->kind))
        order_axes(array, n - nkeep, axes + nkeep);
    *total = n;
    return nkeep;
}

static void turn_reduced(const brio_fold *fold, brio_space *space, const int *axes, int begin)
{
    for (int d = begin; d < space->ndim && !is_arg(fold->kind); d++)
        if (fold->array->strides[axes[d]] < 0)
            for (int i = 0; i < space->noperands; i++) {
                brio_strided *operand = &space->operands[i];
                operand->data += operand->strides[d] * (space->shape[d] - 1);
                operand->strides[d] = -operand->strides[d];
            }
}

/* Lays result and leaves over the ordered axes. `result` has kept extents only, or 1 for reduced ones. */
static brio_status lay_out(const brio_fold *fold, const brio_pass *pass, const brio_array *result,
                           brio_space *space, int *nkeep)
{
    int axes[BRIO_MAX_DIMS], place[BRIO_MAX_DIMS], total, at = 0;
    int64_t laid[BRIO_MAX_DIMS];
    const brio_array *array = fold->array;
    *nkeep = choose_axes(fold, axes, &total);
    for (int d = 0; d < array->ndim; d++) {
        place[d] = at;
        at += !(fold->axes >> d & 1) || fold->keepdims;
    }
    space->ndim = total;
    space->noperands = 0;
    brio_strided *to = &space->operands[space->noperands++];
    BRIO_TRY(brio_array_pointer(result, BRIO_WRITE, &to->data));
    for (int d = 0; d < total; d++) {
        space->shape[d] = array->shape[axes[d]];
        to->strides[d] = d < *nkeep ? result->strides[place[axes[d]]] : 0;
    }
    for (int i = 0; i < pass->program.ninputs; i++) {
        brio_strided *from = &space->operands[space->noperands++];
        BRIO_TRY(brio_array_pointer(pass->leaves[i], BRIO_READ, &from->data));
        brio_layout_broadcast(pass->leaves[i], array->ndim, array->shape, laid);
        for (int d = 0; d < total; d++)
            from->strides[d] = laid[axes[d]];
    }
    turn_reduced(fold, space, axes, *nkeep);
    *nkeep = brio_space_merge(space, 0, *nkeep);
    brio_space_merge(space, *nkeep, space->ndim);
    return BRIO_OK;
}

static brio_status run_pass(const brio_fold *fold, brio_pass *pass, brio_array *result)
{
    brio_space space;
    int nkeep;
    brio_pass_output(pass, emit(pass, fold));
    BRIO_TRY(brio_pass_finish(pass));
    BRIO_TRY(lay_out(fold, pass, result, &space, &nkeep));
    brio_reduce_args args = {
        .program = &pass->program,
        .kind = fold->kind,
        .order = fold->order,
        .nkeep = nkeep,
        .nreduce = space.ndim - nkeep,
        .keep_shape = space.shape,
        .reduce_shape = space.shape + nkeep,
        .in = space.operands + 1,
        .out = space.operands[0],
        .fp_flags = fold->fp_flags,
    };
    return brio_array_backend()->reduce(&args);
}

static brio_status run(const brio_fold *fold, brio_array *result)
{
    const brio_array *inputs[3] = {fold->array, fold->where, fold->center};
    brio_pass pass;
    bool locked;
    if (fold->center != NULL)
        BRIO_TRY(brio_lazy_settle(brio_array_mutable(fold->center)));
    BRIO_TRY(brio_graph_enter(2, inputs, fold->array->ndim, fold->array->shape, &locked));
    brio_pass_begin(&pass, fold->array->ndim, fold->array->shape, locked);
    brio_status status = run_pass(fold, &pass, result);
    brio_graph_leave(locked, 2, inputs, status == BRIO_OK);
    return status;
}

/* The result keeps the order of the array's axes, as NumPy's does; positions of extremes are in C order. */
static void order_result(const brio_fold *fold, brio_array *result)
{
    const brio_array *array = fold->array;
    if (result->ndim < 2 || is_arg(fold->kind) || brio_array_is_c(array))
        return;
    int64_t strides[BRIO_MAX_DIMS];
    brio_array like = *result;
    const brio_array *operands[1] = {&like};
    like.strides = strides;
    for (int d = 0, n = 0; d < array->ndim; d++)
        if (!(fold->axes >> d & 1))
            strides[n++] = array->strides[d];
        else if (fold->keepdims)
            strides[n++] = 0;
    brio_layout_like(1, operands, result->ndim, result->shape, brio_itemsize(result->dtype), 'K',
                     result->strides);
}

brio_status brio_fold_run(const brio_fold *fold, brio_array **out)
{
    int64_t shape[BRIO_MAX_DIMS];
    int ndim = brio_fold_shape(fold->array, fold->axes, fold->keepdims, shape);
    brio_array *result;
    *out = NULL;
    BRIO_TRY(brio_array_new(is_arg(fold->kind) ? BRIO_I64 : fold->dtype, ndim, shape, 'C', &result));
    order_result(fold, result);
    brio_status status = result->count == 0 ? BRIO_OK : run(fold, result);
    if (status != BRIO_OK) {
        brio_array_unref(result);
        return status;
    }
    *out = result;
    return BRIO_OK;
}

static brio_status deliver_into(const char *name, brio_array *result, brio_array *to)
{
    char a[BRIO_LAYOUT_TEXT], b[BRIO_LAYOUT_TEXT];
    if (to->ndim != result->ndim)
        return brio_fail(BRIO_E_VALUE,
                         "output parameter for reduction operation %s has the wrong number of dimensions: "
                         "Found %d but expected %d",
                         name, to->ndim, result->ndim);
    if (!brio_layout_same_shape(to, result->ndim, result->shape))
        return brio_fail(BRIO_E_VALUE,
                         "output parameter for reduction operation %s has the shape %s but needs %s", name,
                         brio_layout_text(to->ndim, to->shape, a, sizeof a),
                         brio_layout_text(result->ndim, result->shape, b, sizeof b));
    brio_operand from = brio_operand_array(result);
    return brio_array_copyto(to, &from, BRIO_CAST_UNSAFE, NULL);
}

brio_status brio_fold_deliver(const brio_reduce_options *options, const char *name, brio_array *result,
                              brio_dtype dtype, brio_array **out)
{
    brio_status status = BRIO_OK;
    if (options->out != NULL) {
        status = deliver_into(name, result, options->out);
        *out = status == BRIO_OK ? brio_array_retain(options->out) : NULL;
    } else if (result->dtype == dtype) {
        *out = result;
        return BRIO_OK;
    } else {
        status = brio_array_cast(result, dtype, BRIO_CAST_UNSAFE, 'K', out);
    }
    brio_array_unref(result);
    return status;
}
