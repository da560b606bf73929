/* The runtime: status table, configuration, devices, host pool, parallel loop, buffers. */
#include "runtime/buffer.h"
#include "runtime/config.h"
#include "runtime/error.h"
#include "runtime/memory.h"

#include <brio/brio.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void status_names_are_the_table(void **state)
{
    assert_string_equal(brio_status_name(BRIO_OK), "BRIO_OK");
    assert_string_equal(brio_status_name(BRIO_E_INDEX), "BRIO_E_INDEX");
    assert_string_equal(brio_status_name((brio_status)999), "BRIO_E_?");
    assert_string_equal(brio_status_text(BRIO_E_INDEX), "an index is out of bounds");
}

static void devices_parse_and_format(void **state)
{
    brio_device device;
    char text[32];
    assert_int_equal(brio_device_parse("cuda:3", &device), BRIO_OK);
    assert_string_equal(brio_device_format(device, text, sizeof text), "cuda:3");
    static const char *const bad[] = {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999", "CPU"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(brio_device_parse(bad[i], &device), BRIO_E_VALUE);
    const char *reason = NULL;
    assert_true(brio_device_available((brio_device){BRIO_DEVICE_CPU, 0}, &reason));
    assert_null(reason);
}

static void threads_can_be_set_and_reset(void **state)
{
    int before = brio_threads();
    assert_true(before >= 1);
    assert_int_equal(brio_set_threads(-1), BRIO_E_VALUE);
    assert_int_equal(brio_set_threads(3), BRIO_OK);
    assert_int_equal(brio_threads(), 3);
    assert_int_equal(brio_set_threads(0), BRIO_OK);
    assert_int_equal(brio_threads(), before);
}

static void pool_aligns_counts_and_reuses(void **state)
{
    static const size_t sizes[] = {
        0, 1, 63, 64, 65, 1024, 1025, 4096, 100000, 4u << 20, (4u << 20) + 1, 50u << 20};
    brio_memory_stats before = BRIO_MEMORY_STATS_INIT, after = BRIO_MEMORY_STATS_INIT;
    assert_int_equal(brio_memory_get_stats(&before), BRIO_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *p = NULL;
        assert_int_equal(brio_memory_alloc(sizes[i], &p), BRIO_OK);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, 0xa5, sizes[i]);
        assert_int_equal(brio_memory_get_stats(&after), BRIO_OK);
        assert_true(after.in_use - before.in_use >= sizes[i]);
        brio_memory_free(p);
        void *again = NULL;
        assert_int_equal(brio_memory_alloc(sizes[i], &again), BRIO_OK);
        assert_ptr_equal(again, p);
        brio_memory_free(again);
    }
    assert_int_equal(brio_memory_get_stats(&after), BRIO_OK);
    assert_int_equal(after.in_use, before.in_use);
    assert_true(brio_memory_trim() > 0);
    brio_memory_stats wrong = {.size = sizeof(brio_memory_stats) + 8};
    assert_int_equal(brio_memory_get_stats(&wrong), BRIO_E_VALUE);
}

static void pool_refuses_with_a_sentence(void **state)
{
    void *p = NULL;
    assert_int_equal(brio_memory_alloc((size_t)1 << 49, &p), BRIO_E_MEMORY);
    assert_non_null(strstr(brio_last_error(), "512.0 TiB"));
    assert_int_equal(brio_memory_alloc(SIZE_MAX, &p), BRIO_E_MEMORY);
    brio_memory_set_limit(1u << 20);
    assert_int_equal(brio_memory_alloc(2u << 20, &p), BRIO_E_MEMORY);
    assert_non_null(strstr(brio_last_error(), "limit 1.0 MiB"));
    assert_int_equal(brio_memory_alloc(1000, &p), BRIO_OK);
    brio_memory_free(p);
    brio_memory_set_limit(0);
    brio_testing_fail_allocation(1);
    assert_int_equal(brio_memory_alloc(10, &p), BRIO_OK);
    brio_memory_free(p);
    assert_int_equal(brio_memory_alloc(10, &p), BRIO_E_MEMORY);
    assert_int_equal(brio_memory_alloc(10, &p), BRIO_OK);
    brio_memory_free(p);
}

