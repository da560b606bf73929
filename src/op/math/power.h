/* pow, cbrt, hypot.
 *
 * pow is 2^(y * log2|x|). f64 keeps the logarithm and the product in two parts (as fdlibm's e_pow.c does),
 * so that the exponent is right to some 2^-64 of itself; f32 computes both in double. cbrt improves
 * a polynomial for the inverse cube root and corrects once with the exact residual. */
#ifndef BRIO_OP_MATH_POWER_H
#define BRIO_OP_MATH_POWER_H

#include "op/math/exp.h"
#include "op/math/log.h"

/* a * b as hi + lo. */
BRIO_INLINE brio_parts_f64 brio_product_f64(double a, double b)
{
    double hi = a * b;
#if BRIO_FUSED
    return (brio_parts_f64){hi, BRIO_MULADD_F64(a, b, -hi)};
#else /* Dekker (1971), the operands cut by their bits */
    double a1 = brio_from_bits_f64(brio_bits_f64(a) & 0xfffffffff8000000u), a2 = a - a1;
    double b1 = brio_from_bits_f64(brio_bits_f64(b) & 0xfffffffff8000000u), b2 = b - b1;
    return (brio_parts_f64){hi, ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2};
#endif
}

/* (x - a * a * a) for a near the cube root of x. */
BRIO_INLINE double brio_cube_residual_f64(double x, double a)
{
    brio_parts_f64 square = brio_product_f64(a, a), cube = brio_product_f64(square.hi, a);
    return ((x - cube.hi) - cube.lo) - square.lo * a;
}

BRIO_INLINE float brio_cube_residual_f32(float x, float a)
{
#if BRIO_FUSED
    float square = a * a, low = BRIO_MULADD_F32(a, a, -square);
    return BRIO_MULADD_F32(-low, a, BRIO_MULADD_F32(-square, a, x));
#else
    return (float)((double)x - (double)a * a * a);
#endif
}

/* Regular where x is normal or zero. */
BRIO_INLINE int32_t brio_cbrt_f32_outside(float x)
{
    return brio_outside_f32(brio_abs_f32(x), BRIO_MIN_F32, BRIO_MAX_F32) & -(int32_t)(x != 0.0f);
}

/* |x| = 2^3k * t with t in [1/2, 4); any bits give harmless k and t. */
BRIO_INLINE float brio_cbrt_f32_inside(float x)
{
    uint32_t bits = brio_bits_f32(x) & ~BRIO_SIGN_F32;
    float e = (float)((int32_t)(bits >> 23) - 127);
    float rounder = BRIO_MULADD_F32(e, 0x1.555556p-2f, BRIO_ROUNDER_F32);
    float rest = e - 3.0f * (rounder - BRIO_ROUNDER_F32) + (BRIO_ROUNDER_F32 + 127.0f);
    float t = brio_from_bits_f32((bits & 0x007fffffu) | (brio_bits_f32(rest) << 23));
    float y = 0x1.674ca8p-9f;
    y = BRIO_MULADD_F32(y, t, -0x1.5af846p-5f);
    y = BRIO_MULADD_F32(y, t, 0x1.11649ep-2f);
    y = BRIO_MULADD_F32(y, t, -0x1.c6501p-1f);
    y = BRIO_MULADD_F32(y, t, 0x1.b02fd6p0f);
    y = BRIO_MULADD_F32(y, t, -0x1.ec278ep0f);
    y = BRIO_MULADD_F32(y, t, 0x1.e499cp0f);
    float h = BRIO_MULADD_F32(-t * y, y * y, 1.0f);
    y = BRIO_MULADD_F32(y * h, BRIO_MULADD_F32(h, 0x1.c71c72p-3f, 0x1.555556p-2f), y);
    float root = t * y * y;
    root = BRIO_MULADD_F32(brio_cube_residual_f32(t, root), y * y * 0x1.555556p-2f, root);
    root = brio_from_bits_f32(brio_bits_f32(root) + (brio_bits_f32(rounder) << 23));
    return brio_with_sign_f32(brio_keep_f32(root, -(int32_t)(bits != 0)), x);
}

/* Regular where x is normal or zero. */
BRIO_INLINE int64_t brio_cbrt_f64_outside(double x)
{
    return brio_outside_f64(brio_abs_f64(x), BRIO_MIN_F64, BRIO_MAX_F64) & -(int64_t)(x != 0.0);
}

