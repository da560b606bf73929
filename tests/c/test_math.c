/* The elementary functions against libm in long double: error in ulp over their regular range, values
 * at the edges, and the flags they raise, at the levels v2 (without fused multiply-add) and v3 (with it).
 *
 * test_math --report    prints the largest error found for each function and range
 * test_math --time      prints nanoseconds an element, and the same for a loop over libm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "math_loops.h"

#include <brio/op.h>

enum { BLOCK = 4096 };

typedef struct band {
    double lo, hi; /* sampled evenly, in the logarithm where hi / lo > 64 */
} band;

typedef struct math_case {
    const char *name;
    long double (*ref)(long double, long double);
    float (*libm_f32)(float, float);
    double (*libm_f64)(double, double);
    double ulp_f32, ulp_f64; /* the bounds asserted */
    band f32[6], f64[6];     /* of the first operand; unused ones are {0, 0} */
    band second[3];          /* of the second operand */
    bool operand_size;       /* errors count in ulp of the largest of the result and the operands */
} math_case;

/* What libm lacks, as NumPy computes it. */
#define LOGADDEXP(name, T, log_of_two, scale, log1p, exp)                                                    \
    static T name(T a, T b)                                                                                  \
    {                                                                                                        \
        if (a == b)                                                                                          \
            return a + (T)log_of_two;                                                                        \
        T d = a - b;                                                                                         \
        return d > 0 ? a + (T)scale * log1p(exp(-d)) : b + (T)scale * log1p(exp(d));                         \
    }
LOGADDEXP(libm_logaddexpf, float, M_LN2l, 1, log1pf, expf)
LOGADDEXP(libm_logaddexp, double, M_LN2l, 1, log1p, exp)
LOGADDEXP(libm_logaddexpl, long double, M_LN2l, 1, log1pl, expl)
LOGADDEXP(libm_logaddexp2f, float, 1, M_LOG2El, log1pf, exp2f)
LOGADDEXP(libm_logaddexp2, double, 1, M_LOG2El, log1p, exp2)
LOGADDEXP(libm_logaddexp2l, long double, 1, M_LOG2El, log1pl, exp2l)

#define UNARY(name)                                                                                          \
    static long double ref_##name(long double a, long double b)                                              \
    {                                                                                                        \
        return LIBM(name, l)(a);                                                                             \
    }                                                                                                        \
    static float f32_##name(float a, float b)                                                                \
    {                                                                                                        \
        return LIBM(name, f)(a);                                                                             \
    }                                                                                                        \
    static double f64_##name(double a, double b)                                                             \
    {                                                                                                        \
        return LIBM(name, )(a);                                                                              \
    }
#define BINARY(name)                                                                                         \
    static long double ref_##name(long double a, long double b)                                              \
    {                                                                                                        \
        return LIBM(name, l)(a, b);                                                                          \
    }                                                                                                        \
    static float f32_##name(float a, float b)                                                                \
    {                                                                                                        \
        return LIBM(name, f)(a, b);                                                                          \
    }                                                                                                        \
    static double f64_##name(double a, double b)                                                             \
    {                                                                                                        \
        return LIBM(name, )(a, b);                                                                           \
    }
