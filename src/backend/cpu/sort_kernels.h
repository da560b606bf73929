/* The sorting kernels of one processor level: everything is sorted as signed 32- or 64-bit keys. */
#ifndef BRIO_CPU_SORT_KERNELS_H
#define BRIO_CPU_SORT_KERNELS_H

#include <stdint.h>

/* How elements become keys and back, for every dtype of the width and both directions:
 *   key = (x ^ ((x >> last) & magnitude) ^ flip) - shift
 * For floats `magnitude` reverses the order of the negative ones, and `shift` carries the NaNs whose
 * sign bit is set from the bottom round to the top; both are 0 for integers. The map is one to one. */
typedef struct brio_sort_code {
    int64_t magnitude, flip, shift;
} brio_sort_code;

/* What is known about the order of a row. */
enum { BRIO_RUN_NONE, BRIO_RUN_ASCENDING, BRIO_RUN_DESCENDING };

typedef struct brio_cpu_sort_kernels {
    void (*encode_32)(int32_t *to, const int32_t *from, int64_t n, const brio_sort_code *code);
    void (*encode_64)(int64_t *to, const int64_t *from, int64_t n, const brio_sort_code *code);
    void (*decode_32)(int32_t *to, const int32_t *from, int64_t n, const brio_sort_code *code);
    void (*decode_64)(int64_t *to, const int64_t *from, int64_t n, const brio_sort_code *code);
    int (*run_32)(const int32_t *keys, int64_t n); /* BRIO_RUN_*; DESCENDING is strict */
    int (*run_64)(const int64_t *keys, int64_t n);
    void (*sort_32)(int32_t *keys, int64_t n); /* in place, not stable, no scratch */
    void (*sort_64)(int64_t *keys, int64_t n);
    /* Moves lesser keys to the front: none of the first split(...) is greater than any of the others. About
     * half of n when keys differ; n when all are equal. */
    int64_t (*split_32)(int32_t *keys, int64_t n);
    int64_t (*split_64)(int64_t *keys, int64_t n);
    /* Merges two sorted runs; a's keys come first among equals. */
    void (*merge_32)(int32_t *out, const int32_t *a, int64_t na, const int32_t *b, int64_t nb);
    void (*merge_64)(int64_t *out, const int64_t *a, int64_t na, const int64_t *b, int64_t nb);
    /* How many of the first k merged keys come from a. */
    int64_t (*merge_split_32)(const int32_t *a, int64_t na, const int32_t *b, int64_t nb, int64_t k);
    int64_t (*merge_split_64)(const int64_t *a, int64_t na, const int64_t *b, int64_t nb, int64_t k);
} brio_cpu_sort_kernels;

#endif
