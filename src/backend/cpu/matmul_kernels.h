/* The matrix product of one processor level, where no BLAS is used. */
#ifndef BRIO_CPU_MATMUL_KERNELS_H
#define BRIO_CPU_MATMUL_KERNELS_H

#include <stdint.h>

/* A block of a product is at most this large, and is summed in steps of BRIO_MATMUL_K. */
#define BRIO_MATMUL_M 64
#define BRIO_MATMUL_N 256
#define BRIO_MATMUL_K 256
/* Bytes of scratch for one block of any type, aligned to 64. */
#define BRIO_MATMUL_SCRATCH ((BRIO_MATMUL_M + BRIO_MATMUL_N) * BRIO_MATMUL_K * 8)

/* c = a @ b for m <= BRIO_MATMUL_M, n <= BRIO_MATMUL_N and any k; strides in bytes: row, column. Each
 * element is summed one product after another in order of k. */
typedef struct brio_matmul_block {
    int64_t m, n, k;
    const char *a, *b;
    char *c;
    int64_t a_strides[2], b_strides[2], c_strides[2];
    char *scratch;
} brio_matmul_block;

/* Signed integers are taken as unsigned ones: products and sums wrap alike. */
typedef struct brio_cpu_matmul_kernels {
    void (*f32)(const brio_matmul_block *);
    void (*f64)(const brio_matmul_block *);
    void (*bools)(const brio_matmul_block *);
    void (*unsigned_by_log2[4])(const brio_matmul_block *); /* 1, 2, 4, 8 bytes */
} brio_cpu_matmul_kernels;

#endif
