/* Random numbers for tests, the same in every run: xorshift64 (Marsaglia 2003). */
#ifndef BRIO_TESTS_RANDOM_H
#define BRIO_TESTS_RANDOM_H

#include <stdint.h>

static uint64_t seed = 88172645463325252ULL;

static inline uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

#endif
