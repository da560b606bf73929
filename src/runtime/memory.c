/* The host memory pool.
 *
 * Sizes are rounded to classes: multiples of 64 bytes up to 1 KiB, then eight steps to each doubling.
 * A block carries a header of 64 bytes in front. Freed blocks go to a short list of the freeing
 * thread when small, else to the shared list of their class, as long as the cache may grow. Blocks
 * from 4 MiB on are mappings of their own for which huge pages are advised: a fresh mapping costs a
 * page fault for every page at first touch, which is more than most operations on it, so keeping
 * them is what makes large temporaries cheap. */
#include "runtime/memory.h"
#include "runtime/config.h"
#include "runtime/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEADER 64
#define SMALL_STEP 64u
#define SMALL_LIMIT 1024u
#define CLASS_COUNT (16 + 8 * 40)
#define LARGE (4u << 20)
#define HUGE_PAGE (2u << 20)
#define COLOURS 32
#define THREAD_CACHED_CLASSES 32 /* up to 4 KiB */
#define THREAD_CACHED_BLOCKS 16

typedef struct block {
    struct block *next; /* while cached */
    size_t capacity;    /* usable bytes: the size of the class */
    void *base;         /* what the system gave */
    size_t base_bytes;  /* of a mapping; 0 for malloc's memory */
    int class_index;
} block;

_Static_assert(sizeof(block) <= HEADER, "the header must fit in front of a block");

