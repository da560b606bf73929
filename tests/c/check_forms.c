/* Every loop of every level that this machine runs, against the reference form: the same sources compiled
 * plainly. Exact operations and casts must agree in every bit (NaN with NaN), raise the same
 * conditions and write nothing outside their outputs; the others are compared with the C library in
 * more precision. Operands are random bits, small numbers and extremes, paired each with each.
 *
 *     check_forms            checks; prints what differs; exit status 1 then
 *     check_forms --time     prints nanoseconds an element, a column a form */
#include "forms.h"

#include <brio/dtype.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT 6007 /* elements of one check; odd, so that ragged ends are seen */
#define GUARD 64   /* bytes before and behind an output that must stay as they are */

static int failures;

static void complain(const char *level, const char *what, int slot, const char *text, int64_t i)
{
    failures++;
    if (failures <= 50)
        printf("%s: %s, %s: %s at element %lld\n", level, what, form_slot_name(slot), text, (long long)i);
}

/* Room for one argument, with guards, its first element `skew` elements behind an aligned address. */
typedef struct room {
    char *memory, *data;
    size_t bytes;
} room;

static room make_room(int64_t count, int width, int skew)
{
    room r;
    r.bytes = (size_t)(count * width);
    if (posix_memalign((void **)&r.memory, 64, r.bytes + 2 * GUARD + 64))
        abort();
    r.data = r.memory + GUARD + skew * width;
    memset(r.memory, 0xA5, r.bytes + 2 * GUARD + 64);
    return r;
}

static int guards_hold(const room *r)
{
    for (const char *p = r->memory; p < r->data; p++)
        if (*p != (char)0xA5)
            return 0;
    for (const char *p = r->data + r->bytes; p < r->data + r->bytes + GUARD; p++)
        if (*p != (char)0xA5)
            return 0;
    return 1;
}

/* ---- Comparing results ------------------------------------------------------------------------ */

static int is_nan(const char *at, brio_dtype dtype)
{
    switch (dtype) {
    case BRIO_F16:
        return (*(const uint16_t *)at & 0x7fff) > 0x7c00;
    case BRIO_F32:
        return *(const float *)at != *(const float *)at;
    case BRIO_F64:
        return *(const double *)at != *(const double *)at;
    default:
        return 0;
    }
}

static int64_t first_difference(const char *a, const char *b, brio_dtype dtype, int64_t n)
{
    const size_t width = brio_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++)
        if (memcmp(a + (size_t)i * width, b + (size_t)i * width, width) != 0 &&
            !(is_nan(a + (size_t)i * width, dtype) && is_nan(b + (size_t)i * width, dtype)))
            return i;
    return -1;
}

/* Runs a loop into fresh outputs (in place over the first input when `over`); the caller frees them. */
static void run_form(const form_case *c, brio_loop loop, char *const *in, int64_t n, int skew, int over,
                     room *out)
{
    char *args[BRIO_MAX_IN + BRIO_MAX_OUT];
    for (int k = 0; k < c->nin; k++)
        args[k] = in[k];
    for (int j = 0; j < c->nout; j++) {
        out[j] = make_room(n, (int)brio_dtype_size(c->out[j]), skew);
        args[c->nin + j] = out[j].data;
    }
    if (over) {
        memcpy(out[0].data, in[0], out[0].bytes);
        args[0] = out[0].data;
    }
    loop(args, n);
}

static void check_exact(const char *level, const form_case *c, brio_loop loop, char *const *in, int64_t n,
                        int skew, int over, const room *expected)
{
    room out[BRIO_MAX_OUT];
    run_form(c, loop, in, n, skew, over, out);
    for (int j = 0; j < c->nout; j++) {
        const int64_t i = first_difference(out[j].data, expected[j].data, c->out[j], n);
        if (i >= 0)
            complain(level, c->name, c->slot, over ? "in place it differs" : "it differs", i);
        if (!guards_hold(&out[j]))
            complain(level, c->name, c->slot, "it wrote outside", n);
        free(out[j].memory);
    }
}

/* ---- Checks of one operation -------------------------------------------------------------------- */

static void check_ulp(const char *level, const form_case *c, brio_loop loop, char *const *in, int64_t n)
{
    room out[BRIO_MAX_OUT];
    run_form(c, loop, in, n, 1, 0, out);
    for (int64_t i = 0; i < n; i++) {
        const double error = form_error(c, in, out[0].data, i);
        if (!(error <= c->ulp + 0.5)) {
            char text[200];
            form_describe(c, in, out[0].data, i, error, text, sizeof text);
            complain(level, c->name, c->slot, text, i);
            break;
        }
    }
    free(out[0].memory);
}

/* A single extreme among ones, in the middle of a vector and alone: the same conditions. */
static void check_conditions(const char *level, const form_case *c, brio_loop loop, brio_loop reference,
                             char *const *in)
{
    for (int64_t i = 0; i < form_extreme_count(c); i++) {
        char *at[BRIO_MAX_IN];
        for (int k = 0; k < c->nin; k++)
            at[k] = in[k] + i * (int64_t)brio_dtype_size(c->in[k]);
        for (int64_t n = 1; n <= 23; n += 22) {
            const uint32_t expected = form_conditions(c, reference, at, n),
                           got = form_conditions(c, loop, at, n);
            if (got != expected) {
                char text[80];
                snprintf(text, sizeof text, "conditions %u, not %u, among %d", got, expected, (int)n);
                complain(level, c->name, c->slot, text, i);
                return;
            }
        }
    }
}

