/* reduce against plain loops: every kind, dtype and layout; the canonical tree and NumPy's, written down a
 * second time; programs; one and several threads, bit for bit. */
#include "backend/cpu/primitives.h"

#include <brio/config.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random.h"

/* ---- A second writing of the associations ---------------------------------------------------- */

/* Floats are added (or multiplied) in their own precision; `single` says which. */
static double rounded(double x, int single)
{
    return single ? (double)(float)x : x;
}

static double op(double a, double b, int multiply, int single)
{
    return rounded(multiply ? a * b : a + b, single);
}

/* The left-balanced tree: the left part is the largest power of two of items that leaves a right one. */
static double balanced(const double *x, int64_t n, int multiply, int single)
{
    if (n == 1)
        return x[0];
    int64_t left = 1;
    while (2 * left < n)
        left *= 2;
    return op(balanced(x, left, multiply, single), balanced(x + left, n - left, multiply, single), multiply,
              single);
}

static double leaf(const double *x, int64_t n, int multiply, int single)
{
    int64_t row = single ? 128 : 64;
    double lanes[128];
    for (int64_t j = 0; j < row; j++)
        lanes[j] = multiply ? 1 : -0.0;
    for (int64_t i = 0; i < n; i++)
        lanes[i % row] = op(lanes[i % row], x[i], multiply, single);
    for (int64_t half = row / 2; half > 0; half /= 2) {
        for (int64_t j = 0; j < half; j++)
            lanes[j] = op(lanes[j], lanes[j + half], multiply, single);
    }
    return lanes[0];
}

static double canonical_row(const double *x, int64_t n, int multiply, int single)
{
    int64_t size = single ? 512 : 256, leaves = (n + size - 1) / size;
    double *nodes = malloc((size_t)leaves * sizeof *nodes);
    for (int64_t i = 0; i < leaves; i++)
        nodes[i] = leaf(x + i * size, n - i * size < size ? n - i * size : size, multiply, single);
    double sum = balanced(nodes, leaves, multiply, single);
    free(nodes);
    return sum;
}

static double canonical_column(const double *x, int64_t n, int multiply, int single)
{
    int64_t blocks = (n + 127) / 128;
    double *nodes = malloc((size_t)blocks * sizeof *nodes);
    for (int64_t i = 0; i < blocks; i++) {
        nodes[i] = x[i * 128];
        for (int64_t r = i * 128 + 1; r < n && r < (i + 1) * 128; r++)
            nodes[i] = op(nodes[i], x[r], multiply, single);
    }
    double sum = balanced(nodes, blocks, multiply, single);
    free(nodes);
    return sum;
}

static double pairwise(const double *x, int64_t n, int single)
{
    double r[8], sum = -0.0;
    if (n < 8) {
        for (int64_t i = 0; i < n; i++)
            sum = op(sum, x[i], 0, single);
        return sum;
    }
    if (n > 128) {
        int64_t half = n / 2 - n / 2 % 8;
        return op(pairwise(x, half, single), pairwise(x + half, n - half, single), 0, single);
    }
    for (int j = 0; j < 8; j++)
        r[j] = x[j];
    int64_t i = 8;
    for (; i < n - n % 8; i++)
        r[i % 8] = op(r[i % 8], x[i], 0, single);
    for (int step = 1; step < 8; step *= 2)
        for (int j = 0; j < 8; j += 2 * step)
            r[j] = op(r[j], r[j + step], 0, single);
    sum = r[0];
    for (; i < n; i++)
        sum = op(sum, x[i], 0, single);
    return sum;
}

