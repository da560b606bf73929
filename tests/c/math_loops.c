/* One loop for each elementary function; MATH_LOOPS names the table, the compiler's flags the level. */
#include "math_loops.h"

#include "op/math/math.h"

#define UNARY_TYPED(name, suffix, T, I)                                                                      \
    static int64_t loop_##name##_##suffix(const T *restrict a, const T *b, T *restrict y, I *restrict flags, \
                                          size_t n)                                                          \
    {                                                                                                        \
        I seen = 0;                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                                     \
            seen |= brio_##name##_##suffix##_special(a[i]);                                                  \
            y[i] = brio_##name##_##suffix##_fast(a[i]);                                                      \
        }                                                                                                    \
        for (size_t i = 0; flags && i < n; i++)                                                              \
            flags[i] = brio_##name##_##suffix##_special(a[i]);                                               \
        return seen;                                                                                         \
    }

#define BINARY_TYPED(name, suffix, T, I)                                                                     \
    static int64_t loop_##name##_##suffix(const T *restrict a, const T *restrict b, T *restrict y,           \
                                          I *restrict flags, size_t n)                                       \
    {                                                                                                        \
        I seen = 0;                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                                     \
            seen |= brio_##name##_##suffix##_special(a[i], b[i]);                                            \
            y[i] = brio_##name##_##suffix##_fast(a[i], b[i]);                                                \
        }                                                                                                    \
        for (size_t i = 0; flags && i < n; i++)                                                              \
            flags[i] = brio_##name##_##suffix##_special(a[i], b[i]);                                         \
        return seen;                                                                                         \
    }

#define UNARY(name)                                                                                          \
    UNARY_TYPED(name, f32, float, int32_t)                                                                   \
    UNARY_TYPED(name, f64, double, int64_t)
#define BINARY(name)                                                                                         \
    BINARY_TYPED(name, f32, float, int32_t)                                                                  \
    BINARY_TYPED(name, f64, double, int64_t)
#include "math_list.h"
#undef UNARY
#undef BINARY

#define UNARY(name) {#name, loop_##name##_f32, loop_##name##_f64},
#define BINARY(name) UNARY(name)
const math_loop MATH_LOOPS[] = {
#include "math_list.h"
    {NULL, NULL, NULL}};
