/* Reductions of rows: many short ones, a tile full of rows at a time, or long ones in pieces. */
#include "backend/cpu/reduce.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>
#include <string.h>

/* Results that are gathered before they are stored. */
#define BATCH 1024
/* Tiles in a piece at most: plan->share over the smallest tile of a long row. */
#define SHARE_TILES (1 << 7)
/* Fewer pieces than this are reduced sooner than a thread wakes. */
#define FEW_PIECES 4
/* NumPy's tree is cut where its nodes have at most this many elements. */
#define NODE_MAX (1 << 16)

typedef struct row_job {
    const brio_reduce_plan *plan;
    char *scratch;
    size_t worker_bytes;
    /* Long rows: pieces of every row, with their values. */
    int64_t pieces, piece;
    const int64_t *cuts; /* NumPy's tree: piece i is [cuts[i], cuts[i + 1]) */
    char *values;
    int64_t *index;
} row_job;

/* A worker's own scratch; NULL when none is needed. */
static char *room_of(const row_job *job, int worker)
{
    return job->worker_bytes > 0 ? job->scratch + (size_t)worker * job->worker_bytes : NULL;
}

/* ---- Short rows ----------------------------------------------------------------------------- */

static void reduce_rows(brio_reduce_worker *worker, int64_t row, int64_t nrows, char *values, int64_t *index)
{
    const brio_reduce_plan *plan = worker->plan;
    int64_t n = plan->reduced, most = plan->direct != NULL ? nrows : plan->tile.tile / n;
    for (int64_t done = 0; done < nrows; done += most) {
        int64_t now = nrows - done < most ? nrows - done : most;
        const char *data = brio_reduce_fetch(worker, (row + done) * n, now * n);
        if (plan->args != NULL)
            plan->args->rows(data, now, n, values + done * plan->size, index + done);
        else
            plan->rows(data, now, n, values + done * plan->size);
        brio_reduce_note_conditions(worker);
    }
}

static void short_rows(void *context, int64_t begin, int64_t end, int worker_number)
{
    const row_job *job = context;
    const brio_reduce_plan *plan = job->plan;
    _Alignas(64) char values[BATCH * 8];
    int64_t index[BATCH];
    brio_reduce_worker worker;
    brio_reduce_begin(plan, &worker, room_of(job, worker_number));
    for (int64_t row = begin; row < end; row += BATCH) {
        int64_t nrows = end - row < BATCH ? end - row : BATCH;
        reduce_rows(&worker, row, nrows, values, index);
        brio_reduce_store(plan, row, nrows, values, plan->args != NULL ? index : NULL);
    }
    brio_reduce_end(&worker);
}

/* ---- Pieces of long rows -------------------------------------------------------------------- */

/* NumPy's tree over [begin, begin + n), n > 128. */
static void pairwise_piece(brio_reduce_worker *worker, int64_t begin, int64_t n, char *value)
{
    const brio_reduce_plan *plan = worker->plan;
    if (plan->direct != NULL || n <= plan->tile.tile) {
        plan->rows(brio_reduce_fetch(worker, begin, n), 1, n, value);
        brio_reduce_note_conditions(worker);
        return;
    }
    _Alignas(8) char right[8];
    int64_t half = n / 2 - n / 2 % 8;
    pairwise_piece(worker, begin, half, value);
    pairwise_piece(worker, begin + half, n - half, right);
    plan->ops.columns(value, right, 1, 1, 0);
    brio_reduce_note_conditions(worker);
}

/* NumPy's product over [begin, begin + n), from left to right. */
static void sequential_piece(brio_reduce_worker *worker, int64_t begin, int64_t n, char *value)
{
    const brio_reduce_plan *plan = worker->plan;
    int64_t most = plan->direct != NULL ? n : plan->tile.tile;
    memcpy(value, plan->identity, (size_t)plan->size);
    for (int64_t done = 0; done < n; done += most) {
        int64_t now = n - done < most ? n - done : most;
        plan->ops.columns(value, brio_reduce_fetch(worker, begin + done, now), now, 1, plan->size);
        brio_reduce_note_conditions(worker);
    }
}

/* The canonical tree, or any reduction whose order does not show, tile by tile. */
static void tree_piece(brio_reduce_worker *worker, int64_t begin, int64_t n, char *value, int64_t *index)
{
    const brio_reduce_plan *plan = worker->plan;
    _Alignas(64) char values[SHARE_TILES * 8];
    int64_t positions[SHARE_TILES];
    int64_t most = plan->direct != NULL ? n : plan->tile.tile, count = 0;
    for (int64_t done = 0; done < n; done += most, count++) {
        int64_t now = n - done < most ? n - done : most;
        const char *data = brio_reduce_fetch(worker, begin + done, now);
        if (plan->args != NULL) {
            plan->args->rows(data, 1, now, values + count * plan->size, &positions[count]);
            positions[count] += done;
        } else {
            plan->rows(data, 1, now, values + count * plan->size);
        }
        brio_reduce_note_conditions(worker);
    }
    brio_reduce_join(plan, values, positions, count, 1);
    brio_reduce_note_conditions(worker);
    memcpy(value, values, (size_t)plan->size);
    if (plan->args != NULL)
        *index = positions[0];
}

