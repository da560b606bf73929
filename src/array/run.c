/* One step, run now: into new arrays, into given ones, under a mask. */
#include "array/map.h"
#include "op/rules.h"

static brio_term masked(brio_pass *pass, brio_term mask, brio_term yes, brio_term no, brio_dtype dtype)
{
    brio_term in[3] = {mask, yes, no};
    brio_dtype loop[3] = {BRIO_BOOL, dtype, dtype};
    return brio_pass_op(pass, BRIO_OPCODE_where, in, loop, dtype);
}

/* A harmless argument, so that elements behind the mask raise no floating-point condition. */
static brio_value harmless(brio_op op, brio_dtype dtype)
{
    brio_operand number = brio_operand_float(op == BRIO_OPCODE_arctanh ? 0 : 1);
    brio_value value = {0};
    number.weak = 0;
    return brio_value_convert(&number, dtype, &value) == BRIO_OK ? value : (brio_value){0};
}

/* The step on inputs that are harmless where the mask is false. */
static void emit_guarded(brio_pass *pass, const brio_expr *expr, brio_term mask, brio_term *terms)
{
    brio_term in[BRIO_MAX_IN];
    brio_dtype loop[BRIO_MAX_IN];
    for (int i = 0; i < expr->nin; i++) {
        brio_dtype dtype = loop[i] = (brio_dtype)expr->in_dtype[i];
        brio_term term = expr->in[i] == NULL
                             ? brio_pass_const(pass, dtype, expr->value[i])
                             : brio_pass_cast(pass, brio_pass_array(pass, expr->in[i]), dtype);
        brio_term safe = brio_pass_const(pass, dtype, harmless(expr->op, dtype));
        in[i] = masked(pass, mask, term, safe, dtype);
    }
    terms[0] = brio_pass_op(pass, expr->op, in, loop, (brio_dtype)expr->out_dtype[0]);
}

static void emit(brio_pass *pass, const brio_expr *expr, brio_array *const *outs, const brio_array *where,
                 bool want_fp)
{
    brio_term terms[BRIO_MAX_OUT], mask = where == NULL ? 0 : brio_pass_array(pass, where);
    if (where != NULL && want_fp && expr->kind == BRIO_STEP_OP && expr->nout == 1)
        emit_guarded(pass, expr, mask, terms);
    else
        brio_pass_expr(pass, expr, terms);
    for (int j = 0; j < expr->nout; j++) {
        brio_dtype dtype = (brio_dtype)outs[j]->dtype;
        brio_term result = brio_pass_cast(pass, terms[j], dtype);
        if (where != NULL)
            result = masked(pass, mask, result, brio_pass_leaf(pass, outs[j]), dtype);
        brio_pass_output(pass, result);
    }
}

brio_status brio_expr_run(const brio_expr *expr, int ndim, const int64_t *shape, brio_array *const *outs,
                          const brio_array *where, uint32_t *fp_flags)
{
    const brio_array *inputs[BRIO_MAX_IN + 1] = {NULL};
    for (int i = 0; i < expr->nin; i++)
        inputs[i] = expr->in[i];
    inputs[BRIO_MAX_IN] = where;
    bool locked;
    brio_pass pass;
    BRIO_TRY(brio_graph_enter(BRIO_MAX_IN + 1, inputs, ndim, shape, &locked));
    brio_pass_begin(&pass, ndim, shape, locked);
    emit(&pass, expr, outs, where, fp_flags != NULL);
    brio_status status = brio_pass_finish(&pass);
    if (status == BRIO_OK)
        status = brio_pass_run(&pass, outs, fp_flags);
    brio_graph_leave(locked, BRIO_MAX_IN + 1, inputs, status == BRIO_OK);
    return status;
}

static bool collides(const brio_expr *expr, brio_array *const *outs, const brio_array *where)
{
    for (int j = 0; j < expr->nout; j++) {
        for (int i = 0; i < expr->nin; i++)
            if (expr->in[i] != NULL && brio_lazy_disturbs(expr->in[i], outs[j]))
                return true;
        if (where != NULL && brio_lazy_disturbs(where, outs[j]))
            return true;
        for (int k = 0; k < j; k++)
            if (brio_array_may_overlap(outs[k], outs[j]))
                return true;
    }
    return false;
}

