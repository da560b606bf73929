/* Subscripts, read and written, against a walk over every element in the test. */
#include "array_help.h"

static uint64_t seed = 42;

static int draw(int below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (unsigned)below);
}

static brio_index slice(int64_t start, int64_t stop, int64_t step)
{
    return (brio_index){BRIO_INDEX_SLICE, 1, 1, start, stop, step, NULL};
}

static const brio_index everything = {BRIO_INDEX_SLICE, 0, 0, 0, 0, 1, NULL};

static brio_index by_array(brio_array *array)
{
    return (brio_index){BRIO_INDEX_ARRAY, 0, 0, 0, 0, 0, array};
}

static brio_index by_int(int64_t i)
{
    return (brio_index){BRIO_INDEX_INT, 0, 0, i, 0, 0, NULL};
}

static brio_array *longs(int ndim, const int64_t *shape, const int64_t *values)
{
    brio_array *a = make(BRIO_I64, ndim, shape);
    memcpy(host(a, BRIO_WRITE), values, (size_t)look(a).count * sizeof *values);
    return a;
}

static void test_slices(void **state)
{
    brio_array *a = counting(BRIO_I32, 1, SHAPE(10)), *v;
    static const struct {
        int64_t start, stop, step;
        int count, first;
    } cases[] = {{2, 7, 2, 3, 2}, {7, 2, -2, 3, 7},   {-3, 100, 1, 3, 7}, {100, -100, -3, 4, 9},
                 {5, 5, 1, 0, 0}, {-100, 3, 1, 3, 0}, {8, 2, 3, 0, 0},    {0, 10, INT64_MAX, 1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        brio_index i = slice(cases[k].start, cases[k].stop, cases[k].step);
        ok(brio_array_index(a, &i, 1, &v));
        assert_int_equal(look(v).count, cases[k].count);
        for (int j = 0; j < cases[k].count; j++)
            assert_true(at(v, j) == (double)(cases[k].first + j * (cases[k].count > 1 ? cases[k].step : 0)));
        brio_array_unref(v);
    }
    brio_array_unref(a);
}

static void test_views_share_memory(void **state)
{
    brio_array *a = counting(BRIO_I32, 2, SHAPE(3, 4)), *v;
    brio_index index[3] = {by_int(-1), {.kind = BRIO_INDEX_NEWAXIS}, slice(1, 3, 1)};
    ok(brio_array_index(a, index, 3, &v));
    assert_int_equal(look(v).ndim, 2);
    assert_true(at(v, 0) == 9 && at(v, 1) == 10);
    brio_operand value = brio_operand_int(-5);
    ok(brio_array_assign(v, NULL, 0, &value));
    assert_true(at(a, 9) == -5 && at(a, 10) == -5 && at(a, 8) == 8 && at(a, 11) == 11);
    brio_array_unref(v), brio_array_unref(a);
}

/* One random subscript an axis of a 3-D array: an integer array (a), a mask (m) or a slice (s). All advanced
 * ones have `n` selected places. The expected element for selected place p and slice positions. */
typedef struct axis_choice {
    int kind; /* 0 slice, 1 integers, 2 mask */
    int64_t places[8];
    int count;
} axis_choice;

static brio_index choose(axis_choice *c, int64_t extent, int kind, int n, brio_array **keep)
{
    c->kind = kind;
    *keep = NULL;
    if (kind == 0) {
        int64_t start = draw((int)extent), step = 1 + draw(2);
        c->count = 0;
        for (int64_t i = start; i < extent; i += step)
            c->places[c->count++] = i;
        return slice(start, extent, step);
    }
    c->count = n;
    if (kind == 1) {
        int64_t written[8];
        for (int i = 0; i < n; i++) {
            c->places[i] = draw((int)extent);
            written[i] = c->places[i] - (draw(2) ? extent : 0);
        }
        *keep = longs(1, SHAPE(n), written);
        return by_array(*keep);
    }
    *keep = make(BRIO_BOOL, 1, &extent);
    uint8_t *mask = host(*keep, BRIO_WRITE);
    memset(mask, 0, (size_t)extent);
    for (int i = 0; i < n;) {
        int at_place = draw((int)extent);
        i += !mask[at_place];
        mask[at_place] = 1;
    }
    for (int64_t i = 0, k = 0; i < extent; i++)
        if (mask[i])
            c->places[k++] = i;
    return by_array(*keep);
}

/* The flat position in the array for result coordinates (selected place p, slice positions s[]). */
static int64_t source(const axis_choice *c, const int64_t *extent, int p, const int *s)
{
    int64_t flat = 0;
    for (int d = 0; d < 3; d++)
        flat = flat * extent[d] + c[d].places[c[d].kind == 0 ? s[d] : p];
    return flat;
}

static void check_random(int assign)
{
    const int64_t extent[3] = {3 + draw(3), 3 + draw(3), 3 + draw(3)};
    brio_array *a = counting(BRIO_F64, 3, extent), *keep[3], *out;
    axis_choice c[3];
    brio_index index[3];
    int n = 1 + draw(3), advanced = 0, first = -1, last = -1;
    for (int d = 0; d < 3; d++) {
        int kind = draw(3);
        index[d] = choose(&c[d], extent[d], kind, n, &keep[d]);
        if (kind != 0) {
            advanced++;
            first = first < 0 ? d : first;
            last = d;
        }
    }
    int adjacent = advanced > 0 && last - first + 1 == advanced, s[3] = {0, 0, 0};
    int64_t total = a == NULL ? 0 : extent[0] * extent[1] * extent[2], position = 0;
    double *expected = malloc((size_t)(total + 1) * sizeof *expected);
    for (int64_t i = 0; i < total; i++)
        expected[i] = (double)i;
    ok(brio_array_index(a, index, 3, &out));
    /* Result dimensions in order: the selected one in front, or in place of the adjacent advanced ones. */
    int order[4], m = 0;
    if (advanced > 0 && !adjacent)
        order[m++] = 3;
    for (int d = 0; d < 3; d++) {
        if (c[d].kind == 0)
            order[m++] = d;
        else if (adjacent && d == first)
            order[m++] = 3;
    }
    assert_int_equal(look(out).ndim, m);
    int64_t results = look(out).count;
    for (int64_t i = 0; i < results; i++) {
        int64_t rest = i;
        int p = 0;
        for (int k = m - 1; k >= 0; k--) {
            int d = order[k], count = d == 3 ? n : c[d].count;
            *(d == 3 ? &p : &s[d]) = (int)(rest % count);
            rest /= count;
        }
        position = source(c, extent, p, s);
        assert_true(at(out, i) == (double)position);
        expected[position] = 1000.0 + (double)i; /* the last one wins */
    }
    if (assign) {
        brio_array *flat = counting(BRIO_I32, 1, &results), *value, *shaped;
        value = map_scalar("add", flat, 1000);
        ok(brio_array_reshape(value, m, look(out).shape, 'C', &shaped));
        brio_operand operand = brio_operand_array(shaped);
        ok(brio_array_assign(a, index, 3, &operand));
        for (int64_t i = 0; i < total; i++)
            assert_true(at(a, i) == expected[i]);
        brio_array_unref(flat), brio_array_unref(value), brio_array_unref(shaped);
    }
    free(expected);
    brio_array_unref(out), brio_array_unref(a);
    for (int d = 0; d < 3; d++)
        brio_array_unref(keep[d]);
}

static void test_random_reads_and_writes(void **state)
{
    for (int k = 0; k < 400; k++)
        check_random(k % 2);
}

static void test_duplicates_last_wins(void **state)
{
    enum { MANY = 100000 };
    brio_array *a = counting(BRIO_I64, 1, SHAPE(1000)), *index = make(BRIO_I64, 1, SHAPE(MANY));
    brio_array *value = counting(BRIO_I64, 1, SHAPE(MANY));
    int64_t *to = host(index, BRIO_WRITE), expected[1000];
    for (int i = 0; i < 1000; i++)
        expected[i] = i;
    for (int i = 0; i < MANY; i++) {
        to[i] = draw(1000);
        expected[to[i]] = i;
    }
    brio_index by = by_array(index);
    brio_operand operand = brio_operand_array(value);
    ok(brio_array_assign(a, &by, 1, &operand));
    assert_memory_equal(host(a, BRIO_READ), expected, sizeof expected);
    brio_array_unref(a), brio_array_unref(index), brio_array_unref(value);
}

static void test_masks(void **state)
{
    brio_array *a = counting(BRIO_F64, 2, SHAPE(2, 3)), *mask = map_scalar("greater", a, 2.5), *got;
    brio_index by = by_array(mask);
    ok(brio_array_index(a, &by, 1, &got));
    assert_int_equal(look(got).count, 3);
    assert_true(at(got, 0) == 3 && at(got, 2) == 5);
    brio_array_unref(got);
    brio_array *four = counting(BRIO_F64, 1, SHAPE(4)), *square = counting(BRIO_F64, 2, SHAPE(2, 2));
    brio_operand value = brio_operand_array(four);
    fails(brio_array_assign(a, &by, 1, &value), BRIO_E_VALUE,
          "NumPy boolean array indexing assignment cannot assign 4 input values to the 3 output values where "
          "the "
          "mask is true");
    value = brio_operand_array(square);
    fails(brio_array_assign(a, &by, 1, &value), BRIO_E_TYPE,
          "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has 2 "
          "dimensions");
    value = brio_operand_float(-1);
    ok(brio_array_assign(a, &by, 1, &value));
    assert_true(at(a, 2) == 2 && at(a, 3) == -1 && at(a, 5) == -1);
    brio_array *parts[2];
    ok(brio_array_nonzero(mask, parts));
    assert_true(at(parts[0], 0) == 1 && at(parts[1], 2) == 2 && look(parts[0]).dtype == BRIO_I64);
    brio_array_unref(parts[0]), brio_array_unref(parts[1]);
    brio_array_unref(four), brio_array_unref(square), brio_array_unref(mask), brio_array_unref(a);
}

static void test_overlapping_assignment(void **state)
{
    brio_array *a = counting(BRIO_I64, 1, SHAPE(6)), *low;
    brio_index front = slice(0, 5, 1), back = slice(1, 6, 1), picked;
    ok(brio_array_index(a, &front, 1, &low));
    brio_operand value = brio_operand_array(low);
    ok(brio_array_assign(a, &back, 1, &value));
    for (int i = 1; i < 6; i++)
        assert_true(at(a, i) == i - 1);
    brio_array *reverse = longs(1, SHAPE(5), (int64_t[]){4, 3, 2, 1, 0});
    picked = by_array(reverse);
    ok(brio_array_assign(a, &picked, 1, &value));
    double expected[6] = {3, 2, 1, 0, 0, 4};
    for (int i = 0; i < 6; i++)
        assert_true(at(a, i) == expected[i]);
    brio_array_unref(reverse), brio_array_unref(low), brio_array_unref(a);
}

static void test_errors(void **state)
{
    brio_array *a = counting(BRIO_U8, 2, SHAPE(2, 3)), *out;
    brio_array *bad = longs(1, SHAPE(2), (int64_t[]){0, 5}), *two = longs(1, SHAPE(2), (int64_t[]){0, 1});
    brio_array *three = longs(1, SHAPE(3), (int64_t[]){0, 1, 0}), *real = counting(BRIO_F64, 1, SHAPE(2));
    brio_array *mask = make(BRIO_BOOL, 1, SHAPE(3));
    memset(host(mask, BRIO_WRITE), 1, 3);
    brio_index i[3] = {by_int(0), by_int(0), by_int(0)};
    fails(brio_array_index(a, i, 3, &out), BRIO_E_INDEX,
          "too many indices for array: array is 2-dimensional, but 3 were indexed");
    i[1] = by_int(-4);
    fails(brio_array_index(a, i, 2, &out), BRIO_E_INDEX, "index -4 is out of bounds for axis 1 with size 3");
    i[0] = everything, i[1] = by_array(bad);
    fails(brio_array_index(a, i, 2, &out), BRIO_E_INDEX, "index 5 is out of bounds for axis 1 with size 3");
    assert_true(at(bad, 1) == 5);
    i[0] = by_array(two), i[1] = by_array(three);
    fails(brio_array_index(a, i, 2, &out), BRIO_E_INDEX,
          "shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,) ");
    i[0] = by_array(real);
    fails(brio_array_index(a, i, 1, &out), BRIO_E_INDEX,
          "arrays used as indices must be of integer (or boolean) type");
    i[0] = by_array(mask);
    fails(
        brio_array_index(a, i, 1, &out), BRIO_E_INDEX,
        "boolean index did not match indexed array along axis 0; size of axis is 2 but size of corresponding "
        "boolean axis is 3");
    i[0] = i[1] = (brio_index){.kind = BRIO_INDEX_ELLIPSIS};
    fails(brio_array_index(a, i, 2, &out), BRIO_E_INDEX, "an index can only have a single ellipsis ('...')");
    brio_operand value = brio_operand_int(300);
    i[0] = by_int(0);
    fails(brio_array_assign(a, i, 1, &value), BRIO_E_OVERFLOW, "Python integer 300 out of bounds for uint8");
    i[0] = by_array(two);
    fails(brio_array_assign(a, i, 1, &value), BRIO_E_OVERFLOW, "Python integer 300 out of bounds for uint8");
    value = brio_operand_array(two);
    fails(
        brio_array_assign(a, i, 1, &value), BRIO_E_VALUE,
        "shape mismatch: value array of shape (2,) could not be broadcast to indexing result of shape (2,3)");
    fails(brio_array_take(a, bad, 1, &out), BRIO_E_INDEX, "index 5 is out of bounds for axis 1 with size 3");
    ok(brio_array_set_writeable(a, 0));
    fails(brio_array_assign(a, i, 1, &value), BRIO_E_VALUE, "assignment destination is read-only");
    for (int k = 0; k < 6; k++)
        assert_true(at(a, k) == k);
    brio_array_unref(a), brio_array_unref(bad), brio_array_unref(two), brio_array_unref(three);
    brio_array_unref(real), brio_array_unref(mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_views_share_memory),
        cmocka_unit_test(test_random_reads_and_writes),
        cmocka_unit_test(test_duplicates_last_wins),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_overlapping_assignment),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
