/* The C library's elementary functions under the names of the dialect: brio_sin_f32 and so on. They are
 * the elementary functions of scalars and special operands; loops over many take math.h where it has
 * a form. */
#ifndef BRIO_OP_MATH_LIBM_H
#define BRIO_OP_MATH_LIBM_H

#include "op/dialect.h"

#define BRIO_LIBM1(name, libm)                                                                               \
    BRIO_INLINE float brio_##name##_f32(float a)                                                             \
    {                                                                                                        \
        return __builtin_##libm##f(a);                                                                       \
    }                                                                                                        \
    BRIO_INLINE double brio_##name##_f64(double a)                                                           \
    {                                                                                                        \
        return __builtin_##libm(a);                                                                          \
    }
#define BRIO_LIBM2(name, libm)                                                                               \
    BRIO_INLINE float brio_##name##_f32(float a, float b)                                                    \
    {                                                                                                        \
        return __builtin_##libm##f(a, b);                                                                    \
    }                                                                                                        \
    BRIO_INLINE double brio_##name##_f64(double a, double b)                                                 \
    {                                                                                                        \
        return __builtin_##libm(a, b);                                                                       \
    }

BRIO_LIBM1(exp, exp)
BRIO_LIBM1(exp2, exp2)
BRIO_LIBM1(expm1, expm1)
BRIO_LIBM1(log, log)
BRIO_LIBM1(log2, log2)
BRIO_LIBM1(log10, log10)
BRIO_LIBM1(log1p, log1p)
BRIO_LIBM1(sin, sin)
BRIO_LIBM1(cos, cos)
BRIO_LIBM1(tan, tan)
BRIO_LIBM1(arcsin, asin)
BRIO_LIBM1(arccos, acos)
BRIO_LIBM1(arctan, atan)
BRIO_LIBM1(sinh, sinh)
BRIO_LIBM1(cosh, cosh)
BRIO_LIBM1(tanh, tanh)
BRIO_LIBM1(arcsinh, asinh)
BRIO_LIBM1(arccosh, acosh)
BRIO_LIBM1(arctanh, atanh)
BRIO_LIBM1(cbrt, cbrt)
BRIO_LIBM1(fabs, fabs)
BRIO_LIBM1(sqrt, sqrt)
BRIO_LIBM1(floor, floor)
BRIO_LIBM1(ceil, ceil)
BRIO_LIBM1(trunc, trunc)
BRIO_LIBM1(rint, rint)
BRIO_LIBM2(pow, pow)
BRIO_LIBM2(arctan2, atan2)
BRIO_LIBM2(hypot, hypot)
BRIO_LIBM2(fmod, fmod)
BRIO_LIBM2(copysign, copysign)

#undef BRIO_LIBM1
#undef BRIO_LIBM2

#endif
