/* Maxima and minima of floats over contiguous rows. Included with T, VEC, LANES, BITS (a vector of
 * integers as wide), NAME(x), PICK(x, acc) on vectors and scalars: x where it is strictly better, else
 * acc (also where x is NaN), WORST the value that nothing is worse than, and NAN_WINS.
 *
 * Eight vectors are kept, on every level, so that the sign of a zero does not depend on the level. */

BRIO_INLINE VEC NAME(load_vector)(const T *p)
{
    VEC v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The best of the numbers, and whether there was a NaN (`nan`) and a number (`number`). */
BRIO_INLINE T NAME(scan_row)(const T *p, int64_t n, int *nan, int *number)
{
    T best = WORST;
    int any_nan = 0, any_number = 0;
    int64_t i = 0;
    if (n >= 8 * LANES) {
        VEC worst = {0}, a0, a1, a2, a3, a4, a5, a6, a7;
        worst = worst + WORST;
        a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = worst;
        BITS bad0 = {0}, bad1 = {0}, good0 = {0}, good1 = {0};
        for (; i + 8 * LANES <= n; i += 8 * LANES) {
            VEC x0 = NAME(load_vector)(p + i), x1 = NAME(load_vector)(p + i + LANES);
            VEC x2 = NAME(load_vector)(p + i + 2 * LANES), x3 = NAME(load_vector)(p + i + 3 * LANES);
            VEC x4 = NAME(load_vector)(p + i + 4 * LANES), x5 = NAME(load_vector)(p + i + 5 * LANES);
            VEC x6 = NAME(load_vector)(p + i + 6 * LANES), x7 = NAME(load_vector)(p + i + 7 * LANES);
            a0 = PICK_VEC(x0, a0), a1 = PICK_VEC(x1, a1), a2 = PICK_VEC(x2, a2), a3 = PICK_VEC(x3, a3);
            a4 = PICK_VEC(x4, a4), a5 = PICK_VEC(x5, a5), a6 = PICK_VEC(x6, a6), a7 = PICK_VEC(x7, a7);
#if NAN_WINS
            bad0 |= UNORDERED(x0, x1) | UNORDERED(x2, x3);
            bad1 |= UNORDERED(x4, x5) | UNORDERED(x6, x7);
#else
            good0 |= (BITS)(x0 == x0) | (BITS)(x1 == x1) | (BITS)(x2 == x2) | (BITS)(x3 == x3);
            good1 |= (BITS)(x4 == x4) | (BITS)(x5 == x5) | (BITS)(x6 == x6) | (BITS)(x7 == x7);
#endif
        }
        a0 = PICK_VEC(a4, a0), a1 = PICK_VEC(a5, a1), a2 = PICK_VEC(a6, a2), a3 = PICK_VEC(a7, a3);
        a0 = PICK_VEC(a2, a0), a1 = PICK_VEC(a3, a1);
        a0 = PICK_VEC(a1, a0);
        bad0 |= bad1, good0 |= good1;
        for (int j = 0; j < LANES; j++) {
            best = PICK(a0[j], best);
            any_nan |= bad0[j] != 0;
            any_number |= good0[j] != 0;
        }
    }
    for (; i < n; i++) {
        T x = p[i];
        best = PICK(x, best);
        any_nan |= x != x;
        any_number |= x == x;
    }
    *nan = any_nan;
    *number = any_number;
    return best;
}

static void NAME(rows)(const char *data, int64_t nrows, int64_t n, char *out)
{
    const T *p = (const T *)(const void *)data;
    for (int64_t r = 0; r < nrows; r++, p += n) {
        int nan, number;
        T best = NAME(scan_row)(p, n, &nan, &number);
        if (NAN_WINS ? nan : !number)
            best = (T)__builtin_nan("");
        memcpy(out + r * (int64_t)sizeof(T), &best, sizeof best);
    }
}

/* The better of a row's element and what is there, for vectors and for one column. */
BRIO_INLINE VEC NAME(better_vectors)(VEC acc, VEC x)
{
    VEC best = PICK_VEC(x, acc);
#if NAN_WINS
    BITS take = (BITS)(x != x);
#else
    BITS take = (BITS)(acc != acc);
#endif
    return (VEC)(((BITS)x & take) | ((BITS)best & ~take));
}

BRIO_INLINE T NAME(better)(T acc, T x)
{
    T best = PICK(x, acc);
    return (NAN_WINS ? x != x : acc != acc) ? x : best;
}

static void NAME(columns)(char *acc_bytes, const char *data, int64_t nrows, int64_t ncols, int64_t stride)
{
    T *acc = (T *)(void *)acc_bytes;
    int64_t r = 0;
    for (; r < nrows; r += 4, data += 4 * stride) {
        int64_t rows = nrows - r < 4 ? nrows - r : 4, j = 0;
        for (; j + LANES <= ncols; j += LANES) {
            VEC best = NAME(load_vector)(acc + j);
            const char *p = data + j * (int64_t)sizeof(T);
            for (int64_t i = 0; i < rows; i++, p += stride)
                best = NAME(better_vectors)(best, NAME(load_vector)((const T *)(const void *)p));
            memcpy(acc + j, &best, sizeof best);
        }
        for (; j < ncols; j++) {
            for (int64_t i = 0; i < rows; i++)
                acc[j] = NAME(better)(acc[j], ((const T *)(const void *)(data + i * stride))[j]);
        }
    }
}
