/* Iteration spaces made as small and as straight as the operands' strides allow. */
#include "array/object.h"

brio_status brio_space_add(brio_space *space, const brio_array *array, brio_access access)
{
    brio_strided *operand = &space->operands[space->noperands++];
    BRIO_TRY(brio_array_pointer(array, access, &operand->data));
    brio_layout_broadcast(array, space->ndim, space->shape, operand->strides);
    return BRIO_OK;
}

static void move_dimension(brio_space *space, int to, int from)
{
    space->shape[to] = space->shape[from];
    for (int i = 0; i < space->noperands; i++)
        space->operands[i].strides[to] = space->operands[i].strides[from];
}

static void swap_dimensions(brio_space *space, int a, int b)
{
    int64_t extent = space->shape[a];
    space->shape[a] = space->shape[b], space->shape[b] = extent;
    for (int i = 0; i < space->noperands; i++) {
        int64_t *strides = space->operands[i].strides, stride = strides[a];
        strides[a] = strides[b], strides[b] = stride;
    }
}

static void turn(brio_space *space, int d)
{
    for (int i = 0; i < space->noperands; i++) {
        brio_strided *operand = &space->operands[i];
        operand->data += operand->strides[d] * (space->shape[d] - 1);
        operand->strides[d] = -operand->strides[d];
    }
}

static bool merges(const brio_space *space, int outer, int inner)
{
    for (int i = 0; i < space->noperands; i++) {
        const int64_t *strides = space->operands[i].strides;
        if (strides[outer] != strides[inner] * space->shape[inner])
            return false;
    }
    return true;
}

int brio_space_merge(brio_space *space, int begin, int end)
{
    int kept = begin;
    for (int d = begin; d < end; d++) {
        if (space->shape[d] == 1)
            continue;
        if (kept > begin && merges(space, kept - 1, d)) {
            space->shape[d] *= space->shape[kept - 1];
            move_dimension(space, kept - 1, d);
        } else {
            if (kept != d)
                move_dimension(space, kept, d);
            kept++;
        }
    }
    int dropped = end - kept;
    for (int d = end; dropped > 0 && d < space->ndim; d++)
        move_dimension(space, d - dropped, d);
    space->ndim -= dropped;
    return kept - begin;
}

static void drop_ones(brio_space *space)
{
    int kept = 0;
    for (int d = 0; d < space->ndim; d++) {
        if (space->shape[d] == 1)
            continue;
        if (kept != d)
            move_dimension(space, kept, d);
        kept++;
    }
    space->ndim = kept;
}

void brio_space_collapse(brio_space *space)
{
    int64_t *first = space->operands[0].strides;
    drop_ones(space);
    for (int d = 0; d < space->ndim; d++)
        if (first[d] < 0)
            turn(space, d);
    for (int i = 1; i < space->ndim; i++)
        for (int j = i; j > 0 && first[j] > first[j - 1]; j--)
            swap_dimensions(space, j, j - 1);
    brio_space_merge(space, 0, space->ndim);
}
