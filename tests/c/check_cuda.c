/* The cuda plug-in against the cpu backend: every primitive on random and extreme inputs, and how often both
 * agree. Exact results must agree in every bit (NaN with NaN); elementary functions may differ by what the
 * table allows.
 *
 *     check_cuda PLUGIN                  checks; exit status 1 when something differs
 *     check_cuda --share K N PLUGIN      every N-th of the checks, beginning with the K-th
 *     check_cuda --time PLUGIN           the table of times
 *     check_cuda --compile-only PLUGIN   compiles the kernels, without a device
 *     check_cuda --self PLUGIN           the cpu backend against itself: tries these checks, without a device
 */
#include "check_cuda.h"
#include "forms.h"

#include "backend/cuda/plugin.h"
#include "op/rules.h"
#include "runtime/error.h"

#include <brio/memory.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const brio_backend *cuda;
static int share, shares = 1;

/* Whether the next check is of this share. */
static int is_mine(void)
{
    static int turn;
    return turn++ % shares == share;
}

/* ---- Counting ---------------------------------------------------------------------------------- */

static const char *section;
static int passed, failed, refused, all_failed;

static void begin_section(const char *name)
{
    section = name;
    passed = failed = refused = 0;
}

static void end_section(void)
{
    printf("%-12s %6d passed %5d failed %5d refused\n", section, passed, failed, refused);
    fflush(stdout);
    all_failed += failed;
}

static void judge(int good, const char *what, int64_t at)
{
    passed += good;
    failed += !good;
    if (!good && failed <= 12)
        printf("  %s: %s (at %lld)\n", section, what, (long long)at);
}

/* Whether there is something to compare: both did it. A refusal is one when the sentence is given for it. */
static int both_did(brio_status on_cpu, brio_status on_cuda, const char *what)
{
    if (on_cuda == BRIO_E_UNSUPPORTED) {
        refused++;
        if (refused <= 3)
            printf("  %s: %s refused: %s\n", section, what, brio_last_error());
        return 0;
    }
    if (on_cuda != BRIO_OK || on_cpu != BRIO_OK) {
        char text[600];
        snprintf(text, sizeof text, "%s: cpu %s, cuda %s: %.400s", what, brio_status_name(on_cpu),
                 brio_status_name(on_cuda), on_cuda != BRIO_OK ? brio_last_error() : "");
        judge(on_cpu == on_cuda, text, 0);
        return 0;
    }
    return 1;
}

void must(brio_status status, const char *what)
{
    if (status == BRIO_OK)
        return;
    printf("%s: %s: %s\n", what, brio_status_name(status), brio_last_error());
    exit(2);
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

static uint64_t seed = 88172645463325252ULL;

static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int is_nan(const char *at, brio_dtype dtype)
{
    return dtype == BRIO_F16   ? (*(const uint16_t *)(const void *)at & 0x7fff) > 0x7c00
           : dtype == BRIO_F32 ? *(const float *)(const void *)at != *(const float *)(const void *)at
           : dtype == BRIO_F64 ? *(const double *)(const void *)at != *(const double *)(const void *)at
                               : 0;
}

/* `zeros`: 0.0 and -0.0 are the same. */
static int64_t first_difference(const char *a, const char *b, brio_dtype dtype, int64_t n, int zeros)
{
    const size_t width = brio_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++, a += width, b += width) {
        if (memcmp(a, b, width) == 0 || (is_nan(a, dtype) && is_nan(b, dtype)))
            continue;
        if (zeros && dtype == BRIO_F32 && *(const float *)(const void *)a == *(const float *)(const void *)b)
            continue;
        if (zeros && dtype == BRIO_F64 &&
            *(const double *)(const void *)a == *(const double *)(const void *)b)
            continue;
        return i;
    }
    return -1;
}

/* Elements of a dtype: mode 0 small numbers, 1 random bits (floats: with NaN and infinities), 2 few values.
 */
static void fill(char *data, brio_dtype dtype, int64_t n, int mode)
{
    const size_t width = brio_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++, data += width) {
        uint64_t bits = random64();
        float f = (float)((double)(int64_t)(bits % 2000001) / 1000 - 1000);
        double d = f;
        if (dtype == BRIO_BOOL)
            bits &= 1;
        if (mode == 2) {
            static const float few[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, NAN, INFINITY, -INFINITY};
            f = few[bits % 8];
            d = f;
            bits = dtype == BRIO_BOOL ? bits : bits % 5 - 2;
            if (bits % 7 == 3 && dtype == BRIO_F32)
                f = -f;
        }
        if (mode != 1 && dtype == BRIO_F32)
            memcpy(data, &f, 4);
        else if (mode != 1 && dtype == BRIO_F64)
            memcpy(data, &d, 8);
        else
            memcpy(data, &bits, width);
    }
}

static void *device_room(size_t bytes)
{
    void *pointer = NULL;
    must(cuda->alloc(bytes, &pointer), "alloc");
    return pointer;
}

static void *on_device(const void *host, size_t bytes)
{
    void *pointer = device_room(bytes);
    must(cuda->copy(pointer, host, bytes, 1), "copy to the device");
    return pointer;
}

static void to_host(void *host, const void *device, size_t bytes)
{
    must(cuda->copy(host, device, bytes, 0), "copy from the device");
}

/* ---- Programs ---------------------------------------------------------------------------------- */

static int add_value(brio_program *p, brio_dtype dtype)
{
    p->dtypes[p->nvalues] = (uint8_t)dtype;
    return p->nvalues++;
}

int program_input(brio_program *p, brio_dtype dtype)
{
    p->ninputs++;
    return add_value(p, dtype);
}

int program_constant(brio_program *p, brio_dtype dtype, double number)
{
    brio_value *value = &p->consts[p->nconsts++];
    if (dtype == BRIO_F32)
        value->f32 = (float)number;
    else if (dtype == BRIO_F64)
        value->f64 = number;
    else
        value->i64 = (int64_t)number;
    return add_value(p, dtype);
}

