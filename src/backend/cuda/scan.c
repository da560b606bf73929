/* Running sums, products and extremes along an axis. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <stdio.h>
#include <string.h>

#define TILE 1024
#define WARPS 4
#define CHUNK 1024

typedef struct scan_job {
    const brio_scan_args *args;
    int dims;
    int64_t nrows, tiles, groups;
    brio_key key;
    void *totals;
    int want; /* the kernel of scan.cuh */
} scan_job;

enum { WANT_RUN, WANT_TOTALS, WANT_LEVELS, WANT_APPLY };

static const char *identity_of(const scan_job *job, int shown)
{
    static const char *const least[] = {"0", "(-128)", "(-32768)", "INT32_MIN", "INT64_MIN",
                                        "0", "0",      "0",        "0"};
    static const char *const most[] = {
        "1",    "127",    "32767",       "2147483647",         "9223372036854775807LL",
        "0xff", "0xffff", "0xffffffffu", "0xffffffffffffffffu"};
    static const char *const infinity[2] = {"brio_from_bits_f32(0x7f800000u)",
                                            "brio_from_bits_f64(0x7ff0000000000000u)"};
    static const char *const negative[2] = {"brio_from_bits_f32(0xff800000u)",
                                            "brio_from_bits_f64(0xfff0000000000000u)"};
    const int dtype = (int)job->args->dtype, is_float = brio_ctypes[dtype].family == 3;
    switch (job->args->kind) {
    case BRIO_REDUCE_ADD:
        return is_float && !shown ? "(T)-0.0" : "(T)0";
    case BRIO_REDUCE_MULTIPLY:
        return "(T)1";
    case BRIO_REDUCE_MAXIMUM:
        return is_float ? negative[dtype == BRIO_F64] : least[dtype];
    default:
        return is_float ? infinity[dtype == BRIO_F64] : most[dtype];
    }
}

static brio_status write_scan(void *context, brio_text *text)
{
    const scan_job *job = context;
    const brio_ctype *type = &brio_ctypes[job->args->dtype];
    brio_text_add(text,
                  "#define USES_FUNCTIONS 0\n#include \"prelude.cuh\"\ntypedef %s T;\ntypedef %s W;\n#define "
                  "KIND %d\n#define IS_BOOL %d\n"
                  "#define EXCLUSIVE %d\n#define IDENTITY %s\n",
                  type->name, type->family == 3 ? type->name : type->type_w, (int)job->args->kind,
                  job->args->dtype == BRIO_BOOL, job->args->exclusive, identity_of(job, 0));
    brio_text_add(text, "#define SHOWN %s\n#define ROW_DIMS %d\n#define WANT %d\n#include \"scan.cuh\"\n",
                  identity_of(job, 1), job->dims, job->want);
    return BRIO_OK;
}

static brio_status launch(scan_job *job, int want, int64_t blocks, int threads, int64_t level)
{
    static const char *const names[] = {"brio_run", "brio_totals", "brio_levels", "brio_apply"};
    const brio_scan_args *args = job->args;
    const int n = job->dims;
    CUfunction kernel;
    uint64_t words[11 + 3 * BRIO_MAX_DIMS];
    job->want = want;
    BRIO_TRY(brio_kernel_get(&job->key, names[want], write_scan, job, &kernel));
    const uint64_t head[] = {(uint64_t)args->length,
                             (uint64_t)job->tiles,
                             (uint64_t)job->nrows,
                             (uint64_t)job->groups,
                             (uint64_t)(uintptr_t)args->in.data,
                             (uint64_t)(uintptr_t)args->out.data,
                             (uint64_t)(uintptr_t)job->totals,
                             (uint64_t)level,
                             (uint64_t)(job->tiles >> level),
                             (uint64_t)args->in.strides[args->nrows_dims],
                             (uint64_t)args->out.strides[args->nrows_dims]};
    memcpy(words, head, sizeof head);
    for (int d = 0; d < n; d++) {
        const int real = d < args->nrows_dims;
        words[11 + d] = real ? (uint64_t)args->rows_shape[d] : 1;
        words[11 + n + d] = real ? (uint64_t)args->in.strides[d] : 0;
        words[11 + 2 * n + d] = real ? (uint64_t)args->out.strides[d] : 0;
    }
    if (want != WANT_LEVELS)
        return brio_kernel_launch(kernel, blocks, threads, words);
    void *arguments[1] = {words};
    for (int64_t row = 0; row < job->nrows; row += 65535) {
        int64_t rows = job->nrows - row < 65535 ? job->nrows - row : 65535;
        words[6] = (uint64_t)(uintptr_t)job->totals +
                   (uint64_t)(row * 2 * job->tiles * brio_ctypes[args->dtype].size);
        BRIO_CU(cuLaunchKernel(kernel, (unsigned)blocks, (unsigned)rows, 1, (unsigned)threads, 1, 1, 0,
                               brio_cuda.stream, arguments, NULL));
    }
    return BRIO_OK;
}

