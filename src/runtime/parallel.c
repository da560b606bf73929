/* The parallel loop: one pool of threads for the process.
 *
 * A job is a counter from which the caller and the pool's workers draw chunks. Workers join a job only
 * while it is open; the caller draws too, closes the job when the counter is exhausted and then waits
 * for those who joined. So a worker that wakes too late costs nothing, and nobody depends on it.
 * Workers spin for a few microseconds after a job before they sleep.
 *
 * On a busy machine a worker that has joined may be put aside by the scheduler in mid-chunk, and the
 * caller then waits a time slice for work of microseconds. A caller that waited longer than it worked
 * therefore leaves the pool alone for a while, twice as long after each such loss.
 *
 * Only one job runs in the pool at a time: a caller that finds it taken works alone. Before a fork the
 * workers are stopped, so that neither side inherits threads (an interpreter may warn about a fork
 * with threads); the next job on either side starts new ones. */
#include "runtime/memory.h"

#include <brio/config.h>
#include <brio/parallel.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define SPIN_NANOSECONDS 30000
#define MAX_WORKERS 1023
#define LONG_WAIT 300000       /* nanoseconds of waiting that count as a loss */
#define SHORTEST_REST 20000000 /* nanoseconds without the pool after a first loss */
#define LONGEST_REST 640000000 /* and at most */

typedef struct job {
    brio_range_fn fn;
    void *context;
    int64_t count, grain;
    _Atomic int64_t next;
} job;

static struct {
    pthread_mutex_t owner; /* held by the thread whose job runs */
    pthread_mutex_t lock;  /* guards what follows */
    pthread_cond_t work, done;
    pthread_t workers[MAX_WORKERS];
    int started;        /* worker threads that exist */
    int stopping;       /* whether they are to end */
    int sleeping;       /* of these, waiting on `work` */
    _Atomic int joined; /* workers inside the current job; changed with the lock held */
    int open;           /* whether the current job may be joined */
    int limit;          /* workers that may join it */
    _Atomic uint64_t generation;
    _Atomic int64_t rest, resting_until; /* after losses to a busy machine */
    job job;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static _Thread_local int inside;
static _Thread_local int announced; /* workers promised to this thread's next loop; 0: none were */

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whether this thread's fork handlers hold the pool. A fork from inside a job does not: that job
 * could not end. Its child only forgets the workers, which is all that is left of them there. */
static _Thread_local int held;

static void stop_workers(void)
{
    held = inside == 0;
    if (!held)
        return;
    pthread_mutex_lock(&pool.owner);
    pthread_mutex_lock(&pool.lock);
    pool.stopping = 1;
    atomic_fetch_add_explicit(&pool.generation, 1, memory_order_release);
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.started; i++)
        pthread_join(pool.workers[i], NULL);
    pool.started = 0;
    pool.stopping = 0;
}

static void resume_in_parent(void)
{
    if (held)
        pthread_mutex_unlock(&pool.owner);
    held = 0;
}

static void resume_in_child(void)
{
    memset(&pool, 0, sizeof pool);
    pthread_mutex_init(&pool.owner, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    inside = 0;
    held = 0;
}

static void watch_forks(void)
{
    brio_memory_watch_forks();
    pthread_atfork(stop_workers, resume_in_parent, resume_in_child);
}

static void draw(job *j, int worker)
{
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&j->next, j->grain, memory_order_relaxed);
        if (begin >= j->count)
            return;
        int64_t end = begin + j->grain < j->count ? begin + j->grain : j->count;
        j->fn(j->context, begin, end, worker);
    }
}

/* Spins until a new job appears or the time is over. */
static void spin_for_work(uint64_t seen)
{
    int64_t until = now() + SPIN_NANOSECONDS;
    do {
        for (int i = 0; i < 64; i++) {
            if (atomic_load_explicit(&pool.generation, memory_order_acquire) != seen)
                return;
            pause_briefly();
        }
    } while (now() < until);
}

