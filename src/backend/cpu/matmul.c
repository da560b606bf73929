/* The matrix product: floats by OpenBLAS where there is one (blas.c), everything else, and floats where
 * there is none, by blocks of the level's own kernels shared among the threads. */
#include "backend/cpu/blas.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/matmul_kernels.h"
#include "backend/cpu/primitives.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>
#include <string.h>

/* Up to this many multiplications OpenBLAS runs on the calling thread alone, so that a stack of such
 * products may be shared among our threads. */
#define BLAS_ALONE 262144

typedef void (*block_kernel)(const brio_matmul_block *);

static block_kernel kernel_of(brio_dtype dtype)
{
    const brio_cpu_matmul_kernels *kernels = brio_cpu_kernels_now()->matmul;
    if (dtype == BRIO_F32)
        return kernels->f32;
    if (dtype == BRIO_F64)
        return kernels->f64;
    if (dtype == BRIO_BOOL)
        return kernels->bools;
    return kernels->unsigned_by_log2[__builtin_ctz((unsigned)brio_dtype_size(dtype))];
}

/* ---- Own blocks ------------------------------------------------------------------------------ */

typedef struct block_job {
    const brio_matmul_args *args;
    block_kernel kernel;
    int64_t rows, cols; /* blocks in one product */
    char *scratch;
} block_job;

static void run_blocks(void *context, int64_t begin, int64_t end, int worker)
{
    const block_job *job = context;
    const brio_matmul_args *args = job->args;
    for (int64_t i = begin; i < end; i++) {
        int64_t batch = i / (job->rows * job->cols);
        int64_t row = i / job->cols % job->rows * BRIO_MATMUL_M, col = i % job->cols * BRIO_MATMUL_N;
        brio_matmul_block block = {
            .m = args->m - row < BRIO_MATMUL_M ? args->m - row : BRIO_MATMUL_M,
            .n = args->n - col < BRIO_MATMUL_N ? args->n - col : BRIO_MATMUL_N,
            .k = args->k,
            .a = args->a + batch * args->a_strides[0] + row * args->a_strides[1],
            .b = args->b + batch * args->b_strides[0] + col * args->b_strides[2],
            .c = args->c + batch * args->c_strides[0] + row * args->c_strides[1] + col * args->c_strides[2],
            .a_strides = {args->a_strides[1], args->a_strides[2]},
            .b_strides = {args->b_strides[1], args->b_strides[2]},
            .c_strides = {args->c_strides[1], args->c_strides[2]},
            .scratch = job->scratch + (size_t)worker * BRIO_MATMUL_SCRATCH,
        };
        job->kernel(&block);
    }
}

static brio_status multiply_by_blocks(const brio_matmul_args *args)
{
    block_job job = {args, kernel_of(args->dtype), (args->m + BRIO_MATMUL_M - 1) / BRIO_MATMUL_M,
                     (args->n + BRIO_MATMUL_N - 1) / BRIO_MATMUL_N, NULL};
    void *scratch = NULL;
    BRIO_TRY(brio_memory_alloc((size_t)brio_parallel_workers() * BRIO_MATMUL_SCRATCH, &scratch));
    job.scratch = scratch;
    int64_t work = args->m < BRIO_MATMUL_M ? args->m : BRIO_MATMUL_M;
    work *= (args->n < BRIO_MATMUL_N ? args->n : BRIO_MATMUL_N) * (args->k + 1);
    int64_t grain = (1 << 18) / work;
    brio_parallel_for(args->batch * job.rows * job.cols, grain > 1 ? grain : 1, run_blocks, &job);
    brio_memory_free(scratch);
    return BRIO_OK;
}

/* ---- OpenBLAS -------------------------------------------------------------------------------- */

/* A matrix as BLAS takes it: rows (or columns, then transposed) contiguous. */
typedef struct blas_operand {
    const char *data;
    int transposed;
    int64_t leading; /* in elements */
} blas_operand;

/* Whether rows lie contiguous at a leading dimension BLAS accepts. */
static int rows_fit(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, int64_t size,
                    int64_t *leading)
{
    if (cols > 1 && col_stride != size)
        return 0;
    if (rows <= 1) {
        *leading = cols > 1 ? cols : 1;
        return 1;
    }
    *leading = row_stride / size;
    return row_stride % size == 0 && *leading >= cols && *leading >= 1;
}

