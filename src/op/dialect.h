/* The dialect of portable kernels: what a kernel body may use, and nothing else.
 *
 * The same text is compiled for every level of the host's processors and, behind another backend, for
 * a GPU at run time; so it is C that both understand: fixed-width types, these few functions, no
 * library call, no loop-carried state. Numerics: no contraction (-ffp-contract=off; BRIO_MULADD says
 * where a fused multiply-add may be used), no reassociation, subnormals kept. */
#ifndef BRIO_OP_DIALECT_H
#define BRIO_OP_DIALECT_H

#include <stdint.h>
#include <string.h>

#define BRIO_INLINE static inline __attribute__((always_inline))

BRIO_INLINE uint32_t brio_bits_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

BRIO_INLINE float brio_from_bits_f32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

BRIO_INLINE uint64_t brio_bits_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

BRIO_INLINE double brio_from_bits_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* a * b + c, fused where the processor level has the instruction (BRIO_FUSED), else rounded twice. Only
 * inside functions whose error bound holds either way. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDACC__)
#define BRIO_FUSED 1
#define BRIO_MULADD_F32(a, b, c) __builtin_fmaf((a), (b), (c))
#define BRIO_MULADD_F64(a, b, c) __builtin_fma((a), (b), (c))
#else
#define BRIO_FUSED 0
#define BRIO_MULADD_F32(a, b, c) ((a) * (b) + (c))
#define BRIO_MULADD_F64(a, b, c) ((a) * (b) + (c))
#endif

#endif
