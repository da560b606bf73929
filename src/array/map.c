/* Elementwise operations: checks of the call, then late, now, or into given arrays. */
#include "array/map.h"
#include "op/rules.h"

#include <stdio.h>

static const brio_map_options defaults = BRIO_MAP_OPTIONS_INIT;

static const char *name_of(const brio_expr *expr, brio_op op)
{
    return expr->kind == BRIO_STEP_OP ? brio_op_lines[op].name : "copyto";
}

/* An integer array to the power of an integer array: no exponent may be negative. */
static brio_status check_exponents(const brio_expr *expr)
{
    if (expr->op != BRIO_OPCODE_power || expr->kind != BRIO_STEP_OP || expr->in[1] == NULL ||
        brio_dtype_kind((brio_dtype)expr->in_dtype[1]) != 'i' || expr->in[1]->count == 0 ||
        brio_dtype_kind((brio_dtype)expr->in[1]->dtype) != 'i')
        return BRIO_OK;
    brio_array *least;
    brio_value value;
    BRIO_TRY(brio_array_reduce(BRIO_OPCODE_minimum, brio_array_mutable(expr->in[1]), NULL, &least));
    brio_operand scalar = {NULL, (brio_dtype)least->dtype, 0, {0}};
    brio_status status = brio_array_item(least, &scalar.value);
    if (status == BRIO_OK)
        status = brio_value_convert(&scalar, BRIO_I64, &value);
    brio_array_unref(least);
    if (status == BRIO_OK && value.i64 < 0)
        return brio_fail(BRIO_E_VALUE, "Integers to negative integer powers are not allowed.");
    return status;
}

static brio_status check_output(const brio_expr *expr, brio_op op, int j, const brio_array *out,
                                brio_casting casting)
{
    char which[16] = "";
    if (!out->writeable)
        return brio_fail(BRIO_E_VALUE, "output array is read-only");
    if (brio_dtype_can_cast((brio_dtype)expr->out_dtype[j], (brio_dtype)out->dtype, casting))
        return BRIO_OK;
    if (expr->nout != 1)
        snprintf(which, sizeof which, "%d ", expr->nin + j);
    return brio_fail(BRIO_E_CASTING,
                     "Cannot cast ufunc '%s' output %sfrom dtype('%s') to dtype('%s') with casting rule '%s'",
                     name_of(expr, op), which, brio_dtype_name((brio_dtype)expr->out_dtype[j]),
                     brio_dtype_name((brio_dtype)out->dtype), brio_casting_name(casting));
}

/* The shape to which inputs, mask and outputs broadcast; an output must have it exactly. */
static brio_status full_shape(const brio_expr *expr, const brio_map_options *options, int *ndim,
                              int64_t *shape)
{
    const brio_array *all[BRIO_MAX_IN + 1 + BRIO_MAX_OUT];
    static const brio_array scalar; /* no dimensions: sentences name constants as "()" */
    int n = 0;
    for (int i = 0; i < expr->nin; i++)
        all[n++] = expr->in[i] != NULL ? expr->in[i] : &scalar;
    for (int j = 0; j < expr->nout; j++)
        all[n++] = options->out[j];
    all[n++] = options->where;
    BRIO_TRY(brio_broadcast_shapes(n, all, ndim, shape));
    for (int j = 0; j < expr->nout; j++) {
        char own[BRIO_LAYOUT_TEXT], wanted[BRIO_LAYOUT_TEXT];
        const brio_array *out = options->out[j];
        if (out != NULL && !brio_layout_same_shape(out, *ndim, shape))
            return brio_fail(
                BRIO_E_VALUE,
                "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
                brio_layout_text(out->ndim, out->shape, own, sizeof own),
                brio_layout_text(*ndim, shape, wanted, sizeof wanted));
    }
    return BRIO_OK;
}

/* The given output or a new one. With a mask a new one begins with zeros. */
static brio_status take_output(const brio_expr *expr, const brio_map_options *options, int j, int ndim,
                               const int64_t *shape, brio_array **out)
{
    if (options->out[j] != NULL) {
        *out = brio_array_retain(options->out[j]);
        return BRIO_OK;
    }
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_value zero = {0};
    spec.dtype = (brio_dtype)expr->out_dtype[j];
    spec.ndim = ndim;
    spec.shape = shape;
    if (options->where != NULL)
        return brio_array_full(&spec, &zero, out);
    int64_t strides[BRIO_MAX_DIMS];
    brio_layout_like(expr->nin, expr->in, ndim, shape, brio_itemsize(spec.dtype), options->order, strides);
    BRIO_TRY(brio_array_empty(&spec, out));
    if (ndim > 0)
        memcpy((*out)->strides, strides, (size_t)ndim * sizeof *strides);
    return BRIO_OK;
}

