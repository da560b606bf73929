/* sinh, cosh, tanh and their inverses, from expm1, exp and log1p by the identities that cancel nothing. */
#ifndef BRIO_OP_MATH_HYPERBOLIC_H
#define BRIO_OP_MATH_HYPERBOLIC_H

#include "op/math/exp.h"
#include "op/math/log.h"

/* Regular up to a little below overflow. */
BRIO_INLINE int32_t brio_sinh_f32_outside(float x)
{
    return brio_beyond_f32(x, BRIO_EXPM1_MAX_F32);
}

BRIO_INLINE int32_t brio_cosh_f32_outside(float x)
{
    return brio_beyond_f32(x, BRIO_EXPM1_MAX_F32);
}

/* Regular but for NaN. */
BRIO_INLINE int32_t brio_tanh_f32_outside(float x)
{
    return -(int32_t)(x != x);
}

BRIO_INLINE int32_t brio_arcsinh_f32_outside(float x)
{
    return brio_beyond_f32(x, BRIO_LOG1P_MAX_F32);
}

BRIO_INLINE int32_t brio_arccosh_f32_outside(float x)
{
    return brio_outside_f32(x, 1.0f, BRIO_LOG1P_MAX_F32);
}

/* Regular where |x| < 1. */
BRIO_INLINE int32_t brio_arctanh_f32_outside(float x)
{
    return brio_beyond_f32(x, 0x1.fffffep-1f);
}

BRIO_INLINE float brio_sinh_f32_inside(float x)
{
    float a = brio_at_most_f32(brio_abs_f32(x), BRIO_EXPM1_MAX_F32);
    float e = brio_expm1_core_f32(a);
    return brio_flip_sign_f32(0.5f * (e + e / (e + 1.0f)), x);
}

BRIO_INLINE float brio_cosh_f32_inside(float x)
{
    float a = brio_at_most_f32(brio_abs_f32(x), BRIO_EXPM1_MAX_F32);
    float e = brio_scale_normal_f32(brio_exp_core_f32(a));
    return BRIO_MULADD_F32(0.5f, e, 0.5f / e);
}

/* expm1(2|x|) / (expm1(2|x|) + 2), which rounds to 1 from the limit on. */
BRIO_INLINE float brio_tanh_f32_inside(float x)
{
    float a = brio_at_most_f32(brio_abs_f32(x), 10.0f);
    float e = brio_expm1_core_f32(a + a);
    return brio_flip_sign_f32(e / (e + 2.0f), x);
}

/* log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))); log1p(|x|) + log(2) far out. */
BRIO_INLINE float brio_arcsinh_f32_inside(float x)
{
    int32_t far = brio_beyond_f32(x, 0x1p30f);
    float a = brio_at_most_f32(brio_abs_f32(x), BRIO_LOG1P_MAX_F32), near = brio_keep_f32(a, ~far);
    float z = near * near;
    float t = near + z / (1.0f + __builtin_sqrtf(z + 1.0f));
    float y = brio_log1p_core_f32(brio_blend_f32(far, a, t)) + brio_keep_f32(0x1.62e43p-1f, far);
    return brio_flip_sign_f32(y, x);
}

/* log1p(t + sqrt(t^2 + 2t)) with t = x - 1; log1p(x) + log(2) far out. */
BRIO_INLINE float brio_arccosh_f32_inside(float x)
{
    int32_t far = brio_beyond_f32(x, 0x1p30f);
    float a = brio_blend_f32(brio_arccosh_f32_outside(x), 1.0f, x);
    float t = brio_keep_f32(a - 1.0f, ~far);
    float s = t + __builtin_sqrtf(BRIO_MULADD_F32(t, t, t + t));
    return brio_log1p_core_f32(brio_blend_f32(far, a, s)) + brio_keep_f32(0x1.62e43p-1f, far);
}

/* log1p(2|x| + 2x^2 / (1 - |x|)) / 2. */
BRIO_INLINE float brio_arctanh_f32_inside(float x)
{
    float a = brio_at_most_f32(brio_abs_f32(x), 0x1.fffffep-1f);
    float twice = a + a;
    return brio_flip_sign_f32(0.5f * brio_log1p_core_f32(twice + twice * a / (1.0f - a)), x);
}

