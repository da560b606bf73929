/* Sorting of 32- and 64-bit keys within one thread, for one processor level. */
#include "backend/cpu/sort_kernels.h"
#include "backend/cpu/level.h"
#include "op/dialect.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

typedef int32_t brio_vec_32 __attribute__((vector_size(32)));
typedef int64_t brio_vec_64 __attribute__((vector_size(32)));

#ifdef __AVX2__

/* Entry m of a permutation table: the lanes whose bit is set in m, then the others, `per` parts of
 * one byte each a lane. */
#define BITS(m) __builtin_popcount(m)
#define PLACE(m, j)                                                                                          \
    (((m) >> (j)) & 1 ? BITS((m) & ((1 << (j)) - 1)) : BITS(m) + BITS(~(m) & ((1 << (j)) - 1)))
#define LANE8(m, j) ((uint64_t)(j) << (8 * PLACE(m, j)))
#define ENTRY8(m)                                                                                            \
    (LANE8(m, 0) | LANE8(m, 1) | LANE8(m, 2) | LANE8(m, 3) | LANE8(m, 4) | LANE8(m, 5) | LANE8(m, 6) |       \
     LANE8(m, 7))
#define LANE4(m, j) ((uint64_t)(2 * (j) | (2 * (j) + 1) << 8) << (16 * PLACE(m, j)))
#define ENTRY4(m) (LANE4(m, 0) | LANE4(m, 1) | LANE4(m, 2) | LANE4(m, 3))
#define FOUR(E, m) E(m), E((m) + 1), E((m) + 2), E((m) + 3)
#define SIXTEEN(E, m) FOUR(E, m), FOUR(E, (m) + 4), FOUR(E, (m) + 8), FOUR(E, (m) + 12)
#define SIXTYFOUR(E, m) SIXTEEN(E, m), SIXTEEN(E, (m) + 16), SIXTEEN(E, (m) + 32), SIXTEEN(E, (m) + 48)

static const uint64_t permutation_32[256] = {SIXTYFOUR(ENTRY8, 0), SIXTYFOUR(ENTRY8, 64),
                                             SIXTYFOUR(ENTRY8, 128), SIXTYFOUR(ENTRY8, 192)};
static const uint64_t permutation_64[16] = {SIXTEEN(ENTRY4, 0)};

/* Brings the keys below the pivot to the front of the vector and says how many there are. */
BRIO_INLINE int divide_32(brio_vec_32 *v, brio_vec_32 pivots)
{
    __m256i x = (__m256i)*v;
    int mask = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32((__m256i)pivots, x)));
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(permutation_32 + mask)));
    *v = (brio_vec_32)_mm256_permutevar8x32_epi32(x, order);
    return __builtin_popcount((unsigned)mask);
}

BRIO_INLINE int divide_64(brio_vec_64 *v, brio_vec_64 pivots)
{
    __m256i x = (__m256i)*v;
    int mask = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64((__m256i)pivots, x)));
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(permutation_64 + mask)));
    *v = (brio_vec_64)_mm256_permutevar8x32_epi32(x, order);
    return __builtin_popcount((unsigned)mask);
}

BRIO_INLINE brio_vec_32 spread_32(int32_t key)
{
    return (brio_vec_32)_mm256_set1_epi32(key);
}

BRIO_INLINE brio_vec_64 spread_64(int64_t key)
{
    return (brio_vec_64)_mm256_set1_epi64x(key);
}

BRIO_INLINE brio_vec_32 min_32(brio_vec_32 a, brio_vec_32 b)
{
    return (brio_vec_32)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

BRIO_INLINE brio_vec_32 max_32(brio_vec_32 a, brio_vec_32 b)
{
    return (brio_vec_32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

#define PARTITION 1
#else
#define PARTITION 0

BRIO_INLINE brio_vec_32 min_32(brio_vec_32 a, brio_vec_32 b)
{
    brio_vec_32 less = a < b;
    return (a & less) | (b & ~less);
}

BRIO_INLINE brio_vec_32 max_32(brio_vec_32 a, brio_vec_32 b)
{
    brio_vec_32 less = a < b;
    return (b & less) | (a & ~less);
}
#endif

BRIO_INLINE brio_vec_64 min_64(brio_vec_64 a, brio_vec_64 b)
{
#ifdef __AVX2__
    __m256i more = _mm256_cmpgt_epi64((__m256i)a, (__m256i)b);
    return (brio_vec_64)_mm256_blendv_epi8((__m256i)a, (__m256i)b, more);
#else
    brio_vec_64 less = a < b;
    return (a & less) | (b & ~less);
#endif
}

BRIO_INLINE brio_vec_64 max_64(brio_vec_64 a, brio_vec_64 b)
{
#ifdef __AVX2__
    __m256i more = _mm256_cmpgt_epi64((__m256i)a, (__m256i)b);
    return (brio_vec_64)_mm256_blendv_epi8((__m256i)b, (__m256i)a, more);
#else
    brio_vec_64 less = a < b;
    return (b & less) | (a & ~less);
#endif
}

#define KEY int32_t
#define UKEY uint32_t
#define KEY_MAX INT32_MAX
#define WIDTH 32
#define VEC brio_vec_32
#define LANES 8
#define NAME(x) x##_32
#define V_MIN min_32
#define V_MAX max_32
#include "sort_network.h"
#include "sort_keys.h"
#undef KEY
#undef UKEY
#undef KEY_MAX
#undef WIDTH
#undef VEC
#undef LANES
#undef NAME
#undef V_MIN
#undef V_MAX

#define KEY int64_t
#define UKEY uint64_t
#define KEY_MAX INT64_MAX
#define WIDTH 64
#define VEC brio_vec_64
#define LANES 4
#define NAME(x) x##_64
#define V_MIN min_64
#define V_MAX max_64
#include "sort_network.h"
#include "sort_keys.h"

extern const brio_cpu_sort_kernels BRIO_LEVELED(brio_cpu_sort_kernels);
const brio_cpu_sort_kernels BRIO_LEVELED(brio_cpu_sort_kernels) = {
    encode_32, encode_64, decode_32, decode_64, run_32,   run_64,         sort_32,
    sort_64,   split_32,  split_64,  merge_32,  merge_64, merge_split_32, merge_split_64,
};
