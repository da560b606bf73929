/* Element types, their promotion and their casts. */
#ifndef BRIO_DTYPE_H
#define BRIO_DTYPE_H

#include <brio/status.h>

BRIO_BEGIN_DECLS

/* enum name, public name, bytes, kind ('b' bool, 'i' int, 'u' unsigned, 'f' float, 'c' complex).
 * float16 is stored as 16 bits and computed in float32. The complex types are named here so that
 * codes stay stable; no operation takes them yet (BRIO_E_TYPE). */
#define BRIO_DTYPE_TABLE(X)                                                                                  \
    X(BOOL, "bool", 1, 'b')                                                                                  \
    X(I8, "int8", 1, 'i')                                                                                    \
    X(I16, "int16", 2, 'i')                                                                                  \
    X(I32, "int32", 4, 'i')                                                                                  \
    X(I64, "int64", 8, 'i')                                                                                  \
    X(U8, "uint8", 1, 'u')                                                                                   \
    X(U16, "uint16", 2, 'u')                                                                                 \
    X(U32, "uint32", 4, 'u')                                                                                 \
    X(U64, "uint64", 8, 'u')                                                                                 \
    X(F16, "float16", 2, 'f')                                                                                \
    X(F32, "float32", 4, 'f')                                                                                \
    X(F64, "float64", 8, 'f')                                                                                \
    X(C64, "complex64", 8, 'c')                                                                              \
    X(C128, "complex128", 16, 'c')

typedef enum brio_dtype {
#define BRIO_DTYPE_ENUM(name, text, size, kind) BRIO_##name,
    BRIO_DTYPE_TABLE(BRIO_DTYPE_ENUM)
#undef BRIO_DTYPE_ENUM
        BRIO_DTYPE_COUNT
} brio_dtype;

/** One element of any dtype, in the member of that dtype (float16 as its bits in u16). */
typedef union brio_value {
    uint8_t b;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    uint16_t f16;
    float f32;
    double f64;
    double c128[2];
} brio_value;

typedef enum brio_casting {
    BRIO_CAST_NO,
    BRIO_CAST_EQUIV,
    BRIO_CAST_SAFE,
    BRIO_CAST_SAME_KIND,
    BRIO_CAST_UNSAFE
} brio_casting;

/** Bytes of one element; 0 for a value that names no dtype. */
BRIO_EXPORT size_t brio_dtype_size(brio_dtype dtype);

/** 'b', 'i', 'u', 'f' or 'c'; 0 for a value that names no dtype. */
BRIO_EXPORT char brio_dtype_kind(brio_dtype dtype);

/** "float64" and so on; "?" for a value that names no dtype. Static. */
BRIO_EXPORT const char *brio_dtype_name(brio_dtype dtype);

/** The dtype called `name` ("float32"). BRIO_E_TYPE with the name when there is none. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_dtype_find(const char *name, brio_dtype *out);

/** The smallest dtype to which both cast safely, as numpy.promote_types; BRIO_DTYPE_COUNT when one of them
 * names no dtype. */
BRIO_EXPORT brio_dtype brio_dtype_promote(brio_dtype a, brio_dtype b);

/** Whether `from` casts to `to` under the rule, as numpy.can_cast; 0 or 1; 0 for what names no dtype. */
BRIO_EXPORT int brio_dtype_can_cast(brio_dtype from, brio_dtype to, brio_casting casting);

BRIO_END_DECLS
#endif
