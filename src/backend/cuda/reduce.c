/* Reductions: which layout, which kernel, and the scratch between blocks. The layout decides the order of
 * float sums and is that of the cpu backend. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <stdio.h>
#include <string.h>

#define THREADS 256
#define WARPS 8
#define WARP_LEAVES 8
/* Rows of at most so many leaves are reduced by one warp each, when there are enough rows. */
#define FEW_LEAVES 32
#define MANY_ROWS 512
#define BLOCK_ROWS 128

typedef struct reduce_dim {
    int64_t extent, weight; /* weight: distance in bytes of neighbours in the input that decides */
    int source;             /* its place in the arguments' strides */
} reduce_dim;

/* The kernels of reduce.cuh, compiled one at a time. */
enum { WANT_WARPS, WANT_ROWS, WANT_COLUMNS, WANT_GROUPS };

typedef struct reduce_job {
    const brio_reduce_args *args;
    int kind, dtype, is_arg, canonical;
    int64_t size;
    reduce_dim keep[BRIO_MAX_DIMS], reduce[BRIO_MAX_DIMS];
    int nkeep, nreduce, columns;
    int64_t outer, reduced, inner;
    brio_layout layout;
    brio_key key;
    /* columns */
    int64_t group, groups;
    int64_t pieces;
    int want;
    void *scratch, *counters;
} reduce_job;

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* The first input that varies decides in which order the space is laid out in memory. */
static const brio_strided *deciding_input(const brio_reduce_args *args)
{
    for (int i = 0; i < args->program->ninputs; i++)
        for (int d = 0; d < args->nkeep + args->nreduce; d++)
            if (args->in[i].strides[d] != 0)
                return &args->in[i];
    return args->in;
}

/* Collects dimensions of more than one element, far neighbours first when `sorted`; C order among equals. */
static int collect(reduce_dim *dims, const int64_t *shape, int first, int n, const int64_t *strides,
                   int sorted)
{
    int count = 0;
    for (int d = 0; d < n; d++) {
        if (shape[d] == 1)
            continue;
        reduce_dim dim = {shape[d], strides != NULL ? magnitude(strides[first + d]) : 0, first + d};
        int at = count++;
        for (; sorted && at > 0 && dims[at - 1].weight < dim.weight; at--)
            dims[at] = dims[at - 1];
        dims[at] = dim;
    }
    return count;
}

static int64_t product(const reduce_dim *dims, int n)
{
    int64_t all = 1;
    for (int d = 0; d < n; d++)
        all *= dims[d].extent;
    return all;
}

static void lay_out_space(reduce_job *job)
{
    const brio_reduce_args *args = job->args;
    const int64_t *strides = args->program->ninputs > 0 ? deciding_input(args)->strides : NULL;
    job->nkeep = collect(job->keep, args->keep_shape, 0, args->nkeep, strides, 1);
    job->nreduce =
        collect(job->reduce, args->reduce_shape, args->nkeep, args->nreduce, strides, !job->is_arg);
    job->columns = job->nkeep > 0 && job->nreduce > 0 &&
                   job->keep[job->nkeep - 1].weight < job->reduce[job->nreduce - 1].weight;
    job->inner = job->columns ? job->keep[job->nkeep - 1].extent : 1;
    job->outer = product(job->keep, job->nkeep - job->columns);
    job->reduced = product(job->reduce, job->nreduce);
}