static brio_status scan_tiled(scan_job *job)
{
    const int64_t size = brio_ctypes[job->args->dtype].size, warps = job->nrows * job->groups;
    BRIO_TRY(brio_cuda_alloc((size_t)(2 * job->tiles * job->nrows * size), &job->totals));
    BRIO_TRY(launch(job, WANT_TOTALS, (warps + WARPS - 1) / WARPS, 32 * WARPS, 0));
    for (int64_t level = 0; job->tiles >> level > 1; level += 10) {
        int64_t nodes = job->tiles >> level;
        BRIO_TRY(launch(job, WANT_LEVELS, (nodes + CHUNK - 1) / CHUNK, CHUNK / 2, level));
    }
    return launch(job, WANT_APPLY, (warps + WARPS - 1) / WARPS, 32 * WARPS, 0);
}

brio_status brio_cuda_scan(const brio_scan_args *args)
{
    scan_job job = {.args = args, .nrows = 1, .totals = NULL};
    const int dtype = (int)args->dtype;
    if ((unsigned)dtype >= BRIO_DTYPE_COUNT || brio_ctypes[dtype].family < 0 || dtype == BRIO_F16 ||
        args->kind > BRIO_REDUCE_MINIMUM)
        return brio_fail(BRIO_E_TYPE, "cannot scan dtype %d by reduction %d", dtype, (int)args->kind);
    const int is_float = brio_ctypes[dtype].family == 3;
    if (args->fp_flags != NULL && is_float && args->kind <= BRIO_REDUCE_MULTIPLY)
        return brio_fail(BRIO_E_UNSUPPORTED, "conditions of scans are not gathered on the device");
    for (int d = 0; d < args->nrows_dims; d++)
        job.nrows *= args->rows_shape[d];
    if (job.nrows == 0 || args->length == 0)
        return BRIO_OK;
    BRIO_TRY(brio_cuda_enter());
    const int64_t size = brio_ctypes[dtype].size;
    const int axis = args->nrows_dims;
    job.dims = args->nrows_dims > 0 ? args->nrows_dims : 1;
    job.tiles = (args->length + TILE - 1) / TILE;
    job.groups = (job.tiles + 31) / 32;
    job.key.length = 0;
    job.key.failed = 0;
    const int32_t key[] = {'s', dtype, (int)args->kind, args->exclusive, job.dims};
    brio_key_add(&job.key, key, sizeof key);
    if (args->length <= TILE || args->in.strides[axis] != size || args->out.strides[axis] != size ||
        (args->sequential && is_float))
        return launch(&job, WANT_RUN, (job.nrows + 127) / 128, 128, 0);
    brio_status status = scan_tiled(&job);
    brio_cuda_free(job.totals);
    return status;
}

brio_status brio_cuda_scan_compile(brio_dtype dtype, brio_reduce_kind kind, int exclusive, int sm)
{
    const brio_scan_args args = {.kind = kind, .dtype = dtype, .exclusive = exclusive};
    scan_job job = {.args = &args, .dims = 2};
    for (job.want = WANT_RUN; job.want <= WANT_APPLY; job.want++)
        BRIO_TRY(brio_kernel_try(write_scan, &job, sm));
    return BRIO_OK;
}
