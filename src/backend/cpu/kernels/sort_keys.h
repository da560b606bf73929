/* Sorting of one key width: encoding, detection of runs, quicksort over the network. Included once for
 * each width with the names that sort_network.h asks for, and
 *   UKEY  the unsigned key type   KEY_MAX  the largest key   WIDTH  32 or 64
 *   PARTITION  1 when NAME(partition) is defined for this level */

static void NAME(encode)(KEY *to, const KEY *from, int64_t n, const brio_sort_code *code)
{
    UKEY magnitude = (UKEY)code->magnitude, flip = (UKEY)code->flip, shift = (UKEY)code->shift;
    for (int64_t i = 0; i < n; i++) {
        UKEY x = (UKEY)from[i], sign = (UKEY)(from[i] >> (WIDTH - 1));
        to[i] = (KEY)((x ^ (sign & magnitude) ^ flip) - shift);
    }
}

static void NAME(decode)(KEY *to, const KEY *from, int64_t n, const brio_sort_code *code)
{
    UKEY magnitude = (UKEY)code->magnitude, flip = (UKEY)code->flip, shift = (UKEY)code->shift;
    for (int64_t i = 0; i < n; i++) {
        UKEY x = ((UKEY)from[i] + shift) ^ flip, sign = (UKEY)((KEY)x >> (WIDTH - 1));
        to[i] = (KEY)(x ^ (sign & magnitude));
    }
}

static int NAME(run)(const KEY *keys, int64_t n)
{
    KEY up = 1, down = 1;
    int64_t i = 0;
    for (; i + 65 <= n && (up | down); i += 64) {
        KEY bad_up = 0, bad_down = 0;
        for (int j = 0; j < 64; j++) {
            bad_up |= keys[i + j] > keys[i + j + 1];
            bad_down |= keys[i + j] <= keys[i + j + 1];
        }
        up &= !bad_up;
        down &= !bad_down;
    }
    for (; i + 1 < n && (up | down); i++) {
        up &= keys[i] <= keys[i + 1];
        down &= keys[i] > keys[i + 1];
    }
    return up ? BRIO_RUN_ASCENDING : down ? BRIO_RUN_DESCENDING : BRIO_RUN_NONE;
}

static void NAME(sift)(KEY *keys, int64_t root, int64_t n)
{
    KEY key = keys[root];
    for (int64_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && keys[child] < keys[child + 1])
            child++;
        if (keys[child] <= key)
            break;
        keys[root] = keys[child];
    }
    keys[root] = key;
}

/* What quicksort turns to when its pivots were bad too often, so that no input takes quadratic time. */
static void NAME(heap_sort)(KEY *keys, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;)
        NAME(sift)(keys, i, n);
    for (int64_t last = n - 1; last > 0; last--) {
        KEY key = keys[0];
        keys[0] = keys[last];
        keys[last] = key;
        NAME(sift)(keys, 0, last);
    }
}

/* Moves keys below the pivot to the front and says how many there are, storing every key twice
 * instead of branching. */
BRIO_INLINE int64_t NAME(partition_scalar)(KEY *keys, int64_t n, KEY pivot)
{
    int64_t below = 0;
    for (int64_t i = 0; i < n; i++) {
        KEY key = keys[i];
        keys[i] = keys[below];
        keys[below] = key;
        below += key < pivot;
    }
    return below;
}

#if PARTITION
BRIO_INLINE VEC NAME(load)(const KEY *keys)
{
    VEC v;
    memcpy(&v, keys, sizeof v);
    return v;
}

/* Stores a vector at both write positions, the keys below the pivot first. */
BRIO_INLINE void NAME(place)(KEY *keys, VEC v, VEC pivots, int64_t *left, int64_t *right)
{
    int below = NAME(divide)(&v, pivots);
    memcpy(keys + *left, &v, sizeof v);
    memcpy(keys + *right - LANES, &v, sizeof v);
    *left += below;
    *right -= LANES - below;
}

/* The same by vectors: each vector read is permuted so that the keys below the pivot come first, and
 * stored whole at both write positions. A group of keys at each end is set aside first, which leaves
 * room for one group on the side that is read next: the one with less room. */
enum { NAME(GROUP) = 8 * LANES };

