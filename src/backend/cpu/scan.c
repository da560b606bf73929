/* The scan primitive. Rows that are contiguous along the axis are cut into tiles whose prefixes come from
 * a fixed tree of their totals (docs/numerics.md), unless the caller asks for one order from left to
 * right; where neighbours along the axis lie apart, rows of neighbours are added up in order. */
#include "backend/cpu/scan_kernels.h"
#include "backend/cpu/fp.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/primitives.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>
#include <math.h>
#include <string.h>

/* Elements for which a thread of their own pays. */
#define SHARE (1 << 15)
/* Bytes of a row that are worked on between two meetings of the threads: read twice, from cache. */
#define BATCH_BYTES (2 << 20)
/* Rows shorter than this are scanned from left to right by either rule. */
#define SHORT BRIO_SCAN_TILE

typedef struct scan_job {
    const brio_scan_args *args;
    const brio_scan_ops *ops;
    int64_t size, nrows;
    int wants_fp;
    _Alignas(8) char identity[8]; /* exact: a sum's is -0.0 */
    char shown[8];                /* what an exclusive scan begins with */
    /* A batch of tiles of one long row. */
    const char *in;
    char *out;
    int64_t n;
    char *totals;
    /* Columns. */
    int64_t width, in_stride, out_stride;
} scan_job;

static void put_number(brio_dtype dtype, char *to, double x, int64_t integer)
{
    float f = (float)x;
    if (dtype == BRIO_F32)
        memcpy(to, &f, sizeof f);
    else if (dtype == BRIO_F64)
        memcpy(to, &x, sizeof x);
    else
        memcpy(to, &integer, sizeof integer);
}

static void set_identities(scan_job *job)
{
    brio_dtype dtype = job->args->dtype;
    int is_signed = brio_dtype_kind(dtype) == 'i', bits = 8 * (int)job->size;
    uint64_t ones = bits == 64 ? UINT64_MAX : (1ULL << bits) - 1, most = is_signed ? ones >> 1 : ones;
    if (dtype == BRIO_BOOL)
        most = 1;
    switch (job->args->kind) {
    case BRIO_REDUCE_ADD:
        put_number(dtype, job->identity, -0.0, 0);
        put_number(dtype, job->shown, 0.0, 0);
        return;
    case BRIO_REDUCE_MULTIPLY:
        put_number(dtype, job->identity, 1, 1);
        break;
    case BRIO_REDUCE_MAXIMUM:
        put_number(dtype, job->identity, -INFINITY, is_signed ? (int64_t)(most + 1) : 0);
        break;
    default:
        put_number(dtype, job->identity, INFINITY, (int64_t)most);
        break;
    }
    memcpy(job->shown, job->identity, sizeof job->shown);
}

static void begin_conditions(const scan_job *job)
{
    if (job->args->fp_flags != NULL)
        brio_fp_clear();
}

static void end_conditions(const scan_job *job)
{
    if (job->args->fp_flags != NULL && job->wants_fp)
        __atomic_fetch_or(job->args->fp_flags, brio_fp_read(), __ATOMIC_RELAXED);
}

static void locate_row(const scan_job *job, int64_t row, const char **in, char **out)
{
    const brio_scan_args *args = job->args;
    *in = args->in.data;
    *out = args->out.data;
    for (int d = args->nrows_dims - 1; d >= 0; d--) {
        int64_t at = row % args->rows_shape[d];
        row /= args->rows_shape[d];
        *in += at * args->in.strides[d];
        *out += at * args->out.strides[d];
    }
}

/* ---- From left to right ---------------------------------------------------------------------- */

static void run_rows(void *context, int64_t begin, int64_t end, int worker)
{
    const scan_job *job = context;
    const brio_scan_args *args = job->args;
    begin_conditions(job);
    for (int64_t row = begin; row < end; row++) {
        const char *in;
        char *out, carry[8];
        locate_row(job, row, &in, &out);
        memcpy(carry, job->identity, sizeof carry);
        job->ops->run(in, args->in.strides[args->nrows_dims], out, args->out.strides[args->nrows_dims],
                      args->length, carry, args->exclusive);
        if (args->exclusive)
            memcpy(out, job->shown, (size_t)job->size);
    }
    end_conditions(job);
}

