/* matmul against plain sums: every dtype, layout and size class, stacks, with and without OpenBLAS. */
#include "backend/cpu/primitives.h"

#include <brio/config.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random.h"

/* float16 of a small integer over 8. */
static uint16_t half_of(int eighths)
{
    int e = 0;
    double m = frexp(fabs(eighths / 8.0), &e) * 2048;
    uint16_t h = eighths == 0 ? 0 : (uint16_t)(((e + 14) << 10) + ((int)m - 1024));
    return (uint16_t)(h | (eighths < 0 ? 0x8000 : 0));
}

static double float_of(uint16_t h)
{
    double magnitude = ldexp(1024 + (h & 1023), ((h >> 10) & 31) - 25);
    return (h & 0x7fff) == 0 ? 0 : h & 0x8000 ? -magnitude : magnitude;
}

static double get_float(brio_dtype dtype, const char *p)
{
    float f;
    double d;
    uint16_t h;
    switch (dtype) {
    case BRIO_F16:
        memcpy(&h, p, 2);
        return float_of(h);
    case BRIO_F32:
        memcpy(&f, p, 4);
        return f;
    default:
        memcpy(&d, p, 8);
        return d;
    }
}

static uint64_t get_bits(const char *p, size_t size)
{
    uint64_t x = 0;
    memcpy(&x, p, size);
    return x;
}

static void set_random(brio_dtype dtype, char *p)
{
    uint64_t x = random64();
    int eighths = (int)(x % 33) - 16;
    if (dtype == BRIO_F16) {
        uint16_t h = half_of(eighths);
        memcpy(p, &h, 2);
    } else if (dtype == BRIO_F32) {
        float f = (float)eighths / 8;
        memcpy(p, &f, 4);
    } else if (dtype == BRIO_F64) {
        double d = eighths / 8.0 + (double)(x >> 40) * 0x1p-40;
        memcpy(p, &d, 8);
    } else {
        memcpy(p, &x, brio_dtype_size(dtype));
        if (dtype == BRIO_BOOL)
            *p = (x & 7) == 0;
    }
}

enum { C_ORDER, F_ORDER, SPACED, BACKWARDS, BROADCAST, LAYOUTS };

/* Strides of one matrix of a stack with the first element at *offset of a room of *bytes. */
static void lay_out(int layout, int64_t rows, int64_t cols, int64_t size, int64_t *strides, int64_t *offset)
{
    strides[1] = cols * size, strides[2] = size, *offset = 0;
    if (layout == F_ORDER)
        strides[1] = size, strides[2] = rows * size;
    if (layout == SPACED)
        strides[1] = 2 * cols * size, strides[2] = 2 * size;
    if (layout == BACKWARDS)
        strides[1] = -cols * size, strides[2] = size, *offset = (rows - 1) * cols * size;
    if (layout == BROADCAST)
        strides[1] = 0;
    strides[0] = layout == SPACED ? 2 * rows * cols * size : rows * cols * size;
}

static void check_one(brio_dtype dtype, const brio_matmul_args *args)
{
    size_t size = brio_dtype_size(dtype);
    uint64_t mask = size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;
    for (int64_t b = 0; b < args->batch; b++) {
        for (int64_t i = 0; i < args->m; i++) {
            for (int64_t j = 0; j < args->n; j++) {
                long double sum = 0, magnitude = 0;
                uint64_t wrapped = 0;
                for (int64_t k = 0; k < args->k; k++) {
                    const char *x =
                        args->a + b * args->a_strides[0] + i * args->a_strides[1] + k * args->a_strides[2];
                    const char *y =
                        args->b + b * args->b_strides[0] + k * args->b_strides[1] + j * args->b_strides[2];
                    if (brio_dtype_kind(dtype) == 'f') {
                        long double product = (long double)get_float(dtype, x) * get_float(dtype, y);
                        sum += product, magnitude += fabsl(product);
                    } else if (dtype == BRIO_BOOL) {
                        wrapped |= get_bits(x, size) & get_bits(y, size);
                    } else {
                        wrapped += get_bits(x, size) * get_bits(y, size);
                    }
                }
                const char *z =
                    args->c + b * args->c_strides[0] + i * args->c_strides[1] + j * args->c_strides[2];
                if (brio_dtype_kind(dtype) != 'f') {
                    assert_int_equal(get_bits(z, size), wrapped & mask);
                    continue;
                }
                double eps = dtype == BRIO_F64 ? 0x1p-53 : dtype == BRIO_F32 ? 0x1p-24 : 0x1p-11;
                long double bound = ((long double)args->k + 2) * eps * magnitude;
                if (dtype == BRIO_F16)
                    bound = eps * fabsl(sum) + (long double)args->k * 0x1p-24L * magnitude;
                assert_true(fabsl(get_float(dtype, z) - sum) <= bound);
            }
        }
    }
}

