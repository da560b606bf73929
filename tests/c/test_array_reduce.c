/* Reductions, statistics, scans, sorting, joining and products of arrays. */
#include "array_help.h"

#include <math.h>

#define N 40000

static brio_array *reduce_axis(const char *name, brio_array *a, int axis, int keepdims)
{
    brio_reduce_options options = BRIO_REDUCE_OPTIONS_INIT;
    brio_array *out;
    options.all_axes = 0, options.naxes = 1, options.axes = &axis, options.keepdims = keepdims;
    ok(brio_array_reduce(brio_op_find(name), a, &options, &out));
    return out;
}

static void test_axes_and_dtypes(void **state)
{
    brio_array *a = counting(BRIO_I8, 3, SHAPE(2, 3, 4)), *t, *sum;
    ok(brio_array_transpose(a, (int[]){2, 0, 1}, &t));
    for (int axis = 0; axis < 3; axis++) {
        sum = reduce_axis("add", t, axis - 3, 1);
        brio_array_layout in = look(t), out = look(sum);
        assert_int_equal(out.dtype, BRIO_I64);
        assert_int_equal(out.shape[axis], 1);
        for (int64_t i = 0; i < out.count; i++) {
            int64_t where[3], rest = i;
            double expected = 0;
            for (int d = 2; d >= 0; d--)
                where[d] = rest % out.shape[d], rest /= out.shape[d];
            for (where[axis] = 0; where[axis] < in.shape[axis]; where[axis]++)
                expected += at(t, (where[0] * in.shape[1] + where[1]) * in.shape[2] + where[2]);
            assert_true(at(sum, i) == expected);
        }
        brio_array_unref(sum);
    }
    brio_array_unref(t), brio_array_unref(a);
}

static void test_empty(void **state)
{
    brio_array *none = counting(BRIO_F64, 2, SHAPE(0, 3)), *out;
    ok(brio_array_reduce(brio_op_find("multiply"), none, NULL, &out));
    assert_true(at(out, 0) == 1);
    brio_array_unref(out);
    out = reduce_axis("add", none, 0, 0);
    assert_true(look(out).count == 3 && at(out, 2) == 0);
    brio_array_unref(out);
    out = reduce_axis("maximum", none, 1, 0);
    assert_int_equal(look(out).count, 0);
    brio_array_unref(out);
    fails(brio_array_reduce(brio_op_find("maximum"), none, NULL, &out), BRIO_E_VALUE,
          "zero-size array to reduction operation maximum which has no identity");
    fails(brio_array_statistic(BRIO_ARGMIN, none, NULL, 0, &out), BRIO_E_VALUE,
          "attempt to get argmin of an empty sequence");
    ok(brio_array_statistic(BRIO_MEAN, none, NULL, 0, &out));
    assert_true(isnan(at(out, 0)));
    brio_array_unref(out), brio_array_unref(none);
}

static void test_initial_where_and_errors(void **state)
{
    brio_array *a = counting(BRIO_F64, 1, SHAPE(5)), *mask = map_scalar("less", a, 3), *out;
    brio_reduce_options options = BRIO_REDUCE_OPTIONS_INIT;
    options.where = mask;
    fails(
        brio_array_reduce(brio_op_find("maximum"), a, &options, &out), BRIO_E_VALUE,
        "reduction operation 'maximum' does not have an identity, so to use a where mask one has to specify "
        "'initial'");
    options.has_initial = 1, options.initial.f64 = -1;
    ok(brio_array_reduce(brio_op_find("maximum"), a, &options, &out));
    assert_true(at(out, 0) == 2);
    brio_array_unref(out);
    ok(brio_array_reduce(brio_op_find("add"), a, &options, &out));
    assert_true(at(out, 0) == 2);
    brio_array_unref(out);
    int axes[2] = {0, -1};
    options = (brio_reduce_options)BRIO_REDUCE_OPTIONS_INIT;
    options.all_axes = 0, options.naxes = 2, options.axes = axes;
    fails(brio_array_reduce(brio_op_find("add"), a, &options, &out), BRIO_E_VALUE,
          "duplicate value in 'axis'");
    axes[1] = 1;
    fails(brio_array_reduce(brio_op_find("add"), a, &options, &out), BRIO_E_AXIS,
          "axis 1 is out of bounds for array of dimension 1");
    brio_array_unref(a), brio_array_unref(mask);
}

static void test_statistics(void **state)
{
    brio_array *a = counting(BRIO_F32, 1, SHAPE(N)), *out;
    ok(brio_array_statistic(BRIO_MEAN, a, NULL, 0, &out));
    assert_true(look(out).dtype == BRIO_F32 && at(out, 0) == (N - 1) / 2.0);
    brio_array_unref(out);
    ok(brio_array_statistic(BRIO_STD, a, NULL, 1, &out));
    double expected = sqrt((double)N * (N + 1) / 12.0);
    assert_true(fabs(at(out, 0) / expected - 1) < 1e-6);
    brio_array_unref(out);
    ok(brio_array_statistic(BRIO_COUNT_NONZERO, a, NULL, 0, &out));
    assert_true(at(out, 0) == N - 1);
    brio_array_unref(out);
    float *p = host(a, BRIO_WRITE);
    p[700] = NAN, p[900] = NAN;
    ok(brio_array_statistic(BRIO_ARGMAX, a, NULL, 0, &out));
    assert_true(at(out, 0) == 700);
    brio_array_unref(out), brio_array_unref(a);
}