static double in_order(const double *x, int64_t n, int multiply, int single)
{
    double acc = multiply ? 1 : 0;
    for (int64_t i = 0; i < n; i++)
        acc = op(acc, x[i], multiply, single);
    return acc;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static brio_program identity_of(brio_dtype dtype)
{
    brio_program program = {.ninputs = 1, .noutputs = 1, .nvalues = 1};
    program.dtypes[0] = (uint8_t)dtype;
    return program;
}

static void put(brio_dtype dtype, char *p, double x, uint64_t bits)
{
    if (dtype == BRIO_F64) {
        memcpy(p, &x, 8);
    } else if (dtype == BRIO_F32) {
        float f = (float)x;
        memcpy(p, &f, 4);
    } else if (dtype == BRIO_BOOL) {
        *p = (bits & 7) == 0;
    } else {
        memcpy(p, &bits, brio_dtype_size(dtype));
    }
}

static double number(brio_dtype dtype, const char *p)
{
    float f;
    double d;
    if (dtype == BRIO_F32) {
        memcpy(&f, p, 4);
        return f;
    }
    memcpy(&d, p, 8);
    return d;
}

/* Holds every integer of any dtype. */
__extension__ typedef __int128 any_integer;

static any_integer integer(brio_dtype dtype, const char *p)
{
    uint64_t bits = 0;
    size_t size = brio_dtype_size(dtype);
    memcpy(&bits, p, size);
    if (brio_dtype_kind(dtype) == 'i') {
        int shift = 64 - 8 * (int)size;
        return (int64_t)(bits << shift) >> shift;
    }
    return bits;
}

static uint64_t fold_integers(brio_dtype dtype, int kind, const char *const *items, int64_t n,
                              int64_t *position)
{
    any_integer best = integer(dtype, items[0]);
    uint64_t acc = (uint64_t)best;
    *position = 0;
    for (int64_t i = 1; i < n; i++) {
        any_integer x = integer(dtype, items[i]);
        int greater = kind == BRIO_REDUCE_MAXIMUM || kind == BRIO_REDUCE_FMAX || kind == BRIO_REDUCE_ARGMAX;
        if (greater ? x > best : x < best)
            best = x, *position = i;
        if (kind == BRIO_REDUCE_ADD)
            acc = dtype == BRIO_BOOL ? acc | (uint64_t)x : acc + (uint64_t)x;
        else if (kind == BRIO_REDUCE_MULTIPLY)
            acc *= (uint64_t)x;
        else if (kind == BRIO_REDUCE_AND)
            acc &= (uint64_t)x;
        else if (kind == BRIO_REDUCE_OR)
            acc |= (uint64_t)x;
        else if (kind == BRIO_REDUCE_XOR)
            acc ^= (uint64_t)x;
    }
    int ordered = kind == BRIO_REDUCE_MAXIMUM || kind == BRIO_REDUCE_MINIMUM || kind == BRIO_REDUCE_FMAX ||
                  kind == BRIO_REDUCE_FMIN;
    return ordered ? (uint64_t)best : acc;
}

static double fold_extreme(int kind, const double *x, int64_t n, int64_t *position)
{
    int greater = kind == BRIO_REDUCE_MAXIMUM || kind == BRIO_REDUCE_FMAX || kind == BRIO_REDUCE_ARGMAX;
    int loses = kind == BRIO_REDUCE_FMAX || kind == BRIO_REDUCE_FMIN;
    double best = x[0];
    *position = 0;
    for (int64_t i = 1; i < n; i++) {
        int better = isnan(x[i])   ? !isnan(best) && !loses
                     : isnan(best) ? loses
                                   : (greater ? x[i] > best : x[i] < best);
        if (better)
            best = x[i], *position = i;
    }
    return best;
}

/* A three-dimensional array of which some dimensions are reduced. */
typedef struct subject {
    brio_dtype dtype;
    int64_t shape[3];
    int64_t strides[3];
    int reduced[3];
    char *room, *data;
    size_t bytes;
} subject;

enum { C_ORDER, F_ORDER, SPACED, BACKWARDS, LAYOUTS };

static void make(subject *s, brio_dtype dtype, const int64_t *shape, int reduced, int layout, int special)
{
    int64_t size = (int64_t)brio_dtype_size(dtype), gap = layout == SPACED ? 2 : 1;
    s->dtype = dtype;
    s->bytes = (size_t)(shape[0] * shape[1] * shape[2] * size * gap);
    s->room = malloc(s->bytes + 64);
    s->data = s->room;
    int64_t stride = size * gap;
    for (int i = 0; i < 3; i++) {
        int d = layout == F_ORDER ? i : 2 - i;
        s->shape[d] = shape[d];
        s->reduced[d] = reduced >> d & 1;
        s->strides[d] = stride;
        stride *= shape[d];
    }
    if (layout == BACKWARDS) {
        for (int d = 0; d < 3; d++) {
            s->data += (shape[d] - 1) * s->strides[d];
            s->strides[d] = -s->strides[d];
        }
    }
    for (size_t i = 0; i < s->bytes; i += (size_t)size) {
        uint64_t x = random64();
        double value = ((double)(x >> 11) * 0x1p-53 - 0.5) * (special == 2 ? 0x1p-9 : 8) + (special == 2);
        if (special == 1 && x % 7 == 0)
            value = x & 8 ? 0.0 : -0.0;
        if (special == 1 && x % 997 == 0)
            value = x & 8 ? NAN : x & 16 ? INFINITY : -INFINITY;
        if (special == 3)
            value = NAN;
        if (special == 4)
            value = 3;
        put(dtype, s->room + i, value, x);
    }
}

static void arguments(const subject *s, brio_reduce_args *args, int64_t *keep, int64_t *reduce,
                      brio_strided *in)
{
    int nkeep = 0, nreduce = 0;
    in->data = s->data;
    for (int d = 0; d < 3; d++)
        if (!s->reduced[d]) {
            in->strides[nkeep] = s->strides[d];
            keep[nkeep++] = s->shape[d];
        }
    for (int d = 0; d < 3; d++)
        if (s->reduced[d]) {
            in->strides[nkeep + nreduce] = s->strides[d];
            reduce[nreduce++] = s->shape[d];
        }
    args->nkeep = nkeep, args->nreduce = nreduce;
    args->keep_shape = keep, args->reduce_shape = reduce;
    args->in = in;
}

/* Addresses of the elements of output k in C order of the reduced dimensions. */
static int64_t elements(const subject *s, int64_t k, const char **items)
{
    int64_t at[3] = {0}, n = 0;
    for (int d = 2; d >= 0; d--)
        if (!s->reduced[d]) {
            at[d] = k % s->shape[d];
            k /= s->shape[d];
        }
    for (int64_t i = s->reduced[0] ? 0 : at[0]; i < (s->reduced[0] ? s->shape[0] : at[0] + 1); i++)
        for (int64_t j = s->reduced[1] ? 0 : at[1]; j < (s->reduced[1] ? s->shape[1] : at[1] + 1); j++)
            for (int64_t l = s->reduced[2] ? 0 : at[2]; l < (s->reduced[2] ? s->shape[2] : at[2] + 1); l++)
                items[n++] = s->data + i * s->strides[0] + j * s->strides[1] + l * s->strides[2];
    return n;
}

static void check_output(const subject *s, int kind, const char *out, const char *const *items, double *x,
                         int64_t n)
{
    size_t size = brio_dtype_size(s->dtype);
    int64_t position = 0, index = -1;
    int is_arg = kind >= BRIO_REDUCE_ARGMAX, is_float = brio_dtype_kind(s->dtype) == 'f';
    if (is_arg)
        memcpy(&index, out, 8);
    if (!is_float) {
        uint64_t expected = fold_integers(s->dtype, kind, items, n, &position);
        if (!is_arg)
            assert_memory_equal(out, &expected, size);
        else
            assert_int_equal(index, position);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        x[i] = number(s->dtype, items[i]);
    if (kind == BRIO_REDUCE_ADD || kind == BRIO_REDUCE_MULTIPLY) {
        long double exact = kind == BRIO_REDUCE_ADD ? 0 : 1, sum = 0;
        for (int64_t i = 0; i < n; i++) {
            exact = kind == BRIO_REDUCE_ADD ? exact + x[i] : exact * x[i];
            sum += fabsl(x[i]);
        }
        double got = number(s->dtype, out), eps = s->dtype == BRIO_F32 ? 0x1p-24 : 0x1p-53;
        if (isnan((double)exact) || isinf((double)exact)) {
            assert_true(isnan((double)exact) ? isnan(got) : got == (double)exact);
            return;
        }
        long double bound = kind == BRIO_REDUCE_ADD ? 160 * eps * sum : 2.0L * (double)n * eps * fabsl(exact);
        assert_true(fabsl(got - exact) <= bound);
        return;
    }
    double expected = fold_extreme(kind, x, n, &position);
    if (is_arg)
        assert_int_equal(index, position);
    else
        assert_true(isnan(expected) ? isnan(number(s->dtype, out)) : number(s->dtype, out) == expected);
}

/* Reduces with 1 and 3 threads; the bits must agree; then checks every output. */
static void check(brio_dtype dtype, const int64_t *shape, int reduced, int layout, int kind, int special)
{
    subject s;
    make(&s, dtype, shape, reduced, layout, special);
    int64_t keep[3], reduce[3], kept = 1, n = 1;
    brio_strided in;
    brio_program program = identity_of(dtype);
    brio_reduce_args args = {.program = &program, .kind = (brio_reduce_kind)kind};
    arguments(&s, &args, keep, reduce, &in);
    for (int d = 0; d < 3; d++)
        *(s.reduced[d] ? &n : &kept) *= shape[d];
    size_t out_size = kind >= BRIO_REDUCE_ARGMAX ? 8 : brio_dtype_size(dtype);
    int64_t stride = 2 * (int64_t)out_size; /* spaced outputs */
    for (int d = args.nkeep - 1; d >= 0; d--) {
        args.out.strides[d] = stride;
        stride *= keep[d];
    }
    char *outs[2];
    for (int t = 0; t < 2; t++) {
        outs[t] = calloc((size_t)kept, 2 * out_size);
        args.out.data = outs[t];
        assert_int_equal(brio_set_threads(t ? 3 : 1), BRIO_OK);
        assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    }
    assert_memory_equal(outs[0], outs[1], (size_t)kept * 2 * out_size);
    const char **items = malloc((size_t)n * sizeof *items);
    double *x = malloc((size_t)n * sizeof *x);
    for (int64_t k = 0; k < kept; k++) {
        elements(&s, k, items);
        check_output(&s, kind, outs[0] + (size_t)k * 2 * out_size, items, x, n);
    }
    free(items), free(x), free(outs[0]), free(outs[1]), free(s.room);
    assert_int_equal(brio_set_threads(0), BRIO_OK);
}

static int takes(brio_dtype dtype, int kind)
{
    int bitwise = kind == BRIO_REDUCE_AND || kind == BRIO_REDUCE_OR || kind == BRIO_REDUCE_XOR;
    if (dtype == BRIO_BOOL && kind == BRIO_REDUCE_MULTIPLY)
        return 1;
    return !(bitwise && brio_dtype_kind(dtype) == 'f');
}

static const brio_dtype dtypes[] = {BRIO_BOOL, BRIO_I8,  BRIO_U8,  BRIO_I16, BRIO_U16, BRIO_I32,
                                    BRIO_U32,  BRIO_I64, BRIO_U64, BRIO_F32, BRIO_F64};

static void test_kinds(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1},   {5, 3, 7},   {1, 1, 700},
                                        {3, 130, 5}, {40, 6, 64}, {2, 3, 2100}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int kind = 0; kind < BRIO_REDUCE_KIND_COUNT; kind++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
                for (int reduced = 1; reduced < 8 && takes(dtypes[d], kind); reduced++)
                    check(dtypes[d], shapes[k], reduced, (int)(k + (size_t)reduced) % LAYOUTS, kind,
                          kind == BRIO_REDUCE_MULTIPLY ? 2 : reduced & 1);
}

static void test_layouts(void **state)
{
    static const int64_t shape[3] = {7, 33, 150};
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int reduced = 1; reduced < 8; reduced++) {
            check(BRIO_F32, shape, reduced, layout, BRIO_REDUCE_ADD, 0);
            check(BRIO_F64, shape, reduced, layout, BRIO_REDUCE_ARGMAX, 1);
            check(BRIO_F32, shape, reduced, layout, BRIO_REDUCE_ARGMIN, 4);
            check(BRIO_F32, shape, reduced, layout, BRIO_REDUCE_FMIN, 3);
            check(BRIO_I16, shape, reduced, layout, BRIO_REDUCE_MAXIMUM, 0);
        }
}

