/* Which level's kernels run: the best that was built and that processor and system support, or the lower
 * one that BRIO_CPU_LEVEL names. */
#include "backend/cpu/kernels.h"

#include <brio/config.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* What the system saves on a switch of context. */
static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
}

#define ALL(word, bits) (((word) & (bits)) == (bits))

/* 1, 2, 3 or 4 by the definitions of the x86-64 psABI. */
static int processor_level(void)
{
    const unsigned v2 = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B;
    const unsigned v3 = bit_AVX | bit_F16C | bit_FMA | bit_MOVBE | bit_OSXSAVE;
    const unsigned v3_extended = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned v4_extended = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
    unsigned a, b, c, d, c1, b7 = 0, c81 = 0;
    if (!__get_cpuid(1, &a, &b, &c1, &d) || !ALL(c1, v2))
        return 1;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        b7 = b;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d))
        c81 = c;
    if (!ALL(c1, v3) || !ALL(b7, v3_extended) || !ALL(c81, bit_LZCNT) || !ALL(read_xcr0(), 0x6))
        return 2;
    return ALL(b7, v4_extended) && ALL(read_xcr0(), 0xe6) ? 4 : 3;
}
#else
static int processor_level(void)
{
    return 0;
}
#endif

/* The levels that were built (BRIO_CPU_LEVELS is a list of X(suffix, level, name) from meson), rising. */
#define DECLARE(suffix, level, text) const brio_cpu_kernels *brio_cpu_kernels_##suffix(void);
BRIO_CPU_LEVELS(DECLARE)
#undef DECLARE

typedef struct built_level {
    const char *suffix;
    int level;
    const char *text;
    const brio_cpu_kernels *(*kernels)(void);
} built_level;

static const built_level built[] = {
#define ENTRY(suffix, level, text) {#suffix, level, text, brio_cpu_kernels_##suffix},
    BRIO_CPU_LEVELS(ENTRY)
#undef ENTRY
};

static const built_level *choose(void)
{
    const int have = processor_level();
    const char *wish = getenv("BRIO_CPU_LEVEL");
    const built_level *best = &built[0];
    for (size_t k = 0; k < sizeof built / sizeof built[0]; k++) {
        if (built[k].level > have)
            break;
        best = &built[k];
        if (wish && strcmp(wish, built[k].suffix) == 0)
            break;
    }
    return best;
}

static const built_level *chosen(void)
{
    static _Atomic(const built_level *) once;
    const built_level *level = atomic_load_explicit(&once, memory_order_acquire);
    if (!level) {
        level = choose();
        atomic_store_explicit(&once, level, memory_order_release);
    }
    return level;
}

const brio_cpu_kernels *brio_cpu_kernels_now(void)
{
    return chosen()->kernels();
}

const brio_cpu_kernels *brio_cpu_kernels_at(int index, int *runs)
{
    if (index < 0 || index >= (int)(sizeof built / sizeof built[0]))
        return NULL;
    *runs = built[index].level <= processor_level();
    return built[index].kernels();
}

const char *brio_cpu_level(void)
{
    return chosen()->text;
}

brio_loop brio_cpu_loop(brio_op op, int slot)
{
    return brio_cpu_kernels_now()->loops[slot][op];
}

brio_loop brio_cpu_cast(brio_dtype from, brio_dtype to)
{
    return brio_cpu_kernels_now()->casts[from][to];
}
