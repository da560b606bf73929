/* The reductions of one processor level, over contiguous rows and over columns of rows. */
#ifndef BRIO_CPU_REDUCE_KERNELS_H
#define BRIO_CPU_REDUCE_KERNELS_H

#include "backend/backend.h"

/* Sums and products of floats over a row follow the canonical tree (docs/numerics.md). Its leaf is four
 * rows of 512 bytes; a value over a power of two of leaves is a node of the tree. */
#define BRIO_REDUCE_LEAF_BYTES 2048
/* Columns are reduced this many rows at a time, in order; then the blocks by the tree. */
#define BRIO_REDUCE_BLOCK_ROWS 128

/* out[i] = the n elements of row i reduced; rows lie one after another. n >= 1. */
typedef void (*brio_reduce_rows)(const char *data, int64_t nrows, int64_t n, char *out);

/* acc[j] = acc[j] op row 0 [j] op row 1 [j] ..., in this order; rows are `stride` bytes apart. */
typedef void (*brio_reduce_columns)(char *acc, const char *data, int64_t nrows, int64_t ncols,
                                    int64_t stride);

/* The best element of each row and its position, the first among equals; NaN is best. */
typedef void (*brio_arg_rows)(const char *data, int64_t nrows, int64_t n, char *best, int64_t *index);

/* Rows first, first + 1, ... against the best so far. */
typedef void (*brio_arg_columns)(char *best, int64_t *index, const char *data, int64_t first, int64_t nrows,
                                 int64_t ncols, int64_t stride);

/* best, index = the candidate where it is better; candidates come later in the order. */
typedef void (*brio_arg_fold)(char *best, int64_t *index, const char *candidate,
                              const int64_t *candidate_index, int64_t n);

typedef struct brio_reduce_ops {
    brio_reduce_rows rows;
    brio_reduce_columns columns;
} brio_reduce_ops;

typedef struct brio_arg_ops {
    brio_arg_rows rows;
    brio_arg_columns columns;
    brio_arg_fold fold;
} brio_arg_ops;

/* All the reductions of one dtype; NULL where the dtype has none. */
typedef struct brio_reduce_type {
    brio_reduce_ops ops[BRIO_REDUCE_ARGMAX];
    brio_arg_ops args[2];                              /* ARGMAX, ARGMIN */
    brio_reduce_rows pairwise_sum, sequential_product; /* NumPy's associations; floats only */
} brio_reduce_type;

typedef struct brio_cpu_reduce_kernels {
    const brio_reduce_type *types[BRIO_DTYPE_COUNT];
} brio_cpu_reduce_kernels;

#endif
