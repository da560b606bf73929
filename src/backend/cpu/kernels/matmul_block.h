/* One block of a matrix product for one element type. Included with T (the element), LANES (elements of
 * a 32-byte vector), NAME(x), and PRODUCT(x) as the element that is multiplied (bool: 0 or 1).
 *
 * Four rows of a by two vectors of columns of b are accumulated in registers over packed panels, the
 * arrangement of Goto and van de Geijn (2008). */

typedef T NAME(vec) __attribute__((vector_size(32)));

enum { NAME(rows) = 4, NAME(cols) = 2 * LANES };

/* Panels of 4 rows, k by k; rows past the end are 0. */
static void NAME(pack_a)(T *to, const brio_matmul_block *block, int64_t k0, int64_t k)
{
    for (int64_t i = 0; i < block->m; i += NAME(rows)) {
        for (int64_t p = 0; p < k; p++) {
            for (int64_t r = 0; r < NAME(rows); r++) {
                T x = 0;
                if (i + r < block->m)
                    memcpy(&x, block->a + (i + r) * block->a_strides[0] + (k0 + p) * block->a_strides[1],
                           sizeof x);
                *to++ = PRODUCT(x);
            }
        }
    }
}

/* Panels of two vectors of columns, k by k. */
static void NAME(pack_b)(T *to, const brio_matmul_block *block, int64_t k0, int64_t k)
{
    for (int64_t j = 0; j < block->n; j += NAME(cols)) {
        int64_t cols = block->n - j < NAME(cols) ? block->n - j : NAME(cols);
        for (int64_t p = 0; p < k; p++, to += NAME(cols)) {
            const char *from = block->b + (k0 + p) * block->b_strides[0] + j * block->b_strides[1];
            memset(to, 0, NAME(cols) * sizeof(T));
            for (int64_t c = 0; c < cols; c++) {
                T x;
                memcpy(&x, from + c * block->b_strides[1], sizeof x);
                to[c] = PRODUCT(x);
            }
        }
    }
}

/* tile += the product of two panels. */
static void NAME(multiply_panels)(NAME(vec) tile[8], const T *a, const T *b, int64_t k)
{
    NAME(vec) c00 = tile[0], c01 = tile[1], c10 = tile[2], c11 = tile[3];
    NAME(vec) c20 = tile[4], c21 = tile[5], c30 = tile[6], c31 = tile[7];
    for (int64_t p = 0; p < k; p++, a += NAME(rows), b += NAME(cols)) {
        NAME(vec) b0, b1;
        memcpy(&b0, b, sizeof b0);
        memcpy(&b1, b + LANES, sizeof b1);
        c00 = ACCUMULATE(c00, a[0], b0);
        c01 = ACCUMULATE(c01, a[0], b1);
        c10 = ACCUMULATE(c10, a[1], b0);
        c11 = ACCUMULATE(c11, a[1], b1);
        c20 = ACCUMULATE(c20, a[2], b0);
        c21 = ACCUMULATE(c21, a[2], b1);
        c30 = ACCUMULATE(c30, a[3], b0);
        c31 = ACCUMULATE(c31, a[3], b1);
    }
    tile[0] = c00, tile[1] = c01, tile[2] = c10, tile[3] = c11;
    tile[4] = c20, tile[5] = c21, tile[6] = c30, tile[7] = c31;
}

/* Adds the product of two panels to the tile of c at (i, j); the first step of k finds 0 there. */
static void NAME(update_tile)(const brio_matmul_block *block, int64_t i, int64_t j, const T *a, const T *b,
                              int64_t k, int first)
{
    NAME(vec) tile[8];
    T elements[NAME(rows) * NAME(cols)];
    int64_t rows = block->m - i < NAME(rows) ? block->m - i : NAME(rows);
    int64_t cols = block->n - j < NAME(cols) ? block->n - j : NAME(cols);
    char *c = block->c + i * block->c_strides[0] + j * block->c_strides[1];
    memset(elements, 0, sizeof elements);
    for (int64_t r = 0; r < rows && !first; r++) {
        for (int64_t q = 0; q < cols; q++)
            memcpy(&elements[r * NAME(cols) + q], c + r * block->c_strides[0] + q * block->c_strides[1],
                   sizeof(T));
    }
    memcpy(tile, elements, sizeof tile);
    NAME(multiply_panels)(tile, a, b, k);
    memcpy(elements, tile, sizeof tile);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t q = 0; q < cols; q++)
            memcpy(c + r * block->c_strides[0] + q * block->c_strides[1], &elements[r * NAME(cols) + q],
                   sizeof(T));
    }
}

static void NAME(multiply_block)(const brio_matmul_block *block)
{
    T *a = (T *)(void *)block->scratch, *b = a + BRIO_MATMUL_M * BRIO_MATMUL_K;
    int64_t k0 = 0;
    do {
        int64_t k = block->k - k0 < BRIO_MATMUL_K ? block->k - k0 : BRIO_MATMUL_K;
        NAME(pack_a)(a, block, k0, k);
        NAME(pack_b)(b, block, k0, k);
        for (int64_t j = 0; j < block->n; j += NAME(cols)) {
            for (int64_t i = 0; i < block->m; i += NAME(rows))
                NAME(update_tile)(block, i, j, a + i * k, b + j * k, k, k0 == 0);
        }
        k0 += k;
    } while (k0 < block->k);
}

#undef T
#undef LANES
#undef NAME
#undef PRODUCT
#undef ACCUMULATE
