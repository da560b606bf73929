/* Loops on float16: converted block by block, computed in float32, rounded. */
#include "backend/cpu/loops.h"
#include "op/cast.h"

extern const brio_loop BRIO_LEVELED(brio_loops_f32)[BRIO_OP_COUNT];
extern const brio_loop BRIO_LEVELED(brio_loops_u16)[BRIO_OP_COUNT];
extern const brio_cast_check BRIO_LEVELED(brio_cast_checks)[BRIO_DTYPE_COUNT][BRIO_DTYPE_COUNT];
extern const brio_loop BRIO_LEVELED(brio_casts)[BRIO_DTYPE_COUNT][BRIO_DTYPE_COUNT];

#define BLOCK 512

/* What an argument of a loop is: float16 outside and float32 inside, or the same on both sides. */
typedef struct half_shape {
    int nin, nargs;
    uint8_t width[BRIO_MAX_IN + BRIO_MAX_OUT]; /* bytes of an element; 0: float16 */
} half_shape;

/* Rounds, and raises OVERFLOW where the conversion in code does not do it as the instruction does. */
static void narrow(const float *from, char *to, int64_t n)
{
    BRIO_LEVELED(brio_casts)[BRIO_F32][BRIO_F16]((char *const[]){(char *)(uintptr_t)from, to}, n);
#if !defined(__F16C__)
    if (BRIO_LEVELED(brio_cast_checks)[BRIO_F32][BRIO_F16]((const char *)from, n))
        brio_raise_overflow();
#endif
}

static void run_in_float(brio_op op, const half_shape *shape, char *const *args, int64_t n)
{
    const brio_loop widen = BRIO_LEVELED(brio_casts)[BRIO_F16][BRIO_F32];
    float room[BRIO_MAX_IN + BRIO_MAX_OUT][BLOCK];
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        const int64_t count = n - begin < BLOCK ? n - begin : BLOCK;
        char *inner[BRIO_MAX_IN + BRIO_MAX_OUT];
        for (int k = 0; k < shape->nargs; k++) {
            const int width = shape->width[k];
            char *outer = args[k] + begin * (width ? width : 2);
            inner[k] = width ? outer : (char *)room[k];
            if (!width && k < shape->nin)
                widen((char *const[]){outer, inner[k]}, count);
        }
        BRIO_LEVELED(brio_loops_f32)[op](inner, count);
        for (int k = shape->nin; k < shape->nargs; k++)
            if (!shape->width[k])
                narrow(room[k], args[k] + begin * 2, count);
    }
}

/* nin, nargs, widths, by rule and number of inputs. */
#define SHAPE_SAME1                                                                                          \
    1, 2,                                                                                                    \
    {                                                                                                        \
        0, 0                                                                                                 \
    }
#define SHAPE_SAME2                                                                                          \
    2, 3,                                                                                                    \
    {                                                                                                        \
        0, 0, 0                                                                                              \
    }
#define SHAPE_SAME3                                                                                          \
    3, 4,                                                                                                    \
    {                                                                                                        \
        0, 0, 0, 0                                                                                           \
    }
#define SHAPE_MATH1 SHAPE_SAME1
#define SHAPE_MATH2 SHAPE_SAME2
#define SHAPE_DIVIDE2 SHAPE_SAME2
#define SHAPE_WIDE2 SHAPE_SAME2
#define SHAPE_DIVMOD2 SHAPE_PAIR2
#define SHAPE_PAIR1                                                                                          \
    1, 3,                                                                                                    \
    {                                                                                                        \
        0, 0, 0                                                                                              \
    }
#define SHAPE_PAIR2                                                                                          \
    2, 4,                                                                                                    \
    {                                                                                                        \
        0, 0, 0, 0                                                                                           \
    }
#define SHAPE_COMPARE2                                                                                       \
    2, 3,                                                                                                    \
    {                                                                                                        \
        0, 0, 1                                                                                              \
    }
#define SHAPE_LOGICAL2 SHAPE_COMPARE2
#define SHAPE_TEST1                                                                                          \
    1, 2,                                                                                                    \
    {                                                                                                        \
        0, 1                                                                                                 \
    }
#define SHAPE_TEST2                                                                                          \
    2, 3,                                                                                                    \
    {                                                                                                        \
        0, 0, 1                                                                                              \
    }
#define SHAPE_LDEXP2                                                                                         \
    2, 3,                                                                                                    \
    {                                                                                                        \
        0, 4, 0                                                                                              \
    }
#define SHAPE_FREXP1                                                                                         \
    1, 3,                                                                                                    \
    {                                                                                                        \
        0, 0, 4                                                                                              \
    }

static const half_shape choice_shape = {SHAPE_SAME2};

/* CHOOSE and NEXT work on the bits, TIES as described below. */
#define BY_FLOAT_SAME 1
#define BY_FLOAT_MATH 1
#define BY_FLOAT_DIVIDE 1
#define BY_FLOAT_WIDE 1
#define BY_FLOAT_PAIR 1
#define BY_FLOAT_DIVMOD 1
#define BY_FLOAT_COMPARE 1
#define BY_FLOAT_TEST 1
#define BY_FLOAT_LOGICAL 1
#define BY_FLOAT_WHOLE 0
#define BY_FLOAT_COUNT 0
#define BY_FLOAT_LDEXP 1
#define BY_FLOAT_FREXP 1
#define BY_FLOAT_CHOOSE 0
#define BY_FLOAT_NEXT 0
#define BY_FLOAT_TIES 0