/* NumPy's names for libm's functions; the two that libm lacks are defined here. */
#define LIBM(name, suffix) LIBM_(name, suffix)
#define LIBM_(name, suffix) libm_##name##suffix
#define libm_exp exp
#define libm_expf expf
#define libm_expl expl
#define libm_exp2 exp2
#define libm_exp2f exp2f
#define libm_exp2l exp2l
#define libm_expm1 expm1
#define libm_expm1f expm1f
#define libm_expm1l expm1l
#define libm_log log
#define libm_logf logf
#define libm_logl logl
#define libm_log2 log2
#define libm_log2f log2f
#define libm_log2l log2l
#define libm_log10 log10
#define libm_log10f log10f
#define libm_log10l log10l
#define libm_log1p log1p
#define libm_log1pf log1pf
#define libm_log1pl log1pl
#define libm_sin sin
#define libm_sinf sinf
#define libm_sinl sinl
#define libm_cos cos
#define libm_cosf cosf
#define libm_cosl cosl
#define libm_tan tan
#define libm_tanf tanf
#define libm_tanl tanl
#define libm_sinh sinh
#define libm_sinhf sinhf
#define libm_sinhl sinhl
#define libm_cosh cosh
#define libm_coshf coshf
#define libm_coshl coshl
#define libm_tanh tanh
#define libm_tanhf tanhf
#define libm_tanhl tanhl
#define libm_arcsin asin
#define libm_arcsinf asinf
#define libm_arcsinl asinl
#define libm_arccos acos
#define libm_arccosf acosf
#define libm_arccosl acosl
#define libm_arctan atan
#define libm_arctanf atanf
#define libm_arctanl atanl
#define libm_arcsinh asinh
#define libm_arcsinhf asinhf
#define libm_arcsinhl asinhl
#define libm_arccosh acosh
#define libm_arccoshf acoshf
#define libm_arccoshl acoshl
#define libm_arctanh atanh
#define libm_arctanhf atanhf
#define libm_arctanhl atanhl
#define libm_arctan2 atan2
#define libm_arctan2f atan2f
#define libm_arctan2l atan2l
#define libm_cbrt cbrt
#define libm_cbrtf cbrtf
#define libm_cbrtl cbrtl
#define libm_hypot hypot
#define libm_hypotf hypotf
#define libm_hypotl hypotl
#define libm_pow pow
#define libm_powf powf
#define libm_powl powl
#include "math_list.h"
#undef UNARY
#undef BINARY

#define CASE(name, u32, u64, ...)                                                                            \
    {                                                                                                        \
#name, ref_##name, f32_##name, f64_##name, u32, u64, __VA_ARGS__                                     \
    }