int program_step(brio_program *p, brio_op op, const int *in)
{
    brio_step *step = &p->steps[p->nsteps++];
    brio_dtype dtypes[BRIO_MAX_IN], loop[BRIO_MAX_IN], out[BRIO_MAX_OUT];
    brio_op_info info = {.size = sizeof info};
    must(brio_op_describe(op, &info), "describe");
    for (int k = 0; k < info.nin; k++)
        dtypes[k] = (brio_dtype)p->dtypes[in[k]];
    must(brio_op_resolve(op, dtypes, loop, out), "resolve");
    *step = (brio_step){.kind = BRIO_STEP_OP, .op = op, .nin = (uint8_t)info.nin, .nout = (uint8_t)info.nout};
    step->dtype = (uint8_t)brio_op_slot(op, loop);
    for (int k = 0; k < info.nin; k++)
        step->in[k] = (uint16_t)in[k];
    for (int j = 0; j < info.nout; j++)
        step->out[j] = (uint16_t)add_value(p, out[j]);
    return step->out[0];
}

int program_cast(brio_program *p, int from, brio_dtype to)
{
    brio_step *step = &p->steps[p->nsteps++];
    *step = (brio_step){.kind = BRIO_STEP_CAST, .nin = 1, .nout = 1};
    step->in[0] = (uint16_t)from;
    step->out[0] = (uint16_t)add_value(p, to);
    return step->out[0];
}

void program_deliver(brio_program *p, int value)
{
    p->outputs[p->noutputs++] = (uint16_t)value;
}

static int step2(brio_program *p, const char *name, int a, int b)
{
    return program_step(p, brio_op_find(name), (int[]){a, b});
}

/* ---- Maps -------------------------------------------------------------------------------------- */

#define COUNT 20011

/* Runs a program over one contiguous dimension on both; outputs on the host, malloc'ed. */
static brio_status run_both(const brio_program *p, char *const *inputs, int64_t n, char **by_cpu,
                            char **by_cuda, brio_status *on_cpu, uint32_t *flags)
{
    brio_strided in[BRIO_PROGRAM_MAX_INPUTS] = {{0}}, out[BRIO_PROGRAM_MAX_OUTPUTS] = {{0}};
    brio_map_args args = {p, 1, &n, in, out, flags};
    for (int k = 0; k < p->ninputs; k++) {
        in[k].data = inputs[k];
        in[k].strides[0] = (int64_t)brio_dtype_size((brio_dtype)p->dtypes[k]);
    }
    for (int k = 0; k < p->noutputs; k++) {
        out[k].strides[0] = (int64_t)brio_dtype_size((brio_dtype)p->dtypes[p->outputs[k]]);
        by_cpu[k] = calloc((size_t)n, 16);
        by_cuda[k] = calloc((size_t)n, 16);
        out[k].data = by_cpu[k];
    }
    *on_cpu = brio_backend_cpu.map(&args);
    for (int k = 0; k < p->ninputs; k++)
        in[k].data = on_device(inputs[k], (size_t)(n * in[k].strides[0]));
    for (int k = 0; k < p->noutputs; k++)
        out[k].data = on_device(by_cuda[k], (size_t)(n * out[k].strides[0]));
    if (flags != NULL)
        args.fp_flags = flags + 1;
    brio_status status = cuda->map(&args);
    if (status == BRIO_OK)
        for (int k = 0; k < p->noutputs; k++)
            to_host(by_cuda[k], out[k].data, (size_t)(n * out[k].strides[0]));
    for (int k = 0; k < p->ninputs; k++)
        cuda->free(in[k].data);
    for (int k = 0; k < p->noutputs; k++)
        cuda->free(out[k].data);
    return status;
}

typedef struct case_group {
    brio_program program;
    form_case cases[4];
    char *inputs[BRIO_PROGRAM_MAX_INPUTS];
    int first_input[4], first_output[4], count;
} case_group;

static void judge_case(const case_group *group, int c, char *const *by_cpu, char *const *by_cuda)
{
    const form_case *f = &group->cases[c];
    char *const *in = group->inputs + group->first_input[c];
    char text[300];
    for (int j = 0; j < f->nout; j++) {
        const int k = group->first_output[c] + j;
        int64_t i = 0, bad = -1;
        const size_t width = brio_dtype_size(f->out[j]);
        while (bad < 0 && i < COUNT) {
            const int64_t at = first_difference(by_cpu[k] + (size_t)i * width, by_cuda[k] + (size_t)i * width,
                                                f->out[j], COUNT - i, 0);
            if (at < 0)
                break;
            i += at;
            if (f->ulp == 0 || j > 0 || !(form_error(f, in, by_cuda[k], i) <= f->ulp + 0.5))
                bad = i;
            i++;
        }
        snprintf(text, sizeof text, "%s of %s, output %d", f->name, form_slot_name(f->slot), j);
        if (bad >= 0 && f->ulp != 0)
            form_describe(f, in, by_cuda[k], bad, form_error(f, in, by_cuda[k], bad), text, sizeof text);
        if (bad >= 0 && f->ulp == 0 && width == 8)
            snprintf(text, sizeof text, "%s of %s, output %d: %016llx, not %016llx", f->name,
                     form_slot_name(f->slot), j, (unsigned long long)((uint64_t *)(void *)by_cuda[k])[bad],
                     (unsigned long long)((uint64_t *)(void *)by_cpu[k])[bad]);
        judge(bad < 0, text, bad);
    }
}

static void run_group(case_group *group)
{
    char *by_cpu[4] = {NULL}, *by_cuda[4] = {NULL};
    brio_status on_cpu = BRIO_OK;
    if (group->count > 0 && is_mine()) {
        brio_status status = run_both(&group->program, group->inputs, COUNT, by_cpu, by_cuda, &on_cpu, NULL);
        if (both_did(on_cpu, status, group->cases[0].name))
            for (int c = 0; c < group->count; c++)
                judge_case(group, c, by_cpu, by_cuda);
    }
    for (int k = 0; k < group->program.ninputs; k++)
        free(group->inputs[k]);
    for (int k = 0; k < 4; k++) {
        free(by_cpu[k]);
        free(by_cuda[k]);
    }
    memset(group, 0, sizeof *group);
}

