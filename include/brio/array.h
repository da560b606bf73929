/* Arrays: strided, typed, counted, evaluated late.
 *
 *     brio_array *x = NULL, *y = NULL;
 *     brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
 *     int64_t shape[1] = {1000};
 *     spec.dtype = BRIO_F64, spec.ndim = 1, spec.shape = shape;
 *     brio_status s = brio_array_full(&spec, &(brio_value){.f64 = 2.0}, &x);
 *     if (s == BRIO_OK) {
 *         brio_operand in[2] = {brio_operand_array(x), brio_operand_float(0.5)};
 *         s = brio_array_map(brio_op_find("power"), in, NULL, &y);
 *     }
 *     if (s != BRIO_OK) fprintf(stderr, "%s\n", brio_last_error());
 *     brio_array_unref(y), brio_array_unref(x);
 *
 * Ownership: an output array is a new reference that the caller gives back with brio_array_unref;
 * on failure outputs are set to NULL and nothing changes. Inputs are borrowed for the call. An array
 * may be a view of another's buffer, or pending (its elements not computed yet); nothing but time
 * tells a pending array from a settled one. Distinct arrays may be used from distinct threads. */
#ifndef BRIO_ARRAY_H
#define BRIO_ARRAY_H

#include <brio/device.h>
#include <brio/dtype.h>
#include <brio/memory.h>
#include <brio/op.h>

BRIO_BEGIN_DECLS

typedef struct brio_array brio_array;

/** An operand of an operation: an array, or a scalar when `array` is NULL. */
typedef struct brio_operand {
    const brio_array *array;
    brio_dtype dtype; /* of the scalar */
    int weak;         /* 1: a Python scalar (dtype BOOL, I64, U64 or F64) whose kind alone counts (NEP 50) */
    brio_value value;
} brio_operand;

/** An array as an operand: borrowed, as long as the operand is used. */
static inline brio_operand brio_operand_array(const brio_array *array)
{
    brio_operand operand = {array, BRIO_BOOL, 0, {0}};
    return operand;
}

/** A weak scalar, as a Python float is. */
static inline brio_operand brio_operand_float(double number)
{
    brio_operand operand = {0, BRIO_F64, 1, {0}};
    operand.value.f64 = number;
    return operand;
}

/** A weak scalar, as a Python int is. */
static inline brio_operand brio_operand_int(int64_t number)
{
    brio_operand operand = {0, BRIO_I64, 1, {0}};
    operand.value.i64 = number;
    return operand;
}

/** What a new array looks like. Strides NULL: C order, or Fortran order when order is 'F'. */
typedef struct brio_array_spec {
    size_t size;
    brio_dtype dtype;
    int ndim;
    const int64_t *shape;
    const int64_t *strides; /* bytes; only for brio_array_wrap */
    char order;
    brio_device device;
} brio_array_spec;
#define BRIO_ARRAY_SPEC_INIT                                                                                 \
    {                                                                                                        \
        sizeof(brio_array_spec), BRIO_F64, 0, NULL, NULL, 'C',                                               \
        {                                                                                                    \
            BRIO_DEVICE_AUTO, 0                                                                              \
        }                                                                                                    \
    }

/** What an array looks like. shape and strides belong to the array. */
typedef struct brio_array_layout {
    size_t size; /* set by the caller */
    brio_dtype dtype;
    int ndim;
    const int64_t *shape;
    const int64_t *strides; /* bytes; those it will have when it is pending */
    int64_t count;          /* elements */
    brio_device device;
    int pending;
    int writeable;
    int c_contiguous, f_contiguous;
} brio_array_layout;

/* ---- Life ---------------------------------------------------------------------------------- */

/** A new array with undefined contents. BRIO_E_VALUE: negative or too large a shape, or a size that is
 * not set; BRIO_E_TYPE: no such dtype; BRIO_E_UNSUPPORTED: the device cannot be used; BRIO_E_MEMORY. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_empty(const brio_array_spec *spec, brio_array **out);

/** A new array with every element `value` (in the spec's dtype); errors as brio_array_empty. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_full(const brio_array_spec *spec, const brio_value *value,
                                                        brio_array **out);

/** start, start + step, ...: element i is start + i * step computed in the spec's dtype as
 * numpy.arange does; spec->shape[0] elements. Errors as brio_array_empty; BRIO_E_VALUE also when ndim is not
 * 1, BRIO_E_TYPE for more than two bools. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_arange(const brio_array_spec *spec, brio_value start,
                                                          brio_value step, brio_array **out);

/**
 * An array over memory of the caller: `pointer` is its first element, spec->strides in bytes (NULL: C
 * order). On success the array owns the memory until its last view is gone, then calls
 * release(context) (release may be NULL); on failure nothing was taken. Expressions over it are
 * evaluated at the call, for others may write there unseen. Errors as brio_array_empty; whether the
 * strides stay within the memory is the caller's to know.
 */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_wrap(void *pointer, const brio_array_spec *spec,
                                                        int writeable, brio_release_fn release, void *context,
                                                        brio_array **out);

