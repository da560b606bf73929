/* Casts of one element: brio_cast_<from>_<to>, for every pair of dtypes but the complex ones.
 *
 * To bool: whether it is not zero (NaN is true). Integers wrap. A float becomes an integer as x86-64's
 * scalar instructions do it, on every processor: rounded towards zero to int64, or to int32 when the
 * target is int32 or narrower, 0x80...0 where that does not fit (NaN, infinity), then the low bits. To
 * uint64 from 2^63 up the difference is taken first. A bool may be any byte; not zero is true. */
#ifndef BRIO_OP_CAST_H
#define BRIO_OP_CAST_H

#include "op/dialect.h"

/* float16 from and to float32, on bits: round to nearest even, subnormals and payloads of NaN kept
 * (quietened), as F16C does. */
BRIO_INLINE float brio_float_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    /* Subnormals: the bits as an integer times 2^-24, exactly. */
    float small = (float)(int32_t)magnitude * 0x1p-24f;
    uint32_t normal = (magnitude << 13) + ((127 - 15) << 23);
    uint32_t extreme = (magnitude << 13) | 0x7f800000 | (magnitude > 0x7c00 ? 0x00400000u : 0);
    uint32_t bits = magnitude < 0x400 ? brio_bits_f32(small) : magnitude >= 0x7c00 ? extreme : normal;
    return brio_from_bits_f32(bits | sign);
}

/* What does not fit becomes infinity and raises OVERFLOW where F16C would; the bits are those. */
BRIO_INLINE uint16_t brio_half_of_float(float x)
{
    uint32_t bits = brio_bits_f32(x), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
    /* Normal: add half of the last place kept, less one when that place is even; carry does the rest. */
    uint32_t normal = (magnitude + 0xfff + ((magnitude >> 13) & 1) - ((uint32_t)(127 - 15) << 23)) >> 13;
    /* Subnormal: adding 2^-1 leaves the rounded multiple of 2^-24 in the low bits. */
    float lifted = brio_from_bits_f32(magnitude < 0x38800000 ? magnitude : 0) + 0.5f;
    uint32_t small = brio_bits_f32(lifted) - 0x3f000000;
    uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
    uint32_t half = magnitude > 0x7f800000    ? nan
                    : magnitude >= 0x477ff000 ? 0x7c00
                    : magnitude < 0x38800000  ? small
                                              : normal;
    return (uint16_t)(half | sign);
}

/* Rounded once, from 53 bits. */
BRIO_INLINE uint16_t brio_half_of_double(double x)
{
    /* To odd: a float32 whose last bit tells that something was cut off rounds on as the double would. */
    uint64_t bits = brio_bits_f64(x);
    float near = (float)x;
    double back = (double)near;
    uint32_t word = brio_bits_f32(near);
    uint64_t magnitude = bits & 0x7fffffffffffffff, reached = brio_bits_f64(back) & 0x7fffffffffffffff;
    if (magnitude != reached && magnitude <= 0x7ff0000000000000) {
        word -= reached > magnitude; /* towards zero, */
        word |= 1;                   /* then odd */
    }
    return brio_half_of_float(brio_from_bits_f32(word));
}

BRIO_INLINE int32_t brio_i32_of_f64(double x)
{
    return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;
}

BRIO_INLINE int32_t brio_i32_of_f32(float x)
{
    return x >= -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN;
}

