/* sin, cos, tan.
 *
 * |x| = n * pi/2 + r with |r| <= pi/4, pi/2 in several parts (Cody and Waite). With fused multiply-add the
 * parts are as wide as the format; without it, f64 takes parts narrow enough that n times each is
 * exact, and f32 reduces in double. Then minimax polynomials for sine and cosine of r; the last two
 * bits of n tell which one is wanted and its sign. */
#ifndef BRIO_OP_MATH_TRIG_H
#define BRIO_OP_MATH_TRIG_H

#include "op/math/bits.h"

#define BRIO_TRIG_MAX_F32 131072.0f
#define BRIO_TRIG_MAX_F64 1073741824.0

BRIO_INLINE int32_t brio_sin_f32_outside(float x)
{
    return brio_beyond_f32(x, BRIO_TRIG_MAX_F32);
}

BRIO_INLINE int64_t brio_sin_f64_outside(double x)
{
    return brio_beyond_f64(x, BRIO_TRIG_MAX_F64);
}

BRIO_INLINE int32_t brio_cos_f32_outside(float x)
{
    return brio_beyond_f32(x, BRIO_TRIG_MAX_F32);
}

BRIO_INLINE int64_t brio_cos_f64_outside(double x)
{
    return brio_beyond_f64(x, BRIO_TRIG_MAX_F64);
}

BRIO_INLINE int32_t brio_tan_f32_outside(float x)
{
    return brio_beyond_f32(x, BRIO_TRIG_MAX_F32);
}

BRIO_INLINE int64_t brio_tan_f64_outside(double x)
{
    return brio_beyond_f64(x, BRIO_TRIG_MAX_F64);
}

/* The reduced argument; the low bits of `quadrant` are those of n. */
typedef struct brio_arc_f32 {
    float r;
    uint32_t quadrant;
} brio_arc_f32;

typedef struct brio_arc_f64 {
    double r;
    uint64_t quadrant;
} brio_arc_f64;

BRIO_INLINE brio_arc_f32 brio_reduce_f32(float a)
{
    float rounder = BRIO_MULADD_F32(a, 0x1.45f306p-1f, BRIO_ROUNDER_F32);
    float n = rounder - BRIO_ROUNDER_F32;
#if BRIO_FUSED
    float r = BRIO_MULADD_F32(n, -0x1.921fb6p0f, a);
    r = BRIO_MULADD_F32(n, 0x1.777a5cp-25f, r);
    r = BRIO_MULADD_F32(n, 0x1.ee59dap-50f, r);
#else
    double wide = (double)a - (double)n * 0x1.921fb544p0;
    float r = (float)(wide - (double)n * 0x1.0b4611a626331p-34);
#endif
    return (brio_arc_f32){r, brio_bits_f32(rounder)};
}

BRIO_INLINE brio_arc_f64 brio_reduce_f64(double a)
{
    double rounder = BRIO_MULADD_F64(a, 0x1.45f306dc9c883p-1, BRIO_ROUNDER_F64);
    double n = rounder - BRIO_ROUNDER_F64;
#if BRIO_FUSED
    double r = BRIO_MULADD_F64(n, -0x1.921fb54442d18p0, a);
    r = BRIO_MULADD_F64(n, -0x1.1a62633145c07p-54, r);
    r = BRIO_MULADD_F64(n, 0x1.f1976b7ed8fbcp-110, r);
#else
    double r = a - n * 0x1.921fb4p0;
    r -= n * 0x1.4442dp-24;
    double third = n * 0x1.846988p-48;
    double sum = r - third;
    r = sum + (((r - sum) - third) - n * 0x1.8cc51701b839ap-72);
#endif
    return (brio_arc_f64){r, brio_bits_f64(rounder)};
}

/* sin(r) and cos(r) for |r| <= pi/4, and a little more, since the quotient is inexact. */
BRIO_INLINE float brio_sin_octant_f32(float r)
{
    float z = r * r;
    float q = -0x1.9953f4p-13f;
    q = BRIO_MULADD_F32(q, z, 0x1.110778p-7f);
    q = BRIO_MULADD_F32(q, z, -0x1.555546p-3f);
    return BRIO_MULADD_F32(q, r * z, r);
}

BRIO_INLINE double brio_sin_octant_f64(double r)
{
    double z = r * r;
    double q = 0x1.5d8e10c326fccp-33;
    q = BRIO_MULADD_F64(q, z, -0x1.ae5e5402e8afap-26);
    q = BRIO_MULADD_F64(q, z, 0x1.71de355e8d576p-19);
    q = BRIO_MULADD_F64(q, z, -0x1.a01a019bf1b83p-13);
    q = BRIO_MULADD_F64(q, z, 0x1.111111110f75bp-7);
    q = BRIO_MULADD_F64(q, z, -0x1.5555555555548p-3);
    return BRIO_MULADD_F64(q, r * z, r);
}

