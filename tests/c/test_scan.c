/* scan against plain loops: kinds, dtypes, layouts, exclusive, in place, the tiled association of floats,
 * one and several threads bit for bit. */
#include "backend/cpu/primitives.h"
#include "backend/cpu/scan_kernels.h"

#include <brio/config.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random.h"

static double rounded(double x, int single)
{
    return single ? (double)(float)x : x;
}

static double op_float(int kind, double a, double b, int single)
{
    switch (kind) {
    case BRIO_REDUCE_ADD:
        return rounded(a + b, single);
    case BRIO_REDUCE_MULTIPLY:
        return rounded(a * b, single);
    case BRIO_REDUCE_MAXIMUM:
        return isnan(a) || a >= b ? a : b;
    default:
        return isnan(a) || a <= b ? a : b;
    }
}

/* The total of tiles [first, first + count), count a power of two. */
static double group_total(int kind, const double *totals, int64_t first, int64_t count, int single)
{
    if (count == 1)
        return totals[first];
    return op_float(kind, group_total(kind, totals, first, count / 2, single),
                    group_total(kind, totals, first + count / 2, count / 2, single), single);
}

static double prefix_of(int kind, const double *totals, int64_t tiles, int single, int *any)
{
    double prefix = 0;
    int64_t at = 0;
    *any = 0;
    for (int64_t size = (int64_t)1 << 40; size > 0; size /= 2) {
        if (!(tiles & size))
            continue;
        double group = group_total(kind, totals, at, size, single);
        prefix = *any ? op_float(kind, prefix, group, single) : group;
        *any = 1;
        at += size;
    }
    return prefix;
}