/** Takes and drops a reference; NULL is allowed. Not to be called concurrently on one array that
 * another thread evaluates. */
BRIO_EXPORT brio_array *brio_array_ref(brio_array *array);
BRIO_EXPORT void brio_array_unref(brio_array *array);

/* ---- Looking ------------------------------------------------------------------------------- */

/** Fills `layout`; never evaluates. BRIO_E_VALUE when layout->size is not set. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_info(const brio_array *array, brio_array_layout *layout);

/** Evaluates if pending and gives the address of the first element on the host. With BRIO_WRITE
 * every pending reader is settled first; BRIO_E_VALUE when the array is read-only, BRIO_E_MEMORY when
 * there is none for the evaluation. The pointer is valid while the array lives. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_data(brio_array *array, brio_access access, void **out);

/** Says that the memory has been handed to somebody who may write there unseen (1), or that he
 * gave it back (0). While it is lent nothing over it is evaluated late; the array and what reads it are
 * evaluated first. BRIO_E_VALUE when memory that is not lent is given back. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_lend(brio_array *array, int lent);

/** The value of a one-element array in its own dtype; BRIO_E_VALUE otherwise. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_item(brio_array *array, brio_value *out);

/** Makes the array refuse writes through this handle and its later views (0) or allows them again (1).
 * BRIO_E_VALUE when it is a view of an array that refuses them. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_set_writeable(brio_array *array, int writeable);

/* ---- Evaluation ---------------------------------------------------------------------------- */

typedef struct brio_eval_options {
    size_t size;
    const brio_array *out; /* where the elements go (same shape and dtype, settled, writeable), or NULL */
    uint32_t *fp_flags;    /* NULL, or where BRIO_FPE_* conditions raised by the work are added */
} brio_eval_options;
#define BRIO_EVAL_OPTIONS_INIT                                                                               \
    {                                                                                                        \
        sizeof(brio_eval_options), NULL, NULL                                                                \
    }

/** Evaluates a pending array, in one pass; does nothing to a settled one (with `out`: copies it). Pending
 * arrays of the same expression that are still held are evaluated in the same pass. With `out` a
 * pending array becomes a view of `out`; where the elements cannot be computed in place, because they
 * are read shifted from the same memory, it gets memory of its own and is copied. BRIO_E_MEMORY leaves
 * the array pending and its inputs whole; BRIO_E_VALUE, BRIO_E_TYPE: `out` is not of its kind. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_eval(brio_array *array, const brio_eval_options *options);

/* ---- Views: never copy, unless said --------------------------------------------------------- */

typedef enum brio_index_kind {
    BRIO_INDEX_INT,   /* start */
    BRIO_INDEX_SLICE, /* start, stop, step, clipped to the extent as Python does */
    BRIO_INDEX_ELLIPSIS,
    BRIO_INDEX_NEWAXIS,
    BRIO_INDEX_ARRAY /* an integer or bool array: advanced indexing */
} brio_index_kind;

typedef struct brio_index {
    brio_index_kind kind;
    int has_start, has_stop;   /* SLICE: absent bounds are 0 here */
    int64_t start, stop, step; /* SLICE: as written by the user, negative allowed, step not 0 */
    brio_array *array;         /* ARRAY */
} brio_index;

/** array[index...] by NumPy's rules: a view when only basic kinds are present, else a copy. Evaluates a
 * pending array. BRIO_E_INDEX, in NumPy's words: out of bounds, too many, an index array of floats, a mask
 * of another shape; BRIO_E_VALUE: a step of 0. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_index(brio_array *array, const brio_index *index,
                                                         int nindex, brio_array **out);

/** array[index...] = value, broadcast, cast as NumPy assigns; duplicates: the last wins; overlap as if
 * copied first. Errors as brio_array_index; BRIO_E_VALUE: read-only, or the value does not broadcast;
 * BRIO_E_OVERFLOW: a weak integer that does not fit. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_assign(brio_array *array, const brio_index *index,
                                                          int nindex, const brio_operand *value);

/** A view with another shape where the strides allow, else a C-order copy. One extent may be -1.
 * BRIO_E_VALUE "cannot reshape array of size 6 into shape (4,)". order 'C' or 'F'. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_reshape(brio_array *array, int ndim, const int64_t *shape,
                                                           char order, brio_array **out);

/** Axes permuted; axes NULL reverses them. BRIO_E_AXIS, BRIO_E_VALUE (repeated axis). */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_transpose(brio_array *array, const int *axes,
                                                             brio_array **out);