#define BINARY_CASE(name, ...) CASE(name, __VA_ARGS__, false)
#define UNARY_CASE(name, ...) CASE(name, __VA_ARGS__, {{0, 0}}, false)
static const math_case cases[] = {
    UNARY_CASE(exp, 2, 2, {{-1, 1}, {-88, 88.7}, {-104, -80}, {1e-30, 1}},
               {{-1, 1}, {-708, 709.7}, {-746, -700}}),
    UNARY_CASE(exp2, 2, 2, {{-1, 1}, {-126, 127.9}, {-150, -120}},
               {{-1, 1}, {-1022, 1023.9}, {-1075, -1000}}),
    UNARY_CASE(expm1, 2, 2, {{-1, 1}, {1e-40, 1}, {-30, 30}, {-200, 88}},
               {{-1, 1}, {1e-310, 1}, {-50, 50}, {-1000, 709}}),
    UNARY_CASE(log, 2, 2, {{0.5, 2}, {0.99, 1.01}, {0.1, 1000}, {2e-38, 3e38}},
               {{0.5, 2}, {0.99, 1.01}, {0.1, 1000}, {3e-308, 1e308}}),
    UNARY_CASE(sin, 2, 2.5, {{-10, 10}, {-1.58, 1.58}, {1e-40, 1}, {-1000, 1000}, {-131072, 131072}},
               {{-10, 10}, {-1.58, 1.58}, {1e-310, 1}, {-1e5, 1e5}, {-1e9, 1e9}}),
    UNARY_CASE(cos, 2, 2.5, {{-10, 10}, {-1.58, 1.58}, {1e-40, 1}, {-1000, 1000}, {-131072, 131072}},
               {{-10, 10}, {-1.58, 1.58}, {1e-310, 1}, {-1e5, 1e5}, {-1e9, 1e9}}),
    UNARY_CASE(log2, 2, 2, {{0.5, 2}, {0.99, 1.01}, {0.1, 1000}, {2e-38, 3e38}},
               {{0.5, 2}, {0.99, 1.01}, {0.1, 1000}, {3e-308, 1e308}}),
    UNARY_CASE(log10, 2, 2, {{0.5, 2}, {0.99, 1.01}, {0.1, 1000}, {2e-38, 3e38}},
               {{0.5, 2}, {0.99, 1.01}, {0.1, 1000}, {3e-308, 1e308}}),
    UNARY_CASE(log1p, 2, 2, {{-0.5, 2}, {-0.9999, 0}, {1e-40, 1}, {-1e-40, -1}, {1, 8e37}},
               {{-0.5, 2}, {-0.9999, 0}, {1e-310, 1}, {-1e-310, -0.99}, {1, 4e307}}),
    UNARY_CASE(tan, 3.6, 3.6, {{-10, 10}, {-1.58, 1.58}, {1e-40, 1}, {-1000, 1000}, {-131072, 131072}},
               {{-10, 10}, {-1.58, 1.58}, {1e-310, 1}, {-1e5, 1e5}, {-1e9, 1e9}}),
    UNARY_CASE(sinh, 3, 3, {{-4, 4}, {1e-40, 1}, {-88, 88}}, {{-4, 4}, {1e-310, 1}, {-709, 709}}),
    UNARY_CASE(cosh, 2, 2, {{-4, 4}, {1e-40, 1}, {-88, 88}}, {{-4, 4}, {1e-310, 1}, {-709, 709}}),
    UNARY_CASE(tanh, 3, 3, {{-4, 4}, {1e-40, 1}, {-11, 11}, {1, 8e37}},
               {{-4, 4}, {1e-310, 1}, {-22, 22}, {1, 1e300}}),
    UNARY_CASE(arcsin, 2.5, 2.5, {{-1, 1}, {1e-40, 1}, {0.49, 0.51}, {0.99, 1}},
               {{-1, 1}, {1e-310, 1}, {0.49, 0.51}, {0.99, 1}}),
    UNARY_CASE(arccos, 2, 2, {{-1, 1}, {1e-40, 1}, {0.49, 0.51}, {0.99, 1}},
               {{-1, 1}, {1e-310, 1}, {0.49, 0.51}, {0.99, 1}}),
    UNARY_CASE(arctan, 2, 2, {{-4, 4}, {1e-40, 1}, {1, 8e37}}, {{-4, 4}, {1e-310, 1}, {1, 1e300}}),
    UNARY_CASE(arcsinh, 3, 3, {{-4, 4}, {1e-40, 1}, {1, 8e37}}, {{-4, 4}, {1e-310, 1}, {1, 1e300}}),
    UNARY_CASE(arccosh, 2.5, 2.5, {{1, 4}, {1, 1.01}, {1, 8e37}}, {{1, 4}, {1, 1.01}, {1, 1e300}}),
    UNARY_CASE(arctanh, 3, 3, {{-0.9999, 0.9999}, {1e-40, 0.5}, {0.9, 0.99999}},
               {{-0.9999, 0.9999}, {1e-310, 0.5}, {0.9, 0.99999}}),
    BINARY_CASE(arctan2, 2, 2, {{-4, 4}, {1e-40, 1}, {1, 8e37}}, {{-4, 4}, {1e-310, 1}, {1, 1e300}},
                {{-4, 4}, {1e-20, 1e20}, {-1e20, -1e-20}}),
    UNARY_CASE(cbrt, 1, 1, {{-10, 10}, {1e-37, 1e38}, {0.9, 1.1}}, {{-10, 10}, {1e-307, 1e307}, {0.9, 1.1}}),
    BINARY_CASE(hypot, 2, 2, {{-10, 10}, {1e-14, 1e18}}, {{-10, 10}, {1e-100, 1e150}},
                {{-10, 10}, {1e-18, 1}}),
    BINARY_CASE(pow, 2, 2, {{0.1, 10}, {1e-9, 1e9}, {0.999, 1.001}},
                {{0.1, 10}, {1e-30, 1e30}, {0.999, 1.001}}, {{-3, 3}, {0.001, 1.25}, {-1.25, -1}}),
    CASE(logaddexp, 3, 3, {{-10, 10}, {0.5, 80}}, {{-10, 10}, {0.5, 700}}, {{-10, 10}, {0.5, 80}}, true),
    CASE(logaddexp2, 3, 3, {{-10, 10}, {0.5, 80}}, {{-10, 10}, {0.5, 700}}, {{-10, 10}, {0.5, 80}}, true),
};
enum { NCASES = sizeof cases / sizeof cases[0] };

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double random_in(band range)
{
    double u = (double)(random_bits() >> 11) * 0x1p-53;
    if (range.lo * range.hi > 0 && range.hi / range.lo > 64)
        return copysign(exp(log(fabs(range.lo)) * (1 - u) + log(fabs(range.hi)) * u), range.lo);
    return range.lo + (range.hi - range.lo) * u;
}