/* ---- Tiles of long contiguous rows ------------------------------------------------------------ */

static void total_tiles(void *context, int64_t begin, int64_t end, int worker)
{
    const scan_job *job = context;
    int64_t whole = job->n / BRIO_SCAN_TILE;
    if (end > whole)
        end = whole;
    begin_conditions(job);
    if (begin < end)
        job->ops->totals(job->in + begin * BRIO_SCAN_TILE * job->size, end - begin,
                         job->totals + begin * job->size);
    end_conditions(job);
}

static void apply_tiles(void *context, int64_t begin, int64_t end, int worker)
{
    const scan_job *job = context;
    int64_t first = begin * BRIO_SCAN_TILE, last = end * BRIO_SCAN_TILE;
    begin_conditions(job);
    job->ops->apply(job->in + first * job->size, job->out + first * job->size,
                    (last < job->n ? last : job->n) - first, job->totals + begin * job->size,
                    job->args->exclusive);
    end_conditions(job);
}

/* The totals of the complete groups of a power of two of tiles that make up the row so far: largest
 * first. A tile's prefix is these, combined from left to right. */
typedef struct scan_groups {
    int64_t tiles;
    int top;
    _Alignas(8) char totals[64][8];
} scan_groups;

static void prefix_of(const scan_job *job, const scan_groups *groups, char *prefix)
{
    memcpy(prefix, job->identity, (size_t)job->size);
    for (int i = 0; i < groups->top; i++)
        job->ops->step(i == 0 ? job->identity : prefix, groups->totals[i], prefix, 1);
}

static void append_tile(const scan_job *job, scan_groups *groups, const char *total)
{
    memcpy(groups->totals[groups->top], total, (size_t)job->size);
    for (int64_t bits = groups->tiles; bits & 1; bits >>= 1, groups->top--)
        job->ops->step(groups->totals[groups->top - 1], groups->totals[groups->top],
                       groups->totals[groups->top - 1], 1);
    groups->top++;
    groups->tiles++;
}

/* Totals become prefixes. */
static void turn_totals(const scan_job *job, scan_groups *groups, int64_t tiles)
{
    begin_conditions(job);
    for (int64_t t = 0; t < tiles; t++) {
        _Alignas(8) char prefix[8];
        prefix_of(job, groups, prefix);
        append_tile(job, groups, job->totals + t * job->size);
        memcpy(job->totals + t * job->size, prefix, (size_t)job->size);
    }
    end_conditions(job);
}

static void scan_long_row(scan_job *job, const char *in, char *out)
{
    const brio_scan_args *args = job->args;
    int64_t batch = BATCH_BYTES / job->size;
    scan_groups groups = {.tiles = 0, .top = 0};
    for (int64_t done = 0; done < args->length; done += batch) {
        job->n = args->length - done < batch ? args->length - done : batch;
        job->in = in + done * job->size;
        job->out = out + done * job->size;
        int64_t tiles = (job->n + BRIO_SCAN_TILE - 1) / BRIO_SCAN_TILE;
        memset(job->totals + (tiles - 1) * job->size, 0,
               (size_t)job->size); /* that of a cut tile is not used */
        brio_parallel_for(tiles, SHARE / BRIO_SCAN_TILE, total_tiles, job);
        turn_totals(job, &groups, tiles);
        brio_parallel_for(tiles, SHARE / BRIO_SCAN_TILE, apply_tiles, job);
    }
    if (args->exclusive)
        memcpy(out, job->shown, (size_t)job->size);
}

