/* Matrix products by an OpenBLAS that is found at run time. */
#ifndef BRIO_CPU_BLAS_H
#define BRIO_CPU_BLAS_H

#include <brio/status.h>
#include <stdint.h>

/* Row-major c = op(a) @ op(b); leading dimensions in elements. */
typedef struct brio_gemm {
    int64_t m, n, k;
    int transpose_a, transpose_b;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
} brio_gemm;

/* Computes it in float or double; 0 when no library does it and nothing was written. */
int brio_blas_sgemm(const brio_gemm *gemm);
int brio_blas_dgemm(const brio_gemm *gemm);

#endif