/* Distance from y to the exact value in units in the last place of a format with `digits` bits. */
static double error_in_ulp(const math_case *c, double a, double b, double y, int digits, int min_exponent)
{
    long double exact = c->ref(a, b);
    if (isnan(exact) || isnan(y))
        return isnan(exact) && isnan(y) ? 0 : HUGE_VAL;
    if (isinf(exact) || isinf(y) || (exact == 0 && !c->operand_size))
        return y == exact ? 0 : HUGE_VAL;
    int exponent = ilogbl(c->operand_size ? fmaxl(fabsl(exact), fmaxl(fabs(a), fabs(b))) : exact);
    exponent = exponent < min_exponent ? min_exponent : exponent;
    return fabs((double)ldexpl((long double)y - exact, digits - 1 - exponent));
}

typedef struct worst {
    double ulp, a, b, y;
    bool special; /* whether an operand was not regular */
} worst;

static worst measure_f32(const math_case *c, const math_loop *loop, band first, band second, int blocks)
{
    static float a[BLOCK], b[BLOCK], y[BLOCK];
    worst w = {0};
    for (int block = 0; block < blocks; block++) {
        for (int i = 0; i < BLOCK; i++) {
            a[i] = (float)random_in(first);
            b[i] = (float)random_in(second);
        }
        w.special |= loop->f32(a, b, y, NULL, BLOCK) != 0;
        for (int i = 0; i < BLOCK; i++) {
            double ulp = error_in_ulp(c, a[i], b[i], y[i], 24, -126);
            if (ulp > w.ulp)
                w = (worst){ulp, a[i], b[i], y[i], w.special};
        }
    }
    return w;
}

static worst measure_f64(const math_case *c, const math_loop *loop, band first, band second, int blocks)
{
    static double a[BLOCK], b[BLOCK], y[BLOCK];
    worst w = {0};
    for (int block = 0; block < blocks; block++) {
        for (int i = 0; i < BLOCK; i++) {
            a[i] = random_in(first);
            b[i] = random_in(second);
        }
        w.special |= loop->f64(a, b, y, NULL, BLOCK) != 0;
        for (int i = 0; i < BLOCK; i++) {
            double ulp = error_in_ulp(c, a[i], b[i], y[i], 53, -1022);
            if (ulp > w.ulp)
                w = (worst){ulp, a[i], b[i], y[i], w.special};
        }
    }
    return w;
}

typedef worst measure(const math_case *c, const math_loop *loop, band first, band second, int blocks);

/* Measures every band of one function and type; prints each if `print`, and returns the worst. */
static worst measure_bands(const math_case *c, const math_loop *loop, bool f64, int blocks, const char *print)
{
    const band *bands = f64 ? c->f64 : c->f32;
    measure *run = f64 ? measure_f64 : measure_f32;
    worst all = {0};
    for (int i = 0; i < 6 && bands[i].lo != bands[i].hi; i++)
        for (int j = 0; j == 0 || (j < 3 && c->second[j].lo != c->second[j].hi); j++) {
            worst w = run(c, loop, bands[i], c->second[j], blocks);
            if (print)
                printf("%-10s %s %s [%9g, %9g] %7.3f ulp at %.17g, %.17g%s\n", c->name, f64 ? "f64" : "f32",
                       print, bands[i].lo, bands[i].hi, w.ulp, w.a, w.b, w.special ? "  NOT REGULAR" : "");
            bool special = all.special || w.special;
            all = w.ulp > all.ulp ? w : all;
            all.special = special;
        }
    return all;
}

