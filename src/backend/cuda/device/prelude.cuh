/* What every kernel made at run time begins with: fixed-width types, the C library's functions under the
 * names that op/ uses, the dialect, and loads and stores of several elements. */
#ifndef BRIO_CUDA_PRELUDE
#define BRIO_CUDA_PRELUDE

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807LL - 1)

#define BRIO_PASTE_(a, b) a##b
#define BRIO_PASTE(a, b) BRIO_PASTE_(a, b)
/* The device has fused multiply-add. */
#define __FMA__ 1

#define __builtin_fmaf fmaf
#define __builtin_fma fma
#define __builtin_expf expf
#define __builtin_exp exp
#define __builtin_exp2f exp2f
#define __builtin_exp2 exp2
#define __builtin_expm1f expm1f
#define __builtin_expm1 expm1
#define __builtin_logf logf
#define __builtin_log log
#define __builtin_log2f log2f
#define __builtin_log2 log2
#define __builtin_log10f log10f
#define __builtin_log10 log10
#define __builtin_log1pf log1pf
#define __builtin_log1p log1p
#define __builtin_sinf sinf
#define __builtin_sin sin
#define __builtin_cosf cosf
#define __builtin_cos cos
#define __builtin_tanf tanf
#define __builtin_tan tan
#define __builtin_asinf asinf
#define __builtin_asin asin
#define __builtin_acosf acosf
#define __builtin_acos acos
#define __builtin_atanf atanf
#define __builtin_atan atan
#define __builtin_sinhf sinhf
#define __builtin_sinh sinh
#define __builtin_coshf coshf
#define __builtin_cosh cosh
#define __builtin_tanhf tanhf
#define __builtin_tanh tanh
#define __builtin_asinhf asinhf
#define __builtin_asinh asinh
#define __builtin_acoshf acoshf
#define __builtin_acosh acosh
#define __builtin_atanhf atanhf
#define __builtin_atanh atanh
#define __builtin_cbrtf cbrtf
#define __builtin_cbrt cbrt
#define __builtin_fabsf fabsf
#define __builtin_fabs fabs
#define __builtin_sqrtf sqrtf
#define __builtin_sqrt sqrt
#define __builtin_floorf floorf
#define __builtin_floor floor
#define __builtin_ceilf ceilf
#define __builtin_ceil ceil
#define __builtin_truncf truncf
#define __builtin_trunc trunc
#define __builtin_rintf rintf
#define __builtin_rint rint
#define __builtin_powf powf
#define __builtin_pow pow
#define __builtin_atan2f atan2f
#define __builtin_atan2 atan2
#define __builtin_hypotf hypotf
#define __builtin_hypot hypot
#define __builtin_fmodf fmodf
#define __builtin_fmod fmod
#define __builtin_copysignf copysignf
#define __builtin_copysign copysign
#define __builtin_popcountll __popcll
#define __builtin_nan(text) brio_from_bits_f64(0x7ff8000000000000u)

/* Conditions are found from operands and results instead. */
#define brio_raise_divide() ((void)0)
#define brio_raise_overflow() ((void)0)
#if USES_FUNCTIONS
#include "op/functions.h"
#endif
#include "op/cast.h"

/* The slots whose inputs differ. */
#define MIXED(name, of_iu, of_ui)                                                                            \
    BRIO_INLINE uint8_t op_##name##_mixed0(int64_t a, uint64_t b)                                            \
    {                                                                                                        \
        return of_iu;                                                                                        \
    }                                                                                                        \
    BRIO_INLINE uint8_t op_##name##_mixed1(uint64_t a, int64_t b)                                            \
    {                                                                                                        \
        return of_ui;                                                                                        \
    }
MIXED(less, (a < 0) | ((uint64_t)a < b), (b >= 0) & (a < (uint64_t)b))
MIXED(less_equal, (a < 0) | ((uint64_t)a <= b), (b >= 0) & (a <= (uint64_t)b))
MIXED(greater, (a >= 0) & ((uint64_t)a > b), (b < 0) | (a > (uint64_t)b))
MIXED(greater_equal, (a >= 0) & ((uint64_t)a >= b), (b < 0) | (a >= (uint64_t)b))
MIXED(equal, (a >= 0) & ((uint64_t)a == b), (b >= 0) & (a == (uint64_t)b))
MIXED(not_equal, (a < 0) | ((uint64_t)a != b), (b < 0) | (a != (uint64_t)b))
#undef MIXED