/* Operands over (outer, reduced, inner) in the order of the space. */
static void lay_out_operands(reduce_job *job)
{
    const brio_reduce_args *args = job->args;
    const brio_program *program = args->program;
    reduce_dim dims[BRIO_MAX_DIMS];
    int n = 0, outer = job->nkeep - job->columns, sizes[BRIO_PROGRAM_MAX_INPUTS];
    int64_t shape[BRIO_MAX_DIMS];
    brio_strided in[BRIO_PROGRAM_MAX_INPUTS];
    const brio_strided *operands[BRIO_PROGRAM_MAX_INPUTS];
    for (int d = 0; d < outer; d++)
        dims[n++] = job->keep[d];
    for (int d = 0; d < job->nreduce; d++)
        dims[n++] = job->reduce[d];
    if (job->columns)
        dims[n++] = job->keep[outer];
    for (int d = 0; d < n; d++)
        shape[d] = dims[d].extent;
    for (int k = 0; k < program->ninputs; k++) {
        in[k].data = args->in[k].data;
        for (int d = 0; d < n; d++)
            in[k].strides[d] = args->in[k].strides[dims[d].source];
        operands[k] = &in[k];
        sizes[k] = brio_ctypes[program->dtypes[k]].size;
    }
    brio_layout_make(&job->layout, n, shape, operands, sizes, program->ninputs);
    /* A lane takes 16 bytes of values whatever the operands are. */
    job->layout.width = job->columns ? 1 : (int)(16 / job->size);
    for (int k = 0; k < program->ninputs; k++) {
        int64_t bytes = job->layout.width * sizes[k];
        bytes = bytes < 16 ? bytes : 16;
        if (job->layout.class[k] == BRIO_LAY_ALIGNED || job->layout.class[k] == BRIO_LAY_CONTIGUOUS) {
            int aligned = (uintptr_t)job->layout.data[k] % (size_t)bytes == 0 &&
                          (job->outer == 1 || job->reduced % job->layout.width == 0);
            job->layout.class[k] = aligned ? BRIO_LAY_ALIGNED : BRIO_LAY_CONTIGUOUS;
        }
    }
}

/* ---- Text ---- */

static const char *identity_of(const reduce_job *job)
{
    static const char *const least[] = {"0", "(-128)", "(-32768)", "INT32_MIN", "INT64_MIN",
                                        "0", "0",      "0",        "0"};
    static const char *const most[] = {
        "1",    "127",    "32767",       "2147483647",         "9223372036854775807LL",
        "0xff", "0xffff", "0xffffffffu", "0xffffffffffffffffu"};
    const int is_float = job->dtype >= BRIO_F16, is_double = job->dtype == BRIO_F64;
    switch (job->kind) {
    case BRIO_REDUCE_ADD:
        return is_float ? "(T)-0.0" : "0";
    case BRIO_REDUCE_MULTIPLY:
        return "1";
    case BRIO_REDUCE_MAXIMUM:
        return is_float ? (is_double ? "brio_from_bits_f64(0xfff0000000000000u)"
                                     : "brio_from_bits_f32(0xff800000u)")
                        : least[job->dtype];
    case BRIO_REDUCE_MINIMUM:
        return is_float ? (is_double ? "brio_from_bits_f64(0x7ff0000000000000u)"
                                     : "brio_from_bits_f32(0x7f800000u)")
                        : most[job->dtype];
    case BRIO_REDUCE_FMAX:
        return is_float ? (is_double ? "brio_from_bits_f64(0x7ff8000000000000u)"
                                     : "brio_from_bits_f32(0x7fc00000u)")
                        : least[job->dtype];
    case BRIO_REDUCE_FMIN:
        return is_float ? (is_double ? "brio_from_bits_f64(0x7ff8000000000000u)"
                                     : "brio_from_bits_f32(0x7fc00000u)")
                        : most[job->dtype];
    case BRIO_REDUCE_AND:
        return job->dtype == BRIO_BOOL ? "1" : "(T)~(T)0";
    default:
        return "0";
    }
}

static const char more_arguments[] = "    uint64_t outer, reduced, inner, pieces, group, groups, nkeep;\n"
                                     "    char *scratch, *counters, *out;\n";