BRIO_INLINE float brio_cos_octant_f32(float r)
{
    float z = r * r;
    float q = 0x1.99e90cp-16f;
    q = BRIO_MULADD_F32(q, z, -0x1.6c0c2ap-10f);
    q = BRIO_MULADD_F32(q, z, 0x1.55554ap-5f);
    q = BRIO_MULADD_F32(q, z, -0.5f);
    return BRIO_MULADD_F32(q, z, 1.0f);
}

BRIO_INLINE double brio_cos_octant_f64(double r)
{
    double z = r * r;
    double q = -0x1.8fa65b619cf42p-37;
    q = BRIO_MULADD_F64(q, z, 0x1.1ee9db8f44131p-29);
    q = BRIO_MULADD_F64(q, z, -0x1.27e4f7f14c56ap-22);
    q = BRIO_MULADD_F64(q, z, 0x1.a01a019c8ee9ap-16);
    q = BRIO_MULADD_F64(q, z, -0x1.6c16c16c15014p-10);
    q = BRIO_MULADD_F64(q, z, 0x1.555555555554bp-5);
    q = BRIO_MULADD_F64(q, z, -0.5);
    return BRIO_MULADD_F64(q, z, 1.0);
}

/* sin(r + quadrant * pi/2). */
BRIO_INLINE float brio_sin_arc_f32(brio_arc_f32 arc)
{
    float y = arc.quadrant & 1 ? brio_cos_octant_f32(arc.r) : brio_sin_octant_f32(arc.r);
    return brio_from_bits_f32(brio_bits_f32(y) ^ ((arc.quadrant & 2) << 30));
}

BRIO_INLINE double brio_sin_arc_f64(brio_arc_f64 arc)
{
    double y = arc.quadrant & 1 ? brio_cos_octant_f64(arc.r) : brio_sin_octant_f64(arc.r);
    return brio_from_bits_f64(brio_bits_f64(y) ^ ((arc.quadrant & 2) << 62));
}

BRIO_INLINE float brio_sin_f32_inside(float x)
{
    brio_arc_f32 arc = brio_reduce_f32(brio_at_most_f32(brio_abs_f32(x), BRIO_TRIG_MAX_F32));
    return brio_flip_sign_f32(brio_sin_arc_f32(arc), x);
}

BRIO_INLINE double brio_sin_f64_inside(double x)
{
    brio_arc_f64 arc = brio_reduce_f64(brio_keep_f64(brio_abs_f64(x), ~brio_sin_f64_outside(x)));
    return brio_flip_sign_f64(brio_sin_arc_f64(arc), x);
}

BRIO_INLINE float brio_cos_f32_inside(float x)
{
    brio_arc_f32 arc = brio_reduce_f32(brio_at_most_f32(brio_abs_f32(x), BRIO_TRIG_MAX_F32));
    arc.quadrant += 1;
    return brio_sin_arc_f32(arc);
}

BRIO_INLINE double brio_cos_f64_inside(double x)
{
    brio_arc_f64 arc = brio_reduce_f64(brio_keep_f64(brio_abs_f64(x), ~brio_cos_f64_outside(x)));
    arc.quadrant += 1;
    return brio_sin_arc_f64(arc);
}

/* The quotient of the two series, upside down and negative in odd quadrants. */
BRIO_INLINE float brio_tan_f32_inside(float x)
{
    brio_arc_f32 arc = brio_reduce_f32(brio_at_most_f32(brio_abs_f32(x), BRIO_TRIG_MAX_F32));
    float sine = brio_sin_octant_f32(arc.r), cosine = brio_cos_octant_f32(arc.r);
    int32_t odd = -(int32_t)(arc.quadrant & 1);
    float y = brio_blend_f32(odd, cosine, sine) / brio_blend_f32(odd, -sine, cosine);
    return brio_flip_sign_f32(y, x);
}

/* The quotient of the two series, upside down and negative in odd quadrants. */
BRIO_INLINE double brio_tan_f64_inside(double x)
{
    brio_arc_f64 arc = brio_reduce_f64(brio_keep_f64(brio_abs_f64(x), ~brio_tan_f64_outside(x)));
    double sine = brio_sin_octant_f64(arc.r), cosine = brio_cos_octant_f64(arc.r);
    int64_t odd = -(int64_t)(arc.quadrant & 1);
    double y = brio_blend_f64(odd, cosine, sine) / brio_blend_f64(odd, -sine, cosine);
    return brio_flip_sign_f64(y, x);
}

BRIO_MATH_UNARY(sin)
BRIO_MATH_UNARY(cos)
BRIO_MATH_UNARY(tan)

#endif
