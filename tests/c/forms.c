/* Operands and references for check_forms. */
#include "forms.h"

#include "backend/cpu/fp.h"
#include "op/cast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *form_slot_name(int slot)
{
    if (slot < BRIO_DTYPE_COUNT)
        return brio_dtype_name((brio_dtype)slot);
    return slot == BRIO_SLOT_MIXED0   ? "first mixed"
           : slot == BRIO_SLOT_MIXED1 ? "second mixed"
                                      : "third mixed";
}

/* The dtypes that resolve to the slot. */
int form_make_case(brio_op op, int slot, form_case *out)
{
    brio_op_info info = {.size = sizeof info};
    if (brio_op_describe(op, &info) != BRIO_OK)
        return 0;
    brio_dtype loop[BRIO_MAX_IN];
    for (int a = 0; a <= BRIO_F64; a++)
        for (int b = 0; b <= BRIO_F64; b++) {
            const brio_dtype in[BRIO_MAX_IN] = {(brio_dtype)a, (brio_dtype)b, (brio_dtype)b};
            if ((info.nin == 1 && b) || brio_op_resolve(op, in, loop, out->out) != BRIO_OK ||
                memcmp(in, loop, sizeof in[0] * (size_t)info.nin) != 0 || brio_op_slot(op, loop) != slot)
                continue;
            out->name = info.name;
            out->op = op;
            out->slot = slot;
            out->nin = info.nin;
            out->nout = info.nout;
            out->ulp = info.ulp && brio_dtype_kind(out->out[0]) == 'f' ? info.ulp : 0;
            out->conditions = brio_op_conditions(op);
            memcpy(out->in, in, sizeof in);
            return 1;
        }
    return 0;
}

/* ---- Operands ---------------------------------------------------------------------------------- */

static const double float_extremes[] = {
    0.0,      -0.0,      1.0,     -1.0,         0.5,           -0.5,         1.5,    2.5,
    INFINITY, -INFINITY, NAN,     3.0,          -7.0,          1e-3,         1e4,    255.5,
    -128.9,   65504.0,   65520.0, 2147483647.0, -2147483648.0, 4294967296.0, 1e10,   -3e9,
    9.3e18,   -9.3e18,   1.9e19,  3.4e38,       -3.4e38,       1e-38,        -1e-45, 88.8,
    -104.5,   710.0,     -746.0,  1.7e308,      -1.7e308,      2.2e-308,     5e-324, 0.7853981633974483,
    1e22};
static const int64_t int_extremes[] = {0,
                                       1,
                                       -1,
                                       2,
                                       -2,
                                       3,
                                       7,
                                       8,
                                       15,
                                       31,
                                       32,
                                       63,
                                       64,
                                       100,
                                       127,
                                       -128,
                                       128,
                                       255,
                                       -7,
                                       256,
                                       32767,
                                       -32768,
                                       65535,
                                       2147483647,
                                       -2147483648,
                                       4294967295,
                                       INT64_MAX,
                                       INT64_MIN,
                                       INT64_MAX - 1,
                                       INT64_MIN + 1};
#define NFLOAT ((int64_t)(sizeof float_extremes / sizeof float_extremes[0]))
#define NINT ((int64_t)(sizeof int_extremes / sizeof int_extremes[0]))

static int64_t extremes_of(brio_dtype dtype)
{
    const char kind = brio_dtype_kind(dtype);
    return kind == 'b' ? 2 : kind == 'f' ? NFLOAT : NINT;
}

int64_t form_extreme_count(const form_case *c)
{
    int64_t count = 1;
    for (int k = 0; k < c->nin; k++)
        count *= extremes_of(c->in[k]);
    return count < 2000 ? count : 2000;
}

static void store_number(char *at, brio_dtype dtype, int64_t whole, double real)
{
    const float single = (float)real;
    const uint16_t half = brio_half_of_double(real);
    switch (dtype) {
    case BRIO_F16:
        memcpy(at, &half, 2);
        break;
    case BRIO_F32:
        memcpy(at, &single, 4);
        break;
    case BRIO_F64:
        memcpy(at, &real, 8);
        break;
    case BRIO_BOOL:
        *at = (char)(whole & 1);
        break;
    default:
        memcpy(at, &whole, brio_dtype_size(dtype));
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) ^ (*state << 31);
}

