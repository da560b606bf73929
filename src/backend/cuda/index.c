/* Gather, scatter and the check of indices. */
#include "backend/cuda/shared.h"
#include "backend/cuda/sort.h"
#include "runtime/error.h"

#include <string.h>

typedef struct index_job {
    const char *item;
    int nindex, block_dims;
    brio_key key;
    uint64_t words[8 + 2 * BRIO_MAX_DIMS + 3 * BRIO_MAX_DIMS];
    int64_t count, block;
} index_job;

enum {
    WORD_COUNT,
    WORD_BLOCK,
    WORD_EXTENT,
    WORD_BASE,
    WORD_OTHER,
    WORD_STRIDE,
    WORD_ORDER,
    WORD_PLACES,
    WORDS
};

static brio_status write_index(void *context, brio_text *text)
{
    const index_job *job = context;
    brio_text_add(text,
                  "#define USES_FUNCTIONS 0\n#define ITEM %s\n#define NINDEX %d\n#define BLOCK_DIMS "
                  "%d\n#include \"index.cuh\"\n",
                  job->item, job->nindex, job->block_dims);
    return BRIO_OK;
}

/* The type that is moved, or NULL. */
static const char *item_of(size_t size)
{
    return size == 1    ? "uint8_t"
           : size == 2  ? "uint16_t"
           : size == 4  ? "uint32_t"
           : size == 8  ? "uint64_t"
           : size == 16 ? "Item16"
                        : NULL;
}

brio_status brio_cuda_index_compile(size_t itemsize, int sm)
{
    index_job job = {.item = item_of(itemsize), .nindex = 2, .block_dims = 2};
    return brio_kernel_try(write_index, &job, sm);
}

static brio_status launch(index_job *job, const char *name, int64_t n)
{
    CUfunction kernel;
    BRIO_TRY(brio_kernel_get(&job->key, name, write_index, job, &kernel));
    int64_t blocks = (n + 255) / 256, most = (int64_t)brio_cuda.processors * 32;
    return brio_kernel_launch(kernel, blocks < most ? blocks : most, 256, job->words);
}

static uint64_t address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static void finish_key(index_job *job)
{
    job->key.length = 0;
    job->key.failed = 0;
    brio_key_add_int(&job->key, 'i');
    brio_key_add_int(&job->key, job->nindex);
    brio_key_add_int(&job->key, job->block_dims);
    brio_key_add(&job->key, job->item, strlen(job->item));
}

static brio_status prepare(index_job *job, const brio_index_args *args)
{
    const int n = args->nindex, dims = args->block_ndim > 0 ? args->block_ndim : 1;
    const int size = (int)args->itemsize;
    job->item = item_of(args->itemsize);
    if (job->item == NULL || n < 1 || n > BRIO_MAX_DIMS)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device does not move items of %d bytes by %d indices", size,
                         n);
    job->nindex = n;
    job->block_dims = dims;
    job->count = args->count;
    job->block = 1;
    uint64_t *words = job->words;
    memset(words, 0, sizeof job->words);
    for (int d = 0; d < n; d++) {
        words[WORDS + d] = address(args->index[d]);
        words[WORDS + n + d] = (uint64_t)args->stride[d];
    }
    words += WORDS + 2 * n;
    words[0] = 1;
    for (int d = 0; d < args->block_ndim; d++) {
        job->block *= args->block_shape[d];
        words[d] = (uint64_t)args->block_shape[d];
        words[dims + d] = (uint64_t)args->block_strides[d];
        words[2 * dims + d] = (uint64_t)args->other_block_strides[d];
    }
    job->words[WORD_COUNT] = (uint64_t)job->count;
    job->words[WORD_BLOCK] = (uint64_t)job->block;
    job->words[WORD_BASE] = address(args->base);
    job->words[WORD_OTHER] = address(args->other);
    job->words[WORD_STRIDE] = (uint64_t)args->other_stride;
    finish_key(job);
    return brio_cuda_enter();
}

