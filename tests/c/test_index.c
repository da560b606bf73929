/* gather, scatter, check_index and nonzero against plain loops. */
#include "backend/cpu/primitives.h"

#include <brio/config.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random.h"

enum { ROWS = 37, COLS = 11, DEPTH = 6 };

/* One array of ROWS x COLS x DEPTH elements, indexed along its first one or two dimensions. */
typedef struct fixture {
    size_t size;
    char *base, *other, *expected;
    int64_t *index[2];
    const int64_t *indices[2];
    int64_t count, strides[3], block_shape[2], block_strides[2], other_strides[2];
    brio_index_args args;
    size_t base_bytes, other_bytes;
} fixture;

static void set_up(fixture *f, size_t size, int nindex, int64_t count, int transposed)
{
    memset(f, 0, sizeof *f);
    int64_t extents[3] = {ROWS, COLS, DEPTH};
    f->size = size;
    f->count = count;
    f->strides[2] = transposed ? (int64_t)size * COLS : (int64_t)size;
    f->strides[1] = transposed ? (int64_t)size : (int64_t)size * DEPTH;
    f->strides[0] = (int64_t)size * COLS * DEPTH;
    f->base_bytes = size * ROWS * COLS * DEPTH;
    int64_t block = 1;
    for (int d = nindex; d < 3; d++) {
        f->block_shape[d - nindex] = extents[d];
        f->block_strides[d - nindex] = f->strides[d];
        block *= extents[d];
    }
    f->other_strides[0] = nindex == 1 ? (int64_t)size * DEPTH : (int64_t)size;
    f->other_strides[1] = (int64_t)size;
    f->other_bytes = size * (size_t)(count * block);
    f->base = malloc(f->base_bytes);
    f->other = malloc(f->other_bytes + 1);
    f->expected = malloc((f->other_bytes > f->base_bytes ? f->other_bytes : f->base_bytes) + 1);
    for (size_t i = 0; i < f->base_bytes; i++)
        f->base[i] = (char)random64();
    for (size_t i = 0; i < f->other_bytes; i++)
        f->other[i] = (char)random64();
    for (int d = 0; d < nindex; d++) {
        f->index[d] = malloc((size_t)count * 8 + 8);
        for (int64_t i = 0; i < count; i++)
            f->index[d][i] = (int64_t)(random64() % (uint64_t)extents[d]);
        f->indices[d] = f->index[d];
    }
    f->args = (brio_index_args){size,
                                nindex,
                                f->indices,
                                f->strides,
                                count,
                                3 - nindex,
                                f->block_shape,
                                f->block_strides,
                                f->base,
                                f->other,
                                (int64_t)size * block,
                                f->other_strides};
}

static void tear_down(fixture *f)
{
    free(f->base), free(f->other), free(f->expected), free(f->index[0]), free(f->index[1]);
}

/* Calls move(base element, other element) for every pair in order of i. */
static void plain(const fixture *f, char *base, char *other, int to_other)
{
    int64_t outer = f->args.nindex == 1 ? COLS : 1;
    for (int64_t i = 0; i < f->count; i++) {
        for (int64_t c = 0; c < outer; c++) {
            for (int64_t d = 0; d < DEPTH; d++) {
                int64_t col = f->args.nindex == 1 ? c : f->index[1][i];
                char *b = base + f->index[0][i] * f->strides[0] + col * f->strides[1] + d * f->strides[2];
                char *o = other + ((i * outer + c) * DEPTH + d) * (int64_t)f->size;
                memcpy(to_other ? o : b, to_other ? b : o, f->size);
            }
        }
    }
}

static void check(size_t size, int nindex, int64_t count, int transposed)
{
    fixture f;
    set_up(&f, size, nindex, count, transposed);
    plain(&f, f.base, f.expected, 1);
    assert_int_equal(brio_cpu_gather(&f.args), BRIO_OK);
    assert_memory_equal(f.other, f.expected, f.other_bytes);
    for (size_t i = 0; i < f.other_bytes; i++)
        f.other[i] = (char)random64();
    memcpy(f.expected, f.base, f.base_bytes);
    plain(&f, f.expected, f.other, 0);
    assert_int_equal(brio_cpu_scatter(&f.args), BRIO_OK);
    assert_memory_equal(f.base, f.expected, f.base_bytes);
    tear_down(&f);
}

static void test_blocks(void **state)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16};
    static const int64_t counts[] = {0, 1, 5, 300, 40000};
    for (int threads = 1; threads <= 3; threads += 2) {
        assert_int_equal(brio_set_threads(threads), BRIO_OK);
        for (size_t s = 0; s < 5; s++) {
            for (size_t c = 0; c < 5; c++) {
                for (int transposed = 0; transposed < 2; transposed++)
                    check(sizes[s], 1, counts[c] / 4, transposed), check(sizes[s], 2, counts[c], transposed);
            }
        }
    }
    assert_int_equal(brio_set_threads(0), BRIO_OK);
}