/* What a row of floats becomes; `tile` 0: from left to right. */
static void expect_floats(int kind, const double *x, double *y, int64_t n, int64_t tile, int exclusive,
                          int single)
{
    if (tile == 0 || n <= tile)
        tile = n;
    double *totals = malloc((size_t)(n / tile + 2) * sizeof *totals);
    for (int64_t t = 0; t * tile < n; t++) {
        int any;
        double prefix = prefix_of(kind, totals, t, single, &any), local = 0;
        for (int64_t i = t * tile; i < n && i < (t + 1) * tile; i++) {
            double before = any ? op_float(kind, prefix, local, single) : local;
            y[i] = i == t * tile ? prefix : before; /* exclusive */
            local = i == t * tile ? x[i] : op_float(kind, local, x[i], single);
            if (!exclusive)
                y[i] = any ? op_float(kind, prefix, local, single) : local;
        }
        totals[t] = local;
    }
    free(totals);
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void store(brio_dtype dtype, char *p, double x, uint64_t bits)
{
    float f = (float)x;
    if (dtype == BRIO_F32)
        memcpy(p, &f, 4);
    else if (dtype == BRIO_F64)
        memcpy(p, &x, 8);
    else if (dtype == BRIO_BOOL)
        *p = bits & 1;
    else
        memcpy(p, &bits, brio_dtype_size(dtype));
}

static double load(brio_dtype dtype, const char *p)
{
    float f;
    double d;
    memcpy(&f, p, 4);
    if (dtype == BRIO_F32)
        return f;
    memcpy(&d, p, 8);
    return d;
}

static int64_t load_integer(brio_dtype dtype, const char *p)
{
    uint64_t bits = 0;
    size_t size = brio_dtype_size(dtype);
    memcpy(&bits, p, size);
    int shift = 64 - 8 * (int)size;
    return brio_dtype_kind(dtype) == 'i' ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
}

static uint64_t op_integer(brio_dtype dtype, int kind, uint64_t a, uint64_t b)
{
    int is_signed = brio_dtype_kind(dtype) == 'i';
    int less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    if (kind == BRIO_REDUCE_ADD)
        return dtype == BRIO_BOOL ? a | b : a + b;
    if (kind == BRIO_REDUCE_MULTIPLY)
        return a * b;
    return (kind == BRIO_REDUCE_MAXIMUM) == less ? b : a;
}

static void check_row(const brio_scan_args *args, const char *in, const char *out, int64_t n,
                      int64_t in_stride, int64_t out_stride, int tiled)
{
    brio_dtype dtype = args->dtype;
    if (brio_dtype_kind(dtype) != 'f') {
        uint64_t acc = 0;
        size_t size = brio_dtype_size(dtype);
        for (int64_t i = 0; i < n; i++) {
            uint64_t x = (uint64_t)load_integer(dtype, in + i * in_stride);
            uint64_t next = i == 0 ? x : op_integer(dtype, (int)args->kind, acc, x);
            if (args->exclusive && i > 0)
                assert_memory_equal(out + i * out_stride, &acc, size);
            acc = next;
            if (!args->exclusive)
                assert_memory_equal(out + i * out_stride, &acc, size);
            store(dtype, (char *)&next, 0, acc);
            acc = (uint64_t)load_integer(dtype, (char *)&next);
        }
        return;
    }
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    for (int64_t i = 0; i < n; i++)
        x[i] = load(dtype, in + i * in_stride);
    expect_floats((int)args->kind, x, y, n, tiled ? BRIO_SCAN_TILE : 0, args->exclusive, dtype == BRIO_F32);
    for (int64_t i = args->exclusive; i < n; i++)
        if (!same(load(dtype, out + i * out_stride), y[i]))
            fail_msg("%s kind %d n %lld at %lld: %a, not %a", brio_dtype_name(dtype), (int)args->kind,
                     (long long)n, (long long)i, load(dtype, out + i * out_stride), y[i]);
    if (args->exclusive) {
        static const double first[4] = {0, 1, -INFINITY, INFINITY};
        assert_true(same(load(dtype, out), first[args->kind]));
    }
    free(x), free(y);
}

static void check(brio_dtype dtype, int kind, int64_t rows, int64_t n, int across, int sequential,
                  int exclusive, int special)
{
    int64_t size = (int64_t)brio_dtype_size(dtype);
    size_t bytes = (size_t)(rows * n * size);
    char *in = malloc(bytes + 8), *outs[3];
    for (int64_t i = 0; i < rows * n; i++) {
        uint64_t bits = random64();
        double x = (double)(bits >> 11) * 0x1p-53 - 0.5;
        if (kind == BRIO_REDUCE_MULTIPLY)
            x = 1 + x * 0x1p-8;
        if (special && bits % 5 == 0)
            x = -0.0;
        if (special && bits % 1009 == 0)
            x = NAN;
        store(dtype, in + i * size, x, bits);
    }
    int64_t shape[1] = {rows}, stride = across ? rows * size : size, row_stride = across ? size : n * size;
    for (int t = 0; t < 3; t++) {
        outs[t] = malloc(bytes + 8);
        memcpy(outs[t], in, bytes);
        brio_scan_args args = {(brio_reduce_kind)kind,
                               dtype,
                               sequential,
                               exclusive,
                               1,
                               shape,
                               n,
                               {in, {row_stride, stride}},
                               {outs[t], {row_stride, stride}},
                               NULL};
        if (t == 2)
            args.in.data = outs[t]; /* in place */
        assert_int_equal(brio_set_threads(t == 1 ? 3 : 1), BRIO_OK);
        assert_int_equal(brio_cpu_scan(&args), BRIO_OK);
        if (t == 0)
            for (int64_t r = 0; r < rows; r++)
                check_row(&args, in + r * row_stride, outs[t] + r * row_stride, n, stride, stride,
                          stride == size && !sequential);
        else
            assert_memory_equal(outs[0], outs[t], bytes);
    }
    assert_int_equal(brio_set_threads(0), BRIO_OK);
    free(in), free(outs[0]), free(outs[1]), free(outs[2]);
}

static const brio_dtype dtypes[] = {BRIO_BOOL, BRIO_I8,  BRIO_U8,  BRIO_I16, BRIO_U16, BRIO_I32,
                                    BRIO_U32,  BRIO_I64, BRIO_U64, BRIO_F32, BRIO_F64};

static void test_all(void **state)
{
    static const int64_t shapes[][2] = {{1, 1},    {3, 7},   {1, 1023}, {2, 1024},
                                        {1, 1025}, {9, 300}, {1, 5000}, {20, 2050}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int kind = 0; kind < 4; kind++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
                for (int mode = 0; mode < 8; mode++)
                    check(dtypes[d], kind, shapes[k][0], shapes[k][1], mode & 1, mode >> 1 & 1, mode >> 2,
                          (int)k & 1);
}

static void test_large(void **state)
{
    for (int kind = 0; kind < 4; kind++) {
        check(BRIO_F32, kind, 1, 1200000, 0, 0, 0, kind & 1);
        check(BRIO_F64, kind, 2, 300001, 0, 0, kind & 1, 0);
        check(BRIO_F64, kind, 1, 100000, 0, 1, 0, 0);
        check(BRIO_I32, kind, 1, 700000, 0, 0, 0, 0);
        check(BRIO_F32, kind, 700, 500, 1, 0, 0, 1);
    }
}

static void test_refusals_and_conditions(void **state)
{
    float x[3] = {3e38f, 3e38f, -INFINITY}, y[3];
    uint32_t flags = 0;
    brio_scan_args args = {BRIO_REDUCE_ADD,  BRIO_F32,         0,     0, 0, NULL, 3,
                           {(char *)x, {4}}, {(char *)y, {4}}, &flags};
    assert_int_equal(brio_cpu_scan(&args), BRIO_OK);
    assert_int_equal(flags, BRIO_FPE_OVERFLOW | BRIO_FPE_INVALID);
    args.length = 0;
    assert_int_equal(brio_cpu_scan(&args), BRIO_OK);
    args.dtype = BRIO_C64;
    assert_int_equal(brio_cpu_scan(&args), BRIO_E_TYPE);
    args.dtype = BRIO_F32, args.kind = BRIO_REDUCE_FMAX;
    assert_int_equal(brio_cpu_scan(&args), BRIO_E_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_refusals_and_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
