/* arcsin, arccos, arctan, arctan2.
 *
 * arcsin and arccos: a polynomial on |x| <= 1/2; beyond it the half-angle identity
 * arcsin(x) = pi/2 - 2 arcsin(sqrt((1 - x) / 2)), as in fdlibm's e_asin.c. arctan: the operand, or the
 * quotient of two, is turned by a multiple of pi/4 into |t| <= tan(pi/8) with one division (Cephes). */
#ifndef BRIO_OP_MATH_INVERSE_H
#define BRIO_OP_MATH_INVERSE_H

#include "op/math/bits.h"

BRIO_INLINE int32_t brio_arcsin_f32_outside(float x)
{
    return brio_beyond_f32(x, 1.0f);
}

BRIO_INLINE int32_t brio_arccos_f32_outside(float x)
{
    return brio_beyond_f32(x, 1.0f);
}

/* Regular but for NaN. */
BRIO_INLINE int32_t brio_arctan_f32_outside(float x)
{
    return -(int32_t)(x != x);
}

/* Regular where the sum of the operands is finite by far; zeros of both signs are. */
BRIO_INLINE int32_t brio_arctan2_f32_outside(float y, float x)
{
    return brio_beyond_f32(y, 0x1p126f) | brio_beyond_f32(x, 0x1p126f);
}

/* (arcsin(s) - s) / s for s^2 = z <= 1/4. */
BRIO_INLINE float brio_arcsin_tail_f32(float z)
{
    float q = 0x1.596a7ep-5f;
    q = BRIO_MULADD_F32(q, z, 0x1.8c30b4p-6f);
    q = BRIO_MULADD_F32(q, z, 0x1.747cbep-5f);
    q = BRIO_MULADD_F32(q, z, 0x1.3301fep-4f);
    q = BRIO_MULADD_F32(q, z, 0x1.5555c8p-3f);
    return q * z;
}

BRIO_INLINE float brio_arcsin_f32_inside(float x)
{
    float a = brio_at_most_f32(brio_abs_f32(x), 1.0f);
    int32_t far = brio_beyond_f32(a, 0.5f);
    float z = brio_blend_f32(far, 0.5f * (1.0f - a), a * a);
    float s = brio_blend_f32(far, __builtin_sqrtf(z), a);
    float tail = s * brio_arcsin_tail_f32(z);
    float y = far ? (0x1.921fb6p0f - (s + s)) - (tail + tail - -0x1.777a5cp-25f) : s + tail;
    return brio_flip_sign_f32(y, x);
}

BRIO_INLINE float brio_arccos_f32_inside(float x)
{
    float a = brio_at_most_f32(brio_abs_f32(x), 1.0f), kept = brio_with_sign_f32(a, x);
    int32_t far = brio_beyond_f32(a, 0.5f);
    float z = brio_blend_f32(far, 0.5f * (1.0f - a), a * a);
    float s = brio_blend_f32(far, __builtin_sqrtf(z), kept);
    float tail = s * brio_arcsin_tail_f32(z);
    float right = s + tail;                                       /* half the angle, x > 1/2 */
    float left = 0x1.921fb6p0f - (s + (tail - -0x1.777a5cp-25f)); /* the same for x < -1/2 */
    float near = 0x1.921fb6p0f - (s - (-0x1.777a5cp-25f - tail));
    return far ? 2.0f * (kept < 0.0f ? left : right) : near;
}

/* arctan(t) + turns * pi/4 for |t| <= tan(pi/8) and turns a small whole number. */
BRIO_INLINE float brio_arctan_turned_f32(float t, float turns)
{
    float z = t * t;
    float q = -0x1.f2f1b6p-5f;
    q = BRIO_MULADD_F32(q, z, 0x1.b226f2p-4f);
    q = BRIO_MULADD_F32(q, z, -0x1.23b9dp-3f);
    q = BRIO_MULADD_F32(q, z, 0x1.9991e4p-3f);
    q = BRIO_MULADD_F32(q, z, -0x1.55554ap-2f);
    float low = BRIO_MULADD_F32(turns, -0x1.777a5cp-26f, q * z * t);
    return BRIO_MULADD_F32(turns, 0x1.921fb6p-1f, t + low);
}

