/* The floating-point conditions of this thread: reading and forgetting them, at a few cycles each. */
#ifndef BRIO_CPU_FP_H
#define BRIO_CPU_FP_H

#include "backend/backend.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

/* The condition bits of both units, which lie alike: a compiler may use the x87 unit's remainder for fmod. */
static inline unsigned brio_fp_x87(void)
{
    unsigned short status;
    __asm__ volatile("fnstsw %0" : "=a"(status));
    return status & 63u;
}

static inline uint32_t brio_fp_read(void)
{
    const unsigned raised = _mm_getcsr() | brio_fp_x87();
    return (raised & 4 ? BRIO_FPE_DIVIDE : 0) | (raised & 8 ? BRIO_FPE_OVERFLOW : 0) |
           (raised & 16 ? BRIO_FPE_UNDERFLOW : 0) | (raised & 1 ? BRIO_FPE_INVALID : 0);
}

static inline void brio_fp_clear(void)
{
    const unsigned raised = _mm_getcsr();
    if (raised & 63)
        _mm_setcsr(raised & ~63u);
    if (brio_fp_x87())
        __asm__ volatile("fnclex");
}
#else
#include <fenv.h>

static inline uint32_t brio_fp_read(void)
{
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_DIVBYZERO ? BRIO_FPE_DIVIDE : 0) | (raised & FE_OVERFLOW ? BRIO_FPE_OVERFLOW : 0) |
           (raised & FE_UNDERFLOW ? BRIO_FPE_UNDERFLOW : 0) | (raised & FE_INVALID ? BRIO_FPE_INVALID : 0);
}

static inline void brio_fp_clear(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}
#endif

#endif
