/* Life, layout, views, elementwise operations and casts of arrays. */
#include "array_help.h"

static void test_new_arrays(void **state)
{
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_array *a;
    spec.ndim = 2, spec.shape = SHAPE(3, 4), spec.dtype = BRIO_I32;
    ok(brio_array_full(&spec, &(brio_value){.i32 = 7}, &a));
    brio_array_layout layout = look(a);
    assert_int_equal(layout.count, 12);
    assert_int_equal(layout.strides[0], 16);
    assert_int_equal(layout.strides[1], 4);
    assert_true(layout.c_contiguous && !layout.f_contiguous && layout.writeable && !layout.pending);
    for (int i = 0; i < 12; i++)
        assert_true(at(a, i) == 7);
    brio_array_unref(a);
    spec.order = 'F';
    ok(brio_array_empty(&spec, &a));
    layout = look(a);
    assert_int_equal(layout.strides[0], 4);
    assert_int_equal(layout.strides[1], 12);
    assert_true(!layout.c_contiguous && layout.f_contiguous);
    brio_array_unref(a);
}

static void test_bad_shapes(void **state)
{
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_array *a = (brio_array *)&spec;
    spec.ndim = 2, spec.shape = SHAPE(3, -4);
    fails(brio_array_empty(&spec, &a), BRIO_E_VALUE, "negative dimensions are not allowed");
    assert_null(a);
    spec.shape = SHAPE((int64_t)1 << 40, (int64_t)1 << 40);
    fails(brio_array_empty(&spec, &a), BRIO_E_VALUE,
          "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
    spec.shape = SHAPE((int64_t)1 << 40, 0);
    ok(brio_array_empty(&spec, &a));
    assert_int_equal(look(a).count, 0);
    brio_array_unref(a);
}

static void count_release(void *context)
{
    ++*(int *)context;
}

static void test_wrap_and_release(void **state)
{
    double data[6] = {0, 1, 2, 3, 4, 5};
    int released = 0;
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_array *a, *view;
    spec.ndim = 1, spec.shape = SHAPE(3), spec.strides = SHAPE(-16);
    ok(brio_array_wrap(data + 5, &spec, 0, count_release, &released, &a));
    assert_true(at(a, 0) == 5 && at(a, 2) == 1);
    void *pointer;
    fails(brio_array_data(a, BRIO_WRITE, &pointer), BRIO_E_VALUE, "assignment destination is read-only");
    ok(brio_array_transpose(a, NULL, &view));
    brio_array_unref(a);
    assert_int_equal(released, 0);
    assert_true(at(view, 1) == 3);
    brio_array_unref(view);
    assert_int_equal(released, 1);
    spec.shape = SHAPE(-3);
    assert_int_equal(brio_array_wrap(data, &spec, 0, count_release, &released, &a), BRIO_E_VALUE);
    assert_int_equal(released, 1);
}

static void test_views(void **state)
{
    brio_array *a = counting(BRIO_F32, 2, SHAPE(2, 3)), *t, *r, *b;
    ok(brio_array_transpose(a, NULL, &t));
    assert_true(at(t, 1) == 3 && at(t, 2) == 1);
    ok(brio_array_reshape(t, 1, SHAPE(-1), 'C', &r));
    double expected[6] = {0, 3, 1, 4, 2, 5};
    for (int i = 0; i < 6; i++)
        assert_true(at(r, i) == expected[i]);
    brio_array_unref(r);
    ok(brio_array_reshape(t, 1, SHAPE(6), 'F', &r));
    for (int i = 0; i < 6; i++)
        assert_true(at(r, i) == i);
    ok(brio_array_broadcast(a, 3, SHAPE(2, 2, 3), &b));
    assert_int_equal(look(b).writeable, 0);
    assert_int_equal(look(b).strides[0], 0);
    brio_array_unref(b), brio_array_unref(r), brio_array_unref(t);
    fails(brio_array_reshape(a, 2, SHAPE(4, -1), 'C', &r), BRIO_E_VALUE,
          "cannot reshape array of size 6 into shape (4,newaxis)");
    fails(brio_array_reshape(a, 1, SHAPE(4), 'C', &r), BRIO_E_VALUE,
          "cannot reshape array of size 6 into shape (4,)");
    fails(brio_array_transpose(a, (int[]){0, 0}, &r), BRIO_E_VALUE, "repeated axis in transpose");
    fails(brio_array_transpose(a, (int[]){0, 2}, &r), BRIO_E_AXIS,
          "axis 2 is out of bounds for array of dimension 2");
    ok(brio_array_view(a, BRIO_U8, &b));
    assert_int_equal(look(b).shape[1], 12);
    fails(brio_array_view(b, BRIO_I64, &r), BRIO_E_VALUE,
          "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
          "last axis "
          "of the array.");
    brio_array_unref(b), brio_array_unref(a);
}

static void test_map_small(void **state)
{
    brio_array *a = counting(BRIO_F64, 2, SHAPE(2, 3)), *b = counting(BRIO_I32, 1, SHAPE(3));
    brio_array *c = map2("add", a, b), *d = map_scalar("multiply", b, 0.5);
    assert_int_equal(look(c).dtype, BRIO_F64);
    assert_int_equal(look(d).dtype, BRIO_F64);
    for (int i = 0; i < 6; i++)
        assert_true(at(c, i) == i + i % 3);
    assert_true(at(d, 1) == 0.5);
    brio_array_unref(a), brio_array_unref(b), brio_array_unref(c), brio_array_unref(d);
}

static void test_map_errors(void **state)
{
    brio_array *a = counting(BRIO_F64, 1, SHAPE(3)), *b = counting(BRIO_F64, 1, SHAPE(4)), *out;
    brio_array *bytes = counting(BRIO_U8, 1, SHAPE(3)), *longs = counting(BRIO_I64, 1, SHAPE(3));
    brio_operand in[2] = {brio_operand_array(a), brio_operand_array(b)};
    brio_op add = brio_op_find("add");
    fails(brio_array_map(add, in, NULL, &out), BRIO_E_VALUE,
          "operands could not be broadcast together with shapes (3,) (4,) ");
    in[0] = brio_operand_array(bytes), in[1] = brio_operand_int(300);
    fails(brio_array_map(add, in, NULL, &out), BRIO_E_OVERFLOW, "Python integer 300 out of bounds for uint8");
    ok(brio_array_map(brio_op_find("less"), in, NULL, &out));
    assert_true(at(out, 0) == 1 && look(out).dtype == BRIO_BOOL);
    brio_array_unref(out);
    ok(brio_array_map(brio_op_find("divide"), in, NULL, &out));
    assert_true(look(out).dtype == BRIO_F64);
    brio_array_unref(out);
    in[0] = brio_operand_array(longs), in[1] = brio_operand_int(-1);
    fails(brio_array_map(brio_op_find("power"), in, NULL, &out), BRIO_E_VALUE,
          "Integers to negative integer powers are not allowed.");
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    in[0] = brio_operand_array(a), in[1] = brio_operand_float(1);
    options.out[0] = longs;
    fails(brio_array_map(add, in, &options, &out), BRIO_E_CASTING,
          "Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule "
          "'same_kind'");
    options.out[0] = b;
    fails(brio_array_map(add, in, &options, &out), BRIO_E_VALUE,
          "operands could not be broadcast together with shapes (3,) () (4,) ");
    brio_array_unref(a), brio_array_unref(b), brio_array_unref(bytes), brio_array_unref(longs);
}

static void test_out_overlap_and_where(void **state)
{
    brio_array *a = counting(BRIO_I64, 1, SHAPE(9)), *low, *high, *out;
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    ok(brio_array_as_strided(a, 0, 1, SHAPE(8), SHAPE(8), &low));
    ok(brio_array_as_strided(a, 8, 1, SHAPE(8), SHAPE(8), &high));
    brio_operand in[2] = {brio_operand_array(low), brio_operand_int(10)};
    options.out[0] = high;
    ok(brio_array_map(brio_op_find("add"), in, &options, &out));
    assert_ptr_equal(out, high);
    brio_array_unref(out);
    for (int i = 1; i < 9; i++)
        assert_true(at(a, i) == i - 1 + 10);
    brio_array *mask = make(BRIO_BOOL, 1, SHAPE(8));
    uint8_t *m = host(mask, BRIO_WRITE);
    for (int i = 0; i < 8; i++)
        m[i] = i % 2 == 0;
    in[0] = brio_operand_array(high), in[1] = brio_operand_int(0);
    options.where = mask;
    ok(brio_array_map(brio_op_find("multiply"), in, &options, &out));
    brio_array_unref(out);
    for (int i = 0; i < 8; i++)
        assert_true(at(high, i) == (i % 2 == 0 ? 0 : i + 10));
    brio_array_unref(mask), brio_array_unref(low), brio_array_unref(high), brio_array_unref(a);
}

static void test_keeps_order_of_axes(void **state)
{
    brio_array *a = counting(BRIO_F32, 3, SHAPE(2, 3, 4)), *t, *sum;
    ok(brio_array_transpose(a, (int[]){1, 2, 0}, &t));
    sum = map_scalar("add", t, 1);
    for (int d = 0; d < 3; d++)
        assert_int_equal(look(sum).strides[d], look(t).strides[d]);
    for (int i = 0; i < 24; i++)
        assert_true(at(sum, i) == at(t, i) + 1);
    brio_array_unref(sum), brio_array_unref(t), brio_array_unref(a);
}

static void test_cast(void **state)
{
    brio_array *a = counting(BRIO_F64, 1, SHAPE(300)), *b;
    ok(brio_array_cast(a, BRIO_U8, BRIO_CAST_UNSAFE, 'K', &b));
    assert_true(at(b, 299) == 299 - 256);
    brio_array_unref(b);
    fails(brio_array_cast(a, BRIO_I64, BRIO_CAST_SAFE, 'K', &b), BRIO_E_TYPE,
          "Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'");
    brio_array_unref(a);
}

static void test_pending(void **state)
{
    brio_array *x = counting(BRIO_F64, 1, SHAPE(100000)), *y = map_scalar("multiply", x, 2);
    assert_true(look(y).pending);
    brio_array *z = map2("add", y, x), *w = map1("sqrt", z);
    assert_true(look(z).pending && look(w).pending);
    assert_true(at(z, 99999) == 3.0 * 99999);
    assert_true(!look(y).pending);
    ((double *)host(z, BRIO_WRITE))[0] = 4;
    assert_true(!look(w).pending);
    assert_true(at(w, 0) == 0 && at(z, 0) == 4);
    brio_array_unref(x), brio_array_unref(y), brio_array_unref(z), brio_array_unref(w);
}

static void test_conditions(void **state)
{
    brio_array *a = counting(BRIO_F64, 1, SHAPE(100)), *mask = map_scalar("greater", a, 0.5), *out;
    brio_map_options options = BRIO_MAP_OPTIONS_INIT;
    uint32_t flags = 0;
    brio_operand in[2] = {brio_operand_float(1), brio_operand_array(a)};
    options.fp_flags = &flags;
    ok(brio_array_map(brio_op_find("divide"), in, &options, &out));
    assert_int_equal(flags, BRIO_FPE_DIVIDE);
    flags = 0;
    options.out[0] = out;
    options.where = mask;
    brio_array *same;
    ok(brio_array_map(brio_op_find("divide"), in, &options, &same));
    assert_int_equal(flags, 0); /* nothing is divided by zero where the mask is false */
    assert_true(at(out, 4) == 0.25);
    brio_array_unref(same), brio_array_unref(out), brio_array_unref(mask), brio_array_unref(a);
}

static void test_arange_and_copyto(void **state)
{
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_array *a, *b = counting(BRIO_I32, 2, SHAPE(1, 4));
    spec.ndim = 1, spec.shape = SHAPE(4), spec.dtype = BRIO_F32;
    ok(brio_array_arange(&spec, (brio_value){.f32 = 1}, (brio_value){.f32 = 0.5f}, &a));
    assert_true(at(a, 0) == 1 && at(a, 3) == 2.5);
    brio_operand from = brio_operand_array(b);
    ok(brio_array_copyto(a, &from, BRIO_CAST_SAME_KIND, NULL)); /* an extent of 1 in front falls away */
    assert_true(at(a, 3) == 3);
    from = brio_operand_array(a);
    fails(brio_array_copyto(b, &from, BRIO_CAST_SAME_KIND, NULL), BRIO_E_TYPE,
          "Cannot cast array data from dtype('float32') to dtype('int32') according to the rule 'same_kind'");
    brio_value value;
    fails(brio_array_item(a, &value), BRIO_E_VALUE, "can only convert an array of size 1 to a Python scalar");
    brio_array_unref(a), brio_array_unref(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_arrays),
        cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_wrap_and_release),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_map_small),
        cmocka_unit_test(test_map_errors),
        cmocka_unit_test(test_out_overlap_and_where),
        cmocka_unit_test(test_keeps_order_of_axes),
        cmocka_unit_test(test_cast),
        cmocka_unit_test(test_pending),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_arange_and_copyto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
