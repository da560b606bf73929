/* How a reduction is laid out and shared among threads. reduce.c decides, reduce_rows.c and
 * reduce_columns.c compute. */
#ifndef BRIO_CPU_REDUCE_H
#define BRIO_CPU_REDUCE_H

#include "backend/cpu/reduce_kernels.h"
#include "backend/cpu/tile.h"

/* The space is outer x reduced x inner, numbered in C order: outputs are (outer, inner). `inner` is 1
 * when rows are reduced; else whole rows of `inner` elements are reduced into one. */
typedef struct brio_reduce_plan {
    const brio_reduce_type *type;
    brio_reduce_ops ops;
    brio_reduce_rows rows;    /* of the association asked for */
    const brio_arg_ops *args; /* NULL but for ARGMAX and ARGMIN */
    int dtype, numpy;         /* numpy: NumPy's association of a float sum or product */
    int is_sum, wants_fp;     /* of floats; whether the reduction itself raises conditions */
    int64_t size;             /* bytes of a value */
    int64_t outer, reduced, inner;
    int64_t share; /* elements for which a thread of their own pays: a power of two of leaves */
    char identity[8];
    const char *direct; /* the values, when they lie in memory in the order of the space; else NULL */
    brio_tile_plan tile;
    brio_tile_operand out; /* over (outer, inner) */
    int64_t out_size;
    uint32_t *fp_flags;
} brio_reduce_plan;

/* One worker within a task. */
typedef struct brio_reduce_worker {
    const brio_reduce_plan *plan;
    brio_tile_worker tile;
} brio_reduce_worker;

void brio_reduce_begin(const brio_reduce_plan *plan, brio_reduce_worker *worker, char *scratch);
void brio_reduce_end(brio_reduce_worker *worker);

/* Elements [begin, begin + n) of the space: at most plan->tile.tile of them unless plan->direct. Valid
 * until the next call. */
const char *brio_reduce_fetch(brio_reduce_worker *worker, int64_t begin, int64_t n);

/* Adds what a kernel raised, when that means something. */
void brio_reduce_note_conditions(brio_reduce_worker *worker);

/* The same outside of a worker, around joins: forgets what was raised, adds what is raised. */
void brio_reduce_forget_conditions(const brio_reduce_plan *plan);
void brio_reduce_add_conditions(const brio_reduce_plan *plan);

/* Writes results [begin, begin + n): values, or indices for ARGMAX and ARGMIN. */
void brio_reduce_store(const brio_reduce_plan *plan, int64_t begin, int64_t n, char *values,
                       const int64_t *index);

/* values[0] of `count` nodes `width` elements each becomes the tree of them all. */
void brio_reduce_join(const brio_reduce_plan *plan, char *values, int64_t *index, int64_t count,
                      int64_t width);

brio_status brio_reduce_by_rows(const brio_reduce_plan *plan);
brio_status brio_reduce_by_columns(const brio_reduce_plan *plan);

#endif
