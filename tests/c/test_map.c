/* The map primitive of the cpu: layouts, aliasing, external loops and conditions, against a loop in C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend/backend.h"
#include "backend/cpu/map.h"

#include <brio/config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Programs ---------------------------------------------------------------------------------- */

/* A program is built front to back: inputs, constants, steps; `value` numbers are returned. */
static int add_value(brio_program *p, brio_dtype dtype)
{
    p->dtypes[p->nvalues] = (uint8_t)dtype;
    return p->nvalues++;
}

static int add_input(brio_program *p, brio_dtype dtype)
{
    p->ninputs++;
    return add_value(p, dtype);
}

static int add_float(brio_program *p, float x)
{
    p->consts[p->nconsts++].f32 = x;
    return add_value(p, BRIO_F32);
}

static int add_op(brio_program *p, const char *name, int nin, const int *in)
{
    brio_step *step = &p->steps[p->nsteps++];
    brio_dtype dtypes[BRIO_MAX_IN], loop[BRIO_MAX_IN], out[BRIO_MAX_OUT];
    memset(step, 0, sizeof *step);
    step->kind = BRIO_STEP_OP;
    step->op = brio_op_find(name);
    assert_true(step->op != BRIO_OP_NONE);
    brio_op_info info = {.size = sizeof info};
    assert_int_equal(brio_op_describe(step->op, &info), BRIO_OK);
    assert_int_equal(info.nin, nin);
    for (int k = 0; k < nin; k++)
        dtypes[k] = (brio_dtype)p->dtypes[in[k]];
    assert_int_equal(brio_op_resolve(step->op, dtypes, loop, out), BRIO_OK);
    step->nin = (uint8_t)nin;
    step->nout = (uint8_t)info.nout;
    step->dtype = (uint8_t)brio_op_slot(step->op, loop);
    for (int k = 0; k < nin; k++) {
        assert_int_equal(loop[k], dtypes[k]);
        step->in[k] = (uint16_t)in[k];
    }
    for (int j = 0; j < info.nout; j++)
        step->out[j] = (uint16_t)add_value(p, out[j]);
    return step->out[0];
}

static int add_op2(brio_program *p, const char *name, int a, int b)
{
    return add_op(p, name, 2, (int[]){a, b});
}

static int add_op1(brio_program *p, const char *name, int a)
{
    return add_op(p, name, 1, &a);
}

static int add_cast(brio_program *p, int from, brio_dtype to)
{
    brio_step *step = &p->steps[p->nsteps++];
    memset(step, 0, sizeof *step);
    step->kind = BRIO_STEP_CAST;
    step->nin = step->nout = 1;
    step->in[0] = (uint16_t)from;
    step->out[0] = (uint16_t)add_value(p, to);
    return step->out[0];
}

static void deliver(brio_program *p, int value)
{
    p->outputs[p->noutputs++] = (uint16_t)value;
}

static brio_program *new_program(void)
{
    return calloc(1, sizeof(brio_program));
}

static brio_strided contiguous(void *data, int ndim, const int64_t *shape, int64_t itemsize)
{
    brio_strided s;
    s.data = data;
    for (int d = ndim - 1; d >= 0; d--) {
        s.strides[d] = itemsize;
        itemsize *= shape[d];
    }
    return s;
}

static uint32_t run(const brio_program *p, int ndim, const int64_t *shape, const brio_strided *in,
                    const brio_strided *out)
{
    uint32_t flags = 0;
    brio_map_args args = {p, ndim, shape, in, out, &flags};
    assert_int_equal(brio_cpu_map(&args), BRIO_OK);
    return flags;
}

