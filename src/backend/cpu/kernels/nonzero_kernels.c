/* Counting non-zero bytes and writing their positions, for one processor level. */
#include "backend/cpu/kernels.h"
#include "backend/cpu/level.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

int64_t BRIO_LEVELED(brio_nonzero_count)(const uint8_t *mask, int64_t n);
void BRIO_LEVELED(brio_nonzero_emit)(const uint8_t *mask, int64_t begin, int64_t end, int64_t *to,
                                     const int64_t *stop);

/* Bit k is set when byte k of the word is not zero (bytes hold 0 or any other value). */
static inline uint32_t nonzero_bits(uint64_t word)
{
    uint64_t high = 0x8080808080808080ULL;
    uint64_t set = (((word & ~high) + ~high) | word) & high;
    return (uint32_t)((set >> 7) * 0x0102040810204080ULL >> 56);
}

int64_t BRIO_LEVELED(brio_nonzero_count)(const uint8_t *mask, int64_t n)
{
    int64_t count = 0, i = 0;
    while (i < n) {
        int64_t last = i + 255 * 32 < n ? i + 255 * 32 : n;
        uint8_t sums[32] = {0};
        for (; i + 32 <= last; i += 32) {
            for (int j = 0; j < 32; j++)
                sums[j] = (uint8_t)(sums[j] + (mask[i + j] != 0));
        }
        for (int j = 0; j < 32; j++)
            count += sums[j];
        for (; i < last; i++)
            count += mask[i] != 0;
    }
    return count;
}

/* Entry b: the places of the bits set in b, one a byte, lowest first. */
#define PLACE(b, j) ((b) >> (j)&1 ? (uint64_t)(j) << (8 * __builtin_popcount((b) & ((1 << (j)) - 1))) : 0)
#define PLACES(b)                                                                                            \
    (PLACE(b, 0) | PLACE(b, 1) | PLACE(b, 2) | PLACE(b, 3) | PLACE(b, 4) | PLACE(b, 5) | PLACE(b, 6) |       \
     PLACE(b, 7))
#define PLACES4(b) PLACES(b), PLACES((b) + 1), PLACES((b) + 2), PLACES((b) + 3)
#define PLACES16(b) PLACES4(b), PLACES4((b) + 4), PLACES4((b) + 8), PLACES4((b) + 12)
#define PLACES64(b) PLACES16(b), PLACES16((b) + 16), PLACES16((b) + 32), PLACES16((b) + 48)
static const uint64_t places[256] = {PLACES64(0), PLACES64(64), PLACES64(128), PLACES64(192)};

static inline void store_places(int64_t *to, int64_t base, uint64_t set)
{
#ifdef __AVX2__
    const __m128i bytes = _mm_cvtsi64_si128((long long)set);
    const __m256i from = _mm256_set1_epi64x(base);
    _mm256_storeu_si256((__m256i_u *)(void *)to, _mm256_add_epi64(from, _mm256_cvtepu8_epi64(bytes)));
    _mm256_storeu_si256((__m256i_u *)(void *)(to + 4),
                        _mm256_add_epi64(from, _mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4))));
#else
    for (int j = 0; j < 8; j++)
        to[j] = base + (int64_t)(set >> (8 * j) & 7);
#endif
}

void BRIO_LEVELED(brio_nonzero_emit)(const uint8_t *mask, int64_t begin, int64_t end, int64_t *to,
                                     const int64_t *stop)
{
    int64_t i = begin;
    /* Eight places are written whatever the bits, so the chunk's last eight are left for later. */
    for (; i + 8 <= end && to + 8 <= stop; i += 8) {
        uint64_t word;
        memcpy(&word, mask + i, 8);
        if (word == 0)
            continue;
        uint32_t bits = nonzero_bits(word);
        uint64_t set = places[bits];
        store_places(to, i, set);
        to += __builtin_popcount(bits);
    }
    for (; i < end; i++) {
        if (mask[i])
            *to++ = i;
    }
}
