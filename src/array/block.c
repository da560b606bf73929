/* Blocks for arrays and nodes. Each thread keeps some for reuse; they are given back when it ends. */
#include "array/object.h"

#include <pthread.h>
#include <stdlib.h>

#define KEEP 256

typedef struct block_cache {
    int count;
    void *blocks[KEEP];
} block_cache;

/* One pointer, so that the fast form of access is safe in a library that is loaded late. NULL: not made
 * yet, or the thread is ending. */
static _Thread_local block_cache *cache __attribute__((tls_model("initial-exec")));
static pthread_key_t cache_key;
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;
static bool cache_has_key;
static _Atomic int64_t fail_at = -1;

_Static_assert(sizeof(struct brio_array) <= BRIO_BLOCK_BYTES, "an array fits a block");
_Static_assert(BRIO_BLOCK_BYTES % 64 == 0, "blocks keep the alignment of inline elements");

static void cache_drop(void *ending)
{
    block_cache *mine = ending;
    cache = NULL;
    while (mine->count > 0)
        free(mine->blocks[--mine->count]);
    free(mine);
}

static void cache_make_key(void)
{
    cache_has_key = pthread_key_create(&cache_key, cache_drop) == 0;
}

/* Makes this thread's cache. A thread that frees blocks while it ends gets a new one, which its end drops
 * too (destructors run again while keys have values). NULL: there is to be none. */
static block_cache *cache_make(void)
{
    pthread_once(&cache_once, cache_make_key);
    block_cache *fresh = cache_has_key ? malloc(sizeof *fresh) : NULL;
    if (fresh == NULL)
        return NULL;
    fresh->count = 0;
    if (pthread_setspecific(cache_key, fresh) != 0) {
        free(fresh);
        return NULL;
    }
    return cache = fresh;
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
    if (cache != NULL && cache->count > 0)
        return cache->blocks[--cache->count];
    return aligned_alloc(64, BRIO_BLOCK_BYTES);
}

void brio_block_free(void *block)
{
    block_cache *mine = cache != NULL ? cache : cache_make();
    if (mine != NULL && mine->count < KEEP)
        mine->blocks[mine->count++] = block;
    else
        free(block);
}