static void test_large(void **state)
{
    static const int64_t shapes[][3] = {
        {1, 1, 300001}, {2, 1, 150000}, {1, 700, 300}, {1, 300, 5000}, {3, 90000, 2}};
    static const int kinds[] = {BRIO_REDUCE_ADD, BRIO_REDUCE_MAXIMUM, BRIO_REDUCE_ARGMAX, BRIO_REDUCE_FMIN};
    for (size_t k = 0; k < 5; k++)
        for (int reduced = 2; reduced < 8; reduced++)
            for (size_t j = 0; j < 4; j++)
                check(reduced & 1 ? BRIO_F32 : BRIO_F64, shapes[k], reduced, reduced == 7 ? F_ORDER : C_ORDER,
                      kinds[j], (int)j & 1);
}

/* The association itself, bit for bit. */
static void check_order(brio_dtype dtype, int64_t rows, int64_t cols, int axis, brio_reduce_order order,
                        int multiply, int gap)
{
    int single = dtype == BRIO_F32;
    int64_t size = (int64_t)brio_dtype_size(dtype), n = axis ? cols : rows, kept = axis ? rows : cols;
    char *data = malloc((size_t)(rows * cols * size * gap)), *out = malloc((size_t)(kept * size));
    for (int64_t i = 0; i < rows * cols * gap; i++) {
        double x = (double)(random64() >> 11) * 0x1p-53;
        put(dtype, data + i * size, multiply ? 1 + (x - 0.5) * 0x1p-8 : x - 0.4, 0);
    }
    brio_program program = identity_of(dtype);
    brio_strided in = {data, {axis ? cols * size * gap : size * gap, axis ? size * gap : cols * size * gap}};
    int64_t keep_shape[1] = {kept}, reduce_shape[1] = {n};
    brio_reduce_args args = {&program,
                             multiply ? BRIO_REDUCE_MULTIPLY : BRIO_REDUCE_ADD,
                             order,
                             1,
                             1,
                             keep_shape,
                             reduce_shape,
                             &in,
                             {out, {size}},
                             NULL};
    double *x = malloc((size_t)n * sizeof *x);
    for (int threads = 1; threads <= 3; threads += 2) {
        assert_int_equal(brio_set_threads(threads), BRIO_OK);
        assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
        for (int64_t k = 0; k < kept; k++) {
            for (int64_t i = 0; i < n; i++)
                x[i] = number(dtype, data + (axis ? k * cols + i : i * cols + k) * size * gap);
            double expected = in_order(x, n, multiply, single);
            if (order == BRIO_ORDER_CANONICAL)
                expected = (axis || kept == 1 ? canonical_row : canonical_column)(x, n, multiply, single);
            else if ((axis || kept == 1) && !multiply)
                expected = pairwise(x, n, single);
            if (number(dtype, out + k * size) != expected)
                fail_msg("%s %lld x %lld axis %d order %d multiply %d gap %d output %lld: %a, not %a",
                         brio_dtype_name(dtype), (long long)rows, (long long)cols, axis, (int)order, multiply,
                         gap, (long long)k, number(dtype, out + k * size), expected);
        }
    }
    assert_int_equal(brio_set_threads(0), BRIO_OK);
    free(data), free(out), free(x);
}

