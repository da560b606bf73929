/* log.
 *
 * x = 2^e * m with m in [sqrt(1/2), sqrt(2)), taken from the bits, so that any operand, special or not,
 * gives harmless e and m. f64 follows the scheme of fdlibm's e_log.c: with f = m - 1 and
 * s = f / (2 + f), log(m) = f - f^2/2 + s * (f^2/2 + R(s^2)); f32 is a polynomial in f alone. */
#ifndef BRIO_OP_MATH_LOG_H
#define BRIO_OP_MATH_LOG_H

#include "op/math/bits.h"

#define BRIO_MIN_F32 0x1p-126f
#define BRIO_MIN_F64 0x1p-1022
#define BRIO_MAX_F32 0x1.fffffep127f
#define BRIO_MAX_F64 0x1.fffffffffffffp1023

/* Regular where x is positive, normal and finite. */
BRIO_INLINE int32_t brio_log_f32_special(float x)
{
    return brio_outside_f32(x, BRIO_MIN_F32, BRIO_MAX_F32);
}

BRIO_INLINE int64_t brio_log_f64_special(double x)
{
    return brio_outside_f64(x, BRIO_MIN_F64, BRIO_MAX_F64);
}

typedef struct brio_split_f32 {
    float e, m; /* x = 2^e * m */
} brio_split_f32;

typedef struct brio_split_f64 {
    double e, m;
} brio_split_f64;

BRIO_INLINE brio_split_f32 brio_split_sqrt2_f32(float x)
{
    uint32_t bits = brio_bits_f32(x) + (0x3f800000u - 0x3f3504f3u);
    float m = brio_from_bits_f32((bits & 0x007fffffu) + 0x3f3504f3u);
    return (brio_split_f32){(float)((int32_t)(bits >> 23) - 127), m};
}

BRIO_INLINE brio_split_f64 brio_split_sqrt2_f64(double x)
{
    uint64_t bits = brio_bits_f64(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    double m = brio_from_bits_f64((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    return (brio_split_f64){brio_from_bits_f64((bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023), m};
}

/* (log(1 + f) - f + f^2/2) / f^3 for 1 + f in [sqrt(1/2), sqrt(2)]. */
BRIO_INLINE float brio_log_tail_f32(float f)
{
    float q = -0x1.38de36p-4f;
    q = BRIO_MULADD_F32(q, f, 0x1.056c98p-3f);
    q = BRIO_MULADD_F32(q, f, -0x1.0d853ap-3f);
    q = BRIO_MULADD_F32(q, f, 0x1.22d788p-3f);
    q = BRIO_MULADD_F32(q, f, -0x1.54720cp-3f);
    q = BRIO_MULADD_F32(q, f, 0x1.99a028p-3f);
    q = BRIO_MULADD_F32(q, f, -0x1.000228p-2f);
    return BRIO_MULADD_F32(q, f, 0x1.555554p-2f);
}

/* log(1 + f) - f + f^2/2 in the same range; `half` is f^2/2. */
BRIO_INLINE double brio_log_tail_f64(double f, double half)
{
    double s = f / (2.0 + f), z = s * s;
    double q = 0x1.2f02bc1e5f33ep-3;
    q = BRIO_MULADD_F64(q, z, 0x1.39a2024cdf70ap-3);
    q = BRIO_MULADD_F64(q, z, 0x1.74663bf27f228p-3);
    q = BRIO_MULADD_F64(q, z, 0x1.c71c5218e11ccp-3);
    q = BRIO_MULADD_F64(q, z, 0x1.24924941dc60dp-2);
    q = BRIO_MULADD_F64(q, z, 0x1.999999997ff58p-2);
    q = BRIO_MULADD_F64(q, z, 0x1.5555555555592p-1);
    return s * BRIO_MULADD_F64(q, z, half);
}

/* e * log(2) + log(1 + f). */
BRIO_INLINE float brio_log_sum_f32(float e, float f)
{
    float z = f * f;
    float t = BRIO_MULADD_F32(e, 0x1.7f7d1cp-20f, brio_log_tail_f32(f) * f * z);
    t = BRIO_MULADD_F32(z, -0.5f, t);
    return BRIO_MULADD_F32(e, 0x1.62e4p-1f, f + t);
}

BRIO_INLINE double brio_log_sum_f64(double e, double f)
{
    double half = 0.5 * f * f;
    double t = BRIO_MULADD_F64(e, -0x1.8432a1b0e2634p-43, brio_log_tail_f64(f, half));
    return BRIO_MULADD_F64(e, 0x1.62e42fefa4p-1, f - (half - t));
}

BRIO_INLINE float brio_log_f32_fast(float x)
{
    brio_split_f32 p = brio_split_sqrt2_f32(x);
    return brio_log_sum_f32(p.e, p.m - 1.0f);
}

BRIO_INLINE double brio_log_f64_fast(double x)
{
    brio_split_f64 p = brio_split_sqrt2_f64(x);
    return brio_log_sum_f64(p.e, p.m - 1.0);
}

#endif
