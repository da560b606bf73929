/* exp, exp2, expm1.
 *
 * Reduction to |r| <= ln(2)/2 by a two-part ln(2) whose high part times n is exact (Cody and Waite,
 * Software Manual for the Elementary Functions, 1980), then a minimax polynomial with floating-point
 * coefficients (Brisebarre and Chevillard, ARITH 18, 2007). */
#ifndef BRIO_OP_MATH_EXP_H
#define BRIO_OP_MATH_EXP_H

#include "op/math/bits.h"

/* exp and exp2 are regular up to overflow: far below the smallest subnormal, at -inf too, they are 0.
 * expm1 is regular up to a little below overflow, and -1 far below. */
#define BRIO_EXP_MAX_F32 0x1.62e42ep6f /* the largest x whose exp is finite */
#define BRIO_EXP_MAX_F64 0x1.62e42fefa39efp9
#define BRIO_EXPM1_MAX_F32 88.0f
#define BRIO_EXPM1_MAX_F64 709.0

BRIO_INLINE int32_t brio_exp_f32_outside(float x)
{
    return -(int32_t)((brio_order_f32(x) > brio_order_f32(BRIO_EXP_MAX_F32)) | (x != x));
}

BRIO_INLINE int64_t brio_exp_f64_outside(double x)
{
    return -(int64_t)((brio_order_f64(x) > brio_order_f64(BRIO_EXP_MAX_F64)) | (x != x));
}

BRIO_INLINE int32_t brio_exp2_f32_outside(float x)
{
    return -(int32_t)((brio_order_f32(x) >= brio_order_f32(128.0f)) | (x != x));
}

BRIO_INLINE int64_t brio_exp2_f64_outside(double x)
{
    return -(int64_t)((brio_order_f64(x) >= brio_order_f64(1024.0)) | (x != x));
}

BRIO_INLINE int32_t brio_expm1_f32_outside(float x)
{
    return -(int32_t)((brio_order_f32(x) > brio_order_f32(BRIO_EXPM1_MAX_F32)) | (x != x));
}

BRIO_INLINE int64_t brio_expm1_f64_outside(double x)
{
    return -(int64_t)((brio_order_f64(x) > brio_order_f64(BRIO_EXPM1_MAX_F64)) | (x != x));
}

/* p * 2^n; `rounder` is n + BRIO_ROUNDER_F32 (_F64). */
typedef struct brio_scaled_f32 {
    float p, n, rounder;
} brio_scaled_f32;

typedef struct brio_scaled_f64 {
    double p, n, rounder;
} brio_scaled_f64;

/* The value for p in [0.6, 1.5], -151 <= n <= 128, where it does not overflow. Subnormal results are made
 * in two steps, so that they are rounded once. */
BRIO_INLINE float brio_scale_f32(brio_scaled_f32 s)
{
    uint32_t low = -(uint32_t)(s.n < -120.0f);
    uint32_t k = brio_bits_f32(s.rounder) + (low & 64u);
    return brio_from_bits_f32(brio_bits_f32(s.p) + (k << 23)) *
           brio_from_bits_f32(brio_bits_f32(1.0f) - (low & (64u << 23)));
}

/* The same for -1080 <= n <= 1024. */
BRIO_INLINE double brio_scale_f64(brio_scaled_f64 s)
{
    uint64_t low = -(uint64_t)(s.n < -1000.0);
    uint64_t k = brio_bits_f64(s.rounder) + (low & 128u);
    return brio_from_bits_f64(brio_bits_f64(s.p) + (k << 52)) *
           brio_from_bits_f64(brio_bits_f64(1.0) - (low & ((uint64_t)128 << 52)));
}

/* The value where it is normal. */
BRIO_INLINE float brio_scale_normal_f32(brio_scaled_f32 s)
{
    return brio_from_bits_f32(brio_bits_f32(s.p) + (brio_bits_f32(s.rounder) << 23));
}

BRIO_INLINE double brio_scale_normal_f64(brio_scaled_f64 s)
{
    return brio_from_bits_f64(brio_bits_f64(s.p) + (brio_bits_f64(s.rounder) << 52));
}