static int64_t NAME(partition_vectors)(KEY *keys, int64_t n, KEY pivot)
{
    enum { GROUP = NAME(GROUP) };
    KEY aside[3 * GROUP];
    int64_t tail = GROUP + n % GROUP, held = GROUP + tail;
    memcpy(aside, keys, GROUP * sizeof(KEY));
    memcpy(aside + GROUP, keys + n - tail, (size_t)tail * sizeof(KEY));
    int64_t left = 0, right = n;         /* where keys are written */
    int64_t from = GROUP, to = n - tail; /* what was not read yet */
    VEC pivots = NAME(spread)(pivot);
    while (from < to) {
        const KEY *source;
        if (from - left <= right - to) {
            source = keys + from;
            from += GROUP;
        } else {
            to -= GROUP;
            source = keys + to;
        }
        VEC v0 = NAME(load)(source), v1 = NAME(load)(source + LANES), v2 = NAME(load)(source + 2 * LANES);
        VEC v3 = NAME(load)(source + 3 * LANES), v4 = NAME(load)(source + 4 * LANES);
        VEC v5 = NAME(load)(source + 5 * LANES), v6 = NAME(load)(source + 6 * LANES);
        VEC v7 = NAME(load)(source + 7 * LANES);
        NAME(place)(keys, v0, pivots, &left, &right);
        NAME(place)(keys, v1, pivots, &left, &right);
        NAME(place)(keys, v2, pivots, &left, &right);
        NAME(place)(keys, v3, pivots, &left, &right);
        NAME(place)(keys, v4, pivots, &left, &right);
        NAME(place)(keys, v5, pivots, &left, &right);
        NAME(place)(keys, v6, pivots, &left, &right);
        NAME(place)(keys, v7, pivots, &left, &right);
    }
    /* The odd ones first: then the gap is a whole number of vectors, and the last store fits it. */
    int64_t i = 0;
    for (; i < held % LANES; i++) {
        KEY key = aside[i];
        keys[left] = key;
        keys[right - 1] = key;
        left += key < pivot;
        right -= key >= pivot;
    }
    for (; i < held; i += LANES) {
        NAME(place)(keys, NAME(load)(aside + i), pivots, &left, &right);
    }
    return left;
}
#endif

BRIO_INLINE int64_t NAME(partition)(KEY *keys, int64_t n, KEY pivot)
{
#if PARTITION
    return NAME(partition_vectors)(keys, n, pivot);
#else
    return NAME(partition_scalar)(keys, n, pivot);
#endif
}

/* About the median: that of a sample at even distances. */
static KEY NAME(pivot)(const KEY *keys, int64_t n)
{
    if (n > 4096) {
        KEY sample[8 * LANES];
        int64_t step = n / (8 * LANES);
        for (int i = 0; i < 8 * LANES; i++)
            sample[i] = keys[i * step + step / 2];
        NAME(sort_network)(sample, 8 * LANES);
        return sample[4 * LANES];
    }
    VEC v[2];
    int64_t step = n / (2 * LANES);
    for (int i = 0; i < LANES; i++) {
        v[0][i] = keys[i * step];
        v[1][i] = keys[(i + LANES) * step];
    }
    NAME(sort_columns)(v, 2);
    NAME(merge_columns)(v, 2);
    return v[0][LANES / 2];
}

static int64_t NAME(split)(KEY *keys, int64_t n)
{
    KEY pivot = NAME(pivot)(keys, n);
    int64_t below = NAME(partition)(keys, n, pivot);
    if (below == 0 && pivot != KEY_MAX)
        below = NAME(partition)(keys, n, (KEY)(pivot + 1));
    return below > 0 ? below : n;
}

static void NAME(quick_sort)(KEY *keys, int64_t n, int depth)
{
    while (n > 16 * LANES) {
        if (depth-- == 0) {
            NAME(heap_sort)(keys, n);
            return;
        }
        KEY pivot = NAME(pivot)(keys, n);
        int64_t below = NAME(partition)(keys, n, pivot);
        if (below == 0) {
            /* The pivot is the least key: what equals it is in place once it is in front. */
            if (pivot == KEY_MAX)
                return;
            below = NAME(partition)(keys, n, (KEY)(pivot + 1));
        } else if (below < n - below) {
            NAME(quick_sort)(keys, below, depth);
        } else {
            NAME(quick_sort)(keys + below, n - below, depth);
            n = below;
            continue;
        }
        keys += below;
        n -= below;
    }
    NAME(sort_network)(keys, n);
}

static void NAME(sort)(KEY *keys, int64_t n)
{
    int depth = 4;
    for (int64_t m = n; m > 0; m >>= 1)
        depth += 2;
    NAME(quick_sort)(keys, n, depth);
}

/* How many of the first k keys of the merged order of a and b come from a (ties: a first). */
static int64_t NAME(merge_split)(const KEY *a, int64_t na, const KEY *b, int64_t nb, int64_t k)
{
    int64_t low = k > nb ? k - nb : 0, high = k < na ? k : na;
    while (low < high) {
        int64_t i = low + (high - low) / 2;
        if (a[i] <= b[k - i - 1])
            low = i + 1;
        else
            high = i;
    }
    return low;
}

/* Merges from both ends at once: two chains of dependent loads instead of one, and no branch on keys. */
static void NAME(merge)(KEY *out, const KEY *a, int64_t na, const KEY *b, int64_t nb)
{
    const KEY *a_end = a + na, *b_end = b + nb;
    KEY *out_end = out + na + nb;
    while (a_end - a > 1 && b_end - b > 1) {
        KEY x = *a, y = *b;
        int from_b = y < x;
        *out++ = from_b ? y : x;
        a += !from_b;
        b += from_b;
        x = a_end[-1], y = b_end[-1];
        int from_a = y < x;
        *--out_end = from_a ? x : y;
        a_end -= from_a;
        b_end -= !from_a;
    }
    while (a < a_end && b < b_end)
        *out++ = *b < *a ? *b++ : *a++;
    memcpy(out, a, (size_t)(a_end - a) * sizeof(KEY));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof(KEY));
}
