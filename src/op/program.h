/* A fused elementwise expression as every backend receives it: a straight list of steps over values.
 *
 * Values are numbered: first the inputs, then the constants, then the results of the steps in order.
 * Each value has one dtype. Every step reads values with smaller numbers only. A program says nothing
 * about shapes; the iteration space that goes with it does (src/backend/backend.h). */
#ifndef BRIO_OP_PROGRAM_H
#define BRIO_OP_PROGRAM_H

#include <brio/op.h>

/* Which loop of an operation: the dtype of its inputs (where: of the chosen ones; ldexp: of the first,
 * with int32 exponents), or one of the loops whose inputs differ: MIXED0 takes (int64, uint64) in
 * comparisons and (float32, int64) in ldexp, MIXED1 (uint64, int64) and (float64, int64), MIXED2
 * (float16, int64). */
enum { BRIO_SLOT_MIXED0 = BRIO_DTYPE_COUNT, BRIO_SLOT_MIXED1, BRIO_SLOT_MIXED2, BRIO_SLOT_COUNT };

#define BRIO_PROGRAM_MAX_INPUTS 16
#define BRIO_PROGRAM_MAX_CONSTS 32
#define BRIO_PROGRAM_MAX_STEPS 96
#define BRIO_PROGRAM_MAX_OUTPUTS 4
#define BRIO_PROGRAM_MAX_VALUES                                                                              \
    (BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_CONSTS + BRIO_MAX_OUT * BRIO_PROGRAM_MAX_STEPS)

typedef enum brio_step_kind {
    BRIO_STEP_OP,      /* out = op(in...), inputs and outputs in the dtypes of brio_op_resolve */
    BRIO_STEP_CAST,    /* out = (dtype of out) in[0], by the rules of arrays: see src/op/cast.h */
    BRIO_STEP_EXTERNAL /* out = loop(in...): a caller's own inner loop, run on the host only */
} brio_step_kind;

typedef struct brio_step {
    uint8_t kind;
    uint8_t nin, nout;
    uint8_t dtype;               /* the slot of BRIO_STEP_OP: brio_op_slot() */
    brio_op op;                  /* BRIO_STEP_OP */
    uint16_t in[BRIO_MAX_IN];    /* values read */
    uint16_t out[BRIO_MAX_OUT];  /* values written */
    brio_external_loop external; /* BRIO_STEP_EXTERNAL */
    void *external_data;
} brio_step;

typedef struct brio_program {
    uint16_t ninputs, nconsts, nsteps, noutputs, nvalues;
    uint8_t dtypes[BRIO_PROGRAM_MAX_VALUES];    /* brio_dtype of each value */
    brio_value consts[BRIO_PROGRAM_MAX_CONSTS]; /* in the dtype of its value */
    brio_step steps[BRIO_PROGRAM_MAX_STEPS];
    uint16_t outputs[BRIO_PROGRAM_MAX_OUTPUTS]; /* the values that are delivered */
} brio_program;

/* The slot for inputs of the dtypes that brio_op_resolve chose (`loop`). float16 has slots like any
 * other dtype: its loops convert, compute in float32 and round. */
int brio_op_slot(brio_op op, const brio_dtype *loop);

/* The BRIO_FPE_* conditions that mean something when the operation raises them; comparisons and the
 * like have 0: what their instructions raise on a NaN is to be forgotten. */
uint32_t brio_op_conditions(brio_op op);

/* What a reduction computes from the single output value v of a program. */
typedef enum brio_reduce_kind {
    BRIO_REDUCE_ADD,
    BRIO_REDUCE_MULTIPLY,
    BRIO_REDUCE_MAXIMUM, /* NaN wins */
    BRIO_REDUCE_MINIMUM,
    BRIO_REDUCE_FMAX, /* NaN loses */
    BRIO_REDUCE_FMIN,
    BRIO_REDUCE_AND, /* bitwise; on bool logical */
    BRIO_REDUCE_OR,
    BRIO_REDUCE_XOR,
    BRIO_REDUCE_ARGMAX, /* out: int64, index within the reduced dimensions in C order; first wins, NaN wins */
    BRIO_REDUCE_ARGMIN,
    BRIO_REDUCE_KIND_COUNT
} brio_reduce_kind;

/* The reduction that the operation's reduce method is (brio_reduce_kind), or -1. On bool and for the
 * logical operations AND, OR and XOR are logical. */
int brio_op_reduce_kind(brio_op op);

/* About how many simple operations one element takes. */
int brio_op_cost(brio_op op);

#endif
