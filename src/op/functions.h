/* The functions that the table's expressions name by F(): brio_<name>_<suffix> for each dtype. */
#ifndef BRIO_OP_FUNCTIONS_H
#define BRIO_OP_FUNCTIONS_H

#include "op/dialect.h"
#include "op/math/libm.h"
#include "op/math/math.h"
#include "op/rules.h"

#define BRIO_PI 3.14159265358979323846

#if !defined(__CUDACC__) /* a GPU has no flags to raise; who compiles for one defines these as nothing */
/* Raise a floating-point condition from integer arithmetic, as NumPy does. */
BRIO_INLINE void brio_raise_divide(void)
{
    volatile float zero = 0.0f;
    zero = 1.0f / zero;
}

BRIO_INLINE void brio_raise_overflow(void)
{
    volatile float large = 3e38f;
    large = large * large;
}
#endif

/* Whether a is 0; then, as NumPy does, it raises the condition, and without a branch. */
BRIO_INLINE int brio_inverts_zero(int64_t a)
{
    return 1.0f / (float)(int32_t)((uint32_t)a | (uint32_t)((uint64_t)a >> 32)) > 2.0f;
}

#define BRIO_F(name, suffix) BRIO_PASTE(brio_##name##_, suffix)

#define F(name) BRIO_F(name, SUFFIX)
/* The forms of an elementary function (op/math/math.h): kind is _fast or _special. */
#define FORM(name, kind) BRIO_PASTE(F(name), kind)

#define T int8_t
#define U uint8_t
#define W uint32_t
#define SUFFIX i8
#include "op/functions_signed.inc"
#define T int16_t
#define U uint16_t
#define W uint32_t
#define SUFFIX i16
#include "op/functions_signed.inc"
#define T int32_t
#define U uint32_t
#define W uint32_t
#define SUFFIX i32
#include "op/functions_signed.inc"
#define T int64_t
#define U uint64_t
#define W uint64_t
#define SUFFIX i64
#include "op/functions_signed.inc"
#define T uint8_t
#define W uint32_t
#define SUFFIX u8
#include "op/functions_unsigned.inc"
#define T uint16_t
#define W uint32_t
#define SUFFIX u16
#include "op/functions_unsigned.inc"
#define T uint32_t
#define W uint32_t
#define SUFFIX u32
#include "op/functions_unsigned.inc"
#define T uint64_t
#define W uint64_t
#define SUFFIX u64
#include "op/functions_unsigned.inc"

#define T float
#define U uint32_t
#define S int32_t
#define SUFFIX f32
#define EXPONENT 8
#define MULADD BRIO_MULADD_F32
#define MANTISSA 23
#include "op/functions_float.inc"
#define T double
#define U uint64_t
#define S int64_t
#define SUFFIX f64
#define EXPONENT 11
#define MULADD BRIO_MULADD_F64
#define MANTISSA 52
#include "op/functions_float.inc"

#undef F
#undef FORM

#endif
