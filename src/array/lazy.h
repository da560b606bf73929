/* Pending arrays: expressions whose elements are not computed yet.
 *
 * A node is one step (operation, cast or external loop) whose result is a pending array, its owner. Its
 * inputs are counted arrays, settled (leaves) or pending, all broadcast to the owner's shape; a pending
 * input always has exactly the owner's shape. Invariants, all under the one graph lock:
 *  - a pending array has at most one pending consumer; it is settled before it gets a second;
 *  - a leaf's root lists the nodes that read it, so that a write can settle them first (not for a
 *    caller's memory: there the caller promised not to write);
 *  - an expression is small enough for one program (lower.h): it is cut when it is built.
 * Whoever holds the lock never drops a reference, since that may run a caller's release function; nodes
 * that are done with are collected and freed after the lock is released. */
#ifndef BRIO_ARRAY_LAZY_H
#define BRIO_ARRAY_LAZY_H

#include "array/object.h"

/* One step with its operands, as promote.c prepares it. */
typedef struct brio_expr {
    uint8_t kind; /* brio_step_kind */
    uint8_t nin, nout;
    uint8_t slot;                    /* BRIO_STEP_OP */
    uint8_t in_dtype[BRIO_MAX_IN];   /* what the step takes */
    uint8_t out_dtype[BRIO_MAX_OUT]; /* what it makes */
    brio_op op;
    const brio_array *in[BRIO_MAX_IN]; /* NULL: a constant */
    brio_value value[BRIO_MAX_IN];     /* constants, in in_dtype */
    brio_external_loop external;
    void *external_data;
} brio_expr;

struct brio_node {
    brio_expr expr;    /* its inputs are counted references here */
    brio_array *owner; /* not counted */
    brio_node *next_dead;
    uint32_t stamp;                        /* of the pass that gave `result` */
    uint16_t result;                       /* value number within the pass */
    uint16_t nodes, leaves, consts, steps; /* of the whole expression, at most */
    uint8_t computed; /* a pass has computed it without keeping it: the next one keeps it */
    uint8_t retired;  /* unlinked from every list */
    int64_t retained; /* bytes of leaves that the expression keeps alive, at most */
    brio_reader readers[BRIO_MAX_IN];
};

/* Results of `count` elements from here on are worth evaluating late. */
#define BRIO_LAZY_MIN_COUNT 32768

/* A new pending array for the step, in the layout of `order`. Takes references to the inputs. */
brio_status brio_lazy_create(const brio_expr *expr, int ndim, const int64_t *shape, char order,
                             brio_array **out);

/* Computes a pending array into storage of its own; nothing to do for a settled one. */
brio_status brio_lazy_settle(brio_array *array);

/* The same with what BRIO_EVAL_OPTIONS say: `out` may be NULL. */
brio_status brio_lazy_evaluate(brio_array *array, const brio_array *out, uint32_t *fp_flags);

/* Settles every pending array that reads the storage of `array` (a write is about to happen). */
brio_status brio_lazy_settle_readers(const brio_array *array);

/* Unlinks and frees the node of a pending array that nobody holds any more, unless another thread has
 * settled the array meanwhile. */
void brio_lazy_abandon(brio_array *array);

/* Whether computing `array` reads memory of `out` other than the same elements. */
bool brio_lazy_disturbs(const brio_array *array, const brio_array *out);

/* Whether the step should be left pending under BRIO_LAZY_AUTO. */
bool brio_lazy_is_worth(const brio_expr *expr, int64_t count);

/* ---- passes (lower.c) ------------------------------------------------------------------- */

typedef struct brio_pass {
    int ndim;
    const int64_t *shape;
    uint32_t stamp;
    bool locked;   /* the graph lock is held: pending inputs may be computed within the pass */
    bool overflow; /* the program has become too large */
    uint16_t nresults;
    uint8_t const_dtypes[BRIO_PROGRAM_MAX_CONSTS];
    uint8_t result_dtypes[BRIO_MAX_OUT * BRIO_PROGRAM_MAX_STEPS];
    const brio_array *leaves[BRIO_PROGRAM_MAX_INPUTS];
    brio_program program;
} brio_pass;

/* Values while a program is built: kinds of numbers that are put in order at the end. */
typedef uint16_t brio_term;

void brio_pass_begin(brio_pass *pass, int ndim, const int64_t *shape, bool locked);
brio_term brio_pass_leaf(brio_pass *pass, const brio_array *array);
brio_term brio_pass_const(brio_pass *pass, brio_dtype dtype, brio_value value);
brio_term brio_pass_cast(brio_pass *pass, brio_term term, brio_dtype dtype);
/* Emits the step; outputs of the step go to terms[0..nout). Operands: leaves, constants or, when the
 * lock is held, pending arrays computed within the pass. */
void brio_pass_expr(brio_pass *pass, const brio_expr *expr, brio_term *terms);
/* A step of the table on terms that are there already; `loop` holds the dtypes of the inputs. */
brio_term brio_pass_op(brio_pass *pass, brio_op op, const brio_term *in, const brio_dtype *loop,
                       brio_dtype out);
/* The value of an array: a leaf, or an expression when it is pending and the lock is held. */
brio_term brio_pass_array(brio_pass *pass, const brio_array *array);
brio_dtype brio_pass_dtype(const brio_pass *pass, brio_term term);
void brio_pass_output(brio_pass *pass, brio_term term);
/* Puts the program's leaves into a space, after its outputs. */
brio_status brio_pass_leaves(const brio_pass *pass, brio_space *space);
/* Numbers the values. BRIO_E_INTERNAL when the program has become too large. */
brio_status brio_pass_finish(brio_pass *pass);

/* Runs a finished elementwise pass into settled arrays (any layout, the pass' shape; output j in the
 * dtype of the program's output j). */
brio_status brio_pass_run(brio_pass *pass, brio_array *const *outs, uint32_t *fp_flags);

/* Brackets a pass that computes pending inputs: settles first those that must be kept (they have been
 * computed once before, or have another shape than the pass), takes the lock when any is left pending. On
 * failure the lock is not held. brio_graph_leave marks the inputs as computed once when `done`. */
brio_status brio_graph_enter(int n, const brio_array *const *inputs, int ndim, const int64_t *shape,
                             bool *locked);
void brio_graph_leave(bool locked, int n, const brio_array *const *inputs, bool done);

#endif
