/* The shape and the memory order of a result, as NumPy's iterator would choose them (order 'K'). */
#include "interpose.h"

static npy_intp extent_of(const accel_operand *operand, int axis, int ndim)
{
    int own = axis - (ndim - operand->ndim);
    return own < 0 ? 1 : operand->shape[own];
}

static npy_intp stride_of(const accel_operand *operand, int axis, int ndim)
{
    int own = axis - (ndim - operand->ndim);
    if (own < 0 || operand->shape[own] == 1)
        return 0;
    npy_intp stride = operand->strides[own];
    return stride < 0 ? -stride : stride;
}

static int broadcast_shape(const accel_operand *operands, int n, int *ndim, npy_intp *shape)
{
    *ndim = 0;
    for (int i = 0; i < n; i++)
        if (!operands[i].is_scalar && operands[i].ndim > *ndim)
            *ndim = operands[i].ndim;
    for (int axis = 0; axis < *ndim; axis++) {
        shape[axis] = 1;
        for (int i = 0; i < n; i++) {
            npy_intp extent = operands[i].is_scalar ? 1 : extent_of(&operands[i], axis, *ndim);
            if (extent == 1)
                continue;
            if (shape[axis] != 1 && shape[axis] != extent)
                return 0;
            shape[axis] = extent;
        }
    }
    return 1;
}

/* Whether axis `a` belongs before (inside) axis `b`: 1 yes, 0 no, -1 the operands do not say. Where
 * operands disagree, C order wins. */
static int goes_inside(const accel_operand *operands, int n, int ndim, int a, int b)
{
    int says = -1;
    for (int i = 0; i < n; i++) {
        if (operands[i].is_scalar)
            continue;
        npy_intp at_a = stride_of(&operands[i], a, ndim), at_b = stride_of(&operands[i], b, ndim);
        if (at_a == 0 || at_b == 0)
            continue;
        if (at_b <= at_a)
            says = 0;
        else if (says < 0)
            says = 1;
    }
    return says;
}

/* A stable insertion sort of the axes from the innermost outwards; begins as C order. */
static void order_axes(const accel_operand *operands, int n, int ndim, int *order)
{
    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    for (int i = 1; i < ndim; i++) {
        int axis = order[i], to = i;
        for (int j = i - 1; j >= 0; j--) {
            int says = goes_inside(operands, n, ndim, axis, order[j]);
            if (says == 0)
                break;
            if (says == 1)
                to = j;
        }
        for (int j = i; j > to; j--)
            order[j] = order[j - 1];
        order[to] = axis;
    }
}

int accel_broadcast(const accel_operand *operands, int n, npy_intp itemsize, int *ndim, npy_intp *shape,
                    npy_intp *strides)
{
    if (!broadcast_shape(operands, n, ndim, shape))
        return 0;
    int order[ACCEL_MAX_DIMS];
    order_axes(operands, n, *ndim, order);
    npy_intp stride = itemsize;
    for (int i = 0; i < *ndim; i++) {
        strides[order[i]] = stride;
        stride *= shape[order[i]];
    }
    return 1;
}
