/* Views: the same storage under another shape, order of axes, strides or dtype. */
#include "array/lazy.h"

#include <stdio.h>

static brio_status finish(brio_status status, brio_array *view, brio_array **out)
{
    if (status != BRIO_OK)
        brio_array_unref(view);
    *out = status == BRIO_OK ? view : NULL;
    return status;
}

/* ---- reshape ------------------------------------------------------------------------------------- */

static const char *wanted_text(int ndim, const int64_t *shape, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "(");
    int first = 0;
    while (first < ndim && shape[first] < 0)
        first++;
    for (int d = first; d < ndim && at < size; d++) {
        const char *comma = d > first ? "," : "";
        at += (size_t)(shape[d] < 0 ? snprintf(text + at, size - at, "%snewaxis", comma)
                                    : snprintf(text + at, size - at, "%s%lld", comma, (long long)shape[d]));
    }
    if (at < size)
        snprintf(text + at, size - at, ndim == 1 ? ",)" : ")");
    return text;
}

/* The wanted shape with its one unknown extent filled in. */
static brio_status complete_shape(const brio_array *array, int ndim, const int64_t *wanted, int64_t *shape)
{
    int unknown = -1;
    int64_t known = 1;
    bool fits = true;
    char text[BRIO_LAYOUT_TEXT];
    for (int d = 0; d < ndim; d++) {
        shape[d] = wanted[d];
        if (wanted[d] >= 0) {
            fits = fits && !__builtin_mul_overflow(known, wanted[d], &known);
        } else if (unknown >= 0) {
            return brio_fail(BRIO_E_VALUE, "can only specify one unknown dimension");
        } else {
            unknown = d;
        }
    }
    if (unknown >= 0 && fits && known > 0 && array->count % known == 0)
        shape[unknown] = array->count / known;
    else if (unknown >= 0 || !fits || known != array->count)
        return brio_fail(BRIO_E_VALUE, "cannot reshape array of size %lld into shape %s",
                         (long long)array->count, wanted_text(ndim, wanted, text, sizeof text));
    return BRIO_OK;
}

/* Strides of the new shape over the same elements, in order 'C' or 'F'; false when a copy is needed.
 * Runs of old and new axes with equal products are matched; a run's old axes must be adjacent in memory. */
static bool strides_without_copy(const brio_array *array, int ndim, const int64_t *shape, char order,
                                 int64_t *strides)
{
    int64_t old_shape[BRIO_MAX_DIMS], old_strides[BRIO_MAX_DIMS],
        itemsize = (int64_t)brio_itemsize(array->dtype);
    int old_ndim = 0, o = 0, n = 0;
    for (int i = 0; i < array->ndim; i++) {
        int d = order == 'F' ? array->ndim - 1 - i : i;
        if (array->shape[d] != 1) {
            old_shape[old_ndim] = array->shape[d];
            old_strides[old_ndim++] = array->strides[d];
        }
    }
    while (n < ndim && o < old_ndim) {
        int first_new = n, last_old = o;
        int64_t product_new = shape[order == 'F' ? ndim - 1 - n : n], product_old = old_shape[o];
        while (product_new != product_old) {
            if (product_new < product_old) {
                product_new *= shape[order == 'F' ? ndim - 2 - n : n + 1];
                n++;
            } else {
                last_old++;
                product_old *= old_shape[last_old];
            }
        }
        for (int k = o; k < last_old; k++)
            if (old_strides[k] != old_strides[k + 1] * old_shape[k + 1])
                return false;
        int64_t stride = old_strides[last_old];
        for (int k = n; k >= first_new; k--) {
            int d = order == 'F' ? ndim - 1 - k : k;
            strides[d] = stride;
            stride *= shape[d];
        }
        n++, o = last_old + 1;
    }
    for (; n < ndim; n++)
        strides[order == 'F' ? ndim - 1 - n : n] = itemsize;
    return true;
}

static brio_status make_view(brio_array *array, int ndim, const int64_t *shape, const int64_t *strides,
                             brio_array **out)
{
    brio_array *view;
    BRIO_TRY(brio_array_new_view(array, (brio_dtype)array->dtype, ndim, array->offset, &view));
    if (ndim > 0) {
        memcpy(view->shape, shape, (size_t)ndim * sizeof *shape);
        memcpy(view->strides, strides, (size_t)ndim * sizeof *strides);
    }
    view->count = array->count;
    *out = view;
    return BRIO_OK;
}

/* A fresh array whose elements in C order are those of `array` in `order`, then seen in the new shape. */
static brio_status reshape_copy(brio_array *array, int ndim, const int64_t *shape, char order,
                                brio_array **out)
{
    brio_array *copy;
    BRIO_TRY(brio_array_cast(array, (brio_dtype)array->dtype, BRIO_CAST_NO, order, &copy));
    int64_t strides[BRIO_MAX_DIMS];
    brio_layout_strides(ndim, shape, brio_itemsize(array->dtype), order, strides);
    brio_status status = brio_lazy_settle(copy);
    if (status == BRIO_OK)
        status = make_view(copy, ndim, shape, strides, out);
    brio_array_unref(copy);
    return status;
}

