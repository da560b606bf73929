/* The cpu backend: the host's memory pool and the vector kernels of its processor level. */
#include "backend/backend.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/map.h"
#include "backend/cpu/primitives.h"

#include <brio/memory.h>

#include <string.h>

static brio_status copy(void *to, const void *from, size_t bytes, int to_device)
{
    memmove(to, from, bytes);
    return BRIO_OK;
}

const brio_backend brio_backend_cpu = {
    .version = BRIO_BACKEND_VERSION,
    .size = sizeof(brio_backend),
    .name = "cpu",
    .kind = BRIO_DEVICE_CPU,
    .alloc = brio_memory_alloc,
    .free = brio_memory_free,
    .copy = copy,
    .map = brio_cpu_map,
    .reduce = brio_cpu_reduce,
    .loop = brio_cpu_loop,
    .scan = brio_cpu_scan,
    .sort = brio_cpu_sort,
    .argsort = brio_cpu_argsort,
    .gather = brio_cpu_gather,
    .scatter = brio_cpu_scatter,
    .check_index = brio_cpu_check_index,
    .nonzero = brio_cpu_nonzero,
    .matmul = brio_cpu_matmul,
};