BRIO_INLINE float brio_arctan_f32_inside(float x)
{
    float a = brio_at_most_f32(brio_abs_f32(x), 0x1.fffffep127f);
    int32_t one = brio_beyond_f32(a, 0x1.a8279ap-2f), two = brio_beyond_f32(a, 0x1.3504f4p1f);
    float above = brio_blend_f32(two, -1.0f, brio_blend_f32(one, a - 1.0f, a));
    float below = brio_blend_f32(two, a, 1.0f + brio_keep_f32(a, one));
    float turns = brio_keep_f32(1.0f, one) + brio_keep_f32(1.0f, two);
    return brio_flip_sign_f32(brio_arctan_turned_f32(above / below, turns), x);
}

BRIO_INLINE float brio_arctan2_f32_inside(float y, float x)
{
    int32_t regular = ~brio_arctan2_f32_outside(y, x);
    float a = brio_keep_f32(brio_abs_f32(y), regular), b = brio_keep_f32(brio_abs_f32(x), regular);
    int32_t one = -(int32_t)(a > 0x1.a8279ap-2f * b), two = -(int32_t)(a > 0x1.3504f4p1f * b);
    float above = brio_blend_f32(two, -b, brio_blend_f32(one, a - b, a));
    float below = brio_blend_f32(two, a, b + brio_keep_f32(a, one));
    below = brio_from_bits_f32(brio_bits_f32(below) | (-(uint32_t)(below == 0.0f) & brio_bits_f32(1.0f)));
    float turns = brio_keep_f32(1.0f, one) + brio_keep_f32(1.0f, two);
    float left = brio_keep_f32(4.0f, -(int32_t)(brio_bits_f32(x) >> 31));
    turns = left + brio_flip_sign_f32(turns, x);
    return brio_flip_sign_f32(brio_arctan_turned_f32(brio_flip_sign_f32(above / below, x), turns), y);
}

BRIO_INLINE int64_t brio_arcsin_f64_outside(double x)
{
    return brio_beyond_f64(x, 1.0);
}

BRIO_INLINE int64_t brio_arccos_f64_outside(double x)
{
    return brio_beyond_f64(x, 1.0);
}

/* Regular but for NaN. */
BRIO_INLINE int64_t brio_arctan_f64_outside(double x)
{
    return -(int64_t)(x != x);
}

/* Regular where the sum of the operands is finite by far; zeros of both signs are. */
BRIO_INLINE int64_t brio_arctan2_f64_outside(double y, double x)
{
    return brio_beyond_f64(y, 0x1p1000) | brio_beyond_f64(x, 0x1p1000);
}

/* (arcsin(s) - s) / s for s^2 = z <= 1/4. */
BRIO_INLINE double brio_arcsin_tail_f64(double z)
{
    double z2 = z * z;
    double z4 = z2 * z2;
    double q = BRIO_MULADD_F64(0x1.059b651caa90ap-5, z2,
                               BRIO_MULADD_F64(-0x1.0a569b985686p-6, z, 0x1.4046a0fb7d55p-6));
    q = BRIO_MULADD_F64(q, z4,
                        brio_cubic_f64(z, z2, 0x1.1c6bfa1baa31cp-6, 0x1.c6fbce6347becp-7,
                                       0x1.8ed02af437c8ap-7, 0x1.ab5a5aa5608e2p-8));
    q = BRIO_MULADD_F64(q, z4,
                        brio_cubic_f64(z, z2, 0x1.333333336ec3dp-4, 0x1.6db6db424bab3p-5, 0x1.f1c72c48e692p-6,
                                       0x1.6e89f2b077fcfp-6));
    q = BRIO_MULADD_F64(q, z, 0x1.555555555538ep-3);
    return q * z;
}

BRIO_INLINE double brio_arcsin_f64_inside(double x)
{
    double a = brio_keep_f64(brio_abs_f64(x), ~brio_arcsin_f64_outside(x));
    int64_t far = brio_beyond_f64(a, 0.5);
    double z = brio_blend_f64(far, 0.5 * (1.0 - a), a * a);
    double s = brio_blend_f64(far, __builtin_sqrt(z), a);
    double tail = s * brio_arcsin_tail_f64(z);
    double y = far ? (0x1.921fb54442d18p0 - (s + s)) - (tail + tail - 0x1.1a62633145c07p-54) : s + tail;
    return brio_flip_sign_f64(y, x);
}

