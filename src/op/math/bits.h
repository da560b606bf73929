/* What the elementary functions share: rounding to an integer, powers of two, signs, and the tests
 * that class an operand without raising a flag. */
#ifndef BRIO_OP_MATH_BITS_H
#define BRIO_OP_MATH_BITS_H

#include "op/dialect.h"

/* Adding and subtracting it rounds |x| < 2^22 (2^51) to the nearest integer; the low bits of the sum
 * hold that integer, since the bits of the constant itself end in 22 (51) zeros. */
#define BRIO_ROUNDER_F32 0x1.8p23f
#define BRIO_ROUNDER_F64 0x1.8p52

#define BRIO_SIGN_F32 0x80000000u
#define BRIO_SIGN_F64 0x8000000000000000u
#define BRIO_INF_BITS_F32 0x7f800000
#define BRIO_INF_BITS_F64 0x7ff0000000000000

/* The bits of x as a signed integer: ordered as x is for x >= 0, above infinity for positive NaN,
 * negative where the sign is set. */
BRIO_INLINE int32_t brio_order_f32(float x)
{
    return (int32_t)brio_bits_f32(x);
}

BRIO_INLINE int64_t brio_order_f64(double x)
{
    return (int64_t)brio_bits_f64(x);
}

/* The bits of |x|: ordered as |x|, NaN above infinity. */
BRIO_INLINE int32_t brio_magnitude_f32(float x)
{
    return (int32_t)(brio_bits_f32(x) & ~BRIO_SIGN_F32);
}

BRIO_INLINE int64_t brio_magnitude_f64(double x)
{
    return (int64_t)(brio_bits_f64(x) & ~BRIO_SIGN_F64);
}

BRIO_INLINE float brio_abs_f32(float x)
{
    return brio_from_bits_f32(brio_bits_f32(x) & ~BRIO_SIGN_F32);
}

BRIO_INLINE double brio_abs_f64(double x)
{
    return brio_from_bits_f64(brio_bits_f64(x) & ~BRIO_SIGN_F64);
}

/* Selection by masks of all ones or zeros, with bit operations: a compiler that may ignore traps would
 * carry a conditional expression past the arithmetic that follows, run that on the operand which
 * the condition keeps out, and raise its flags. A result, or the operand of an operation that raises
 * none, is selected with ?:. */
BRIO_INLINE float brio_keep_f32(float x, int32_t mask)
{
    return brio_from_bits_f32(brio_bits_f32(x) & (uint32_t)mask);
}

BRIO_INLINE double brio_keep_f64(double x, int64_t mask)
{
    return brio_from_bits_f64(brio_bits_f64(x) & (uint64_t)mask);
}

BRIO_INLINE float brio_blend_f32(int32_t mask, float yes, float no)
{
    return brio_from_bits_f32((brio_bits_f32(yes) & (uint32_t)mask) | (brio_bits_f32(no) & ~(uint32_t)mask));
}

BRIO_INLINE double brio_blend_f64(int64_t mask, double yes, double no)
{
    return brio_from_bits_f64((brio_bits_f64(yes) & (uint64_t)mask) | (brio_bits_f64(no) & ~(uint64_t)mask));
}

/* All ones where the bits of x, as unsigned, lie outside those of lo <= hi, both of one sign. */
BRIO_INLINE int32_t brio_outside_f32(float x, float lo, float hi)
{
    uint32_t from_lo = brio_bits_f32(x) - brio_bits_f32(lo) - BRIO_SIGN_F32;
    return -(int32_t)((int32_t)from_lo > (int32_t)(brio_bits_f32(hi) - brio_bits_f32(lo) - BRIO_SIGN_F32));
}

BRIO_INLINE int64_t brio_outside_f64(double x, double lo, double hi)
{
    uint64_t from_lo = brio_bits_f64(x) - brio_bits_f64(lo) - BRIO_SIGN_F64;
    return -(int64_t)((int64_t)from_lo > (int64_t)(brio_bits_f64(hi) - brio_bits_f64(lo) - BRIO_SIGN_F64));
}

/* All ones where |x| > limit, and for NaN. */
BRIO_INLINE int32_t brio_beyond_f32(float x, float limit)
{
    return -(int32_t)(brio_magnitude_f32(x) > brio_order_f32(limit));
}

BRIO_INLINE int64_t brio_beyond_f64(double x, double limit)
{
    return -(int64_t)(brio_magnitude_f64(x) > brio_order_f64(limit));
}

/* The smaller of x and limit > 0; positive NaN gives limit, negative NaN itself. */
BRIO_INLINE float brio_at_most_f32(float x, float limit)
{
    int32_t bits = brio_order_f32(x), bound = brio_order_f32(limit);
    return brio_from_bits_f32((uint32_t)(bits < bound ? bits : bound));
}