static void add_case(case_group *group, const form_case *f)
{
    brio_program *p = &group->program;
    int in[BRIO_MAX_IN];
    group->first_input[group->count] = p->ninputs;
    group->first_output[group->count] = p->noutputs;
    group->cases[group->count] = *f;
    for (int k = 0; k < f->nin; k++) {
        group->inputs[p->ninputs] = form_operand(f, k, COUNT);
        in[k] = p->ninputs++;
        p->dtypes[in[k]] = (uint8_t)f->in[k];
    }
    group->count++;
    (void)in;
}

/* Steps are added when all inputs are known, since inputs come first. */
static void finish_group(case_group *group)
{
    brio_program *p = &group->program;
    p->nvalues = p->ninputs;
    for (int c = 0; c < group->count; c++) {
        int in[BRIO_MAX_IN];
        for (int k = 0; k < group->cases[c].nin; k++)
            in[k] = group->first_input[c] + k;
        const int first = program_step(p, group->cases[c].op, in);
        group->first_output[c] = p->noutputs;
        for (int j = 0; j < group->cases[c].nout; j++)
            program_deliver(p, first + j);
    }
    run_group(group);
}

/* float16's nextafter and spacing are not done; alone, so that they take nobody along. */
static int is_alone(const form_case *f)
{
    return f->slot == BRIO_F16 && brio_op_lines[f->op].rule == BRIO_RULE_NEXT;
}

static void check_operations(void)
{
    case_group group;
    memset(&group, 0, sizeof group);
    for (int slot = 0; slot < BRIO_SLOT_COUNT; slot++) {
        int outputs = 0;
        for (int op = 0; op < brio_op_count(); op++) {
            form_case f;
            if (!form_make_case(op, slot, &f))
                continue;
            if (outputs + f.nout > 4 || is_alone(&f)) {
                finish_group(&group);
                outputs = 0;
            }
            add_case(&group, &f);
            outputs += is_alone(&f) ? 4 : f.nout;
        }
        finish_group(&group);
    }
}

static void check_casts(void)
{
    for (int from = 0; from <= BRIO_F64; from++)
        for (int to = 0; to <= BRIO_F64; to += 4) {
            if (!is_mine())
                continue;
            brio_program p = {0};
            form_case f = {.name = "cast", .nin = 1, .in = {(brio_dtype)from}};
            char *in = form_operand(&f, 0, COUNT), *by_cpu[4], *by_cuda[4];
            brio_status on_cpu;
            program_input(&p, (brio_dtype)from);
            for (int k = 0; k < 4; k++)
                program_deliver(&p, program_cast(&p, 0, (brio_dtype)(to + k)));
            brio_status status = run_both(&p, &in, COUNT, by_cpu, by_cuda, &on_cpu, NULL);
            const int done = both_did(on_cpu, status, "cast");
            for (int k = 0; k < 4; k++) {
                if (done) {
                    char text[80];
                    const brio_dtype target = (brio_dtype)(to + k);
                    int64_t at = first_difference(by_cpu[k], by_cuda[k], target, COUNT, 0);
                    snprintf(text, sizeof text, "%s to %s", brio_dtype_name((brio_dtype)from),
                             brio_dtype_name(target));
                    judge(at < 0, text, at);
                }
                free(by_cpu[k]);
                free(by_cuda[k]);
            }
            free(in);
        }
}

/* (x - y)^2 + c over odd layouts: turned round, transposed, broadcast, misaligned. */
static void check_layouts(void)
{
    enum { ROWS = 61, COLS = 47, ALL = 4 * ROWS * COLS };
    static const brio_dtype dtypes[] = {BRIO_F32, BRIO_F64, BRIO_I8, BRIO_I64};
    static const int64_t forms[][2] = {{COLS, 1}, {1, ROWS},   {0, 1},        {1, 0},
                                       {0, 0},    {-COLS, -1}, {2 * COLS, 2}, {COLS + 3, 1}};
    for (size_t t = 0; t < sizeof dtypes / sizeof dtypes[0]; t++)
        for (size_t a = 0; a < 8; a++)
            for (size_t b = 0; b < 8; b++)
                for (int skew = 0; skew < 2; skew++) {
                    if (!is_mine())
                        continue;
                    const int64_t size = (int64_t)brio_dtype_size(dtypes[t]), shape[2] = {ROWS, COLS};
                    const size_t o = (a * 3 + b) % 2 ? 1 : (a % 3 == 1 ? 5 : 0);
                    brio_program p = {0};
                    const int x = program_input(&p, dtypes[t]), y = program_input(&p, dtypes[t]);
                    const int c = program_constant(&p, dtypes[t], 3), d = step2(&p, "subtract", x, y);
                    program_deliver(&p, step2(&p, "add", step2(&p, "multiply", d, d), c));
                    char *host = malloc((size_t)(3 * ALL * size)),
                         *expected = calloc((size_t)ALL, (size_t)size);
                    char *got = calloc((size_t)ALL, (size_t)size);
                    fill(host, dtypes[t], 2 * ALL, 0);
                    memset(host + 2 * ALL * size, 0, (size_t)(ALL * size));
                    brio_strided in[2], out;
                    const int64_t middle = (ALL / 2 + skew) * size;
                    in[0] = (brio_strided){host + (forms[a][0] < 0 ? middle : skew * size),
                                           {forms[a][0] * size, forms[a][1] * size}};
                    in[1] = (brio_strided){host + ALL * size + (forms[b][0] < 0 ? middle : 0),
                                           {forms[b][0] * size, forms[b][1] * size}};
                    out = (brio_strided){host + 2 * ALL * size + (forms[o][0] < 0 ? middle : skew * size),
                                         {forms[o][0] * size, forms[o][1] * size}};
                    char *device = on_device(host, (size_t)(3 * ALL * size));
                    brio_map_args args = {&p, 2, shape, in, &out, NULL};
                    brio_status on_cpu = brio_backend_cpu.map(&args);
                    memcpy(expected, host + 2 * ALL * size, (size_t)(ALL * size));
                    for (int k = 0; k < 2; k++)
                        in[k].data = device + (in[k].data - host);
                    out.data = device + (out.data - host);
                    brio_status status = cuda->map(&args);
                    if (both_did(on_cpu, status, "layout")) {
                        to_host(got, device + 2 * ALL * size, (size_t)(ALL * size));
                        judge(memcmp(got, expected, (size_t)(ALL * size)) == 0, brio_dtype_name(dtypes[t]),
                              (int64_t)(a * 10 + b));
                    }
                    cuda->free(device);
                    free(host);
                    free(expected);
                    free(got);
                }
}

