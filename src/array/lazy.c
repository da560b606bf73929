/* The graph of pending arrays: building, settling, forgetting. The rules are in lazy.h. */
#include "array/lazy.h"
#include "runtime/config.h"
#include "runtime/memory.h"

#include <brio/config.h>
#include <pthread.h>

#define MAX_NODES 64
/* Below this nobody asks how much an expression keeps alive. */
#define RETAINED_FREE ((int64_t)256 << 20)

_Static_assert(sizeof(brio_node) <= BRIO_BLOCK_BYTES, "a node fits a block");

static pthread_mutex_t graph_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t graph_once = PTHREAD_ONCE_INIT;

static void lock(void)
{
    pthread_mutex_lock(&graph_mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&graph_mutex);
}

static void keep_across_fork(void)
{
    brio_memory_watch_forks();
    pthread_atfork(lock, unlock, unlock);
}

static brio_node *node_of(const brio_array *array)
{
    return atomic_load_explicit(&array->node, memory_order_relaxed);
}

/* Whether nobody but the node, which reads it, holds the array. */
static bool is_dropped(const brio_array *array, const brio_node *by)
{
    int held = 0;
    for (int i = 0; i < by->expr.nin; i++)
        held += by->expr.in[i] == array;
    return atomic_load_explicit(&array->references, memory_order_acquire) == held;
}

/* ---- lists of readers -------------------------------------------------------------------------- */

static void link_reader(brio_node *node, int i)
{
    brio_array *root = node->expr.in[i]->base;
    brio_reader *reader = &node->readers[i];
    *reader = (brio_reader){NULL, NULL, NULL};
    if (root->foreign)
        return;
    brio_reader *first = atomic_load_explicit(&root->readers, memory_order_relaxed);
    *reader = (brio_reader){node, NULL, first};
    if (first != NULL)
        first->previous = reader;
    atomic_store_explicit(&root->readers, reader, memory_order_release);
}

static void unlink_reader(brio_node *node, int i)
{
    brio_reader *reader = &node->readers[i];
    if (reader->node == NULL)
        return;
    if (reader->next != NULL)
        reader->next->previous = reader->previous;
    if (reader->previous != NULL)
        reader->previous->next = reader->next;
    else
        atomic_store_explicit(&node->expr.in[i]->base->readers, reader->next, memory_order_release);
    reader->node = NULL;
}

/* Takes a node out of every list, with those below it that only it kept alive. */
static void retire(brio_node *node)
{
    if (node->retired)
        return;
    node->retired = 1;
    for (int i = 0; i < node->expr.nin; i++) {
        brio_array *in = brio_array_mutable(node->expr.in[i]);
        if (in == NULL)
            continue;
        unlink_reader(node, i);
        brio_node *below = node_of(in);
        if (below == NULL)
            continue;
        in->consumer = NULL;
        if (is_dropped(in, node)) {
            in->unlinked = 1;
            retire(below);
        }
    }
}

static void free_node(brio_node *node)
{
    for (int i = 0; i < node->expr.nin; i++)
        brio_array_unref(brio_array_mutable(node->expr.in[i]));
    brio_block_free(node);
}

/* Frees what was collected under the lock. */
static void free_dead(brio_node *dead)
{
    while (dead != NULL) {
        brio_node *next = dead->next_dead;
        free_node(dead);
        dead = next;
    }
}

void brio_lazy_abandon(brio_array *array)
{
    /* A thread that writes into a leaf may be computing this array just now: after the wait it is settled. */
    bool reachable = !array->unlinked;
    if (reachable)
        lock();
    brio_node *node = node_of(array);
    if (node != NULL)
        retire(node);
    atomic_store_explicit(&array->node, NULL, memory_order_relaxed);
    if (reachable)
        unlock();
    if (node != NULL)
        free_node(node);
}

/* ---- evaluation, all under the lock ------------------------------------------------------------- */

typedef struct held_list {
    int count;
    brio_array *arrays[MAX_NODES];
} held_list;

/* Pending arrays below `node` that somebody holds besides their consumer, inner ones first. */
static void find_held(brio_node *node, held_list *list)
{
    for (int i = 0; i < node->expr.nin; i++) {
        brio_array *in = brio_array_mutable(node->expr.in[i]);
        brio_node *below = in == NULL ? NULL : node_of(in);
        if (below == NULL || (i > 0 && in == node->expr.in[0]) || (i > 1 && in == node->expr.in[1]))
            continue;
        find_held(below, list);
        if (!is_dropped(in, node) && list->count < MAX_NODES)
            list->arrays[list->count++] = in;
    }
}

