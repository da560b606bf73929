/* check_cuda --time: what the primitives take on large arrays, by the device's own clock, beside a copy. */
#include "check_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEATS 15
#define WARM 3
#define LARGE ((int64_t)1 << 28)

typedef int cu_result;

/* The few functions of the driver that the clock needs. */
static struct {
    cu_result (*event_create)(void **event, unsigned flags);
    cu_result (*event_record)(void *event, void *stream);
    cu_result (*event_synchronize)(void *event);
    cu_result (*event_elapsed)(float *milliseconds, void *begin, void *end);
    cu_result (*copy)(uint64_t to, uint64_t from, size_t bytes, void *stream);
    cu_result (*synchronize)(void *stream);
} cu;

static const brio_backend *backend;
static void *stream, *begin_event, *end_event;
static double copy_rate; /* bytes read and written a millisecond */

static void open_clock(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL)
        exit(2);
    *(void **)&cu.event_create = dlsym(library, "cuEventCreate");
    *(void **)&cu.event_record = dlsym(library, "cuEventRecord");
    *(void **)&cu.event_synchronize = dlsym(library, "cuEventSynchronize");
    *(void **)&cu.event_elapsed = dlsym(library, "cuEventElapsedTime");
    *(void **)&cu.copy = dlsym(library, "cuMemcpyDtoDAsync_v2");
    *(void **)&cu.synchronize = dlsym(library, "cuStreamSynchronize");
    cu.event_create(&begin_event, 0);
    cu.event_create(&end_event, 0);
}

typedef struct work {
    brio_status (*run)(struct work *);
    void (*before)(struct work *); /* not timed; may be NULL */
    brio_map_args map;
    brio_reduce_args reduce;
    brio_scan_args scan;
    brio_sort_args sort;
    brio_argsort_args argsort;
    brio_matmul_args matmul;
    char *from, *to;
    size_t bytes;
} work;

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median, in milliseconds; prints it with the best, and the share of the copy's rate. */
static double measure(const char *name, work *w, double bytes)
{
    float times[REPEATS];
    for (int i = -WARM; i < REPEATS; i++) {
        float ms = 0;
        if (w->before != NULL)
            w->before(w);
        cu.synchronize(stream);
        cu.event_record(begin_event, stream);
        must(w->run(w), name);
        cu.event_record(end_event, stream);
        cu.event_synchronize(end_event);
        cu.event_elapsed(&ms, begin_event, end_event);
        if (i >= 0)
            times[i] = ms;
    }
    qsort(times, REPEATS, sizeof times[0], compare);
    const double median = times[REPEATS / 2];
    printf("%-36s %8.4f ms  (best %8.4f)", name, median, times[0]);
    if (bytes > 0 && copy_rate > 0)
        printf("  limit %7.4f ms, %3.0f%%", bytes / copy_rate, 100 * bytes / copy_rate / median);
    printf("\n");
    fflush(stdout);
    return median;
}

static brio_status run_copy(work *w)
{
    return cu.copy((uint64_t)(uintptr_t)w->to, (uint64_t)(uintptr_t)w->from, w->bytes, stream) == 0
               ? BRIO_OK
               : BRIO_E_DEVICE;
}

static void refresh(work *w)
{
    (void)run_copy(w);
}

static brio_status run_map(work *w)
{
    return backend->map(&w->map);
}

static brio_status run_reduce(work *w)
{
    return backend->reduce(&w->reduce);
}

static brio_status run_scan(work *w)
{
    return backend->scan(&w->scan);
}

static brio_status run_sort(work *w)
{
    return backend->sort(&w->sort);
}

static brio_status run_argsort(work *w)
{
    return backend->argsort(&w->argsort);
}

static brio_status run_matmul(work *w)
{
    return backend->matmul(&w->matmul);
}

static char *room(size_t bytes)
{
    void *pointer = NULL;
    must(backend->alloc(bytes, &pointer), "alloc");
    return pointer;
}

/* The chain: sqrt((x - y)**2 + 1) * sin(x). */
static void write_chain(brio_program *p)
{
    const int x = program_input(p, BRIO_F32), y = program_input(p, BRIO_F32);
    const int one = program_constant(p, BRIO_F32, 1);
    const int difference = program_step(p, brio_op_find("subtract"), (int[]){x, y});
    const int squared = program_step(p, brio_op_find("square"), (int[]){difference});
    const int sum = program_step(p, brio_op_find("add"), (int[]){squared, one});
    const int root = program_step(p, brio_op_find("sqrt"), (int[]){sum});
    const int sine = program_step(p, brio_op_find("sin"), (int[]){x});
    program_deliver(p, program_step(p, brio_op_find("multiply"), (int[]){root, sine}));
}

static void time_maps(char *const *arrays)
{
    brio_program add = {0}, chain = {0};
    brio_strided in[2] = {{arrays[0], {4}}, {arrays[1], {4}}}, out = {arrays[2], {4}};
    const int64_t n = LARGE;
    const int x = program_input(&add, BRIO_F32), y = program_input(&add, BRIO_F32);
    program_deliver(&add, program_step(&add, brio_op_find("add"), (int[]){x, y}));
    write_chain(&chain);
    work w = {.run = run_map, .map = {&add, 1, &n, in, &out, NULL}};
    measure("add float32 2^28", &w, 12.0 * LARGE);
    w.map.program = &chain;
    measure("sqrt((x-y)**2+1)*sin(x) float32 2^28", &w, 12.0 * LARGE);

    /* How long the call takes when the work is nothing. */
    const int64_t few = 8;
    struct timespec a, b;
    w.map.program = &add;
    w.map.shape = &few;
    double best = 1e9;
    for (int round = 0; round < 20; round++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 200; i++)
            must(run_map(&w), "small add");
        clock_gettime(CLOCK_MONOTONIC, &b);
        cu.synchronize(stream);
        const double each = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 200e3;
        best = each < best ? each : best;
    }
    printf("%-36s %8.3f us\n", "add of 8 elements, enqueued", best);
}