static void test_orders(void **state)
{
    static const int64_t lengths[] = {1,    2,    7,    8,     9,     63,    64,     65,    127,  128,
                                      129,  255,  256,  257,   500,   511,   512,    513,   1000, 2048,
                                      2049, 4097, 8191, 10000, 65536, 65537, 131073, 200001};
    for (int order = BRIO_ORDER_CANONICAL; order <= BRIO_ORDER_NUMPY; order++)
        for (int multiply = 0; multiply < 2; multiply++)
            for (int d = 0; d < 2; d++) {
                brio_dtype dtype = d ? BRIO_F64 : BRIO_F32;
                for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
                    check_order(dtype, 1, lengths[k], 1, (brio_reduce_order)order, multiply, 1);
                    check_order(dtype, 3, lengths[k], 1, (brio_reduce_order)order, multiply, 2);
                    check_order(dtype, lengths[k], 5, 0, (brio_reduce_order)order, multiply,
                                1 + (int)(k & 1));
                }
                check_order(dtype, 1000, 700, 0, (brio_reduce_order)order, multiply, 1);
                check_order(dtype, 300, 9000, 0, (brio_reduce_order)order, multiply, 1);
                check_order(dtype, 5000, 64, 1, (brio_reduce_order)order, multiply, 1);
            }
}