/* exp(a) in parts, |a| below overflow. */
BRIO_INLINE brio_scaled_f32 brio_exp_core_f32(float a)
{
    float rounder = BRIO_MULADD_F32(a, 0x1.715476p0f, BRIO_ROUNDER_F32);
    float n = rounder - BRIO_ROUNDER_F32;
    float r = BRIO_MULADD_F32(n, -0x1.62e4p-1f, a);
    r = BRIO_MULADD_F32(n, -0x1.7f7d1cp-20f, r);
    float q = 0x1.6a604p-10f;
    q = BRIO_MULADD_F32(q, r, 0x1.123ac6p-7f);
    q = BRIO_MULADD_F32(q, r, 0x1.5558ap-5f);
    q = BRIO_MULADD_F32(q, r, 0x1.55549p-3f);
    q = BRIO_MULADD_F32(q, r, 0x1.fffffcp-2f);
    q = BRIO_MULADD_F32(r * r, q, r);
    return (brio_scaled_f32){1.0f + q, n, rounder};
}

BRIO_INLINE float brio_exp_f32_inside(float x)
{
    float a = brio_at_least_f32(brio_at_most_f32(x, BRIO_EXP_MAX_F32), -104.0f);
    return brio_scale_f32(brio_exp_core_f32(a));
}

/* exp(a) in parts, |a| below overflow. */
BRIO_INLINE brio_scaled_f64 brio_exp_core_f64(double a)
{
    double rounder = BRIO_MULADD_F64(a, 0x1.71547652b82fep0, BRIO_ROUNDER_F64);
    double n = rounder - BRIO_ROUNDER_F64;
    double r = BRIO_MULADD_F64(n, -0x1.62e42fefa4p-1, a);
    r = BRIO_MULADD_F64(n, 0x1.8432a1b0e2634p-43, r);
    double r2 = r * r;
    double r4 = r2 * r2;
    double q = brio_cubic_f64(r, r2, 0x1.a019992644cecp-16, 0x1.71df1abc975a1p-19, 0x1.28ae3959ac4c5p-22,
                              0x1.ad90d5eba8f89p-26);
    q = BRIO_MULADD_F64(q, r4,
                        brio_cubic_f64(r, r2, 0x1.555555555068cp-5, 0x1.1111111126ec3p-7,
                                       0x1.6c16c18487adbp-10, 0x1.a01a012eeaf66p-13));
    q = BRIO_MULADD_F64(q, r, 0x1.55555555554fdp-3);
    q = BRIO_MULADD_F64(q, r, 0x1.000000000000ap-1);
    q = BRIO_MULADD_F64(r * r, q, r);
    return (brio_scaled_f64){1.0 + q, n, rounder};
}

BRIO_INLINE double brio_exp_f64_inside(double x)
{
    int64_t low = brio_below_f64(x, -746.0);
    double a = brio_keep_f64(x, ~(brio_exp_f64_outside(x) | low));
    return brio_keep_f64(brio_scale_f64(brio_exp_core_f64(a)), ~low);
}

/* 2^r - 1 for |r| <= 1/2. */
BRIO_INLINE float brio_exp2_tail_f32(float r)
{
    float q = 0x1.3fabfep-13f;
    q = BRIO_MULADD_F32(q, r, 0x1.5f0ccap-10f);
    q = BRIO_MULADD_F32(q, r, 0x1.3b3098p-7f);
    q = BRIO_MULADD_F32(q, r, 0x1.c6af74p-5f);
    q = BRIO_MULADD_F32(q, r, 0x1.ebfbd8p-3f);
    q = BRIO_MULADD_F32(q, r, 0x1.62e43p-1f);
    return q * r;
}

BRIO_INLINE float brio_exp2_f32_inside(float x)
{
    float a = brio_at_least_f32(brio_at_most_f32(x, 0x1.fffffep6f), -150.5f);
    float rounder = a + BRIO_ROUNDER_F32;
    float n = rounder - BRIO_ROUNDER_F32;
    float r = a - n;
    return brio_scale_f32((brio_scaled_f32){1.0f + brio_exp2_tail_f32(r), n, rounder});
}

/* 2^r - 1 for |r| <= 1/2. */
BRIO_INLINE double brio_exp2_tail_f64(double r)
{
    double r2 = r * r;
    double r4 = r2 * r2;
    double q = 0x1.e96c0022033acp-32;
    q = BRIO_MULADD_F64(q, r4,
                        brio_cubic_f64(r, r2, 0x1.ffcbfc6419452p-17, 0x1.62bfc627a9753p-20,
                                       0x1.b52527b1de03bp-24, 0x1.e61da9b8fcdc1p-28));
    q = BRIO_MULADD_F64(q, r4,
                        brio_cubic_f64(r, r2, 0x1.c6b08d704a12ap-5, 0x1.3b2ab6fb9fd79p-7,
                                       0x1.5d87fe789f11dp-10, 0x1.4309130f7bdb7p-13));
    q = BRIO_MULADD_F64(q, r, 0x1.ebfbdff82c5a6p-3);
    q = BRIO_MULADD_F64(q, r, 0x1.62e42fefa39efp-1);
    return q * r;
}