typedef struct math_level {
    const char *name;
    const math_loop *loops;
} math_level;

#ifdef __x86_64__
static const math_level levels[] = {{"v2", math_loops_v2}, {"v3", math_loops_v3}};

static int count_levels(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 2 : 1;
}
#else
static const math_level levels[] = {{"portable", math_loops_portable}};

static int count_levels(void)
{
    return 1;
}
#endif

static const math_loop *find_loop(const math_loop *loops, const char *name)
{
    while (strcmp(loops->name, name))
        loops++;
    return loops;
}

static void check_bounds(const math_level *level)
{
    for (int i = 0; i < NCASES; i++)
        for (int f64 = 0; f64 < 2; f64++) {
            const math_case *c = &cases[i];
            worst w = measure_bands(c, find_loop(level->loops, c->name), f64, 64, NULL);
            if (w.special || w.ulp > (f64 ? c->ulp_f64 : c->ulp_f32))
                fail_msg("%s %s %s: %.3f ulp at %.17g, %.17g: %.17g%s", c->name, f64 ? "f64" : "f32",
                         level->name, w.ulp, w.a, w.b, w.y,
                         w.special ? "; a special lane in the regular range" : "");
        }
}

static void test_error_is_within_bounds(void **state)
{
    for (int level = 0; level < count_levels(); level++)
        check_bounds(&levels[level]);
}

/* Edge values, each also with its sign flipped. */
static const double edges[] = {0,     0x1p-1074, 0x1p-149, 1e-310, 1e-40,    0x1p-126, 0x1p-1022, 1e-20,
                               0.25,  0.5,       1,        1.5,    2,        3,        8,         10,
                               27,    100,       1000,     1023,   1024,     127,      128,       88.72,
                               88.73, 709.78,    709.79,   -745.2, 745.1,    1e5,      1e9,       1e10,
                               1e22,  1e30,      1e38,     1e300,  0x1p1023, NAN,      INFINITY};
enum { NEDGES = 2 * sizeof edges / sizeof edges[0] };

static double edge(int i)
{
    return i % 2 ? -edges[i / 2] : edges[i / 2];
}

/* Whether y is libm's value, or within the bound; a zero has libm's sign. */
static bool agrees(double y, double libm, double ulp, double bound)
{
    return y == 0 || libm == 0 ? y == libm && signbit(y) == signbit(libm) : y == libm || ulp <= bound;
}

/* What a loop gives once its special lanes are computed again with libm. */
static void check_edge(const math_case *c, const math_loop *loop, double a, double b)
{
    double y, libm = c->libm_f64(a, b);
    int64_t special;
    loop->f64(&a, &b, &y, &special, 1);
    y = special ? libm : y;
    if (!agrees(y, libm, error_in_ulp(c, a, b, y, 53, -1022), c->ulp_f64))
        fail_msg("%s f64 of %.17g, %.17g is %.17g, not %.17g", c->name, a, b, y, libm);

    float af = (float)a, bf = (float)b, yf, libm_f = c->libm_f32(af, bf);
    int32_t special_f;
    loop->f32(&af, &bf, &yf, &special_f, 1);
    yf = special_f ? libm_f : yf;
    if (!agrees(yf, libm_f, error_in_ulp(c, af, bf, yf, 24, -126), c->ulp_f32))
        fail_msg("%s f32 of %.9g, %.9g is %.9g, not %.9g", c->name, (double)af, (double)bf, (double)yf,
                 (double)libm_f);
}

static void check_edges(const math_case *c, const math_loop *loop)
{
    bool binary = c->second[0].lo != c->second[0].hi;
    for (int i = 0; i < NEDGES; i++)
        for (int j = 0; j < (binary ? NEDGES : 1); j++)
            check_edge(c, loop, edge(i), edge(j));
}

