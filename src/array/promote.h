/* From operands to a step with dtypes: weak scalars, resolution, casting rules. */
#ifndef BRIO_ARRAY_PROMOTE_H
#define BRIO_ARRAY_PROMOTE_H

#include "array/lazy.h"

/* Makes the step op(in...). `options` may be NULL; only dtype and casting of it count here. */
brio_status brio_expr_resolve(brio_op op, const brio_operand *in, const brio_map_options *options,
                              brio_expr *expr);

/* Makes the step that casts one operand to `dtype`. BRIO_E_TYPE when the rule forbids it. */
brio_status brio_expr_cast(const brio_operand *from, brio_dtype dtype, brio_casting casting, brio_expr *expr);

/* A scalar operand in another dtype, by the rules of casts; a weak integer must fit (BRIO_E_OVERFLOW). */
brio_status brio_value_convert(const brio_operand *scalar, brio_dtype to, brio_value *out);

/* The dtype as which an operand counts: that of an array or of a strong scalar; a weak scalar's default. */
brio_dtype brio_operand_dtype(const brio_operand *operand);

/* BRIO_E_TYPE when a mask is not bool; NULL is none. */
brio_status brio_mask_check(const brio_array *mask);

/* "no", "equiv", "safe", "same_kind", "unsafe". */
const char *brio_casting_name(brio_casting casting);

#endif
