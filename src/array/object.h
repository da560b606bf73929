/* What an array is made of, and what the files of this folder take from one another.
 *
 * An array that has storage of its own is a root; a view points to its root (`base`) and counts it. The
 * storage of a root is one of: `inline_data` (few bytes), memory of a caller (`foreign`), or a buffer.
 * A pending array is a root without storage whose `node` says how its elements are computed (lazy.h). */
#ifndef BRIO_ARRAY_OBJECT_H
#define BRIO_ARRAY_OBJECT_H

#include "backend/backend.h"
#include "runtime/buffer.h"
#include "runtime/error.h"

#include <brio/array.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define BRIO_INLINE_DIMS 4
#define BRIO_INLINE_BYTES 64

typedef struct brio_node brio_node;

/* A place in the list of the pending nodes that read a root's storage. */
typedef struct brio_reader {
    brio_node *node;
    struct brio_reader *previous, *next;
} brio_reader;

struct brio_array {
    _Atomic int32_t references;
    uint8_t dtype, ndim;
    uint8_t writeable;
    uint8_t foreign;         /* root: storage is a caller's memory */
    _Atomic int32_t lent;    /* root: how often the memory was handed to others */
    uint8_t unlinked;        /* pending: out of every list and about to go, so that no thread can reach it */
    int64_t count;           /* elements */
    int64_t *shape;          /* inline_dims or an allocation of 2 * ndim */
    int64_t *strides;        /* bytes */
    brio_array *base;        /* the root: itself (not counted) or another (counted) */
    int64_t offset;          /* bytes from the start of the storage to the first element */
    char *direct;            /* root: start of host storage that is not a buffer, else NULL */
    brio_buffer *buffer;     /* root: storage that is a buffer, else NULL */
    brio_release_fn release; /* root with foreign storage: called when it goes */
    void *context;
    _Atomic(brio_node *) node;      /* not NULL: pending */
    brio_node *consumer;            /* pending: the one pending node that reads it (graph lock) */
    _Atomic(brio_reader *) readers; /* root: pending nodes that read its storage (graph lock) */
    int64_t inline_dims[2 * BRIO_INLINE_DIMS];
    _Alignas(64) unsigned char inline_data[BRIO_INLINE_BYTES];
};

/* ---- array.c --------------------------------------------------------------------------------- */

/* A root with room for its dimensions and nothing else set but the reference: the caller fills shape
 * and strides and then calls brio_array_seal. */
brio_status brio_array_create(brio_dtype dtype, int ndim, brio_array **out);

/* Counts the elements. BRIO_E_VALUE: negative or too large a shape. */
brio_status brio_array_seal(brio_array *array);

/* Gives a sealed root of contiguous strides (in any order of axes) storage with undefined contents. */
brio_status brio_array_allocate(brio_array *array);

/* create, C-order (or 'F') strides, seal, allocate. */
brio_status brio_array_new(brio_dtype dtype, int ndim, const int64_t *shape, char order, brio_array **out);

/* A view without any dimension set, writeable as `of`; `of` is settled. */
brio_status brio_array_new_view(brio_array *of, brio_dtype dtype, int ndim, int64_t offset, brio_array **out);

/* The first element of a settled array on the device where work is done. Does not settle readers. */
brio_status brio_array_pointer(const brio_array *array, brio_access access, char **out);

/* The device where the next work goes, and its backend. */
brio_device brio_array_place(void);
static inline const brio_backend *brio_array_backend(void)
{
    return brio_backend_for(brio_array_place());
}

static inline bool brio_array_is_pending(const brio_array *array)
{
    return atomic_load_explicit(&array->node, memory_order_acquire) != NULL;
}

static inline size_t brio_itemsize(unsigned dtype)
{
    static const uint8_t sizes[BRIO_DTYPE_COUNT] = {
#define BRIO_ITEMSIZE(name, text, size, kind) size,
        BRIO_DTYPE_TABLE(BRIO_ITEMSIZE)
#undef BRIO_ITEMSIZE
    };
    return sizes[dtype];
}