static void test_edges_are_libms(void **state)
{
    for (int level = 0; level < count_levels(); level++)
        for (int i = 0; i < NCASES; i++)
            check_edges(&cases[i], find_loop(levels[level].loops, cases[i].name));
}

static void check_exact(const math_level *level, const char *name, double a, double b, double expected)
{
    const math_loop *loop = find_loop(level->loops, name);
    double y;
    loop->f64(&a, &b, &y, NULL, 1);
    if (y != expected)
        fail_msg("%s f64 %s of %.17g, %.17g is %.17g, not %.17g", name, level->name, a, b, y, expected);
    float af = (float)a, bf = (float)b, yf;
    if ((double)af != a || (double)bf != b || fabs(expected) < 0x1p-149 || fabs(expected) > 0x1p127)
        return;
    bool special = loop->f32(&af, &bf, &yf, NULL, 1) != 0;
    if (!special && yf != (float)expected)
        fail_msg("%s f32 %s of %.9g, %.9g is %.9g, not %.9g", name, level->name, a, b, (double)yf, expected);
}

/* Results that a number of the format holds exactly, where one would notice. */
static void check_exact_results(const math_level *level)
{
    static const char *const to_one[] = {"exp", "exp2", "cos", "cosh"};
    for (int i = 0; i < 4; i++)
        check_exact(level, to_one[i], 0, 0, 1);
    check_exact(level, "log", 1, 0, 0);
    check_exact(level, "arccos", 1, 0, 0);
    check_exact(level, "arccos", -1, 0, M_PI);
    check_exact(level, "arcsin", 1, 0, M_PI_2);
    check_exact(level, "arctan2", 1, 1, M_PI_4);
    check_exact(level, "arctan2", 0, -1, M_PI);
    check_exact(level, "hypot", 3, 4, 5);
    check_exact(level, "tanh", 30, 0, 1);
    for (int k = -1074; k < 1024; k++) {
        check_exact(level, "exp2", k, 0, ldexp(1, k));
        if (k >= -1022)
            check_exact(level, "log2", ldexp(1, k), 0, k);
        check_exact(level, "pow", 2, k, ldexp(1, k));
    }
    double power_of_ten = 1;
    for (int k = 0; k <= 22; k++) {
        check_exact(level, "log10", power_of_ten, 0, k);
        power_of_ten *= 10;
    }
    for (int k = 0; k <= 256; k++)
        check_exact(level, "cbrt", (double)k * k * k, 0, k);
    for (int x = -40; x <= 40; x++) {
        double power = 1;
        for (int k = 0; k < 100 && fabs(power) < 0x1p24; k++) {
            if (x || k)
                check_exact(level, "pow", x, k, power);
            power *= x;
        }
    }
}

static void test_exact_results(void **state)
{
    for (int level = 0; level < count_levels(); level++)
        check_exact_results(&levels[level]);
}

/* Random bits, every seventh replaced by an edge value; NaNs are made quiet. */
static void fill_with_anything(float *f, double *d)
{
    for (int i = 0; i < BLOCK; i++) {
        uint64_t bits = random_bits();
        uint32_t low = (uint32_t)(bits >> 16);
        memcpy(&d[i], &bits, sizeof bits);
        memcpy(&f[i], &low, sizeof low);
        if (bits % 7 == 0)
            f[i] = (float)(d[i] = edge((int)(bits / 7 % NEDGES)));
        if (isnan(d[i]))
            d[i] = copysign(NAN, d[i]);
        if (isnan(f[i]))
            f[i] = copysignf(NAN, f[i]);
    }
}

static void check_flags(const math_level *level)
{
    static float fa[BLOCK], fb[BLOCK], fy[BLOCK];
    static double da[BLOCK], db[BLOCK], dy[BLOCK];
    const int costly = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID;
    for (const math_loop *loops = level->loops; loops->name; loops++)
        for (int block = 0; block < 16; block++) {
            fill_with_anything(fa, da);
            fill_with_anything(fb, db);
            feclearexcept(FE_ALL_EXCEPT);
            loops->f32(fa, fb, fy, NULL, BLOCK);
            int raised_f32 = fetestexcept(costly);
            loops->f64(da, db, dy, NULL, BLOCK);
            int raised = fetestexcept(costly);
            if (raised)
                fail_msg("%s at %s raises flags %#x in f32, %#x after f64", loops->name, level->name,
                         raised_f32, raised);
        }
}

