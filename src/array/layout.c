/* Shapes and strides: counting, orders of axes, contiguity, broadcasting. */
#include "array/object.h"

#include <stdio.h>
#include <stdlib.h>

brio_status brio_layout_count(int ndim, const int64_t *shape, size_t itemsize, int64_t *count)
{
    int64_t bytes = (int64_t)itemsize, elements = 1;
    bool too_big = false;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return brio_fail(BRIO_E_VALUE, "negative dimensions are not allowed");
        elements = shape[d] == 0 ? 0 : elements;
        if (shape[d] != 0 && __builtin_mul_overflow(bytes, shape[d], &bytes))
            too_big = true;
    }
    if (too_big)
        return brio_fail(BRIO_E_VALUE, "array is too big; `arr.size * arr.dtype.itemsize` is larger than "
                                       "the maximum possible size.");
    for (int d = 0; d < ndim; d++)
        elements *= shape[d] == 0 ? 1 : shape[d];
    *count = elements;
    return BRIO_OK;
}

void brio_layout_strides(int ndim, const int64_t *shape, size_t itemsize, char order, int64_t *strides)
{
    int64_t stride = (int64_t)itemsize;
    for (int i = 0; i < ndim; i++) {
        int d = order == 'F' ? i : ndim - 1 - i;
        strides[d] = stride;
        stride *= shape[d] == 0 ? 1 : shape[d];
    }
}

static bool is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize, bool c)
{
    int64_t expected = (int64_t)itemsize;
    bool contiguous = true;
    for (int i = 0; i < ndim; i++) {
        int d = c ? ndim - 1 - i : i;
        if (shape[d] == 0)
            return true;
        if (shape[d] != 1) {
            contiguous = contiguous && strides[d] == expected;
            expected *= shape[d];
        }
    }
    return contiguous;
}

bool brio_layout_is_c(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize)
{
    return is_contiguous(ndim, shape, strides, itemsize, true);
}

bool brio_layout_is_f(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize)
{
    return is_contiguous(ndim, shape, strides, itemsize, false);
}

bool brio_array_is_c(const brio_array *a)
{
    return is_contiguous(a->ndim, a->shape, a->strides, brio_itemsize(a->dtype), true);
}

bool brio_array_is_f(const brio_array *a)
{
    return is_contiguous(a->ndim, a->shape, a->strides, brio_itemsize(a->dtype), false);
}

void brio_layout_broadcast(const brio_array *array, int ndim, const int64_t *shape, int64_t *strides)
{
    int lead = ndim - array->ndim;
    for (int d = 0; d < ndim; d++)
        strides[d] = d < lead || array->shape[d - lead] == 1 ? 0 : array->strides[d - lead];
}

bool brio_layout_fits(const brio_array *array, int ndim, const int64_t *shape)
{
    int lead = ndim - array->ndim;
    if (lead < 0)
        return false;
    for (int d = 0; d < array->ndim; d++)
        if (array->shape[d] != 1 && array->shape[d] != shape[d + lead])
            return false;
    return true;
}

bool brio_layout_same_shape(const brio_array *array, int ndim, const int64_t *shape)
{
    if (array->ndim != ndim)
        return false;
    for (int d = 0; d < ndim; d++)
        if (array->shape[d] != shape[d])
            return false;
    return true;
}

/* Whether axis `outer` (strides a) belongs inside axis `inner` (strides b): 1 yes, 0 no, -1 no operand
 * says. In a conflict between operands C order wins. */
static int belongs_inside(int n, int64_t a[][BRIO_MAX_DIMS], int axis_a, int axis_b)
{
    int answer = -1;
    for (int i = 0; i < n; i++) {
        int64_t sa = llabs(a[i][axis_a]), sb = llabs(a[i][axis_b]);
        if (sa == 0 || sb == 0)
            continue;
        if (sb <= sa)
            answer = 0;
        else if (answer < 0)
            answer = 1;
    }
    return answer;
}

/* Axes from the fastest to the slowest: an insertion sort that starts from C order and moves an axis
 * inwards past those that the operands say lie outside it. */
