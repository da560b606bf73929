/* Portable elementary functions, written in the dialect so that the loops around them vectorise.
 *
 * Each function comes as a pair, for f32 (types float, int32_t) and f64 (types double, int64_t):
 *
 *     float   brio_exp_f32_fast(float x);        the value, right where x is regular
 *     int32_t brio_exp_f32_special(float x);     0 where x is regular, else -1 (all bits set)
 *
 * `fast` is straight-line code. Where x is special it returns some value, which the caller replaces:
 * special operands are exchanged for harmless ones before any arithmetic. For no input, special or
 * not, quiet NaN included, does it raise DIVBYZERO, OVERFLOW or INVALID; it may raise UNDERFLOW and
 * INEXACT. So a loop runs `fast` over a whole tile, gathers `special` with OR, and only if one lane
 * was special computes those lanes again with libm, which gives the value and raises the flags:
 *
 *     int32_t seen = 0;
 *     for (i = 0; i < n; i++) {              vectorised
 *         seen |= brio_exp_f32_special(x[i]);
 *         y[i] = brio_exp_f32_fast(x[i]);
 *     }
 *     if (seen) {                            seldom entered
 *         for (i = 0; i < n; i++)            vectorised
 *             special[i] = brio_exp_f32_special(x[i]);
 *         for (i = 0; i < n; i++)
 *             if (special[i])
 *                 y[i] = expf(x[i]);
 *     }
 *
 * y must not be x here: the later loops read x again. A function of two operands is the same with
 * two arguments. The predicate is part of the fast form and is computed once when both are inlined.
 *
 * Compile with -fno-trapping-math -fno-math-errno -ffp-contract=off: the first lets a select become a
 * blend, the second a square root become an instruction. Ordered comparisons (<, >=) raise INVALID on
 * a quiet NaN, so operands are classed by their bits or by x != x, and compared as numbers only
 * after special ones have been exchanged.
 *
 * NaN among the operands goes through the fast form and is not special (but for hypot, pow to or from an
 * exponent that is 0 or NaN): data with missing values stays fast.
 *
 * Largest error in ulp, measured against libm in long double on 10^6 operands of each of several ranges
 * (tests/c/test_math.c --report), of the forms with and without fused multiply-add, and the bound that the
 * test asserts, which the operation table states rounded up. The two differ in their last bits. For logaddexp
 * and logaddexp2 an ulp is that of the largest of the operands and the result.
 *
 *               f32    f64   bound                   f32    f64   bound
 *     exp      1.00   0.98   2           arcsin     2.02   2.06   2.5
 *     exp2     1.06   1.06   2           arccos     1.12   1.19   2
 *     expm1    1.41   1.92   2           arctan     1.85   1.69   2
 *     log      0.84   0.83   2           arctan2    1.88   1.70   2
 *     log2     0.83   0.79   2           arcsinh    1.72   1.74   3
 *     log10    0.78   0.70   2           arccosh    2.02   2.15   2.5
 *     log1p    1.42   1.34   2           arctanh    1.75   1.63   3
 *     sin      1.54   1.50   2.5         cbrt       0.50   0.50   1
 *     cos      1.54   1.50   2.5         hypot      1.18   1.19   2
 *     tan      3.33   3.34   3.6         pow        1.16   1.18   2
 *     sinh     2.13   2.32   3           logaddexp  2.44   2.07   3
 *     cosh     1.42   1.46   2           logaddexp2 2.61   1.98   3
 *     tanh     2.39   2.39   3 */
#ifndef BRIO_OP_MATH_MATH_H
#define BRIO_OP_MATH_MATH_H

#include "op/math/exp.h"
#include "op/math/log.h"
#include "op/math/trig.h"
#include "op/math/hyperbolic.h"
#include "op/math/inverse.h"
#include "op/math/power.h"
#include "op/math/logaddexp.h"

#endif
