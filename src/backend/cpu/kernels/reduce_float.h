/* Every reduction of one float type. Included with T, VEC, BITS, LANES, SUFFIXED(x), V_MAX, V_MIN,
 * UNORDERED; it undefines them. */

#define OP(a, b) ((a) + (b))
#define NAME(x) SUFFIXED(add_##x)
#include "reduce_columns.h"
#include "reduce_tree.h"
#undef OP
#undef NAME

#define OP(a, b) ((a) * (b))
#define NAME(x) SUFFIXED(multiply_##x)
#include "reduce_columns.h"
#include "reduce_tree.h"
#undef OP
#undef NAME

#define NAME(x) SUFFIXED(x)
#include "reduce_pairwise.h"
#undef NAME

/* The maximum: NaN wins (maximum) or loses (fmax). */
#define PICK(x, acc) ((x) > (acc) ? (x) : (acc))
#define PICK_VEC(x, acc) V_MAX(x, acc)
#define WORST (-(T)INFINITY)

#define NAME(x) SUFFIXED(maximum_##x)
#define NAN_WINS 1
#include "reduce_extreme.h"
#undef NAME
#undef NAN_WINS

#define NAME(x) SUFFIXED(fmax_##x)
#define NAN_WINS 0
#include "reduce_extreme.h"
#undef NAME
#undef NAN_WINS

#define NAME(x) SUFFIXED(max_##x)
#define NAME_BEST(x) SUFFIXED(maximum_##x)
#define BETTER GREATER
#include "reduce_arg.h"
#undef NAME
#undef NAME_BEST
#undef BETTER

#undef PICK
#undef PICK_VEC
#undef WORST

/* The minimum, likewise. */
#define PICK(x, acc) ((x) < (acc) ? (x) : (acc))
#define PICK_VEC(x, acc) V_MIN(x, acc)
#define WORST ((T)INFINITY)

#define NAME(x) SUFFIXED(minimum_##x)
#define NAN_WINS 1
#include "reduce_extreme.h"
#undef NAME
#undef NAN_WINS

#define NAME(x) SUFFIXED(fmin_##x)
#define NAN_WINS 0
#include "reduce_extreme.h"
#undef NAME
#undef NAN_WINS

#define NAME(x) SUFFIXED(min_##x)
#define NAME_BEST(x) SUFFIXED(minimum_##x)
#define BETTER LESS
#include "reduce_arg.h"
#undef NAME
#undef NAME_BEST
#undef BETTER

#undef PICK
#undef PICK_VEC
#undef WORST

extern const brio_reduce_type BRIO_LEVELED(SUFFIXED(brio_reduce));
const brio_reduce_type BRIO_LEVELED(SUFFIXED(brio_reduce)) = {
    .ops =
        {
            [BRIO_REDUCE_ADD] = {SUFFIXED(add_rows), SUFFIXED(add_columns)},
            [BRIO_REDUCE_MULTIPLY] = {SUFFIXED(multiply_rows), SUFFIXED(multiply_columns)},
            [BRIO_REDUCE_MAXIMUM] = {SUFFIXED(maximum_rows), SUFFIXED(maximum_columns)},
            [BRIO_REDUCE_MINIMUM] = {SUFFIXED(minimum_rows), SUFFIXED(minimum_columns)},
            [BRIO_REDUCE_FMAX] = {SUFFIXED(fmax_rows), SUFFIXED(fmax_columns)},
            [BRIO_REDUCE_FMIN] = {SUFFIXED(fmin_rows), SUFFIXED(fmin_columns)},
        },
    .args =
        {
            {SUFFIXED(max_arg_rows), SUFFIXED(max_arg_columns), SUFFIXED(max_arg_fold)},
            {SUFFIXED(min_arg_rows), SUFFIXED(min_arg_columns), SUFFIXED(min_arg_fold)},
        },
    .pairwise_sum = SUFFIXED(pairwise_rows),
    .sequential_product = SUFFIXED(sequential_rows),
};

#undef T
#undef VEC
#undef BITS
#undef LANES
#undef SUFFIXED
#undef V_MAX
#undef V_MIN
#undef UNORDERED
