/* Columns of rows reduced in order of rows. Included with T, NAME(x) and OP(a, b) on elements. */

static void NAME(columns)(char *acc_bytes, const char *data, int64_t nrows, int64_t ncols, int64_t stride)
{
    T *restrict acc = (T *)(void *)acc_bytes;
    int64_t r = 0;
    for (; r + 4 <= nrows; r += 4, data += 4 * stride) {
        const T *restrict p = (const T *)(const void *)data;
        const T *restrict q = (const T *)(const void *)(data + stride);
        const T *restrict s = (const T *)(const void *)(data + 2 * stride);
        const T *restrict t = (const T *)(const void *)(data + 3 * stride);
        for (int64_t j = 0; j < ncols; j++) {
            T x = (T)OP(acc[j], p[j]);
            x = (T)OP(x, q[j]);
            x = (T)OP(x, s[j]);
            acc[j] = (T)OP(x, t[j]);
        }
    }
    for (; r < nrows; r++, data += stride) {
        const T *restrict p = (const T *)(const void *)data;
        for (int64_t j = 0; j < ncols; j++)
            acc[j] = (T)OP(acc[j], p[j]);
    }
}
