/* Subscripts: NumPy's rules for mixing integers, slices, ellipsis, new axes, masks and index arrays. */
#include "array/select.h"

#include <stdio.h>

/* Index arrays of up to this many elements are looked at before they are copied. */
#define DIRECT_INDICES 4096

/* The walk over subscripts: what the view will look like so far. */
typedef struct walk {
    const brio_array *array;
    brio_selection *selection;
    int source;     /* the next axis of the array */
    int64_t offset; /* bytes into the array */
    int ndim;       /* of the view */
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
    int original[BRIO_SELECT_MAX]; /* the array's axis of each index; -1 when it needs no check */
    int spans[BRIO_SELECT_MAX];    /* how many axes of the array each index is for */
    int others;                    /* axes of the view that no advanced index selects from */
    int run; /* of advanced indices: 0 none yet, 1 in the first, 2 after it, 3 a second one */
} walk;

static bool is_bool(const brio_index *index)
{
    return index->kind == BRIO_INDEX_ARRAY && index->array->dtype == BRIO_BOOL;
}

static bool is_scalar_array(const brio_index *index)
{
    return index->kind == BRIO_INDEX_ARRAY && index->array->ndim == 0 && index->array->dtype != BRIO_BOOL;
}

/* Axes of the array that the subscript uses up. */
static int consumed(const brio_index *index)
{
    switch (index->kind) {
    case BRIO_INDEX_INT:
    case BRIO_INDEX_SLICE:
        return 1;
    case BRIO_INDEX_ARRAY:
        return is_bool(index) ? index->array->ndim : 1;
    default:
        return 0;
    }
}

static brio_status check_subscripts(const brio_array *array, const brio_index *index, int n, int *used,
                                    bool *advanced)
{
    int ellipses = 0;
    *used = 0;
    *advanced = false;
    for (int i = 0; i < n; i++) {
        *used += consumed(&index[i]);
        ellipses += index[i].kind == BRIO_INDEX_ELLIPSIS;
        if (index[i].kind != BRIO_INDEX_ARRAY)
            continue;
        char kind = brio_dtype_kind((brio_dtype)index[i].array->dtype);
        if (kind != 'b' && kind != 'i' && kind != 'u')
            return brio_fail(BRIO_E_INDEX, "arrays used as indices must be of integer (or boolean) type");
        *advanced = *advanced || !is_scalar_array(&index[i]);
    }
    if (ellipses > 1)
        return brio_fail(BRIO_E_INDEX, "an index can only have a single ellipsis ('...')");
    if (*used > array->ndim)
        return brio_fail(BRIO_E_INDEX,
                         "too many indices for array: array is %d-dimensional, but %d were indexed",
                         array->ndim, *used);
    return BRIO_OK;
}

static brio_status add_axis(walk *w, int64_t extent, int64_t stride)
{
    if (w->ndim == BRIO_MAX_DIMS)
        return brio_fail(BRIO_E_INDEX,
                         "number of dimensions must be within [0, %d], indexing result would have %d",
                         BRIO_MAX_DIMS, w->ndim + 1);
    w->shape[w->ndim] = extent;
    w->strides[w->ndim++] = stride;
    return BRIO_OK;
}

/* An axis that stays: it ends a run of advanced indices. */
static brio_status add_other(walk *w, int64_t extent, int64_t stride)
{
    w->others++;
    return add_axis(w, extent, stride);
}

static void end_run(walk *w)
{
    if (w->run == 1)
        w->run = 2;
}

/* Integers count as advanced indices once there is a true one. */
static void begin_run(walk *w)
{
    if (w->run == 0) {
        w->run = 1;
        w->selection->front = w->others;
    } else if (w->run == 2) {
        w->run = 3;
        w->selection->front = 0;
    }
}

static brio_status add_integer(walk *w, int64_t i)
{
    int64_t extent = w->array->shape[w->source];
    if (i < -extent || i >= extent)
        return brio_fail(BRIO_E_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)i,
                         w->source, (long long)extent);
    w->offset += (i < 0 ? i + extent : i) * w->array->strides[w->source++];
    return BRIO_OK;
}

/* A bound clipped as Python's slices do: negative counts from the end. */
static int64_t clip_bound(int64_t bound, int64_t extent, int64_t low, int64_t high)
{
    if (bound < 0)
        bound += extent;
    return bound < low ? low : bound > high ? high : bound;
}

static brio_status add_slice(walk *w, const brio_index *index)
{
    int64_t extent = w->array->shape[w->source], stride = w->array->strides[w->source], step = index->step,
            count;
    if (step == 0)
        return brio_fail(BRIO_E_VALUE, "slice step cannot be zero");
    if (step == INT64_MIN)
        step = -INT64_MAX;
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? extent - 1 : extent;
    int64_t start = index->has_start ? clip_bound(index->start, extent, low, high) : step < 0 ? high : low;
    int64_t stop = index->has_stop ? clip_bound(index->stop, extent, low, high) : step < 0 ? low : high;
    if (step > 0)
        count = start < stop ? (stop - start - 1) / step + 1 : 0;
    else
        count = stop < start ? (start - stop - 1) / -step + 1 : 0;
    w->offset += count > 0 ? start * stride : 0;
    w->source++;
    return add_other(w, count, count > 1 ? stride * step : stride);
}