#if USES_FUNCTIONS
BRIO_INLINE float op_ldexp_mixed0(float a, int64_t b)
{
    return brio_ldexp_f32(a, b);
}

BRIO_INLINE double op_ldexp_mixed1(double a, int64_t b)
{
    return brio_ldexp_f64(a, b);
}

BRIO_INLINE uint16_t op_ldexp_mixed2(uint16_t a, int64_t b)
{
    const int64_t exponent = b > 1000 ? 1000 : b < -1000 ? -1000 : b;
    return brio_half_of_float(brio_ldexp_f32(brio_float_of_half(a), exponent));
}
#endif

/* Of equal numbers float16 takes the first. */
BRIO_INLINE float brio_clip_half(float a, float low, float high)
{
    const float raised = ((low > a) | (low != low)) ? low : a;
    return ((high < raised) | (high != high)) ? high : raised;
}

/* ---- Conditions ---- */

BRIO_INLINE float as_f16(uint16_t x)
{
    return brio_float_of_half(x);
}

BRIO_INLINE float as_f32(float x)
{
    return x;
}

BRIO_INLINE double as_f64(double x)
{
    return x;
}

/* Where an operation's infinity from finite numbers is a pole (DIVIDE), not OVERFLOW: never, always, where
 * the second (first) operand is 0; QUOTIENT is SECOND, and an overflow is INVALID too. */
enum { NEVER, ALWAYS, SECOND, FIRST, QUOTIENT };
#define POLE_add NEVER
#define POLE_subtract NEVER
#define POLE_multiply NEVER
#define POLE_divide SECOND
#define POLE_floor_divide QUOTIENT
#define POLE_remainder NEVER
#define POLE_fmod NEVER
#define POLE_divmod QUOTIENT
#define POLE_power FIRST
#define POLE_float_power FIRST
#define POLE_reciprocal FIRST
#define POLE_square NEVER
#define POLE_sqrt NEVER
#define POLE_cbrt NEVER
#define POLE_exp NEVER
#define POLE_exp2 NEVER
#define POLE_expm1 NEVER
#define POLE_log ALWAYS
#define POLE_log2 ALWAYS
#define POLE_log10 ALWAYS
#define POLE_log1p ALWAYS
#define POLE_logaddexp NEVER
#define POLE_logaddexp2 NEVER
#define POLE_sin NEVER
#define POLE_cos NEVER
#define POLE_tan NEVER
#define POLE_arcsin NEVER
#define POLE_arccos NEVER
#define POLE_arctan NEVER
#define POLE_arctan2 NEVER
#define POLE_sinh NEVER
#define POLE_cosh NEVER
#define POLE_tanh NEVER
#define POLE_arcsinh NEVER
#define POLE_arccosh NEVER
#define POLE_arctanh ALWAYS
#define POLE_hypot NEVER
#define POLE_degrees NEVER
#define POLE_radians NEVER
#define POLE_rad2deg NEVER
#define POLE_deg2rad NEVER
#define POLE_ldexp NEVER

/* DIVIDE 1, OVERFLOW 2, INVALID 8. */
template <class Y, class A>
BRIO_INLINE uint32_t brio_conditions(Y y, A a, A b, int pole)
{
    if (y != y)
        return a != a || b != b ? 0 : 8;
    if (y - y == 0)
        return 0;
    if (!(a - a == 0 && b - b == 0))
        return 0;
    if (pole == ALWAYS || (pole >= SECOND && pole != FIRST && b == 0) || (pole == FIRST && a == 0))
        return 1;
    return pole == QUOTIENT ? 2 | 8 : 2;
}

#define CAST_TO_INT(from, type, to, low, high)                                                               \
    BRIO_INLINE uint32_t brio_cast_conditions_##from##_##to(type x)                                          \
    {                                                                                                        \
        return as_##from(x) > low && as_##from(x) < high ? 0 : 8;                                            \
    }