static void check_case(const char *level, const form_case *c, brio_loop loop, brio_loop reference)
{
    char *in[BRIO_MAX_IN] = {NULL};
    room expected[BRIO_MAX_OUT];
    for (int k = 0; k < c->nin; k++)
        in[k] = form_operand(c, k, COUNT);
    run_form(c, reference, in, COUNT, 0, 0, expected);
    if (c->ulp == 0) {
        check_exact(level, c, loop, in, COUNT, 0, 0, expected);
        check_exact(level, c, loop, in, COUNT - 1, 3, 0, expected);
    } else {
        check_ulp(level, c, loop, in, COUNT);
        for (int j = 0; j < c->nout; j++)
            free(expected[j].memory);
        run_form(c, loop, in, COUNT, 0, 0, expected);
    }
    for (int64_t n = 0; n < 70; n++)
        check_exact(level, c, loop, in, n, (int)(n % 4), 0, expected);
    if (c->in[0] == c->out[0])
        check_exact(level, c, loop, in, COUNT, 0, 1, expected);
    if (c->conditions && c->in[0] != BRIO_F16)
        check_conditions(level, c, loop, reference, in);
    for (int j = 0; j < c->nout; j++)
        free(expected[j].memory);
    for (int k = 0; k < c->nin; k++)
        free(in[k]);
}

static void check_casts(const brio_cpu_kernels *kernels, const brio_cpu_kernels *reference)
{
    for (int from = 0; from <= BRIO_F64; from++)
        for (int to = 0; to <= BRIO_F64; to++) {
            form_case c = {.name = "cast to",
                           .slot = to,
                           .nin = 1,
                           .nout = 1,
                           .in = {(brio_dtype)from},
                           .out = {(brio_dtype)to}};
            check_case(kernels->name, &c, kernels->casts[from][to], reference->casts[from][to]);
            char *in = form_operand(&c, 0, COUNT);
            const brio_cast_check check = kernels->checks[from][to];
            for (int64_t i = 0; check && i < COUNT; i++) {
                const char *at = in + i * (int64_t)brio_dtype_size((brio_dtype)from);
                if (!check(at, 1) != !reference->checks[from][to](at, 1))
                    complain(kernels->name, "check of cast to", to, "it differs", i);
            }
            free(in);
        }
}

/* ---- All --------------------------------------------------------------------------------------- */

static void check_level(const brio_cpu_kernels *kernels, const brio_cpu_kernels *reference)
{
    for (int op = 0; op < brio_op_count(); op++)
        for (int slot = 0; slot < BRIO_SLOT_COUNT; slot++) {
            form_case c;
            if (!kernels->loops[slot] || !kernels->loops[slot][op] || !form_make_case(op, slot, &c))
                continue;
            check_case(kernels->name, &c, kernels->loops[slot][op], reference->loops[slot][op]);
        }
    check_casts(kernels, reference);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nanoseconds an element, over ordinary operands. */
static double time_form(const form_case *c, brio_loop loop)
{
    enum { N = 4096 };
    char *in[BRIO_MAX_IN];
    room out[BRIO_MAX_OUT];
    double best = 1e9;
    for (int k = 0; k < c->nin; k++)
        in[k] = form_ordinary_operand(c, k, N);
    for (int round = 0; round < 5; round++) {
        const double start = seconds();
        for (int repeat = 0; repeat < 4; repeat++) {
            run_form(c, loop, in, N, 0, 0, out);
            for (int j = 0; j < c->nout; j++)
                free(out[j].memory);
        }
        const double each = (seconds() - start) / 4 / N * 1e9;
        best = each < best ? each : best;
    }
    for (int k = 0; k < c->nin; k++)
        free(in[k]);
    return best;
}

static void time_all(const brio_cpu_kernels *reference)
{
    for (int op = 0; op < brio_op_count(); op++)
        for (int slot = 0; slot < BRIO_SLOT_COUNT; slot++) {
            form_case c;
            int runs = 0;
            if (!reference->loops[slot] || !reference->loops[slot][op] || !form_make_case(op, slot, &c))
                continue;
            printf("%-14s %-16s reference %7.3f", c.name, form_slot_name(slot),
                   time_form(&c, reference->loops[slot][op]));
            for (int k = 0; brio_cpu_kernels_at(k, &runs); k++)
                if (runs) {
                    const brio_cpu_kernels *kernels = brio_cpu_kernels_at(k, &runs);
                    printf("  %s %7.3f", kernels->name, time_form(&c, kernels->loops[slot][op]));
                }
            printf("\n");
        }
}

int main(int argc, char **argv)
{
    const brio_cpu_kernels *reference = brio_cpu_kernels_reference();
    int runs = 0;
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        time_all(reference);
        return 0;
    }
    for (int k = 0; brio_cpu_kernels_at(k, &runs); k++)
        if (runs)
            check_level(brio_cpu_kernels_at(k, &runs), reference);
    printf("%d differences\n", failures);
    return failures != 0;
}
