/* Sorting up to 16 vectors of keys in registers. Included once for each key width with
 *   KEY    the signed key type          VEC    a vector of LANES of them (32 bytes)
 *   LANES  8 or 4                       NAME(x) the name x for this width
 *   V_MIN, V_MAX                        lane-wise minimum and maximum
 *
 * A key at row r, lane c has rank c * rows + r: columns are sorted first by a network in which every
 * comparator is one minimum and one maximum of two rows; then neighbouring columns are merged by
 * bitonic merges, whose long strides are again between rows and whose first steps shuffle lanes.
 * The network for 16 rows is Green's (60 comparators; Knuth, volume 3, 5.3.4). */

BRIO_INLINE void NAME(order)(VEC *v, int i, int j)
{
    VEC low = V_MIN(v[i], v[j]);
    v[j] = V_MAX(v[i], v[j]);
    v[i] = low;
}

#define ORDER(i, j) NAME(order)(v, i, j)

#if LANES == 8
/* Lanes of a, but those of the upper half of every pair (four, eight) of lanes from b. */
#define UPPER1(a, b) __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15)
#define UPPER2(a, b) __builtin_shufflevector(a, b, 0, 1, 10, 11, 4, 5, 14, 15)
#define UPPER4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 12, 13, 14, 15)
#define SHUFFLE_NEXT(a) __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6)
#define SHUFFLE_SECOND(a) __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5)
#define SHUFFLE_REVERSE4(a) __builtin_shufflevector(a, a, 3, 2, 1, 0, 7, 6, 5, 4)
#define SHUFFLE_REVERSE8(a) __builtin_shufflevector(a, a, 7, 6, 5, 4, 3, 2, 1, 0)
#else
#define UPPER1(a, b) __builtin_shufflevector(a, b, 0, 5, 2, 7)
#define UPPER2(a, b) __builtin_shufflevector(a, b, 0, 1, 6, 7)
#define SHUFFLE_NEXT(a) __builtin_shufflevector(a, a, 1, 0, 3, 2)
#define SHUFFLE_REVERSE4(a) __builtin_shufflevector(a, a, 3, 2, 1, 0)
#endif

/* Sorts each column of `rows` rows. */
BRIO_INLINE void NAME(sort_columns)(VEC *v, int rows)
{
    if (rows == 2)
        ORDER(0, 1);
    if (rows == 4) {
        ORDER(0, 1), ORDER(2, 3), ORDER(0, 2), ORDER(1, 3), ORDER(1, 2);
    }
    if (rows == 8) {
        ORDER(0, 2), ORDER(1, 3), ORDER(4, 6), ORDER(5, 7), ORDER(0, 4), ORDER(1, 5), ORDER(2, 6),
            ORDER(3, 7);
        ORDER(0, 1), ORDER(2, 3), ORDER(4, 5), ORDER(6, 7), ORDER(2, 4), ORDER(3, 5), ORDER(1, 4),
            ORDER(3, 6);
        ORDER(1, 2), ORDER(3, 4), ORDER(5, 6);
    }
    if (rows == 16) {
        ORDER(0, 1), ORDER(2, 3), ORDER(4, 5), ORDER(6, 7), ORDER(8, 9), ORDER(10, 11), ORDER(12, 13),
            ORDER(14, 15);
        ORDER(0, 2), ORDER(4, 6), ORDER(8, 10), ORDER(12, 14), ORDER(1, 3), ORDER(5, 7), ORDER(9, 11),
            ORDER(13, 15);
        ORDER(0, 4), ORDER(8, 12), ORDER(1, 5), ORDER(9, 13), ORDER(2, 6), ORDER(10, 14), ORDER(3, 7),
            ORDER(11, 15);
        ORDER(0, 8), ORDER(1, 9), ORDER(2, 10), ORDER(3, 11), ORDER(4, 12), ORDER(5, 13), ORDER(6, 14),
            ORDER(7, 15);
        ORDER(5, 10), ORDER(6, 9), ORDER(3, 12), ORDER(13, 14), ORDER(4, 8), ORDER(7, 11), ORDER(1, 2);
        ORDER(1, 4), ORDER(7, 13), ORDER(2, 8), ORDER(11, 14);
        ORDER(2, 4), ORDER(5, 6), ORDER(9, 10), ORDER(11, 13), ORDER(3, 8), ORDER(7, 12);
        ORDER(6, 8), ORDER(10, 12), ORDER(3, 5), ORDER(7, 9);
        ORDER(3, 4), ORDER(5, 6), ORDER(7, 8), ORDER(9, 10), ORDER(11, 12);
        ORDER(6, 7), ORDER(8, 9);
    }
}

