/* One running reduction of one type. Included with T, NAME(x) and OP(a, b). */

enum { NAME(TILE) = BRIO_SCAN_TILE };

static void NAME(totals)(const char *in, int64_t ntiles, char *totals)
{
    const T *p = (const T *)(const void *)in;
    T *out = (T *)(void *)totals;
    int64_t t = 0;
    for (; t + 4 <= ntiles; t += 4, p += 4 * NAME(TILE)) {
        /* Four tiles side by side: their chains do not wait for each other. */
        T a = p[0], b = p[NAME(TILE)], c = p[2 * NAME(TILE)], d = p[3 * NAME(TILE)];
        for (int64_t i = 1; i < NAME(TILE); i++) {
            a = (T)OP(a, p[i]);
            b = (T)OP(b, p[i + NAME(TILE)]);
            c = (T)OP(c, p[i + 2 * NAME(TILE)]);
            d = (T)OP(d, p[i + 3 * NAME(TILE)]);
        }
        out[t] = a, out[t + 1] = b, out[t + 2] = c, out[t + 3] = d;
    }
    for (; t < ntiles; t++, p += NAME(TILE)) {
        T a = p[0];
        for (int64_t i = 1; i < NAME(TILE); i++)
            a = (T)OP(a, p[i]);
        out[t] = a;
    }
}

static void NAME(apply_tile)(const T *p, T *q, int64_t n, T prefix, int exclusive)
{
    T local = p[0];
    q[0] = exclusive ? prefix : (T)OP(prefix, local);
    for (int64_t i = 1; i < n; i++) {
        T before = local, x = p[i];
        local = (T)OP(local, x);
        q[i] = (T)OP(prefix, exclusive ? before : local);
    }
}

static void NAME(apply)(const char *in, char *out, int64_t n, const char *prefixes, int exclusive)
{
    const T *p = (const T *)(const void *)in, *prefix = (const T *)(const void *)prefixes;
    T *q = (T *)(void *)out;
    int64_t i = 0;
    for (; !exclusive && i + 4 * NAME(TILE) <= n; i += 4 * NAME(TILE), prefix += 4) {
        const T *p0 = p + i, *p1 = p0 + NAME(TILE), *p2 = p1 + NAME(TILE), *p3 = p2 + NAME(TILE);
        T *q0 = q + i, *q1 = q0 + NAME(TILE), *q2 = q1 + NAME(TILE), *q3 = q2 + NAME(TILE);
        T a = p0[0], b = p1[0], c = p2[0], d = p3[0];
        T pa = prefix[0], pb = prefix[1], pc = prefix[2], pd = prefix[3];
        q0[0] = (T)OP(pa, a), q1[0] = (T)OP(pb, b), q2[0] = (T)OP(pc, c), q3[0] = (T)OP(pd, d);
        for (int64_t j = 1; j < NAME(TILE); j++) {
            a = (T)OP(a, p0[j]);
            b = (T)OP(b, p1[j]);
            c = (T)OP(c, p2[j]);
            d = (T)OP(d, p3[j]);
            q0[j] = (T)OP(pa, a);
            q1[j] = (T)OP(pb, b);
            q2[j] = (T)OP(pc, c);
            q3[j] = (T)OP(pd, d);
        }
    }
    for (; i < n; i += NAME(TILE), prefix++)
        NAME(apply_tile)(p + i, q + i, n - i < NAME(TILE) ? n - i : NAME(TILE), *prefix, exclusive);
}

static void NAME(run)(const char *in, int64_t in_stride, char *out, int64_t out_stride, int64_t n,
                      char *carry_bytes, int exclusive)
{
    T carry;
    memcpy(&carry, carry_bytes, sizeof carry);
    for (int64_t i = 0; i < n; i++, in += in_stride, out += out_stride) {
        T x, before = carry;
        memcpy(&x, in, sizeof x);
        carry = (T)OP(carry, x);
        memcpy(out, exclusive ? &before : &carry, sizeof x);
    }
    memcpy(carry_bytes, &carry, sizeof carry);
}

static void NAME(step)(const char *before, const char *in, char *out, int64_t n)
{
    const T *a = (const T *)(const void *)before, *p = (const T *)(const void *)in;
    T *q = (T *)(void *)out;
    for (int64_t i = 0; i < n; i++)
        q[i] = (T)OP(a[i], p[i]);
}

#undef NAME
#undef OP
