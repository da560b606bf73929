/* Allocation k fails, for every k until the call succeeds: each function gives BRIO_E_MEMORY, leaves its
 * inputs as they were and loses nothing (AddressSanitizer counts). */
#include "array_help.h"

#include "array/object.h"
#include "runtime/memory.h"

#define N 40000

typedef struct inputs {
    brio_array *x, *y, *small, *mask, *index;
} inputs;

static brio_status do_map(const inputs *in, brio_array **out)
{
    brio_operand operands[2] = {brio_operand_array(in->x), brio_operand_array(in->y)};
    brio_array *sum;
    brio_status status = brio_array_map(brio_op_find("add"), operands, NULL, &sum);
    if (status != BRIO_OK)
        return status;
    operands[0] = brio_operand_array(sum);
    status = brio_array_map(brio_op_find("multiply"), operands, NULL, out);
    if (status == BRIO_OK && (status = brio_array_eval(*out, NULL)) != BRIO_OK) {
        brio_array_unref(*out);
        *out = NULL;
    }
    brio_array_unref(sum);
    return status;
}

static brio_status do_small(const inputs *in, brio_array **out)
{
    return brio_array_map2_small(brio_op_find("add"), in->small, in->small, out);
}

static brio_status do_overlap(const inputs *in, brio_array **out)
{
    brio_array *low, *high;
    *out = NULL;
    brio_status status = brio_array_as_strided(in->x, 0, 1, SHAPE(N - 1), SHAPE(8), &low);
    if (status != BRIO_OK)
        return status;
    status = brio_array_as_strided(in->x, 8, 1, SHAPE(N - 1), SHAPE(8), &high);
    if (status == BRIO_OK) {
        brio_map_options options = BRIO_MAP_OPTIONS_INIT;
        brio_operand operands[2] = {brio_operand_array(low), brio_operand_int(1)};
        options.out[0] = high;
        status = brio_array_map(brio_op_find("add"), operands, &options, out);
        brio_array_unref(high);
    }
    brio_array_unref(low);
    return status;
}

static brio_status do_cast(const inputs *in, brio_array **out)
{
    brio_status status = brio_array_cast(in->x, BRIO_F32, BRIO_CAST_UNSAFE, 'K', out);
    if (status == BRIO_OK && (status = brio_array_eval(*out, NULL)) != BRIO_OK) {
        brio_array_unref(*out);
        *out = NULL;
    }
    return status;
}

static brio_status do_mask(const inputs *in, brio_array **out)
{
    brio_index index = {.kind = BRIO_INDEX_ARRAY, .array = in->mask};
    return brio_array_index(in->x, &index, 1, out);
}

static brio_status do_take(const inputs *in, brio_array **out)
{
    return brio_array_take(in->x, in->index, 0, out);
}

static brio_status do_assign(const inputs *in, brio_array **out)
{
    brio_index index = {.kind = BRIO_INDEX_ARRAY, .array = in->index};
    brio_operand value = brio_operand_array(in->index);
    *out = NULL;
    return brio_array_assign(in->y, &index, 1, &value);
}

static brio_status do_std(const inputs *in, brio_array **out)
{
    return brio_array_statistic(BRIO_STD, in->x, NULL, 0, out);
}

static brio_status do_sum(const inputs *in, brio_array **out)
{
    brio_reduce_options options = BRIO_REDUCE_OPTIONS_INIT;
    options.where = in->mask;
    return brio_array_reduce(brio_op_find("add"), in->x, &options, out);
}

static brio_status do_sort(const inputs *in, brio_array **out)
{
    return brio_array_sort(in->x, 0, 0, out);
}

static brio_status do_concat(const inputs *in, brio_array **out)
{
    brio_array *parts[3] = {in->x, in->index, in->y};
    return brio_array_concat(3, parts, 0, out);
}

static brio_status do_matmul(const inputs *in, brio_array **out)
{
    return brio_array_matmul(in->x, in->y, out);
}

static brio_status do_arange(const inputs *in, brio_array **out)
{
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    spec.ndim = 1, spec.shape = SHAPE(N);
    return brio_array_arange(&spec, (brio_value){.f64 = 1}, (brio_value){.f64 = 2}, out);
}

typedef brio_status (*call)(const inputs *in, brio_array **out);

static uint64_t hash_of(brio_array *array)
{
    const unsigned char *p = host(array, BRIO_READ);
    uint64_t hash = 1469598103934665603u;
    for (int64_t i = 0; i < look(array).count * (int64_t)brio_dtype_size(look(array).dtype); i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

static void fail_each(call what, const inputs *in, void (*arm)(int64_t))
{
    for (int64_t k = 0;; k++) {
        brio_array *out = NULL;
        uint64_t x = hash_of(in->x), y = hash_of(in->y);
        assert_true(k < 200);
        arm(k);
        brio_status status = what(in, &out);
        arm(-1);
        if (status == BRIO_OK) {
            brio_array_unref(out);
            return;
        }
        assert_int_equal(status, BRIO_E_MEMORY);
        assert_null(out);
        assert_true(strlen(brio_last_error()) > 10);
        assert_true(hash_of(in->x) == x && hash_of(in->y) == y);
    }
}

static void test_every_allocation(void **state)
{
    static const call calls[] = {do_map, do_small, do_overlap, do_cast,   do_mask,   do_take,  do_assign,
                                 do_std, do_sum,   do_sort,    do_concat, do_matmul, do_arange};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        for (int hook = 0; hook < 2; hook++) {
            inputs in = {counting(BRIO_F64, 1, SHAPE(N)), counting(BRIO_F64, 1, SHAPE(N)),
                         counting(BRIO_F64, 1, SHAPE(30)), NULL, counting(BRIO_I32, 1, SHAPE(500))};
            in.mask = map_scalar("greater", in.x, 100);
            ok(brio_array_eval(in.mask, NULL));
            fail_each(calls[k], &in, hook ? brio_testing_fail_block : brio_testing_fail_allocation);
            brio_array_unref(in.x), brio_array_unref(in.y), brio_array_unref(in.small);
            brio_array_unref(in.mask), brio_array_unref(in.index);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