/* Regular up to a little below overflow. */
BRIO_INLINE int64_t brio_sinh_f64_outside(double x)
{
    return brio_beyond_f64(x, BRIO_EXPM1_MAX_F64);
}

BRIO_INLINE int64_t brio_cosh_f64_outside(double x)
{
    return brio_beyond_f64(x, BRIO_EXPM1_MAX_F64);
}

/* Regular but for NaN. */
BRIO_INLINE int64_t brio_tanh_f64_outside(double x)
{
    return -(int64_t)(x != x);
}

BRIO_INLINE int64_t brio_arcsinh_f64_outside(double x)
{
    return brio_beyond_f64(x, BRIO_LOG1P_MAX_F64);
}

BRIO_INLINE int64_t brio_arccosh_f64_outside(double x)
{
    return brio_outside_f64(x, 1.0, BRIO_LOG1P_MAX_F64);
}

/* Regular where |x| < 1. */
BRIO_INLINE int64_t brio_arctanh_f64_outside(double x)
{
    return brio_beyond_f64(x, 0x1.fffffffffffffp-1);
}

BRIO_INLINE double brio_sinh_f64_inside(double x)
{
    double a = brio_keep_f64(brio_abs_f64(x), ~brio_sinh_f64_outside(x));
    double e = brio_expm1_core_f64(a);
    return brio_flip_sign_f64(0.5 * (e + e / (e + 1.0)), x);
}

BRIO_INLINE double brio_cosh_f64_inside(double x)
{
    double a = brio_keep_f64(brio_abs_f64(x), ~brio_cosh_f64_outside(x));
    double e = brio_scale_normal_f64(brio_exp_core_f64(a));
    return BRIO_MULADD_F64(0.5, e, 0.5 / e);
}

/* expm1(2|x|) / (expm1(2|x|) + 2), and 1 where that rounds to it. */
BRIO_INLINE double brio_tanh_f64_inside(double x)
{
    int64_t far = brio_beyond_f64(x, 20.0);
    double a = brio_keep_f64(brio_abs_f64(x), ~far);
    double e = brio_expm1_core_f64(a + a);
    return brio_flip_sign_f64(brio_blend_f64(far, 1.0, e / (e + 2.0)), x);
}

/* log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))); log1p(|x|) + log(2) far out. */
BRIO_INLINE double brio_arcsinh_f64_inside(double x)
{
    int64_t far = brio_beyond_f64(x, 0x1p60);
    double a = brio_keep_f64(brio_abs_f64(x), ~brio_arcsinh_f64_outside(x)), near = brio_keep_f64(a, ~far);
    double z = near * near;
    double t = near + z / (1.0 + __builtin_sqrt(z + 1.0));
    double y = brio_log1p_core_f64(brio_blend_f64(far, a, t)) + brio_keep_f64(0x1.62e42fefa39efp-1, far);
    return brio_flip_sign_f64(y, x);
}

/* log1p(t + sqrt(t^2 + 2t)) with t = x - 1; log1p(x) + log(2) far out. */
BRIO_INLINE double brio_arccosh_f64_inside(double x)
{
    int64_t far = brio_beyond_f64(x, 0x1p60);
    double a = brio_blend_f64(brio_arccosh_f64_outside(x), 1.0, x);
    double t = brio_keep_f64(a - 1.0, ~far);
    double s = t + __builtin_sqrt(BRIO_MULADD_F64(t, t, t + t));
    return brio_log1p_core_f64(brio_blend_f64(far, a, s)) + brio_keep_f64(0x1.62e42fefa39efp-1, far);
}

/* log1p(2|x| + 2x^2 / (1 - |x|)) / 2. */
BRIO_INLINE double brio_arctanh_f64_inside(double x)
{
    double a = brio_keep_f64(brio_abs_f64(x), ~brio_arctanh_f64_outside(x));
    double twice = a + a;
    return brio_flip_sign_f64(0.5 * brio_log1p_core_f64(twice + twice * a / (1.0 - a)), x);
}

BRIO_MATH_UNARY(sinh)
BRIO_MATH_UNARY(cosh)
BRIO_MATH_UNARY(tanh)
BRIO_MATH_UNARY(arcsinh)
BRIO_MATH_UNARY(arccosh)
BRIO_MATH_UNARY(arctanh)

#endif