char *form_operand(const form_case *c, int k, int64_t count)
{
    const brio_dtype dtype = c->in[k];
    const int64_t width = (int64_t)brio_dtype_size(dtype), own = extremes_of(dtype);
    uint64_t state = 12345u + (uint64_t)k;
    char *operand = malloc((size_t)(count * width));
    int64_t below = 1;
    for (int m = 0; m < k; m++)
        below *= extremes_of(c->in[m]);
    for (int64_t i = 0; i < count; i++) {
        char *at = operand + i * width;
        const uint64_t bits = next_random(&state), kind = next_random(&state) % 3;
        if (i < 2000)
            store_number(at, dtype, int_extremes[i / below % own % NINT],
                         float_extremes[i / below % own % NFLOAT]);
        else if (kind == 0 && dtype != BRIO_BOOL)
            memcpy(at, &bits, (size_t)width);
        else
            store_number(at, dtype, (int64_t)(bits % 20) - 8, ((double)(bits % 20000) - 8000) / 700);
        /* A power with a negative integer exponent is refused before it reaches a loop. */
        if (strcmp(c->name, "power") == 0 && k == 1 && brio_dtype_kind(dtype) == 'i')
            store_number(at, dtype, (int64_t)(bits % 40), 0);
    }
    return operand;
}

char *form_ordinary_operand(const form_case *c, int k, int64_t count)
{
    const int64_t width = (int64_t)brio_dtype_size(c->in[k]);
    uint64_t state = 99u + (uint64_t)k;
    char *operand = malloc((size_t)(count * width));
    for (int64_t i = 0; i < count; i++) {
        const uint64_t bits = next_random(&state);
        double real = (double)(bits % 9973 + 1) / 9974;
        if (strcmp(c->name, "arccosh") == 0)
            real += 1;
        store_number(operand + i * width, c->in[k], (int64_t)(bits % 11 + 1), real);
    }
    return operand;
}

/* ---- Errors ------------------------------------------------------------------------------------ */

static long double log_add_exp(long double a, long double b)
{
    if (a == b)
        return a + logl(2.0L);
    const long double high = fmaxl(a, b), low = fminl(a, b);
    return isnan(a) || isnan(b) ? a + b : high + log1pl(expl(low - high));
}

static long double log_add_exp2(long double a, long double b)
{
    if (a == b)
        return a + 1;
    const long double high = fmaxl(a, b), low = fminl(a, b);
    return isnan(a) || isnan(b) ? a + b : high + log1pl(exp2l(low - high)) / logl(2.0L);
}

static const struct {
    const char *name;
    long double (*unary)(long double);
    long double (*binary)(long double, long double);
} references[] = {
    {"exp", expl, NULL},
    {"exp2", exp2l, NULL},
    {"expm1", expm1l, NULL},
    {"log", logl, NULL},
    {"log2", log2l, NULL},
    {"log10", log10l, NULL},
    {"log1p", log1pl, NULL},
    {"sin", sinl, NULL},
    {"cos", cosl, NULL},
    {"tan", tanl, NULL},
    {"arcsin", asinl, NULL},
    {"arccos", acosl, NULL},
    {"arctan", atanl, NULL},
    {"sinh", sinhl, NULL},
    {"cosh", coshl, NULL},
    {"tanh", tanhl, NULL},
    {"arcsinh", asinhl, NULL},
    {"arccosh", acoshl, NULL},
    {"arctanh", atanhl, NULL},
    {"cbrt", cbrtl, NULL},
    {"power", NULL, powl},
    {"float_power", NULL, powl},
    {"arctan2", NULL, atan2l},
    {"hypot", NULL, hypotl},
    {"logaddexp", NULL, log_add_exp},
    {"logaddexp2", NULL, log_add_exp2},
};