static int describe(blas_operand *operand, const char *data, const int64_t *stride, int64_t rows,
                    int64_t cols, int64_t size)
{
    operand->data = data;
    operand->transposed = 0;
    if (((uintptr_t)data & (uintptr_t)(size - 1)) != 0)
        return 0;
    if (rows_fit(rows, cols, stride[0], stride[1], size, &operand->leading))
        return 1;
    operand->transposed = 1;
    return rows_fit(cols, rows, stride[1], stride[0], size, &operand->leading);
}

/* Copies a matrix into contiguous rows. */
static void pack_matrix(char *to, const char *from, int64_t rows, int64_t cols, const int64_t *stride,
                        int64_t size)
{
    const brio_cpu_kernels *kernels = brio_cpu_kernels_now();
    kernels->pack[size == 8 ? 3 : 2](to, from, rows, cols, stride[0], stride[1]);
}

/* The matrix as it lies, or a copy of it in `room`. */
static blas_operand take_operand(const char *data, const int64_t *stride, int64_t rows, int64_t cols,
                                 int64_t size, char *room)
{
    blas_operand operand = {room, 0, cols};
    if (room != NULL)
        pack_matrix(room, data, rows, cols, stride, size);
    else
        describe(&operand, data, stride, rows, cols, size);
    return operand;
}

typedef struct blas_job {
    const brio_matmul_args *args;
    int64_t size;
    int pack_a, pack_b, pack_c;
    size_t a_bytes, b_bytes, c_bytes, worker_bytes;
    char *scratch;
    int done; /* products that BLAS refused are left for the blocks */
} blas_job;

static void run_blas(void *context, int64_t begin, int64_t end, int worker)
{
    blas_job *job = context;
    const brio_matmul_args *args = job->args;
    int64_t size = job->size;
    char *a_room = job->scratch + (size_t)worker * job->worker_bytes, *b_room = a_room + job->a_bytes;
    char *c_room = b_room + job->b_bytes;
    for (int64_t i = begin; i < end; i++) {
        const char *a_data = args->a + i * args->a_strides[0], *b_data = args->b + i * args->b_strides[0];
        char *c_data = args->c + i * args->c_strides[0];
        blas_operand a =
            take_operand(a_data, args->a_strides + 1, args->m, args->k, size, job->pack_a ? a_room : NULL);
        blas_operand b =
            take_operand(b_data, args->b_strides + 1, args->k, args->n, size, job->pack_b ? b_room : NULL);
        int64_t ldc = args->m > 1 ? args->c_strides[1] / size : args->n;
        brio_gemm gemm = {args->m,
                          args->n,
                          args->k,
                          a.transposed,
                          b.transposed,
                          a.data,
                          b.data,
                          job->pack_c ? c_room : c_data,
                          a.leading,
                          b.leading,
                          job->pack_c ? args->n : ldc};
        int done = size == 8 ? brio_blas_dgemm(&gemm) : brio_blas_sgemm(&gemm);
        if (!done)
            __atomic_store_n(&job->done, 0, __ATOMIC_RELAXED);
        if (done && job->pack_c)
            brio_cpu_kernels_now()->unpack[size == 8 ? 3 : 2](c_data, c_room, args->m, args->n,
                                                              args->c_strides[1], args->c_strides[2]);
    }
}

/* Whether every matrix of a stack can be given to BLAS as it lies. */
static int lies_well(const char *data, const int64_t *strides, int64_t rows, int64_t cols, int64_t batch,
                     int64_t size)
{
    blas_operand operand;
    return describe(&operand, data, strides + 1, rows, cols, size) && (batch <= 1 || strides[0] % size == 0);
}

static size_t room_for(int packed, int64_t elements, int64_t size)
{
    return packed ? ((size_t)(elements * size) + 63) / 64 * 64 : 0;
}