/* The array has its elements now: a consumer that is left reads them as a leaf. */
static void publish(brio_array *array, brio_node **dead)
{
    brio_node *node = node_of(array), *consumer = array->consumer;
    retire(node);
    node->next_dead = *dead;
    *dead = node;
    array->consumer = NULL;
    atomic_store_explicit(&array->node, NULL, memory_order_release);
    for (int i = 0; consumer != NULL && i < consumer->expr.nin; i++)
        if (consumer->expr.in[i] == array)
            link_reader(consumer, i);
}

static void drop_storage(brio_array *array)
{
    brio_buffer_unref(array->buffer);
    array->buffer = NULL;
    array->direct = NULL;
}

/* Makes `array` a view of the array that its elements went to. */
static void become_view(brio_array *array, const brio_array *of)
{
    array->base = brio_array_retain(of->base);
    array->offset = of->offset;
    array->writeable = of->writeable;
    if (array->ndim > 0)
        memcpy(array->strides, of->strides, array->ndim * sizeof(int64_t));
}

static brio_status run_outputs(int n, brio_array *const *arrays, const brio_array *out, uint32_t *fp_flags)
{
    brio_pass pass;
    brio_array *to[BRIO_PROGRAM_MAX_OUTPUTS];
    brio_pass_begin(&pass, arrays[0]->ndim, arrays[0]->shape, true);
    for (int j = 0; j < n; j++) {
        to[j] = j == 0 && out != NULL ? brio_array_mutable(out) : arrays[j];
        brio_pass_output(&pass, brio_pass_array(&pass, arrays[j]));
    }
    BRIO_TRY(brio_pass_finish(&pass));
    return brio_pass_run(&pass, to, fp_flags);
}

/* Computes arrays[0..n) in one pass, the first into `out` when that is not NULL. */
static brio_status compute(int n, brio_array *const *arrays, const brio_array *out, uint32_t *fp_flags,
                           brio_node **dead)
{
    brio_status status = BRIO_OK;
    for (int j = 0; j < n && status == BRIO_OK; j++)
        if (j > 0 || out == NULL)
            status = brio_array_allocate(arrays[j]);
    if (status == BRIO_OK)
        status = run_outputs(n, arrays, out, fp_flags);
    for (int j = 0; j < n; j++) {
        if (status != BRIO_OK)
            drop_storage(arrays[j]);
        else
            publish(arrays[j], dead);
    }
    if (status == BRIO_OK && out != NULL)
        become_view(arrays[0], out);
    return status;
}

static brio_status settle_locked(brio_array *array, const brio_array *out, uint32_t *fp_flags,
                                 brio_node **dead)
{
    brio_node *node = node_of(array);
    if (node == NULL)
        return BRIO_OK;
    held_list held = {0};
    find_held(node, &held);
    int first = held.count > BRIO_PROGRAM_MAX_OUTPUTS - 1 ? held.count - (BRIO_PROGRAM_MAX_OUTPUTS - 1) : 0;
    for (int i = 0; i < first; i++)
        BRIO_TRY(settle_locked(held.arrays[i], NULL, fp_flags, dead));
    brio_array *arrays[BRIO_PROGRAM_MAX_OUTPUTS] = {array};
    int n = 1;
    for (int i = first; i < held.count; i++)
        arrays[n++] = held.arrays[i];
    return compute(n, arrays, out, fp_flags, dead);
}

/* The outermost pending array whose pass computes the node and that somebody still wants. */
static brio_array *top_of(brio_node *node)
{
    while (node->owner->consumer != NULL && is_dropped(node->owner, node->owner->consumer))
        node = node->owner->consumer;
    return node->owner;
}

static brio_status settle_readers_locked(const brio_array *root, const brio_array *except, brio_node **dead)
{
    brio_reader *reader = atomic_load_explicit(&root->readers, memory_order_relaxed);
    while (reader != NULL) {
        brio_array *top = top_of(reader->node);
        if (top == except) {
            reader = reader->next;
            continue;
        }
        BRIO_TRY(settle_locked(top, NULL, NULL, dead));
        reader = atomic_load_explicit(&root->readers, memory_order_relaxed);
    }
    return BRIO_OK;
}

