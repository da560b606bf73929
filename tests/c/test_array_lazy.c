/* Late evaluation: nobody can tell but by the clock. */
#include "array_help.h"

#include "runtime/memory.h"

#define N 40000

static uint64_t seed = 1;

static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

/* ---- random expressions, late and at once ------------------------------------------------------ */

enum { LEAVES = 20, VALUES = 90, KEPT = 6 };

static brio_array *make_leaf(unsigned kind)
{
    static const brio_dtype dtypes[] = {BRIO_F64, BRIO_F32, BRIO_I32, BRIO_F64};
    brio_array *a = counting(dtypes[kind % 4], 2, SHAPE(200, 200)), *view;
    if (kind % 5 != 3)
        return a;
    ok(brio_array_transpose(a, NULL, &view));
    brio_array_unref(a);
    return view;
}

/* Builds VALUES random values on the leaves; drops most on the way; writes sums of the bits of those kept. */
static void run_expressions(uint64_t from, int lazy, uint64_t *bits)
{
    static const char *const names[] = {"add", "subtract", "multiply", "maximum", "hypot", "divide"};
    brio_array *value[LEAVES + VALUES];
    brio_set_lazy(lazy);
    seed = from;
    for (unsigned i = 0; i < LEAVES; i++)
        value[i] = make_leaf(i);
    for (unsigned i = LEAVES; i < LEAVES + VALUES; i++) {
        unsigned a = draw(3) == 0 ? draw(i) : i - 1 - draw(3), b = draw(i);
        brio_array *x = value[a] != NULL ? value[a] : value[0], *y = value[b] != NULL ? value[b] : value[1];
        unsigned what = draw(10);
        if (what == 0)
            value[i] = map1("sqrt", x);
        else if (what == 1)
            value[i] = map_scalar("multiply", x, 0.25 + draw(4));
        else if (what == 2)
            ok(brio_array_cast(x, draw(2) ? BRIO_F32 : BRIO_F64, BRIO_CAST_UNSAFE, 'K', &value[i]));
        else
            value[i] = map2(names[draw(6)], x, y);
        if (draw(12) == 0)
            ((char *)host(value[draw(LEAVES)], BRIO_WRITE))[draw(1000)] = (char)draw(50);
        unsigned dropped = draw(i + 1);
        if (dropped >= LEAVES && draw(3) > 0 && value[dropped] != NULL) {
            brio_array_unref(value[dropped]);
            value[dropped] = NULL;
        }
    }
    memset(bits, 0, (LEAVES + VALUES) * sizeof *bits);
    for (unsigned k = 0; k < LEAVES + VALUES; k++) {
        unsigned i = LEAVES + VALUES - 1 - k;
        if (value[i] == NULL)
            continue;
        const unsigned char *p = host(value[i], BRIO_READ);
        size_t bytes = (size_t)look(value[i]).count * brio_dtype_size(look(value[i]).dtype);
        uint64_t hash = 1469598103934665603u + (uint64_t)look(value[i]).strides[0];
        for (size_t at_byte = 0; at_byte < bytes; at_byte++)
            hash = (hash ^ p[at_byte]) * 1099511628211u;
        bits[i] = hash;
        brio_array_unref(value[i]);
    }
    brio_set_lazy(1);
}

static void test_same_bits_late_and_at_once(void **state)
{
    uint64_t late[LEAVES + VALUES], now[LEAVES + VALUES];
    for (uint64_t k = 1; k <= 12; k++) {
        run_expressions(k * 7919, 1, late);
        run_expressions(k * 7919, 0, now);
        assert_memory_equal(late, now, sizeof late);
    }
}

/* ---- single rules -------------------------------------------------------------------------------- */

static void test_setting_and_size(void **state)
{
    brio_array *small = counting(BRIO_F64, 1, SHAPE(100)), *large = counting(BRIO_F64, 1, SHAPE(N));
    brio_array *a = map_scalar("add", small, 1), *b = map_scalar("add", large, 1);
    assert_true(!look(a).pending && look(b).pending);
    brio_array_unref(a), brio_array_unref(b);
    brio_set_lazy(0);
    b = map_scalar("add", large, 1);
    assert_true(!look(b).pending);
    brio_set_lazy(1);
    brio_array_unref(b), brio_array_unref(small), brio_array_unref(large);
}