static void long_rows(void *context, int64_t begin, int64_t end, int worker_number)
{
    const row_job *job = context;
    const brio_reduce_plan *plan = job->plan;
    brio_reduce_worker worker;
    brio_reduce_begin(plan, &worker, room_of(job, worker_number));
    for (int64_t task = begin; task < end; task++) {
        int64_t row = task / job->pieces, i = task % job->pieces;
        int64_t first = job->cuts != NULL ? job->cuts[i] : i * job->piece;
        int64_t last = job->cuts != NULL ? job->cuts[i + 1] : first + job->piece;
        if (last > plan->reduced)
            last = plan->reduced;
        char *value = job->values + task * plan->size;
        int64_t from = row * plan->reduced + first;
        if (!plan->numpy)
            tree_piece(&worker, from, last - first, value, job->index + task);
        else if (plan->is_sum)
            pairwise_piece(&worker, from, last - first, value);
        else
            sequential_piece(&worker, from, last - first, value);
        if (plan->args != NULL)
            job->index[task] += first;
    }
    brio_reduce_end(&worker);
}

/* Cuts NumPy's tree over [begin, begin + n) into nodes; returns how many. `cuts` NULL: only counts. */
static int64_t cut_pairwise(int64_t begin, int64_t n, int64_t *cuts)
{
    if (n <= NODE_MAX) {
        if (cuts != NULL)
            *cuts = begin;
        return 1;
    }
    int64_t half = n / 2 - n / 2 % 8;
    int64_t left = cut_pairwise(begin, half, cuts);
    return left + cut_pairwise(begin + half, n - half, cuts != NULL ? cuts + left : NULL);
}

/* Joins the nodes of cut_pairwise into values[0]; returns how many were under [0, n). */
static int64_t join_pairwise(const brio_reduce_plan *plan, char *values, int64_t n)
{
    if (n <= NODE_MAX)
        return 1;
    int64_t half = n / 2 - n / 2 % 8;
    int64_t left = join_pairwise(plan, values, half);
    char *right_values = values + left * plan->size;
    int64_t right = join_pairwise(plan, right_values, n - half);
    plan->ops.columns(values, right_values, 1, 1, 0);
    return left + right;
}

static void finish_long_rows(const row_job *job)
{
    const brio_reduce_plan *plan = job->plan;
    brio_reduce_forget_conditions(plan);
    for (int64_t row = 0; row < plan->outer; row++) {
        char *values = job->values + row * job->pieces * plan->size;
        int64_t *index = job->index + row * job->pieces;
        if (plan->numpy && job->cuts != NULL)
            join_pairwise(plan, values, plan->reduced);
        else
            brio_reduce_join(plan, values, index, job->pieces, 1);
        brio_reduce_store(plan, row, 1, values, plan->args != NULL ? index : NULL);
    }
    brio_reduce_add_conditions(plan);
}

static int64_t count_pieces(row_job *job)
{
    const brio_reduce_plan *plan = job->plan;
    job->piece = plan->share;
    if (plan->numpy && plan->is_sum)
        return cut_pairwise(0, plan->reduced, NULL);
    if (plan->numpy)
        job->piece = plan->reduced;
    return (plan->reduced + job->piece - 1) / job->piece;
}

/* Scratch: the tiles of the workers, then values and positions of the pieces, then the cuts. */
static brio_status run_long_rows(row_job *job, int threads)
{
    const brio_reduce_plan *plan = job->plan;
    job->pieces = count_pieces(job);
    size_t tasks = (size_t)(plan->outer * job->pieces), tiles = job->worker_bytes * (size_t)threads;
    size_t cuts = plan->numpy && plan->is_sum ? (size_t)job->pieces + 1 : 0;
    void *room = NULL;
    BRIO_TRY(brio_memory_alloc(tiles + (2 * tasks + cuts) * 8, &room));
    job->scratch = room;
    job->values = job->scratch + tiles;
    job->index = (int64_t *)(void *)(job->values + tasks * 8);
    if (cuts > 0) {
        int64_t *cut = job->index + tasks;
        cut_pairwise(0, plan->reduced, cut);
        cut[job->pieces] = plan->reduced;
        job->cuts = cut;
    }
    brio_parallel_for((int64_t)tasks, tasks < FEW_PIECES ? FEW_PIECES : 1, long_rows, job);
    finish_long_rows(job);
    brio_memory_free(room);
    return BRIO_OK;
}

brio_status brio_reduce_by_rows(const brio_reduce_plan *plan)
{
    int threads = brio_parallel_workers();
    row_job job = {.plan = plan, .worker_bytes = (plan->tile.scratch_bytes + 63) / 64 * 64};
    int64_t longest = plan->direct != NULL ? plan->share : plan->tile.tile;
    if (plan->reduced > longest)
        return run_long_rows(&job, threads);
    int64_t grain = plan->share / plan->reduced;
    void *room = NULL;
    if (job.worker_bytes > 0)
        BRIO_TRY(brio_memory_alloc(job.worker_bytes * (size_t)(plan->outer > grain ? threads : 1), &room));
    job.scratch = room;
    brio_parallel_for(plan->outer, grain > 1 ? grain : 1, short_rows, &job);
    brio_memory_free(room);
    return BRIO_OK;
}
