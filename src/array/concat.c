/* Arrays joined along an axis. */
#include "array/map.h"

static brio_status check_parts(int n, brio_array *const *arrays, int axis)
{
    const brio_array *first = arrays[0];
    for (int i = 1; i < n; i++) {
        const brio_array *other = arrays[i];
        if (other->ndim != first->ndim)
            return brio_fail(
                BRIO_E_VALUE,
                "all the input arrays must have same number of dimensions, but the array at index 0 "
                "has %d dimension(s) and the array at index %d has %d dimension(s)",
                first->ndim, i, other->ndim);
        for (int d = 0; d < first->ndim; d++)
            if (d != axis && other->shape[d] != first->shape[d])
                return brio_fail(
                    BRIO_E_VALUE,
                    "all the input array dimensions except for the concatenation axis must match "
                    "exactly, but along dimension %d, the array at index 0 has size %lld and the array "
                    "at index %d has size %lld",
                    d, (long long)first->shape[d], i, (long long)other->shape[d]);
    }
    return BRIO_OK;
}

static brio_status fill_parts(int n, brio_array *const *arrays, int axis, brio_array *to)
{
    int64_t offset = 0;
    for (int i = 0; i < n; i++) {
        brio_array *part;
        BRIO_TRY(brio_array_as_strided(to, offset, to->ndim, arrays[i]->shape, to->strides, &part));
        brio_status status = brio_array_copy_elements(part, arrays[i]);
        brio_array_unref(part);
        BRIO_TRY(status);
        offset += arrays[i]->shape[axis] * to->strides[axis];
    }
    return BRIO_OK;
}

static bool all_fortran(int n, brio_array *const *arrays)
{
    for (int i = 0; i < n; i++)
        if (!brio_array_is_f(arrays[i]) || brio_array_is_c(arrays[i]))
            return false;
    return true;
}

brio_status brio_array_concat(int n, brio_array *const *arrays, int axis, brio_array **out)
{
    int64_t shape[BRIO_MAX_DIMS];
    *out = NULL;
    if (n < 1)
        return brio_fail(BRIO_E_VALUE, "need at least one array to concatenate");
    if (arrays[0]->ndim == 0)
        return brio_fail(BRIO_E_VALUE, "zero-dimensional arrays cannot be concatenated");
    BRIO_TRY(brio_layout_axis(axis, arrays[0]->ndim, &axis));
    BRIO_TRY(check_parts(n, arrays, axis));
    brio_dtype dtype = (brio_dtype)arrays[0]->dtype;
    memcpy(shape, arrays[0]->shape, arrays[0]->ndim * sizeof *shape);
    for (int i = 1; i < n; i++) {
        dtype = brio_dtype_promote(dtype, (brio_dtype)arrays[i]->dtype);
        if (__builtin_add_overflow(shape[axis], arrays[i]->shape[axis], &shape[axis]))
            return brio_fail(BRIO_E_VALUE,
                             "array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
                             "maximum possible size.");
    }
    brio_array *joined;
    BRIO_TRY(brio_array_new(dtype, arrays[0]->ndim, shape, all_fortran(n, arrays) ? 'F' : 'C', &joined));
    brio_status status = fill_parts(n, arrays, axis, joined);
    if (status != BRIO_OK) {
        brio_array_unref(joined);
        return status;
    }
    *out = joined;
    return BRIO_OK;
}