/* Products by OpenBLAS; *done is 0 when there is none that does them. */
static brio_status multiply_by_blas(const brio_matmul_args *args, int *done)
{
    blas_job job = {.args = args, .size = (int64_t)brio_dtype_size(args->dtype), .done = 1};
    blas_operand c;
    job.pack_a = !lies_well(args->a, args->a_strides, args->m, args->k, args->batch, job.size);
    job.pack_b = !lies_well(args->b, args->b_strides, args->k, args->n, args->batch, job.size);
    job.pack_c = !lies_well(args->c, args->c_strides, args->m, args->n, args->batch, job.size) ||
                 (describe(&c, args->c, args->c_strides + 1, args->m, args->n, job.size) && c.transposed);
    job.a_bytes = room_for(job.pack_a, args->m * args->k, job.size);
    job.b_bytes = room_for(job.pack_b, args->k * args->n, job.size);
    job.c_bytes = room_for(job.pack_c, args->m * args->n, job.size);
    job.worker_bytes = job.a_bytes + job.b_bytes + job.c_bytes;
    int shared = args->batch > 1 && args->m * args->n <= BLAS_ALONE / args->k;
    void *scratch = NULL;
    BRIO_TRY(brio_memory_alloc(job.worker_bytes * (size_t)(shared ? brio_parallel_workers() : 1), &scratch));
    job.scratch = scratch;
    int64_t grain = BLAS_ALONE / (args->m * args->n * args->k);
    if (shared)
        brio_parallel_for(args->batch, grain > 1 ? grain : 1, run_blas, &job);
    else
        run_blas(&job, 0, args->batch, 0);
    brio_memory_free(scratch);
    *done = job.done;
    return BRIO_OK;
}

/* ---- float16 --------------------------------------------------------------------------------- */

/* Products of float16 in float32, rounded once at the end. `wide` has room for a, b and c. */
static brio_status multiply_halves(const brio_matmul_args *args, char *wide)
{
    const brio_cpu_kernels *kernels = brio_cpu_kernels_now();
    int64_t na = args->m * args->k, nb = args->k * args->n, nc = args->m * args->n;
    char *a = wide, *b = a + 4 * na, *c = b + 4 * nb, *half = c + 4 * nc;
    for (int64_t i = 0; i < args->batch; i++) {
        kernels->pack[1](half, args->a + i * args->a_strides[0], args->m, args->k, args->a_strides[1],
                         args->a_strides[2]);
        kernels->casts[BRIO_F16][BRIO_F32]((char *[]){half, a}, na);
        kernels->pack[1](half, args->b + i * args->b_strides[0], args->k, args->n, args->b_strides[1],
                         args->b_strides[2]);
        kernels->casts[BRIO_F16][BRIO_F32]((char *[]){half, b}, nb);
        brio_matmul_args single = {BRIO_F32,
                                   args->m,
                                   args->n,
                                   args->k,
                                   1,
                                   a,
                                   b,
                                   c,
                                   {0, 4 * args->k, 4},
                                   {0, 4 * args->n, 4},
                                   {0, 4 * args->n, 4}};
        BRIO_TRY(brio_cpu_matmul(&single));
        kernels->casts[BRIO_F32][BRIO_F16]((char *[]){c, half}, nc);
        kernels->unpack[1](args->c + i * args->c_strides[0], half, args->m, args->n, args->c_strides[1],
                           args->c_strides[2]);
    }
    return BRIO_OK;
}

static brio_status multiply_f16(const brio_matmul_args *args)
{
    int64_t na = args->m * args->k, nb = args->k * args->n, nc = args->m * args->n;
    int64_t most = na > nb ? na : nb;
    void *wide = NULL;
    BRIO_TRY(brio_memory_alloc((size_t)(4 * (na + nb + nc) + 2 * (most > nc ? most : nc)), &wide));
    brio_status status = multiply_halves(args, wide);
    brio_memory_free(wide);
    return status;
}

brio_status brio_cpu_matmul(const brio_matmul_args *args)
{
    char kind = brio_dtype_kind(args->dtype);
    if (kind == 0 || kind == 'c')
        return brio_fail(BRIO_E_TYPE, "cannot multiply matrices of dtype %s", brio_dtype_name(args->dtype));
    if (args->m == 0 || args->n == 0 || args->batch == 0)
        return BRIO_OK;
    if (args->dtype == BRIO_F16)
        return multiply_f16(args);
    int done = 0;
    if (kind == 'f' && args->k > 0)
        BRIO_TRY(multiply_by_blas(args, &done));
    return done ? BRIO_OK : multiply_by_blocks(args);
}
