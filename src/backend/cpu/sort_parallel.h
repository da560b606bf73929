/* One long row sorted by several threads. A few threads split it about medians until there are some pieces
 * for each of them, then sort the pieces: no more work than one thread has, and no scratch, but the first
 * split is one thread's. Many threads sort equal parts alone, then merge them in pairs, every merge cut into
 * as many segments as there are threads. Included once for each key width with KEY and NAME(x). The order of
 * the result is unique, so the cuts do not show in it. */

typedef struct NAME(row) {
    const brio_cpu_sort_kernels *kernels;
    const brio_sort_code *code;
    KEY *from, *to; /* of this round */
    int64_t n, part, width, segments;
} NAME(row);

/* Sorts what is a run already, and returns whether it was one. */
static int NAME(sort_run)(const brio_cpu_sort_kernels *kernels, KEY *keys, int64_t n)
{
    int run = n > 16 ? kernels->NAME(run)(keys, n) : BRIO_RUN_NONE;
    if (run == BRIO_RUN_DESCENDING) {
        for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
            KEY key = keys[i];
            keys[i] = keys[j];
            keys[j] = key;
        }
    }
    return run != BRIO_RUN_NONE;
}

static void NAME(sort_alone)(const brio_cpu_sort_kernels *kernels, KEY *keys, int64_t n,
                             const brio_sort_code *code)
{
    if (!is_identity(code))
        kernels->NAME(encode)(keys, keys, n, code);
    if (!NAME(sort_run)(kernels, keys, n))
        kernels->NAME(sort)(keys, n);
}

/* ---- Pieces ----------------------------------------------------------------------------------- */

typedef struct NAME(pieces) {
    const brio_cpu_sort_kernels *kernels;
    const brio_sort_code *code;
    KEY *keys;
    int64_t count, least; /* pieces of no more than `least` keys are not split */
    int64_t ends[2 * MAX_PIECES];
    int64_t middles[MAX_PIECES];
} NAME(pieces);

static void NAME(encode_part)(void *context, int64_t begin, int64_t end, int worker)
{
    NAME(pieces) *pieces = context;
    pieces->kernels->NAME(encode)(pieces->keys + begin, pieces->keys + begin, end - begin, pieces->code);
}

static void NAME(decode_here)(void *context, int64_t begin, int64_t end, int worker)
{
    NAME(pieces) *pieces = context;
    pieces->kernels->NAME(decode)(pieces->keys + begin, pieces->keys + begin, end - begin, pieces->code);
}

static void NAME(split_pieces)(void *context, int64_t begin, int64_t end, int worker)
{
    NAME(pieces) *pieces = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = i > 0 ? pieces->ends[i - 1] : 0, n = pieces->ends[i] - first;
        pieces->middles[i] =
            n > pieces->least ? first + pieces->kernels->NAME(split)(pieces->keys + first, n) : first;
    }
}

static void NAME(sort_pieces)(void *context, int64_t begin, int64_t end, int worker)
{
    NAME(pieces) *pieces = context;
    int64_t first = begin > 0 ? pieces->ends[begin - 1] : 0, last = pieces->ends[end - 1];
    for (int64_t i = begin; i < end; i++) {
        int64_t from = i > 0 ? pieces->ends[i - 1] : 0;
        pieces->kernels->NAME(sort)(pieces->keys + from, pieces->ends[i] - from);
    }
    if (!is_identity(pieces->code))
        NAME(decode_here)(context, first, last, worker);
}

static void NAME(sort_by_pieces)(const brio_cpu_sort_kernels *kernels, KEY *keys, int64_t n,
                                 const brio_sort_code *code, int threads)
{
    int64_t wanted = PIECES_EACH * threads;
    NAME(pieces) pieces = {kernels, code, keys, 1, n / wanted, {n}, {0}};
    if (!is_identity(code))
        brio_parallel_for(n, 1 << 16, NAME(encode_part), &pieces);
    if (NAME(sort_run)(kernels, keys, n)) {
        if (!is_identity(code))
            brio_parallel_for(n, 1 << 16, NAME(decode_here), &pieces);
        return;
    }
    for (int64_t halves = 1; halves < wanted; halves *= 2) {
        brio_parallel_for(pieces.count, 1, NAME(split_pieces), &pieces);
        int64_t ends[2 * MAX_PIECES], count = 0;
        for (int64_t i = 0; i < pieces.count; i++) {
            if (pieces.middles[i] > (i > 0 ? pieces.ends[i - 1] : 0))
                ends[count++] = pieces.middles[i];
            if (pieces.middles[i] < pieces.ends[i])
                ends[count++] = pieces.ends[i];
        }
        memcpy(pieces.ends, ends, (size_t)count * sizeof *ends);
        pieces.count = count;
    }
    brio_parallel_for(pieces.count, 1, NAME(sort_pieces), &pieces);
}

/* ---- Parts and merges -------------------------------------------------------------------------- */

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
    if (threads > 1 && threads <= SPLITTING_THREADS) {
        NAME(sort_by_pieces)(kernels, keys, n, code, (int)threads);
        return;
    }
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