#define CASTS_OF(from, type)                                                                                 \
    CAST_TO_INT(from, type, i8, -2147483649.0, 2147483648.0)                                                 \
    CAST_TO_INT(from, type, i16, -2147483649.0, 2147483648.0)                                                \
    CAST_TO_INT(from, type, i32, -2147483649.0, 2147483648.0)                                                \
    CAST_TO_INT(from, type, i64, -0x1.0000000000001p63, 0x1p63)                                              \
    CAST_TO_INT(from, type, u8, -2147483649.0, 2147483648.0)                                                 \
    CAST_TO_INT(from, type, u16, -2147483649.0, 2147483648.0)                                                \
    CAST_TO_INT(from, type, u32, -0x1.0000000000001p63, 0x1p63)                                              \
    CAST_TO_INT(from, type, u64, -0x1.0000000000001p63, 0x1p64)                                              \
    BRIO_INLINE uint32_t brio_cast_conditions_##from##_bool(type x)                                          \
    {                                                                                                        \
        return 0;                                                                                            \
    }
CASTS_OF(f16, uint16_t)
CASTS_OF(f32, float)
CASTS_OF(f64, double)
#undef CAST_TO_INT
#undef CASTS_OF

BRIO_INLINE uint32_t brio_cast_conditions_f16_f32(uint16_t x)
{
    return 0;
}

BRIO_INLINE uint32_t brio_cast_conditions_f16_f64(uint16_t x)
{
    return 0;
}

BRIO_INLINE uint32_t brio_cast_conditions_f32_f64(float x)
{
    return 0;
}

BRIO_INLINE uint32_t brio_cast_conditions_f32_f16(float x)
{
    return x - x == 0 && fabsf(x) >= 65520.0f ? 2 : 0;
}

BRIO_INLINE uint32_t brio_cast_conditions_f64_f16(double x)
{
    return x - x == 0 && fabs(x) >= 65520.0 ? 2 : 0;
}

BRIO_INLINE uint32_t brio_cast_conditions_f64_f32(double x)
{
    return x - x == 0 && isinf((float)x) ? 2 : 0;
}

/* ---- Elements in packs of at most 16 bytes ---- */

template <int BYTES> struct alignas(BYTES) Pack {
    unsigned char bytes[BYTES];
};

template <int BYTES> struct Word;
template <> struct Word<1> {
    typedef unsigned char type;
};
template <> struct Word<2> {
    typedef unsigned short type;
};
template <> struct Word<4> {
    typedef unsigned int type;
};
template <> struct Word<8> {
    typedef uint2 type;
};
template <> struct Word<16> {
    typedef uint4 type;
};

template <class T, int N> BRIO_INLINE void load_pack(const T *from, T *x)
{
    const int bytes = sizeof(T) * N < 16 ? sizeof(T) * N : 16, each = bytes / sizeof(T);
    typedef typename Word<bytes>::type word;
#pragma unroll
    for (int k = 0; k < N / each; k++) {
        const word w = __ldcs((const word *)(from + k * each));
        memcpy(x + k * each, &w, bytes);
    }
}

template <class T, int N> BRIO_INLINE void load_some(const T *from, int count, T *x)
{
#pragma unroll
    for (int j = 0; j < N; j++)
        if (j < count)
            x[j] = from[j];
}

template <class T, int N> BRIO_INLINE void store_pack(T *to, const T *y)
{
    const int bytes = sizeof(T) * N < 16 ? sizeof(T) * N : 16, each = bytes / sizeof(T);
    typedef typename Word<bytes>::type word;
#pragma unroll
    for (int k = 0; k < N / each; k++) {
        word w;
        memcpy(&w, y + k * each, bytes);
        __stcs((word *)(to + k * each), w);
    }
}

template <class T, int N> BRIO_INLINE void store_some(T *to, int count, const T *y)
{
#pragma unroll
    for (int j = 0; j < N; j++)
        if (j < count)
            to[j] = y[j];
}

#endif