/* Bitonic merge of each column, strides rows / 2 to 1. */
BRIO_INLINE void NAME(merge_rows)(VEC *v, int rows)
{
    if (rows >= 16) {
        ORDER(0, 8), ORDER(1, 9), ORDER(2, 10), ORDER(3, 11), ORDER(4, 12), ORDER(5, 13), ORDER(6, 14),
            ORDER(7, 15);
    }
    if (rows >= 8) {
        for (int i = 0; i < rows; i += 8) {
            ORDER(i, i + 4), ORDER(i + 1, i + 5), ORDER(i + 2, i + 6), ORDER(i + 3, i + 7);
        }
    }
    if (rows >= 4) {
        for (int i = 0; i < rows; i += 4) {
            ORDER(i, i + 2), ORDER(i + 1, i + 3);
        }
    }
    if (rows >= 2) {
        for (int i = 0; i < rows; i += 2)
            ORDER(i, i + 1);
    }
}

/* One bitonic step between lanes of one row: SHUFFLE pairs them, UPPER says which get the larger. */
#define STEP_LANES(SHUFFLE, UPPER)                                                                           \
    for (int i = 0; i < rows; i++) {                                                                         \
        VEC other = SHUFFLE(v[i]);                                                                           \
        v[i] = UPPER(V_MIN(v[i], other), V_MAX(v[i], other));                                                \
    }

/* The first step of a merge: rank i against the rank at the same distance from the end. */
#define STEP_REVERSE(SHUFFLE, UPPER)                                                                         \
    for (int i = 0; i < (rows + 1) / 2; i++) {                                                               \
        int j = rows - 1 - i;                                                                                \
        VEC other = SHUFFLE(v[j]);                                                                           \
        VEC low = V_MIN(v[i], other), high = V_MAX(v[i], other);                                             \
        VEC back = UPPER(high, low);                                                                         \
        v[i] = UPPER(low, high);                                                                             \
        if (i != j)                                                                                          \
            v[j] = SHUFFLE(back);                                                                            \
    }

BRIO_INLINE void NAME(merge_columns)(VEC *v, int rows)
{
    STEP_REVERSE(SHUFFLE_NEXT, UPPER1)
    NAME(merge_rows)(v, rows);
    STEP_REVERSE(SHUFFLE_REVERSE4, UPPER2)
    STEP_LANES(SHUFFLE_NEXT, UPPER1)
    NAME(merge_rows)(v, rows);
#if LANES == 8
    STEP_REVERSE(SHUFFLE_REVERSE8, UPPER4)
    STEP_LANES(SHUFFLE_SECOND, UPPER2)
    STEP_LANES(SHUFFLE_NEXT, UPPER1)
    NAME(merge_rows)(v, rows);
#endif
}

