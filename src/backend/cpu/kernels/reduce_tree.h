/* The canonical tree of a float sum or product over contiguous elements. Included with
 *   T     float or double       VEC    a 32-byte vector of it    LANES  lanes of VEC
 *   NAME(x)                     OP(a, b)  a + b or a * b
 *
 * A row is 16 vectors. Lane j of the row takes in its four elements of the leaf in order, lanes combine
 * by halving, leaves by the left-balanced tree. Elements past the end are left out, which is the same as
 * padding with the identity. */

enum { NAME(ROW) = 16 * LANES, NAME(LEAF) = 64 * LANES };

BRIO_INLINE VEC NAME(load)(const T *p)
{
    VEC v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Vector v of the row over the four rows of a leaf. */
BRIO_INLINE VEC NAME(four)(const T *p, int v)
{
    p += v * LANES;
    return OP(OP(OP(NAME(load)(p), NAME(load)(p + NAME(ROW))), NAME(load)(p + 2 * NAME(ROW))),
              NAME(load)(p + 3 * NAME(ROW)));
}

BRIO_INLINE T NAME(leaf)(const T *p)
{
    VEC a = OP(NAME(four)(p, 0), NAME(four)(p, 8)), b = OP(NAME(four)(p, 4), NAME(four)(p, 12));
    VEC c = OP(NAME(four)(p, 2), NAME(four)(p, 10)), d = OP(NAME(four)(p, 6), NAME(four)(p, 14));
    VEC even = OP(OP(a, b), OP(c, d));
    a = OP(NAME(four)(p, 1), NAME(four)(p, 9)), b = OP(NAME(four)(p, 5), NAME(four)(p, 13));
    c = OP(NAME(four)(p, 3), NAME(four)(p, 11)), d = OP(NAME(four)(p, 7), NAME(four)(p, 15));
    VEC x = OP(even, OP(OP(a, b), OP(c, d)));
#if LANES == 8
    return OP(OP(OP(x[0], x[4]), OP(x[2], x[6])), OP(OP(x[1], x[5]), OP(x[3], x[7])));
#else
    return OP(OP(x[0], x[2]), OP(x[1], x[3]));
#endif
}

/* A leaf that is not full. */
static T NAME(part_leaf)(const T *p, int64_t n)
{
    T lanes[NAME(ROW)];
    int64_t live = n < NAME(ROW) ? n : NAME(ROW);
    memcpy(lanes, p, (size_t)live * sizeof(T));
    for (int64_t i = NAME(ROW); i < n; i += NAME(ROW)) {
        int64_t width = n - i < NAME(ROW) ? n - i : NAME(ROW);
        for (int64_t j = 0; j < width; j++)
            lanes[j] = OP(lanes[j], p[i + j]);
    }
    for (int64_t half = NAME(ROW) / 2; half > 0; half /= 2) {
        if (live <= half)
            continue;
        for (int64_t j = 0; j < live - half; j++)
            lanes[j] = OP(lanes[j], lanes[j + half]);
        live = half;
    }
    return lanes[0];
}

/* Nodes of the tree whose right neighbour is still to come wait on the stack, largest first. */
static T NAME(tree)(const T *p, int64_t n)
{
    T waiting[64];
    int top = 0;
    int64_t leaves = n / NAME(LEAF), rest = n % NAME(LEAF);
    for (int64_t i = 0; i < leaves; i++, p += NAME(LEAF)) {
        T node = NAME(leaf)(p);
        for (int64_t bits = i; bits & 1; bits >>= 1)
            node = OP(waiting[--top], node);
        waiting[top++] = node;
    }
    if (rest > 0)
        waiting[top++] = NAME(part_leaf)(p, rest);
    T node = waiting[--top];
    while (top > 0)
        node = OP(waiting[--top], node);
    return node;
}

static void NAME(rows)(const char *data, int64_t nrows, int64_t n, char *out)
{
    const T *p = (const T *)(const void *)data;
    for (int64_t i = 0; i < nrows; i++) {
        T value = n < NAME(LEAF) ? NAME(part_leaf)(p + i * n, n) : NAME(tree)(p + i * n, n);
        memcpy(out + i * (int64_t)sizeof(T), &value, sizeof value);
    }
}
