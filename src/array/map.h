/* Running one step now. */
#ifndef BRIO_ARRAY_MAP_H
#define BRIO_ARRAY_MAP_H

#include "array/promote.h"

/* Computes the step over the shape into settled arrays of that shape, each result cast to the array's
 * dtype; where `where` (bool, or NULL) is false the arrays keep their elements. Outputs must not overlap
 * inputs but as the same elements. Pending inputs are computed within the pass. */
brio_status brio_expr_run(const brio_expr *expr, int ndim, const int64_t *shape, brio_array *const *outs,
                          const brio_array *where, uint32_t *fp_flags);

/* The first result, as a new array or in `to` when that is not NULL, if the step is one operation on few
 * contiguous elements of one shape and on constants; else *out is NULL and nothing happened. No
 * floating-point conditions. */
brio_status brio_expr_small(const brio_expr *expr, brio_array *to, brio_array **out);

/* The same into arrays that may overlap anything and may have pending readers. Checks nothing else. */
brio_status brio_expr_write(const brio_expr *expr, int ndim, const int64_t *shape, brio_array *const *outs,
                            const brio_array *where, uint32_t *fp_flags);

/* A new settled array with the step's first result. */
brio_status brio_expr_make(const brio_expr *expr, int ndim, const int64_t *shape, char order,
                           uint32_t *fp_flags, brio_array **out);

#endif
