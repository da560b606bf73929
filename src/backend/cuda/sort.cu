/* Sorting and selecting by CUB, behind C functions that take a stream and give CUDA's error code.
 *
 * Keys are unsigned integers in the order wanted: NaN above everything in both directions. For a sort of
 * values the key is a bijection of the bits; for positions all NaNs are one key and -0.0 is 0.0. */
#include "backend/cuda/sort.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#define THREADS 256

static unsigned blocks_for(int64_t n)
{
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return (unsigned)(blocks < 132 * 64 ? blocks : 132 * 64);
}

/* ---- Keys ---- */

template <class U> struct Layout; /* of the float whose bits are U */
template <> struct Layout<uint8_t> {
    static const int mantissa = 3;
};
template <> struct Layout<uint16_t> {
    static const int mantissa = 10;
};
template <> struct Layout<uint32_t> {
    static const int mantissa = 23;
};
template <> struct Layout<uint64_t> {
    static const int mantissa = 52;
};

template <class U> __device__ U float_key(U x, bool one_nan)
{
    const U sign = (U)1 << (8 * sizeof(U) - 1), nans = ((U)1 << Layout<U>::mantissa) - 1;
    const U infinity = (U)((sign - 1) & ~nans), magnitude = (U)(x & ~sign);
    if (one_nan) {
        if (magnitude > infinity)
            return (U) ~(U)0;
        if (magnitude == 0)
            x = 0;
    }
    /* In order, NaN with a sign first; these codes wrap to the top. */
    const U ordered = (U)(x & sign ? ~x : x | sign);
    return (U)(ordered - nans);
}

template <class U> __device__ U float_of_key(U key)
{
    const U sign = (U)1 << (8 * sizeof(U) - 1), nans = ((U)1 << Layout<U>::mantissa) - 1;
    const U ordered = (U)(key + nans);
    return (U)(ordered & sign ? ordered & ~sign : ~ordered);
}

/* The key of +infinity: numbers have keys up to it. */
template <class U> __device__ U last_key()
{
    const U sign = (U)1 << (8 * sizeof(U) - 1), nans = ((U)1 << Layout<U>::mantissa) - 1;
    return (U)((((sign - 1) & ~nans) | sign) - nans);
}

template <class U> __device__ U turn(U key, int family, int descending)
{
    if (!descending)
        return key;
    if (family != BRIO_KEY_FLOAT)
        return (U)~key;
    return key <= last_key<U>() ? (U)(last_key<U>() - key) : key;
}

template <class U>
__global__ void make_keys(const U *from, U *to, int64_t n, int family, int descending, int one_nan)
{
    const U sign = (U)1 << (8 * sizeof(U) - 1);
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS) {
        U x = from[i];
        x = family == BRIO_KEY_FLOAT ? float_key(x, one_nan) : family == BRIO_KEY_INT ? (U)(x ^ sign) : x;
        to[i] = turn(x, family, descending);
    }
}

template <class U> __global__ void make_values(const U *from, U *to, int64_t n, int family, int descending)
{
    const U sign = (U)1 << (8 * sizeof(U) - 1);
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS) {
        U x = turn(from[i], family, descending);
        to[i] = family == BRIO_KEY_FLOAT ? float_of_key(x) : family == BRIO_KEY_INT ? (U)(x ^ sign) : x;
    }
}

/* Whether there is a NaN with its sign set, which CUB's order of floats would put first. */
template <class U> __global__ void find_negative_nan(const U *x, int64_t n, int *found)
{
    const int per = 16 / sizeof(U);
    const U limit = ((U) ~(U)0 << Layout<U>::mantissa);
    int seen = 0;
    const int64_t packs = n / per;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < packs;
         i += (int64_t)gridDim.x * THREADS) {
        const uint4 w = ((const uint4 *)x)[i];
        U pack[per];
        memcpy(pack, &w, 16);
#pragma unroll
        for (int k = 0; k < per; k++)
            seen |= pack[k] > limit;
    }
    for (int64_t i = packs * per + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS)
        seen |= x[i] > limit;
    if (__any_sync(0xffffffffu, seen) && threadIdx.x % 32 == 0)
        *found = 1;
}

#define BY_SIZE(size, call)                                                                                  \
    switch (size) {                                                                                          \
    case 1: {                                                                                                \
        typedef uint8_t U;                                                                                   \
        call;                                                                                                \
        break;                                                                                               \
    }                                                                                                        \
    case 2: {                                                                                                \
        typedef uint16_t U;                                                                                  \
        call;                                                                                                \
        break;                                                                                               \
    }                                                                                                        \
    case 4: {                                                                                                \
        typedef uint32_t U;                                                                                  \
        call;                                                                                                \
        break;                                                                                               \
    }                                                                                                        \
    default: {                                                                                               \
        typedef uint64_t U;                                                                                  \
        call;                                                                                                \
        break;                                                                                               \
    }                                                                                                        \
    }

int brio_cub_make_keys(const void *from, void *to, int64_t n, int size, int family, int descending,
                       int one_nan, void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    BY_SIZE(size, (make_keys<U><<<blocks_for(n), THREADS, 0, s>>>((const U *)from, (U *)to, n, family,
                                                                  descending, one_nan)))
    return (int)cudaGetLastError();
}