/* A single extreme among ones raises what it raises on the cpu. */
static void check_conditions(void)
{
    static const char *const names[] = {"add",   "divide", "multiply", "sqrt", "log",       "exp",
                                        "power", "arcsin", "arctanh",  "sin",  "remainder", "floor_divide"};
    static const double numbers[] = {0, -1, 2, 1e38, -1e38, 1e308, INFINITY, NAN, 1000, 0.5};
    for (size_t o = 0; o < sizeof names / sizeof names[0]; o++)
        for (int dtype = BRIO_F32; dtype <= BRIO_F64; dtype++) {
            if (!is_mine())
                continue;
            brio_program p = {0};
            const brio_op op = brio_op_find(names[o]);
            const int nin = brio_op_lines[op].nin;
            int in[2] = {program_input(&p, (brio_dtype)dtype),
                         nin > 1 ? program_input(&p, (brio_dtype)dtype) : 0};
            program_deliver(&p, program_step(&p, op, in));
            for (int a = 0; a < 10; a++)
                for (int b = 0; b < (nin > 1 ? 10 : 1); b++) {
                    float f[2][8];
                    double d[2][8];
                    char *inputs[2], *by_cpu[4], *by_cuda[4];
                    uint32_t flags[2] = {0, 0};
                    brio_status on_cpu;
                    for (int k = 0; k < 2; k++)
                        for (int i = 0; i < 8; i++) {
                            d[k][i] = i != 3 ? 1 : numbers[k ? b : a];
                            f[k][i] = (float)d[k][i];
                        }
                    for (int k = 0; k < 2; k++)
                        inputs[k] = dtype == BRIO_F32 ? (char *)f[k] : (char *)d[k];
                    brio_status status = run_both(&p, inputs, 8, by_cpu, by_cuda, &on_cpu, flags);
                    char text[120];
                    snprintf(text, sizeof text, "%s of %s: %u, not %u, for %g and %g", names[o],
                             brio_dtype_name((brio_dtype)dtype), flags[1], flags[0], numbers[a], numbers[b]);
                    const uint32_t seen = BRIO_FPE_DIVIDE | BRIO_FPE_OVERFLOW | BRIO_FPE_INVALID;
                    if (both_did(on_cpu, status, names[o]))
                        judge((flags[0] & seen) == (flags[1] & seen), text, 0);
                    free(by_cpu[0]);
                    free(by_cuda[0]);
                }
        }
}

/* ---- Reductions -------------------------------------------------------------------------------- */

typedef struct reduce_shape {
    int nkeep, nreduce;
    int64_t keep[2], reduce[2], strides[4]; /* strides in elements */
    int64_t elements;
} reduce_shape;

static const reduce_shape reduce_shapes[] = {
    {0, 1, {0}, {1}, {1}, 1},
    {0, 1, {0}, {3}, {1}, 3},
    {0, 1, {0}, {129}, {1}, 129},
    {0, 1, {0}, {511}, {1}, 511},
    {0, 1, {0}, {512}, {1}, 512},
    {0, 1, {0}, {5000}, {1}, 5000},
    {0, 1, {0}, {65537}, {1}, 65537},
    {0, 1, {0}, {1000003}, {1}, 1000003},
    {0, 1, {0}, {3000000}, {1}, 3000000},
    {0, 1, {0}, {4001}, {-3}, 12003},
    {1, 1, {7}, {1000}, {1000, 1}, 7000},
    {1, 1, {7}, {1001}, {1001, 1}, 7007},
    {1, 1, {700}, {1500}, {1500, 1}, 1050000},
    {1, 1, {3}, {200000}, {200000, 1}, 600000},
    {1, 1, {3}, {200001}, {200001, 1}, 600003},
    {1, 1, {1000}, {7}, {7, 1}, 7000},
    {1, 1, {500}, {700}, {1, 500}, 350000},
    {1, 1, {33}, {5000}, {1, 33}, 165000},
    {1, 1, {3}, {100000}, {1, 3}, 300000},
    {1, 1, {100}, {100}, {1, 200}, 20000},
    {2, 1, {11, 13}, {300}, {3900, 1, 13}, 42900},
    {1, 2, {13}, {11, 300}, {300, 3900, 1}, 42900},
    {1, 2, {40}, {11, 30}, {1, 1200, 40}, 13200},
    {2, 2, {5, 6}, {70, 8}, {3360, 8, 48, 1}, 16800},
};

