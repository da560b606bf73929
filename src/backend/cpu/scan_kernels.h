/* The running reductions of one processor level. */
#ifndef BRIO_CPU_SCAN_KERNELS_H
#define BRIO_CPU_SCAN_KERNELS_H

#include "backend/backend.h"

/* Contiguous rows of floats are scanned in tiles of this many elements (docs/numerics.md). */
#define BRIO_SCAN_TILE 1024

typedef struct brio_scan_ops {
    /* totals[t] = the elements of tile t, whole and contiguous, reduced from left to right. */
    void (*totals)(const char *in, int64_t ntiles, char *totals);
    /* out = prefixes[t] op (the tile's elements reduced from left to right up to here); exclusive: up to
     * the one before, and prefixes[t] itself in front. n elements in all: the last tile may be cut. */
    void (*apply)(const char *in, char *out, int64_t n, const char *prefixes, int exclusive);
    /* From left to right beginning with *carry, which ends as the total; byte strides. */
    void (*run)(const char *in, int64_t in_stride, char *out, int64_t out_stride, int64_t n, char *carry,
                int exclusive);
    /* out[j] = before[j] op in[j]. out may be either. */
    void (*step)(const char *before, const char *in, char *out, int64_t n);
} brio_scan_ops;

typedef struct brio_cpu_scan_kernels {
    const brio_scan_ops *ops[BRIO_DTYPE_COUNT]; /* [dtype][ADD, MULTIPLY, MAXIMUM, MINIMUM]; NULL: none */
} brio_cpu_scan_kernels;

#endif
