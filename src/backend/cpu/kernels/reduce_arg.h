/* Positions of the best element. Included with T, NAME(x), BETTER(a, b) whether a comes strictly before b
 * (false with NaN), IS_NAN(a), and NAME_BEST(x) naming the maximum or minimum of the type, whose rows()
 * gives NaN when there is one. */

/* The first of n elements that equals `best`, or is NaN when that is. */
static int64_t NAME(find)(const T *p, int64_t n, T best)
{
    int64_t i = 0;
    if (IS_NAN(best)) {
        while (i < n && !IS_NAN(p[i]))
            i++;
        return i;
    }
    for (; i + 64 <= n; i += 64) {
        int found = 0;
        for (int j = 0; j < 64; j++)
            found |= p[i + j] == best;
        if (found)
            break;
    }
    while (i < n && p[i] != best)
        i++;
    return i;
}

/* Block by block: the block's best, found by vectors, is compared; only the winning block is searched. */
static void NAME(arg_rows)(const char *data, int64_t nrows, int64_t n, char *best_bytes, int64_t *index)
{
    enum { BLOCK = 4096 / sizeof(T) };
    for (int64_t r = 0; r < nrows; r++, data += n * (int64_t)sizeof(T)) {
        const T *p = (const T *)(const void *)data;
        T best = 0;
        int64_t at = -1;
        for (int64_t i = 0; i < n; i += BLOCK) {
            T value;
            NAME_BEST(rows)((const char *)(p + i), 1, n - i < BLOCK ? n - i : BLOCK, (char *)&value);
            if (at < 0 || BETTER(value, best) || IS_NAN(value)) {
                best = value;
                at = i;
                if (IS_NAN(value))
                    break;
            }
        }
        index[r] = at + NAME(find)(p + at, n - at < BLOCK ? n - at : BLOCK, best);
        memcpy(best_bytes + r * (int64_t)sizeof(T), &best, sizeof best);
    }
}

static void NAME(arg_columns)(char *best_bytes, int64_t *restrict index, const char *data, int64_t first,
                              int64_t nrows, int64_t ncols, int64_t stride)
{
    T *restrict best = (T *)(void *)best_bytes;
    for (int64_t r = 0; r < nrows; r++, data += stride) {
        const T *restrict p = (const T *)(const void *)data;
        for (int64_t j = 0; j < ncols; j++) {
            int better = BETTER(p[j], best[j]) | (IS_NAN(p[j]) & !IS_NAN(best[j]));
            best[j] = better ? p[j] : best[j];
            index[j] = better ? first + r : index[j];
        }
    }
}

static void NAME(arg_fold)(char *best_bytes, int64_t *index, const char *candidate,
                           const int64_t *candidate_index, int64_t n)
{
    T *best = (T *)(void *)best_bytes;
    const T *p = (const T *)(const void *)candidate;
    for (int64_t j = 0; j < n; j++) {
        if (BETTER(p[j], best[j]) || (IS_NAN(p[j]) && !IS_NAN(best[j]))) {
            best[j] = p[j];
            index[j] = candidate_index[j];
        }
    }
}
