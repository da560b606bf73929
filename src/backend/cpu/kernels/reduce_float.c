/* Reductions of float32 and float64 for one processor level. */
#include "backend/cpu/reduce_kernels.h"
#include "backend/cpu/level.h"
#include "op/dialect.h"

#include <math.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

typedef float vec_f32 __attribute__((vector_size(32)));
typedef double vec_f64 __attribute__((vector_size(32)));
typedef int32_t bits_f32 __attribute__((vector_size(32)));
typedef int64_t bits_f64 __attribute__((vector_size(32)));

/* The vector forms of: x where it is strictly better, else acc; and whether a lane of either is NaN. */
#ifdef __AVX__
#define MAX_F32(x, acc) ((vec_f32)_mm256_max_ps((__m256)(x), (__m256)(acc)))
#define MIN_F32(x, acc) ((vec_f32)_mm256_min_ps((__m256)(x), (__m256)(acc)))
#define MAX_F64(x, acc) ((vec_f64)_mm256_max_pd((__m256d)(x), (__m256d)(acc)))
#define MIN_F64(x, acc) ((vec_f64)_mm256_min_pd((__m256d)(x), (__m256d)(acc)))
#define UNORDERED_F32(x, y) ((bits_f32)_mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q))
#define UNORDERED_F64(x, y) ((bits_f64)_mm256_cmp_pd((__m256d)(x), (__m256d)(y), _CMP_UNORD_Q))
#else
#define CHOOSE(V, B, mask, x, y) ((V)(((B)(x) & (B)(mask)) | ((B)(y) & ~(B)(mask))))
#define MAX_F32(x, acc) CHOOSE(vec_f32, bits_f32, (x) > (acc), x, acc)
#define MIN_F32(x, acc) CHOOSE(vec_f32, bits_f32, (x) < (acc), x, acc)
#define MAX_F64(x, acc) CHOOSE(vec_f64, bits_f64, (x) > (acc), x, acc)
#define MIN_F64(x, acc) CHOOSE(vec_f64, bits_f64, (x) < (acc), x, acc)
#define UNORDERED_F32(x, y) ((bits_f32)((x) != (x)) | (bits_f32)((y) != (y)))
#define UNORDERED_F64(x, y) ((bits_f64)((x) != (x)) | (bits_f64)((y) != (y)))
#endif

#define GREATER(a, b) ((a) > (b))
#define LESS(a, b) ((a) < (b))
#define IS_NAN(a) ((a) != (a))

/* float32 */
#define T float
#define VEC vec_f32
#define BITS bits_f32
#define LANES 8
#define SUFFIXED(x) x##_f32
#define V_MAX MAX_F32
#define V_MIN MIN_F32
#define UNORDERED UNORDERED_F32
#include "reduce_float.h"

/* float64 */
#define T double
#define VEC vec_f64
#define BITS bits_f64
#define LANES 4
#define SUFFIXED(x) x##_f64
#define V_MAX MAX_F64
#define V_MIN MIN_F64
#define UNORDERED UNORDERED_F64
#include "reduce_float.h"