BRIO_INLINE int64_t brio_i64_of_f64(double x)
{
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

BRIO_INLINE int64_t brio_i64_of_f32(float x)
{
    return x >= -0x1p63f && x < 0x1p63f ? (int64_t)x : INT64_MIN;
}

BRIO_INLINE uint64_t brio_u64_of_f64(double x)
{
    if (!(x >= 0x1p63))
        return (uint64_t)brio_i64_of_f64(x);
    return (uint64_t)brio_i64_of_f64(x - 0x1p63) ^ 0x8000000000000000u;
}

BRIO_INLINE uint64_t brio_u64_of_f32(float x)
{
    if (!(x >= 0x1p63f))
        return (uint64_t)brio_i64_of_f32(x);
    return (uint64_t)brio_i64_of_f32(x - 0x1p63f) ^ 0x8000000000000000u;
}

#define BRIO_NARROW(suffix, type, by)                                                                        \
    BRIO_INLINE type brio_##suffix##_of_f32(float x)                                                         \
    {                                                                                                        \
        return (type)brio_##by##_of_f32(x);                                                                  \
    }                                                                                                        \
    BRIO_INLINE type brio_##suffix##_of_f64(double x)                                                        \
    {                                                                                                        \
        return (type)brio_##by##_of_f64(x);                                                                  \
    }
BRIO_NARROW(i8, int8_t, i32)
BRIO_NARROW(i16, int16_t, i32)
BRIO_NARROW(u8, uint8_t, i32)
BRIO_NARROW(u16, uint16_t, i32)
BRIO_NARROW(u32, uint32_t, i64)
#undef BRIO_NARROW

/* The cast of x between classes of dtypes, b (bool), n (integers), h, s and d (float16, 32 and 64), to
 * type T with suffix `to`. */
#define BRIO_CAST_b_b(x, T, to) ((x) != 0)
#define BRIO_CAST_b_n(x, T, to) (T)((x) != 0)
#define BRIO_CAST_b_h(x, T, to) (uint16_t)((x) != 0 ? 0x3c00 : 0)
#define BRIO_CAST_b_s(x, T, to) (float)((x) != 0)
#define BRIO_CAST_b_d(x, T, to) (double)((x) != 0)
#define BRIO_CAST_n_b(x, T, to) ((x) != 0)
#define BRIO_CAST_n_n(x, T, to) (T)(x)
#define BRIO_CAST_n_h(x, T, to) brio_half_of_float((float)(x))
#define BRIO_CAST_n_s(x, T, to) (float)(x)
#define BRIO_CAST_n_d(x, T, to) (double)(x)
#define BRIO_CAST_h_b(x, T, to) (((x)&0x7fff) != 0)
#define BRIO_CAST_h_n(x, T, to) brio_##to##_of_f32(brio_float_of_half(x))
#define BRIO_CAST_h_h(x, T, to) (x)
#define BRIO_CAST_h_s(x, T, to) brio_float_of_half(x)
#define BRIO_CAST_h_d(x, T, to) (double)brio_float_of_half(x)
#define BRIO_CAST_s_b(x, T, to) ((x) != 0)
#define BRIO_CAST_s_n(x, T, to) brio_##to##_of_f32(x)
#define BRIO_CAST_s_h(x, T, to) brio_half_of_float(x)
#define BRIO_CAST_s_s(x, T, to) (x)
#define BRIO_CAST_s_d(x, T, to) (double)(x)
#define BRIO_CAST_d_b(x, T, to) ((x) != 0)
#define BRIO_CAST_d_n(x, T, to) brio_##to##_of_f64(x)
#define BRIO_CAST_d_h(x, T, to) brio_half_of_double(x)
#define BRIO_CAST_d_s(x, T, to) (float)(x)
#define BRIO_CAST_d_d(x, T, to) (x)

/* The dtypes that have casts: enum name, C type, suffix, class. */
#define BRIO_CAST_DTYPES(X)                                                                                  \
    X(BOOL, uint8_t, bool, b)                                                                                \
    X(I8, int8_t, i8, n)                                                                                     \
    X(I16, int16_t, i16, n)                                                                                  \
    X(I32, int32_t, i32, n)                                                                                  \
    X(I64, int64_t, i64, n)                                                                                  \
    X(U8, uint8_t, u8, n)                                                                                    \
    X(U16, uint16_t, u16, n)                                                                                 \
    X(U32, uint32_t, u32, n)                                                                                 \
    X(U64, uint64_t, u64, n)                                                                                 \
    X(F16, uint16_t, f16, h)                                                                                 \
    X(F32, float, f32, s)                                                                                    \
    X(F64, double, f64, d)

#endif