static struct {
    pthread_mutex_t lock;
    block *free[CLASS_COUNT];
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct thread_cache {
    block *free[THREAD_CACHED_CLASSES];
    int count[THREAD_CACHED_CLASSES];
} thread_cache;

static _Thread_local thread_cache *mine;
static _Thread_local int thread_ended;
static pthread_key_t thread_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Atomic uint64_t in_use, peak, cached, limit, allocations, hits, cache_limit;
static _Atomic unsigned colour;
static _Atomic int64_t fail_in = -1;

static void flush_thread(void *argument);

static void after_fork(void)
{
    pthread_mutex_init(&shared.lock, NULL);
}

static void before_fork(void)
{
    pthread_mutex_lock(&shared.lock);
}

static void parent_after_fork(void)
{
    pthread_mutex_unlock(&shared.lock);
}

static void start(void)
{
    limit = brio_initial_host_limit();
    cache_limit = brio_physical_memory() / 4;
    pthread_key_create(&thread_key, flush_thread);
    pthread_atfork(before_fork, parent_after_fork, after_fork);
}

void brio_memory_watch_forks(void)
{
    pthread_once(&once, start);
}

/* The class of a size and what a block of that class holds. */
static int class_of(size_t bytes, size_t *capacity)
{
    if (bytes <= SMALL_LIMIT) {
        size_t steps = bytes == 0 ? 1 : (bytes + SMALL_STEP - 1) / SMALL_STEP;
        *capacity = steps * SMALL_STEP;
        return (int)steps - 1;
    }
    int log = 63 - __builtin_clzll((unsigned long long)(bytes - 1)); /* 2^log < bytes <= 2^(log+1) */
    size_t step = ((size_t)1 << log) / 8;
    size_t eighths = (bytes - ((size_t)1 << log) + step - 1) / step;
    *capacity = ((size_t)1 << log) + eighths * step;
    return 16 + (log - 10) * 8 + (int)eighths - 1;
}

static void release_to_system(block *b)
{
    if (b->base_bytes > 0)
        munmap(b->base, b->base_bytes);
    else
        free(b->base);
}

static uint64_t trim_shared(void)
{
    uint64_t freed = 0;
    pthread_mutex_lock(&shared.lock);
    for (int i = 0; i < CLASS_COUNT; i++)
        while (shared.free[i] != NULL) {
            block *b = shared.free[i];
            shared.free[i] = b->next;
            freed += b->capacity;
            release_to_system(b);
        }
    pthread_mutex_unlock(&shared.lock);
    atomic_fetch_sub(&cached, freed);
    return freed;
}

static uint64_t trim_mine(void)
{
    uint64_t freed = 0;
    for (int i = 0; mine != NULL && i < THREAD_CACHED_CLASSES; i++) {
        while (mine->free[i] != NULL) {
            block *b = mine->free[i];
            mine->free[i] = b->next;
            freed += b->capacity;
            release_to_system(b);
        }
        mine->count[i] = 0;
    }
    atomic_fetch_sub(&cached, freed);
    return freed;
}

static void flush_thread(void *argument)
{
    trim_mine();
    free(argument);
    mine = NULL;
    thread_ended = 1;
}

static thread_cache *my_cache(void)
{
    if (mine == NULL && !thread_ended) {
        mine = calloc(1, sizeof *mine);
        if (mine != NULL)
            pthread_setspecific(thread_key, mine);
    }
    return mine;
}

static block *take_cached(int class_index)
{
    block *b = NULL;
    if (class_index < THREAD_CACHED_CLASSES && mine != NULL && mine->free[class_index] != NULL) {
        b = mine->free[class_index];
        mine->free[class_index] = b->next;
        mine->count[class_index]--;
    } else if (atomic_load_explicit(&cached, memory_order_relaxed) > 0) {
        pthread_mutex_lock(&shared.lock);
        b = shared.free[class_index];
        if (b != NULL)
            shared.free[class_index] = b->next;
        pthread_mutex_unlock(&shared.lock);
    }
    if (b != NULL) {
        atomic_fetch_sub_explicit(&cached, b->capacity, memory_order_relaxed);
        atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
    }
    return b;
}

/* A mapping whose user part begins at differing offsets, so that equal large arrays do not all compete
 * for the same cache sets. */
static block *map_large(size_t capacity)
{
    size_t offset = HEADER * (1 + atomic_fetch_add(&colour, 5) % COLOURS);
    size_t bytes = capacity + offset + HUGE_PAGE;
    if (bytes < capacity)
        return NULL;
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    char *aligned = (char *)(((uintptr_t)base + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    madvise(aligned, capacity + offset, MADV_HUGEPAGE);
    block *b = (block *)(aligned + offset - HEADER);
    b->base = base;
    b->base_bytes = bytes;
    return b;
}

static block *from_system(size_t capacity)
{
    if (capacity >= LARGE)
        return map_large(capacity);
    void *base = aligned_alloc(HEADER, capacity + HEADER);
    if (base == NULL)
        return NULL;
    block *b = base;
    b->base = base;
    b->base_bytes = 0;
    return b;
}

static void describe(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    int unit = 0;
    while (number >= 1024 && unit < 6) {
        number /= 1024;
        unit++;
    }
    snprintf(text, size, unit == 0 ? "%.0f %s" : "%.1f %s", number, units[unit]);
}

static brio_status out_of_memory(size_t bytes)
{
    char request[32], used[32], kept[32], rest[64];
    describe(bytes, request, sizeof request);
    describe(in_use, used, sizeof used);
    describe(cached, kept, sizeof kept);
    if (limit > 0) {
        char most[32];
        describe(limit, most, sizeof most);
        snprintf(rest, sizeof rest, "limit %s (BRIO_HOST_LIMIT)", most);
    } else {
        char most[32];
        describe((uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), most, sizeof most);
        snprintf(rest, sizeof rest, "%s free on the machine", most);
    }
    return brio_fail(BRIO_E_MEMORY,
                     "cannot allocate %s on the host: %s in use by Brio, %s cached after trim, %s", request,
                     used, kept, rest);
}

static int over_limit(size_t capacity)
{
    return limit > 0 && (capacity > limit || in_use + capacity > limit);
}

static int fault_is_due(void)
{
    return atomic_load_explicit(&fail_in, memory_order_relaxed) >= 0 && atomic_fetch_sub(&fail_in, 1) == 0;
}

static void count_up(size_t capacity)
{
    uint64_t now = atomic_fetch_add_explicit(&in_use, capacity, memory_order_relaxed) + capacity;
    uint64_t before = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
        ;
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

brio_status brio_memory_alloc(size_t bytes, void **out)
{
    pthread_once(&once, start);
    size_t capacity = 0;
    if (fault_is_due() || bytes > (size_t)1 << 48)
        return out_of_memory(bytes);
    int class_index = class_of(bytes, &capacity);
    if (over_limit(capacity))
        return out_of_memory(bytes);
    if (limit > 0 && in_use + cached + capacity > limit)
        brio_memory_trim();
    block *b = take_cached(class_index);
    if (b == NULL)
        b = from_system(capacity);
    if (b == NULL) {
        brio_memory_trim();
        b = from_system(capacity);
    }
    if (b == NULL)
        return out_of_memory(bytes);
    b->capacity = capacity;
    b->class_index = class_index;
    count_up(capacity);
    *out = (char *)b + HEADER;
    return BRIO_OK;
}

static int keep_in_thread(block *b)
{
    if (b->class_index >= THREAD_CACHED_CLASSES)
        return 0;
    thread_cache *cache = my_cache();
    if (cache == NULL || cache->count[b->class_index] >= THREAD_CACHED_BLOCKS)
        return 0;
    b->next = cache->free[b->class_index];
    cache->free[b->class_index] = b;
    cache->count[b->class_index]++;
    return 1;
}

void brio_memory_free(void *pointer)
{
    if (pointer == NULL)
        return;
    block *b = (block *)((char *)pointer - HEADER);
    size_t capacity = b->capacity;
    atomic_fetch_sub_explicit(&in_use, capacity, memory_order_relaxed);
    if (atomic_load_explicit(&cached, memory_order_relaxed) + capacity > cache_limit) {
        release_to_system(b);
        return;
    }
    if (!keep_in_thread(b)) {
        pthread_mutex_lock(&shared.lock);
        b->next = shared.free[b->class_index];
        shared.free[b->class_index] = b;
        pthread_mutex_unlock(&shared.lock);
    }
    atomic_fetch_add_explicit(&cached, capacity, memory_order_relaxed);
}

brio_status brio_memory_get_stats(brio_memory_stats *stats)
{
    pthread_once(&once, start);
    if (stats->size < sizeof(size_t) || stats->size > sizeof *stats)
        return brio_fail(BRIO_E_VALUE, "brio_memory_stats has size %zu, this library knows up to %zu",
                         stats->size, sizeof *stats);
    brio_memory_stats all = {stats->size, in_use, peak, cached, limit, allocations, hits};
    memcpy(stats, &all, stats->size);
    return BRIO_OK;
}

void brio_memory_set_limit(uint64_t bytes)
{
    pthread_once(&once, start);
    limit = bytes;
}

uint64_t brio_memory_trim(void)
{
    pthread_once(&once, start);
    return trim_mine() + trim_shared();
}

void brio_testing_fail_allocation(int64_t k)
{
    fail_in = k < 0 ? -1 : k;
}