static brio_status write_by_copy(const brio_expr *expr, int ndim, const int64_t *shape,
                                 brio_array *const *outs, const brio_array *where, uint32_t *fp_flags,
                                 brio_array **copies)
{
    for (int j = 0; j < expr->nout; j++) {
        BRIO_TRY(brio_array_new((brio_dtype)outs[j]->dtype, ndim, shape, 'C', &copies[j]));
        if (where != NULL)
            BRIO_TRY(brio_array_copy_elements(copies[j], outs[j]));
    }
    BRIO_TRY(brio_expr_run(expr, ndim, shape, copies, where, fp_flags));
    for (int j = 0; j < expr->nout; j++)
        BRIO_TRY(brio_array_copy_elements(outs[j], copies[j]));
    return BRIO_OK;
}

brio_status brio_expr_write(const brio_expr *expr, int ndim, const int64_t *shape, brio_array *const *outs,
                            const brio_array *where, uint32_t *fp_flags)
{
    for (int j = 0; j < expr->nout; j++) {
        BRIO_TRY(brio_lazy_settle(outs[j]));
        BRIO_TRY(brio_lazy_settle_readers(outs[j]));
    }
    if (!collides(expr, outs, where))
        return brio_expr_run(expr, ndim, shape, outs, where, fp_flags);
    brio_array *copies[BRIO_MAX_OUT] = {NULL};
    brio_status status = write_by_copy(expr, ndim, shape, outs, where, fp_flags, copies);
    for (int j = 0; j < expr->nout; j++)
        brio_array_unref(copies[j]);
    return status;
}

static brio_status make(const brio_expr *expr, int ndim, const int64_t *shape, char order, uint32_t *fp_flags,
                        brio_array *array)
{
    if (ndim > 0)
        memcpy(array->shape, shape, (size_t)ndim * sizeof *shape);
    BRIO_TRY(brio_array_seal(array));
    brio_layout_like(expr->nin, expr->in, ndim, shape, brio_itemsize(array->dtype), order, array->strides);
    BRIO_TRY(brio_array_allocate(array));
    return brio_expr_run(expr, ndim, shape, &array, NULL, fp_flags);
}

brio_status brio_expr_make(const brio_expr *expr, int ndim, const int64_t *shape, char order,
                           uint32_t *fp_flags, brio_array **out)
{
    brio_array *array;
    *out = NULL;
    BRIO_TRY(brio_array_create((brio_dtype)expr->out_dtype[0], ndim, &array));
    brio_status status = make(expr, ndim, shape, order, fp_flags, array);
    if (status != BRIO_OK) {
        brio_array_unref(array);
        return status;
    }
    *out = array;
    return BRIO_OK;
}

/* ---- copies -------------------------------------------------------------------------------------- */

brio_status brio_array_copy_elements(brio_array *to, const brio_array *from)
{
    brio_expr expr;
    brio_operand operand = brio_operand_array(from);
    BRIO_TRY(brio_expr_cast(&operand, (brio_dtype)to->dtype, BRIO_CAST_UNSAFE, &expr));
    return brio_expr_run(&expr, to->ndim, to->shape, &to, NULL, NULL);
}

brio_status brio_array_contiguous(brio_array *array, brio_dtype dtype, bool fresh, brio_array **out)
{
    *out = NULL;
    if (!fresh && array->dtype == dtype && brio_array_is_c(array)) {
        BRIO_TRY(brio_lazy_settle(array));
        *out = brio_array_retain(array);
        return BRIO_OK;
    }
    brio_expr expr;
    brio_operand operand = brio_operand_array(array);
    BRIO_TRY(brio_expr_cast(&operand, dtype, BRIO_CAST_UNSAFE, &expr));
    return brio_expr_make(&expr, array->ndim, array->shape, 'C', NULL, out);
}