static void check(brio_dtype dtype, int64_t m, int64_t n, int64_t k, int64_t batch, int la, int lb, int lc)
{
    int64_t size = (int64_t)brio_dtype_size(dtype), a0, b0, c0;
    brio_matmul_args args = {.dtype = dtype, .m = m, .n = n, .k = k, .batch = batch};
    lay_out(la, m, k, size, args.a_strides, &a0);
    lay_out(lb, k, n, size, args.b_strides, &b0);
    lay_out(lc, m, n, size, args.c_strides, &c0);
    size_t na = (size_t)(2 * m * k * batch + 1), nb = (size_t)(2 * k * n * batch + 1),
           nc = (size_t)(2 * m * n * batch + 1);
    char *a = malloc(na * (size_t)size), *b = malloc(nb * (size_t)size), *c = malloc(nc * (size_t)size);
    for (size_t i = 0; i < na; i++)
        set_random(dtype, a + i * (size_t)size);
    for (size_t i = 0; i < nb; i++)
        set_random(dtype, b + i * (size_t)size);
    memset(c, 0xff, nc * (size_t)size);
    args.a = a + a0, args.b = b + b0, args.c = c + c0;
    assert_int_equal(brio_cpu_matmul(&args), BRIO_OK);
    check_one(dtype, &args);
    free(a), free(b), free(c);
}

static const brio_dtype dtypes[] = {BRIO_BOOL, BRIO_I8,  BRIO_U16, BRIO_I32, BRIO_U64,
                                    BRIO_I64,  BRIO_F16, BRIO_F32, BRIO_F64};

static void test_sizes(void **state)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 9, 5},   {7, 1, 3},    {3, 4, 0},      {0, 3, 4},
                                       {4, 8, 2}, {5, 17, 33}, {64, 70, 31}, {67, 259, 261}, {130, 20, 300}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            check(dtypes[d], sizes[s][0], sizes[s][1], sizes[s][2], 1, C_ORDER, C_ORDER, C_ORDER);
    }
}

static void test_layouts(void **state)
{
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (int layout = 0; layout < LAYOUTS; layout++) {
            check(dtypes[d], 13, 9, 21, 3, layout, C_ORDER, C_ORDER);
            check(dtypes[d], 13, 9, 21, 3, C_ORDER, layout, C_ORDER);
            check(dtypes[d], 1, 9, 21, 2, layout, F_ORDER, C_ORDER);
            check(dtypes[d], 13, 1, 21, 2, F_ORDER, layout, C_ORDER);
            if (layout != BROADCAST)
                check(dtypes[d], 13, 9, 21, 2, F_ORDER, SPACED, layout);
        }
    }
}

/* Many small products are shared among threads, large ones one after another. */
static void test_stacks(void **state)
{
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        check(dtypes[d], 5, 6, 7, 500, C_ORDER, F_ORDER, C_ORDER);
        check(dtypes[d], 5, 6, 7, 60, SPACED, BACKWARDS, F_ORDER);
    }
    check(BRIO_F64, 70, 80, 90, 2, C_ORDER, SPACED, C_ORDER);
}

static void test_special_values(void **state)
{
    double a[4] = {INFINITY, 1, NAN, 2}, b[4] = {1, 0, 1, 3}, c[4];
    brio_matmul_args args = {BRIO_F64,  2,         2,          2,          1,         (char *)a,
                             (char *)b, (char *)c, {0, 16, 8}, {0, 16, 8}, {0, 16, 8}};
    assert_int_equal(brio_cpu_matmul(&args), BRIO_OK);
    assert_true(c[0] == INFINITY && isnan(c[1]) && isnan(c[2]) && isnan(c[3]));
    args.dtype = BRIO_C128;
    assert_int_equal(brio_cpu_matmul(&args), BRIO_E_TYPE);
}

/* Runs last: afterwards no OpenBLAS is looked for. */
static void test_paths(void **state)
{
    assert_int_equal(brio_set_blas_path(NULL), BRIO_E_VALUE);
    char *path = malloc(2000);
    memset(path, 'x', 1999);
    path[1999] = '\0';
    assert_int_equal(brio_set_blas_path(path), BRIO_E_VALUE);
    free(path);
    assert_non_null(brio_blas_info());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_layouts), cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