static void test_pending_joins_and_stays(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = map_scalar("multiply", x, 2), *late, *again, *now;
    ok(brio_array_reduce(brio_op_find("add"), y, NULL, &late));
    assert_true(look(y).pending);
    ok(brio_array_reduce(brio_op_find("add"), y, NULL, &again));
    assert_true(!look(y).pending);
    ok(brio_array_reduce(brio_op_find("add"), y, NULL, &now));
    assert_true(at(late, 0) == (double)N * (N - 1));
    assert_true(at(late, 0) == at(now, 0) && at(again, 0) == at(now, 0));
    brio_array_unref(late), brio_array_unref(again), brio_array_unref(now);
    brio_array_unref(x), brio_array_unref(y);
}

/* Sums of values that do not add up exactly: the same bits whether the operand was pending or not. */
static void test_sums_have_the_same_bits_late(void **state)
{
    static const char *const ops[] = {"add", "multiply"};
    for (int transposed = 0; transposed < 2; transposed++)
        for (int axis = -1; axis < 2; axis++)
            for (int which = 0; which < 2; which++) {
                double sums[2][200];
                for (int lazy = 0; lazy < 2; lazy++) {
                    brio_set_lazy(lazy);
                    brio_array *a = counting(BRIO_F32, 2, SHAPE(190, 200)), *t = NULL, *out;
                    ok(brio_array_transpose(a, NULL, &t));
                    brio_array *root = map1("sqrt", transposed ? t : a),
                               *near = map_scalar("multiply", root, 1e-5);
                    brio_array *one = map_scalar("add", near, which);
                    assert_int_equal(look(one).pending, lazy);
                    if (axis < 0)
                        ok(brio_array_reduce(brio_op_find(ops[which]), one, NULL, &out));
                    else
                        out = reduce_axis(ops[which], one, axis, 0);
                    for (int64_t i = 0; i < look(out).count; i++)
                        sums[lazy][i] = at(out, i);
                    if (lazy == 1)
                        assert_memory_equal(sums[0], sums[1], (size_t)look(out).count * sizeof(double));
                    brio_array_unref(a), brio_array_unref(t), brio_array_unref(root);
                    brio_array_unref(near), brio_array_unref(one), brio_array_unref(out);
                }
                brio_set_lazy(1);
            }
}

static void test_scan(void **state)
{
    brio_array *a = counting(BRIO_I32, 2, SHAPE(2, 3)), *out;
    brio_scan_options options = BRIO_SCAN_OPTIONS_INIT;
    ok(brio_array_scan(brio_op_find("add"), a, NULL, &out));
    assert_true(look(out).ndim == 1 && look(out).dtype == BRIO_I64 && at(out, 5) == 15);
    brio_array_unref(out);
    options.ravel = 0, options.axis = 0, options.include_initial = 1;
    ok(brio_array_scan(brio_op_find("add"), a, &options, &out));
    double expected[9] = {0, 0, 0, 0, 1, 2, 3, 5, 7};
    for (int i = 0; i < 9; i++)
        assert_true(at(out, i) == expected[i]);
    brio_array_unref(out), brio_array_unref(a);
}

static void test_sort(void **state)
{
    brio_array *a = counting(BRIO_F64, 2, SHAPE(3, 4)), *minus = map1("negative", a), *t, *out;
    ok(brio_array_transpose(minus, NULL, &t));
    ok(brio_array_sort(t, 0, 0, &out));
    for (int i = 0; i < 12; i++) {
        int row = i / 3, column = i % 3;
        assert_true(at(out, i) == -(4 * column + 3 - row));
    }
    brio_array_unref(out);
    ok(brio_array_argsort(t, 1, 0, &out));
    for (int i = 0; i < 12; i++)
        assert_true(at(out, i) == 2 - i % 3);
    brio_array_unref(out);
    ok(brio_array_sort_inplace(t, 1, 0));
    assert_true(at(minus, 0) == -8 && at(t, 0) == -8 && at(t, 2) == 0);
    brio_array_unref(t), brio_array_unref(minus), brio_array_unref(a);
}

static void test_concat(void **state)
{
    brio_array *a = counting(BRIO_I32, 2, SHAPE(2, 3)), *b = counting(BRIO_F32, 2, SHAPE(2, 2)), *out;
    ok(brio_array_concat(2, (brio_array *[]){a, b}, -1, &out));
    double expected[10] = {0, 1, 2, 0, 1, 3, 4, 5, 2, 3};
    assert_int_equal(look(out).dtype, BRIO_F64);
    for (int i = 0; i < 10; i++)
        assert_true(at(out, i) == expected[i]);
    brio_array_unref(out);
    fails(brio_array_concat(2, (brio_array *[]){a, b}, 0, &out), BRIO_E_VALUE,
          "all the input array dimensions except for the concatenation axis must match exactly, but along "
          "dimension 1, the array at index 0 has size 3 and the array at index 1 has size 2");
    brio_array_unref(a), brio_array_unref(b);
}

static void test_matmul(void **state)
{
    brio_array *a = counting(BRIO_F64, 3, SHAPE(2, 3, 4)), *b = counting(BRIO_I32, 2, SHAPE(4, 5)), *out;
    ok(brio_array_matmul(a, b, &out));
    assert_int_equal(look(out).ndim, 3);
    for (int i = 0; i < 30; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += at(a, i / 5 * 4 + k) * at(b, k * 5 + i % 5);
        assert_true(at(out, i) == sum);
    }
    brio_array_unref(out);
    fails(brio_array_matmul(b, b, &out), BRIO_E_VALUE,
          "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
          "(n?,k),(k,m?)->(n?,m?) (size 4 is different from 5)");
    brio_array_unref(a), brio_array_unref(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_and_dtypes),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_initial_where_and_errors),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_pending_joins_and_stays),
        cmocka_unit_test(test_sums_have_the_same_bits_late),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_concat),
        cmocka_unit_test(test_matmul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