/* |x| = 2^3k * t with t in [1/2, 4); any bits give harmless k and t. */
BRIO_INLINE double brio_cbrt_f64_inside(double x)
{
    uint64_t bits = brio_bits_f64(x) & ~BRIO_SIGN_F64;
    double e = brio_from_bits_f64((bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023);
    double rounder = BRIO_MULADD_F64(e, 0x1.5555555555555p-2, BRIO_ROUNDER_F64);
    double rest = e - 3.0 * (rounder - BRIO_ROUNDER_F64) + (BRIO_ROUNDER_F64 + 1023.0);
    double t = brio_from_bits_f64((bits & 0x000fffffffffffffu) | (brio_bits_f64(rest) << 52));
    double y = 0x1.674ca8p-9;
    y = BRIO_MULADD_F64(y, t, -0x1.5af846p-5);
    y = BRIO_MULADD_F64(y, t, 0x1.11649ep-2);
    y = BRIO_MULADD_F64(y, t, -0x1.c6501p-1);
    y = BRIO_MULADD_F64(y, t, 0x1.b02fd6p0);
    y = BRIO_MULADD_F64(y, t, -0x1.ec278ep0);
    y = BRIO_MULADD_F64(y, t, 0x1.e499cp0);
    double h = BRIO_MULADD_F64(-t * y, y * y, 1.0);
    y = BRIO_MULADD_F64(y * h, BRIO_MULADD_F64(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), y);
    h = BRIO_MULADD_F64(-t * y, y * y, 1.0);
    y = BRIO_MULADD_F64(y * h, BRIO_MULADD_F64(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), y);
    double root = t * y * y;
    root = BRIO_MULADD_F64(brio_cube_residual_f64(t, root), y * y * 0x1.5555555555555p-2, root);
    root = brio_from_bits_f64(brio_bits_f64(root) + (brio_bits_f64(rounder) << 52));
    return brio_with_sign_f64(brio_keep_f64(root, -(int64_t)(bits != 0)), x);
}

/* Regular where the larger square neither overflows nor loses bits, and where both are 0. */
BRIO_INLINE int32_t brio_hypot_f32_special(float x, float y)
{
    int32_t a = brio_magnitude_f32(x), b = brio_magnitude_f32(y), larger = a > b ? a : b;
    int32_t outside = brio_outside_f32(brio_from_bits_f32((uint32_t)larger), 0x1p-50f, 0x1p62f);
    return outside & -(int32_t)(larger != 0);
}

BRIO_INLINE float brio_hypot_f32_fast(float x, float y)
{
    int32_t regular = ~brio_hypot_f32_special(x, y);
    float a = brio_keep_f32(x, regular), b = brio_keep_f32(y, regular);
    return __builtin_sqrtf(BRIO_MULADD_F32(a, a, b * b));
}

/* Regular where the larger square neither overflows nor loses bits, and where both are 0. */
BRIO_INLINE int64_t brio_hypot_f64_special(double x, double y)
{
    int64_t a = brio_magnitude_f64(x), b = brio_magnitude_f64(y), larger = a > b ? a : b;
    int64_t outside = brio_outside_f64(brio_from_bits_f64((uint64_t)larger), 0x1p-450, 0x1p510);
    return outside & -(int64_t)(larger != 0);
}

BRIO_INLINE double brio_hypot_f64_fast(double x, double y)
{
    int64_t regular = ~brio_hypot_f64_special(x, y);
    double a = brio_keep_f64(x, regular), b = brio_keep_f64(y, regular);
    return __builtin_sqrt(BRIO_MULADD_F64(a, a, b * b));
}

/* The operands of pow, made harmless, and what its signs and zeros need. */
typedef struct brio_power_f32 {
    float x, y;    /* |x|, 1 for zero; y, 0 for special */
    int32_t bad;   /* all ones where pow is special whatever the size of the result */
    int32_t zero;  /* all ones where x is 0 */
    uint32_t sign; /* of the result */
} brio_power_f32;

typedef struct brio_power_f64 {
    double x, y;
    int64_t bad, zero;
    uint64_t sign;
} brio_power_f64;

/* Regular are a normal x or a zero to a positive power, negative only to whole powers, and |y| <= 2^22;
 * NaN is let through to a power other than 0. */
BRIO_INLINE brio_power_f32 brio_power_operands_f32(float x, float y)
{
    int32_t far = brio_beyond_f32(y, 0x1p22f);
    float kept = brio_keep_f32(y, ~far);
    float rounder = kept + BRIO_ROUNDER_F32;
    int32_t broken = -(int32_t)(rounder - BRIO_ROUNDER_F32 != kept),
            negative = -(int32_t)(brio_bits_f32(x) >> 31);
    int32_t zero = -(int32_t)(brio_magnitude_f32(x) == 0);
    int32_t odd_size = brio_outside_f32(brio_abs_f32(x), BRIO_MIN_F32, BRIO_MAX_F32);
    int32_t unusual = (negative & broken) | (odd_size & ~(zero & -(int32_t)(brio_order_f32(y) > 0)));
    int32_t through = -(int32_t)(x != x) & -(int32_t)(kept != 0.0f);
    float safe = brio_blend_f32(far | unusual | zero, 1.0f, brio_abs_f32(x));
    uint32_t sign = (uint32_t)negative & (brio_bits_f32(rounder) << 31);
    return (brio_power_f32){safe, brio_keep_f32(kept, ~unusual), far | (unusual & ~through), zero, sign};
}

/* Regular are a normal x or a zero to a positive power, negative only to whole powers, and |y| <= 2^51;
 * NaN is let through to a power other than 0. */
BRIO_INLINE brio_power_f64 brio_power_operands_f64(double x, double y)
{
    int64_t far = brio_beyond_f64(y, 0x1p51);
    double kept = brio_keep_f64(y, ~far);
    double rounder = kept + BRIO_ROUNDER_F64;
    int64_t broken = -(int64_t)(rounder - BRIO_ROUNDER_F64 != kept),
            negative = -(int64_t)(brio_bits_f64(x) >> 63);
    int64_t zero = -(int64_t)(brio_magnitude_f64(x) == 0);
    int64_t odd_size = brio_outside_f64(brio_abs_f64(x), BRIO_MIN_F64, BRIO_MAX_F64);
    int64_t unusual = (negative & broken) | (odd_size & ~(zero & -(int64_t)(brio_order_f64(y) > 0)));
    int64_t through = -(int64_t)(x != x) & -(int64_t)(kept != 0.0);
    double safe = brio_blend_f64(far | unusual | zero, 1.0, brio_abs_f64(x));
    uint64_t sign = (uint64_t)negative & (brio_bits_f64(rounder) << 63);
    return (brio_power_f64){safe, brio_keep_f64(kept, ~unusual), far | (unusual & ~through), zero, sign};
}

/* y * log2(x) in double, to 2^-37 of itself. */
BRIO_INLINE double brio_power_exponent_f32(brio_power_f32 p)
{
    brio_split_f64 split = brio_split_sqrt2_f64((double)p.x);
    double s = (split.m - 1.0) / (split.m + 1.0), z = s * s;
    double q = 0x1.5ce843090a24cp-2;
    q = BRIO_MULADD_F64(q, z, 0x1.a58d89b135cbp-2);
    q = BRIO_MULADD_F64(q, z, 0x1.27777fe6aa74ap-1);
    q = BRIO_MULADD_F64(q, z, 0x1.ec709d12d1d7ap-1);
    q = BRIO_MULADD_F64(q, z, 0x1.71547652bedf1p1);
    return (double)p.y * BRIO_MULADD_F64(q, s, split.e);
}

/* (log2(m) - C1 s - C3 s^3) / s^5 with s = (m - 1) / (m + 1), z = s^2. */
BRIO_INLINE double brio_log2_tail_f64(double z)
{
    double z2 = z * z;
    double z4 = z2 * z2;
    double q = BRIO_MULADD_F64(0x1.85e4def084c0ep-3, z, 0x1.87b137c9f6b5ep-3);
    q = BRIO_MULADD_F64(q, z4,
                        brio_cubic_f64(z, z2, 0x1.a61762a759c08p-2, 0x1.484b14216efep-2, 0x1.0c9a63e50ecc1p-2,
                                       0x1.c69f86fa5f4f4p-3));
    q = BRIO_MULADD_F64(q, z, 0x1.2776c50ef9d23p-1);
    return q;
}

/* log2(m) in two parts, the second not below half an ulp of the first. */
BRIO_INLINE brio_parts_f64 brio_log2_parts_f64(double m)
{
    const double c1 = 0x1.71547652b82fep1, c1_low = 0x1.777d0ffda0d24p-55;
    const double c3 = 0x1.ec709dc3a03fdp-1, c3_low = 0x1.d27f05548af0cp-55;
    double f = m - 1.0, below = m + 1.0, below_low = f - (below - 2.0), inverse = 1.0 / below;
    double s = f * inverse;
    brio_parts_f64 back = brio_product_f64(s, below);
    double s_low = (((f - back.hi) - back.lo) - s * below_low) * inverse;
    brio_parts_f64 z = brio_product_f64(s, s);
    z.lo = BRIO_MULADD_F64(s + s, s_low, z.lo);
    brio_parts_f64 cubic = brio_product_f64(z.hi, c3);
    double rest = BRIO_MULADD_F64(z.lo, c3, z.hi * c3_low) + cubic.lo;
    rest = BRIO_MULADD_F64(z.hi * z.hi, brio_log2_tail_f64(z.hi), rest);
    double sum = c1 + cubic.hi, sum_low = ((c1 - sum) + cubic.hi) + (rest + c1_low);
    brio_parts_f64 y = brio_product_f64(s, sum);
    y.lo += BRIO_MULADD_F64(s, sum_low, s_low * (sum + sum_low));
    return y;
}

/* y * log2(x) in two parts. */
BRIO_INLINE brio_parts_f64 brio_power_exponent_f64(brio_power_f64 p)
{
    brio_split_f64 split = brio_split_sqrt2_f64(p.x);
    brio_parts_f64 part = brio_log2_parts_f64(split.m);
    double sum = split.e + part.hi, low = ((split.e - sum) + part.hi) + part.lo;
    double hi = sum + low;
    low = (sum - hi) + low;
    brio_parts_f64 y = brio_product_f64(hi, p.y);
    return (brio_parts_f64){y.hi, BRIO_MULADD_F64(low, p.y, y.lo)};
}

/* Special also where the result overflows, or nearly. */
BRIO_INLINE int32_t brio_pow_f32_special(float x, float y)
{
    brio_power_f32 p = brio_power_operands_f32(x, y);
    return p.bad | -(int32_t)((float)brio_power_exponent_f32(p) >= 128.0f);
}

BRIO_INLINE int64_t brio_pow_f64_special(double x, double y)
{
    brio_power_f64 p = brio_power_operands_f64(x, y);
    return p.bad | -(int64_t)(brio_power_exponent_f64(p).hi >= 1024.0);
}

BRIO_INLINE float brio_pow_f32_fast(float x, float y)
{
    brio_power_f32 p = brio_power_operands_f32(x, y);
    double exponent = brio_power_exponent_f32(p);
    float whole = brio_at_least_f32((float)exponent, -151.0f);
    int32_t inside = -(int32_t)(whole > -151.0f) & -(int32_t)(whole < 128.0f);
    float rounder = brio_keep_f32(whole, inside) + BRIO_ROUNDER_F32, n = rounder - BRIO_ROUNDER_F32;
    float r = brio_keep_f32((float)(exponent - (double)n), inside);
    float power = brio_scale_f32((brio_scaled_f32){1.0f + brio_exp2_tail_f32(r), n, rounder});
    power = brio_keep_f32(power, inside & ~p.zero);
    return brio_join_nan_f32(brio_from_bits_f32(brio_bits_f32(power) | p.sign), x);
}

BRIO_INLINE double brio_pow_f64_fast(double x, double y)
{
    brio_power_f64 p = brio_power_operands_f64(x, y);
    brio_parts_f64 exponent = brio_power_exponent_f64(p);
    int64_t inside = -(int64_t)(exponent.hi > -1076.0) & -(int64_t)(exponent.hi < 1024.0);
    double hi = brio_keep_f64(exponent.hi, inside);
    double rounder = hi + BRIO_ROUNDER_F64, n = rounder - BRIO_ROUNDER_F64;
    double r = (hi - n) + brio_keep_f64(exponent.lo, inside);
    double power = brio_scale_f64((brio_scaled_f64){1.0 + brio_exp2_tail_f64(r), n, rounder});
    power = brio_keep_f64(power, inside & ~p.zero);
    return brio_join_nan_f64(brio_from_bits_f64(brio_bits_f64(power) | p.sign), x);
}

BRIO_MATH_UNARY(cbrt)

#endif
