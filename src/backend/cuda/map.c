/* Elementwise programs. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <string.h>

#define THREADS 256

typedef struct map_job {
    const brio_program *program;
    brio_layout layout;
    int unroll;
} map_job;

static brio_status write_map(void *context, brio_text *text)
{
    const map_job *job = context;
    const char *more = job->layout.flags ? "    char *flags;\n" : "";
    BRIO_TRY(brio_program_write(text, job->program, &job->layout, job->program->noutputs, more));
    brio_text_add(text, "#define THREADS %d\n#define UNROLL %d\n#define FLAGS %d\n#include \"map.cuh\"\n",
                  THREADS, job->unroll, job->layout.flags);
    return BRIO_OK;
}

/* Some 64 bytes of loads in flight a thread, fewer where there are many inputs to keep. */
static int choose_unroll(const map_job *job)
{
    int inputs = job->program->ninputs;
    return inputs <= 2 ? 4 : inputs <= 4 ? 2 : 1;
}

static void lay_out(map_job *job, int ndim, const int64_t *shape, const brio_strided *in,
                    const brio_strided *out)
{
    const brio_program *program = job->program;
    const brio_strided *operands[BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_OUTPUTS];
    int sizes[BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_OUTPUTS], n = 0;
    for (int k = 0; k < program->ninputs; k++, n++) {
        operands[n] = &in[k];
        sizes[n] = brio_ctypes[program->dtypes[k]].size;
    }
    for (int k = 0; k < program->noutputs; k++, n++) {
        operands[n] = &out[k];
        sizes[n] = brio_ctypes[program->dtypes[program->outputs[k]]].size;
    }
    brio_layout_make(&job->layout, ndim, shape, operands, sizes, n);
    for (int k = program->ninputs; k < n; k++) /* an output is written once whatever its strides say */
        if (job->layout.class[k] == BRIO_LAY_SCALAR)
            job->layout.class[k] = BRIO_LAY_CONTIGUOUS;
    job->unroll = choose_unroll(job);
}

static brio_status launch(const map_job *job, CUfunction kernel, int64_t n, void *flags)
{
    uint64_t words[BRIO_WORDS_MAX];
    int at = brio_program_words(words, job->program, &job->layout, n, job->program->noutputs);
    words[at] = (uint64_t)(uintptr_t)flags;
    int64_t each = (int64_t)THREADS * job->layout.width * job->unroll;
    return brio_kernel_launch(kernel, (n + each - 1) / each, THREADS, words);
}

/* Runs with a word on the device in which conditions are gathered, and waits for it. */
static brio_status launch_with_flags(const map_job *job, CUfunction kernel, int64_t n, uint32_t *fp_flags)
{
    void *flags = NULL;
    uint32_t raised = 0;
    BRIO_TRY(brio_cuda_alloc(sizeof raised, &flags));
    brio_status status = BRIO_OK;
    if (brio_cuda.cuMemsetD8Async((CUdeviceptr)(uintptr_t)flags, 0, sizeof raised, brio_cuda.stream) !=
        CUDA_SUCCESS)
        status = brio_fail(BRIO_E_DEVICE, "cuMemsetD8Async failed");
    if (status == BRIO_OK)
        status = launch(job, kernel, n, flags);
    if (status == BRIO_OK)
        status = brio_cuda_copy(&raised, flags, sizeof raised, 0);
    brio_cuda_free(flags);
    *fp_flags |= raised;
    return status;
}

brio_status brio_cuda_map(const brio_map_args *args)
{
    map_job job;
    brio_key key;
    CUfunction kernel;
    int64_t n = 1;
    for (int d = 0; d < args->ndim; d++)
        n *= args->shape[d];
    if (n == 0)
        return BRIO_OK;
    BRIO_TRY(brio_program_check(args->program));
    BRIO_TRY(brio_cuda_enter());
    job.program = args->program;
    lay_out(&job, args->ndim, args->shape, args->in, args->out);
    job.layout.flags = args->fp_flags != NULL;
    key.length = 0;
    key.failed = 0;
    brio_key_add(&key, "map", 3);
    brio_program_key(&key, args->program, &job.layout);
    BRIO_TRY(brio_kernel_get(&key, "brio_kernel", write_map, &job, &kernel));
    if (args->fp_flags != NULL)
        return launch_with_flags(&job, kernel, n, args->fp_flags);
    return launch(&job, kernel, n, NULL);
}

brio_status brio_cuda_map_compile(const brio_program *program, int layout, int sm)
{
    map_job job = {.program = program};
    brio_strided operands[BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_OUTPUTS];
    const int64_t shape[2] = {1000, 1000};
    BRIO_TRY(brio_program_check(program));
    memset(operands, 0, sizeof operands);
    for (int k = 0; k < program->ninputs + program->noutputs; k++) {
        int value = k < program->ninputs ? k : program->outputs[k - program->ninputs];
        operands[k].strides[1] = brio_ctypes[program->dtypes[value]].size;
        operands[k].strides[0] = (layout ? 2000 : 1000) * operands[k].strides[1];
    }
    lay_out(&job, 2, shape, operands, operands + program->ninputs);
    job.layout.flags = layout;
    return brio_kernel_try(write_map, &job, sm);
}
