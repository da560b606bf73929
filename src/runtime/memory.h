/* What the rest of the library asks of the memory pool, and faults on demand for tests. */
#ifndef BRIO_RUNTIME_MEMORY_H
#define BRIO_RUNTIME_MEMORY_H

#include <brio/memory.h>

/* Registers the pool's fork handlers if they are not yet. Before a fork the handlers run last registered
 * first: who allocates while he holds a lock calls this before he registers handlers for that lock. */
void brio_memory_watch_forks(void);

/* The k-th brio_memory_alloc from now on (k from 0, all threads counted) fails with BRIO_E_MEMORY, once;
 * a negative k switches faults off. Exported so that tests outside the library can reach it. */
BRIO_EXPORT void brio_testing_fail_allocation(int64_t k);

#endif