int brio_cub_make_values(const void *from, void *to, int64_t n, int size, int family, int descending,
                         void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    BY_SIZE(size, (make_values<U>
                   <<<blocks_for(n), THREADS, 0, s>>>((const U *)from, (U *)to, n, family, descending)))
    return (int)cudaGetLastError();
}

int brio_cub_find_negative_nan(const void *x, int64_t n, int size, int *found, void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    cudaError_t error = cudaMemsetAsync(found, 0, sizeof *found, s);
    if (error != cudaSuccess)
        return (int)error;
    if (size == 4)
        find_negative_nan<uint32_t><<<blocks_for(n / 4 + 1), THREADS, 0, s>>>((const uint32_t *)x, n, found);
    else
        find_negative_nan<uint64_t><<<blocks_for(n / 2 + 1), THREADS, 0, s>>>((const uint64_t *)x, n, found);
    return (int)cudaGetLastError();
}

/* ---- Sorting ---- */

template <class T>
static int sort_keys(void *temporary, size_t *bytes, void **a, void **b, int64_t n, cudaStream_t stream)
{
    cub::DoubleBuffer<T> keys((T *)*a, (T *)*b);
    cudaError_t error =
        cub::DeviceRadixSort::SortKeys(temporary, *bytes, keys, n, 0, 8 * (int)sizeof(T), stream);
    *a = keys.Current();
    *b = keys.Alternate();
    return (int)error;
}

int brio_cub_sort_keys(void *temporary, size_t *bytes, void **a, void **b, int64_t n, int size, int family,
                       void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    if (family == BRIO_KEY_FLOAT && size == 4)
        return sort_keys<float>(temporary, bytes, a, b, n, s);
    if (family == BRIO_KEY_FLOAT && size == 8)
        return sort_keys<double>(temporary, bytes, a, b, n, s);
    if (family == BRIO_KEY_INT && size == 4)
        return sort_keys<int32_t>(temporary, bytes, a, b, n, s);
    if (family == BRIO_KEY_INT && size == 8)
        return sort_keys<int64_t>(temporary, bytes, a, b, n, s);
    int result = 0;
    BY_SIZE(size, (result = sort_keys<U>(temporary, bytes, a, b, n, s)))
    return result;
}

template <class T>
static int sort_pairs(void *temporary, size_t *bytes, void **a, void **b, uint32_t **va, uint32_t **vb,
                      int64_t n, int bits, cudaStream_t stream)
{
    cub::DoubleBuffer<T> keys((T *)*a, (T *)*b);
    cub::DoubleBuffer<uint32_t> values(*va, *vb);
    cudaError_t error = cub::DeviceRadixSort::SortPairs(temporary, *bytes, keys, values, n, 0, bits, stream);
    *a = keys.Current();
    *b = keys.Alternate();
    *va = values.Current();
    *vb = values.Alternate();
    return (int)error;
}

int brio_cub_sort_pairs(void *temporary, size_t *bytes, void **a, void **b, uint32_t **va, uint32_t **vb,
                        int64_t n, int size, int bits, void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    int result = 0;
    BY_SIZE(size, (result = sort_pairs<U>(temporary, bytes, a, b, va, vb, n, bits, s)))
    return result;
}

/* ---- Positions ---- */

__global__ static void count_up(uint32_t *to, int64_t n)
{
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        to[i] = (uint32_t)i;
}

__global__ static void rows_of(const uint32_t *at, uint32_t *row, int64_t n, int64_t length)
{
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        row[i] = (uint32_t)(at[i] / length);
}

__global__ static void widen(const uint32_t *at, int64_t *index, int64_t n, int64_t length)
{
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        index[i] = at[i] - i / length * length;
}

template <class U> __global__ void pick(const U *from, U *to, const uint32_t *at, int64_t n)
{
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        to[i] = from[at[i]];
}

int brio_cub_count_up(uint32_t *to, int64_t n, void *stream)
{
    count_up<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(to, n);
    return (int)cudaGetLastError();
}

int brio_cub_rows_of(const uint32_t *at, uint32_t *row, int64_t n, int64_t length, void *stream)
{
    rows_of<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(at, row, n, length);
    return (int)cudaGetLastError();
}

int brio_cub_widen(const uint32_t *at, int64_t *index, int64_t n, int64_t length, void *stream)
{
    widen<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(at, index, n, length);
    return (int)cudaGetLastError();
}

int brio_cub_pick(const void *from, void *to, const uint32_t *at, int64_t n, int size, void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    BY_SIZE(size, (pick<U><<<blocks_for(n), THREADS, 0, s>>>((const U *)from, (U *)to, at, n)))
    return (int)cudaGetLastError();
}

/* ---- Selecting ---- */

struct IsSet {
    __host__ __device__ int64_t operator()(uint8_t x) const
    {
        return x != 0;
    }
};

int brio_cub_nonzero(void *temporary, size_t *bytes, const uint8_t *mask, int64_t count, int64_t *index,
                     int64_t *found, void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    auto flags = thrust::make_transform_iterator(mask, IsSet());
    if (index == NULL)
        return (int)cub::DeviceReduce::Sum(temporary, *bytes, flags, found, count, s);
    return (int)cub::DeviceSelect::Flagged(temporary, *bytes, thrust::make_counting_iterator<int64_t>(0),
                                           flags, index, found, count, s);
}

const char *brio_cub_error_name(int code)
{
    return cudaGetErrorName((cudaError_t)code);
}