static void sizes_parse(void **state)
{
    uint64_t bytes = 0;
    assert_true(brio_parse_bytes("4GiB", &bytes) && bytes == (uint64_t)4 << 30);
    assert_true(brio_parse_bytes("1.5 MB", &bytes) && bytes == 1500000);
    assert_true(brio_parse_bytes("50%", &bytes) && bytes == brio_physical_memory() / 2);
    static const char *const bad[] = {"", "x", "-1", "4Gib", "101%", "nan", "1e30", "5 %%"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(brio_parse_bytes(bad[i], &bytes));
}

typedef struct sum {
    _Atomic int64_t total;
    _Atomic int chunks, bad, deepest;
    int64_t grain;
} sum;

static void add_range(void *context, int64_t begin, int64_t end, int worker)
{
    sum *s = context;
    int64_t total = 0;
    for (int64_t i = begin; i < end; i++)
        total += i;
    s->total += total;
    s->chunks++;
    if (begin % s->grain != 0 || worker < 0 || worker >= brio_threads() || !brio_in_parallel())
        s->bad++;
}

static void note_worker(void *context, int64_t begin, int64_t end, int worker)
{
    _Atomic int *highest = context;
    if (worker > *highest)
        *highest = worker;
}

static void loop_covers_every_item_once(void **state)
{
    for (int threads = 1; threads <= 4; threads++) {
        assert_int_equal(brio_set_threads(threads), BRIO_OK);
        for (int64_t count = 0; count < 3000; count += 37) {
            sum s = {.grain = 1 + count % 11};
            brio_parallel_for(count, s.grain, add_range, &s);
            assert_int_equal(s.total, count * (count - 1) / 2);
            assert_int_equal(s.bad, 0);
        }
    }
    assert_false(brio_in_parallel());
    assert_int_equal(brio_set_threads(0), BRIO_OK);
}

static void loop_keeps_to_the_workers_announced(void **state)
{
    assert_int_equal(brio_set_threads(2), BRIO_OK);
    assert_int_equal(brio_parallel_workers(), 2);
    assert_int_equal(brio_set_threads(8), BRIO_OK);
    _Atomic int highest = 0;
    brio_parallel_for(100000, 1, note_worker, &highest);
    assert_true(highest < 2);
    assert_int_equal(brio_set_threads(0), BRIO_OK);
}

static void nest(void *context, int64_t begin, int64_t end, int worker)
{
    for (int64_t i = begin; i < end; i++)
        brio_parallel_for(100, 10, add_range, context);
}

static void *loop_in_thread(void *argument)
{
    for (int i = 0; i < 200; i++)
        brio_parallel_for(8, 1, nest, argument);
    return NULL;
}

static void nested_and_concurrent_loops_finish(void **state)
{
    assert_int_equal(brio_set_threads(3), BRIO_OK);
    sum s = {.grain = 10};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, loop_in_thread, &s), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.total, (int64_t)3 * 200 * 8 * 4950);
    assert_int_equal(brio_set_threads(0), BRIO_OK);
}

#if !defined(__SANITIZE_THREAD__)
static int threads_of_this_process(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    int count = 0;
    while (file != NULL && count == 0 && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "Threads: %d", &count);
    if (file != NULL)
        fclose(file);
    return count;
}

static void loop_survives_fork(void **state)
{
    assert_int_equal(brio_set_threads(2), BRIO_OK);
    sum warm = {.grain = 1};
    brio_parallel_for(100, 1, add_range, &warm);
    for (int round = 0; round < 50; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            sum s = {.grain = 1};
            brio_parallel_for(100, 1, add_range, &s);
            _exit(s.total == 4950 ? 0 : 1);
        }
        assert_int_equal(threads_of_this_process(), 1);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        sum again = {.grain = 1};
        brio_parallel_for(100, 1, add_range, &again);
        assert_int_equal(again.total, 4950);
    }
    assert_int_equal(brio_set_threads(0), BRIO_OK);
}
#endif

static void release(void *context)
{
    ++*(int *)context;
}

static void buffers_count_and_release(void **state)
{
    brio_device cpu = {BRIO_DEVICE_CPU, 0}, gpu = {BRIO_DEVICE_CUDA, 0};
    brio_buffer *b = NULL;
    void *p = NULL, *q = NULL;
    assert_int_equal(brio_buffer_create(100, &b), BRIO_OK);
    assert_int_equal(brio_buffer_data(b, cpu, BRIO_WRITE, &p), BRIO_OK);
    assert_int_equal(brio_buffer_data(b, cpu, BRIO_READ, &q), BRIO_OK);
    assert_ptr_equal(p, q);
    assert_int_equal(brio_buffer_data(b, gpu, BRIO_READ, &q), BRIO_E_UNSUPPORTED);
    assert_false(brio_buffer_is_shared(b));
    brio_buffer_ref(b);
    assert_true(brio_buffer_is_shared(b));
    brio_buffer_unref(b);
    brio_buffer_unref(b);
    brio_buffer_unref(NULL);

    int released = 0;
    char memory[16];
    assert_int_equal(brio_buffer_wrap(memory, sizeof memory, 0, release, &released, &b), BRIO_OK);
    assert_int_equal(brio_buffer_data(b, cpu, BRIO_READ, &p), BRIO_OK);
    assert_ptr_equal(p, memory);
    assert_int_equal(brio_buffer_data(b, cpu, BRIO_READWRITE, &p), BRIO_E_VALUE);
    brio_buffer_unref(b);
    assert_int_equal(released, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_names_are_the_table),
        cmocka_unit_test(devices_parse_and_format),
        cmocka_unit_test(threads_can_be_set_and_reset),
        cmocka_unit_test(pool_aligns_counts_and_reuses),
        cmocka_unit_test(pool_refuses_with_a_sentence),
        cmocka_unit_test(sizes_parse),
        cmocka_unit_test(loop_covers_every_item_once),
        cmocka_unit_test(loop_keeps_to_the_workers_announced),
        cmocka_unit_test(nested_and_concurrent_loops_finish),
#if !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(loop_survives_fork),
#endif
        cmocka_unit_test(buffers_count_and_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