/** A read-only view broadcast to `shape`. BRIO_E_VALUE when it does not broadcast. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_broadcast(brio_array *array, int ndim,
                                                             const int64_t *shape, brio_array **out);

/** A view with the given strides and first element `offset` bytes behind the array's own, not checked
 * against the memory. BRIO_E_VALUE: negative extents or too many dimensions. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_as_strided(brio_array *array, int64_t offset, int ndim,
                                                              const int64_t *shape, const int64_t *strides,
                                                              brio_array **out);

/** The same bytes seen as another dtype, as ndarray.view: the last axis, which must then be contiguous, gets
 * as many elements as its bytes hold. BRIO_E_TYPE: no such dtype; BRIO_E_VALUE in NumPy's words when the
 * bytes do not fit. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_view(brio_array *array, brio_dtype dtype,
                                                        brio_array **out);

/** The shape that arrays (NULL ones are passed over) broadcast to. BRIO_E_VALUE in NumPy's words. `shape`
 * has BRIO_MAX_DIMS places. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_broadcast_shapes(int n, const brio_array *const *arrays,
                                                              int *ndim, int64_t *shape);

/* ---- Elementwise --------------------------------------------------------------------------- */

typedef enum brio_laziness {
    BRIO_LAZY_AUTO,  /* by size, setting and whether anyone else may write to the inputs */
    BRIO_LAZY_NEVER, /* evaluated when the call returns */
    BRIO_LAZY_ALWAYS /* pending; the caller promises that the inputs do not change before evaluation */
} brio_laziness;

typedef struct brio_map_options {
    size_t size;
    brio_array
        *out[BRIO_MAX_OUT];  /* written into instead of a new array; overlap with inputs is as if none */
    const brio_array *where; /* bool mask broadcast with the inputs; elsewhere out is untouched */
    int has_dtype;           /* compute in `dtype` (ufuncs' dtype=) */
    brio_dtype dtype;
    brio_casting casting; /* of inputs to the loop and of the result to out */
    brio_laziness lazy;
    char order;         /* of a new array: 'K' (default), 'C', 'F' */
    uint32_t *fp_flags; /* as in brio_eval_options; only when evaluated by this call */
} brio_map_options;
#define BRIO_MAP_OPTIONS_INIT                                                                                \
    {                                                                                                        \
        sizeof(brio_map_options), {NULL, NULL}, NULL, 0, BRIO_BOOL, BRIO_CAST_SAME_KIND, BRIO_LAZY_AUTO,     \
            'K', NULL                                                                                        \
    }

/** out[j] = op(in...), broadcast, dtypes by brio_op_resolve. `in` has the operation's nin operands,
 * `out` its nout places. options NULL: the defaults. Errors of shape, dtype and casting come at the
 * call (BRIO_E_VALUE, BRIO_E_TYPE, BRIO_E_CASTING, BRIO_E_OVERFLOW for a weak integer that does not
 * fit, BRIO_E_VALUE for an integer to a negative integer power). */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_map(brio_op op, const brio_operand *in,
                                                       const brio_map_options *options, brio_array **out);

/** The same for two settled, contiguous arrays of one shape and dtype with few elements, without any
 * option: the short way of a small call. Sets *out to NULL and returns BRIO_OK when the pair is not of
 * that kind: call brio_array_map then. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_map2_small(brio_op op, const brio_array *a,
                                                              const brio_array *b, brio_array **out);

/** A pending array whose elements loop(in...) computes; all inputs have the dtypes that the loop takes
 * and broadcast together; the caller promises that they do not change before evaluation, and that `data`
 * lives until then. BRIO_E_VALUE: too many inputs, or they do not broadcast; BRIO_E_TYPE: no such dtype. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_map_external(brio_external_loop loop, void *data, int nin,
                                                                const brio_operand *in, brio_dtype out_dtype,
                                                                brio_array **out);

/** A copy in another dtype, order 'K', 'C', 'F' or 'A'. May be pending. BRIO_E_TYPE in NumPy's words when
 * the rule does not allow the cast. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_cast(brio_array *array, brio_dtype dtype,
                                                        brio_casting casting, char order, brio_array **out);

/** to[...] = from, broadcast and cast under the rule, where the bool mask `where` (NULL: everywhere) is true;
 * overlap as if copied first. BRIO_E_VALUE: read-only, or a shape that does not broadcast; BRIO_E_TYPE: a
 * cast that the rule does not allow, or a mask that is not bool. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_copyto(brio_array *to, const brio_operand *from,
                                                          brio_casting casting, const brio_array *where);

/* ---- Reductions and scans -------------------------------------------------------------------- */

