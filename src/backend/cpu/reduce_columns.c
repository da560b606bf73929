/* Reductions of whole rows into one: rows are read in the order in which they lie, strip by strip of
 * columns. Float sums and products take 128 rows in order, then the tree over these blocks; NumPy's take
 * all rows in order; the order of the others does not show. */
#include "backend/cpu/reduce.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>
#include <string.h>

/* Bytes of one strip of results, which stays in the first level of cache. */
#define STRIP_BYTES 16384

typedef struct column_job {
    const brio_reduce_plan *plan;
    int64_t strip, nstrips; /* columns in a strip; strips in a row */
    int64_t fetch_rows;     /* rows that are fetched at once */
    int64_t group, ngroups; /* rows in a group: a power of two of blocks; groups in a column */
    int64_t block;          /* rows that are taken in order before the tree begins */
    int levels;             /* of the tree within a group */
    char *scratch;
    size_t worker_bytes, tile_bytes;
    char *values; /* [group][outer][inner] when there are several groups */
    int64_t *index;
} column_job;

/* Rows [row, row + n) of columns [column, column + width) of an outer item. */
static const char *fetch_rows(brio_reduce_worker *worker, int64_t outer, int64_t row, int64_t n,
                              int64_t column)
{
    const brio_reduce_plan *plan = worker->plan;
    return brio_reduce_fetch(worker, (outer * plan->reduced + row) * plan->inner + column, n);
}

/* acc = rows [first, last) in order. */
static void reduce_block(const column_job *job, brio_reduce_worker *worker, int64_t outer, int64_t column,
                         int64_t width, int64_t first, int64_t last, char *acc)
{
    const brio_reduce_plan *plan = job->plan;
    int64_t stride = plan->inner * plan->size;
    for (int64_t row = first; row < last;) {
        int64_t n = last - row < job->fetch_rows ? last - row : job->fetch_rows;
        const char *data = fetch_rows(worker, outer, row, (n - 1) * plan->inner + width, column);
        row += n;
        if (row - n == first) {
            if (plan->numpy && first == 0) {
                for (int64_t j = 0; j < width; j++)
                    memcpy(acc + j * plan->size, plan->identity, (size_t)plan->size);
            } else {
                memcpy(acc, data, (size_t)(width * plan->size));
                data += stride;
                n--;
            }
        }
        if (n > 0)
            plan->ops.columns(acc, data, n, width, stride);
        brio_reduce_note_conditions(worker);
    }
}

static void arg_block(const column_job *job, brio_reduce_worker *worker, int64_t outer, int64_t column,
                      int64_t width, int64_t first, int64_t last, char *best, int64_t *index)
{
    const brio_reduce_plan *plan = job->plan;
    for (int64_t row = first; row < last;) {
        int64_t n = last - row < job->fetch_rows ? last - row : job->fetch_rows;
        const char *data = fetch_rows(worker, outer, row, (n - 1) * plan->inner + width, column);
        if (row == first) {
            memcpy(best, data, (size_t)(width * plan->size));
            for (int64_t j = 0; j < width; j++)
                index[j] = first;
        }
        plan->args->columns(best, index, data, row, n, width, plan->inner * plan->size);
        brio_reduce_note_conditions(worker);
        row += n;
    }
}

/* The tree over the blocks of rows [first, last): nodes wait in `rooms` until their neighbour is there.
 * The result is in the first room. */
static void reduce_tree(const column_job *job, brio_reduce_worker *worker, int64_t outer, int64_t column,
                        int64_t width, int64_t first, int64_t last, char *rooms)
{
    const brio_reduce_plan *plan = job->plan;
    int64_t room = job->strip * plan->size, count = 0;
    int top = 0;
    for (int64_t row = first; row < last; count++) {
        int64_t n = last - row < job->block ? last - row : job->block;
        reduce_block(job, worker, outer, column, width, row, row + n, rooms + top * room);
        row += n;
        for (int64_t bits = count; bits & 1; bits >>= 1, top--)
            plan->ops.columns(rooms + (top - 1) * room, rooms + top * room, 1, width, 0);
        top++;
    }
    for (top--; top > 0; top--)
        plan->ops.columns(rooms + (top - 1) * room, rooms + top * room, 1, width, 0);
    brio_reduce_note_conditions(worker);
}

static void reduce_task(const column_job *job, brio_reduce_worker *worker, int64_t task, char *rooms)
{
    const brio_reduce_plan *plan = job->plan;
    int64_t group = task % job->ngroups, strip = task / job->ngroups % job->nstrips;
    int64_t outer = task / job->ngroups / job->nstrips, column = strip * job->strip;
    int64_t width = plan->inner - column < job->strip ? plan->inner - column : job->strip;
    int64_t first = group * job->group, last = first + job->group;
    int64_t *index = (int64_t *)(void *)(rooms + (job->levels * job->strip * plan->size + 63) / 64 * 64);
    if (last > plan->reduced)
        last = plan->reduced;
    if (plan->args != NULL)
        arg_block(job, worker, outer, column, width, first, last, rooms, index);
    else
        reduce_tree(job, worker, outer, column, width, first, last, rooms);
    int64_t place = outer * plan->inner + column;
    if (job->ngroups == 1) {
        brio_reduce_store(plan, place, width, rooms, plan->args != NULL ? index : NULL);
        return;
    }
    int64_t at = group * plan->outer * plan->inner + place;
    memcpy(job->values + at * plan->size, rooms, (size_t)(width * plan->size));
    if (plan->args != NULL)
        memcpy(job->index + at, index, (size_t)width * sizeof *index);
}

