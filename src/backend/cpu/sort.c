/* The sort primitive: 32- and 64-bit elements as keys of their own width, 16-bit and 8-bit ones by
 * counting when they are many and as 32-bit keys when they are few. */
#include "backend/cpu/sort.h"
#include "backend/cpu/primitives.h"
#include "backend/cpu/kernels.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>
#include <string.h>

/* Keys for which a thread of their own pays. */
#define PART_MIN (1 << 15)
/* So many threads at most split a row; into so many pieces for each. */
#define SPLITTING_THREADS 8
#define PIECES_EACH 8
#define MAX_PIECES (SPLITTING_THREADS * PIECES_EACH)
/* Elements of rows handed to a worker at a time. */
#define ROWS_GRAIN (1 << 14)
/* From here on narrow elements are counted. */
#define COUNT_MIN_8 64
#define COUNT_MIN_16 8192

static int is_identity(const brio_sort_code *code)
{
    return code->magnitude == 0 && code->flip == 0 && code->shift == 0;
}

brio_sort_code brio_sort_code_of(brio_dtype dtype, int descending)
{
    int bits = 8 * (int)brio_dtype_size(dtype);
    uint64_t sign = 1ULL << (bits - 1);
    brio_sort_code code = {0, descending ? -1 : 0, 0};
    switch (brio_dtype_kind(dtype)) {
    case 'b':
    case 'u':
        code.flip ^= (int64_t)sign;
        break;
    case 'f': {
        int mantissa = dtype == BRIO_F16 ? 10 : dtype == BRIO_F32 ? 23 : 52;
        code.magnitude = (int64_t)(sign - 1);
        code.shift = ((int64_t)1 << mantissa) - 1;
        break;
    }
    default:
        break;
    }
    return code;
}

#define KEY int32_t
#define NAME(x) x##_32
#include "sort_parallel.h"
#undef KEY
#undef NAME
#define KEY int64_t
#define NAME(x) x##_64
#include "sort_parallel.h"
#undef KEY
#undef NAME

/* The key of a narrow element, as an unsigned number that orders like it. */
static uint32_t narrow_key(uint32_t bits, int width, const brio_sort_code *code)
{
    uint32_t mask = (1U << width) - 1, sign = (bits >> (width - 1)) & 1 ? mask : 0;
    uint32_t key =
        ((bits ^ (sign & (uint32_t)code->magnitude) ^ (uint32_t)code->flip) - (uint32_t)code->shift);
    return (key ^ (1U << (width - 1))) & mask;
}

static uint32_t narrow_element(uint32_t key, int width, const brio_sort_code *code)
{
    uint32_t mask = (1U << width) - 1;
    uint32_t bits = (((key ^ (1U << (width - 1))) + (uint32_t)code->shift) ^ (uint32_t)code->flip) & mask;
    uint32_t sign = (bits >> (width - 1)) & 1 ? mask : 0;
    return (bits ^ (sign & (uint32_t)code->magnitude)) & mask;
}

static void count_8(uint8_t *data, int64_t n, const brio_sort_code *code)
{
    int64_t counts[4][256] = {{0}};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        counts[0][data[i]]++;
        counts[1][data[i + 1]]++;
        counts[2][data[i + 2]]++;
        counts[3][data[i + 3]]++;
    }
    for (; i < n; i++)
        counts[0][data[i]]++;
    for (uint32_t key = 0; key < 256; key++) {
        uint32_t element = narrow_element(key, 8, code);
        int64_t run = counts[0][element] + counts[1][element] + counts[2][element] + counts[3][element];
        if (run > 0)
            memset(data, (int)element, (size_t)run);
        data += run;
    }
}

static void count_16(uint16_t *data, int64_t n, const brio_sort_code *code, int64_t *counts)
{
    memset(counts, 0, 65536 * sizeof *counts);
    for (int64_t i = 0; i < n; i++)
        counts[data[i]]++;
    for (uint32_t key = 0; key < 65536; key++) {
        uint32_t element = narrow_element(key, 16, code);
        for (int64_t run = counts[element]; run > 0; run--)
            *data++ = (uint16_t)element;
    }
}

/* Fewer than COUNT_MIN_16 elements as 32-bit keys in `wide`. */
static void sort_narrow(char *data, int64_t n, int width, const brio_sort_code *code, int32_t *wide)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = width == 8 ? ((uint8_t *)data)[i] : ((uint16_t *)data)[i];
        wide[i] = (int32_t)narrow_key(bits, width, code); /* NOLINT(clang-analyzer-core.NullDereference) */
    }
    brio_cpu_kernels_now()->sort->sort_32(wide, n);
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = narrow_element((uint32_t)wide[i], width, code);
        if (width == 8)
            ((uint8_t *)data)[i] = (uint8_t)bits;
        else
            ((uint16_t *)data)[i] = (uint16_t)bits;
    }
}

typedef struct sort_job {
    const brio_sort_args *args;
    brio_sort_code code;
    size_t size;
    char *scratch; /* narrow elements: scratch_bytes a worker */
    size_t scratch_bytes;
} sort_job;

static void sort_one(const sort_job *job, int64_t row, int worker)
{
    int64_t n = job->args->length;
    char *data = (char *)job->args->data + (size_t)row * (size_t)n * job->size;
    char *scratch = job->scratch_bytes > 0 ? job->scratch + (size_t)worker * job->scratch_bytes : NULL;
    if (job->size == 8)
        brio_sort_keys_64((int64_t *)data, n, &job->code);
    else if (job->size == 4)
        brio_sort_keys_32((int32_t *)data, n, &job->code);
    else if (job->size == 2 && n >= COUNT_MIN_16)
        count_16((uint16_t *)data, n, &job->code, (int64_t *)scratch);
    else if (job->size == 1 && n >= COUNT_MIN_8)
        count_8((uint8_t *)data, n, &job->code);
    else
        sort_narrow(data, n, 8 * (int)job->size, &job->code, (int32_t *)scratch);
}

static void sort_rows(void *context, int64_t begin, int64_t end, int worker)
{
    for (int64_t row = begin; row < end; row++)
        sort_one(context, row, worker);
}

static void sort_all(sort_job *job)
{
    int64_t nrows = job->args->nrows, length = job->args->length;
    int64_t grain = ROWS_GRAIN / length;
    if (job->size >= 4 && nrows < 2 * brio_threads() && length >= 2 * PART_MIN) {
        for (int64_t row = 0; row < nrows; row++)
            sort_one(job, row, 0);
        return;
    }
    brio_parallel_for(nrows, grain > 1 ? grain : 1, sort_rows, job);
}

brio_status brio_cpu_sort(const brio_sort_args *args)
{
    size_t size = brio_dtype_size(args->dtype);
    if (size == 0 || size > 8 || brio_dtype_kind(args->dtype) == 'c')
        return brio_fail(BRIO_E_TYPE, "cannot sort dtype %s", brio_dtype_name(args->dtype));
    if (args->nrows == 0 || args->length < 2)
        return BRIO_OK;
    sort_job job = {args, brio_sort_code_of(args->dtype, args->descending), size, NULL, 0};
    if (size <= 2)
        job.scratch_bytes = size == 2 && args->length >= COUNT_MIN_16 ? 65536 * sizeof(int64_t)
                                                                      : COUNT_MIN_16 * sizeof(int32_t);
    void *scratch = NULL;
    if (job.scratch_bytes > 0)
        BRIO_TRY(brio_memory_alloc(job.scratch_bytes * (size_t)brio_parallel_workers(), &scratch));
    job.scratch = scratch;
    sort_all(&job);
    brio_memory_free(scratch);
    return BRIO_OK;
}