static float *numbers(int64_t n)
{
    float *x = malloc((size_t)(n ? n : 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)((i * 7919) % 1000) * 0.25f - 60.0f;
    return x;
}

/* sqrt((x - y)**2 + 1), and what it is for one pair. */
static brio_program *distance_program(void)
{
    brio_program *p = new_program();
    const int x = add_input(p, BRIO_F32), y = add_input(p, BRIO_F32), one = add_float(p, 1.0f);
    const int difference = add_op2(p, "subtract", x, y);
    const int squared = add_op2(p, "multiply", difference, difference);
    deliver(p, add_op1(p, "sqrt", add_op2(p, "add", squared, one)));
    return p;
}

static float distance(float x, float y)
{
    const float difference = x - y;
    return sqrtf(difference * difference + 1.0f);
}

/* ---- Tests ------------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
    const int64_t sizes[] = {0, 1, 2, 3, 15, 17, 511, 512, 513, 4095, 4096, 4097, 100003, 3000017};
    brio_program *p = distance_program();
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const int64_t n = sizes[k];
        float *x = numbers(n + 1), *y = numbers(n), *z = calloc((size_t)n + 1, sizeof *z);
        z[n] = 42.0f;
        brio_strided in[2] = {contiguous(x + 1, 1, &n, 4), contiguous(y, 1, &n, 4)};
        brio_strided out = contiguous(z, 1, &n, 4);
        assert_int_equal(run(p, 1, &n, in, &out), 0);
        for (int64_t i = 0; i < n; i++)
            if (z[i] != distance(x[i + 1], y[i]))
                fail_msg("element %lld of %lld: %g, not %g", (long long)i, (long long)n, (double)z[i],
                         (double)distance(x[i + 1], y[i]));
        assert_true(z[n] == 42.0f);
        free(x), free(y), free(z);
    }
    free(p);
}

/* The element of an operand at a C-order number of the space. */
static int64_t offset_of(const brio_strided *s, int ndim, const int64_t *shape, int64_t number)
{
    int64_t offset = 0;
    for (int d = ndim - 1; d >= 0; d--) {
        offset += number % shape[d] * s->strides[d];
        number /= shape[d];
    }
    return offset;
}

/* One random layout within `bytes` bytes of memory: permuted, reversed, stepped or broadcast. */
static brio_strided random_layout(char *memory, int ndim, const int64_t *shape, int64_t itemsize,
                                  int broadcast)
{
    brio_strided s;
    int order[BRIO_MAX_DIMS];
    for (int d = 0; d < ndim; d++)
        order[d] = d;
    for (int d = ndim - 1; d > 0; d--) {
        const int k = rand() % 3 ? d : rand() % (d + 1), swap = order[d];
        order[d] = order[k];
        order[k] = swap;
    }
    s.data = memory;
    int64_t stride = itemsize * (rand() % 4 == 0 ? 2 : 1);
    for (int k = ndim - 1; k >= 0; k--) {
        const int d = order[k];
        if (broadcast && rand() % 3 == 0) {
            s.strides[d] = 0;
            continue;
        }
        s.strides[d] = stride;
        if (rand() % 4 == 0) {
            s.data += stride * (shape[d] - 1);
            s.strides[d] = -stride;
        }
        stride *= shape[d] + (rand() % 4 == 0);
    }
    return s;
}

static void test_layouts(void **state)
{
    const int64_t room = 1 << 20;
    brio_program *p = distance_program();
    float *x = numbers(room), *y = numbers(room), *z = malloc((size_t)room * sizeof *z);
    srand(5);
    for (int round = 0; round < 600; round++) {
        const int ndim = rand() % 5;
        int64_t shape[5], count = 1;
        for (int d = 0; d < ndim; d++) {
            const int64_t few[] = {1, 2, 3, 4, 5, 7, 16, 33, 64};
            shape[d] = rand() % 40 == 0 ? 0 : few[rand() % 9];
            if (ndim <= 2 && rand() % 3 == 0)
                shape[d] = 100 + rand() % 150;
            while (count * shape[d] > 40000)
                shape[d] = (shape[d] + 1) / 2;
            count *= shape[d];
        }
        brio_strided in[2] = {random_layout((char *)x, ndim, shape, 4, 1),
                              random_layout((char *)y, ndim, shape, 4, 1)};
        brio_strided out = random_layout((char *)z, ndim, shape, 4, 0);
        for (int64_t i = 0; i < room; i++)
            z[i] = -1.0f;
        run(p, ndim, shape, in, &out);
        int64_t written = 0;
        for (int64_t i = 0; i < count; i++) {
            const float a = *(float *)(in[0].data + offset_of(&in[0], ndim, shape, i));
            const float b = *(float *)(in[1].data + offset_of(&in[1], ndim, shape, i));
            const float got = *(float *)(out.data + offset_of(&out, ndim, shape, i));
            if (got != distance(a, b))
                fail_msg("round %d, element %lld: %g, not %g", round, (long long)i, (double)got,
                         (double)distance(a, b));
        }
        for (int64_t i = 0; i < room; i++)
            written += z[i] != -1.0f;
        assert_int_equal(written, count);
    }
    free(x), free(y), free(z), free(p);
}

/* x = sqrt((x - y)**2 + 1), then with a second output in y. */
static void test_in_place(void **state)
{
    const int64_t n = 200000;
    brio_program *p = distance_program();
    float *x = numbers(n), *y = numbers(n + 3), *before = numbers(n);
    brio_strided in[2] = {contiguous(x, 1, &n, 4), contiguous(y + 3, 1, &n, 4)}, out = in[0];
    run(p, 1, &n, in, &out);
    for (int64_t i = 0; i < n; i++)
        assert_true(x[i] == distance(before[i], y[i + 3]));

    /* The first output is ready before its memory is read for the last time. */
    brio_program *q = new_program();
    const int a = add_input(q, BRIO_F32), b = add_input(q, BRIO_F32);
    deliver(q, add_op2(q, "add", a, b));
    deliver(q, add_op2(q, "subtract", a, b));
    memcpy(x, before, (size_t)n * sizeof *x);
    float *y_before = numbers(n + 3);
    brio_strided outs[2] = {in[0], in[1]};
    run(q, 1, &n, in, outs);
    for (int64_t i = 0; i < n; i++) {
        assert_true(x[i] == before[i] + y_before[i + 3]);
        assert_true(y[i + 3] == before[i] - y_before[i + 3]);
    }
    free(x), free(y), free(before), free(y_before), free(p), free(q);
}

static void half_again(char **args, const intptr_t *dimensions, const intptr_t *strides, void *data)
{
    for (intptr_t i = 0; i < dimensions[0]; i++)
        *(double *)(args[1] + i * strides[1]) = *(float *)(args[0] + i * strides[0]) * *(double *)data;
}

static void test_external(void **state)
{
    const int64_t shape[2] = {301, 7};
    double factor = 1.5;
    brio_program *p = new_program();
    const int x = add_input(p, BRIO_F32), cast = add_cast(p, x, BRIO_F32);
    brio_step *step = &p->steps[p->nsteps++];
    step->kind = BRIO_STEP_EXTERNAL;
    step->nin = step->nout = 1;
    step->in[0] = (uint16_t)cast;
    step->external = half_again;
    step->external_data = &factor;
    const int result = add_value(p, BRIO_F64);
    step->out[0] = (uint16_t)result;
    deliver(p, add_op2(p, "add", result, result));
    deliver(p, cast);
    float *in_memory = numbers(301 * 9), copy[301 * 7];
    double out_memory[301 * 7];
    brio_strided in = contiguous(in_memory, 2, shape, 4);
    in.strides[0] = 36;
    brio_strided out[2] = {contiguous(out_memory, 2, shape, 8), contiguous(copy, 2, shape, 4)};
    run(p, 2, shape, &in, out);
    for (int r = 0; r < 301; r++)
        for (int c = 0; c < 7; c++) {
            assert_true(out_memory[r * 7 + c] == 3.0 * in_memory[r * 9 + c]);
            assert_true(copy[r * 7 + c] == in_memory[r * 9 + c]);
        }
    free(in_memory), free(p);
}

static uint32_t conditions(const char *name, float x, float y, int64_t n)
{
    brio_program *p = new_program();
    const int a = add_input(p, BRIO_F32), b = add_input(p, BRIO_F32);
    deliver(p, add_op2(p, name, a, b));
    float *in_memory = malloc((size_t)n * 8);
    char *out_memory = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++)
        in_memory[i] = in_memory[n + i] = 1.0f;
    in_memory[n / 2] = x;
    in_memory[n + n / 2] = y;
    brio_strided in[2] = {contiguous(in_memory, 1, &n, 4), contiguous(in_memory + n, 1, &n, 4)};
    brio_strided out = contiguous(out_memory, 1, &n, (int64_t)brio_dtype_size((brio_dtype)p->dtypes[2]));
    const uint32_t flags = run(p, 1, &n, in, &out);
    free(in_memory), free(out_memory), free(p);
    return flags;
}

