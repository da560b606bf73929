/* Casts and assignments of whole arrays. */
#include "array/map.h"

brio_status brio_array_cast(brio_array *array, brio_dtype dtype, brio_casting casting, char order,
                            brio_array **out)
{
    brio_expr expr;
    brio_operand operand = brio_operand_array(array);
    *out = NULL;
    BRIO_TRY(brio_expr_cast(&operand, dtype, casting, &expr));
    if (brio_lazy_is_worth(&expr, array->count))
        return brio_lazy_create(&expr, array->ndim, array->shape, order, out);
    return brio_expr_make(&expr, array->ndim, array->shape, order, NULL, out);
}

/* Extents of 1 in front do not count when a value is assigned: a view without those that are too many. */
static brio_status drop_leading(brio_array *array, int ndim, brio_array **out)
{
    int drop = 0;
    while (array->ndim - drop > ndim && array->shape[drop] == 1)
        drop++;
    if (drop == 0) {
        *out = brio_array_retain(array);
        return BRIO_OK;
    }
    return brio_array_reshape(array, array->ndim - drop, array->shape + drop, 'C', out);
}

/* The only element of an array. */
static brio_status store_one(brio_array *to, const brio_value *value)
{
    char *at;
    BRIO_TRY(brio_lazy_settle(to));
    BRIO_TRY(brio_lazy_settle_readers(to));
    BRIO_TRY(brio_array_pointer(to, BRIO_READWRITE, &at));
    memcpy(at, value, brio_itemsize(to->dtype));
    return BRIO_OK;
}

static brio_status copy_array(brio_array *to, const brio_operand *from, brio_casting casting,
                              const brio_array *where)
{
    brio_expr expr;
    char a[BRIO_LAYOUT_TEXT], b[BRIO_LAYOUT_TEXT];
    BRIO_TRY(brio_expr_cast(from, (brio_dtype)to->dtype, casting, &expr));
    if (from->array != NULL && !brio_layout_fits(from->array, to->ndim, to->shape))
        return brio_fail(BRIO_E_VALUE, "could not broadcast input array from shape %s into shape %s",
                         brio_layout_text(from->array->ndim, from->array->shape, a, sizeof a),
                         brio_layout_text(to->ndim, to->shape, b, sizeof b));
    if (where != NULL && !brio_layout_fits(where, to->ndim, to->shape))
        return brio_fail(BRIO_E_VALUE, "could not broadcast where mask from shape %s into shape %s",
                         brio_layout_text(where->ndim, where->shape, a, sizeof a),
                         brio_layout_text(to->ndim, to->shape, b, sizeof b));
    if (from->array == NULL && to->count == 1 && where == NULL)
        return store_one(to, &expr.value[0]);
    return brio_expr_write(&expr, to->ndim, to->shape, &to, where, NULL);
}

brio_status brio_array_copyto(brio_array *to, const brio_operand *from, brio_casting casting,
                              const brio_array *where)
{
    if (!to->writeable)
        return brio_fail(BRIO_E_VALUE, "assignment destination is read-only");
    BRIO_TRY(brio_mask_check(where));
    if (from->array == NULL || from->array->ndim <= to->ndim)
        return copy_array(to, from, casting, where);
    brio_array *view;
    BRIO_TRY(drop_leading(brio_array_mutable(from->array), to->ndim, &view));
    brio_operand operand = brio_operand_array(view);
    brio_status status = copy_array(to, &operand, casting, where);
    brio_array_unref(view);
    return status;
}