static void time_reductions(char *const *arrays)
{
    brio_program plain = {0}, chain = {0}, wide = {0};
    brio_strided in[2] = {{arrays[0], {4}}, {arrays[1], {4}}};
    const int64_t n = LARGE, half = LARGE / 2, side[2] = {16384, 16384};
    program_deliver(&plain, program_input(&plain, BRIO_F32));
    program_deliver(&wide, program_input(&wide, BRIO_F64));
    write_chain(&chain);
    work w = {
        .run = run_reduce,
        .reduce = {.program = &plain, .kind = BRIO_REDUCE_ADD, .nreduce = 1, .reduce_shape = &n, .in = in}};
    w.reduce.out.data = arrays[2];
    measure("sum float32 2^28", &w, 4.0 * LARGE);
    w.reduce.kind = BRIO_REDUCE_ARGMAX;
    measure("argmax float32 2^28", &w, 4.0 * LARGE);
    w.reduce.kind = BRIO_REDUCE_MAXIMUM;
    measure("max float32 2^28", &w, 4.0 * LARGE);
    w.reduce.kind = BRIO_REDUCE_ADD;
    w.reduce.program = &chain;
    measure("chain and its sum float32 2^28", &w, 8.0 * LARGE);
    w.reduce.program = &wide;
    w.reduce.reduce_shape = &half;
    in[0].strides[0] = 8;
    measure("sum float64 2^27", &w, 4.0 * LARGE);
    w.reduce.program = &plain;
    w.reduce.nkeep = 1;
    w.reduce.keep_shape = &side[0];
    w.reduce.reduce_shape = &side[1];
    w.reduce.out.strides[0] = 4;
    in[0].strides[0] = 16384 * 4;
    in[0].strides[1] = 4;
    measure("sum axis 1, 16384^2 float32", &w, 4.0 * LARGE);
    in[0].strides[0] = 4;
    in[0].strides[1] = 16384 * 4;
    measure("sum axis 0, 16384^2 float32", &w, 4.0 * LARGE);
}

static void time_others(char *const *arrays)
{
    const size_t bytes = (size_t)LARGE * 4;
    work w = {.run = run_scan,
              .scan = {.kind = BRIO_REDUCE_ADD,
                       .dtype = BRIO_F32,
                       .length = LARGE,
                       .in = {arrays[0], {4}},
                       .out = {arrays[2], {4}}}};
    measure("cumsum float32 2^28", &w, 8.0 * LARGE);
    w = (work){.run = run_sort,
               .before = refresh,
               .from = arrays[0],
               .to = arrays[2],
               .bytes = bytes,
               .sort = {BRIO_F32, 0, 1, LARGE, arrays[2]}};
    measure("sort float32 2^28", &w, 0);
    w.from = arrays[1];
    w.sort = (brio_sort_args){BRIO_I64, 0, 1, LARGE / 2, arrays[2]};
    measure("sort int64 2^27", &w, 0);
    w = (work){.run = run_argsort,
               .argsort = {BRIO_F32, 0, 1, LARGE / 2, arrays[0], (int64_t *)(void *)arrays[2]}};
    measure("argsort float32 2^27", &w, 0);
    const int64_t n = 8192;
    w = (work){.run = run_matmul,
               .matmul = {BRIO_F32,
                          n,
                          n,
                          n,
                          1,
                          arrays[0],
                          arrays[1],
                          arrays[2],
                          {0, n * 4, 4},
                          {0, n * 4, 4},
                          {0, n * 4, 4}}};
    measure("matmul float32 8192", &w, 0);
}

void time_all(const brio_backend *cuda, void *on_stream)
{
    const size_t bytes = (size_t)LARGE * 4;
    char *arrays[3], *host = malloc(bytes);
    uint64_t seed = 88172645463325252ULL;
    backend = cuda;
    stream = on_stream;
    open_clock();
    for (int k = 0; k < 3; k++) {
        arrays[k] = room(bytes);
        for (int64_t i = 0; i < LARGE && k < 2; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            if (k == 0)
                ((float *)(void *)host)[i] = (float)((double)(int64_t)seed * 0x1p-61);
            else
                ((uint32_t *)(void *)host)[i] = (uint32_t)(seed >> 20) & 0xbfffffff; /* as floats below 2 */
        }
        must(cuda->copy(arrays[k], host, bytes, 1), "copy");
    }
    work copy = {.run = run_copy, .from = arrays[0], .to = arrays[2], .bytes = bytes};
    const double milliseconds = measure("copy 1 GiB", &copy, 0);
    copy_rate = 2.0 * (double)bytes / milliseconds;
    printf("copy rate %.2f TB/s\n", copy_rate / 1e9);
    time_maps(arrays);
    time_reductions(arrays);
    time_others(arrays);
    free(host);
}
