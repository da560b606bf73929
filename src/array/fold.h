/* One reduction over axes of an array: what reduce.c and statistic.c are made of. */
#ifndef BRIO_ARRAY_FOLD_H
#define BRIO_ARRAY_FOLD_H

#include "array/map.h"

typedef struct brio_fold {
    brio_array *array;
    uint64_t axes; /* bit d: axis d is reduced */
    bool keepdims;
    brio_reduce_kind kind;
    brio_reduce_order order;
    brio_dtype dtype;         /* of the values reduced and of the result (int64 for ARGMAX, ARGMIN) */
    bool test;                /* values are whether elements are not zero */
    const brio_array *center; /* not NULL: values are squares of distances from it (broadcast) */
    const brio_array *where;  /* not NULL: values are `rest` where it is false */
    brio_value rest;
    uint32_t *fp_flags;
} brio_fold;

/* The axes that the options name. BRIO_E_AXIS; BRIO_E_VALUE "duplicate value in 'axis'". */
brio_status brio_fold_axes(const brio_reduce_options *options, int ndim, uint64_t *axes);

/* Elements that are reduced into each result, and results. */
void brio_fold_counts(const brio_array *array, uint64_t axes, int64_t *reduced, int64_t *kept);

/* The shape of the result. */
int brio_fold_shape(const brio_array *array, uint64_t axes, bool keepdims, int64_t *shape);

/* A new array with the results; the reduced space is not empty (the kept one may be). */
brio_status brio_fold_run(const brio_fold *fold, brio_array **out);

/* Delivers a result: as it is, cast to `dtype`, or into options->out after the checks of its shape. Takes
 * over the reference `result`. */
brio_status brio_fold_deliver(const brio_reduce_options *options, const char *name, brio_array *result,
                              brio_dtype dtype, brio_array **out);

/* The dtype in which sums and products of `dtype` are kept: NumPy's default. */
brio_dtype brio_fold_sum_dtype(brio_dtype dtype);

/* BRIO_E_TYPE: the mask is not bool; BRIO_E_VALUE: it does not broadcast to the array. */
brio_status brio_fold_check_where(const brio_reduce_options *options, const brio_array *array);

#endif
