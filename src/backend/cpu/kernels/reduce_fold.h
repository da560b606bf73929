/* Reductions whose order does not show, over contiguous rows. Included with T, NAME(x) and OP(a, b). */

static void NAME(rows)(const char *data, int64_t nrows, int64_t n, char *out)
{
    const T *p = (const T *)(const void *)data;
    for (int64_t r = 0; r < nrows; r++, p += n) {
        T a = p[0];
        int64_t i = 1;
        if (n >= 4 * STEP) {
            T lanes[4 * STEP];
            for (int j = 0; j < 4 * STEP; j++)
                lanes[j] = p[j];
            for (i = 4 * STEP; i + 4 * STEP <= n; i += 4 * STEP) {
                for (int j = 0; j < 4 * STEP; j++)
                    lanes[j] = (T)OP(lanes[j], p[i + j]);
            }
            a = lanes[0];
            for (int j = 1; j < 4 * STEP; j++)
                a = (T)OP(a, lanes[j]);
        }
        for (; i < n; i++)
            a = (T)OP(a, p[i]);
        memcpy(out + r * (int64_t)sizeof(T), &a, sizeof a);
    }
}
