/* NumPy's associations for floats over contiguous rows: the pairwise sum with leaves of at most 128
 * elements and eight accumulators, and the product from left to right. Included with T, VEC (32 bytes of
 * it), LANES, NAME(x). */

typedef struct NAME(eight) {
    VEC v[8 / LANES];
} NAME(eight);

BRIO_INLINE NAME(eight) NAME(load8)(const T *p)
{
    NAME(eight) r;
    memcpy(&r.v[0], p, sizeof(VEC));
#if LANES == 4
    memcpy(&r.v[1], p + 4, sizeof(VEC));
#endif
    return r;
}

BRIO_INLINE NAME(eight) NAME(add8)(NAME(eight) r, const T *p)
{
    NAME(eight) x = NAME(load8)(p);
    r.v[0] += x.v[0];
#if LANES == 4
    r.v[1] += x.v[1];
#endif
    return r;
}

BRIO_INLINE T NAME(join8)(NAME(eight) r)
{
#if LANES == 4
    return ((r.v[0][0] + r.v[0][1]) + (r.v[0][2] + r.v[0][3])) +
           ((r.v[1][0] + r.v[1][1]) + (r.v[1][2] + r.v[1][3]));
#else
    return ((r.v[0][0] + r.v[0][1]) + (r.v[0][2] + r.v[0][3])) +
           ((r.v[0][4] + r.v[0][5]) + (r.v[0][6] + r.v[0][7]));
#endif
}

/* The rest of a leaf whose first `done` elements are in r. */
BRIO_INLINE T NAME(finish_leaf)(NAME(eight) r, const T *p, int64_t done, int64_t n)
{
    for (; done + 8 <= n; done += 8)
        r = NAME(add8)(r, p + done);
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
    NAME(eight) a = NAME(load8)(p), b = NAME(load8)(q), c = NAME(load8)(s), d = NAME(load8)(t);
    for (; i < least; i += 8) {
        a = NAME(add8)(a, p + i);
        b = NAME(add8)(b, q + i);
        c = NAME(add8)(c, s + i);
        d = NAME(add8)(d, t + i);
    }
    return (NAME(finish_leaf)(a, p, i, na) + NAME(finish_leaf)(b, q, i, nb)) +
           (NAME(finish_leaf)(c, s, i, nc) + NAME(finish_leaf)(d, t, i, nd));
}

static T NAME(pairwise)(const T *p, int64_t n)
{
    if (n <= 128)
        return NAME(pairwise_leaf)(p, n);
    int64_t half = NAME(half)(n);
    if (half > 128 && n - half - NAME(half)(n - half) <= 128)
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