/* ---- the rest of the folder calls these --------------------------------------------------------- */

brio_status brio_lazy_settle(brio_array *array)
{
    if (!brio_array_is_pending(array))
        return BRIO_OK;
    brio_node *dead = NULL;
    lock();
    brio_status status = settle_locked(array, NULL, NULL, &dead);
    unlock();
    free_dead(dead);
    return status;
}

brio_status brio_lazy_settle_readers(const brio_array *array)
{
    const brio_array *root = array->base;
    if (atomic_load_explicit(&root->readers, memory_order_acquire) == NULL)
        return BRIO_OK;
    brio_node *dead = NULL;
    lock();
    brio_status status = settle_readers_locked(root, NULL, &dead);
    unlock();
    free_dead(dead);
    return status;
}

bool brio_lazy_disturbs(const brio_array *array, const brio_array *out)
{
    const brio_node *node = node_of(array);
    if (node == NULL)
        return brio_array_may_overlap(array, out) && !brio_array_same_elements(array, out);
    for (int i = 0; i < node->expr.nin; i++)
        if (node->expr.in[i] != NULL && brio_lazy_disturbs(node->expr.in[i], out))
            return true;
    return false;
}

static brio_status check_target(const brio_array *array, const brio_array *out)
{
    char a[BRIO_LAYOUT_TEXT], b[BRIO_LAYOUT_TEXT];
    if (!out->writeable)
        return brio_fail(BRIO_E_VALUE, "output array is read-only");
    if (out->dtype != array->dtype)
        return brio_fail(BRIO_E_TYPE, "an array of %s cannot be evaluated into one of %s",
                         brio_dtype_name((brio_dtype)array->dtype), brio_dtype_name((brio_dtype)out->dtype));
    if (!brio_layout_same_shape(out, array->ndim, array->shape))
        return brio_fail(BRIO_E_VALUE, "an array of shape %s cannot be evaluated into one of shape %s",
                         brio_layout_text(array->ndim, array->shape, a, sizeof a),
                         brio_layout_text(out->ndim, out->shape, b, sizeof b));
    return BRIO_OK;
}

static brio_status copy_into(brio_array *array, const brio_array *out)
{
    if (brio_array_same_elements(array, out))
        return BRIO_OK;
    if (!brio_array_may_overlap(array, out))
        return brio_array_copy_elements(brio_array_mutable(out), array);
    brio_array *copy;
    BRIO_TRY(brio_array_contiguous(array, (brio_dtype)array->dtype, true, &copy));
    brio_status status = brio_array_copy_elements(brio_array_mutable(out), copy);
    brio_array_unref(copy);
    return status;
}

brio_status brio_lazy_evaluate(brio_array *array, const brio_array *out, uint32_t *fp_flags)
{
    if (out != NULL)
        BRIO_TRY(check_target(array, out));
    if (out != NULL)
        BRIO_TRY(brio_lazy_settle(brio_array_mutable(out)));
    brio_node *dead = NULL;
    bool direct = false;
    brio_status status = BRIO_OK;
    if (brio_array_is_pending(array)) {
        lock();
        direct = out != NULL && !brio_lazy_disturbs(array, out);
        if (out != NULL)
            status = settle_readers_locked(out->base, direct ? array : NULL, &dead);
        if (status == BRIO_OK)
            status = settle_locked(array, direct ? out : NULL, fp_flags, &dead);
        unlock();
        free_dead(dead);
    } else if (out != NULL) {
        status = brio_lazy_settle_readers(out);
    }
    if (status == BRIO_OK && out != NULL && !direct)
        status = copy_into(array, out);
    return status;
}

/* ---- building ----------------------------------------------------------------------------------- */

bool brio_lazy_is_worth(const brio_expr *expr, int64_t count)
{
    if (count < BRIO_LAZY_MIN_COUNT || expr->nout != 1 || !brio_lazy())
        return false;
    for (int i = 0; i < expr->nin; i++) {
        const brio_array *in = expr->in[i];
        if (in != NULL &&
            (in->base->foreign || atomic_load_explicit(&in->base->lent, memory_order_relaxed) != 0))
            return false;
    }
    return true;
}

/* Whether a pass of that shape may compute the array within itself, as far as its own history goes. */
static bool may_join(const brio_array *array, int ndim, const int64_t *shape)
{
    return brio_layout_same_shape(array, ndim, shape) && array->consumer == NULL && !node_of(array)->computed;
}

