/* The operation table, as its users see it. */
#ifndef BRIO_OP_H
#define BRIO_OP_H

#include <brio/dtype.h>

BRIO_BEGIN_DECLS

/** An operation of the table: an index that is stable within one build, never stored. */
typedef int32_t brio_op;
#define BRIO_OP_NONE (-1)

/** Inputs and outputs of one operation at most. */
#define BRIO_MAX_IN 3
#define BRIO_MAX_OUT 2

/** Floating-point conditions, as C's fenv raises them, gathered over all threads. */
#define BRIO_FPE_DIVIDE 1u
#define BRIO_FPE_OVERFLOW 2u
#define BRIO_FPE_UNDERFLOW 4u
#define BRIO_FPE_INVALID 8u

/** The association of a floating-point sum or product. */
typedef enum brio_reduce_order {
    BRIO_ORDER_CANONICAL, /* docs/numerics.md: the same bits on any device and any number of threads */
    BRIO_ORDER_NUMPY,     /* NumPy's association for this layout, bit for bit; BRIO_E_UNSUPPORTED where
                             it is not reproduced */
    BRIO_ORDER_ANY        /* whatever is fastest and no less accurate than NumPy's */
} brio_reduce_order;

/** A caller's inner loop: args[0..nin) inputs, args[nin..) outputs, dimensions[0] elements, strides
 * in bytes. Called from several threads at once, on at most a few thousand elements a call, without
 * any interpreter lock. (NumPy's PyUFuncGenericFunction.) */
typedef void (*brio_external_loop)(char **args, const intptr_t *dimensions, const intptr_t *strides,
                                   void *data);

typedef struct brio_op_info {
    size_t size;      /* sizeof(brio_op_info), set by the caller */
    const char *name; /* NumPy's name of the ufunc where it has one */
    const char *doc;  /* one sentence */
    int nin, nout;
    int ulp;          /* the largest error of float results, in units in the last place; 0: NumPy's bits */
    int reduces;      /* whether brio_array_reduce takes it */
    int has_identity; /* whether an empty reduction has a value */
} brio_op_info;

/** How many operations there are: 0 <= op < brio_op_count(). */
BRIO_EXPORT int brio_op_count(void);

/** The operation called `name`, its own or one that the array API gives it ("acos"); else BRIO_OP_NONE. */
BRIO_EXPORT brio_op brio_op_find(const char *name);

/** Describes an operation; strings are static. BRIO_E_VALUE when `op` names none or info->size is not set. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_op_describe(brio_op op, brio_op_info *info);

/**
 * The dtypes with which `op` computes on inputs of dtypes `in`: `loop[i]` is what input i is cast
 * to, `out[j]` the dtype of output j. As NumPy's type resolution (NEP 50) for the same ufunc.
 * BRIO_E_TYPE, in NumPy's words, when the operation has no loop for them.
 */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_op_resolve(brio_op op, const brio_dtype *in, brio_dtype *loop,
                                                        brio_dtype *out);

BRIO_END_DECLS
#endif
