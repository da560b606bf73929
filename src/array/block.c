/* Blocks for arrays and nodes. Each thread keeps some for reuse; they are given back when it ends. */
#include "array/object.h"

#include <pthread.h>
#include <stdlib.h>

#define KEEP 256

typedef struct block_cache {
    int count;
    int state; /* 0: not registered yet, 1: in use, 2: the thread is ending */
    void *blocks[KEEP];
} block_cache;

static _Thread_local block_cache cache;
static pthread_key_t cache_key;
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;
static bool cache_has_key;
static _Atomic int64_t fail_at = -1;

_Static_assert(sizeof(struct brio_array) <= BRIO_BLOCK_BYTES, "an array fits a block");
_Static_assert(BRIO_BLOCK_BYTES % 64 == 0, "blocks keep the alignment of inline elements");

static void cache_drop(void *unused)
{
    cache.state = 2;
    while (cache.count > 0)
        free(cache.blocks[--cache.count]);
}

static void cache_make_key(void)
{
    cache_has_key = pthread_key_create(&cache_key, cache_drop) == 0;
}

static void cache_register(void)
{
    pthread_once(&cache_once, cache_make_key);
    cache.state = cache_has_key && pthread_setspecific(cache_key, &cache) == 0 ? 1 : 2;
}

static bool fails_now(void)
{
    return atomic_fetch_sub_explicit(&fail_at, 1, memory_order_relaxed) == 0;
}

void brio_testing_fail_block(int64_t k)
{
    atomic_store(&fail_at, k);
}

void *brio_block_alloc(void)
{
    if (__builtin_expect(atomic_load_explicit(&fail_at, memory_order_relaxed) >= 0, 0) && fails_now())
        return NULL;
    if (cache.count > 0)
        return cache.blocks[--cache.count];
    return aligned_alloc(64, BRIO_BLOCK_BYTES);
}

void brio_block_free(void *block)
{
    if (__builtin_expect(cache.state != 1, 0)) {
        if (cache.state == 0)
            cache_register();
        if (cache.state == 2) {
            free(block);
            return;
        }
    }
    if (cache.count < KEEP)
        cache.blocks[cache.count++] = block;
    else
        free(block);
}