static void check_one_reduction(const reduce_shape *s, brio_dtype dtype, brio_reduce_kind kind, int mode,
                                int squared)
{
    const int64_t size = (int64_t)brio_dtype_size(dtype);
    const int is_arg = kind == BRIO_REDUCE_ARGMAX || kind == BRIO_REDUCE_ARGMIN;
    const brio_dtype result = is_arg ? BRIO_I64 : dtype;
    const int64_t width = (int64_t)brio_dtype_size(result);
    int64_t outputs = 1;
    brio_program p = {0};
    int value = program_input(&p, dtype);
    if (squared)
        value = step2(&p, "multiply", value, value);
    program_deliver(&p, value);
    char *host = malloc((size_t)(s->elements * size));
    fill(host, dtype, s->elements, mode);
    if (kind == BRIO_REDUCE_MULTIPLY && mode == 0 && dtype == BRIO_F32)
        for (int64_t i = 0; i < s->elements; i++)
            ((float *)(void *)host)[i] = 1 + ((float *)(void *)host)[i] * 1e-6f;
    if (kind == BRIO_REDUCE_MULTIPLY && mode == 0 && dtype == BRIO_F64)
        for (int64_t i = 0; i < s->elements; i++)
            ((double *)(void *)host)[i] = 1 + ((double *)(void *)host)[i] * 1e-6;
    brio_strided in = {host, {0}};
    brio_reduce_args args = {.program = &p,
                             .kind = kind,
                             .order = BRIO_ORDER_CANONICAL,
                             .nkeep = s->nkeep,
                             .nreduce = s->nreduce,
                             .keep_shape = s->keep,
                             .reduce_shape = s->reduce,
                             .in = &in};
    for (int d = 0; d < s->nkeep + s->nreduce; d++)
        in.strides[d] = s->strides[d] * size;
    if (s->strides[0] < 0)
        in.data = host + (s->elements - 1) * size;
    for (int d = s->nkeep - 1; d >= 0; d--) {
        args.out.strides[d] = outputs * width;
        outputs *= s->keep[d];
    }
    char *expected = calloc((size_t)outputs, (size_t)width), *got = calloc((size_t)outputs, (size_t)width);
    args.out.data = expected;
    brio_status on_cpu = brio_backend_cpu.reduce(&args);
    char *device = on_device(host, (size_t)(s->elements * size)),
         *out = on_device(got, (size_t)(outputs * width));
    in.data = device + (in.data - host);
    args.out.data = out;
    brio_status status = cuda->reduce(&args);
    char text[160];
    snprintf(text, sizeof text, "kind %d of %s, shape %d, mode %d%s", (int)kind, brio_dtype_name(dtype),
             (int)(s - reduce_shapes), mode, squared ? ", squared" : "");
    if (both_did(on_cpu, status, text)) {
        to_host(got, out, (size_t)(outputs * width));
        const int loose = kind >= BRIO_REDUCE_MAXIMUM && kind <= BRIO_REDUCE_FMIN;
        const int64_t at = first_difference(expected, got, result, outputs, loose);
        if (at >= 0 && width == 4)
            snprintf(text + strlen(text), sizeof text - strlen(text), ": %08x, not %08x",
                     ((uint32_t *)(void *)got)[at], ((uint32_t *)(void *)expected)[at]);
        judge(at < 0, text, at);
    }
    cuda->free(device);
    cuda->free(out);
    free(host);
    free(expected);
    free(got);
}

static void check_reductions(void)
{
    const int nshapes = (int)(sizeof reduce_shapes / sizeof reduce_shapes[0]);
    for (int dtype = 0; dtype <= BRIO_F64; dtype++)
        for (int kind = 0; kind < BRIO_REDUCE_KIND_COUNT; kind++) {
            const int bits = kind >= BRIO_REDUCE_AND && kind <= BRIO_REDUCE_XOR;
            if (dtype == BRIO_F16 || (bits && dtype > BRIO_F16))
                continue;
            if (dtype != BRIO_F32 && dtype != BRIO_F64 && dtype != BRIO_I64 && dtype != BRIO_I8 &&
                dtype != BRIO_BOOL && kind != BRIO_REDUCE_ADD && kind != BRIO_REDUCE_ARGMAX)
                continue;
            if (!is_mine())
                continue;
            for (int s = 0; s < nshapes; s++)
                for (int mode = 0; mode < 3; mode++)
                    if (mode != 1 || s < 8)
                        check_one_reduction(&reduce_shapes[s], (brio_dtype)dtype, (brio_reduce_kind)kind,
                                            mode, 0);
        }
    for (int s = 0; s < nshapes; s++)
        for (int dtype = BRIO_F32; dtype <= BRIO_F64; dtype++)
            if (is_mine())
                check_one_reduction(&reduce_shapes[s], (brio_dtype)dtype, BRIO_REDUCE_ADD, 0, 1);
}

/* ---- Sorting ----------------------------------------------------------------------------------- */

static int same_multiset_order(const char *a, const char *b, brio_dtype dtype, int64_t n)
{
    return first_difference(a, b, dtype, n, 1) < 0;
}

static void check_one_sort(brio_dtype dtype, int descending, int64_t nrows, int64_t length, int mode)
{
    const int64_t n = nrows * length;
    const size_t bytes = (size_t)n * brio_dtype_size(dtype);
    char *host = malloc(bytes + 16), *got = malloc(bytes + 16), text[120];
    fill(host, dtype, n, mode);
    char *device = on_device(host, bytes), *keys = on_device(host, bytes);
    int64_t *index = malloc((size_t)n * 8), *got_index = malloc((size_t)n * 8);
    int64_t *device_index = device_room((size_t)n * 8);
    snprintf(text, sizeof text, "%s, %s, %lld rows of %lld, mode %d", brio_dtype_name(dtype),
             descending ? "falling" : "rising", (long long)nrows, (long long)length, mode);
    brio_argsort_args argsort = {dtype, descending, nrows, length, host, index};
    brio_status on_cpu = brio_backend_cpu.argsort(&argsort);
    argsort.keys = keys;
    argsort.index = device_index;
    if (both_did(on_cpu, cuda->argsort(&argsort), text)) {
        to_host(got_index, device_index, (size_t)n * 8);
        int64_t at = first_difference((char *)index, (char *)got_index, BRIO_I64, n, 0);
        char line[160];
        snprintf(line, sizeof line, "argsort %s", text);
        judge(at < 0, line, at);
    }
    brio_sort_args sort = {dtype, descending, nrows, length, host};
    on_cpu = brio_backend_cpu.sort(&sort);
    sort.data = device;
    if (both_did(on_cpu, cuda->sort(&sort), text)) {
        to_host(got, device, bytes);
        int good = dtype == BRIO_F16 ? 1 : same_multiset_order(host, got, dtype, n);
        for (int64_t i = 0; dtype == BRIO_F16 && i < n; i++) {
            uint16_t a = ((uint16_t *)(void *)host)[i], b = ((uint16_t *)(void *)got)[i];
            good &=
                a == b || ((a | b) & 0x7fff) == 0 || (is_nan((char *)&a, dtype) && is_nan((char *)&b, dtype));
        }
        judge(good, text, 0);
    }
    cuda->free(device);
    cuda->free(keys);
    cuda->free(device_index);
    free(host);
    free(got);
    free(index);
    free(got_index);
}

