/* Writing through subscripts. */
#include "array/select.h"

/* One value for a whole selection, or one for each place. The caller gives `*out` back. */
static brio_status value_array(const brio_operand *value, brio_dtype dtype, brio_array **out)
{
    if (value->array != NULL) {
        BRIO_TRY(brio_lazy_settle(brio_array_mutable(value->array)));
        if (value->array->dtype != dtype)
            return brio_array_contiguous(brio_array_mutable(value->array), dtype, true, out);
        *out = brio_array_retain(brio_array_mutable(value->array));
        return BRIO_OK;
    }
    brio_value converted;
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    BRIO_TRY(brio_value_convert(value, dtype, &converted));
    spec.dtype = dtype;
    return brio_array_full(&spec, &converted, out);
}

/* Replaces `*array` by another that was made of it. */
static brio_status replace(brio_status status, brio_array **array, brio_array *const *by)
{
    if (status == BRIO_OK) {
        brio_array_unref(*array);
        *array = *by;
    }
    return status;
}

/* Broadcasts the value to the shape of the selection, as something that can be walked. */
static brio_status lay_value(const brio_selection *s, const brio_array *target, brio_array **value)
{
    int ndim, drop = 0;
    int64_t shape[BRIO_MAX_DIMS], stride;
    char a[BRIO_LAYOUT_TEXT], b[BRIO_LAYOUT_TEXT];
    brio_array *next = NULL;
    BRIO_TRY(brio_selection_shape(s, &ndim, shape));
    brio_layout_text((*value)->ndim, (*value)->shape, a, sizeof a);
    while ((*value)->ndim - drop > ndim && (*value)->shape[drop] == 1)
        drop++;
    if (drop > 0)
        BRIO_TRY(
            replace(brio_array_reshape(*value, (*value)->ndim - drop, (*value)->shape + drop, 'C', &next),
                    value, &next));
    if (!brio_layout_fits(*value, ndim, shape))
        return brio_fail(
            BRIO_E_VALUE,
            "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s",
            a, brio_layout_text(ndim, shape, b, sizeof b));
    bool copy = brio_array_may_overlap(*value, target);
    BRIO_TRY(replace(brio_array_broadcast(*value, ndim, shape, &next), value, &next));
    if (!copy && brio_selection_one_stride(s, *value, &stride))
        return BRIO_OK;
    return replace(brio_array_contiguous(*value, (brio_dtype)(*value)->dtype, true, &next), value, &next);
}

static brio_status scatter(const brio_selection *s, brio_array *array, const brio_operand *operand)
{
    brio_array *value;
    BRIO_TRY(value_array(operand, (brio_dtype)array->dtype, &value));
    brio_status status = lay_value(s, array, &value);
    if (status == BRIO_OK)
        status = brio_lazy_settle_readers(array);
    if (status == BRIO_OK)
        status = brio_selection_move(s, value, false);
    brio_array_unref(value);
    return status;
}

static bool is_full_mask(const brio_array *array, const brio_index *index, int nindex)
{
    return nindex == 1 && index->kind == BRIO_INDEX_ARRAY && index->array->dtype == BRIO_BOOL &&
           index->array->ndim > 0 && brio_layout_same_shape(index->array, array->ndim, array->shape);
}

/* array[mask] = value: NumPy's rules for a mask of the array's own shape. */
static brio_status assign_masked(brio_array *array, const brio_index *index, const brio_operand *value)
{
    if (value->array == NULL || value->array->ndim == 0)
        return brio_array_copyto(array, value, BRIO_CAST_UNSAFE, index->array);
    if (value->array->ndim > 1)
        return brio_fail(
            BRIO_E_TYPE,
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has %d "
            "dimensions",
            value->array->ndim);
    brio_selection selection;
    brio_status status = brio_selection_begin(array, index, 1, &selection);
    if (status == BRIO_OK && value->array->count != 1 && value->array->count != selection.count)
        status =
            brio_fail(BRIO_E_VALUE,
                      "NumPy boolean array indexing assignment cannot assign %lld input values to the %lld "
                      "output values where the mask is true",
                      (long long)value->array->count, (long long)selection.count);
    if (status == BRIO_OK)
        status = scatter(&selection, array, value);
    brio_selection_end(&selection);
    return status;
}

brio_status brio_array_assign(brio_array *array, const brio_index *index, int nindex,
                              const brio_operand *value)
{
    if (!array->writeable)
        return brio_fail(BRIO_E_VALUE, "assignment destination is read-only");
    if (is_full_mask(array, index, nindex))
        return assign_masked(array, index, value);
    brio_selection selection;
    brio_status status = brio_selection_begin(array, index, nindex, &selection);
    if (status == BRIO_OK && selection.advanced)
        status = scatter(&selection, array, value);
    else if (status == BRIO_OK)
        status = brio_array_copyto(selection.view, value, BRIO_CAST_UNSAFE, NULL);
    brio_selection_end(&selection);
    return status;
}