static void sort_axes(int n, int64_t strides[][BRIO_MAX_DIMS], int ndim, int *axes)
{
    for (int i = 0; i < ndim; i++) {
        int axis = ndim - 1 - i, at = i;
        for (int j = i - 1; j >= 0; j--) {
            int inside = belongs_inside(n, strides, axis, axes[j]);
            if (inside == 1)
                at = j;
            else if (inside == 0)
                break;
        }
        for (int j = i; j > at; j--)
            axes[j] = axes[j - 1];
        axes[at] = axis;
    }
}

static bool all_same_order(int n, const brio_array *const *operands, int ndim, const int64_t *shape,
                           bool (*test)(const brio_array *))
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (operands[i] == NULL)
            continue;
        if (!brio_layout_same_shape(operands[i], ndim, shape) || !test(operands[i]))
            return false;
        any = true;
    }
    return any;
}

void brio_layout_like(int n, const brio_array *const *operands, int ndim, const int64_t *shape,
                      size_t itemsize, char order, int64_t *strides)
{
    if (order == 'A')
        order = all_same_order(n, operands, ndim, shape, brio_array_is_f) &&
                        !all_same_order(n, operands, ndim, shape, brio_array_is_c)
                    ? 'F'
                    : 'C';
    if (order != 'K' || ndim < 2 || all_same_order(n, operands, ndim, shape, brio_array_is_c)) {
        brio_layout_strides(ndim, shape, itemsize, order, strides);
        return;
    }
    int64_t laid[BRIO_MAX_IN + 1][BRIO_MAX_DIMS];
    int used = 0, axes[BRIO_MAX_DIMS];
    for (int i = 0; i < n && used <= BRIO_MAX_IN; i++)
        if (operands[i] != NULL && operands[i]->ndim > 0)
            brio_layout_broadcast(operands[i], ndim, shape, laid[used++]);
    sort_axes(used, laid, ndim, axes);
    int64_t stride = (int64_t)itemsize;
    for (int i = 0; i < ndim; i++) {
        strides[axes[i]] = stride;
        stride *= shape[axes[i]] == 0 ? 1 : shape[axes[i]];
    }
}

const char *brio_layout_text(int ndim, const int64_t *shape, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "(");
    for (int d = 0; d < ndim && at < size; d++)
        at += (size_t)snprintf(text + at, size - at, d == 0 ? "%lld" : ",%lld", (long long)shape[d]);
    if (at < size)
        snprintf(text + at, size - at, ndim == 1 ? ",)" : ")");
    return text;
}

brio_status brio_layout_axis(int axis, int ndim, int *out)
{
    if (axis < -ndim || axis >= ndim)
        return brio_fail(BRIO_E_AXIS, "axis %d is out of bounds for array of dimension %d", axis, ndim);
    *out = axis < 0 ? axis + ndim : axis;
    return BRIO_OK;
}

/* "operands could not be broadcast together with shapes (2,) (3,) " with NumPy's final blank. */
static brio_status fail_broadcast(int n, const brio_array *const *arrays)
{
    char list[1024] = "", one[BRIO_LAYOUT_TEXT];
    size_t at = 0;
    for (int i = 0; i < n && at < sizeof list; i++)
        if (arrays[i] != NULL)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s ",
                                   brio_layout_text(arrays[i]->ndim, arrays[i]->shape, one, sizeof one));
    return brio_fail(BRIO_E_VALUE, "operands could not be broadcast together with shapes %s", list);
}

brio_status brio_broadcast_shapes(int n, const brio_array *const *arrays, int *ndim, int64_t *shape)
{
    int most = 0;
    for (int i = 0; i < n; i++)
        if (arrays[i] != NULL && arrays[i]->ndim > most)
            most = arrays[i]->ndim;
    for (int d = 0; d < most; d++)
        shape[d] = 1;
    for (int i = 0; i < n; i++) {
        if (arrays[i] == NULL)
            continue;
        int lead = most - arrays[i]->ndim;
        for (int d = 0; d < arrays[i]->ndim; d++) {
            int64_t extent = arrays[i]->shape[d];
            if (extent == 1 || extent == shape[d + lead])
                continue;
            if (shape[d + lead] != 1)
                return fail_broadcast(n, arrays);
            shape[d + lead] = extent;
        }
    }
    *ndim = most;
    return BRIO_OK;
}
