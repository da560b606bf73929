/* log, log2, log10, log1p.
 *
 * x = 2^e * m with m in [sqrt(1/2), sqrt(2)), taken from the bits, so that any operand, special or not,
 * gives harmless e and m. f64 follows the scheme of fdlibm's e_log.c: with f = m - 1 and
 * s = f / (2 + f), log(m) = f - f^2/2 + s * (f^2/2 + R(s^2)); f32 is a polynomial in f alone.
 * log2 and log10 multiply that sum, split in two, by a two-part constant (FreeBSD's e_log10.c). */
#ifndef BRIO_OP_MATH_LOG_H
#define BRIO_OP_MATH_LOG_H

#include "op/math/bits.h"

#define BRIO_MIN_F32 0x1p-126f
#define BRIO_MIN_F64 0x1p-1022
#define BRIO_MAX_F32 0x1.fffffep127f
#define BRIO_MAX_F64 0x1.fffffffffffffp1023

/* Regular where x is positive, normal and finite. */
BRIO_INLINE int32_t brio_log_f32_outside(float x)
{
    return brio_outside_f32(x, BRIO_MIN_F32, BRIO_MAX_F32);
}

BRIO_INLINE int64_t brio_log_f64_outside(double x)
{
    return brio_outside_f64(x, BRIO_MIN_F64, BRIO_MAX_F64);
}

BRIO_INLINE int32_t brio_log2_f32_outside(float x)
{
    return brio_log_f32_outside(x);
}

BRIO_INLINE int32_t brio_log10_f32_outside(float x)
{
    return brio_log_f32_outside(x);
}

/* Regular where x > -1, but for the largest numbers. */
#define BRIO_LOG1P_MAX_F32 0x1p126f
#define BRIO_LOG1P_MAX_F64 0x1p1022

BRIO_INLINE int32_t brio_log1p_f32_outside(float x)
{
    return brio_outside_f32(1.0f + x, BRIO_MIN_F32, BRIO_LOG1P_MAX_F32);
}

BRIO_INLINE int64_t brio_log2_f64_outside(double x)
{
    return brio_log_f64_outside(x);
}

BRIO_INLINE int64_t brio_log10_f64_outside(double x)
{
    return brio_log_f64_outside(x);
}

