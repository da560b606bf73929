/* Reading through subscripts, and the move of blocks that reading and assigning share. */
#include "array/select.h"

static bool is_selected(const brio_selection *s, int axis)
{
    for (int k = 0; k < s->nindex; k++)
        if (s->axis[k] == axis)
            return true;
    return false;
}

static int add_selected(const brio_selection *s, int n, int64_t *shape)
{
    for (int i = 0; i < s->ndim; i++)
        shape[n++] = s->shape[i];
    return n;
}

brio_status brio_selection_shape(const brio_selection *s, int *ndim, int64_t *shape)
{
    int n = 0, others = 0, total = s->view->ndim - s->nindex + s->ndim;
    if (total > BRIO_MAX_DIMS)
        return brio_fail(BRIO_E_INDEX,
                         "number of dimensions must be within [0, %d], indexing result would have %d",
                         BRIO_MAX_DIMS, total);
    for (int d = 0; d < s->view->ndim; d++) {
        if (is_selected(s, d))
            continue;
        if (others++ == s->front)
            n = add_selected(s, n, shape);
        shape[n++] = s->view->shape[d];
    }
    if (others == s->front)
        n = add_selected(s, n, shape);
    *ndim = n;
    return BRIO_OK;
}

bool brio_selection_one_stride(const brio_selection *s, const brio_array *other, int64_t *stride)
{
    const int64_t *shape = other->shape + s->front, *strides = other->strides + s->front;
    bool any = false;
    *stride = 0;
    int64_t expected = 0;
    for (int d = s->ndim - 1; d >= 0; d--) {
        if (shape[d] == 1)
            continue;
        if (!any)
            *stride = strides[d];
        else if (strides[d] != expected)
            return false;
        any = true;
        expected = strides[d] * shape[d];
    }
    return true;
}

/* The block: the view's other axes, laid over both sides, merged. */
static void lay_block(const brio_selection *s, const brio_array *other, char *base, char *data,
                      brio_space *block)
{
    block->ndim = 0;
    block->noperands = 2;
    block->operands[0].data = data;
    block->operands[1].data = base;
    for (int d = 0; d < s->view->ndim; d++) {
        if (is_selected(s, d))
            continue;
        int n = block->ndim++, place = n < s->front ? n : n + s->ndim;
        block->shape[n] = s->view->shape[d];
        block->operands[0].strides[n] = other->strides[place];
        block->operands[1].strides[n] = s->view->strides[d];
    }
    brio_space_collapse(block);
}

brio_status brio_selection_move(const brio_selection *s, const brio_array *other, bool gather)
{
    brio_space block;
    const int64_t *index[BRIO_SELECT_MAX];
    int64_t stride[BRIO_SELECT_MAX];
    char *base, *data, *numbers;
    brio_index_args args = {.itemsize = brio_itemsize(s->view->dtype), .nindex = s->nindex};
    if (other->count == 0)
        return BRIO_OK;
    if (!brio_selection_one_stride(s, other, &args.other_stride))
        return brio_fail(BRIO_E_INTERNAL, "selected dimensions with more than one stride");
    BRIO_TRY(brio_array_pointer(s->view, gather ? BRIO_READ : BRIO_READWRITE, &base));
    BRIO_TRY(brio_array_pointer(other, gather ? BRIO_WRITE : BRIO_READ, &data));
    for (int k = 0; k < s->nindex; k++) {
        BRIO_TRY(brio_array_pointer(s->index[k], BRIO_READ, &numbers));
        index[k] = (const int64_t *)(void *)numbers;
        stride[k] = s->view->strides[s->axis[k]];
    }
    lay_block(s, other, base, data, &block);
    args.index = index;
    args.stride = stride;
    args.count = s->count;
    args.block_ndim = block.ndim;
    args.block_shape = block.shape;
    args.block_strides = block.operands[1].strides;
    args.other_block_strides = block.operands[0].strides;
    args.base = block.operands[1].data;
    args.other = block.operands[0].data;
    return gather ? brio_array_backend()->gather(&args) : brio_array_backend()->scatter(&args);
}

static brio_status gather_new(const brio_selection *s, brio_array **out)
{
    int ndim;
    int64_t shape[BRIO_MAX_DIMS];
    BRIO_TRY(brio_selection_shape(s, &ndim, shape));
    BRIO_TRY(brio_array_new((brio_dtype)s->view->dtype, ndim, shape, 'C', out));
    brio_status status = brio_selection_move(s, *out, true);
    if (status != BRIO_OK) {
        brio_array_unref(*out);
        *out = NULL;
    }
    return status;
}

brio_status brio_array_index(brio_array *array, const brio_index *index, int nindex, brio_array **out)
{
    brio_selection selection;
    *out = NULL;
    brio_status status = brio_selection_begin(array, index, nindex, &selection);
    if (status == BRIO_OK && selection.advanced) {
        status = gather_new(&selection, out);
    } else if (status == BRIO_OK && selection.copies) {
        status = brio_array_contiguous(selection.view, (brio_dtype)array->dtype, true, out);
    } else if (status == BRIO_OK) {
        *out = selection.view;
        selection.view = NULL;
    }
    brio_selection_end(&selection);
    return status;
}

/* Indices as an index array takes them: bools count as integers here. */
static brio_status integers(brio_array *indices, brio_array **out)
{
    brio_dtype dtype = (brio_dtype)indices->dtype;
    if (brio_dtype_kind(dtype) == 'i' || brio_dtype_kind(dtype) == 'u') {
        *out = brio_array_retain(indices);
        return BRIO_OK;
    }
    return brio_array_cast(indices, BRIO_I64, BRIO_CAST_SAFE, 'K', out);
}

brio_status brio_array_take(brio_array *array, brio_array *indices, int axis, brio_array **out)
{
    brio_index index[BRIO_MAX_DIMS];
    *out = NULL;
    BRIO_TRY(brio_layout_axis(axis, array->ndim, &axis));
    for (int d = 0; d < axis; d++)
        index[d] = (brio_index){.kind = BRIO_INDEX_SLICE, .step = 1};
    index[axis] = (brio_index){.kind = BRIO_INDEX_ARRAY};
    BRIO_TRY(integers(indices, &index[axis].array));
    brio_status status = brio_array_index(array, index, axis + 1, out);
    brio_array_unref(index[axis].array);
    return status;
}
