/* NumPy's associations for floats over contiguous rows: the pairwise sum with leaves of at most 128
 * elements and eight accumulators, and the product from left to right. Included with T, VEC8 (eight lanes
 * of T), NAME(x). */

BRIO_INLINE VEC8 NAME(load8)(const T *p)
{
    VEC8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

BRIO_INLINE T NAME(join8)(VEC8 r)
{
    return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
}

/* The rest of a leaf whose first `done` elements are in r. */
BRIO_INLINE T NAME(finish_leaf)(VEC8 r, const T *p, int64_t done, int64_t n)
{
    for (; done + 8 <= n; done += 8)
        r += NAME(load8)(p + done);
    T sum = NAME(join8)(r);
    for (; done < n; done++)
        sum += p[done];
    return sum;
}

static T NAME(pairwise_leaf)(const T *p, int64_t n)
{
    if (n < 8) {
        T sum = -(T)0;
        for (int64_t i = 0; i < n; i++)
            sum += p[i];
        return sum;
    }
    return NAME(finish_leaf)(NAME(load8)(p), p, 8, n);
}

BRIO_INLINE int64_t NAME(half)(int64_t n)
{
    return n / 2 - n / 2 % 8;
}

/* Four leaves side by side, so that their chains of additions do not wait for each other. */
static T NAME(pairwise_four)(const T *p, int64_t n)
{
    int64_t left = NAME(half)(n), na = NAME(half)(left), nb = left - na, nc = NAME(half)(n - left),
            nd = n - left - nc;
    const T *q = p + na, *s = p + left, *t = s + nc;
    int64_t least = na < nc ? na : nc, i = 8; /* the first of each pair is the shorter, and whole eights */
    VEC8 a = NAME(load8)(p), b = NAME(load8)(q), c = NAME(load8)(s), d = NAME(load8)(t);
    for (; i < least; i += 8) {
        a += NAME(load8)(p + i);
        b += NAME(load8)(q + i);
        c += NAME(load8)(s + i);
        d += NAME(load8)(t + i);
    }
    return (NAME(finish_leaf)(a, p, i, na) + NAME(finish_leaf)(b, q, i, nb)) +
           (NAME(finish_leaf)(c, s, i, nc) + NAME(finish_leaf)(d, t, i, nd));
}

static T NAME(pairwise)(const T *p, int64_t n)
{
    if (n <= 128)
        return NAME(pairwise_leaf)(p, n);
    int64_t half = NAME(half)(n);
    if (half > 128 && n - half <= 256)
        return NAME(pairwise_four)(p, n);
    return NAME(pairwise)(p, half) + NAME(pairwise)(p + half, n - half);
}

static void NAME(pairwise_rows)(const char *data, int64_t nrows, int64_t n, char *out)
{
    const T *p = (const T *)(const void *)data;
    for (int64_t r = 0; r < nrows; r++, p += n) {
        T sum = NAME(pairwise)(p, n);
        memcpy(out + r * (int64_t)sizeof(T), &sum, sizeof sum);
    }
}

static void NAME(sequential_rows)(const char *data, int64_t nrows, int64_t n, char *out)
{
    const T *p = (const T *)(const void *)data;
    for (int64_t r = 0; r < nrows; r++, p += n) {
        T product = 1;
        for (int64_t i = 0; i < n; i++)
            product *= p[i];
        memcpy(out + r * (int64_t)sizeof(T), &product, sizeof product);
    }
}