static double load_number(const char *data, brio_dtype dtype, int64_t i)
{
    switch (dtype) {
    case BRIO_F16:
        return (double)brio_float_of_half(((const uint16_t *)data)[i]);
    case BRIO_F32:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

/* The distance between neighbours at `x` in the dtype. */
static long double unit_at(long double x, brio_dtype dtype)
{
    const int digits = dtype == BRIO_F16 ? 11 : dtype == BRIO_F32 ? 24 : 53;
    const int least = dtype == BRIO_F16 ? -24 : dtype == BRIO_F32 ? -149 : -1074;
    int exponent;
    frexpl(x, &exponent);
    exponent -= digits;
    return ldexpl(1.0L, x == 0 || exponent < least ? least : exponent);
}

static long double expected_of(const form_case *c, char *const *in, int64_t i)
{
    const long double a = load_number(in[0], c->in[0], i);
    const long double b = c->nin > 1 ? load_number(in[1], c->in[1], i) : 0;
    for (size_t r = 0; r < sizeof references / sizeof references[0]; r++)
        if (strcmp(references[r].name, c->name) == 0)
            return c->nin == 1 ? references[r].unary(a) : references[r].binary(a, b);
    fprintf(stderr, "no reference for %s\n", c->name);
    exit(2);
}

double form_error(const form_case *c, char *const *in, const char *out, int64_t i)
{
    const long double expected = expected_of(c, in, i), got = load_number(out, c->out[0], i);
    if (isnan(expected) || isnan(got))
        return isnan(expected) == isnan(got) ? 0 : INFINITY;
    if (expected == 0 && got == 0)
        return signbit(expected) == signbit(got) ? 0 : INFINITY;
    const long double largest = c->out[0] == BRIO_F16   ? 65504.0L
                                : c->out[0] == BRIO_F32 ? (long double)3.4028234663852886e38
                                                        : (long double)1.7976931348623157e308;
    if (isinf(got) || isinf(expected))
        return got == expected || (fabsl(expected) > largest && isinf(got) && (expected > 0) == (got > 0)) ||
                       fabsl(expected) > largest - 5 * unit_at(largest, c->out[0])
                   ? 0
                   : INFINITY;
    /* The sum in logaddexp cancels where the result is near zero: its error is in units of its operands. */
    long double scale = fabsl(expected);
    if (strncmp(c->name, "logaddexp", 9) == 0)
        for (int k = 0; k < 2; k++)
            scale = fmaxl(scale, fabsl((long double)load_number(in[k], c->in[k], i)));
    return (double)(fabsl(got - expected) / unit_at(scale, c->out[0]));
}

void form_describe(const form_case *c, char *const *in, const char *out, int64_t i, double error, char *text,
                   size_t size)
{
    snprintf(text, size, "of %.17g (and %.17g) it is %.17g, not %.17Lg: off by %.2f",
             load_number(in[0], c->in[0], i), c->nin > 1 ? load_number(in[1], c->in[1], i) : 0.0,
             load_number(out, c->out[0], i), expected_of(c, in, i), error);
}

uint32_t form_conditions(const form_case *c, brio_loop loop, char *const *in, int64_t n)
{
    char memory[BRIO_MAX_IN + BRIO_MAX_OUT][32 * 8], *args[BRIO_MAX_IN + BRIO_MAX_OUT];
    for (int k = 0; k < c->nin; k++) {
        const size_t width = brio_dtype_size(c->in[k]);
        for (int64_t i = 0; i < n; i++)
            store_number(memory[k] + (size_t)i * width, c->in[k], 1, 1.0);
        memcpy(memory[k] + (size_t)(n / 2) * width, in[k], width);
        args[k] = memory[k];
    }
    for (int j = 0; j < c->nout; j++)
        args[c->nin + j] = memory[c->nin + j];
    brio_fp_clear();
    loop(args, n);
    return brio_fp_read() & (BRIO_FPE_DIVIDE | BRIO_FPE_OVERFLOW | BRIO_FPE_INVALID);
}