static bool seen_before(const brio_expr *expr, int i)
{
    for (int k = 0; k < i; k++)
        if (expr->in[k] == expr->in[i])
            return true;
    return false;
}

/* Upper bounds on the size of the whole expression. */
static void measure(brio_node *node)
{
    const brio_expr *expr = &node->expr;
    node->nodes = 1, node->steps = 1;
    node->leaves = node->consts = 0;
    node->retained = 0;
    for (int i = 0; i < expr->nin; i++) {
        const brio_array *in = expr->in[i];
        node->steps += in != NULL && in->dtype != expr->in_dtype[i];
        node->consts += in == NULL;
        if (in == NULL || seen_before(expr, i))
            continue;
        const brio_node *below = node_of(in);
        node->nodes += below == NULL ? 0 : below->nodes;
        node->leaves += below == NULL ? 1 : below->leaves;
        node->consts += below == NULL ? 0 : below->consts;
        node->steps += below == NULL ? 0 : below->steps;
        node->retained += below != NULL       ? below->retained
                          : in->base->foreign ? 0
                                              : in->count * (int64_t)brio_itemsize(in->dtype);
    }
}

/* Whether it fits one program; tightens the bounds by a trial when they say no. */
static bool fits_program(brio_node *node)
{
    if (node->nodes > MAX_NODES)
        return false;
    if (node->leaves <= BRIO_PROGRAM_MAX_INPUTS && node->consts <= BRIO_PROGRAM_MAX_CONSTS &&
        node->steps <= BRIO_PROGRAM_MAX_STEPS)
        return true;
    brio_pass pass;
    brio_term term;
    brio_pass_begin(&pass, node->owner->ndim, node->owner->shape, true);
    brio_pass_expr(&pass, &node->expr, &term);
    if (pass.overflow)
        return false;
    node->leaves = pass.program.ninputs;
    node->consts = pass.program.nconsts;
    node->steps = pass.program.nsteps;
    return true;
}

static brio_array *largest_input(const brio_node *node)
{
    brio_array *largest = NULL;
    for (int i = 0; i < node->expr.nin; i++) {
        brio_array *in = brio_array_mutable(node->expr.in[i]);
        if (in != NULL && node_of(in) != NULL &&
            (largest == NULL || node_of(in)->nodes > node_of(largest)->nodes))
            largest = in;
    }
    return largest;
}

/* Settles the inputs that cannot join and, largest first, as many as it takes to fit one program. */
static brio_status cut(brio_node *node, brio_node **dead)
{
    for (int i = 0; i < node->expr.nin; i++) {
        brio_array *in = brio_array_mutable(node->expr.in[i]);
        if (in != NULL && node_of(in) != NULL && !may_join(in, node->owner->ndim, node->owner->shape))
            BRIO_TRY(settle_locked(in, NULL, NULL, dead));
    }
    for (measure(node); !fits_program(node); measure(node))
        BRIO_TRY(settle_locked(largest_input(node), NULL, NULL, dead));
    return BRIO_OK;
}

static void attach(brio_node *node)
{
    for (int i = 0; i < node->expr.nin; i++) {
        brio_array *in = brio_array_mutable(node->expr.in[i]);
        node->readers[i].node = NULL;
        if (in == NULL)
            continue;
        brio_array_retain(in);
        if (node_of(in) != NULL)
            in->consumer = node;
        else
            link_reader(node, i);
    }
    atomic_store_explicit(&node->owner->node, node, memory_order_release);
}

static int64_t retained_limit(void)
{
    brio_memory_stats stats = BRIO_MEMORY_STATS_INIT;
    uint64_t limit =
        brio_memory_get_stats(&stats) == BRIO_OK && stats.limit != 0 ? stats.limit : brio_physical_memory();
    return limit == 0 ? INT64_MAX : (int64_t)(limit / 4);
}

static brio_status build(const brio_expr *expr, brio_array *array)
{
    pthread_once(&graph_once, keep_across_fork);
    brio_node *node = brio_block_alloc(), *dead = NULL;
    if (node == NULL)
        return brio_fail(BRIO_E_MEMORY, "cannot allocate %zu bytes for a pending expression", sizeof *node);
    node->expr = *expr;
    node->owner = array;
    node->stamp = 0;
    node->computed = node->retired = 0;
    lock();
    brio_status status = cut(node, &dead);
    if (status == BRIO_OK)
        attach(node);
    unlock();
    free_dead(dead);
    if (status != BRIO_OK) {
        brio_block_free(node);
        return status;
    }
    if (node->retained > RETAINED_FREE && node->retained > retained_limit())
        return brio_lazy_settle(array);
    return BRIO_OK;
}