typedef struct brio_reduce_options {
    size_t size;
    int all_axes; /* 1 (default): every axis; 0: those in axes */
    int naxes;
    const int *axes; /* negative allowed. BRIO_E_AXIS, BRIO_E_VALUE "duplicate value in 'axis'" */
    int keepdims;
    int has_dtype; /* accumulate in `dtype`; default: NumPy's (bool and small integers sum as int64/uint64) */
    brio_dtype dtype;
    int has_initial; /* the reduction starts from `initial`, given in the accumulator's dtype */
    brio_value initial;
    const brio_array *where; /* bool mask, broadcast; needs an identity or initial */
    brio_array *out;
    brio_reduce_order order;
    uint32_t *fp_flags;
} brio_reduce_options;
#define BRIO_REDUCE_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(brio_reduce_options), 1, 0, NULL, 0, 0, BRIO_BOOL, 0, {0}, NULL, NULL, BRIO_ORDER_CANONICAL,  \
            NULL                                                                                             \
    }

/** op.reduce(array): add, multiply, maximum, minimum, fmax, fmin, logical_and, logical_or, logical_xor,
 * bitwise_and, bitwise_or, bitwise_xor. A pending array is evaluated inside the same pass and stays
 * pending. BRIO_E_VALUE "zero-size array to reduction operation maximum which has no identity". */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_reduce(brio_op op, brio_array *array,
                                                          const brio_reduce_options *options,
                                                          brio_array **out);

typedef enum brio_statistic {
    BRIO_MEAN, /* integers in float64, float16 in float32 */
    BRIO_VAR,
    BRIO_STD,
    BRIO_COUNT_NONZERO,
    BRIO_ARGMAX, /* int64; one axis or all (C order) */
    BRIO_ARGMIN
} brio_statistic;

/** Statistics along axes, with the options of reductions; `correction` is subtracted from the count in
 * BRIO_VAR and BRIO_STD. An empty mean is NaN. BRIO_E_VALUE "attempt to get argmax of an empty sequence". */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_statistic(brio_statistic which, brio_array *array,
                                                             const brio_reduce_options *options,
                                                             double correction, brio_array **out);

typedef struct brio_scan_options {
    size_t size;
    int ravel; /* 1 (default): over the array in C order; 0: along `axis` */
    int axis;
    int has_dtype;
    brio_dtype dtype;
    int include_initial; /* one element more, the identity, in front */
    int sequential;      /* NumPy's one-after-another association for floats */
    brio_array *out;
} brio_scan_options;
#define BRIO_SCAN_OPTIONS_INIT                                                                               \
    {                                                                                                        \
        sizeof(brio_scan_options), 1, 0, 0, BRIO_BOOL, 0, 0, NULL                                            \
    }

/** op.accumulate: add, multiply, maximum, minimum. BRIO_E_UNSUPPORTED: another operation; BRIO_E_AXIS;
 * BRIO_E_TYPE: an array without dimensions along an axis; BRIO_E_VALUE: include_initial without an identity,
 * or `out` has another shape. NaN spreads from where it stands. Empty gives empty. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_scan(brio_op op, brio_array *array,
                                                        const brio_scan_options *options, brio_array **out);

/* ---- Order, selection, joining, products ------------------------------------------------------ */

/** A sorted copy along `axis`, NaN last in both directions (docs/numerics.md). With _inplace the array
 * itself is sorted. BRIO_E_AXIS; BRIO_E_VALUE: read-only; BRIO_E_MEMORY. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_sort(brio_array *array, int axis, int descending,
                                                        brio_array **out);
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_sort_inplace(brio_array *array, int axis, int descending);

/** The stable order along `axis`, int64: positions of the elements as brio_array_sort puts them. BRIO_E_AXIS.
 */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_argsort(brio_array *array, int axis, int descending,
                                                           brio_array **out);

/** The indices of non-zero elements (NaN is one) in C order, one int64 array a dimension into
 * out[0..ndim). BRIO_E_VALUE for an array without dimensions. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_nonzero(brio_array *array, brio_array **out);

/** Elements along `axis` at integer `indices` (any shape), as numpy.take with mode "raise". BRIO_E_AXIS,
 * BRIO_E_INDEX. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_take(brio_array *array, brio_array *indices, int axis,
                                                        brio_array **out);

/** Arrays joined along an axis that exists; dtype by promotion. BRIO_E_AXIS; BRIO_E_VALUE in NumPy's words:
 * no arrays, arrays without dimensions, or other extents that differ. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_concat(int n, brio_array *const *arrays, int axis,
                                                          brio_array **out);

/** numpy.matmul: 1-D rules, stacks broadcast. BRIO_E_VALUE in NumPy's words on a mismatch, BRIO_E_TYPE for
 * complex arrays. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_array_matmul(brio_array *a, brio_array *b, brio_array **out);

/** Whether two arrays may share memory (bounds overlap, exactly for 1-D and contiguous ones). */
BRIO_EXPORT int brio_array_may_overlap(const brio_array *a, const brio_array *b);

BRIO_END_DECLS
#endif
