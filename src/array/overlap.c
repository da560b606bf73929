/* Whether arrays share memory. */
#include "array/object.h"

/* The bytes [low, high) that a settled array touches, relative to its storage. */
static void bounds(const brio_array *a, int64_t *low, int64_t *high)
{
    *low = *high = a->offset;
    for (int d = 0; d < a->ndim; d++) {
        int64_t reach = a->strides[d] * (a->shape[d] - 1);
        *(reach < 0 ? low : high) += reach;
    }
    *high += (int64_t)brio_itemsize(a->dtype);
}

bool brio_array_same_elements(const brio_array *a, const brio_array *b)
{
    if (a == b)
        return true;
    char *pa, *pb;
    if (a->dtype != b->dtype || !brio_layout_same_shape(a, b->ndim, b->shape) ||
        brio_array_pointer(a, BRIO_READ, &pa) != BRIO_OK ||
        brio_array_pointer(b, BRIO_READ, &pb) != BRIO_OK || pa != pb)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != 1 && a->strides[d] != b->strides[d])
            return false;
    return true;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a < 0 ? -a : a;
}

/* Two one-dimensional arrays with overlapping bounds: starts `apart` bytes from each other. Their
 * elements can only meet when some multiple of the strides' common divisor brings them close enough. */
static bool lines_meet(int64_t apart, int64_t stride_a, int64_t stride_b, int64_t size_a, int64_t size_b)
{
    int64_t step = gcd(stride_a, stride_b);
    if (step == 0)
        return true;
    int64_t rest = ((apart % step) + step) % step;
    return rest < size_a || step - rest < size_b;
}

int brio_array_may_overlap(const brio_array *a, const brio_array *b)
{
    if (a->count == 0 || b->count == 0 || brio_array_is_pending(a) || brio_array_is_pending(b))
        return a == b && a->count != 0;
    char *pa, *pb;
    if (brio_array_pointer(a, BRIO_READ, &pa) != BRIO_OK || brio_array_pointer(b, BRIO_READ, &pb) != BRIO_OK)
        return a->base == b->base;
    int64_t low_a, high_a, low_b, high_b, apart = (int64_t)((intptr_t)pb - (intptr_t)pa);
    bounds(a, &low_a, &high_a);
    bounds(b, &low_b, &high_b);
    low_a -= a->offset, high_a -= a->offset;
    low_b += apart - b->offset, high_b += apart - b->offset;
    if (high_a <= low_b || high_b <= low_a)
        return 0;
    if (a->ndim != 1 || b->ndim != 1)
        return 1;
    return lines_meet(apart, a->strides[0], b->strides[0], (int64_t)brio_itemsize(a->dtype),
                      (int64_t)brio_itemsize(b->dtype));
}
