/* sort and argsort against qsort: every dtype, direction and length class; NaN, zeros, runs, ties; one
 * and several threads; memory after the rows. */
#include "backend/cpu/primitives.h"

#include <brio/config.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random.h"

/* An element's place in ascending order as a long double; NaN above infinity. float16 by its bits. */
static long double rank_of(brio_dtype dtype, const void *p)
{
    long double x = 0;
    switch (dtype) {
    case BRIO_BOOL:
    case BRIO_U8:
        return *(const uint8_t *)p;
    case BRIO_I8:
        return *(const int8_t *)p;
    case BRIO_I16:
        return *(const int16_t *)p;
    case BRIO_U16:
        return *(const uint16_t *)p;
    case BRIO_I32:
        return *(const int32_t *)p;
    case BRIO_U32:
        return *(const uint32_t *)p;
    case BRIO_I64:
        return *(const int64_t *)p;
    case BRIO_U64:
        return *(const uint64_t *)p;
    case BRIO_F16: {
        uint16_t h = *(const uint16_t *)p;
        int exponent = (h >> 10) & 31, mantissa = h & 1023;
        long double magnitude = exponent ? ldexpl(1024 + mantissa, exponent) : ldexpl(mantissa, 1);
        if (exponent == 31 && mantissa)
            return NAN;
        return h & 0x8000 ? -magnitude : magnitude;
    }
    case BRIO_F32:
        x = *(const float *)p;
        break;
    default:
        x = *(const double *)p;
        break;
    }
    return x;
}

typedef struct item {
    long double rank;
    int64_t index;
} item;

static int descending_now;

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int xn = isnan(x->rank), yn = isnan(y->rank), order = 0;
    if (xn || yn)
        order = xn - yn;
    else if (x->rank != y->rank)
        order = (x->rank > y->rank) == !descending_now ? 1 : -1;
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

enum { RANDOM, FEW, EQUAL, ASCENDING, DESCENDING, ZEROS, SPECIAL, HIGH_TIES, ORGAN, PATTERNS };

static void set_number(brio_dtype dtype, char *p, double x)
{
    size_t size = brio_dtype_size(dtype);
    if (dtype == BRIO_F64) {
        memcpy(p, &x, 8);
    } else if (dtype == BRIO_F32) {
        float f = (float)x;
        memcpy(p, &f, 4);
    } else if (dtype == BRIO_F16) {
        /* Small integers only: 2^10 + m times a power of two. */
        int e = 0;
        double m = frexp(fabs(x), &e) * 2048;
        uint16_t h = x == 0 ? 0 : (uint16_t)(((e + 14) << 10) + ((int)m - 1024));
        h = (uint16_t)(h | (x < 0 ? 0x8000 : 0));
        memcpy(p, &h, 2);
    } else {
        int64_t i = (int64_t)x;
        memcpy(p, &i, size);
    }
}

static void set_special(brio_dtype dtype, char *p)
{
    static const uint64_t f64[] = {0,
                                   0x8000000000000000,
                                   0x7ff8000000000000,
                                   0xfff8000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   1,
                                   0x8000000000000001,
                                   0x7fffffffffffffff,
                                   0xffffffffffffffff,
                                   0x7ff0000000000001,
                                   0xfff0000000000001,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff};
    uint64_t x = f64[random64() % 14];
    size_t size = brio_dtype_size(dtype);
    if (dtype == BRIO_F32 || dtype == BRIO_F16) {
        int bits = 8 * (int)size, mantissa = dtype == BRIO_F32 ? 23 : 10;
        uint64_t top = (x >> 63) << (bits - 1), low = x & 0xfffffffffffff;
        uint64_t exponent = (x >> 52) & 0x7ff;
        uint64_t mantissa_bits = low > 1 ? low >> (52 - mantissa) : low;
        uint64_t most = (1ULL << (bits - 1 - mantissa)) - 1;
        uint64_t e = exponent == 0x7ff ? most : exponent == 0x7fe ? most - 1 : exponent;
        x = top | e << mantissa | mantissa_bits;
    }
    memcpy(p, &x, size);
}

static void fill(brio_dtype dtype, char *data, int64_t n, int pattern)
{
    size_t size = brio_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++) {
        char *p = data + (size_t)i * size;
        uint64_t x = random64();
        memcpy(p, &x, size);
        if (dtype == BRIO_BOOL)
            *p &= 1;
        switch (pattern) {
        case FEW:
            set_number(dtype, p, (double)(x % 5));
            break;
        case EQUAL:
            set_number(dtype, p, 3);
            break;
        case ASCENDING:
            set_number(dtype, p, floor((double)i * 100 / (double)n));
            break;
        case DESCENDING:
            set_number(dtype, p, (double)((n - i) % 120));
            break;
        case ORGAN:
            set_number(dtype, p, (double)((i < n / 2 ? i : n - i) % 100));
            break;
        case ZEROS:
            memset(p, 0, size);
            if (x & 1 && brio_dtype_kind(dtype) == 'f')
                p[size - 1] = (char)0x80;
            break;
        case SPECIAL:
            if (x >> 63)
                set_special(dtype, p);
            break;
        case HIGH_TIES:
            if (size == 8) { /* differs only in the lowest and the highest bits */
                x = (x & 7) | (x >> 62 << 62);
                memcpy(p, &x, 8);
            }
            break;
        default:
            break;
        }
        if (dtype == BRIO_BOOL)
            *p = *p != 0;
    }
}