/* The larger of x and limit < 0; negative NaN gives limit, positive NaN itself. */
BRIO_INLINE float brio_at_least_f32(float x, float limit)
{
    uint32_t bits = brio_bits_f32(x), bound = brio_bits_f32(limit);
    return brio_from_bits_f32(bits < bound ? bits : bound);
}

/* All ones where x < limit < 0, and for negative NaN. */
BRIO_INLINE int64_t brio_below_f64(double x, double limit)
{
    return -(int64_t)(brio_bits_f64(x) > brio_bits_f64(limit));
}

/* x with the sign flipped where s has its sign set. */
BRIO_INLINE float brio_flip_sign_f32(float x, float s)
{
    return brio_from_bits_f32(brio_bits_f32(x) ^ (brio_bits_f32(s) & BRIO_SIGN_F32));
}

BRIO_INLINE double brio_flip_sign_f64(double x, double s)
{
    return brio_from_bits_f64(brio_bits_f64(x) ^ (brio_bits_f64(s) & BRIO_SIGN_F64));
}

/* |x| with the sign of s. */
BRIO_INLINE float brio_with_sign_f32(float x, float s)
{
    return brio_from_bits_f32((brio_bits_f32(x) & ~BRIO_SIGN_F32) | (brio_bits_f32(s) & BRIO_SIGN_F32));
}

BRIO_INLINE double brio_with_sign_f64(double x, double s)
{
    return brio_from_bits_f64((brio_bits_f64(x) & ~BRIO_SIGN_F64) | (brio_bits_f64(s) & BRIO_SIGN_F64));
}

/* c0 + c1 x + c2 x^2 + c3 x^3 with x2 = x^2, in two steps of latency (Estrin) instead of Horner's three. */
BRIO_INLINE float brio_cubic_f32(float x, float x2, float c0, float c1, float c2, float c3)
{
    return BRIO_MULADD_F32(BRIO_MULADD_F32(c3, x, c2), x2, BRIO_MULADD_F32(c1, x, c0));
}

/* c0 + c1 x + c2 x^2 + c3 x^3 with x2 = x^2, in two steps of latency (Estrin) instead of Horner's three. */
BRIO_INLINE double brio_cubic_f64(double x, double x2, double c0, double c1, double c2, double c3)
{
    return BRIO_MULADD_F64(BRIO_MULADD_F64(c3, x, c2), x2, BRIO_MULADD_F64(c1, x, c0));
}

/* y, and NaN where x is NaN: the bits of both together. */
BRIO_INLINE float brio_join_nan_f32(float y, float x)
{
    return brio_from_bits_f32(brio_bits_f32(y) | (brio_bits_f32(x) & -(uint32_t)(x != x)));
}

/* y, and NaN where x is NaN: the bits of both together. */
BRIO_INLINE double brio_join_nan_f64(double y, double x)
{
    return brio_from_bits_f64(brio_bits_f64(y) | (brio_bits_f64(x) & -(uint64_t)(x != x)));
}

/* The pairs of math.h from the forms that a file writes: `inside` is harmless for every operand and right
 * where `outside` is 0; NaN is outside. NaN among the operands is then let through. */
#define BRIO_MATH_UNARY_OF(name, suffix, T, I)                                                               \
    BRIO_INLINE I brio_##name##_##suffix##_special(T x)                                                      \
    {                                                                                                        \
        return brio_##name##_##suffix##_outside(x) & -(I)(x == x);                                           \
    }                                                                                                        \
    BRIO_INLINE T brio_##name##_##suffix##_fast(T x)                                                         \
    {                                                                                                        \
        return brio_join_nan_##suffix(brio_##name##_##suffix##_inside(x), x);                                \
    }

#define BRIO_MATH_BINARY_OF(name, suffix, T, I)                                                              \
    BRIO_INLINE I brio_##name##_##suffix##_special(T a, T b)                                                 \
    {                                                                                                        \
        return brio_##name##_##suffix##_outside(a, b) & -(I)(a == a) & -(I)(b == b);                         \
    }                                                                                                        \
    BRIO_INLINE T brio_##name##_##suffix##_fast(T a, T b)                                                    \
    {                                                                                                        \
        return brio_join_nan_##suffix(brio_join_nan_##suffix(brio_##name##_##suffix##_inside(a, b), a), b);  \
    }

#define BRIO_MATH_UNARY(name)                                                                                \
    BRIO_MATH_UNARY_OF(name, f32, float, int32_t)                                                            \
    BRIO_MATH_UNARY_OF(name, f64, double, int64_t)

#define BRIO_MATH_BINARY(name)                                                                               \
    BRIO_MATH_BINARY_OF(name, f32, float, int32_t)                                                           \
    BRIO_MATH_BINARY_OF(name, f64, double, int64_t)

#endif