/* Waits for a job not seen yet and joins it if it is still open to this worker. 0: the worker ends. */
static int await_job(int worker, uint64_t *seen, int *join)
{
    spin_for_work(*seen);
    pthread_mutex_lock(&pool.lock);
    while (pool.generation == *seen) {
        pool.sleeping++;
        pthread_cond_wait(&pool.work, &pool.lock);
        pool.sleeping--;
    }
    *seen = pool.generation;
    *join = pool.open && worker <= pool.limit;
    pool.joined += *join;
    int go_on = !pool.stopping;
    pthread_mutex_unlock(&pool.lock);
    return go_on;
}

static void *work(void *argument)
{
    int worker = (int)(intptr_t)argument, join = 0;
    uint64_t seen = 0;
    inside = 1;
    while (await_job(worker, &seen, &join)) {
        if (!join)
            continue;
        draw(&pool.job, worker);
        pthread_mutex_lock(&pool.lock);
        if (--pool.joined == 0)
            pthread_cond_signal(&pool.done);
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

/* Starts workers up to `wanted`; with the lock held. Signals are left to the program's own threads. */
static void start_workers(int wanted)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.started < wanted && pool.started < MAX_WORKERS) {
        void *worker = (void *)(intptr_t)(pool.started + 1);
        if (pthread_create(&pool.workers[pool.started], NULL, work, worker) != 0)
            break;
        pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void open_job(int64_t count, int64_t grain, brio_range_fn fn, void *context, int workers)
{
    pthread_mutex_lock(&pool.lock);
    if (pool.started < workers)
        start_workers(workers);
    pool.job.fn = fn;
    pool.job.context = context;
    pool.job.count = count;
    pool.job.grain = grain;
    atomic_store_explicit(&pool.job.next, 0, memory_order_relaxed);
    pool.open = 1;
    pool.limit = workers;
    atomic_fetch_add_explicit(&pool.generation, 1, memory_order_release);
    if (pool.sleeping > 0)
        pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

/* Waits without sleeping for workers that are about to be done: waking takes longer than a last chunk. */
static void spin_for_workers(void)
{
    int64_t until = now() + SPIN_NANOSECONDS;
    do {
        for (int i = 0; i < 64; i++) {
            if (atomic_load_explicit(&pool.joined, memory_order_acquire) == 0)
                return;
            pause_briefly();
        }
    } while (now() < until);
}

static void close_job(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.open = 0;
    if (pool.joined > 0) {
        pthread_mutex_unlock(&pool.lock);
        spin_for_workers();
        pthread_mutex_lock(&pool.lock);
    }
    while (pool.joined > 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* Judges a job from when it began, when the caller had no more to do, and when all had finished. */
static void note_waiting(int64_t began, int64_t drawn, int64_t ended)
{
    int64_t waited = ended - drawn, rest = 0;
    if (waited > LONG_WAIT && waited > drawn - began) {
        rest = pool.rest == 0 ? SHORTEST_REST : 2 * pool.rest;
        rest = rest > LONGEST_REST ? LONGEST_REST : rest;
        pool.resting_until = ended + rest;
    }
    pool.rest = rest;
}

static void run_alone(int64_t count, int64_t grain, brio_range_fn fn, void *context)
{
    inside++;
    for (int64_t begin = 0; begin < count; begin += grain)
        fn(context, begin, begin + grain < count ? begin + grain : count, 0);
    inside--;
}

void brio_parallel_for(int64_t count, int64_t grain, brio_range_fn fn, void *context)
{
    if (grain < 1)
        grain = 1;
    int64_t chunks = count > 0 ? (count - 1) / grain + 1 : 0;
    int threads = inside || chunks < 2 ? 1 : brio_threads();
    if (announced > 0 && announced < threads)
        threads = announced;
    announced = 0;
    if (threads > chunks)
        threads = (int)chunks;
    pthread_once(&fork_once, watch_forks);
    int64_t began = threads < 2 ? 0 : now();
    if (threads < 2 || began < pool.resting_until || pthread_mutex_trylock(&pool.owner) != 0) {
        run_alone(count, grain, fn, context);
        return;
    }
    open_job(count, grain, fn, context, threads - 1);
    inside++;
    draw(&pool.job, 0);
    inside--;
    int64_t drawn = now();
    close_job();
    note_waiting(began, drawn, now());
    pthread_mutex_unlock(&pool.owner);
}

int brio_parallel_workers(void)
{
    announced = inside ? 1 : brio_threads();
    return announced;
}

int brio_in_parallel(void)
{
    return inside > 0;
}
