/* The argsort primitive. Every row is sorted as 64-bit words that hold a key in their upper bits and the
 * element's position in the lower ones, so that the fast unstable sort of words gives a stable order.
 * Keys that leave too few bits for the position are cut, and words with equal cut keys are put in order
 * by the bits that were cut off. */
#include "backend/cpu/sort.h"
#include "backend/cpu/primitives.h"
#include "backend/cpu/kernels.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>
#include <stdlib.h>
#include <string.h>

/* Elements for which a thread of their own pays. */
#define GRAIN (1 << 15)
/* Positions take at most half of a word, so that a cut key's lower bits fit beside one (order_ties). */
#define LENGTH_MAX (1LL << 32)
/* Ties up to this many are put in order by insertion. */
#define INSERTION_MAX 24

typedef struct argsort_job {
    const brio_argsort_args *args;
    brio_sort_code code;
    int width;
    size_t scratch_bytes; /* for one worker */
    char *scratch;
} argsort_job;

/* A row on its way: key(i) = (encoded element - least) >> cut goes above `bits` bits of position. */
typedef struct argsort_row {
    const argsort_job *job;
    const char *keys;
    int64_t n;
    uint64_t least;
    int bits, cut;
    int64_t *words;
    int64_t *index;
} argsort_row;

/* The element's key: an unsigned number in ascending order; -0.0 as 0.0, all NaNs alike and last. */
static inline uint64_t key_of(const argsort_job *job, const char *keys, int64_t i)
{
    uint64_t bits, sign = 1ULL << (job->width - 1);
    switch (job->width) {
    case 8:
        bits = ((const uint8_t *)keys)[i];
        break;
    case 16:
        bits = ((const uint16_t *)keys)[i];
        break;
    case 32:
        bits = ((const uint32_t *)keys)[i];
        break;
    default:
        bits = ((const uint64_t *)keys)[i];
        break;
    }
    const brio_sort_code *code = &job->code;
    uint64_t mask = sign | (sign - 1);
    if (code->magnitude && bits == sign)
        bits = 0;
    uint64_t negative = bits & sign ? (uint64_t)code->magnitude : 0;
    uint64_t key = (((bits ^ negative ^ (uint64_t)code->flip) - (uint64_t)code->shift) ^ sign) & mask;
    uint64_t last_number = mask - 2 * (uint64_t)code->shift;
    return key > last_number ? last_number + 1 : key;
}

static void find_range(const argsort_row *row, int64_t begin, int64_t end, uint64_t *least, uint64_t *most)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (int64_t i = begin; i < end; i++) {
        uint64_t key = key_of(row->job, row->keys, i);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    *least = low;
    *most = high;
}

static int bits_of(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

#define SIGN64 (1ULL << 63)

static void pack_words(void *context, int64_t begin, int64_t end, int worker)
{
    argsort_row *row = context;
    for (int64_t i = begin; i < end; i++) {
        uint64_t key = (key_of(row->job, row->keys, i) - row->least) >> row->cut;
        uint64_t word = row->bits < 64 ? key << row->bits : 0;
        row->words[i] = (int64_t)((word | (uint64_t)i) ^ SIGN64);
    }
}

static void unpack_words(void *context, int64_t begin, int64_t end, int worker)
{
    argsort_row *row = context;
    uint64_t mask = (1ULL << row->bits) - 1;
    for (int64_t i = begin; i < end; i++)
        row->index[i] = (int64_t)((uint64_t)row->words[i] & mask);
}

/* Puts the positions index[0..n), ascending and of one cut key, in order of the bits that were cut. */
static void order_ties(const argsort_row *row, int64_t *index, int64_t n, int64_t *words)
{
    if (n <= INSERTION_MAX) {
        for (int64_t i = 1; i < n; i++) {
            int64_t at = index[i], j = i;
            uint64_t key = key_of(row->job, row->keys, at);
            for (; j > 0 && key_of(row->job, row->keys, index[j - 1]) > key; j--)
                index[j] = index[j - 1];
            index[j] = at;
        }
        return;
    }
    /* cut <= bits, and n needs no more bits than the whole row: both parts fit a word. */
    uint64_t low_mask = (1ULL << row->cut) - 1;
    uint64_t position_mask = (1ULL << row->bits) - 1;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = (key_of(row->job, row->keys, index[i]) - row->least) & low_mask;
        words[i] = (int64_t)((key << row->bits | (uint64_t)index[i]) ^ SIGN64);
    }
    const brio_sort_code none = {0, 0, 0};
    brio_sort_keys_64(words, n, &none);
    for (int64_t i = 0; i < n; i++)
        index[i] = (int64_t)((uint64_t)words[i] & position_mask);
}

