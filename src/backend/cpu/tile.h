/* Evaluates a program over any run of up to plan->tile elements of an iteration space.
 *
 *     brio_tile_plan plan;
 *     brio_tile_prepare(&plan, program, ndim, shape, in);
 *     scratch = plan.scratch_bytes bytes aligned to 64, one for each worker;
 *     in each worker:
 *         brio_tile_worker worker;
 *         brio_tile_begin(&plan, &worker, scratch, fp_flags != NULL);
 *         for each run: brio_tile_run(&plan, &worker, begin, n, where);
 *         flags |= brio_tile_end(&worker);
 *
 * The elements of the space are numbered in C order (the last dimension fastest); a run is
 * [begin, begin + n) of these numbers and may cross rows. For a reduction lay the dimensions out as
 * its order of evaluation wants them: the numbering follows. Operands whose elements lie side by side
 * over the run are read in place, others are packed. The plan is not changed by running; the program,
 * the shape and the operands must live as long as it. */
#ifndef BRIO_CPU_TILE_H
#define BRIO_CPU_TILE_H

#include "backend/backend.h"
#include "backend/cpu/kernels.h"

#define BRIO_TILE_MAX 4096 /* elements in a run at most, ever */

typedef enum brio_tile_form {
    BRIO_TILE_CONTIGUOUS, /* element i at data + i * itemsize */
    BRIO_TILE_PERIODIC,   /* repeats every `period` elements: unrolled once in each worker */
    BRIO_TILE_STRIDED     /* packed for every run, unless that lies within a row of neighbours */
} brio_tile_form;

/* An operand over the space, its dimensions merged as far as its own strides allow. */
typedef struct brio_tile_operand {
    char *data;
    int form, itemsize, ndim;
    int64_t period;
    size_t room; /* offset of its room in the scratch, when it is not read in place */
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
} brio_tile_operand;

typedef struct brio_tile_plan {
    const brio_program *program;
    const brio_cpu_kernels *kernels;
    int64_t count;        /* elements of the space */
    int64_t tile;         /* elements in a run at most: a power of two */
    int64_t cost;         /* of one element, in simple operations; at least 1 */
    size_t scratch_bytes; /* for one worker */
    brio_tile_operand in[BRIO_PROGRAM_MAX_INPUTS];
    uint16_t place[BRIO_PROGRAM_MAX_VALUES]; /* register of a packed input or a result */
    size_t registers;                        /* offset of the first register */
    size_t register_bytes;
    brio_loop loops[BRIO_PROGRAM_MAX_STEPS];        /* NULL: external */
    brio_cast_check checks[BRIO_PROGRAM_MAX_STEPS]; /* of casts that have one */
    uint8_t quiet[BRIO_PROGRAM_MAX_STEPS];          /* whether the conditions a step raises mean nothing */
} brio_tile_plan;

typedef struct brio_tile_worker {
    char *scratch;
    int want_fp;
    uint32_t fp;
    char *at[BRIO_PROGRAM_MAX_VALUES];
} brio_tile_worker;

/* Lays an operand over a space. */
void brio_tile_lay(brio_tile_operand *operand, const brio_strided *strided, int itemsize, int ndim,
                   const int64_t *shape);

/* Where element `begin` of a strided operand is, when it and the n - 1 after it are neighbours in memory;
 * otherwise NULL. */
char *brio_tile_neighbours(const brio_tile_operand *operand, int64_t begin, int64_t n);

/* Copies elements [begin, begin + n) of an operand to contiguous ones at `to`, and back. */
void brio_tile_pack(const brio_cpu_kernels *kernels, const brio_tile_operand *operand, int64_t begin,
                    int64_t n, char *to);
void brio_tile_unpack(const brio_cpu_kernels *kernels, const brio_tile_operand *operand, int64_t begin,
                      int64_t n, const char *from);

/* Makes the plan. BRIO_E_TYPE when the program holds a step that has no loop. `count` may be 0. */
brio_status brio_tile_prepare(brio_tile_plan *plan, const brio_program *program, int ndim,
                              const int64_t *shape, const brio_strided *in);

/* Prepares a worker: unrolls constants and periodic inputs into `scratch`. */
void brio_tile_begin(const brio_tile_plan *plan, brio_tile_worker *worker, void *scratch, int want_fp);

/* Computes elements [begin, begin + n), 1 <= n <= plan->tile. where[j] NULL: set to where the n
 * contiguous elements of output j are (in the scratch, or in an input's own memory: read only), valid
 * until the next run. where[j] set: they are written there, which must overlap no input. */
void brio_tile_run(const brio_tile_plan *plan, brio_tile_worker *worker, int64_t begin, int64_t n,
                   char **where);

/* The floating-point conditions of the worker's runs (BRIO_FPE_*), 0 when they were not wanted. */
uint32_t brio_tile_end(brio_tile_worker *worker);

#endif
