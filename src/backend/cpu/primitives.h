/* The primitives of the cpu backend, as cpu.c puts them into its table; contracts in backend/backend.h. */
#ifndef BRIO_CPU_PRIMITIVES_H
#define BRIO_CPU_PRIMITIVES_H

#include "backend/backend.h"

brio_status brio_cpu_reduce(const brio_reduce_args *args);
brio_status brio_cpu_scan(const brio_scan_args *args);
brio_status brio_cpu_sort(const brio_sort_args *args);
brio_status brio_cpu_argsort(const brio_argsort_args *args);
brio_status brio_cpu_gather(const brio_index_args *args);
brio_status brio_cpu_scatter(const brio_index_args *args);
brio_status brio_cpu_check_index(int64_t *index, int64_t count, int64_t extent, int axis);
brio_status brio_cpu_nonzero(const uint8_t *mask, int64_t count, int64_t *index, int64_t *found);
brio_status brio_cpu_matmul(const brio_matmul_args *args);

#endif