/* An index array for the view's next axis; takes over the reference. */
static brio_status add_index(walk *w, int64_t extent, int64_t stride, int original, brio_array *array)
{
    brio_selection *s = w->selection;
    if (s->nindex == BRIO_SELECT_MAX) {
        brio_array_unref(array);
        return brio_fail(BRIO_E_INDEX, "more than %d index arrays", BRIO_SELECT_MAX);
    }
    w->original[s->nindex] = original;
    w->spans[s->nindex] = 1;
    s->axis[s->nindex] = w->ndim;
    s->index[s->nindex++] = array;
    return add_axis(w, extent, stride);
}

/* A zero-dimensional bool: a new axis of extent 1 that is taken once or not at all. */
static brio_status add_bool_scalar(walk *w, brio_array *mask)
{
    brio_value value;
    brio_array *index;
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    BRIO_TRY(brio_array_item(mask, &value));
    int64_t count = value.b != 0;
    spec.dtype = BRIO_I64, spec.ndim = 1, spec.shape = &count;
    BRIO_TRY(brio_array_full(&spec, &(brio_value){0}, &index));
    return add_index(w, 1, 0, -1, index);
}

static bool axes_merge(const brio_array *array, int first, int n)
{
    for (int d = first; d + 1 < first + n; d++)
        if (array->strides[d] != array->strides[d + 1] * array->shape[d + 1])
            return false;
    return true;
}

static brio_status check_mask(const walk *w, const brio_array *mask)
{
    for (int d = 0; d < mask->ndim; d++)
        if (mask->shape[d] != w->array->shape[w->source + d])
            return brio_fail(
                BRIO_E_INDEX,
                "boolean index did not match indexed array along axis %d; size of axis is %lld but "
                "size of corresponding boolean axis is %lld",
                w->source + d, (long long)w->array->shape[w->source + d], (long long)mask->shape[d]);
    return BRIO_OK;
}

/* A mask over several axes: one index over them all when they lie straight, else one for each. */
static brio_status add_mask(walk *w, brio_array *mask)
{
    brio_array *positions, *parts[BRIO_MAX_DIMS];
    int n = mask->ndim, first = w->source;
    if (n == 0)
        return add_bool_scalar(w, mask);
    BRIO_TRY(check_mask(w, mask));
    BRIO_TRY(brio_mask_positions(mask, &positions));
    w->source += n;
    if (axes_merge(w->array, first, n)) {
        BRIO_TRY(add_index(w, mask->count, w->array->strides[first + n - 1], -1, positions));
        w->spans[w->selection->nindex - 1] = n;
        return BRIO_OK;
    }
    brio_status status = brio_unravel(positions, n, mask->shape, parts);
    brio_array_unref(positions);
    BRIO_TRY(status);
    for (int d = 0; d < n; d++) {
        if (status == BRIO_OK)
            status = add_index(w, w->array->shape[first + d], w->array->strides[first + d], -1, parts[d]);
        else
            brio_array_unref(parts[d]);
    }
    return status;
}

static brio_status add_array(walk *w, const brio_index *index)
{
    begin_run(w);
    if (is_bool(index))
        return add_mask(w, index->array);
    int axis = w->source++;
    return add_index(w, w->array->shape[axis], w->array->strides[axis], axis,
                     brio_array_retain(index->array));
}

static brio_status add_scalar_array(walk *w, const brio_index *index)
{
    brio_value value, number;
    BRIO_TRY(brio_array_item(index->array, &value));
    brio_operand scalar = {NULL, (brio_dtype)index->array->dtype, 0, value};
    BRIO_TRY(brio_value_convert(&scalar, BRIO_I64, &number));
    w->selection->copies = true;
    return add_integer(w, number.i64);
}

static brio_status add_rest(walk *w, int n)
{
    for (; n > 0; n--, w->source++)
        BRIO_TRY(add_other(w, w->array->shape[w->source], w->array->strides[w->source]));
    return BRIO_OK;
}

static brio_status add_subscript(walk *w, const brio_index *index, bool advanced, int left_over)
{
    switch (index->kind) {
    case BRIO_INDEX_SLICE:
        end_run(w);
        return add_slice(w, index);
    case BRIO_INDEX_NEWAXIS:
        end_run(w);
        return add_other(w, 1, 0);
    case BRIO_INDEX_ELLIPSIS:
        end_run(w);
        return add_rest(w, left_over);
    case BRIO_INDEX_INT:
        if (advanced)
            begin_run(w);
        return add_integer(w, index->start);
    case BRIO_INDEX_ARRAY:
        if (!is_scalar_array(index))
            return add_array(w, index);
        if (advanced)
            begin_run(w);
        return add_scalar_array(w, index);
    }
    return brio_fail(BRIO_E_VALUE, "%d names no kind of subscript", (int)index->kind);
}

