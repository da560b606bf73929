/* The elementary functions as loops, compiled once for each processor level that a test names. */
#ifndef BRIO_TESTS_MATH_LOOPS_H
#define BRIO_TESTS_MATH_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Both run `fast` over n elements and return the OR of `special` over them; flags[i] is special of
 * element i, unless flags is NULL. Unary functions ignore b. */
typedef int64_t math_loop_f32(const float *a, const float *b, float *y, int32_t *flags, size_t n);
typedef int64_t math_loop_f64(const double *a, const double *b, double *y, int64_t *flags, size_t n);

typedef struct math_loop {
    const char *name;
    math_loop_f32 *f32;
    math_loop_f64 *f64;
} math_loop;

/* Ends with a NULL name. */
extern const math_loop math_loops_v2[];
extern const math_loop math_loops_v3[];
extern const math_loop math_loops_portable[];

#endif
