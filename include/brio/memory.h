/* Memory of callers, and the host memory pool: aligned, cached, limited and counted. */
#ifndef BRIO_MEMORY_H
#define BRIO_MEMORY_H

#include <brio/status.h>

BRIO_BEGIN_DECLS

/** What bytes are wanted for. */
typedef enum brio_access { BRIO_READ = 1, BRIO_WRITE = 2, BRIO_READWRITE = 3 } brio_access;

/** Gives memory that was lent back to its owner, who knows it by `context`. */
typedef void (*brio_release_fn)(void *context);

typedef struct brio_memory_stats {
    size_t size;          /* sizeof(brio_memory_stats), set by the caller */
    uint64_t in_use;      /* bytes handed out now, rounded to the pool's size classes */
    uint64_t peak;        /* the most that was handed out at once */
    uint64_t cached;      /* bytes kept for reuse */
    uint64_t limit;       /* 0: none */
    uint64_t allocations; /* calls that succeeded */
    uint64_t cache_hits;  /* of these, served from the cache */
} brio_memory_stats;
#define BRIO_MEMORY_STATS_INIT                                                                               \
    {                                                                                                        \
        sizeof(brio_memory_stats), 0, 0, 0, 0, 0, 0                                                          \
    }

/**
 * Memory for `bytes` bytes, aligned to 64 (from 4 MiB on, huge pages are advised for it); contents
 * undefined. `bytes` 0 gives a valid pointer. On success the caller owns it and gives it back with
 * brio_memory_free. BRIO_E_MEMORY, with a sentence that names the request, what is in use, what is
 * cached and the limit, when the limit or the machine refuses; the cache is trimmed and the request
 * retried before that. Safe from any thread.
 */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_memory_alloc(size_t bytes, void **out);

/** Gives memory back; NULL is allowed. Any thread may free what any other allocated. */
BRIO_EXPORT void brio_memory_free(void *pointer);

/** Fills as much of `stats` as its size field says. BRIO_E_VALUE when that is not set or larger than known.
 */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_memory_get_stats(brio_memory_stats *stats);

/** Sets the limit on bytes in use (BRIO_HOST_LIMIT, e.g. "4GiB" or "50%"); 0 removes it. */
BRIO_EXPORT void brio_memory_set_limit(uint64_t bytes);

/** Returns cached memory to the system and says how many bytes that were. */
BRIO_EXPORT uint64_t brio_memory_trim(void);

BRIO_END_DECLS
#endif
