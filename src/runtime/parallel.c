/* The parallel loop: one pool of threads for the process.
 *
 * A job is a counter from which the caller and the pool's workers draw chunks. Workers join a job only
 * while it is open; the caller draws too, closes the job when the counter is exhausted and then waits
 * for those who joined. So a worker that wakes too late costs nothing, and nobody depends on it.
 * Workers spin for a few microseconds after a job before they sleep.
 *
 * Only one job runs in the pool at a time: a caller that finds it taken works alone. A forked child
 * has no workers; the handler that runs there forgets them, and the next job starts new ones. */
#include <brio/config.h>
#include <brio/parallel.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define SPIN_NANOSECONDS 30000

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
    int started;  /* worker threads that exist */
    int sleeping; /* of these, waiting on `work` */
    int joined;   /* workers inside the current job */
    int open;     /* whether the current job may be joined */
    int limit;    /* workers that may join it */
    _Atomic uint64_t generation;
    job job;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static _Thread_local int inside;

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

static void forget_workers(void)
{
    memset(&pool, 0, sizeof pool);
    pthread_mutex_init(&pool.owner, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    inside = 0;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_workers);
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

static void *work(void *argument)
{
    int worker = (int)(intptr_t)argument;
    uint64_t seen = 0;
    inside = 1;
    for (;;) {
        spin_for_work(seen);
        pthread_mutex_lock(&pool.lock);
        while (pool.generation == seen) {
            pool.sleeping++;
            pthread_cond_wait(&pool.work, &pool.lock);
            pool.sleeping--;
        }
        seen = pool.generation;
        int join = pool.open && worker <= pool.limit;
        pool.joined += join;
        pthread_mutex_unlock(&pool.lock);
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
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (pool.started < wanted) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, work, (void *)(intptr_t)(pool.started + 1)) != 0)
            break;
        pool.started++;
    }
    pthread_attr_destroy(&attributes);
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

static void close_job(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.open = 0;
    while (pool.joined > 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
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
    if (threads > chunks)
        threads = (int)chunks;
    pthread_once(&fork_once, watch_forks);
    if (threads < 2 || pthread_mutex_trylock(&pool.owner) != 0) {
        run_alone(count, grain, fn, context);
        return;
    }
    open_job(count, grain, fn, context, threads - 1);
    inside++;
    draw(&pool.job, 0);
    inside--;
    close_job();
    pthread_mutex_unlock(&pool.owner);
}

int brio_in_parallel(void)
{
    return inside > 0;
}