static void check_sorts(void)
{
    static const int64_t shapes[][2] = {{1, 1},    {1, 2},    {1, 1000}, {1, 70001},
                                        {3, 1000}, {300, 17}, {5, 20000}};
    for (int dtype = 0; dtype <= BRIO_F64; dtype++)
        for (int descending = 0; descending < 2; descending++)
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
                for (int mode = 0, mine = is_mine(); mine && mode < 3; mode++)
                    check_one_sort((brio_dtype)dtype, descending, shapes[s][0], shapes[s][1], mode);
}

/* ---- Scans ------------------------------------------------------------------------------------- */

static void check_one_scan(brio_dtype dtype, brio_reduce_kind kind, int exclusive, int columns, int64_t nrows,
                           int64_t length, int mode)
{
    const int64_t size = (int64_t)brio_dtype_size(dtype), n = nrows * length;
    char *host = malloc((size_t)(n * size)), *expected = calloc((size_t)n, (size_t)size);
    char *got = calloc((size_t)n, (size_t)size), text[120];
    fill(host, dtype, n, mode);
    brio_scan_args args = {.kind = kind,
                           .dtype = dtype,
                           .exclusive = exclusive,
                           .nrows_dims = 1,
                           .rows_shape = &nrows,
                           .length = length};
    args.in = (brio_strided){host, {columns ? size : length * size, columns ? nrows * size : size}};
    args.out = args.in;
    args.out.data = expected;
    brio_status on_cpu = brio_backend_cpu.scan(&args);
    args.in.data = on_device(host, (size_t)(n * size));
    args.out.data = on_device(got, (size_t)(n * size));
    snprintf(text, sizeof text, "kind %d of %s, %lld %s of %lld%s, mode %d", (int)kind,
             brio_dtype_name(dtype), (long long)nrows, columns ? "columns" : "rows", (long long)length,
             exclusive ? ", exclusive" : "", mode);
    if (both_did(on_cpu, cuda->scan(&args), text)) {
        to_host(got, args.out.data, (size_t)(n * size));
        int64_t at = first_difference(expected, got, dtype, n, 0);
        judge(at < 0, text, at);
    }
    cuda->free(args.in.data);
    cuda->free(args.out.data);
    free(host);
    free(expected);
    free(got);
}

static void check_scans(void)
{
    static const int64_t shapes[][2] = {{1, 1},       {1, 1000}, {1, 1025}, {1, 100003},
                                        {1, 2500000}, {7, 5000}, {50, 70}};
    for (int dtype = 0; dtype <= BRIO_F64; dtype++)
        for (int kind = 0; dtype != BRIO_F16 && kind <= BRIO_REDUCE_MINIMUM; kind++)
            for (int exclusive = 0; exclusive < 2; exclusive++) {
                if (!is_mine())
                    continue;
                for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
                    if (shapes[s][1] > 1000000 && (kind > 0 || dtype < BRIO_I32))
                        continue;
                    check_one_scan((brio_dtype)dtype, (brio_reduce_kind)kind, exclusive, 0, shapes[s][0],
                                   shapes[s][1], 0);
                    if (shapes[s][0] > 1)
                        check_one_scan((brio_dtype)dtype, (brio_reduce_kind)kind, exclusive, 1, shapes[s][0],
                                       shapes[s][1], 2);
                }
            }
}

/* ---- Moving ------------------------------------------------------------------------------------ */

static void check_one_move(int size, int nindex, int64_t count, int scatter)
{
    enum { A = 37, B = 11, C = 6, ALL = A * B * C };
    const int64_t block = nindex == 1 ? B * C : C, strides[2] = {B * C * size, C * size};
    const int64_t block_shape[2] = {nindex == 1 ? B : C, C};
    const int64_t block_strides[2] = {nindex == 1 ? C * size : size, size};
    const int ndim = nindex == 1 ? 2 : 1;
    const size_t base_bytes = (size_t)(ALL * size), other_bytes = (size_t)(count * block * size);
    char *base = malloc(base_bytes), *other = malloc(other_bytes + 1), text[80];
    int64_t *index[2];
    const int64_t *device_index[2], *host_index[2];
    fill(base, BRIO_U8, (int64_t)base_bytes, 1);
    fill(other, BRIO_U8, (int64_t)other_bytes, 1);
    for (int d = 0; d < 2; d++) {
        index[d] = malloc((size_t)(count + 1) * 8);
        for (int64_t i = 0; i < count; i++)
            index[d][i] = (int64_t)(random64() % (d ? B : A));
        device_index[d] = on_device(index[d], (size_t)count * 8);
        host_index[d] = index[d];
    }
    char *device_base = on_device(base, base_bytes), *device_other = on_device(other, other_bytes);
    brio_index_args args = {.itemsize = (size_t)size,
                            .nindex = nindex,
                            .index = host_index,
                            .stride = strides,
                            .count = count,
                            .block_ndim = ndim,
                            .block_shape = block_shape,
                            .block_strides = block_strides,
                            .base = base,
                            .other = other,
                            .other_stride = block * size,
                            .other_block_strides = block_strides};
    brio_status on_cpu = scatter ? brio_backend_cpu.scatter(&args) : brio_backend_cpu.gather(&args);
    args.index = device_index;
    args.base = device_base;
    args.other = device_other;
    brio_status status = scatter ? cuda->scatter(&args) : cuda->gather(&args);
    snprintf(text, sizeof text, "%s of %lld items of %d bytes", scatter ? "scatter" : "gather",
             (long long)count, size);
    if (both_did(on_cpu, status, text)) {
        char *got = malloc(base_bytes + other_bytes);
        to_host(got, device_base, base_bytes);
        to_host(got + base_bytes, device_other, other_bytes);
        judge(memcmp(got, base, base_bytes) == 0 && memcmp(got + base_bytes, other, other_bytes) == 0, text,
              0);
        free(got);
    }
    for (int d = 0; d < 2; d++) {
        free(index[d]);
        cuda->free((void *)(uintptr_t)device_index[d]);
    }
    cuda->free(device_base);
    cuda->free(device_other);
    free(base);
    free(other);
}

