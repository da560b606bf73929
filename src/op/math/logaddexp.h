/* logaddexp, logaddexp2: the larger operand and the logarithm of one plus the ratio. The bound holds against
 * the larger of the result and the operands in magnitude; where they cancel, the result is as exact
 * as its operands. */
#ifndef BRIO_OP_MATH_LOGADDEXP_H
#define BRIO_OP_MATH_LOGADDEXP_H

#include "op/math/exp.h"
#include "op/math/log.h"

BRIO_INLINE int32_t brio_logaddexp_f32_outside(float a, float b)
{
    return brio_beyond_f32(a, 0x1p100f) | brio_beyond_f32(b, 0x1p100f);
}

BRIO_INLINE int32_t brio_logaddexp2_f32_outside(float a, float b)
{
    return brio_logaddexp_f32_outside(a, b);
}

BRIO_INLINE float brio_logaddexp_f32_inside(float a, float b)
{
    int32_t regular = ~brio_logaddexp_f32_outside(a, b);
    float p = brio_keep_f32(a, regular), q = brio_keep_f32(b, regular), larger = p > q ? p : q;
    return larger + brio_log1p_core_f32(brio_exp_f32_inside(-brio_abs_f32(p - q)));
}

BRIO_INLINE float brio_logaddexp2_f32_inside(float a, float b)
{
    int32_t regular = ~brio_logaddexp2_f32_outside(a, b);
    float p = brio_keep_f32(a, regular), q = brio_keep_f32(b, regular), larger = p > q ? p : q;
    float log = brio_log1p_core_f32(brio_exp2_f32_inside(-brio_abs_f32(p - q)));
    return larger + log * 0x1.715476p0f; /* not fused: log(2) times the constant rounds to 1 */
}

BRIO_INLINE int64_t brio_logaddexp_f64_outside(double a, double b)
{
    return brio_beyond_f64(a, 0x1p1000) | brio_beyond_f64(b, 0x1p1000);
}

BRIO_INLINE int64_t brio_logaddexp2_f64_outside(double a, double b)
{
    return brio_logaddexp_f64_outside(a, b);
}

BRIO_INLINE double brio_logaddexp_f64_inside(double a, double b)
{
    int64_t regular = ~brio_logaddexp_f64_outside(a, b);
    double p = brio_keep_f64(a, regular), q = brio_keep_f64(b, regular), larger = p > q ? p : q;
    return larger + brio_log1p_core_f64(brio_exp_f64_inside(-brio_abs_f64(p - q)));
}

BRIO_INLINE double brio_logaddexp2_f64_inside(double a, double b)
{
    int64_t regular = ~brio_logaddexp2_f64_outside(a, b);
    double p = brio_keep_f64(a, regular), q = brio_keep_f64(b, regular), larger = p > q ? p : q;
    double log = brio_log1p_core_f64(brio_exp2_f64_inside(-brio_abs_f64(p - q)));
    return larger + log * 0x1.71547652b82fep0; /* not fused: log(2) times the constant rounds to 1 */
}

BRIO_MATH_BINARY(logaddexp)
BRIO_MATH_BINARY(logaddexp2)

#endif