static void test_no_costly_flag_is_raised(void **state)
{
    for (int level = 0; level < count_levels(); level++)
        check_flags(&levels[level]);
}

/* NaN is common in data: it goes through every function but hypot, whose NaN infinity hides, without libm. */
static void test_nan_is_let_through(void **state)
{
    float f = NAN, two_f = 2, y_f;
    double d = -NAN, two = 2, y;
    for (int level = 0; level < count_levels(); level++)
        for (const math_loop *loop = levels[level].loops; loop->name; loop++)
            if (strcmp(loop->name, "hypot")) {
                assert_int_equal(loop->f32(&f, &two_f, &y_f, NULL, 1), 0);
                assert_int_equal(loop->f64(&d, &two, &y, NULL, 1), 0);
                assert_true(isnan(y_f) && isnan(y));
            }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best of several runs, in nanoseconds an element. */
static double time_loop(const math_case *c, const math_loop *loop, bool f64, bool libm)
{
    static float fa[BLOCK], fb[BLOCK], fy[BLOCK];
    static double da[BLOCK], db[BLOCK], dy[BLOCK];
    double best = HUGE_VAL;
    for (int i = 0; i < BLOCK; i++) {
        fa[i] = (float)(da[i] = random_in(f64 ? c->f64[0] : c->f32[0]));
        fb[i] = (float)(db[i] = random_in(c->second[0]));
    }
    for (int run = 0; run < (libm ? 5 : 40); run++) {
        double start = seconds();
        for (int repeat = 0; repeat < 5; repeat++)
            if (!libm && f64)
                loop->f64(da, db, dy, NULL, BLOCK);
            else if (!libm)
                loop->f32(fa, fb, fy, NULL, BLOCK);
            else
                for (int i = 0; i < BLOCK; i++)
                    f64 ? (void)(dy[i] = c->libm_f64(da[i], db[i]))
                        : (void)(fy[i] = c->libm_f32(fa[i], fb[i]));
        best = fmin(best, (seconds() - start) / (5 * BLOCK));
    }
    return best * 1e9;
}

static void print_figures(const char *mode, const char *only)
{
    for (int i = 0; i < NCASES; i++)
        for (int level = 0; level < count_levels(); level++) {
            const math_case *c = &cases[i];
            const math_loop *loop = find_loop(levels[level].loops, c->name);
            const char *name = levels[level].name;
            if (only && strcmp(only, c->name))
                continue;
            if (!strcmp(mode, "--time"))
                printf("%-10s %s   f32 %6.2f ns, libm %6.2f   f64 %6.2f ns, libm %6.2f\n", c->name, name,
                       time_loop(c, loop, false, false), time_loop(c, loop, false, true),
                       time_loop(c, loop, true, false), time_loop(c, loop, true, true));
            else
                for (int f64 = 0; f64 < 2; f64++)
                    measure_bands(c, loop, f64, 256, name);
        }
}

/* The operation table promises no less error than is asserted here. */
static void test_the_table_states_the_bounds(void **state)
{
    for (int i = 0; i < NCASES; i++) {
        brio_op_info info = {.size = sizeof info};
        assert_int_equal(brio_op_describe(brio_op_find(cases[i].name), &info), BRIO_OK);
        assert_true(info.ulp >= fmax(cases[i].ulp_f32, cases[i].ulp_f64) && info.ulp <= 4);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        print_figures(argv[1], argc > 2 ? argv[2] : NULL);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_is_within_bounds), cmocka_unit_test(test_edges_are_libms),
        cmocka_unit_test(test_exact_results),          cmocka_unit_test(test_no_costly_flag_is_raised),
        cmocka_unit_test(test_nan_is_let_through),     cmocka_unit_test(test_the_table_states_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