static brio_status map_into(const brio_expr *expr, brio_op op, const brio_map_options *options,
                            brio_array **out)
{
    int ndim;
    int64_t shape[BRIO_MAX_DIMS];
    BRIO_TRY(brio_mask_check(options->where));
    for (int j = 0; j < expr->nout; j++)
        if (options->out[j] != NULL)
            BRIO_TRY(check_output(expr, op, j, options->out[j], options->casting));
    if (expr->nout == 1 && options->where == NULL && options->fp_flags == NULL &&
        expr->op != BRIO_OPCODE_power) {
        BRIO_TRY(brio_expr_small(expr, options->out[0], out));
        if (out[0] != NULL)
            return BRIO_OK;
    }
    BRIO_TRY(full_shape(expr, options, &ndim, shape));
    BRIO_TRY(check_exponents(expr));
    for (int j = 0; j < expr->nout; j++)
        BRIO_TRY(take_output(expr, options, j, ndim, shape, &out[j]));
    return brio_expr_write(expr, ndim, shape, out, options->where, options->fp_flags);
}

static brio_status map_new(const brio_expr *expr, const brio_map_options *options, brio_array **out)
{
    int ndim;
    int64_t shape[BRIO_MAX_DIMS], count;
    if (options->lazy != BRIO_LAZY_ALWAYS && options->fp_flags == NULL && options->order != 'F' &&
        expr->op != BRIO_OPCODE_power) {
        BRIO_TRY(brio_expr_small(expr, NULL, out));
        if (*out != NULL)
            return BRIO_OK;
    }
    BRIO_TRY(brio_broadcast_shapes(expr->nin, expr->in, &ndim, shape));
    BRIO_TRY(check_exponents(expr));
    BRIO_TRY(brio_layout_count(ndim, shape, brio_itemsize(expr->out_dtype[0]), &count));
    bool late =
        options->lazy == BRIO_LAZY_ALWAYS ||
        (options->lazy == BRIO_LAZY_AUTO && options->fp_flags == NULL && brio_lazy_is_worth(expr, count));
    if (late)
        return brio_lazy_create(expr, ndim, shape, options->order, out);
    return brio_expr_make(expr, ndim, shape, options->order, options->fp_flags, out);
}

brio_status brio_array_map(brio_op op, const brio_operand *in, const brio_map_options *options,
                           brio_array **out)
{
    brio_expr expr;
    out[0] = NULL;
    if (options == NULL)
        options = &defaults;
    if (options->size < sizeof *options)
        return brio_fail(BRIO_E_VALUE, "the size of map options is not set");
    BRIO_TRY(brio_expr_resolve(op, in, options, &expr));
    for (int j = 1; j < expr.nout; j++)
        out[j] = NULL;
    bool plain = expr.nout == 1 && options->out[0] == NULL && options->where == NULL;
    brio_status status = plain ? map_new(&expr, options, out) : map_into(&expr, op, options, out);
    for (int j = 0; j < expr.nout && status != BRIO_OK; j++) {
        brio_array_unref(out[j]);
        out[j] = NULL;
    }
    return status;
}

brio_status brio_array_map_external(brio_external_loop loop, void *data, int nin, const brio_operand *in,
                                    brio_dtype out_dtype, brio_array **out)
{
    int ndim;
    int64_t shape[BRIO_MAX_DIMS];
    brio_expr expr = {.kind = BRIO_STEP_EXTERNAL, .nout = 1, .op = BRIO_OP_NONE};
    *out = NULL;
    if (nin < 1 || nin > BRIO_MAX_IN)
        return brio_fail(BRIO_E_VALUE, "an external loop takes 1 to %d inputs, not %d", BRIO_MAX_IN, nin);
    if (brio_dtype_size(out_dtype) == 0)
        return brio_fail(BRIO_E_TYPE, "%d names no dtype", (int)out_dtype);
    expr.nin = (uint8_t)nin;
    expr.out_dtype[0] = (uint8_t)out_dtype;
    expr.external = loop;
    expr.external_data = data;
    for (int i = 0; i < nin; i++) {
        expr.in[i] = in[i].array;
        expr.value[i] = in[i].value;
        expr.in_dtype[i] = (uint8_t)brio_operand_dtype(&in[i]);
    }
    BRIO_TRY(brio_broadcast_shapes(nin, expr.in, &ndim, shape));
    return brio_lazy_create(&expr, ndim, shape, 'K', out);
}