/* Casts away the const of a borrowed input: evaluation is not a change that anybody can see. */
static inline brio_array *brio_array_mutable(const brio_array *array)
{
    return (brio_array *)(uintptr_t)array;
}

static inline brio_array *brio_array_retain(brio_array *array)
{
    atomic_fetch_add_explicit(&array->references, 1, memory_order_relaxed);
    return array;
}

/* ---- block.c: memory for arrays and nodes ------------------------------------------------------ */

/* Blocks of one size for arrays and nodes, kept for reuse by each thread. NULL: no memory. */
void *brio_block_alloc(void);
void brio_block_free(void *block);
#define BRIO_BLOCK_BYTES 320

/* The k-th brio_block_alloc from now on fails, once; negative: none does. For tests. */
void brio_testing_fail_block(int64_t k);

/* ---- layout.c ---------------------------------------------------------------------------------- */

/* Elements of a shape; BRIO_E_VALUE when an extent is negative or the bytes exceed what can be addressed. */
brio_status brio_layout_count(int ndim, const int64_t *shape, size_t itemsize, int64_t *count);
void brio_layout_strides(int ndim, const int64_t *shape, size_t itemsize, char order, int64_t *strides);
bool brio_layout_is_c(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize);
bool brio_layout_is_f(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize);
bool brio_array_is_c(const brio_array *array);
bool brio_array_is_f(const brio_array *array);

/* Strides of a new array that keeps the order of axes of `n` operands as NumPy's iterator does
 * (order 'K'), or 'C', 'F', or 'A' (Fortran when all operands are so and not C). NULL operands are skipped.
 */
void brio_layout_like(int n, const brio_array *const *operands, int ndim, const int64_t *shape,
                      size_t itemsize, char order, int64_t *strides);

/* Strides of `array` laid over `shape`, to which it broadcasts. */
void brio_layout_broadcast(const brio_array *array, int ndim, const int64_t *shape, int64_t *strides);
bool brio_layout_fits(const brio_array *array, int ndim, const int64_t *shape);
bool brio_layout_same_shape(const brio_array *array, int ndim, const int64_t *shape);

/* Writes "(2,3)" as NumPy's error sentences do: with a comma after a single extent. */
const char *brio_layout_text(int ndim, const int64_t *shape, char *text, size_t size);
#define BRIO_LAYOUT_TEXT 256

/* axis in [-ndim, ndim) made non-negative. BRIO_E_AXIS in NumPy's words. */
brio_status brio_layout_axis(int axis, int ndim, int *out);

/* ---- space.c ----------------------------------------------------------------------------------- */

/* An iteration space with its operands; outputs first. */
typedef struct brio_space {
    int ndim, noperands;
    int64_t shape[BRIO_MAX_DIMS];
    brio_strided operands[BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_OUTPUTS];
} brio_space;

/* Adds a settled array laid over the space's shape. */
brio_status brio_space_add(brio_space *space, const brio_array *array, brio_access access);

/* Drops extents of 1, turns and sorts dimensions by the first operand's strides, merges what can be
 * merged. The order of visits changes: only for work without an order. */
void brio_space_collapse(brio_space *space);

/* The same for dimensions [begin, end) without turning or sorting: keeps C order of visits.
 * Returns how many dimensions are left in the range. */
int brio_space_merge(brio_space *space, int begin, int end);

/* ---- overlap.c --------------------------------------------------------------------------------- */

/* Whether both are exactly the same elements in the same order. */
bool brio_array_same_elements(const brio_array *a, const brio_array *b);

/* ---- copying ----------------------------------------------------------------------------------- */

/* A settled C-contiguous array of the dtype with the elements of `array`: itself (a new reference)
 * when it is that already and `fresh` is not asked. */
brio_status brio_array_contiguous(brio_array *array, brio_dtype dtype, bool fresh, brio_array **out);

/* to[...] = from, at once; same shape or broadcasting, any dtypes, no overlap but identity. */
brio_status brio_array_copy_elements(brio_array *to, const brio_array *from);

#endif
