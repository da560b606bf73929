/* Faults on demand, for tests of every path that runs out of memory. */
#ifndef BRIO_RUNTIME_MEMORY_H
#define BRIO_RUNTIME_MEMORY_H

#include <brio/memory.h>

/* The k-th brio_memory_alloc from now on (k from 0, all threads counted) fails with BRIO_E_MEMORY, once;
 * a negative k switches faults off. Exported so that tests outside the library can reach it. */
BRIO_EXPORT void brio_testing_fail_allocation(int64_t k);

#endif