brio_status brio_array_reshape(brio_array *array, int ndim, const int64_t *wanted, char order,
                               brio_array **out)
{
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
    *out = NULL;
    if (ndim < 0 || ndim > BRIO_MAX_DIMS)
        return brio_fail(BRIO_E_VALUE, "maximum supported dimension for an ndarray is %d, found %d",
                         BRIO_MAX_DIMS, ndim);
    BRIO_TRY(complete_shape(array, ndim, wanted, shape));
    BRIO_TRY(brio_lazy_settle(array));
    order = order == 'F' ? 'F' : 'C';
    if (array->count == 0) {
        brio_layout_strides(ndim, shape, brio_itemsize(array->dtype), order, strides);
        return make_view(array, ndim, shape, strides, out);
    }
    if (strides_without_copy(array, ndim, shape, order, strides))
        return make_view(array, ndim, shape, strides, out);
    return reshape_copy(array, ndim, shape, order, out);
}

/* ---- axes ------------------------------------------------------------------------------------------ */

static brio_status check_axes(const brio_array *array, const int *axes, int *clean)
{
    uint64_t seen = 0;
    for (int d = 0; d < array->ndim; d++) {
        clean[d] = array->ndim - 1 - d;
        if (axes == NULL)
            continue;
        BRIO_TRY(brio_layout_axis(axes[d], array->ndim, &clean[d]));
        if (seen >> clean[d] & 1)
            return brio_fail(BRIO_E_VALUE, "repeated axis in transpose");
        seen |= (uint64_t)1 << clean[d];
    }
    return BRIO_OK;
}

brio_status brio_array_transpose(brio_array *array, const int *axes, brio_array **out)
{
    int clean[BRIO_MAX_DIMS];
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
    *out = NULL;
    BRIO_TRY(check_axes(array, axes, clean));
    BRIO_TRY(brio_lazy_settle(array));
    for (int d = 0; d < array->ndim; d++) {
        shape[d] = array->shape[clean[d]];
        strides[d] = array->strides[clean[d]];
    }
    return make_view(array, array->ndim, shape, strides, out);
}

brio_status brio_array_broadcast(brio_array *array, int ndim, const int64_t *shape, brio_array **out)
{
    int64_t strides[BRIO_MAX_DIMS], count;
    char a[BRIO_LAYOUT_TEXT], b[BRIO_LAYOUT_TEXT];
    *out = NULL;
    if (ndim < 0 || ndim > BRIO_MAX_DIMS)
        return brio_fail(BRIO_E_VALUE, "maximum supported dimension for an ndarray is %d, found %d",
                         BRIO_MAX_DIMS, ndim);
    BRIO_TRY(brio_layout_count(ndim, shape, 1, &count));
    if (array->ndim > ndim)
        return brio_fail(BRIO_E_VALUE,
                         "input operand has more dimensions than allowed by the axis remapping");
    if (!brio_layout_fits(array, ndim, shape))
        return brio_fail(BRIO_E_VALUE,
                         "operands could not be broadcast together with remapped shapes "
                         "[original->remapped]: %s  and requested shape %s",
                         brio_layout_text(array->ndim, array->shape, a, sizeof a),
                         brio_layout_text(ndim, shape, b, sizeof b));
    BRIO_TRY(brio_lazy_settle(array));
    brio_layout_broadcast(array, ndim, shape, strides);
    BRIO_TRY(make_view(array, ndim, shape, strides, out));
    (*out)->count = count;
    (*out)->writeable = 0;
    return BRIO_OK;
}

brio_status brio_array_as_strided(brio_array *array, int64_t offset, int ndim, const int64_t *shape,
                                  const int64_t *strides, brio_array **out)
{
    int64_t count;
    *out = NULL;
    if (ndim < 0 || ndim > BRIO_MAX_DIMS)
        return brio_fail(BRIO_E_VALUE, "maximum supported dimension for an ndarray is %d, found %d",
                         BRIO_MAX_DIMS, ndim);
    BRIO_TRY(brio_layout_count(ndim, shape, 1, &count));
    BRIO_TRY(brio_lazy_settle(array));
    BRIO_TRY(make_view(array, ndim, shape, strides, out));
    (*out)->count = count;
    (*out)->offset += offset;
    return BRIO_OK;
}

/* ---- dtype ----------------------------------------------------------------------------------------- */

/* Changes the last axis of `view` so that its bytes are seen in items of another size. */
static brio_status resize_last_axis(brio_array *view, int64_t from, int64_t to)
{
    int last = view->ndim - 1;
    if (last < 0)
        return brio_fail(BRIO_E_VALUE,
                         "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    if (view->strides[last] != from && view->shape[last] != 1 && view->count != 0)
        return brio_fail(BRIO_E_VALUE,
                         "To change to a dtype of a different size, the last axis must be contiguous");
    int64_t bytes = view->shape[last] * from;
    if (to < from && from % to != 0)
        return brio_fail(BRIO_E_VALUE,
                         "When changing to a smaller dtype, its size must be a divisor of the size of "
                         "original dtype");
    if (to > from && bytes % to != 0)
        return brio_fail(BRIO_E_VALUE,
                         "When changing to a larger dtype, its size must be a divisor of the total size "
                         "in bytes of the last axis of the array.");
    view->shape[last] = bytes / to;
    view->strides[last] = to;
    return brio_array_seal(view);
}

brio_status brio_array_view(brio_array *array, brio_dtype dtype, brio_array **out)
{
    brio_array *view;
    *out = NULL;
    int64_t from = (int64_t)brio_itemsize(array->dtype), to = (int64_t)brio_dtype_size(dtype);
    if (to == 0)
        return brio_fail(BRIO_E_TYPE, "%d names no dtype", (int)dtype);
    BRIO_TRY(brio_lazy_settle(array));
    BRIO_TRY(make_view(array, array->ndim, array->shape, array->strides, &view));
    view->dtype = (uint8_t)dtype;
    return finish(from == to ? BRIO_OK : resize_last_axis(view, from, to), view, out);
}
