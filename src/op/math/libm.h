/* The C library's elementary functions under the names of the dialect: brio_sin_f32 and so on. They are
 * the elementary functions of scalars and special operands; loops over many take math.h where it has
 * a form. */
#ifndef BRIO_OP_MATH_LIBM_H
#define BRIO_OP_MATH_LIBM_H

#include "op/dialect.h"

#define BRIO_LIBM1(name)                                                                                     \
    BRIO_INLINE float brio_##name##_f32(float a)                                                             \
    {                                                                                                        \
        return __builtin_##name##f(a);                                                                       \
    }                                                                                                        \
    BRIO_INLINE double brio_##name##_f64(double a)                                                           \
    {                                                                                                        \
        return __builtin_##name(a);                                                                          \
    }
#define BRIO_LIBM2(name)                                                                                     \
    BRIO_INLINE float brio_##name##_f32(float a, float b)                                                    \
    {                                                                                                        \
        return __builtin_##name##f(a, b);                                                                    \
    }                                                                                                        \
    BRIO_INLINE double brio_##name##_f64(double a, double b)                                                 \
    {                                                                                                        \
        return __builtin_##name(a, b);                                                                       \
    }

BRIO_LIBM1(exp)
BRIO_LIBM1(exp2)
BRIO_LIBM1(expm1)
BRIO_LIBM1(log)
BRIO_LIBM1(log2)
BRIO_LIBM1(log10)
BRIO_LIBM1(log1p)
BRIO_LIBM1(sin)
BRIO_LIBM1(cos)
BRIO_LIBM1(tan)
BRIO_LIBM1(asin)
BRIO_LIBM1(acos)
BRIO_LIBM1(atan)
BRIO_LIBM1(sinh)
BRIO_LIBM1(cosh)
BRIO_LIBM1(tanh)
BRIO_LIBM1(asinh)
BRIO_LIBM1(acosh)
BRIO_LIBM1(atanh)
BRIO_LIBM1(cbrt)
BRIO_LIBM1(fabs)
BRIO_LIBM1(sqrt)
BRIO_LIBM1(floor)
BRIO_LIBM1(ceil)
BRIO_LIBM1(trunc)
BRIO_LIBM1(rint)
BRIO_LIBM2(pow)
BRIO_LIBM2(atan2)
BRIO_LIBM2(hypot)
BRIO_LIBM2(fmod)
BRIO_LIBM2(copysign)

#undef BRIO_LIBM1
#undef BRIO_LIBM2

#endif