BRIO_INLINE double brio_exp2_f64_inside(double x)
{
    int64_t low = brio_below_f64(x, -1075.5);
    double a = brio_keep_f64(x, ~(brio_exp2_f64_outside(x) | low));
    double rounder = a + BRIO_ROUNDER_F64;
    double n = rounder - BRIO_ROUNDER_F64;
    double r = a - n;
    return brio_keep_f64(brio_scale_f64((brio_scaled_f64){1.0 + brio_exp2_tail_f64(r), n, rounder}), ~low);
}

/* expm1(a) for -104 <= a <= 88: 2^n * expm1(r) + (2^n - 1). */
BRIO_INLINE float brio_expm1_core_f32(float a)
{
    float rounder = BRIO_MULADD_F32(a, 0x1.715476p0f, BRIO_ROUNDER_F32);
    float n = rounder - BRIO_ROUNDER_F32;
    float r = BRIO_MULADD_F32(n, -0x1.62e4p-1f, a);
    r = BRIO_MULADD_F32(n, -0x1.7f7d1cp-20f, r);
    float q = 0x1.9e0c98p-13f;
    q = BRIO_MULADD_F32(q, r, 0x1.6d4386p-10f);
    q = BRIO_MULADD_F32(q, r, 0x1.111306p-7f);
    q = BRIO_MULADD_F32(q, r, 0x1.5554fp-5f);
    q = BRIO_MULADD_F32(q, r, 0x1.555554p-3f);
    q = BRIO_MULADD_F32(q, r, 0.5f);
    q = BRIO_MULADD_F32(r * r, q, r);
    float scale = brio_from_bits_f32((brio_bits_f32(rounder) << 23) + 0x3f800000u);
    return BRIO_MULADD_F32(q, scale, scale - 1.0f);
}

BRIO_INLINE double brio_expm1_core_f64(double a)
{
    double rounder = BRIO_MULADD_F64(a, 0x1.71547652b82fep0, BRIO_ROUNDER_F64);
    double n = rounder - BRIO_ROUNDER_F64;
    double r = BRIO_MULADD_F64(n, -0x1.62e42fefa4p-1, a);
    r = BRIO_MULADD_F64(n, 0x1.8432a1b0e2634p-43, r);
    double r2 = r * r;
    double r4 = r2 * r2;
    double q = 0x1.1f1a60f720e52p-29;
    q = BRIO_MULADD_F64(q, r4,
                        brio_cubic_f64(r, r2, 0x1.a01a018e0fdf6p-16, 0x1.71ddf7fa328dp-19,
                                       0x1.27e5132d0143ap-22, 0x1.af5f59d50cc1ep-26));
    q = BRIO_MULADD_F64(q, r4,
                        brio_cubic_f64(r, r2, 0x1.555555555554dp-5, 0x1.111111110f64cp-7,
                                       0x1.6c16c16c1ab03p-10, 0x1.a01a01b009afp-13));
    q = BRIO_MULADD_F64(q, r, 0x1.5555555555559p-3);
    q = BRIO_MULADD_F64(q, r, 0.5);
    q = BRIO_MULADD_F64(r * r, q, r);
    double scale = brio_from_bits_f64((brio_bits_f64(rounder) << 52) + 0x3ff0000000000000u);
    return BRIO_MULADD_F64(q, scale, scale - 1.0);
}

BRIO_INLINE float brio_expm1_f32_inside(float x)
{
    float a = brio_at_least_f32(brio_at_most_f32(x, BRIO_EXPM1_MAX_F32), -30.0f);
    return brio_with_sign_f32(brio_expm1_core_f32(a), x);
}

BRIO_INLINE double brio_expm1_f64_inside(double x)
{
    int64_t low = brio_below_f64(x, -60.0);
    double a = brio_keep_f64(x, ~(brio_expm1_f64_outside(x) | low));
    double y = brio_blend_f64(low, -1.0, brio_expm1_core_f64(a));
    return brio_with_sign_f64(y, x);
}

BRIO_MATH_UNARY(exp)
BRIO_MATH_UNARY(exp2)
BRIO_MATH_UNARY(expm1)

#endif