#if LANES == 8
/* Rows r of 8 vectors become lanes r. */
BRIO_INLINE void NAME(transpose)(const VEC *in, VEC *out, int out_step)
{
    VEC a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = __builtin_shufflevector(in[2 * i], in[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[2 * i + 1] = __builtin_shufflevector(in[2 * i], in[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        b[4 * i] = __builtin_shufflevector(a[4 * i], a[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[4 * i + 1] = __builtin_shufflevector(a[4 * i], a[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        b[4 * i + 2] = __builtin_shufflevector(a[4 * i + 1], a[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        b[4 * i + 3] = __builtin_shufflevector(a[4 * i + 1], a[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        out[i * out_step] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[(i + 4) * out_step] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
#else
BRIO_INLINE void NAME(transpose)(const VEC *in, VEC *out, int out_step)
{
    VEC a = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6),
        b = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
    VEC c = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6),
        d = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
    out[0 * out_step] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1 * out_step] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[2 * out_step] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    out[3 * out_step] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#endif

#if LANES == 8
/* The columns of 2 or 4 rows one after another. */
BRIO_INLINE void NAME(interleave)(const VEC *v, VEC *out, int rows)
{
    if (rows == 2) {
        out[0] = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 2, 10, 3, 11);
        out[1] = __builtin_shufflevector(v[0], v[1], 4, 12, 5, 13, 6, 14, 7, 15);
        return;
    }
    VEC a = __builtin_shufflevector(v[0], v[2], 0, 8, 1, 9, 2, 10, 3, 11);
    VEC b = __builtin_shufflevector(v[0], v[2], 4, 12, 5, 13, 6, 14, 7, 15);
    VEC c = __builtin_shufflevector(v[1], v[3], 0, 8, 1, 9, 2, 10, 3, 11);
    VEC d = __builtin_shufflevector(v[1], v[3], 4, 12, 5, 13, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(a, c, 0, 8, 1, 9, 2, 10, 3, 11);
    out[1] = __builtin_shufflevector(a, c, 4, 12, 5, 13, 6, 14, 7, 15);
    out[2] = __builtin_shufflevector(b, d, 0, 8, 1, 9, 2, 10, 3, 11);
    out[3] = __builtin_shufflevector(b, d, 4, 12, 5, 13, 6, 14, 7, 15);
}
#else
/* The columns of 2 rows one after another. */
BRIO_INLINE void NAME(interleave)(const VEC *v, VEC *out, int rows)
{
    (void)rows;
    out[0] = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    out[1] = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
}
#endif

/* Sorts n keys, rows / 2 * LANES < n <= rows * LANES. */
BRIO_INLINE void NAME(sort_rows)(KEY *keys, int64_t n, int rows)
{
    VEC v[16], out[16];
    KEY padded[16 * LANES];
    const KEY *from = keys;
    if (n < rows * LANES) {
        memcpy(padded, keys, (size_t)n * sizeof(KEY));
        for (int64_t i = n; i < rows * LANES; i++)
            padded[i] = KEY_MAX;
        from = padded;
    }
    for (int i = 0; i < rows; i++)
        memcpy(&v[i], from + i * LANES, sizeof(VEC));
    NAME(sort_columns)(v, rows);
    NAME(merge_columns)(v, rows);
    if (rows >= LANES) {
        for (int i = 0; i < rows; i += LANES)
            NAME(transpose)(v + i, out + i / LANES, rows / LANES);
        if (n < rows * LANES) {
            memcpy(padded, out, (size_t)rows * sizeof(VEC));
            memcpy(keys, padded, (size_t)n * sizeof(KEY));
        } else {
            memcpy(keys, out, (size_t)rows * sizeof(VEC));
        }
        return;
    }
    NAME(interleave)(v, out, rows);
    memcpy(padded, out, (size_t)rows * sizeof(VEC));
    memcpy(keys, padded, (size_t)n * sizeof(KEY));
}

/* Sorts up to NETWORK_MAX keys. */
static void NAME(sort_network)(KEY *keys, int64_t n)
{
    if (n > 8 * LANES)
        NAME(sort_rows)(keys, n, 16);
    else if (n > 4 * LANES)
        NAME(sort_rows)(keys, n, 8);
    else if (n > 2 * LANES)
        NAME(sort_rows)(keys, n, 4);
    else if (n > 1)
        NAME(sort_rows)(keys, n, 2);
}

#undef ORDER
#undef UPPER1
#undef UPPER2
#undef UPPER4
#undef SHUFFLE_NEXT
#undef SHUFFLE_SECOND
#undef SHUFFLE_REVERSE4
#undef SHUFFLE_REVERSE8
#undef STEP_LANES
#undef STEP_REVERSE
