/* One long row sorted by several threads: equal parts are sorted alone, then merged in pairs, every
 * merge cut into as many segments as there are threads. Included once for each key width with KEY and
 * NAME(x). The order of the result is unique, so the cuts do not show in it. */

typedef struct NAME(row) {
    const brio_cpu_sort_kernels *kernels;
    const brio_sort_code *code;
    KEY *from, *to; /* of this round */
    int64_t n, part, width, segments;
} NAME(row);

static void NAME(sort_alone)(const brio_cpu_sort_kernels *kernels, KEY *keys, int64_t n,
                             const brio_sort_code *code)
{
    if (!is_identity(code))
        kernels->NAME(encode)(keys, keys, n, code);
    int run = n > 16 ? kernels->NAME(run)(keys, n) : BRIO_RUN_NONE;
    if (run == BRIO_RUN_NONE) {
        kernels->NAME(sort)(keys, n);
    } else if (run == BRIO_RUN_DESCENDING) {
        for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
            KEY key = keys[i];
            keys[i] = keys[j];
            keys[j] = key;
        }
    }
}

static void NAME(sort_parts)(void *context, int64_t begin, int64_t end, int worker)
{
    NAME(row) *row = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = i * row->part, last = first + row->part;
        if (last > row->n)
            last = row->n;
        if (first < last)
            NAME(sort_alone)(row->kernels, row->from + first, last - first, row->code);
    }
}

/* Segment i of a round: part of the merge of the runs [pair, pair + width) and the next `width` keys. */
static void NAME(merge_segments)(void *context, int64_t begin, int64_t end, int worker)
{
    NAME(row) *row = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t pair = i / row->segments * 2 * row->width, segment = i % row->segments;
        int64_t na = row->n - pair < row->width ? row->n - pair : row->width;
        if (na <= 0)
            continue;
        int64_t nb = row->n - pair - na < row->width ? row->n - pair - na : row->width;
        const KEY *a = row->from + pair, *b = a + na;
        int64_t first = (na + nb) * segment / row->segments, last = (na + nb) * (segment + 1) / row->segments;
        int64_t a0 = row->kernels->NAME(merge_split)(a, na, b, nb, first);
        int64_t a1 = row->kernels->NAME(merge_split)(a, na, b, nb, last);
        int64_t b0 = first - a0, b1 = last - a1;
        row->kernels->NAME(merge)(row->to + pair + first, a + a0, a1 - a0, b + b0, b1 - b0);
    }
}

static void NAME(decode_part)(void *context, int64_t begin, int64_t end, int worker)
{
    NAME(row) *row = context;
    row->kernels->NAME(decode)(row->to + begin, row->from + begin, end - begin, row->code);
}

/* Whether the sorted parts already follow each other. */
static int NAME(parts_in_order)(const NAME(row) * row)
{
    for (int64_t i = row->part; i < row->n; i += row->part) {
        if (row->from[i - 1] > row->from[i])
            return 0;
    }
    return 1;
}

static void NAME(sort_together)(const brio_cpu_sort_kernels *kernels, KEY *keys, int64_t n,
                                const brio_sort_code *code, int threads, KEY *scratch)
{
    int64_t parts = 1;
    while (parts < threads)
        parts *= 2;
    NAME(row) row = {kernels, code, keys, scratch, n, (n + parts - 1) / parts, 0, 0};
    brio_parallel_for(parts, 1, NAME(sort_parts), &row);
    if (!NAME(parts_in_order)(&row)) {
        for (row.width = row.part; row.width < n; row.width *= 2) {
            int64_t pairs = (n + 2 * row.width - 1) / (2 * row.width);
            row.segments = (2 * threads + pairs - 1) / pairs;
            brio_parallel_for(pairs * row.segments, 1, NAME(merge_segments), &row);
            KEY *merged = row.to;
            row.to = row.from;
            row.from = merged;
        }
    }
    row.to = keys;
    if (row.from != keys || !is_identity(code))
        brio_parallel_for(n, 1 << 16, NAME(decode_part), &row);
}

void NAME(brio_sort_keys)(KEY *keys, int64_t n, const brio_sort_code *code)
{
    const brio_cpu_sort_kernels *kernels = brio_cpu_kernels_now()->sort;
    int64_t threads = brio_in_parallel() ? 1 : brio_threads();
    if (threads > n / PART_MIN)
        threads = n / PART_MIN;
    void *scratch = NULL;
    if (threads > 1 && brio_memory_alloc((size_t)n * sizeof(KEY), &scratch) == BRIO_OK) {
        NAME(sort_together)(kernels, keys, n, code, (int)threads, scratch);
        brio_memory_free(scratch);
        return;
    }
    NAME(sort_alone)(kernels, keys, n, code);
    if (!is_identity(code))
        kernels->NAME(decode)(keys, keys, n, code);
}