static void test_numpy_refusals(void **state)
{
    double x[6] = {1, 2, 3, 4, 5, 6}, out = 0;
    brio_program program = identity_of(BRIO_F64);
    int64_t shape[2] = {2, 2};
    brio_strided in = {(char *)x, {24, 8}};
    brio_reduce_args args = {
        &program, BRIO_REDUCE_ADD, BRIO_ORDER_NUMPY, 0, 2, NULL, shape, &in, {(char *)&out, {0}}, NULL};
    assert_int_equal(brio_cpu_reduce(&args), BRIO_E_UNSUPPORTED);
    in.strides[0] = -8, in.data = (char *)(x + 5), args.nreduce = 1;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_E_UNSUPPORTED);
    args.order = BRIO_ORDER_CANONICAL;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    assert_true(out == 11);
    program.dtypes[0] = BRIO_C128;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_E_TYPE);
}

/* (a * b + 0.5) reduced along either axis and both, against the canonical tree of its values. */
static void check_program(brio_dtype dtype, int64_t rows, int64_t cols, int axes)
{
    int single = dtype == BRIO_F32;
    int64_t size = (int64_t)brio_dtype_size(dtype), count = rows * cols;
    char *a = malloc((size_t)(count * size)), *b = malloc((size_t)(cols * size));
    char *out = malloc((size_t)((rows > cols ? rows : cols) * size));
    for (int64_t i = 0; i < count; i++)
        put(dtype, a + i * size, (double)(random64() >> 11) * 0x1p-53 - 0.4, 0);
    for (int64_t i = 0; i < cols; i++)
        put(dtype, b + i * size, (double)(random64() >> 11) * 0x1p-53 - 0.4, 0);
    brio_program program = {.ninputs = 2, .nconsts = 1, .nsteps = 2, .noutputs = 1, .nvalues = 5};
    memset(program.dtypes, (int)dtype, 5);
    put(dtype, (char *)&program.consts[0], 0.5, 0);
    program.steps[0] = (brio_step){.kind = BRIO_STEP_OP,
                                   .nin = 2,
                                   .nout = 1,
                                   .dtype = (uint8_t)dtype,
                                   .op = brio_op_find("multiply"),
                                   .in = {0, 1},
                                   .out = {3}};
    program.steps[1] = (brio_step){.kind = BRIO_STEP_OP,
                                   .nin = 2,
                                   .nout = 1,
                                   .dtype = (uint8_t)dtype,
                                   .op = brio_op_find("add"),
                                   .in = {3, 2},
                                   .out = {4}};
    program.outputs[0] = 4;
    int64_t shape[2] = {axes == 1 ? cols : rows, axes == 1 ? rows : cols}; /* kept first, or both reduced */
    int nkeep = axes == 2 ? 0 : 1;
    if (axes == 0)
        shape[0] = rows, shape[1] = cols;
    brio_strided in[2] = {{a, {cols * size, size}}, {b, {0, size}}};
    if (axes == 1)
        in[0] = (brio_strided){a, {size, cols * size}}, in[1] = (brio_strided){b, {size, 0}};
    brio_reduce_args args = {&program,
                             BRIO_REDUCE_ADD,
                             BRIO_ORDER_CANONICAL,
                             nkeep,
                             2 - nkeep,
                             shape,
                             shape + nkeep,
                             in,
                             {out, {size}},
                             NULL};
    assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    double *x = malloc((size_t)count * sizeof *x);
    int64_t kept = axes == 0 ? rows : axes == 1 ? cols : 1, n = count / kept;
    for (int64_t k = 0; k < kept; k++) {
        for (int64_t i = 0; i < n; i++) {
            int64_t r = axes == 0   ? k
                        : axes == 1 ? i
                                    : i / cols,
                    c = axes == 0   ? i
                        : axes == 1 ? k
                                    : i % cols;
            double product =
                op(number(dtype, a + (r * cols + c) * size), number(dtype, b + c * size), 1, single);
            x[i] = op(product, 0.5, 0, single);
        }
        double expected = axes == 1 ? canonical_column(x, n, 0, single) : canonical_row(x, n, 0, single);
        assert_true(number(dtype, out + k * size) == expected);
    }
    free(a), free(b), free(out), free(x);
}