/* Single elements along one dimension, negative and zero strides, many duplicates. */
static void test_elements(void **state)
{
    enum { N = 1000, COUNT = 300000 };
    int64_t *index = malloc(COUNT * sizeof *index);
    for (int i = 0; i < COUNT; i++)
        index[i] = (int64_t)(random64() % N);
    for (size_t size = 1; size <= 8; size *= 2) {
        for (int64_t sign = -1; sign <= 1; sign++) {
            char *base = malloc(N * size), *other = malloc(COUNT * size), *expected = malloc(N * size);
            for (size_t i = 0; i < N * size; i++)
                base[i] = (char)random64();
            int64_t stride = sign * (int64_t)size;
            char *first = sign < 0 ? base + (N - 1) * size : base;
            const int64_t *indices[1] = {index};
            brio_index_args args = {size, 1,    indices, &stride, COUNT,         0,
                                    NULL, NULL, first,   other,   (int64_t)size, NULL};
            assert_int_equal(brio_cpu_gather(&args), BRIO_OK);
            for (int i = 0; i < COUNT; i++)
                assert_memory_equal(other + (size_t)i * size, first + index[i] * stride, size);
            for (size_t i = 0; i < COUNT * size; i++)
                other[i] = (char)random64();
            memcpy(expected, base, N * size);
            for (int i = 0; i < COUNT; i++)
                memcpy(expected + (first - base) + index[i] * stride, other + (size_t)i * size, size);
            assert_int_equal(brio_cpu_scatter(&args), BRIO_OK);
            assert_memory_equal(base, expected, N * size);
            free(base), free(other), free(expected);
        }
    }
    free(index);
}

static void test_check_index(void **state)
{
    int64_t few[] = {0, -1, 9, -10, 3};
    assert_int_equal(brio_cpu_check_index(few, 5, 10, 0), BRIO_OK);
    assert_int_equal(few[1], 9);
    assert_int_equal(few[3], 0);
    int64_t above[] = {0, 12, 14};
    assert_int_equal(brio_cpu_check_index(above, 3, 10, 0), BRIO_E_INDEX);
    assert_string_equal(brio_last_error(), "index 12 is out of bounds for axis 0 with size 10");
    int64_t below[] = {0, -11, 14};
    assert_int_equal(brio_cpu_check_index(below, 3, 10, 2), BRIO_E_INDEX);
    assert_string_equal(brio_last_error(), "index -11 is out of bounds for axis 2 with size 10");
    int64_t extreme[] = {INT64_MIN};
    assert_int_equal(brio_cpu_check_index(extreme, 1, 10, 0), BRIO_E_INDEX);
    assert_string_equal(brio_last_error(),
                        "index -9223372036854775808 is out of bounds for axis 0 with size 10");
    int64_t none[] = {0};
    assert_int_equal(brio_cpu_check_index(none, 1, 0, 1), BRIO_E_INDEX);
    assert_int_equal(brio_cpu_check_index(none, 0, 0, 1), BRIO_OK);
    enum { MANY = 300000 };
    int64_t *many = calloc(MANY, sizeof *many);
    many[250000] = 7, many[123456] = -7;
    assert_int_equal(brio_cpu_check_index(many, MANY, 5, 0), BRIO_E_INDEX);
    assert_string_equal(brio_last_error(), "index -7 is out of bounds for axis 0 with size 5");
    free(many);
}

static void test_nonzero(void **state)
{
    static const int64_t counts[] = {0, 1, 7, 8, 9, 31, 100, 8191, 32768, 100001, 400000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (int density = 0; density <= 4; density++) {
            int64_t n = counts[c], found = -1, again = -1, expected = 0;
            uint8_t *mask = malloc((size_t)n + 1);
            for (int64_t i = 0; i < n; i++)
                mask[i] = (random64() & 3) < (unsigned)density ? (uint8_t)(random64() & 1 ? 1 : 0x80) : 0;
            for (int64_t i = 0; i < n; i++)
                expected += mask[i] != 0;
            assert_int_equal(brio_cpu_nonzero(mask, n, NULL, &found), BRIO_OK);
            assert_int_equal(found, expected);
            int64_t *index = malloc((size_t)(found + 1) * sizeof *index);
            index[found] = -5;
            assert_int_equal(brio_cpu_nonzero(mask, n, index, &again), BRIO_OK);
            assert_int_equal(again, expected);
            int64_t at = 0;
            for (int64_t i = 0; i < n; i++) {
                if (mask[i])
                    assert_int_equal(index[at++], i);
            }
            assert_int_equal(index[found], -5);
            free(index), free(mask);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_check_index),
        cmocka_unit_test(test_nonzero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
