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
 * Every value with |error| below the bound that stands here is also within it without fused
 * multiply-add; the two forms may differ within it. */
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