BRIO_INLINE double brio_arccos_f64_inside(double x)
{
    double kept = brio_keep_f64(x, ~brio_arccos_f64_outside(x)), a = brio_abs_f64(kept);
    int64_t far = brio_beyond_f64(a, 0.5);
    double z = brio_blend_f64(far, 0.5 * (1.0 - a), a * a);
    double s = brio_blend_f64(far, __builtin_sqrt(z), kept);
    double tail = s * brio_arcsin_tail_f64(z);
    double right = s + tail;                                                  /* half the angle, x > 1/2 */
    double left = 0x1.921fb54442d18p0 - (s + (tail - 0x1.1a62633145c07p-54)); /* the same for x < -1/2 */
    double near = 0x1.921fb54442d18p0 - (s - (0x1.1a62633145c07p-54 - tail));
    return far ? 2.0 * (kept < 0.0 ? left : right) : near;
}

/* arctan(t) + turns * pi/4 for |t| <= tan(pi/8) and turns a small whole number. */
BRIO_INLINE double brio_arctan_turned_f64(double t, double turns)
{
    double z = t * t;
    double z2 = z * z;
    double z4 = z2 * z2;
    double q = BRIO_MULADD_F64(-0x1.25570a177e673p-6, z, 0x1.37cd21b929775p-5);
    q = BRIO_MULADD_F64(q, z4,
                        brio_cubic_f64(z, z2, 0x1.3b11183416505p-4, -0x1.10ebad12e245bp-4,
                                       0x1.df0e9d906e09fp-5, -0x1.9ccf8630c48ap-5));
    q = BRIO_MULADD_F64(q, z4,
                        brio_cubic_f64(z, z2, 0x1.999999999585bp-3, -0x1.24924922acb78p-3,
                                       0x1.c71c70e5b84a1p-4, -0x1.745cf8d0ca308p-4));
    q = BRIO_MULADD_F64(q, z, -0x1.555555555553dp-2);
    double low = BRIO_MULADD_F64(turns, 0x1.1a62633145c07p-55, q * z * t);
    return BRIO_MULADD_F64(turns, 0x1.921fb54442d18p-1, t + low);
}

BRIO_INLINE double brio_arctan_f64_inside(double x)
{
    double a = brio_keep_f64(brio_abs_f64(x), ~brio_arctan_f64_outside(x));
    int64_t one = brio_beyond_f64(a, 0x1.a827999fcef32p-2), two = brio_beyond_f64(a, 0x1.3504f333f9de6p1);
    double above = brio_blend_f64(two, -1.0, brio_blend_f64(one, a - 1.0, a));
    double below = brio_blend_f64(two, a, 1.0 + brio_keep_f64(a, one));
    double turns = brio_keep_f64(1.0, one) + brio_keep_f64(1.0, two);
    return brio_flip_sign_f64(brio_arctan_turned_f64(above / below, turns), x);
}

BRIO_INLINE double brio_arctan2_f64_inside(double y, double x)
{
    int64_t regular = ~brio_arctan2_f64_outside(y, x);
    double a = brio_keep_f64(brio_abs_f64(y), regular), b = brio_keep_f64(brio_abs_f64(x), regular);
    int64_t one = -(int64_t)(a > 0x1.a827999fcef32p-2 * b), two = -(int64_t)(a > 0x1.3504f333f9de6p1 * b);
    double above = brio_blend_f64(two, -b, brio_blend_f64(one, a - b, a));
    double below = brio_blend_f64(two, a, b + brio_keep_f64(a, one));
    below = brio_from_bits_f64(brio_bits_f64(below) | (-(uint64_t)(below == 0.0) & brio_bits_f64(1.0)));
    double turns = brio_keep_f64(1.0, one) + brio_keep_f64(1.0, two);
    double left = brio_keep_f64(4.0, -(int64_t)(brio_bits_f64(x) >> 63));
    turns = left + brio_flip_sign_f64(turns, x);
    return brio_flip_sign_f64(brio_arctan_turned_f64(brio_flip_sign_f64(above / below, x), turns), y);
}

BRIO_MATH_UNARY(arcsin)
BRIO_MATH_UNARY(arccos)
BRIO_MATH_UNARY(arctan)
BRIO_MATH_BINARY(arctan2)

#endif
