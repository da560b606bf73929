/* The boundary between the domains above and the devices below: the primitives, as typed functions.
 *
 * A backend is one static brio_backend. A NULL primitive is one that the device does not do, and there
 * is no other list of what a backend can do. Pointers in
 * the arguments are addresses on the backend's own device; shapes and strides live on the host.
 * Every primitive returns BRIO_OK or sets the thread's error sentence (src/runtime/error.h). On
 * failure outputs may be partly written; inputs never are. Nothing here allocates for the caller.
 *
 * Strides are in bytes and may be 0 or negative. Dimensions are in C order: the last varies fastest.
 * The array layer has merged dimensions that can be merged and dropped those of extent 1, so ndim
 * is small in practice; it may be 0 (one element). */
#ifndef BRIO_BACKEND_H
#define BRIO_BACKEND_H

#include "op/program.h"

#include <brio/device.h>
#include <brio/parallel.h>

#define BRIO_BACKEND_VERSION 1

/* One operand laid over an iteration space: the address of its first element and a stride a dimension. */
typedef struct brio_strided {
    char *data;
    int64_t strides[BRIO_MAX_DIMS];
} brio_strided;

/* out[j][i] = program(in[..][i]) for every i of the space. Outputs overlap no input unless they are
 * exactly the same elements in the same order. */
typedef struct brio_map_args {
    const brio_program *program;
    int ndim;
    const int64_t *shape;
    const brio_strided *in;  /* program->ninputs */
    const brio_strided *out; /* program->noutputs */
    uint32_t *fp_flags;      /* NULL: not asked; else conditions raised are added (BRIO_FPE_*) */
} brio_map_args;

/* out[k] = reduce over r of program(in[..][k, r]). The value's dtype is the accumulator's and the
 * output's dtype (int64 out for ARGMAX and ARGMIN). The reduced space is not empty.
 * Sums of floats follow `order`: BRIO_ORDER_CANONICAL is arrays' own tree (docs/numerics.md), the
 * same bits for every thread count and device; BRIO_ORDER_NUMPY is NumPy's tree for the same layout
 * and gives BRIO_E_UNSUPPORTED where the layout is one whose tree is not reproduced. */
typedef struct brio_reduce_args {
    const brio_program *program;
    brio_reduce_kind kind;
    brio_reduce_order order;
    int nkeep, nreduce;          /* kept dimensions come first in strides, then reduced ones */
    const int64_t *keep_shape;   /* nkeep */
    const int64_t *reduce_shape; /* nreduce, C order */
    const brio_strided *in;      /* program->ninputs, nkeep + nreduce strides each */
    brio_strided out;            /* nkeep strides */
    uint32_t *fp_flags;
} brio_reduce_args;

/* Running sums and products along one axis of rows: out[r][i] = op(in[r][0..i]) (or [0..i-1] when
 * exclusive, beginning with the identity). kind is ADD, MULTIPLY, MAXIMUM or MINIMUM. */
typedef struct brio_scan_args {
    brio_reduce_kind kind;
    brio_dtype dtype; /* of input and output */
    int sequential;   /* 1: one after another, NumPy's association; 0: the canonical tree for floats */
    int exclusive;
    int nrows_dims;
    const int64_t *rows_shape;
    int64_t length;
    brio_strided in, out; /* nrows_dims strides, then the axis' */
    uint32_t *fp_flags;
} brio_scan_args;

/* Sorts rows of `length` contiguous elements, row r at data + r * length elements, in place.
 * NaN last in both directions; -0.0 equals 0.0. Bits of equal floats may be permuted when not
 * stable (-0.0 against 0.0). */
typedef struct brio_sort_args {
    brio_dtype dtype;
    int descending;
    int64_t nrows, length;
    void *data;
} brio_sort_args;

/* index[r][i] = position within row r of its i-th element in order; always stable. */
typedef struct brio_argsort_args {
    brio_dtype dtype;
    int descending;
    int64_t nrows, length;
    const void *keys;
    int64_t *index;
} brio_argsort_args;

/* Moves blocks selected by index arrays.
 * base is an array whose first nindex dimensions (extents `extent`, byte strides `stride`) are
 * indexed by index[0..nindex), each `count` contiguous int64 already wrapped and checked, and whose
 * other dimensions form a block of shape block_shape, strides block_strides.
 * gather:  other[i, block] = base[index[..][i], block]
 * scatter: base[index[..][i], block] = other[i, block], the last i wins among equals. */
typedef struct brio_index_args {
    size_t itemsize;
    int nindex;
    const int64_t *const *index;
    const int64_t *stride;
    int64_t count;
    int block_ndim;
    const int64_t *block_shape;
    const int64_t *block_strides; /* in base */
    char *base;
    char *other;
    int64_t other_stride;               /* of i */
    const int64_t *other_block_strides; /* in other */
} brio_index_args;

/* c[b] = a[b] @ b[b], row-major matrices with byte strides; c does not overlap a or b. Integer
 * products wrap; bool is or-of-ands. */
typedef struct brio_matmul_args {
    brio_dtype dtype;
    int64_t m, n, k, batch;
    const char *a, *b;
    char *c;
    int64_t a_strides[3], b_strides[3], c_strides[3]; /* batch, row, column */
} brio_matmul_args;

/* args[0..nin) inputs, args[nin..nin+nout) outputs, n contiguous elements each, aligned to their size. An
 * output may be exactly an input of the same element size; no other overlap. */
typedef void (*brio_contiguous_loop)(char *const *args, int64_t n);

typedef struct brio_backend {
    uint32_t version; /* BRIO_BACKEND_VERSION */
    uint32_t size;    /* sizeof(brio_backend) */
    const char *name;
    brio_device_kind kind;

    /* Memory of the device; on the cpu the host pool. copy: `to_device` 1 host to device, 0 back. */
    brio_status (*alloc)(size_t bytes, void **out);
    void (*free)(void *pointer);
    brio_status (*copy)(void *to, const void *from, size_t bytes, int to_device);

    brio_status (*map)(const brio_map_args *);
    /* The bare loop of an operation for a slot (op/program.h), for few elements on the caller's thread,
     * or NULL when there is none. The member itself may be NULL: then map does small work too. */
    brio_contiguous_loop (*loop)(brio_op op, int slot);
    brio_status (*reduce)(const brio_reduce_args *);
    brio_status (*scan)(const brio_scan_args *);
    brio_status (*sort)(const brio_sort_args *);
    brio_status (*argsort)(const brio_argsort_args *);
    brio_status (*gather)(const brio_index_args *);
    brio_status (*scatter)(const brio_index_args *);
    /* Wraps negative indices in place and checks them against `extent`; BRIO_E_INDEX in NumPy's
     * words, naming `axis` (the array's own axis number), leaves them in any state. */
    brio_status (*check_index)(int64_t *index, int64_t count, int64_t extent, int axis);
    /* Positions of non-zero bytes among `count` contiguous bools. `index` NULL: only counts. */
    brio_status (*nonzero)(const uint8_t *mask, int64_t count, int64_t *index, int64_t *found);
    brio_status (*matmul)(const brio_matmul_args *);
} brio_backend;

/* The backend of a device that brio_device_available() accepts. Never NULL for BRIO_DEVICE_CPU. */
const brio_backend *brio_backend_for(brio_device device);

/* The cpu backend (src/backend/cpu). */
extern const brio_backend brio_backend_cpu;

#endif