static void test_conditions(void **state)
{
    const int64_t sizes[] = {1, 7, 1000, 300000};
    for (int k = 0; k < 4; k++) {
        const int64_t n = sizes[k];
        assert_int_equal(conditions("add", 1, 2, n), 0);
        assert_int_equal(conditions("divide", 1, 0, n), BRIO_FPE_DIVIDE);
        assert_int_equal(conditions("fmod", 3, 0, n), BRIO_FPE_INVALID);
        assert_int_equal(conditions("remainder", 3, 0, n), BRIO_FPE_INVALID);
        assert_int_equal(conditions("divide", 0, 0, n), BRIO_FPE_INVALID);
        assert_int_equal(conditions("divide", NAN, 1, n), 0);
        assert_int_equal(conditions("multiply", 3e38f, 3e38f, n), BRIO_FPE_OVERFLOW);
        assert_int_equal(conditions("multiply", 1e-30f, 1e-30f, n), BRIO_FPE_UNDERFLOW);
        assert_int_equal(conditions("subtract", INFINITY, INFINITY, n), BRIO_FPE_INVALID);
        assert_int_equal(conditions("less", NAN, 1, n), 0);
        assert_int_equal(conditions("maximum", NAN, 1, n), 0);
        assert_int_equal(conditions("floor_divide", 1, 0, n), BRIO_FPE_DIVIDE);
        assert_int_equal(conditions("remainder", 1, 0, n), BRIO_FPE_INVALID);
        assert_int_equal(conditions("power", 0, -1, n), BRIO_FPE_DIVIDE);
    }
}

