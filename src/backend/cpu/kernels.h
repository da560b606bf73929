/* What one processor level offers: loops over contiguous elements, and the kernels of the primitives.
 *
 * One static table of this type a level; brio_cpu_kernels_now() is the one that the processor runs. */
#ifndef BRIO_CPU_KERNELS_H
#define BRIO_CPU_KERNELS_H

#include "op/program.h"

/* args[0..nin) inputs, args[nin..nin+nout) outputs, `n` contiguous elements each, aligned to their
 * size. An output may be exactly an input of the same element size; no other overlap. */
typedef void (*brio_loop)(char *const *args, int64_t n);

/* Copies between `rows` x `cols` elements with byte strides and contiguous ones, in C order. */
typedef void (*brio_pack)(char *to, const char *from, int64_t rows, int64_t cols, int64_t row_stride,
                          int64_t col_stride);

struct brio_cpu_reduce_kernels; /* reduce_kernels.h */
struct brio_cpu_scan_kernels;   /* scan_kernels.h */
struct brio_cpu_sort_kernels;   /* sort_kernels.h */
struct brio_cpu_matmul_kernels; /* matmul_kernels.h */

/* Whether any of n contiguous floats is changed by its cast in a way that is a floating-point
 * condition: to an integer INVALID, to float16 OVERFLOW. */
typedef int (*brio_cast_check)(const char *from, int64_t n);

typedef struct brio_cpu_kernels {
    const char *name;                                  /* "v3" */
    const brio_loop *loops[BRIO_SLOT_COUNT];           /* [slot][op]; NULL: no such loop */
    const brio_loop (*casts)[BRIO_DTYPE_COUNT];        /* [from][to]; NULL for the complex dtypes */
    const brio_cast_check (*checks)[BRIO_DTYPE_COUNT]; /* [from][to]; NULL: the cast's own conditions hold */
    const brio_pack *pack, *unpack;                    /* [log2 of the element's bytes] */
    void (*stream)(char *to, const char *from,
                   size_t bytes); /* past the caches; `to` aligned to its element */
    /* Non-zeros among n bytes; the positions of those in [begin, end), written to [to, stop), which is as
     * many as there are. */
    int64_t (*nonzero_count)(const uint8_t *mask, int64_t n);
    void (*nonzero_emit)(const uint8_t *mask, int64_t begin, int64_t end, int64_t *to, const int64_t *stop);
    const struct brio_cpu_reduce_kernels *reduce;
    const struct brio_cpu_scan_kernels *scan;
    const struct brio_cpu_sort_kernels *sort;
    const struct brio_cpu_matmul_kernels *matmul;
} brio_cpu_kernels;

/* The table of the level that runs. Never NULL, always the same. */
const brio_cpu_kernels *brio_cpu_kernels_now(void);

/* The table of the index-th level that was built, lowest first, and whether this machine can run it; NULL
 * behind the last. For tests that compare levels. */
const brio_cpu_kernels *brio_cpu_kernels_at(int index, int *runs);

/* The loop of an operation for a slot (program.h), e.g. brio_cpu_loop(op, BRIO_F32); NULL when the
 * operation has none. */
brio_loop brio_cpu_loop(brio_op op, int slot);

/* The loop that casts n contiguous elements; NULL for the complex dtypes. */
brio_loop brio_cpu_cast(brio_dtype from, brio_dtype to);

#endif