static brio_status write_reduce(void *context, brio_text *text)
{
    const reduce_job *job = context;
    const brio_ctype *type = &brio_ctypes[job->dtype];
    char more[400];
    int n = job->nkeep > 0 ? job->nkeep : 1;
    snprintf(more, sizeof more, "%s    int64_t keep_shape[%d], keep_stride[%d];\n", more_arguments, n, n);
    BRIO_TRY(brio_program_write(text, job->args->program, &job->layout, 0, more));
    brio_text_add(text,
                  "typedef %s T;\ntypedef %s W;\n#define KIND %d\n#define IS_BOOL %d\n#define CANONICAL %d\n"
                  "#define WARP_LEAVES %d\n#define IDENTITY %s\n#define WANT %d\n#include \"reduce.cuh\"\n",
                  type->name, type->family == 3 ? type->name : type->type_w, job->kind,
                  job->dtype == BRIO_BOOL, job->canonical, WARP_LEAVES, identity_of(job), job->want);
    return BRIO_OK;
}

/* ---- Launching ---- */

static brio_status launch(reduce_job *job, int want, int64_t blocks)
{
    static const char *const names[] = {"brio_warps", "brio_rows", "brio_columns", "brio_groups"};
    CUfunction kernel;
    uint64_t words[BRIO_WORDS_MAX];
    job->want = want;
    BRIO_TRY(brio_kernel_get(&job->key, names[want], write_reduce, job, &kernel));
    int at = brio_program_words(words, job->args->program, &job->layout,
                                job->outer * job->reduced * job->inner, 0);
    const uint64_t more[] = {(uint64_t)job->outer,
                             (uint64_t)job->reduced,
                             (uint64_t)job->inner,
                             (uint64_t)job->pieces,
                             (uint64_t)job->group,
                             (uint64_t)job->groups,
                             (uint64_t)job->nkeep,
                             (uint64_t)(uintptr_t)job->scratch,
                             (uint64_t)(uintptr_t)job->counters,
                             (uint64_t)(uintptr_t)job->args->out.data};
    memcpy(words + at, more, sizeof more);
    at += (int)(sizeof more / sizeof more[0]);
    int n = job->nkeep > 0 ? job->nkeep : 1;
    for (int d = 0; d < job->nkeep; d++) {
        words[at + d] = (uint64_t)job->keep[d].extent;
        words[at + n + d] = (uint64_t)job->args->out.strides[job->keep[d].source];
    }
    return brio_kernel_launch(kernel, blocks, THREADS, words);
}

/* Scratch for `values` values and `counters` zeroed counters. */
static brio_status take_scratch(reduce_job *job, int64_t values, int64_t counters)
{
    int64_t each = job->is_arg ? 16 : job->size;
    int64_t bytes = (values * each + 255) / 256 * 256;
    BRIO_TRY(brio_cuda_alloc((size_t)(bytes + counters * 4), &job->scratch));
    job->counters = (char *)job->scratch + bytes;
    if (counters > 0)
        BRIO_CU(cuMemsetD8Async((CUdeviceptr)(uintptr_t)job->counters, 0, (size_t)counters * 4,
                                brio_cuda.stream));
    return BRIO_OK;
}

static brio_status reduce_rows(reduce_job *job)
{
    int64_t leaf = 2048 / job->size, leaves = (job->reduced + leaf - 1) / leaf;
    if (leaves <= 4 || (leaves <= FEW_LEAVES && job->outer >= MANY_ROWS))
        return launch(job, WANT_WARPS, (job->outer + WARPS - 1) / WARPS);
    int64_t per_block = (int64_t)WARPS * WARP_LEAVES * leaf;
    job->pieces = (job->reduced + per_block - 1) / per_block;
    if (job->pieces > 1)
        BRIO_TRY(take_scratch(job, job->outer * job->pieces, job->outer));
    return launch(job, WANT_ROWS, job->outer * job->pieces);
}

static brio_status reduce_columns(reduce_job *job)
{
    int64_t all = job->outer * job->inner, wish = (int64_t)brio_cuda.processors * 4096;
    job->group = BLOCK_ROWS;
    while (job->group < job->reduced && all * ((job->reduced + job->group - 1) / job->group) > wish)
        job->group *= 2;
    job->groups = (job->reduced + job->group - 1) / job->group;
    if (job->groups > 1)
        BRIO_TRY(take_scratch(job, all * job->groups, 0));
    BRIO_TRY(launch(job, WANT_COLUMNS, (all * job->groups + THREADS - 1) / THREADS));
    return job->groups > 1 ? launch(job, WANT_GROUPS, (all + THREADS - 1) / THREADS) : BRIO_OK;
}