#define DEFINE(name, ...)                                                                                    \
    static void loop_##name(char *const *args, int64_t n)                                                    \
    {                                                                                                        \
        static const half_shape shape = {__VA_ARGS__};                                                       \
        run_in_float(BRIO_OPCODE_##name, &shape, args, n);                                                   \
    }
#define BRIO_OP(name, nin, rule, b_, i_, u_, f_, ...)                                                        \
    BRIO_IF(BRIO_HAS(f_))(BRIO_IF(BY_FLOAT_##rule)(DEFINE(name, SHAPE_##rule##nin)))
#include "op/table.def"
#undef BRIO_OP

static void loop_where(char *const *args, int64_t n)
{
    BRIO_LEVELED(brio_loops_u16)[BRIO_OPCODE_where](args, n);
}

/* Of equal operands (0 and -0) NumPy takes the first in float16 and the second in the wider floats. */
static void loop_maximum(char *const *args, int64_t n)
{
    run_in_float(BRIO_OPCODE_maximum, &choice_shape, (char *const[]){args[1], args[0], args[2]}, n);
}

static void loop_minimum(char *const *args, int64_t n)
{
    run_in_float(BRIO_OPCODE_minimum, &choice_shape, (char *const[]){args[1], args[0], args[2]}, n);
}

static void loop_fmax(char *const *args, int64_t n)
{
    run_in_float(BRIO_OPCODE_fmax, &choice_shape, (char *const[]){args[1], args[0], args[2]}, n);
}

static void loop_fmin(char *const *args, int64_t n)
{
    run_in_float(BRIO_OPCODE_fmin, &choice_shape, (char *const[]){args[1], args[0], args[2]}, n);
}

static void loop_clip(char *const *args, int64_t n)
{
    uint16_t raised[BLOCK];
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        const int64_t count = n - begin < BLOCK ? n - begin : BLOCK;
        loop_maximum((char *const[]){args[0] + 2 * begin, args[1] + 2 * begin, (char *)raised}, count);
        loop_minimum((char *const[]){(char *)raised, args[2] + 2 * begin, args[3] + 2 * begin}, count);
    }
}

static uint16_t next_half(uint16_t a, uint16_t b)
{
    const uint16_t magnitude_a = a & 0x7fff, magnitude_b = b & 0x7fff;
    if (magnitude_a > 0x7c00 || magnitude_b > 0x7c00)
        return magnitude_a > 0x7c00 ? a : b;
    if (a == b || (magnitude_a | magnitude_b) == 0)
        return b;
    if (magnitude_a == 0)
        return (uint16_t)((b & 0x8000) | 1);
    const int away = (a & 0x8000) == (b & 0x8000) && magnitude_b > magnitude_a;
    return (uint16_t)(away ? a + 1 : a - 1);
}

static void loop_nextafter(char *const *args, int64_t n)
{
    const uint16_t *a = (const uint16_t *)args[0], *b = (const uint16_t *)args[1];
    uint16_t *y = (uint16_t *)args[2];
    for (int64_t i = 0; i < n; i++)
        y[i] = next_half(a[i], b[i]);
}

/* The distance to the next number upwards: NumPy's spacing of a negative float16 is positive. */
static void loop_spacing(char *const *args, int64_t n)
{
    const uint16_t *a = (const uint16_t *)args[0];
    uint16_t *y = (uint16_t *)args[1];
    for (int64_t i = 0; i < n; i++) {
        const int finite = (a[i] & 0x7c00) != 0x7c00;
        const float next = brio_float_of_half(next_half(a[i], 0x7c00));
        y[i] = finite ? brio_half_of_float(next - brio_float_of_half(a[i])) : 0x7e00;
    }
}

static void ldexp_i64(char *const *args, int64_t n)
{
    int32_t exponents[BLOCK];
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        const int64_t count = n - begin < BLOCK ? n - begin : BLOCK;
        const int64_t *b = (const int64_t *)args[1] + begin;
        for (int64_t i = 0; i < count; i++)
            exponents[i] = (int32_t)(b[i] > 1000 ? 1000 : b[i] < -1000 ? -1000 : b[i]);
        loop_ldexp((char *const[]){args[0] + 2 * begin, (char *)exponents, args[2] + 2 * begin}, count);
    }
}

const brio_loop BRIO_LEVELED(brio_loops_mixed2)[BRIO_OP_COUNT] = {[BRIO_OPCODE_ldexp] = ldexp_i64};

#define BRIO_OP(name, nin, rule, b_, i_, u_, f_, ...)                                                        \
    BRIO_IF(BRIO_HAS(f_))([BRIO_OPCODE_##name] = loop_##name, )
const brio_loop BRIO_LEVELED(brio_loops_f16)[BRIO_OP_COUNT] = {
#include "op/table.def"
};