static void test_second_consumer_materialises(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = map_scalar("multiply", x, 3);
    brio_array *square = map2("multiply", y, y); /* one consumer, though it reads twice */
    assert_true(look(y).pending);
    brio_array *other = map_scalar("add", y, 1);
    assert_true(!look(y).pending && look(square).pending && look(other).pending);
    /* The first consumer reads it as a leaf now: a write settles it first. */
    ((double *)host(y, BRIO_WRITE))[5] = -1;
    assert_true(!look(square).pending && !look(other).pending);
    assert_true(at(square, 5) == 225 && at(other, 5) == 16 && at(y, 5) == -1);
    brio_array_unref(x), brio_array_unref(y), brio_array_unref(square), brio_array_unref(other);
}

static void test_held_value_is_kept_in_the_same_pass(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = map_scalar("multiply", x, 3);
    brio_array *z = map_scalar("add", y, 1);
    ok(brio_array_eval(z, NULL));
    assert_true(!look(y).pending && at(y, 7) == 21 && at(z, 7) == 22);
    brio_array_unref(x), brio_array_unref(y), brio_array_unref(z);
}

static void test_write_settles_readers_through_views(void **state)
{
    brio_array *x = counting(BRIO_F64, 2, SHAPE(200, 200)), *t, *sum, *deep;
    ok(brio_array_transpose(x, NULL, &t));
    sum = map_scalar("add", t, 1);
    deep = map_scalar("multiply", sum, 2);
    brio_array_unref(sum);
    brio_operand zero = brio_operand_float(0);
    ok(brio_array_copyto(x, &zero, BRIO_CAST_SAME_KIND, NULL));
    assert_true(!look(deep).pending);
    assert_true(at(deep, 1) == 2 * (200 + 1));
    assert_true(at(x, 1) == 0);
    brio_array_unref(x), brio_array_unref(t), brio_array_unref(deep);
}

static void test_in_place_chain(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = map_scalar("multiply", x, 2), *same;
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    brio_operand in[2] = {brio_operand_array(x), brio_operand_array(y)};
    options.out[0] = x;
    ok(brio_array_map(brio_op_find("add"), in, &options, &same)); /* x += 2 x, y pending on x */
    brio_array_unref(same);
    assert_true(at(x, 9) == 27 && at(y, 9) == 18);
    brio_array_unref(x), brio_array_unref(y);
}

static void test_foreign_and_lent_memory_is_read_at_once(void **state)
{
    double *data = calloc(N, sizeof *data);
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_array *w, *own = counting(BRIO_F64, 1, SHAPE(N));
    spec.ndim = 1, spec.shape = SHAPE(N);
    ok(brio_array_wrap(data, &spec, 1, NULL, NULL, &w));
    brio_array *y = map_scalar("add", w, 1), *z = map_scalar("add", own, 1);
    assert_true(!look(y).pending && look(z).pending);
    ok(brio_array_lend(own, 1));
    assert_true(!look(z).pending);
    brio_array_unref(z);
    z = map_scalar("add", own, 1);
    assert_true(!look(z).pending);
    brio_array_unref(z);
    ok(brio_array_lend(own, 0));
    z = map_scalar("add", own, 1);
    assert_true(look(z).pending);
    assert_int_equal(brio_array_lend(own, 0), BRIO_E_VALUE);
    brio_array_unref(z), brio_array_unref(y), brio_array_unref(w), brio_array_unref(own);
    free(data);
}

static void test_long_chain_is_cut(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = brio_array_ref(x);
    for (int i = 0; i < 300; i++) {
        brio_array *next = map_scalar("add", y, i % 7);
        brio_array_unref(y);
        y = next;
    }
    double sum = 0;
    for (int i = 0; i < 300; i++)
        sum += i % 7;
    assert_true(look(y).pending && at(y, 3) == 3 + sum);
    brio_array_unref(y);
    /* Many leaves. */
    y = brio_array_ref(x);
    for (int i = 0; i < 60; i++) {
        brio_array *leaf = counting(BRIO_F32, 1, SHAPE(N)), *next = map2("add", y, leaf);
        brio_array_unref(y), brio_array_unref(leaf);
        y = next;
    }
    assert_true(at(y, 3) == 3 + 60 * 3);
    brio_array_unref(x), brio_array_unref(y);
}

static void test_broadcast_operand_is_settled(void **state)
{
    brio_array *row = counting(BRIO_F64, 2, SHAPE(1, N)), *y = map_scalar("add", row, 1);
    brio_array *wide = counting(BRIO_F64, 2, SHAPE(3, N)), *z = map2("multiply", y, wide);
    assert_true(!look(y).pending && look(z).pending);
    assert_true(at(z, N + 2) == 3.0 * (N + 2));
    brio_array_unref(row), brio_array_unref(y), brio_array_unref(wide), brio_array_unref(z);
}