static void scan_long_rows(void *context, int64_t begin, int64_t end, int worker)
{
    const scan_job *shared = context;
    scan_job job = *shared;
    job.totals = shared->totals + (size_t)worker * (BATCH_BYTES / BRIO_SCAN_TILE);
    for (int64_t row = begin; row < end; row++) {
        const char *in;
        char *out;
        locate_row(&job, row, &in, &out);
        scan_long_row(&job, in, out);
    }
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Columns [begin, end) of one outer item, row after row. */
static void scan_columns(void *context, int64_t begin, int64_t end, int worker)
{
    const scan_job *job = context;
    const char *in = job->in + begin * job->size;
    char *out = job->out + begin * job->size;
    int64_t width = end - begin;
    begin_conditions(job);
    memcpy(out, in, (size_t)(width * job->size));
    for (int64_t i = 1; i < job->args->length; i++)
        job->ops->step(out + (i - 1) * job->out_stride, in + i * job->in_stride, out + i * job->out_stride,
                       width);
    end_conditions(job);
}

/* Whether the last dimension of rows is contiguous, wider than a few elements, and closer than the axis. */
static int has_columns(const scan_job *job)
{
    const brio_scan_args *args = job->args;
    int last = args->nrows_dims - 1;
    return last >= 0 && !args->exclusive && args->rows_shape[last] >= 8 &&
           args->in.strides[last] == job->size && args->out.strides[last] == job->size &&
           args->in.strides[last + 1] != job->size && args->in.data != args->out.data;
}

static void scan_by_columns(scan_job *job)
{
    const brio_scan_args *args = job->args;
    int last = args->nrows_dims - 1;
    int64_t width = args->rows_shape[last], outer = job->nrows / width;
    job->in_stride = args->in.strides[last + 1];
    job->out_stride = args->out.strides[last + 1];
    int64_t grain = width / brio_threads() + 1, least = SHARE / args->length;
    grain = grain < 64 ? 64 : grain > 2048 ? 2048 : grain;
    for (int64_t i = 0; i < outer; i++) {
        locate_row(job, i * width, &job->in, &job->out);
        brio_parallel_for(width, grain > least ? grain : least, scan_columns, job);
    }
}

/* ---- The primitive --------------------------------------------------------------------------- */

static int is_tiled(const scan_job *job)
{
    const brio_scan_args *args = job->args;
    int is_float = brio_dtype_kind(args->dtype) == 'f';
    return args->length > SHORT && args->in.strides[args->nrows_dims] == job->size &&
           args->out.strides[args->nrows_dims] == job->size && !(args->sequential && is_float);
}

static brio_status scan_tiled(scan_job *job)
{
    int64_t threads = brio_threads(), share = SHARE / job->args->length;
    int many = job->nrows >= 2 * threads;
    void *room = NULL;
    BRIO_TRY(brio_memory_alloc((size_t)(many ? threads : 1) * (BATCH_BYTES / BRIO_SCAN_TILE), &room));
    job->totals = room;
    if (many)
        brio_parallel_for(job->nrows, share > 1 ? share : 1, scan_long_rows, job);
    else
        scan_long_rows(job, 0, job->nrows, 0);
    brio_memory_free(room);
    return BRIO_OK;
}

brio_status brio_cpu_scan(const brio_scan_args *args)
{
    const brio_scan_ops *ops =
        args->dtype < BRIO_DTYPE_COUNT ? brio_cpu_kernels_now()->scan->ops[args->dtype] : NULL;
    if (ops == NULL || args->kind > BRIO_REDUCE_MINIMUM)
        return brio_fail(BRIO_E_TYPE, "cannot scan dtype %s by reduction %d", brio_dtype_name(args->dtype),
                         (int)args->kind);
    scan_job job = {
        .args = args, .ops = &ops[args->kind], .size = (int64_t)brio_dtype_size(args->dtype), .nrows = 1};
    for (int d = 0; d < args->nrows_dims; d++)
        job.nrows *= args->rows_shape[d];
    if (job.nrows == 0 || args->length == 0)
        return BRIO_OK;
    job.wants_fp = brio_dtype_kind(args->dtype) == 'f' && args->kind <= BRIO_REDUCE_MULTIPLY;
    set_identities(&job);
    if (is_tiled(&job))
        return scan_tiled(&job);
    if (has_columns(&job)) {
        scan_by_columns(&job);
        return BRIO_OK;
    }
    int64_t grain = SHARE / args->length;
    brio_parallel_for(job.nrows, grain > 1 ? grain : 1, run_rows, &job);
    return BRIO_OK;
}
