/* Gather, scatter, checking of indices, and positions of non-zeros. */
#include "backend/cpu/kernels.h"
#include "backend/cpu/primitives.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>
#include <string.h>

/* Items for which a thread of their own pays, and bytes moved likewise. */
#define GRAIN (1 << 15)
#define BYTES_GRAIN (1 << 17)
/* How far ahead of its use an element is fetched into the cache. */
#define PREFETCH 24

/* The block as one run of contiguous bytes when both sides have it so; else item by item. */
typedef struct block_shape {
    size_t bytes;  /* of one contiguous run */
    int ndim;      /* of what is left outside the run */
    int64_t items; /* runs in the block */
} block_shape;

static block_shape fold_block(const brio_index_args *args)
{
    block_shape block = {args->itemsize, args->block_ndim, 1};
    while (block.ndim > 0) {
        int d = block.ndim - 1;
        int contiguous = args->block_strides[d] == (int64_t)block.bytes &&
                         args->other_block_strides[d] == (int64_t)block.bytes;
        if (args->block_shape[d] != 1 && !contiguous)
            break;
        block.bytes *= (size_t)args->block_shape[d];
        block.ndim--;
    }
    for (int d = 0; d < block.ndim; d++)
        block.items *= args->block_shape[d];
    return block;
}

static char *locate(const brio_index_args *args, int64_t i)
{
    char *base = args->base;
    for (int d = 0; d < args->nindex; d++)
        base += args->index[d][i] * args->stride[d];
    return base;
}

/* A copy whose size the compiler knows for the sizes that elements have. */
static inline void copy_run(char *to, const char *from, size_t bytes)
{
    switch (bytes) {
    case 1:
        *to = *from;
        return;
    case 2:
        memcpy(to, from, 2);
        return;
    case 4:
        memcpy(to, from, 4);
        return;
    case 8:
        memcpy(to, from, 8);
        return;
    case 16:
        memcpy(to, from, 16);
        return;
    default:
        memcpy(to, from, bytes);
        return;
    }
}

/* Moves one block, run by run in C order. */
static void move_block(const brio_index_args *args, const block_shape *block, char *base, char *other,
                       int gather)
{
    int64_t at[BRIO_MAX_DIMS] = {0};
    for (int64_t item = 0; item < block->items; item++) {
        if (gather)
            copy_run(other, base, block->bytes);
        else
            copy_run(base, other, block->bytes);
        for (int d = block->ndim - 1; d >= 0; d--) {
            base += args->block_strides[d];
            other += args->other_block_strides[d];
            if (++at[d] < args->block_shape[d])
                break;
            base -= at[d] * args->block_strides[d];
            other -= at[d] * args->other_block_strides[d];
            at[d] = 0;
        }
    }
}

typedef struct index_job {
    const brio_index_args *args;
    block_shape block;
    int64_t parts, extent; /* scatter_parts: of the first indexed dimension */
} index_job;

#define GATHER_ELEMENTS(name, T)                                                                             \
    static void name(const brio_index_args *args, int64_t begin, int64_t end)                                \
    {                                                                                                        \
        const int64_t *index = args->index[0];                                                               \
        const char *base = args->base;                                                                       \
        int64_t stride = args->stride[0], step = args->other_stride;                                         \
        char *to = args->other + begin * step;                                                               \
        int64_t ahead = end - begin > PREFETCH ? end - PREFETCH : begin;                                     \
        for (int64_t i = begin; i < end; i++, to += step) {                                                  \
            if (i < ahead)                                                                                   \
                __builtin_prefetch(base + index[i + PREFETCH] * stride);                                     \
            memcpy(to, base + index[i] * stride, sizeof(T));                                                 \
        }                                                                                                    \
    }
GATHER_ELEMENTS(gather_1, uint8_t)
GATHER_ELEMENTS(gather_2, uint16_t)
GATHER_ELEMENTS(gather_4, uint32_t)
GATHER_ELEMENTS(gather_8, uint64_t)

static void gather_part(void *context, int64_t begin, int64_t end, int worker)
{
    const index_job *job = context;
    const brio_index_args *args = job->args;
    if (args->nindex == 1 && job->block.items == 1) {
        switch (job->block.bytes) {
        case 1:
            gather_1(args, begin, end);
            return;
        case 2:
            gather_2(args, begin, end);
            return;
        case 4:
            gather_4(args, begin, end);
            return;
        case 8:
            gather_8(args, begin, end);
            return;
        default:
            break;
        }
    }
    for (int64_t i = begin; i < end; i++) {
        if (i + 2 < end)
            __builtin_prefetch(locate(args, i + 2));
        move_block(args, &job->block, locate(args, i), args->other + i * args->other_stride, 1);
    }
}

/* Items of a parallel loop so that each chunk moves enough bytes. */
static int64_t grain_of(const block_shape *block)
{
    int64_t bytes = (int64_t)block->bytes * block->items;
    int64_t grain = bytes > 0 ? BYTES_GRAIN / bytes : GRAIN;
    return grain < 1 ? 1 : grain > GRAIN ? GRAIN : grain;
}

brio_status brio_cpu_gather(const brio_index_args *args)
{
    index_job job = {args, fold_block(args), 1, 0};
    if (args->count == 0 || job.block.bytes == 0 || job.block.items == 0)
        return BRIO_OK;
    brio_parallel_for(args->count, grain_of(&job.block), gather_part, &job);
    return BRIO_OK;
}

