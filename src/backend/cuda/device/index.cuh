/* Gather, scatter and the check of indices. Before: ITEM (an unsigned word of the item's size), NINDEX,
 * BLOCK_DIMS. */
#include "prelude.cuh"

struct Args {
    uint64_t count, block, extent;
    char *base, *other;
    int64_t other_stride;
    const char *order; /* scatter: positions in order of where they write, and these places */
    const char *places;
    const int64_t *index[NINDEX];
    int64_t stride[NINDEX];
    int64_t shape[BLOCK_DIMS], base_strides[BLOCK_DIMS], other_strides[BLOCK_DIMS];
};

struct alignas(16) Item16 {
    uint64_t x[2];
};

BRIO_INLINE int64_t place_of(const Args &a, uint64_t i)
{
    int64_t offset = 0;
#pragma unroll
    for (int d = 0; d < NINDEX; d++)
        offset += a.index[d][i] * a.stride[d];
    return offset;
}

BRIO_INLINE void in_block(const Args &a, uint64_t e, int64_t &base, int64_t &other)
{
#pragma unroll
    for (int d = BLOCK_DIMS - 1; d >= 0; d--) {
        const uint64_t at = e % a.shape[d];
        e /= a.shape[d];
        base += at * a.base_strides[d];
        other += at * a.other_strides[d];
    }
}

extern "C" __global__ void __launch_bounds__(256) brio_gather(const __grid_constant__ Args a)
{
    const uint64_t all = a.count * a.block, step = (uint64_t)gridDim.x * 256;
    for (uint64_t e = (uint64_t)blockIdx.x * 256 + threadIdx.x; e < all; e += step) {
        const uint64_t i = e / a.block;
        int64_t base = place_of(a, i), other = i * a.other_stride;
        in_block(a, e % a.block, base, other);
        *(ITEM *)(a.other + other) = *(const ITEM *)(a.base + base);
    }
}

/* Where each position writes, as an unsigned key, and the positions themselves. */
extern "C" __global__ void __launch_bounds__(256) brio_places(const __grid_constant__ Args a)
{
    const uint64_t step = (uint64_t)gridDim.x * 256;
    for (uint64_t i = (uint64_t)blockIdx.x * 256 + threadIdx.x; i < a.count; i += step) {
        ((uint64_t *)a.places)[i] = (uint64_t)place_of(a, i);
        ((uint32_t *)a.order)[i] = (uint32_t)i;
    }
}

/* The last of each run of equal places writes. */
extern "C" __global__ void __launch_bounds__(256) brio_scatter(const __grid_constant__ Args a)
{
    const uint64_t all = a.count * a.block, step = (uint64_t)gridDim.x * 256;
    const uint64_t *places = (const uint64_t *)a.places;
    for (uint64_t e = (uint64_t)blockIdx.x * 256 + threadIdx.x; e < all; e += step) {
        const uint64_t k = e / a.block;
        if (k + 1 < a.count && places[k + 1] == places[k])
            continue;
        int64_t base = (int64_t)places[k], other = ((const uint32_t *)a.order)[k] * a.other_stride;
        in_block(a, e % a.block, base, other);
        *(ITEM *)(a.base + base) = *(const ITEM *)(a.other + other);
    }
}

/* Wraps the indices; the first that is out of bounds is left as it is and its position goes to *order. */
extern "C" __global__ void __launch_bounds__(256) brio_check(const __grid_constant__ Args a)
{
    const uint64_t step = (uint64_t)gridDim.x * 256;
    const int64_t extent = (int64_t)a.extent;
    int64_t *index = (int64_t *)a.index[0];
    for (uint64_t i = (uint64_t)blockIdx.x * 256 + threadIdx.x; i < a.count; i += step) {
        const int64_t at = index[i];
        if (at >= extent || at < -extent)
            atomicMin((unsigned long long *)a.order, (unsigned long long)i);
        else if (at < 0)
            index[i] = at + extent;
    }
}
