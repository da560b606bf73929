/* The parallel loop. */
#ifndef BRIO_PARALLEL_H
#define BRIO_PARALLEL_H

#include <brio/status.h>

BRIO_BEGIN_DECLS

/** Works on the items [begin, end) as worker `worker` (0 <= worker < brio_parallel_workers()). */
typedef void (*brio_range_fn)(void *context, int64_t begin, int64_t end, int worker);

/**
 * Calls `fn` over [0, count) in chunks of at most `grain` items (at least 1), shared dynamically
 * among the calling thread and the pool; returns when all are done. Chunks begin at multiples of
 * `grain`, whatever the number of threads. Nested calls, calls when count <= grain, and calls in
 * a process with one thread run on the caller alone. A call while another thread uses the pool runs
 * on the caller alone too: it never waits. After fork() the child starts a pool of its own when it
 * first needs one.
 * `fn` must not fail; it records failures in `context`.
 */
BRIO_EXPORT void brio_parallel_for(int64_t count, int64_t grain, brio_range_fn fn, void *context);

/**
 * How many workers this thread's next brio_parallel_for has at most: what memory for each worker is
 * sized by. The answer holds for that loop even when another thread calls brio_set_threads in between.
 */
BRIO_EXPORT int brio_parallel_workers(void);

/** Whether the caller already runs inside a brio_parallel_for. */
BRIO_EXPORT int brio_in_parallel(void);

BRIO_END_DECLS
#endif
