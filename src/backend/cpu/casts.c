/* The loops that cast: every pair of dtypes but the complex ones. */
#include "backend/cpu/loops.h"
#include "op/cast.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#define FROM_ROW(from_id, from_type, from_suffix, from_class) TO_EACH(from_type, from_suffix, from_class)

#define DEFINE(from, from_suffix, from_class, to_type, to_suffix, to_class)                                  \
    static void cast_##from_suffix##_##to_suffix(char *const *args, int64_t n)                               \
    {                                                                                                        \
        const from *x = (const from *)args[0];                                                               \
        to_type *y = (to_type *)args[1];                                                                     \
        BRIO_IVDEP                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                                      \
            y[i] = BRIO_CAST_##from_class##_##to_class(x[i], to_type, to_suffix);                            \
    }

/* One row of casts, from one dtype to each. float16 from and to float32 stand by themselves below. */
#define TO_EACH(T, f, c)                                                                                     \
    DEFINE(T, f, c, uint8_t, bool, b)                                                                        \
    DEFINE(T, f, c, int8_t, i8, n)                                                                           \
    DEFINE(T, f, c, int16_t, i16, n)                                                                         \
    DEFINE(T, f, c, int32_t, i32, n)                                                                         \
    DEFINE(T, f, c, int64_t, i64, n)                                                                         \
    DEFINE(T, f, c, uint8_t, u8, n)                                                                          \
    DEFINE(T, f, c, uint16_t, u16, n)                                                                        \
    DEFINE(T, f, c, uint32_t, u32, n)                                                                        \
    DEFINE(T, f, c, uint64_t, u64, n)                                                                        \
    DEFINE(T, f, c, double, f64, d)
BRIO_CAST_DTYPES(FROM_ROW)

#define TO_SINGLE(id, T, f, c) DEFINE(T, f, c, float, f32, s)
#define TO_HALF(id, T, f, c) DEFINE(T, f, c, uint16_t, f16, h)
#define BUT_HALF(X)                                                                                          \
    X(BOOL, uint8_t, bool, b)                                                                                \
    X(I8, int8_t, i8, n)                                                                                     \
    X(I16, int16_t, i16, n)                                                                                  \
    X(I32, int32_t, i32, n)                                                                                  \
    X(I64, int64_t, i64, n)                                                                                  \
    X(U8, uint8_t, u8, n)                                                                                    \
    X(U16, uint16_t, u16, n)                                                                                 \
    X(U32, uint32_t, u32, n)                                                                                 \
    X(U64, uint64_t, u64, n)
BUT_HALF(TO_SINGLE)
DEFINE(float, f32, s, float, f32, s)
DEFINE(double, f64, d, float, f32, s)
BUT_HALF(TO_HALF)
DEFINE(uint16_t, f16, h, uint16_t, f16, h)
DEFINE(double, f64, d, uint16_t, f16, h)

static void cast_f16_f32(char *const *args, int64_t n)
{
    const uint16_t *x = (const uint16_t *)args[0];
    float *y = (float *)args[1];
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
#endif
    for (; i < n; i++)
        y[i] = brio_float_of_half(x[i]);
}

static void cast_f32_f16(char *const *args, int64_t n)
{
    const float *x = (const float *)args[0];
    uint16_t *y = (uint16_t *)args[1];
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(y + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));
#endif
    for (; i < n; i++)
        y[i] = brio_half_of_float(x[i]);
}

const brio_loop BRIO_LEVELED(brio_casts)[BRIO_DTYPE_COUNT][BRIO_DTYPE_COUNT] = {
#define ROW(id, T, f, c)                                                                                     \
    [BRIO_##id] = {                                                                                          \
        [BRIO_BOOL] = cast_##f##_bool, [BRIO_I8] = cast_##f##_i8,   [BRIO_I16] = cast_##f##_i16,             \
        [BRIO_I32] = cast_##f##_i32,   [BRIO_I64] = cast_##f##_i64, [BRIO_U8] = cast_##f##_u8,               \
        [BRIO_U16] = cast_##f##_u16,   [BRIO_U32] = cast_##f##_u32, [BRIO_U64] = cast_##f##_u64,             \
        [BRIO_F16] = cast_##f##_f16,   [BRIO_F32] = cast_##f##_f32, [BRIO_F64] = cast_##f##_f64,             \
    },
    BRIO_CAST_DTYPES(ROW)};

/* Whether an element does not fit: `fits` is an expression of x, quiet on NaN, true of those that do. */
#define CHECK(name, T, fits)                                                                                 \
    static int check_##name(const char *from, int64_t n)                                                     \
    {                                                                                                        \
        const T *at = (const T *)from;                                                                       \
        int outside = 0;                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const T x = at[i];                                                                               \
            outside |= !(fits);                                                                              \
        }                                                                                                    \
        return outside;                                                                                      \
    }
CHECK(f32_i32, float, x >= -0x1p31f && x < 0x1p31f)
CHECK(f64_i32, double, x > -0x1.00000002p31 && x < 0x1p31)
CHECK(f32_i64, float, x >= -0x1p63f && x < 0x1p63f)
CHECK(f64_i64, double, x >= -0x1p63 && x < 0x1p63)
CHECK(f32_u64, float, x >= -0x1p63f && x < 0x1p64f)
CHECK(f64_u64, double, x >= -0x1p63 && x < 0x1p64)
CHECK(f16_int, uint16_t, (x & 0x7c00) != 0x7c00)
CHECK(f32_f16, float, !(x >= 65520.0f || x <= -65520.0f) || x - x != 0)
CHECK(f64_f16, double, !(x >= 65520.0 || x <= -65520.0) || x - x != 0)

const brio_cast_check BRIO_LEVELED(brio_cast_checks)[BRIO_DTYPE_COUNT][BRIO_DTYPE_COUNT] = {
#define TO_INTEGERS(narrow, wide, widest)                                                                    \
    [BRIO_I8] = narrow, [BRIO_U8] = narrow, [BRIO_I16] = narrow, [BRIO_U16] = narrow, [BRIO_I32] = narrow,   \
    [BRIO_U32] = wide, [BRIO_I64] = wide, [BRIO_U64] = widest
    [BRIO_F16] = {TO_INTEGERS(check_f16_int, check_f16_int, check_f16_int)},
    [BRIO_F32] = {TO_INTEGERS(check_f32_i32, check_f32_i64, check_f32_u64), [BRIO_F16] = check_f32_f16},
    [BRIO_F64] = {TO_INTEGERS(check_f64_i32, check_f64_i64, check_f64_u64), [BRIO_F16] = check_f64_f16},
};
