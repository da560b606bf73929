/* Sorting of rows of keys, shared by sort.c and argsort.c. */
#ifndef BRIO_CPU_SORT_H
#define BRIO_CPU_SORT_H

#include "backend/backend.h"
#include "backend/cpu/sort_kernels.h"

/* How elements of a dtype become keys of the same width (sort_kernels.h). */
brio_sort_code brio_sort_code_of(brio_dtype dtype, int descending);

/* Sorts n elements in place, each mapped to its key by `code`, on as many threads as there are. Takes
 * scratch of n elements when it uses several; does without when there is none to be had. */
void brio_sort_keys_32(int32_t *keys, int64_t n, const brio_sort_code *code);
void brio_sort_keys_64(int64_t *keys, int64_t n, const brio_sort_code *code);

#endif