static void reduce_tasks(void *context, int64_t begin, int64_t end, int worker_number)
{
    const column_job *job = context;
    char *scratch = job->scratch + (size_t)worker_number * job->worker_bytes;
    brio_reduce_worker worker;
    brio_reduce_begin(job->plan, &worker, scratch);
    for (int64_t task = begin; task < end; task++)
        reduce_task(job, &worker, task, scratch + job->tile_bytes);
    brio_reduce_end(&worker);
}

/* The strips, and the rows that one fetch may bring. */
static void choose_strips(column_job *job)
{
    const brio_reduce_plan *plan = job->plan;
    job->strip = STRIP_BYTES / plan->size;
    if (plan->direct == NULL)
        job->strip = plan->tile.tile;
    if (job->strip > plan->inner)
        job->strip = plan->inner;
    job->fetch_rows = plan->direct != NULL        ? plan->reduced
                      : job->strip == plan->inner ? plan->tile.tile / plan->inner
                                                  : 1;
    if (plan->direct != NULL && plan->numpy && plan->outer == 1) {
        /* Nothing but strips can be shared. */
        int64_t even = (plan->inner + brio_threads() - 1) / brio_threads();
        job->strip = even < 64           ? (plan->inner < 64 ? plan->inner : 64)
                     : job->strip < even ? job->strip
                                         : even;
    }
    job->nstrips = (plan->inner + job->strip - 1) / job->strip;
}

/* Groups of rows, when outer items and strips alone are too few to share. */
static void choose_groups(column_job *job)
{
    const brio_reduce_plan *plan = job->plan;
    int in_order = plan->numpy || !plan->wants_fp;
    job->block = in_order ? plan->reduced : BRIO_REDUCE_BLOCK_ROWS;
    job->group = plan->reduced;
    job->ngroups = 1;
    int64_t tasks = plan->outer * job->nstrips, threads = brio_threads();
    if (!plan->numpy && tasks < 4 * threads && plan->reduced * plan->inner > plan->share) {
        int64_t wish = plan->reduced / (4 * threads / tasks + 1), least = plan->share / plan->inner;
        wish = wish > least ? wish : least;
        job->group = BRIO_REDUCE_BLOCK_ROWS;
        while (job->group < wish)
            job->group *= 2;
        job->ngroups = (plan->reduced + job->group - 1) / job->group;
    }
    int64_t blocks = (job->group + job->block - 1) / job->block;
    job->levels = 2;
    for (; blocks > 1; blocks = (blocks + 1) / 2)
        job->levels++;
}

/* Joins the groups' results and stores them. */
static void join_groups(void *context, int64_t begin, int64_t end, int worker)
{
    const column_job *job = context;
    const brio_reduce_plan *plan = job->plan;
    int64_t all = plan->outer * plan->inner, n = end - begin;
    char *values = job->values + begin * plan->size;
    brio_reduce_forget_conditions(plan);
    if (plan->args != NULL) {
        for (int64_t g = 1; g < job->ngroups; g++)
            plan->args->fold(values, job->index + begin, values + g * all * plan->size,
                             job->index + begin + g * all, n);
    } else {
        for (int64_t step = 1; step < job->ngroups; step *= 2) {
            for (int64_t g = 0; g + step < job->ngroups; g += 2 * step)
                plan->ops.columns(values + g * all * plan->size, values + (g + step) * all * plan->size, 1, n,
                                  0);
        }
    }
    brio_reduce_add_conditions(plan);
    brio_reduce_store(plan, begin, n, values, plan->args != NULL ? job->index + begin : NULL);
}

brio_status brio_reduce_by_columns(const brio_reduce_plan *plan)
{
    column_job job = {.plan = plan};
    choose_strips(&job);
    choose_groups(&job);
    size_t rooms = ((size_t)(job.levels * job.strip * plan->size) + 63) / 64 * 64;
    job.tile_bytes = (plan->tile.scratch_bytes + 63) / 64 * 64;
    job.worker_bytes =
        job.tile_bytes + rooms + (plan->args != NULL ? ((size_t)job.strip * 8 + 63) / 64 * 64 : 0);
    int64_t tasks = plan->outer * job.nstrips * job.ngroups, all = plan->outer * plan->inner;
    int64_t size_of_task = job.strip * (job.group < plan->reduced ? job.group : plan->reduced);
    int64_t grain = plan->share / size_of_task;
    size_t partial = job.ngroups > 1 ? (size_t)(job.ngroups * all) : 0;
    size_t workers = job.worker_bytes * (size_t)(tasks > grain ? brio_parallel_workers() : 1);
    void *room = NULL;
    BRIO_TRY(brio_memory_alloc(workers + partial * (plan->args != NULL ? 16 : 8), &room));
    job.scratch = room;
    job.values = job.scratch + workers;
    job.index = (int64_t *)(void *)(job.values + partial * 8);
    brio_parallel_for(tasks, grain > 1 ? grain : 1, reduce_tasks, &job);
    if (job.ngroups > 1)
        brio_parallel_for(all, 4096, join_groups, &job);
    brio_memory_free(room);
    return BRIO_OK;
}
