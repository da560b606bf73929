/* Moving strided elements into tiles and back, and tiles past the caches. */
#include "backend/cpu/level.h"
#include "backend/cpu/kernels.h"

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Rows of a known small number of columns, so that the inner loop is unrolled. */
#define PACK_COLUMNS(T, columns)                                                                             \
    for (int64_t r = 0; r < rows; r++, from += row_stride)                                                   \
        for (int64_t c = 0; c < (columns); c++)                                                              \
            *y++ = *(const T *)(from + c * col_stride);
#define UNPACK_COLUMNS(T, columns)                                                                           \
    for (int64_t r = 0; r < rows; r++, to += row_stride)                                                     \
        for (int64_t c = 0; c < (columns); c++)                                                              \
            *(T *)(to + c * col_stride) = *x++;

#define DEFINE(T)                                                                                            \
    static void pack_##T(char *to, const char *from, int64_t rows, int64_t cols, int64_t row_stride,         \
                         int64_t col_stride)                                                                 \
    {                                                                                                        \
        T *y = (T *)to;                                                                                      \
        if (cols == 1) {                                                                                     \
            for (int64_t r = 0; r < rows; r++)                                                               \
                y[r] = *(const T *)(from + r * row_stride);                                                  \
        } else if (cols == 2) {                                                                              \
            PACK_COLUMNS(T, 2)                                                                               \
        } else if (cols == 3) {                                                                              \
            PACK_COLUMNS(T, 3)                                                                               \
        } else if (cols == 4) {                                                                              \
            PACK_COLUMNS(T, 4)                                                                               \
        } else if (col_stride == (int64_t)sizeof(T)) {                                                       \
            for (int64_t r = 0; r < rows; r++, from += row_stride, y += cols)                                \
                memcpy(y, from, (size_t)cols * sizeof(T));                                                   \
        } else if (col_stride == 0) {                                                                        \
            for (int64_t r = 0; r < rows; r++, from += row_stride, y += cols) {                              \
                const T x = *(const T *)from;                                                                \
                for (int64_t c = 0; c < cols; c++)                                                           \
                    y[c] = x;                                                                                \
            }                                                                                                \
        } else {                                                                                             \
            PACK_COLUMNS(T, cols)                                                                            \
        }                                                                                                    \
    }                                                                                                        \
    static void unpack_##T(char *to, const char *from, int64_t rows, int64_t cols, int64_t row_stride,       \
                           int64_t col_stride)                                                               \
    {                                                                                                        \
        const T *x = (const T *)from;                                                                        \
        if (cols == 1) {                                                                                     \
            for (int64_t r = 0; r < rows; r++)                                                               \
                *(T *)(to + r * row_stride) = x[r];                                                          \
        } else if (cols == 2) {                                                                              \
            UNPACK_COLUMNS(T, 2)                                                                             \
        } else if (cols == 3) {                                                                              \
            UNPACK_COLUMNS(T, 3)                                                                             \
        } else if (cols == 4) {                                                                              \
            UNPACK_COLUMNS(T, 4)                                                                             \
        } else if (col_stride == (int64_t)sizeof(T)) {                                                       \
            for (int64_t r = 0; r < rows; r++, to += row_stride, x += cols)                                  \
                memcpy(to, x, (size_t)cols * sizeof(T));                                                     \
        } else {                                                                                             \
            UNPACK_COLUMNS(T, cols)                                                                          \
        }                                                                                                    \
    }

DEFINE(uint8_t)
DEFINE(uint16_t)
DEFINE(uint32_t)
DEFINE(uint64_t)

/* Whole vectors go past the caches, the ragged ends through them. */
static void stream(char *to, const char *from, size_t bytes)
{
#if defined(__AVX__)
    typedef __m256i vector;
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, v) _mm256_stream_si256((__m256i *)(p), v)
#elif defined(__SSE2__)
    typedef __m128i vector;
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE(p, v) _mm_stream_si128((__m128i *)(p), v)
#endif
#if defined(__SSE2__)
    size_t head = -(uintptr_t)to % 64;
    if (head > bytes)
        head = bytes;
    memcpy(to, from, head);
    size_t done = head;
    for (; done + 64 <= bytes; done += 64)
        for (size_t k = 0; k < 64; k += sizeof(vector))
            STORE(to + done + k, LOAD(from + done + k));
    memcpy(to + done, from + done, bytes - done);
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

#define PACKS(name)                                                                                          \
    {                                                                                                        \
        name##_uint8_t, name##_uint16_t, name##_uint32_t, name##_uint64_t                                    \
    }
const brio_pack BRIO_LEVELED(brio_packs)[4] = PACKS(pack);
const brio_pack BRIO_LEVELED(brio_unpacks)[4] = PACKS(unpack);
void BRIO_LEVELED(brio_stream)(char *to, const char *from, size_t bytes);
void BRIO_LEVELED(brio_stream)(char *to, const char *from, size_t bytes)
{
    stream(to, from, bytes);
}
