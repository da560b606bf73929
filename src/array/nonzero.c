/* Where elements are not zero. */
#include "array/select.h"

#include <brio/parallel.h>

brio_status brio_mask_positions(brio_array *mask, brio_array **out)
{
    brio_array *flat;
    char *bytes, *to;
    int64_t found = 0;
    *out = NULL;
    BRIO_TRY(brio_array_contiguous(mask, BRIO_BOOL, false, &flat));
    const brio_backend *backend = brio_array_backend();
    brio_status status = brio_array_pointer(flat, BRIO_READ, &bytes);
    if (status == BRIO_OK && flat->count > 0)
        status = backend->nonzero((const uint8_t *)bytes, flat->count, NULL, &found);
    if (status == BRIO_OK)
        status = brio_array_new(BRIO_I64, 1, &found, 'C', out);
    if (status == BRIO_OK && found > 0) {
        status = brio_array_pointer(*out, BRIO_WRITE, &to);
        if (status == BRIO_OK)
            status = backend->nonzero((const uint8_t *)bytes, flat->count, (int64_t *)(void *)to, &found);
        if (status != BRIO_OK) {
            brio_array_unref(*out);
            *out = NULL;
        }
    }
    brio_array_unref(flat);
    return status;
}

typedef struct unravelling {
    const int64_t *positions;
    int ndim;
    const int64_t *shape;
    int64_t *to[BRIO_MAX_DIMS];
} unravelling;

static void unravel_range(void *context, int64_t begin, int64_t end, int worker)
{
    const unravelling *u = context;
    for (int64_t i = begin; i < end; i++) {
        uint64_t rest = (uint64_t)u->positions[i];
        for (int d = u->ndim - 1; d > 0; d--) {
            uint64_t extent = (uint64_t)u->shape[d], above = rest / extent;
            u->to[d][i] = (int64_t)(rest - above * extent);
            rest = above;
        }
        u->to[0][i] = (int64_t)rest;
    }
}

static brio_status unravel(const brio_array *positions, int ndim, const int64_t *shape, brio_array **out)
{
    unravelling u = {.ndim = ndim, .shape = shape};
    char *pointer;
    BRIO_TRY(brio_array_pointer(positions, BRIO_READ, &pointer));
    u.positions = (const int64_t *)(void *)pointer;
    for (int d = 0; d < ndim; d++) {
        BRIO_TRY(brio_array_new(BRIO_I64, 1, &positions->count, 'C', &out[d]));
        BRIO_TRY(brio_array_pointer(out[d], BRIO_WRITE, &pointer));
        u.to[d] = (int64_t *)(void *)pointer;
    }
    brio_parallel_for(positions->count, 16384, unravel_range, &u);
    return BRIO_OK;
}

brio_status brio_unravel(const brio_array *positions, int ndim, const int64_t *shape, brio_array **out)
{
    memset(out, 0, (size_t)ndim * sizeof *out);
    brio_status status = unravel(positions, ndim, shape, out);
    for (int d = 0; d < ndim && status != BRIO_OK; d++) {
        brio_array_unref(out[d]);
        out[d] = NULL;
    }
    return status;
}

brio_status brio_array_nonzero(brio_array *array, brio_array **out)
{
    brio_array *positions;
    if (array->ndim == 0)
        return brio_fail(BRIO_E_VALUE, "Calling nonzero on 0d arrays is not allowed. Use "
                                       "np.atleast_1d(scalar).nonzero() instead.");
    memset(out, 0, array->ndim * sizeof *out);
    BRIO_TRY(brio_mask_positions(array, &positions));
    if (array->ndim == 1) {
        out[0] = positions;
        return BRIO_OK;
    }
    brio_status status = brio_unravel(positions, array->ndim, array->shape, out);
    brio_array_unref(positions);
    return status;
}