static brio_status make_view(const walk *w, brio_array *array)
{
    brio_array *view;
    BRIO_TRY(brio_array_new_view(array, (brio_dtype)array->dtype, w->ndim, array->offset + w->offset, &view));
    w->selection->view = view;
    if (w->ndim > 0) {
        memcpy(view->shape, w->shape, (size_t)w->ndim * sizeof(int64_t));
        memcpy(view->strides, w->strides, (size_t)w->ndim * sizeof(int64_t));
    }
    view->count = 1;
    for (int d = 0; d < w->ndim; d++)
        view->count *= w->shape[d];
    return BRIO_OK;
}

static brio_status fail_index_shapes(const walk *w)
{
    const brio_selection *s = w->selection;
    char list[1024] = "", one[BRIO_LAYOUT_TEXT];
    size_t at = 0;
    for (int i = 0; i < s->nindex; i++)
        for (int k = 0; k < w->spans[i] && at < sizeof list; k++)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s ",
                                   brio_layout_text(s->index[i]->ndim, s->index[i]->shape, one, sizeof one));
    return brio_fail(BRIO_E_INDEX,
                     "shape mismatch: indexing arrays could not be broadcast together with shapes %s", list);
}

/* Whether a few indices may be used where they are: in the form that is wanted, none negative or too large,
 * and in memory that nothing else can change. */
static bool is_settled_index(const brio_selection *s, const brio_array *index, int64_t extent)
{
    char *at;
    if (index->count > DIRECT_INDICES || index->dtype != BRIO_I64 || index->ndim != s->ndim ||
        index->base == s->view->base || index->base->foreign || index->base->lent ||
        brio_array_is_pending(index) || !brio_array_is_c(index) || brio_array_place().kind != BRIO_DEVICE_CPU)
        return false;
    if (memcmp(index->shape, s->shape, (size_t)s->ndim * sizeof *s->shape) != 0 ||
        brio_array_pointer(index, BRIO_READ, &at) != BRIO_OK)
        return false;
    const int64_t *numbers = (const int64_t *)(const void *)at;
    bool wrong = false;
    for (int64_t i = 0; i < index->count; i++)
        wrong |= (uint64_t)numbers[i] >= (uint64_t)extent;
    return !wrong;
}

/* Replaces an index array by its own copy: broadcast, contiguous, int64, wrapped and checked. */
static brio_status settle_index(brio_selection *s, int k, int original)
{
    brio_array *wide, *own;
    char *numbers;
    if (is_settled_index(s, s->index[k], s->view->shape[s->axis[k]]))
        return BRIO_OK;
    BRIO_TRY(brio_array_broadcast(s->index[k], s->ndim, s->shape, &wide));
    bool ready = original < 0 && wide->dtype == BRIO_I64;
    brio_status status = brio_array_contiguous(wide, BRIO_I64, !ready, &own);
    brio_array_unref(wide);
    BRIO_TRY(status);
    brio_array_unref(s->index[k]);
    s->index[k] = own;
    if (original < 0 || s->count == 0)
        return BRIO_OK;
    BRIO_TRY(brio_array_pointer(own, BRIO_READWRITE, &numbers));
    return brio_array_backend()->check_index((int64_t *)(void *)numbers, s->count, s->view->shape[s->axis[k]],
                                             original);
}

static brio_status settle_indices(const walk *w)
{
    brio_selection *s = w->selection;
    if (brio_broadcast_shapes(s->nindex, (const brio_array *const *)s->index, &s->ndim, s->shape) != BRIO_OK)
        return fail_index_shapes(w);
    BRIO_TRY(brio_layout_count(s->ndim, s->shape, sizeof(int64_t), &s->count));
    for (int k = 0; k < s->nindex; k++)
        BRIO_TRY(settle_index(s, k, w->original[k]));
    return BRIO_OK;
}

brio_status brio_selection_begin(brio_array *array, const brio_index *index, int nindex,
                                 brio_selection *selection)
{
    int used;
    walk w;
    selection->view = NULL;
    selection->nindex = selection->front = 0;
    selection->copies = false;
    BRIO_TRY(check_subscripts(array, index, nindex, &used, &selection->advanced));
    BRIO_TRY(brio_lazy_settle(array));
    w.array = array;
    w.selection = selection;
    w.source = w.ndim = w.others = w.run = 0;
    w.offset = 0;
    for (int i = 0; i < nindex; i++)
        BRIO_TRY(add_subscript(&w, &index[i], selection->advanced, array->ndim - used));
    BRIO_TRY(add_rest(&w, array->ndim - w.source));
    BRIO_TRY(make_view(&w, array));
    return selection->advanced ? settle_indices(&w) : BRIO_OK;
}

void brio_selection_end(brio_selection *selection)
{
    brio_array_unref(selection->view);
    for (int k = 0; k < selection->nindex; k++)
        brio_array_unref(selection->index[k]);
}