BRIO_INLINE int64_t brio_log1p_f64_outside(double x)
{
    return brio_outside_f64(1.0 + x, BRIO_MIN_F64, BRIO_LOG1P_MAX_F64);
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
    double z2 = z * z;
    double z4 = z2 * z2;
    double q = BRIO_MULADD_F64(0x1.2f02bc1e5f33ep-3, z, 0x1.39a2024cdf70ap-3);
    q = BRIO_MULADD_F64(q, z4,
                        brio_cubic_f64(z, z2, 0x1.999999997ff58p-2, 0x1.24924941dc60dp-2,
                                       0x1.c71c5218e11ccp-3, 0x1.74663bf27f228p-3));
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

BRIO_INLINE float brio_log_f32_inside(float x)
{
    brio_split_f32 p = brio_split_sqrt2_f32(x);
    return brio_log_sum_f32(p.e, p.m - 1.0f);
}

BRIO_INLINE double brio_log_f64_inside(double x)
{
    brio_split_f64 p = brio_split_sqrt2_f64(x);
    return brio_log_sum_f64(p.e, p.m - 1.0);
}

/* log(1 + f) in two parts, the first short enough that products with the constants below are exact. */
typedef struct brio_parts_f32 {
    float hi, lo;
} brio_parts_f32;

typedef struct brio_parts_f64 {
    double hi, lo;
} brio_parts_f64;

BRIO_INLINE brio_parts_f32 brio_log_parts_f32(float f)
{
    float z = f * f, half = 0.5f * z;
    float hi = brio_from_bits_f32(brio_bits_f32(f - half) & 0xfffff000u);
    return (brio_parts_f32){hi, (f - hi) - half + brio_log_tail_f32(f) * f * z};
}

BRIO_INLINE brio_parts_f64 brio_log_parts_f64(double f)
{
    double half = 0.5 * f * f;
    double hi = brio_from_bits_f64(brio_bits_f64(f - half) & 0xffffffff00000000u);
    return (brio_parts_f64){hi, (f - hi) - half + brio_log_tail_f64(f, half)};
}

/* whole + rest + (log(1 + f) in the base whose inverse logarithm is hi + lo), |whole| >= 0.3 or 0. */
BRIO_INLINE float brio_log_in_base_f32(float whole, float rest, float f, float hi, float lo)
{
    brio_parts_f32 p = brio_log_parts_f32(f);
    float high = p.hi * hi, sum = whole + high;
    float low = BRIO_MULADD_F32(p.lo + p.hi, lo, BRIO_MULADD_F32(p.lo, hi, rest));
    return sum + (low + ((whole - sum) + high));
}

BRIO_INLINE double brio_log_in_base_f64(double whole, double rest, double f, double hi, double lo)
{
    brio_parts_f64 p = brio_log_parts_f64(f);
    double high = p.hi * hi, sum = whole + high;
    double low = BRIO_MULADD_F64(p.lo + p.hi, lo, BRIO_MULADD_F64(p.lo, hi, rest));
    return sum + (low + ((whole - sum) + high));
}

BRIO_INLINE float brio_log2_f32_inside(float x)
{
    brio_split_f32 p = brio_split_sqrt2_f32(x);
    return brio_log_in_base_f32(p.e, 0.0f, p.m - 1.0f, 0x1.716p0f, -0x1.7135a8p-13f);
}

BRIO_INLINE double brio_log2_f64_inside(double x)
{
    brio_split_f64 p = brio_split_sqrt2_f64(x);
    return brio_log_in_base_f64(p.e, 0.0, p.m - 1.0, 0x1.7154768p0, -0x1.6a3e80f444178p-27);
}

BRIO_INLINE float brio_log10_f32_inside(float x)
{
    brio_split_f32 p = brio_split_sqrt2_f32(x);
    return brio_log_in_base_f32(p.e * 0x1.344p-2f, p.e * 0x1.3509f8p-18f, p.m - 1.0f, 0x1.bccp-2f,
                                -0x1.09d5b2p-15f);
}

BRIO_INLINE double brio_log10_f64_inside(double x)
{
    brio_split_f64 p = brio_split_sqrt2_f64(x);
    return brio_log_in_base_f64(p.e * 0x1.34413509f78p-2, p.e * 0x1.fef311f12b358p-46, p.m - 1.0,
                                0x1.bcb7b18p-2, -0x1.6c8d78e6acaa4p-29);
}

/* log(1 + a) for -1 < a <= BRIO_LOG1P_MAX: what rounding 1 + a lost is added to f. */
BRIO_INLINE float brio_log1p_core_f32(float a)
{
    float u = 1.0f + a;
    brio_split_f32 p = brio_split_sqrt2_f32(u);
    float lost = (a - (u - 1.0f)) * brio_from_bits_f32((uint32_t)(127 - (int32_t)p.e) << 23);
    return brio_log_sum_f32(p.e, (p.m - 1.0f) + lost);
}

BRIO_INLINE double brio_log1p_core_f64(double a)
{
    double u = 1.0 + a;
    brio_split_f64 p = brio_split_sqrt2_f64(u);
    double power = brio_from_bits_f64(brio_bits_f64(BRIO_ROUNDER_F64 + 1023.0 - p.e) << 52); /* 2^-e */
    return brio_log_sum_f64(p.e, (p.m - 1.0) + (a - (u - 1.0)) * power);
}

BRIO_INLINE float brio_log1p_f32_inside(float x)
{
    float a = brio_keep_f32(x, ~brio_log1p_f32_outside(x));
    return brio_with_sign_f32(brio_log1p_core_f32(a), x);
}

BRIO_INLINE double brio_log1p_f64_inside(double x)
{
    double a = brio_keep_f64(x, ~brio_log1p_f64_outside(x));
    return brio_with_sign_f64(brio_log1p_core_f64(a), x);
}

BRIO_MATH_UNARY(log)
BRIO_MATH_UNARY(log2)
BRIO_MATH_UNARY(log10)
BRIO_MATH_UNARY(log1p)

#endif
