/* Distinct arrays in distinct threads: shared leaves, expressions of their own, blocks that wander. */
#include "array_help.h"

#include <pthread.h>

#define N 40000
#define THREADS 4

typedef struct job {
    brio_array *shared;
    brio_array *made; /* handed to the main thread, which drops it */
    int bad;
} job;

static void *work(void *context)
{
    job *mine = context;
    for (int round = 0; round < 20; round++) {
        brio_operand in[2] = {brio_operand_array(mine->shared), brio_operand_float(round)};
        brio_array *sum = NULL, *square = NULL, *total = NULL, *small = NULL;
        brio_value value = {0};
        mine->bad |= brio_array_map(brio_op_find("add"), in, NULL, &sum) != BRIO_OK;
        in[0] = in[1] = brio_operand_array(sum);
        mine->bad |= brio_array_map(brio_op_find("multiply"), in, NULL, &square) != BRIO_OK;
        brio_array_unref(sum);
        mine->bad |= brio_array_reduce(brio_op_find("maximum"), square, NULL, &total) != BRIO_OK;
        mine->bad |= brio_array_item(total, &value) != BRIO_OK;
        mine->bad |= value.f64 != (double)(N - 1 + round) * (N - 1 + round);
        mine->bad |= brio_array_map2_small(brio_op_find("add"), total, total, &small) != BRIO_OK;
        mine->bad |= small == NULL;
        brio_array_unref(small), brio_array_unref(total);
        brio_array_unref(mine->made);
        mine->made = square;
    }
    return NULL;
}

static void test_threads(void **state)
{
    brio_array *shared = counting(BRIO_F64, 1, SHAPE(N));
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = (job){shared, NULL, 0};
            assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(jobs[i].bad, 0);
            assert_true(at(jobs[i].made, 1) == 400);
            brio_array_unref(jobs[i].made);
        }
    }
    brio_array_unref(shared);
}

static void *build_and_drop(void *context)
{
    brio_operand in[2] = {brio_operand_array(context), brio_operand_float(1)};
    for (int round = 0; round < 2000; round++) {
        brio_array *sum = NULL, *square = NULL;
        if (brio_array_map(brio_op_find("add"), in, NULL, &sum) != BRIO_OK)
            return context;
        brio_operand sums[2] = {brio_operand_array(sum), brio_operand_array(sum)};
        if (brio_array_map(brio_op_find("multiply"), sums, NULL, &square) != BRIO_OK)
            return context;
        brio_array_unref(round % 2 ? sum : square);
        brio_array_unref(round % 2 ? square : sum);
    }
    return NULL;
}

/* A write into an array settles the expressions that read it, also those that another thread drops then. */
static void test_writes_while_readers_go(void **state)
{
    brio_array *shared = counting(BRIO_F64, 1, SHAPE(N));
    pthread_t threads[THREADS];
    brio_operand value = brio_operand_float(2);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, build_and_drop, shared), 0);
    for (int round = 0; round < 4000; round++)
        assert_int_equal(brio_array_copyto(shared, &value, BRIO_CAST_SAME_KIND, NULL), BRIO_OK);
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_true(at(shared, 1) == 2);
    brio_array_unref(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_writes_while_readers_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
