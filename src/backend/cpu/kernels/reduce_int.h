/* Every reduction of one integer type. Included with T, U (its unsigned counterpart of at least 32 bits,
 * in which sums and products wrap) and SUFFIXED(x); it undefines them. */

#define STEP (32 / (int)sizeof(T))

#define INT_REDUCTION(name) SUFFIXED(name##_rows), SUFFIXED(name##_columns)

#define OP(a, b) ((U)(a) + (U)(b))
#define NAME(x) SUFFIXED(add_##x)
#include "reduce_fold.h"
#include "reduce_columns.h"
#undef OP
#undef NAME

#define OP(a, b) ((U)(a) * (U)(b))
#define NAME(x) SUFFIXED(multiply_##x)
#include "reduce_fold.h"
#include "reduce_columns.h"
#undef OP
#undef NAME

#define OP(a, b) ((a) > (b) ? (a) : (b))
#define NAME(x) SUFFIXED(maximum_##x)
#include "reduce_fold.h"
#include "reduce_columns.h"
#undef OP
#undef NAME

#define OP(a, b) ((a) < (b) ? (a) : (b))
#define NAME(x) SUFFIXED(minimum_##x)
#include "reduce_fold.h"
#include "reduce_columns.h"
#undef OP
#undef NAME

#define OP(a, b) ((a) & (b))
#define NAME(x) SUFFIXED(and_##x)
#include "reduce_fold.h"
#include "reduce_columns.h"
#undef OP
#undef NAME

#define OP(a, b) ((a) | (b))
#define NAME(x) SUFFIXED(or_##x)
#include "reduce_fold.h"
#include "reduce_columns.h"
#undef OP
#undef NAME

#define OP(a, b) ((a) ^ (b))
#define NAME(x) SUFFIXED(xor_##x)
#include "reduce_fold.h"
#include "reduce_columns.h"
#undef OP
#undef NAME

#define NAME(x) SUFFIXED(max_##x)
#define NAME_BEST(x) SUFFIXED(maximum_##x)
#define BETTER(a, b) ((a) > (b))
#include "reduce_arg.h"
#undef NAME
#undef NAME_BEST
#undef BETTER

#define NAME(x) SUFFIXED(min_##x)
#define NAME_BEST(x) SUFFIXED(minimum_##x)
#define BETTER(a, b) ((a) < (b))
#include "reduce_arg.h"
#undef NAME
#undef NAME_BEST
#undef BETTER

extern const brio_reduce_type BRIO_LEVELED(SUFFIXED(brio_reduce));
const brio_reduce_type BRIO_LEVELED(SUFFIXED(brio_reduce)) = {
    .ops =
        {
            [BRIO_REDUCE_ADD] = {INT_REDUCTION(add)},
            [BRIO_REDUCE_MULTIPLY] = {INT_REDUCTION(multiply)},
            [BRIO_REDUCE_MAXIMUM] = {INT_REDUCTION(maximum)},
            [BRIO_REDUCE_MINIMUM] = {INT_REDUCTION(minimum)},
            [BRIO_REDUCE_FMAX] = {INT_REDUCTION(maximum)},
            [BRIO_REDUCE_FMIN] = {INT_REDUCTION(minimum)},
            [BRIO_REDUCE_AND] = {INT_REDUCTION(and)},
            [BRIO_REDUCE_OR] = {INT_REDUCTION(or)},
            [BRIO_REDUCE_XOR] = {INT_REDUCTION(xor)},
        },
    .args =
        {
            {SUFFIXED(max_arg_rows), SUFFIXED(max_arg_columns), SUFFIXED(max_arg_fold)},
            {SUFFIXED(min_arg_rows), SUFFIXED(min_arg_columns), SUFFIXED(min_arg_fold)},
        },
};

#undef INT_REDUCTION
#undef STEP
#undef T
#undef U
#undef SUFFIXED