static void test_evaluate_into(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = map_scalar("multiply", x, 2),
               *to = make(BRIO_F64, 1, SHAPE(N));
    brio_eval_options options = BRIO_EVAL_OPTIONS_INIT;
    options.out = to;
    ok(brio_array_eval(y, &options));
    assert_true(!look(y).pending && at(to, 4) == 8 && at(y, 4) == 8);
    /* Into its own input, forwards and shifted. */
    brio_array *z = map_scalar("add", x, 1);
    options.out = x;
    ok(brio_array_eval(z, &options));
    assert_true(at(x, 4) == 5);
    brio_array *low, *high;
    ok(brio_array_as_strided(x, 0, 1, SHAPE(N - 1), SHAPE(8), &low));
    ok(brio_array_as_strided(x, 8, 1, SHAPE(N - 1), SHAPE(8), &high));
    brio_array *shifted = map_scalar("add", low, 0);
    options.out = high;
    ok(brio_array_eval(shifted, &options));
    for (int i = 1; i < N; i++)
        assert_true(at(x, i) == i);
    options.out = low;
    assert_int_equal(brio_array_eval(y, &options), BRIO_E_VALUE);
    brio_array_unref(x), brio_array_unref(y), brio_array_unref(z), brio_array_unref(to);
    brio_array_unref(low), brio_array_unref(high), brio_array_unref(shifted);
}

static void add_three(char **args, const intptr_t *dimensions, const intptr_t *strides, void *data)
{
    char *from = args[0], *to = args[1];
    for (intptr_t i = 0; i < dimensions[0]; i++, from += strides[0], to += strides[1])
        *(double *)to = *(double *)from + *(double *)data;
}

static void test_external_loop_joins(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = map_scalar("multiply", x, 2), *z;
    double three = 3;
    brio_operand in = brio_operand_array(y);
    ok(brio_array_map_external(add_three, &three, 1, &in, BRIO_F64, &z));
    brio_array_unref(y);
    assert_true(look(z).pending);
    brio_array *w = map1("sqrt", z);
    brio_array_unref(z);
    assert_true(at(w, 11) == 5);
    brio_array_unref(w), brio_array_unref(x);
}

static void count_release(void *context)
{
    ++*(int *)context;
}

static void test_promised_memory_is_released_once_done(void **state)
{
    double *data = calloc(N, sizeof *data);
    int released = 0;
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    brio_array *w, *y;
    spec.ndim = 1, spec.shape = SHAPE(N);
    options.lazy = BRIO_LAZY_ALWAYS;
    ok(brio_array_wrap(data, &spec, 0, count_release, &released, &w));
    brio_operand in[2] = {brio_operand_array(w), brio_operand_float(1)};
    ok(brio_array_map(brio_op_find("add"), in, &options, &y));
    brio_array_unref(w);
    assert_int_equal(released, 0);
    ok(brio_array_eval(y, NULL));
    assert_int_equal(released, 1);
    assert_true(at(y, 2) == 1);
    brio_array_unref(y);
    ok(brio_array_wrap(data, &spec, 0, count_release, &released, &w));
    in[0] = brio_operand_array(w);
    ok(brio_array_map(brio_op_find("add"), in, &options, &y));
    brio_array_unref(w), brio_array_unref(y);
    assert_int_equal(released, 2);
    free(data);
}

static void test_no_memory_leaves_it_pending(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(N)), *y = map_scalar("multiply", x, 2),
               *z = map_scalar("add", y, 1);
    brio_testing_fail_allocation(0);
    assert_int_equal(brio_array_eval(z, NULL), BRIO_E_MEMORY);
    assert_true(look(z).pending && look(y).pending);
    brio_testing_fail_allocation(1);
    assert_int_equal(brio_array_eval(z, NULL), BRIO_E_MEMORY);
    assert_true(look(z).pending && look(y).pending);
    brio_testing_fail_allocation(-1);
    assert_true(at(z, 3) == 7 && at(y, 3) == 6);
    brio_array_unref(x), brio_array_unref(y), brio_array_unref(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_late_and_at_once),
        cmocka_unit_test(test_setting_and_size),
        cmocka_unit_test(test_second_consumer_materialises),
        cmocka_unit_test(test_held_value_is_kept_in_the_same_pass),
        cmocka_unit_test(test_write_settles_readers_through_views),
        cmocka_unit_test(test_in_place_chain),
        cmocka_unit_test(test_foreign_and_lent_memory_is_read_at_once),
        cmocka_unit_test(test_long_chain_is_cut),
        cmocka_unit_test(test_broadcast_operand_is_settled),
        cmocka_unit_test(test_evaluate_into),
        cmocka_unit_test(test_external_loop_joins),
        cmocka_unit_test(test_promised_memory_is_released_once_done),
        cmocka_unit_test(test_no_memory_leaves_it_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