brio_status brio_cuda_gather(const brio_index_args *args)
{
    index_job job;
    BRIO_TRY(prepare(&job, args));
    if (job.count * job.block == 0)
        return BRIO_OK;
    return launch(&job, "brio_gather", job.count * job.block);
}

/* Sorts the positions by where they write, stably, so that the last of equals is known. `room`: 4 blocks of
 * count values of 8 bytes and what CUB asks for. */
static brio_status sort_places(index_job *job, char *room, void *temporary, size_t bytes)
{
    const int64_t n = job->count;
    void *a = room, *b = room + 8 * n;
    uint32_t *va = (uint32_t *)(void *)(room + 16 * n), *vb = va + n;
    job->words[WORD_PLACES] = address(a);
    job->words[WORD_ORDER] = address(va);
    BRIO_TRY(launch(job, "brio_places", n));
    int code = brio_cub_sort_pairs(temporary, &bytes, &a, &b, &va, &vb, n, 8, 64, brio_cuda.stream);
    if (code != 0)
        return brio_fail(BRIO_E_DEVICE, "sorting by CUB failed: %s (%d)", brio_cub_error_name(code), code);
    job->words[WORD_PLACES] = address(a);
    job->words[WORD_ORDER] = address(va);
    return launch(job, "brio_scatter", n * job->block);
}

brio_status brio_cuda_scatter(const brio_index_args *args)
{
    index_job job;
    size_t bytes = 0;
    void *a = NULL, *b = NULL, *room = NULL;
    uint32_t *va = NULL, *vb = NULL;
    BRIO_TRY(prepare(&job, args));
    if (job.count * job.block == 0)
        return BRIO_OK;
    if (job.count > UINT32_MAX)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device scatters at most 2**32 - 1 blocks");
    int code = brio_cub_sort_pairs(NULL, &bytes, &a, &b, &va, &vb, job.count, 8, 64, brio_cuda.stream);
    if (code != 0)
        return brio_fail(BRIO_E_DEVICE, "sorting by CUB failed: %s (%d)", brio_cub_error_name(code), code);
    size_t lists = ((size_t)job.count * 24 + 255) / 256 * 256;
    BRIO_TRY(brio_cuda_alloc(lists + bytes, &room));
    brio_status status = sort_places(&job, room, (char *)room + lists, bytes);
    brio_cuda_free(room);
    return status;
}

static brio_status check(index_job *job, void *bad, int64_t *index, int64_t extent, int axis)
{
    int64_t first = -1, wrong = 0;
    BRIO_CU(cuMemsetD8Async((CUdeviceptr)(uintptr_t)bad, 0xff, sizeof first, brio_cuda.stream));
    BRIO_TRY(launch(job, "brio_check", job->count));
    BRIO_TRY(brio_cuda_copy(&first, bad, sizeof first, 0));
    if (first < 0)
        return BRIO_OK;
    BRIO_TRY(brio_cuda_copy(&wrong, index + first, sizeof wrong, 0));
    return brio_fail(BRIO_E_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)wrong,
                     axis, (long long)extent);
}

brio_status brio_cuda_check_index(int64_t *index, int64_t count, int64_t extent, int axis)
{
    index_job job = {.item = "uint64_t", .nindex = 1, .block_dims = 1, .count = count};
    void *bad = NULL;
    if (count == 0)
        return BRIO_OK;
    memset(job.words, 0, sizeof job.words);
    finish_key(&job);
    BRIO_TRY(brio_cuda_alloc(sizeof(int64_t), &bad));
    job.words[WORD_COUNT] = (uint64_t)count;
    job.words[WORD_EXTENT] = (uint64_t)extent;
    job.words[WORD_ORDER] = address(bad);
    job.words[WORDS] = address(index);
    brio_status status = check(&job, bad, index, extent, axis);
    brio_cuda_free(bad);
    return status;
}
