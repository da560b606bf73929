/* How the operands of a kernel lie in memory: merged dimensions and a class for each operand. */
#include "backend/cuda/shared.h"

#include <string.h>

static int can_merge(const brio_strided *const *operands, int n, int far, int near, int64_t extent)
{
    for (int k = 0; k < n; k++)
        if (operands[k]->strides[far] != operands[k]->strides[near] * extent)
            return 0;
    return 1;
}

/* The dimensions of more than one element, neighbours merged where every operand allows it. */
static void merge(brio_layout *layout, int ndim, const int64_t *shape, const brio_strided *const *operands,
                  int n)
{
    int near = -1; /* the dimension whose strides the last merged one has */
    layout->ndim = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1)
            continue;
        if (near >= 0 && can_merge(operands, n, near, d, shape[d])) {
            layout->shape[layout->ndim - 1] *= shape[d];
        } else {
            layout->shape[layout->ndim] = shape[d];
            layout->ndim++;
        }
        for (int k = 0; k < n; k++)
            layout->strides[k][layout->ndim - 1] = operands[k]->strides[d];
        near = d;
    }
}

static int classify(const brio_layout *layout, int k, int64_t size)
{
    int64_t expected = size, all = 1;
    int contiguous = 1, scalar = 1;
    for (int d = layout->ndim - 1; d >= 0; d--) {
        scalar &= layout->strides[k][d] == 0;
        contiguous &= layout->strides[k][d] == expected;
        expected *= layout->shape[d];
        all *= layout->shape[d];
    }
    return all <= 1 || contiguous ? BRIO_LAY_CONTIGUOUS : scalar ? BRIO_LAY_SCALAR : BRIO_LAY_STRIDED;
}

void brio_layout_make(brio_layout *layout, int ndim, const int64_t *shape,
                      const brio_strided *const *operands, const int *sizes, int n)
{
    int64_t count = 1;
    int strided = 0, largest = 1;
    merge(layout, ndim, shape, operands, n);
    layout->noperands = n;
    layout->flags = 0;
    for (int d = 0; d < layout->ndim; d++)
        count *= layout->shape[d];
    layout->wide = count > INT32_MAX;
    for (int k = 0; k < n; k++) {
        layout->data[k] = operands[k]->data;
        layout->class[k] = (uint8_t)classify(layout, k, sizes[k]);
        strided |= layout->class[k] == BRIO_LAY_STRIDED;
        largest = sizes[k] > largest ? sizes[k] : largest;
    }
    layout->width = strided ? 1 : 16 / largest;
    for (int k = 0; k < n; k++) {
        int bytes = layout->width * sizes[k];
        if (layout->class[k] == BRIO_LAY_CONTIGUOUS && (uintptr_t)layout->data[k] % (size_t)bytes == 0)
            layout->class[k] = BRIO_LAY_ALIGNED;
    }
    if (!strided)
        layout->ndim = 0;
}