static void scatter_all(const index_job *job)
{
    const brio_index_args *args = job->args;
    for (int64_t i = 0; i < args->count; i++) {
        if (i + PREFETCH < args->count)
            __builtin_prefetch(locate(args, i + PREFETCH), 1);
        move_block(args, &job->block, locate(args, i), args->other + i * args->other_stride, 0);
    }
}

/* Part p of base takes the items whose first index lies in it, in their order: so the last one wins, and
 * no two workers write to one place. */
static void scatter_parts(void *context, int64_t begin, int64_t end, int worker)
{
    const index_job *job = context;
    const brio_index_args *args = job->args;
    for (int64_t part = begin; part < end; part++) {
        int64_t low = job->extent * part / job->parts, high = job->extent * (part + 1) / job->parts;
        for (int64_t i = 0; i < args->count; i++) {
            int64_t first = args->index[0][i];
            if (first >= low && first < high)
                move_block(args, &job->block, locate(args, i), args->other + i * args->other_stride, 0);
        }
    }
}

brio_status brio_cpu_scatter(const brio_index_args *args)
{
    index_job job = {args, fold_block(args), 1, 0};
    if (args->count == 0 || job.block.bytes == 0 || job.block.items == 0)
        return BRIO_OK;
    int64_t bytes = (int64_t)job.block.bytes * job.block.items;
    if (bytes >= 64 && args->stride[0] != 0 && args->count * bytes >= 4 * BYTES_GRAIN) {
        for (int64_t i = 0; i < args->count; i++)
            job.extent = args->index[0][i] >= job.extent ? args->index[0][i] + 1 : job.extent;
        job.parts = brio_threads();
        brio_parallel_for(job.parts, 1, scatter_parts, &job);
    } else {
        scatter_all(&job);
    }
    return BRIO_OK;
}

/* ---- check_index ---------------------------------------------------------------------------- */

typedef struct check_job {
    int64_t *index;
    int64_t extent;
    int64_t bad; /* the lowest position of a wrong index; count when none */
} check_job;

static void check_part(void *context, int64_t begin, int64_t end, int worker)
{
    check_job *job = context;
    int64_t extent = job->extent;
    uint64_t wrong = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t index = job->index[i], wrapped = index + (index < 0 ? extent : 0);
        wrong |= (uint64_t)wrapped >= (uint64_t)extent;
        job->index[i] = wrapped;
    }
    if (!wrong)
        return;
    int64_t i = begin;
    while ((uint64_t)job->index[i] < (uint64_t)extent)
        i++;
    int64_t bad = __atomic_load_n(&job->bad, __ATOMIC_RELAXED);
    while (i < bad && !__atomic_compare_exchange_n(&job->bad, &bad, i, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

brio_status brio_cpu_check_index(int64_t *index, int64_t count, int64_t extent, int axis)
{
    check_job job = {index, extent, count};
    brio_parallel_for(count, GRAIN, check_part, &job);
    if (job.bad == count)
        return BRIO_OK;
    int64_t wrong = index[job.bad]; /* a negative one was shifted by the extent */
    return brio_fail(BRIO_E_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)(wrong < 0 ? wrong - extent : wrong), axis, (long long)extent);
}

/* ---- nonzero -------------------------------------------------------------------------------- */

typedef struct nonzero_job {
    const uint8_t *mask;
    int64_t *index;
    int64_t grain;
    int64_t *before; /* non-zeros ahead of each chunk and of the end, after having been those inside it */
} nonzero_job;

static void count_chunks(void *context, int64_t begin, int64_t end, int worker)
{
    nonzero_job *job = context;
    for (; begin < end; begin += job->grain) {
        int64_t n = end - begin < job->grain ? end - begin : job->grain;
        job->before[begin / job->grain] = brio_cpu_kernels_now()->nonzero_count(job->mask + begin, n);
    }
}

static void emit_chunks(void *context, int64_t begin, int64_t end, int worker)
{
    nonzero_job *job = context;
    const int64_t *before = &job->before[begin / job->grain];
    brio_cpu_kernels_now()->nonzero_emit(job->mask, begin, end, job->index + before[0],
                                         job->index + before[1]);
}

brio_status brio_cpu_nonzero(const uint8_t *mask, int64_t count, int64_t *index, int64_t *found)
{
    int64_t chunks_max = 4096, grain = GRAIN;
    while ((count + grain - 1) / grain > chunks_max)
        grain *= 2;
    int64_t chunks = (count + grain - 1) / grain;
    void *before = NULL;
    BRIO_TRY(brio_memory_alloc((size_t)(chunks + 1) * sizeof(int64_t), &before));
    nonzero_job job = {mask, index, grain, before};
    brio_parallel_for(count, grain, count_chunks, &job);
    int64_t total = 0;
    for (int64_t i = 0; i < chunks; i++) {
        int64_t inside = job.before[i];
        job.before[i] = total;
        total += inside;
    }
    job.before[chunks] = total;
    *found = total;
    if (index != NULL)
        brio_parallel_for(count, grain, emit_chunks, &job);
    brio_memory_free(before);
    return BRIO_OK;
}