brio_status brio_lazy_create(const brio_expr *expr, int ndim, const int64_t *shape, char order,
                             brio_array **out)
{
    brio_array *array;
    *out = NULL;
    BRIO_TRY(brio_array_create((brio_dtype)expr->out_dtype[0], ndim, &array));
    if (ndim > 0)
        memcpy(array->shape, shape, (size_t)ndim * sizeof *shape);
    brio_layout_like(expr->nin, expr->in, ndim, shape, brio_itemsize(expr->out_dtype[0]), order,
                     array->strides);
    brio_status status = brio_array_seal(array);
    if (status == BRIO_OK)
        status = build(expr, array);
    if (status != BRIO_OK) {
        brio_array_unref(array);
        return status;
    }
    *out = array;
    return BRIO_OK;
}

/* ---- passes that end elsewhere ------------------------------------------------------------------- */

/* Whether a held array at or below `array` has been computed once and should be kept now. */
static brio_array *find_computed(brio_array *array)
{
    brio_node *node = node_of(array);
    if (node == NULL)
        return NULL;
    for (int i = 0; i < node->expr.nin; i++) {
        brio_array *in = brio_array_mutable(node->expr.in[i]);
        brio_array *found = in == NULL ? NULL : find_computed(in);
        if (found != NULL)
            return found;
    }
    return node->computed ? array : NULL;
}

/* A pending array that must be settled before the pass; NULL when there is none. */
static brio_array *find_obstacle(int n, const brio_array *const *inputs, int ndim, const int64_t *shape)
{
    int leaves = 0, steps = 8, consts = 8;
    brio_array *largest = NULL;
    for (int i = 0; i < n; i++) {
        brio_array *in = brio_array_mutable(inputs[i]);
        brio_node *node = in == NULL ? NULL : node_of(in);
        leaves += node != NULL ? node->leaves : in != NULL;
        if (node == NULL)
            continue;
        if (!brio_layout_same_shape(in, ndim, shape))
            return in;
        brio_array *computed = find_computed(in);
        if (computed != NULL)
            return computed;
        steps += node->steps, consts += node->consts;
        if (largest == NULL || node->nodes > node_of(largest)->nodes)
            largest = in;
    }
    bool fits = leaves <= BRIO_PROGRAM_MAX_INPUTS && steps <= BRIO_PROGRAM_MAX_STEPS &&
                consts <= BRIO_PROGRAM_MAX_CONSTS;
    return fits ? NULL : largest;
}

static bool any_pending(int n, const brio_array *const *inputs)
{
    for (int i = 0; i < n; i++)
        if (inputs[i] != NULL && brio_array_is_pending(inputs[i]))
            return true;
    return false;
}

brio_status brio_graph_enter(int n, const brio_array *const *inputs, int ndim, const int64_t *shape,
                             bool *locked)
{
    *locked = false;
    if (!any_pending(n, inputs))
        return BRIO_OK;
    brio_node *dead = NULL;
    brio_status status = BRIO_OK;
    lock();
    for (;;) {
        brio_array *obstacle = find_obstacle(n, inputs, ndim, shape);
        if (obstacle == NULL || status != BRIO_OK)
            break;
        status = settle_locked(obstacle, NULL, NULL, &dead);
    }
    *locked = status == BRIO_OK && any_pending(n, inputs);
    if (*locked && dead == NULL)
        return BRIO_OK;
    unlock();
    free_dead(dead);
    if (*locked)
        lock();
    return status;
}

static void mark_computed(brio_array *array, const brio_node *by)
{
    brio_node *node = node_of(array);
    if (node == NULL)
        return;
    if (by == NULL || !is_dropped(array, by))
        node->computed = 1;
    for (int i = 0; i < node->expr.nin; i++)
        if (node->expr.in[i] != NULL)
            mark_computed(brio_array_mutable(node->expr.in[i]), node);
}

void brio_graph_leave(bool locked, int n, const brio_array *const *inputs, bool done)
{
    if (!locked)
        return;
    for (int i = 0; done && i < n; i++)
        if (inputs[i] != NULL)
            mark_computed(brio_array_mutable(inputs[i]), NULL);
    unlock();
}