static void check_moves(void)
{
    for (int size = 1; size <= 16; size *= 2)
        for (int nindex = 1; nindex <= 2; nindex++)
            for (int scatter = 0; scatter < 2; scatter++) {
                check_one_move(size, nindex, 5, scatter);
                check_one_move(size, nindex, 2000, scatter);
            }
}

static void check_indices(void)
{
    static const int64_t wrong[] = {0, 500, -501, 1000000};
    for (int w = 0; w < 4; w++) {
        int64_t host[5000], got[5000];
        char sentence[300] = "";
        for (int i = 0; i < 5000; i++)
            host[i] = (int64_t)(random64() % 1000) - 500;
        host[4000] = wrong[w];
        int64_t *device = on_device(host, sizeof host);
        brio_status on_cpu = brio_backend_cpu.check_index(host, 5000, 500, 1);
        snprintf(sentence, sizeof sentence, "%s", brio_last_error());
        brio_status status = cuda->check_index(device, 5000, 500, 1);
        to_host(got, device, sizeof got);
        judge(on_cpu == status && (on_cpu != BRIO_OK ? strcmp(sentence, brio_last_error()) == 0
                                                     : memcmp(host, got, sizeof host) == 0),
              brio_last_error(), w);
        cuda->free(device);
    }
}

static void check_nonzero(void)
{
    static const int64_t counts[] = {1, 31, 1000, 1000003};
    for (int c = 0; c < 4; c++)
        for (int mode = 0; mode < 3; mode++) {
            const int64_t n = counts[c];
            uint8_t *mask = malloc((size_t)n);
            for (int64_t i = 0; i < n; i++)
                mask[i] = mode == 0 ? 0 : mode == 1 ? 1 : (uint8_t)(random64() % 3);
            int64_t *index = calloc((size_t)n + 1, 8), *got = calloc((size_t)n + 1, 8), found = 0,
                    on_gpu = -1, only = -1;
            uint8_t *device = on_device(mask, (size_t)n);
            int64_t *device_index = on_device(got, (size_t)n * 8);
            brio_status on_cpu = brio_backend_cpu.nonzero(mask, n, index, &found);
            brio_status status = cuda->nonzero(device, n, device_index, &on_gpu);
            if (both_did(on_cpu, status, "nonzero")) {
                must(cuda->nonzero(device, n, NULL, &only), "counting");
                to_host(got, device_index, (size_t)found * 8);
                judge(found == on_gpu && found == only && memcmp(index, got, (size_t)found * 8) == 0,
                      "nonzero", n);
            }
            cuda->free(device);
            cuda->free(device_index);
            free(mask);
            free(index);
            free(got);
        }
}

static void check_one_product(brio_dtype dtype, int64_t m, int64_t n, int64_t k, int64_t batch, int turned)
{
    const int64_t size = (int64_t)brio_dtype_size(dtype), na = batch * m * k, nb = batch * k * n,
                  nc = batch * m * n;
    double *a = malloc((size_t)na * 8), *b = malloc((size_t)nb * 8), *got = calloc((size_t)nc, 8);
    char text[80];
    for (int64_t i = 0; i < na + nb; i++) {
        const double x = (double)(int64_t)(random64() % 17) - 8;
        void *at = i < na ? (char *)a + i * size : (char *)b + (i - na) * size;
        if (dtype == BRIO_F32)
            *(float *)at = (float)x;
        else
            *(double *)at = x;
    }
    double *expected = calloc((size_t)nc, 8);
    brio_matmul_args args = {
        .dtype = dtype,
        .m = m,
        .n = n,
        .k = k,
        .batch = batch,
        .a = (char *)a,
        .b = (char *)b,
        .c = (char *)expected,
        .a_strides = {m * k * size, turned & 1 ? size : k * size, turned & 1 ? m * size : size},
        .b_strides = {k * n * size, turned & 2 ? size : n * size, turned & 2 ? k * size : size},
        .c_strides = {m * n * size, n * size, size}};
    brio_status on_cpu = brio_backend_cpu.matmul(&args);
    args.a = on_device(a, (size_t)(na * size));
    args.b = on_device(b, (size_t)(nb * size));
    args.c = on_device(got, (size_t)(nc * size));
    snprintf(text, sizeof text, "%s %lldx%lldx%lld", brio_dtype_name(dtype), (long long)m, (long long)n,
             (long long)k);
    if (both_did(on_cpu, cuda->matmul(&args), text)) {
        to_host(got, args.c, (size_t)(nc * size));
        judge(memcmp(got, expected, (size_t)(nc * size)) == 0, text, 0); /* whole numbers: exact */
    }
    cuda->free((void *)(uintptr_t)args.a);
    cuda->free((void *)(uintptr_t)args.b);
    cuda->free(args.c);
    free(a);
    free(b);
    free(got);
    free(expected);
}

static void check_products(void)
{
    for (int dtype = BRIO_F32; dtype <= BRIO_F64; dtype++)
        for (int turned = 0; turned < 4; turned++) {
            check_one_product((brio_dtype)dtype, 17, 33, 50, 1, turned);
            check_one_product((brio_dtype)dtype, 1, 33, 50, 3, turned);
            check_one_product((brio_dtype)dtype, 40, 1, 9, 2, turned);
            check_one_product((brio_dtype)dtype, 200, 300, 100, 2, turned);
        }
}

/* ---- Without a device -------------------------------------------------------------------------- */

static void judge_compile(brio_status status, const char *what, int number)
{
    char text[400];
    snprintf(text, sizeof text, "%s %d: %.300s", what, number, brio_last_error());
    if (status != BRIO_OK)
        printf("%s\n", brio_last_error());
    judge(status == BRIO_OK, text, number);
}