/* Casts say what does not fit, and nothing else. */
static void test_cast_conditions(void **state)
{
    const struct {
        float x;
        brio_dtype to;
        uint32_t flags;
    } cases[] = {{1.5f, BRIO_I32, 0},
                 {NAN, BRIO_I32, BRIO_FPE_INVALID},
                 {3e9f, BRIO_I64, 0},
                 {3e9f, BRIO_U8, BRIO_FPE_INVALID},
                 {-1.0f, BRIO_U64, 0},
                 {NAN, BRIO_BOOL, 0},
                 {1e6f, BRIO_F16, BRIO_FPE_OVERFLOW},
                 {INFINITY, BRIO_F16, 0},
                 {NAN, BRIO_F16, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int64_t n = 1; n < 2000; n = n * 3 + 1) {
            brio_program *p = new_program();
            deliver(p, add_cast(p, add_input(p, BRIO_F32), cases[k].to));
            float *x = calloc((size_t)n, 4);
            char *y = malloc((size_t)n * 8);
            x[n - 1] = cases[k].x;
            brio_strided in = contiguous(x, 1, &n, 4);
            brio_strided out = contiguous(y, 1, &n, (int64_t)brio_dtype_size(cases[k].to));
            assert_int_equal(run(p, 1, &n, &in, &out), cases[k].flags);
            free(x), free(y), free(p);
        }
}

/* One thread and many give the same bits. */
static void test_threads(void **state)
{
    const int64_t shape[2] = {3001, 517}, n = shape[0] * shape[1];
    brio_program *p = distance_program();
    float *x = numbers(n), *y = numbers(shape[1]);
    float *one = malloc((size_t)n * 4), *many = malloc((size_t)n * 4);
    brio_strided in[2] = {contiguous(x, 2, shape, 4), contiguous(y, 2, shape, 4)};
    in[1].strides[0] = 0;
    brio_strided out_one = contiguous(one, 2, shape, 4), out_many = contiguous(many, 2, shape, 4);
    assert_int_equal(brio_set_threads(1), BRIO_OK);
    run(p, 2, shape, in, &out_one);
    assert_int_equal(brio_set_threads(4), BRIO_OK);
    run(p, 2, shape, in, &out_many);
    assert_int_equal(brio_set_threads(0), BRIO_OK);
    assert_memory_equal(one, many, (size_t)n * 4);
    for (int64_t i = 0; i < n; i++)
        assert_true(one[i] == distance(x[i], y[i % shape[1]]));
    free(x), free(y), free(one), free(many), free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_in_place),   cmocka_unit_test(test_external),
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_cast_conditions),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