static void test_programs(void **state)
{
    static const int64_t shapes[][2] = {{3, 5}, {700, 64}, {40, 5000}, {1, 100000}, {3000, 7}, {2, 200000}};
    for (size_t k = 0; k < 6; k++)
        for (int axes = 0; axes < 3; axes++) {
            if (axes == 1 && shapes[k][0] == 1)
                continue;
            check_program(BRIO_F32, shapes[k][0], shapes[k][1], axes);
            check_program(BRIO_F64, shapes[k][0], shapes[k][1], axes);
        }
}

static void test_conditions(void **state)
{
    enum { N = 200000 };
    float *x = malloc(N * sizeof *x), out;
    uint32_t flags = 0;
    brio_program program = identity_of(BRIO_F32);
    int64_t shape[1] = {N};
    brio_strided in = {(char *)x, {4}};
    brio_reduce_args args = {
        &program, BRIO_REDUCE_ADD, BRIO_ORDER_CANONICAL, 0, 1, NULL, shape, &in, {(char *)&out, {0}}, &flags};
    for (int i = 0; i < N; i++)
        x[i] = 1;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    assert_int_equal(flags, 0);
    x[7] = NAN;
    args.kind = BRIO_REDUCE_MAXIMUM;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    assert_int_equal(flags, 0);
    x[7] = 3e38f, x[150000] = 3e38f;
    args.kind = BRIO_REDUCE_ADD;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    assert_int_equal(flags, BRIO_FPE_OVERFLOW);
    assert_true(isinf(out));
    flags = 0, shape[0] = 9, x[7] = INFINITY, x[8] = -INFINITY;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    assert_int_equal(flags, BRIO_FPE_INVALID);
    x[0] = -0.0f, shape[0] = 1;
    assert_int_equal(brio_cpu_reduce(&args), BRIO_OK);
    assert_true(out == 0 && !signbit(out));
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_large),          cmocka_unit_test(test_orders),
        cmocka_unit_test(test_numpy_refusals), cmocka_unit_test(test_programs),
        cmocka_unit_test(test_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