/* Finds the ties that begin in [begin, end) among the sorted words. The words of a tie are its own room. */
static void fix_ties(void *context, int64_t begin, int64_t end, int worker)
{
    argsort_row *row = context;
    int64_t i = begin;
    if (i > 0) {
        uint64_t before = (uint64_t)row->words[i - 1] >> row->bits;
        while (i < end && (uint64_t)row->words[i] >> row->bits == before)
            i++;
    }
    while (i < end) {
        uint64_t key = (uint64_t)row->words[i] >> row->bits;
        int64_t last = i + 1;
        while (last < row->n && (uint64_t)row->words[last] >> row->bits == key)
            last++;
        if (last - i > 1)
            order_ties(row, row->index + i, last - i, row->words + i);
        i = last;
    }
}

typedef struct argsort_range {
    argsort_row *row;
    uint64_t *least, *most; /* one a chunk */
} argsort_range;

static void range_part(void *context, int64_t begin, int64_t end, int worker)
{
    argsort_range *range = context;
    find_range(range->row, begin, end, &range->least[begin / GRAIN], &range->most[begin / GRAIN]);
}

/* Chunk by chunk: the words of the scratch hold the bounds of the chunks before they hold words. */
static void choose_bits(argsort_row *row)
{
    int64_t chunks = (row->n + GRAIN - 1) / GRAIN;
    argsort_range range = {row, (uint64_t *)row->index, (uint64_t *)row->words};
    brio_parallel_for(row->n, GRAIN, range_part, &range);
    uint64_t least = range.least[0], most = range.most[0];
    for (int64_t i = 1; i < chunks; i++) {
        least = range.least[i] < least ? range.least[i] : least;
        most = range.most[i] > most ? range.most[i] : most;
    }
    row->least = least;
    row->bits = bits_of((uint64_t)(row->n - 1));
    int spare = 64 - row->bits, need = bits_of(most - least);
    row->cut = need > spare ? need - spare : 0;
}

static void argsort_one(const argsort_job *job, int64_t r, char *scratch)
{
    int64_t n = job->args->length;
    argsort_row row = {job,
                       (const char *)job->args->keys + (size_t)r * (size_t)n * (size_t)(job->width / 8),
                       n,
                       0,
                       0,
                       0,
                       (int64_t *)scratch,
                       job->args->index + r * n};
    choose_bits(&row);
    brio_parallel_for(n, GRAIN, pack_words, &row);
    const brio_sort_code none = {0, 0, 0};
    brio_sort_keys_64(row.words, n, &none);
    brio_parallel_for(n, GRAIN, unpack_words, &row);
    if (row.cut > 0)
        fix_ties(&row, 0, n, 0);
}

static void argsort_rows(void *context, int64_t begin, int64_t end, int worker)
{
    argsort_job *job = context;
    for (int64_t r = begin; r < end; r++)
        argsort_one(job, r, job->scratch + (size_t)worker * job->scratch_bytes);
}

brio_status brio_cpu_argsort(const brio_argsort_args *args)
{
    size_t size = brio_dtype_size(args->dtype);
    if (size == 0 || size > 8 || brio_dtype_kind(args->dtype) == 'c')
        return brio_fail(BRIO_E_TYPE, "cannot sort dtype %s", brio_dtype_name(args->dtype));
    if (args->nrows == 0 || args->length == 0)
        return BRIO_OK;
    if (args->length > LENGTH_MAX)
        return brio_fail(BRIO_E_UNSUPPORTED,
                         "cannot argsort rows of more than %lld elements, these have %lld",
                         (long long)LENGTH_MAX, (long long)args->length);
    argsort_job job = {args, brio_sort_code_of(args->dtype, args->descending), 8 * (int)size, 0, NULL};
    job.scratch_bytes = (size_t)args->length * sizeof(int64_t);
    int few = args->nrows < 2 * brio_threads() && args->length >= 2 * GRAIN;
    void *scratch = NULL;
    BRIO_TRY(brio_memory_alloc(job.scratch_bytes * (size_t)(few ? 1 : brio_parallel_workers()), &scratch));
    job.scratch = scratch;
    int64_t grain = GRAIN / args->length;
    if (few)
        argsort_rows(&job, 0, args->nrows, 0);
    else
        brio_parallel_for(args->nrows, grain > 1 ? grain : 1, argsort_rows, &job);
    brio_memory_free(scratch);
    return BRIO_OK;
}