/* All operations of a slot in one program. */
static void write_all_of(int slot, brio_program *p)
{
    int first[BRIO_MAX_IN] = {0}, seen[BRIO_DTYPE_COUNT];
    memset(seen, -1, sizeof seen);
    for (int pass = 0; pass < 2; pass++)
        for (int op = 0; op < brio_op_count(); op++) {
            form_case f;
            if (!form_make_case(op, slot, &f) || is_alone(&f) || (pass && p->nsteps >= 90))
                continue;
            for (int k = 0; k < f.nin; k++) {
                if (!pass && seen[f.in[k]] < 0)
                    seen[f.in[k]] = program_input(p, f.in[k]);
                first[k] = seen[f.in[k]];
            }
            if (pass) {
                const int value = program_step(p, op, first);
                if (p->noutputs < 4)
                    program_deliver(p, value);
            }
        }
}

static void compile_all(brio_cuda_compile_fn compile, const brio_host_services *host)
{
    begin_section("maps");
    for (int slot = 0; slot < BRIO_SLOT_COUNT; slot++)
        for (int layout = 0; layout < 2; layout++) {
            brio_program p = {0};
            write_all_of(slot, &p);
            if (p.nsteps > 0)
                judge_compile(compile(host, BRIO_CUDA_MAP, &p, 0, layout, 90), "slot", slot);
        }
    for (int from = 0; from <= BRIO_F64; from++) {
        brio_program p = {0};
        program_input(&p, (brio_dtype)from);
        for (int to = 0; to <= BRIO_F64; to++) {
            const int value = program_cast(&p, 0, (brio_dtype)to);
            if (to < 4)
                program_deliver(&p, value);
        }
        judge_compile(compile(host, BRIO_CUDA_MAP, &p, 0, 1, 90), "casts of", from);
    }
    end_section();
    begin_section("the others");
    for (int dtype = 0; dtype <= BRIO_F64; dtype++)
        for (int kind = 0; kind < BRIO_REDUCE_KIND_COUNT; kind++) {
            const int is_float = dtype >= BRIO_F16, bits = kind >= BRIO_REDUCE_AND && kind <= BRIO_REDUCE_XOR;
            if (dtype == BRIO_F16 || (is_float && bits) || (dtype + kind) % 3 != 0)
                continue;
            brio_program p = {0};
            program_deliver(&p, program_input(&p, (brio_dtype)dtype));
            judge_compile(compile(host, BRIO_CUDA_REDUCE, &p, kind, kind % 2, 90), "kind", kind);
            if (kind <= BRIO_REDUCE_MINIMUM)
                judge_compile(compile(host, BRIO_CUDA_SCAN, &p, kind, dtype % 2, 90), "scan of", dtype);
        }
    for (int size = 1; size <= 16; size *= 2)
        judge_compile(compile(host, BRIO_CUDA_MOVE, NULL, size, 0, 90), "items of", size);
    end_section();
}

/* ---- The whole --------------------------------------------------------------------------------- */

static void set_error(const char *sentence)
{
    (void)brio_fail(BRIO_E_DEVICE, "%s", sentence);
}

static void show(const char *sentence)
{
    printf("%s\n", sentence);
}

static void run_section(const char *name, void (*check)(void))
{
    struct timespec a, b;
    begin_section(name);
    clock_gettime(CLOCK_MONOTONIC, &a);
    check();
    clock_gettime(CLOCK_MONOTONIC, &b);
    end_section();
    if (getenv("CHECK_CUDA_SECONDS") != NULL)
        printf("             %.1f s\n",
               (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
}

static void check_all(void)
{
    run_section("operations", check_operations);
    run_section("casts", check_casts);
    run_section("layouts", check_layouts);
    run_section("conditions", check_conditions);
    run_section("reduce", check_reductions);
    run_section("sort", check_sorts);
    run_section("scan", check_scans);
    run_section("move", check_moves);
    run_section("check_index", check_indices);
    run_section("nonzero", check_nonzero);
    run_section("matmul", check_products);
}

static void check_refusals(brio_backend_open_fn open, const brio_host_services *host)
{
    const brio_backend *none = NULL;
    begin_section("versions");
    judge(open(BRIO_PLUGIN_VERSION + 1, host, &none) == BRIO_E_UNSUPPORTED && none == NULL, "another version",
          0);
    end_section();
}

int main(int argc, char **argv)
{
    int timing = 0, compiling = 0, self = 0, at = 1;
    for (; at < argc - 1; at++) {
        timing |= strcmp(argv[at], "--time") == 0;
        compiling |= strcmp(argv[at], "--compile-only") == 0;
        self |= strcmp(argv[at], "--self") == 0;
        if (strcmp(argv[at], "--share") == 0) {
            share = atoi(argv[++at]);
            shares = atoi(argv[++at]);
        }
    }
    void *library = at < argc ? dlopen(argv[at], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        printf("no plug-in: %s\n", at < argc ? dlerror() : "name one");
        return 2;
    }
    const brio_host_services host = {.version = BRIO_PLUGIN_VERSION,
                                     .size = sizeof host,
                                     .library_version = brio_version(),
                                     .op_lines = brio_op_lines,
                                     .op_count = BRIO_OP_COUNT,
                                     .set_error = set_error,
                                     .alloc = brio_memory_alloc,
                                     .free = brio_memory_free,
                                     .log = show};
    brio_backend_open_fn open;
    brio_cuda_compile_fn compile;
    void *(*stream)(void);
    *(void **)&open = dlsym(library, "brio_backend_open");
    *(void **)&compile = dlsym(library, "brio_cuda_compile_only");
    *(void **)&stream = dlsym(library, "brio_cuda_stream");
    check_refusals(open, &host);
    if (compiling) {
        compile_all(compile, &host);
        return all_failed != 0;
    }
    cuda = &brio_backend_cpu;
    if (!self)
        must(open(BRIO_PLUGIN_VERSION, &host, &cuda), "open");
    if (timing)
        time_all(cuda, stream());
    else
        check_all();
    printf("%d failures\n", all_failed);
    return all_failed != 0;
}