static int compare_bits(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *sorted_bits(const char *data, int64_t n, size_t size)
{
    uint64_t *bits = calloc((size_t)n + 1, 8);
    for (int64_t i = 0; i < n; i++)
        memcpy(&bits[i], data + (size_t)i * size, size);
    qsort(bits, (size_t)n, 8, compare_bits);
    return bits;
}

static void check(brio_dtype dtype, int64_t rows, int64_t n, int descending, int pattern)
{
    size_t size = brio_dtype_size(dtype), bytes = (size_t)(rows * n) * size;
    char *data = malloc(bytes + 16), *sorted = malloc(bytes + 16);
    int64_t *index = malloc((size_t)(rows * n + 1) * 8);
    fill(dtype, data, rows * n, pattern);
    memset(data + bytes, 0x5a, 16);
    memcpy(sorted, data, bytes + 16);
    index[rows * n] = -77;
    brio_sort_args sort = {dtype, descending, rows, n, sorted};
    brio_argsort_args argsort = {dtype, descending, rows, n, data, index};
    assert_int_equal(brio_cpu_sort(&sort), BRIO_OK);
    assert_int_equal(brio_cpu_argsort(&argsort), BRIO_OK);
    assert_memory_equal(sorted + bytes, data + bytes, 16);
    assert_int_equal(index[rows * n], -77);
    item *items = malloc((size_t)(n + 1) * sizeof *items);
    for (int64_t r = 0; r < rows; r++) {
        const char *row = data + (size_t)(r * n) * size, *out = sorted + (size_t)(r * n) * size;
        for (int64_t i = 0; i < n; i++)
            items[i] = (item){rank_of(dtype, row + (size_t)i * size), i};
        descending_now = descending;
        qsort(items, (size_t)n, sizeof *items, compare_items);
        for (int64_t i = 0; i < n; i++) {
            if (index[r * n + i] != items[i].index)
                fail_msg("argsort %s n=%lld pattern %d descending %d at %lld", brio_dtype_name(dtype),
                         (long long)n, pattern, descending, (long long)i);
            long double x = rank_of(dtype, out + (size_t)i * size);
            if (x != items[i].rank && !(isnan(x) && isnan(items[i].rank)))
                fail_msg("sort %s n=%lld pattern %d descending %d at %lld", brio_dtype_name(dtype),
                         (long long)n, pattern, descending, (long long)i);
        }
        uint64_t *before = sorted_bits(row, n, size), *after = sorted_bits(out, n, size);
        assert_memory_equal(before, after, (size_t)n * 8);
        free(before), free(after);
    }
    free(items), free(index), free(sorted), free(data);
}

static const brio_dtype dtypes[] = {BRIO_BOOL, BRIO_I8,  BRIO_U8,  BRIO_I16, BRIO_U16, BRIO_F16,
                                    BRIO_I32,  BRIO_U32, BRIO_F32, BRIO_I64, BRIO_U64, BRIO_F64};

static void test_short_rows(void **state)
{
    for (size_t d = 0; d < 12; d++) {
        for (int64_t n = 0; n < 300; n += n < 34 ? 1 : n < 70 ? 5 : 41) {
            for (int pattern = 0; pattern < PATTERNS; pattern++)
                check(dtypes[d], 1, n, (int)(n & 1), pattern), check(dtypes[d], 3, n, (int)(~n & 1), pattern);
        }
    }
}

static void test_long_rows(void **state)
{
    static const int64_t lengths[] = {1000, 9000, 70001};
    for (size_t d = 0; d < 12; d++) {
        for (size_t k = 0; k < 3; k++) {
            for (int pattern = 0; pattern < PATTERNS; pattern++)
                check(dtypes[d], 1, lengths[k], pattern & 1, pattern);
        }
    }
}

static void test_many_rows(void **state)
{
    for (size_t d = 0; d < 12; d++) {
        check(dtypes[d], 700, 150, 0, RANDOM);
        check(dtypes[d], 5, 40000, 1, SPECIAL);
    }
}

/* The k-th of many threads' worth of parts, also when threads are more than parts. */
static void test_threads(void **state)
{
    for (int threads = 1; threads <= 7; threads += 3) {
        assert_int_equal(brio_set_threads(threads), BRIO_OK);
        check(BRIO_F32, 1, 400001, 0, RANDOM);
        check(BRIO_F64, 1, 300001, 1, SPECIAL);
        check(BRIO_I64, 1, 65537, 0, FEW);
        check(BRIO_I32, 2, 150000, 0, ORGAN);
    }
    assert_int_equal(brio_set_threads(0), BRIO_OK);
}

static void test_refusals(void **state)
{
    double x[2] = {0, 0};
    int64_t index[1];
    brio_sort_args sort = {BRIO_C128, 0, 1, 1, x};
    brio_argsort_args argsort = {BRIO_C64, 0, 1, 1, x, index};
    assert_int_equal(brio_cpu_sort(&sort), BRIO_E_TYPE);
    assert_string_equal(brio_last_error(), "cannot sort dtype complex128");
    assert_int_equal(brio_cpu_argsort(&argsort), BRIO_E_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_rows), cmocka_unit_test(test_long_rows), cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
