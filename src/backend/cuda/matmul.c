/* Matrix products of floats by cuBLAS, which is loaded when first needed. Row-major c = a @ b is column-major
 * c' = b' @ a'. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <pthread.h>

static struct {
    void *library;
    cublasHandle_t handle;
    __typeof__(cublasCreate_v2) *create;
    __typeof__(cublasSetStream_v2) *set_stream;
    __typeof__(cublasSgemmStridedBatched_64) *single_;
    __typeof__(cublasDgemmStridedBatched_64) *double_;
    __typeof__(cublasGetStatusName) *status_name;
} blas;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static brio_status fail(const char *call, cublasStatus_t status)
{
    return brio_fail(BRIO_E_DEVICE, "%s failed: %s (%d)", call,
                     blas.status_name != NULL ? blas.status_name(status) : "", (int)status);
}

static brio_status open_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12",
                                        "/usr/local/cuda/lib64/libcublas.so.13",
                                        "/usr/local/cuda/lib64/libcublas.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && blas.library == NULL; i++)
        blas.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (blas.library == NULL)
        return brio_fail(BRIO_E_UNSUPPORTED,
                         "matrices are not multiplied on the device: there is no libcublas");
    *(void **)&blas.create = dlsym(blas.library, "cublasCreate_v2");
    *(void **)&blas.set_stream = dlsym(blas.library, "cublasSetStream_v2");
    *(void **)&blas.single_ = dlsym(blas.library, "cublasSgemmStridedBatched_64");
    *(void **)&blas.double_ = dlsym(blas.library, "cublasDgemmStridedBatched_64");
    *(void **)&blas.status_name = dlsym(blas.library, "cublasGetStatusName");
    if (blas.create == NULL || blas.set_stream == NULL || blas.single_ == NULL || blas.double_ == NULL)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device's libcublas is older than CUDA 12");
    return BRIO_OK;
}

static brio_status open_blas(void)
{
    if (blas.handle != NULL)
        return BRIO_OK;
    BRIO_TRY(open_library());
    cublasStatus_t status = blas.create(&blas.handle);
    if (status != CUBLAS_STATUS_SUCCESS)
        return fail("cublasCreate", status);
    status = blas.set_stream(blas.handle, (cudaStream_t)brio_cuda.stream);
    return status == CUBLAS_STATUS_SUCCESS ? BRIO_OK : fail("cublasSetStream", status);
}

/* How a row-major matrix looks to cuBLAS: its leading dimension, and whether it lies transposed. */
typedef struct operand {
    cublasOperation_t turned;
    int64_t leading;
} operand;

/* 0 when the strides cannot be said to cuBLAS. */
static int describe(const int64_t *strides, int64_t rows, int64_t columns, int64_t size, operand *out)
{
    const int64_t row = strides[1], column = strides[2];
    if ((column == size || columns == 1) && (rows == 1 || (row % size == 0 && row >= columns * size))) {
        *out = (operand){CUBLAS_OP_N, rows == 1 ? columns : row / size};
        return 1;
    }
    if ((row == size || rows == 1) && (columns == 1 || (column % size == 0 && column >= rows * size))) {
        *out = (operand){CUBLAS_OP_T, columns == 1 ? rows : column / size};
        return 1;
    }
    return 0;
}

static brio_status multiply(const brio_matmul_args *args)
{
    const int64_t size = brio_ctypes[args->dtype].size, m = args->m, n = args->n, k = args->k;
    const int64_t *sa = args->a_strides, *sb = args->b_strides, *sc = args->c_strides;
    operand a, b, c;
    if (!describe(sa, m, k, size, &a) || !describe(sb, k, n, size, &b) || !describe(sc, m, n, size, &c) ||
        c.turned != CUBLAS_OP_N || sa[0] % size || sb[0] % size || sc[0] % size)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device does not multiply matrices of these strides");
    const float one = 1, zero = 0;
    const double one_d = 1, zero_d = 0;
    cublasStatus_t status =
        args->dtype == BRIO_F32
            ? blas.single_(blas.handle, b.turned, a.turned, n, m, k, &one,
                           (const float *)(const void *)args->b, b.leading, sb[0] / size,
                           (const float *)(const void *)args->a, a.leading, sa[0] / size, &zero,
                           (float *)(void *)args->c, c.leading, sc[0] / size, args->batch)
            : blas.double_(blas.handle, b.turned, a.turned, n, m, k, &one_d,
                           (const double *)(const void *)args->b, b.leading, sb[0] / size,
                           (const double *)(const void *)args->a, a.leading, sa[0] / size, &zero_d,
                           (double *)(void *)args->c, c.leading, sc[0] / size, args->batch);
    return status == CUBLAS_STATUS_SUCCESS ? BRIO_OK : fail("cublasGemmStridedBatched", status);
}

brio_status brio_cuda_matmul(const brio_matmul_args *args)
{
    if (args->dtype != BRIO_F32 && args->dtype != BRIO_F64)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device multiplies matrices of float32 and float64 only");
    if (args->m == 0 || args->n == 0 || args->batch == 0)
        return BRIO_OK;
    if (args->k == 0)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device does not multiply matrices without inner dimension");
    BRIO_TRY(brio_cuda_enter());
    pthread_mutex_lock(&lock);
    brio_status status = open_blas();
    if (status == BRIO_OK)
        status = multiply(args);
    pthread_mutex_unlock(&lock);
    return status;
}