static brio_status prepare(reduce_job *job, const brio_reduce_args *args)
{
    const brio_program *program = args->program;
    memset(job, 0, offsetof(reduce_job, keep));
    job->args = args;
    job->kind = (int)args->kind;
    job->dtype = program->dtypes[program->outputs[0]];
    job->size = brio_ctypes[job->dtype].size;
    job->is_arg = args->kind == BRIO_REDUCE_ARGMAX || args->kind == BRIO_REDUCE_ARGMIN;
    int is_float = brio_ctypes[job->dtype].family == 3;
    job->canonical = is_float && (args->kind == BRIO_REDUCE_ADD || args->kind == BRIO_REDUCE_MULTIPLY);
    if (brio_ctypes[job->dtype].family < 0 || job->dtype == BRIO_F16 ||
        (is_float && args->kind >= BRIO_REDUCE_AND && args->kind <= BRIO_REDUCE_XOR))
        return brio_fail(BRIO_E_TYPE, "cannot reduce dtype %s by reduction %d",
                         job->dtype == BRIO_F16 ? "float16" : "of the program", job->kind);
    BRIO_TRY(brio_program_check(program));
    if (job->canonical && args->order == BRIO_ORDER_NUMPY)
        return brio_fail(BRIO_E_UNSUPPORTED, "NumPy's order of summation is not reproduced on the device");
    if (args->fp_flags != NULL && is_float && !job->is_arg)
        return brio_fail(BRIO_E_UNSUPPORTED, "conditions of reductions are not gathered on the device");
    job->scratch = NULL;
    job->pieces = job->group = job->groups = 1;
    lay_out_space(job);
    lay_out_operands(job);
    job->key.length = 0;
    job->key.failed = 0;
    const int32_t head[] = {'r', job->kind, job->nkeep};
    brio_key_add(&job->key, head, sizeof head);
    brio_program_key(&job->key, program, &job->layout);
    return BRIO_OK;
}

brio_status brio_cuda_reduce(const brio_reduce_args *args)
{
    reduce_job job;
    BRIO_TRY(brio_cuda_enter());
    BRIO_TRY(prepare(&job, args));
    if (job.outer * job.inner == 0 || job.reduced == 0)
        return BRIO_OK;
    brio_status status = job.columns ? reduce_columns(&job) : reduce_rows(&job);
    brio_cuda_free(job.scratch);
    return status;
}

brio_status brio_cuda_reduce_compile(const brio_program *program, brio_reduce_kind kind, int layout, int sm)
{
    const int64_t keep[1] = {10}, reduced[1] = {1000};
    brio_strided in[BRIO_PROGRAM_MAX_INPUTS];
    memset(in, 0, sizeof in);
    for (int k = 0; k < program->ninputs; k++) {
        int size = brio_ctypes[program->dtypes[k]].size;
        in[k].strides[0] = layout ? size : 1000 * size;
        in[k].strides[1] = layout ? 16 * size : size;
    }
    brio_reduce_args args = {.program = program,
                             .kind = kind,
                             .nkeep = 1,
                             .nreduce = 1,
                             .keep_shape = keep,
                             .reduce_shape = reduced,
                             .in = in};
    args.out.strides[0] = 8;
    reduce_job job;
    BRIO_TRY(prepare(&job, &args));
    for (job.want = job.columns ? WANT_COLUMNS : WANT_WARPS;; job.want++) {
        BRIO_TRY(brio_kernel_try(write_reduce, &job, sm));
        if (job.want == WANT_ROWS || job.want == WANT_GROUPS)
            return BRIO_OK;
    }
}
