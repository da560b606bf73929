/* Sorting and orders along an axis: rows are brought together, sorted by the backend, and brought back. */
#include "array/map.h"

/* A view with `axis` moved to the end, or (back) the end moved to `axis`. */
static brio_status move_axis(brio_array *array, int axis, bool back, brio_array **out)
{
    int axes[BRIO_MAX_DIMS], n = 0, last = array->ndim - 1;
    for (int d = 0; d <= last; d++) {
        if (back)
            axes[d] = d < axis ? d : d == axis ? last : d - 1;
        else if (d != axis)
            axes[n++] = d;
    }
    if (!back)
        axes[last] = axis;
    return brio_array_transpose(array, axes, out);
}

static int64_t rows_of(const brio_array *rows)
{
    int64_t length = rows->shape[rows->ndim - 1];
    return length == 0 ? 0 : rows->count / length;
}

static brio_status sort_rows(brio_array *rows, int descending)
{
    char *data;
    if (rows->count == 0)
        return BRIO_OK;
    BRIO_TRY(brio_array_pointer(rows, BRIO_READWRITE, &data));
    brio_sort_args args = {(brio_dtype)rows->dtype, descending, rows_of(rows), rows->shape[rows->ndim - 1],
                           data};
    return brio_array_backend()->sort(&args);
}

static brio_status argsort_rows(const brio_array *rows, int descending, brio_array **out)
{
    char *keys, *index;
    BRIO_TRY(brio_array_new(BRIO_I64, rows->ndim, rows->shape, 'C', out));
    if (rows->count == 0)
        return BRIO_OK;
    brio_status status = brio_array_pointer(rows, BRIO_READ, &keys);
    if (status == BRIO_OK)
        status = brio_array_pointer(*out, BRIO_WRITE, &index);
    if (status == BRIO_OK) {
        brio_argsort_args args = {(brio_dtype)rows->dtype,     descending, rows_of(rows),
                                  rows->shape[rows->ndim - 1], keys,       (int64_t *)(void *)index};
        status = brio_array_backend()->argsort(&args);
    }
    if (status != BRIO_OK) {
        brio_array_unref(*out);
        *out = NULL;
    }
    return status;
}

/* Contiguous rows along `axis`: a fresh copy when they will be written. */
static brio_status take_rows(brio_array *array, int axis, bool fresh, brio_array **rows)
{
    brio_array *moved;
    if (axis == array->ndim - 1)
        return brio_array_contiguous(array, (brio_dtype)array->dtype, fresh, rows);
    BRIO_TRY(move_axis(array, axis, false, &moved));
    brio_status status = brio_array_contiguous(moved, (brio_dtype)array->dtype, fresh, rows);
    brio_array_unref(moved);
    return status;
}

/* Rows back as an array of the original order of axes. Takes over `rows`. */
static brio_status return_rows(brio_array *rows, int axis, brio_array **out)
{
    brio_array *view;
    if (axis == rows->ndim - 1) {
        *out = rows;
        return BRIO_OK;
    }
    brio_status status = move_axis(rows, axis, true, &view);
    if (status == BRIO_OK) {
        status = brio_array_contiguous(view, (brio_dtype)rows->dtype, true, out);
        brio_array_unref(view);
    }
    brio_array_unref(rows);
    return status;
}

brio_status brio_array_sort(brio_array *array, int axis, int descending, brio_array **out)
{
    brio_array *rows;
    *out = NULL;
    BRIO_TRY(brio_layout_axis(axis, array->ndim, &axis));
    BRIO_TRY(take_rows(array, axis, true, &rows));
    brio_status status = sort_rows(rows, descending);
    if (status != BRIO_OK) {
        brio_array_unref(rows);
        return status;
    }
    return return_rows(rows, axis, out);
}

brio_status brio_array_sort_inplace(brio_array *array, int axis, int descending)
{
    BRIO_TRY(brio_layout_axis(axis, array->ndim, &axis));
    if (!array->writeable)
        return brio_fail(BRIO_E_VALUE, "sort array is read-only");
    BRIO_TRY(brio_lazy_settle(array));
    BRIO_TRY(brio_lazy_settle_readers(array));
    if (axis == array->ndim - 1 && brio_array_is_c(array))
        return sort_rows(array, descending);
    brio_array *sorted;
    BRIO_TRY(brio_array_sort(array, axis, descending, &sorted));
    brio_status status = brio_array_copy_elements(array, sorted);
    brio_array_unref(sorted);
    return status;
}

brio_status brio_array_argsort(brio_array *array, int axis, int descending, brio_array **out)
{
    brio_array *rows, *order;
    *out = NULL;
    BRIO_TRY(brio_layout_axis(axis, array->ndim, &axis));
    BRIO_TRY(take_rows(array, axis, false, &rows));
    brio_status status = argsort_rows(rows, descending, &order);
    brio_array_unref(rows);
    BRIO_TRY(status);
    return return_rows(order, axis, out);
}
