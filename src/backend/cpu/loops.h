/* The shapes of loop that the table's expressions are put into, by number of inputs and outputs.
 *
 * Every loop loads all its inputs before it stores, so that an output may be exactly an input. */
#ifndef BRIO_CPU_LOOPS_H
#define BRIO_CPU_LOOPS_H

#include "backend/cpu/kernels.h"
#include "backend/cpu/level.h"
#include "op/functions.h"

/* Iterations do not depend on each other, whatever the pointers look like. */
#if defined(__clang__)
#define BRIO_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define BRIO_IVDEP _Pragma("GCC ivdep")
#endif

/* Expressions may ignore an input (isnan of an integer) or compare it with itself. */
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wbool-operation"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wtautological-constant-compare"
#pragma GCC diagnostic ignored "-Wpass-failed"
#endif

/* The unused ones among A, B, C, Y, Z (rules.h) stay unused. */
#define BRIO_LOOP_11(name, expression, ...) BRIO_LOOP_11_(BRIO_LOOP_NAME(name), expression, __VA_ARGS__)
#define BRIO_LOOP_11_(loop, expression, A, B, C, Y, Z)                                                       \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        const A *pa = (const A *)args[0];                                                                    \
        Y *py = (Y *)args[1];                                                                                \
        BRIO_IVDEP                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const A a = pa[i];                                                                               \
            (void)a;                                                                                         \
            py[i] = (Y)(expression);                                                                         \
        }                                                                                                    \
    }

#define BRIO_LOOP_21(name, expression, ...) BRIO_LOOP_21_(BRIO_LOOP_NAME(name), expression, __VA_ARGS__)
#define BRIO_LOOP_21_(loop, expression, A, B, C, Y, Z)                                                       \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        const A *pa = (const A *)args[0];                                                                    \
        const B *pb = (const B *)args[1];                                                                    \
        Y *py = (Y *)args[2];                                                                                \
        BRIO_IVDEP                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const A a = pa[i];                                                                               \
            const B b = pb[i];                                                                               \
            py[i] = (Y)(expression);                                                                         \
        }                                                                                                    \
    }

#define BRIO_LOOP_31(name, expression, ...) BRIO_LOOP_31_(BRIO_LOOP_NAME(name), expression, __VA_ARGS__)
#define BRIO_LOOP_31_(loop, expression, A, B, C, Y, Z)                                                       \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        const A *pa = (const A *)args[0];                                                                    \
        const B *pb = (const B *)args[1];                                                                    \
        const C *pc = (const C *)args[2];                                                                    \
        Y *py = (Y *)args[3];                                                                                \
        BRIO_IVDEP                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const A a = pa[i];                                                                               \
            const B b = pb[i];                                                                               \
            const C c = pc[i];                                                                               \
            py[i] = (Y)(expression);                                                                         \
        }                                                                                                    \
    }

#define BRIO_LOOP_12(name, expression, ...) BRIO_LOOP_12_(BRIO_LOOP_NAME(name), expression, __VA_ARGS__)
#define BRIO_LOOP_12_(loop, expression, A, B, C, Y, Z)                                                       \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        const A *pa = (const A *)args[0];                                                                    \
        Y *py = (Y *)args[1];                                                                                \
        Z *pz = (Z *)args[2];                                                                                \
        BRIO_IVDEP                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const A a = pa[i];                                                                               \
            Z z;                                                                                             \
            py[i] = (Y)(expression);                                                                         \
            pz[i] = z;                                                                                       \
        }                                                                                                    \
    }

#define BRIO_LOOP_22(name, expression, ...) BRIO_LOOP_22_(BRIO_LOOP_NAME(name), expression, __VA_ARGS__)
#define BRIO_LOOP_22_(loop, expression, A, B, C, Y, Z)                                                       \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        const A *pa = (const A *)args[0];                                                                    \
        const B *pb = (const B *)args[1];                                                                    \
        Y *py = (Y *)args[2];                                                                                \
        Z *pz = (Z *)args[3];                                                                                \
        BRIO_IVDEP                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const A a = pa[i];                                                                               \
            const B b = pb[i];                                                                               \
            Z z;                                                                                             \
            py[i] = (Y)(expression);                                                                         \
            pz[i] = z;                                                                                       \
        }                                                                                                    \
    }

/* Elementary functions (op/math/math.h): the straight-line form over a block, then libm for the operands
 * that are not regular, found once more as a vector. Blocks are copied first, since an output may be an
 * input. */
#define BRIO_MATH_BLOCK 512

#define BRIO_MATH_11(name, expression, ...) BRIO_MATH_11_(BRIO_LOOP_NAME(name), name, __VA_ARGS__)
#define BRIO_MATH_11_(loop, name, A, B, C, Y, Z)                                                             \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        A copy[BRIO_MATH_BLOCK];                                                                             \
        S special[BRIO_MATH_BLOCK];                                                                          \
        for (int64_t begin = 0; begin < n; begin += BRIO_MATH_BLOCK) {                                       \
            const int64_t count = n - begin < BRIO_MATH_BLOCK ? n - begin : BRIO_MATH_BLOCK;                 \
            const A *pa = (const A *)args[0] + begin;                                                        \
            Y *py = (Y *)args[1] + begin;                                                                    \
            if (args[0] == args[1])                                                                          \
                pa = memcpy(copy, pa, (size_t)count * sizeof(A));                                            \
            S seen = 0;                                                                                      \
            BRIO_IVDEP                                                                                       \
            for (int64_t i = 0; i < count; i++) {                                                            \
                seen |= BRIO_PASTE(special_, name)(pa[i], pa[i]);                                            \
                py[i] = BRIO_PASTE(fast_, name)(pa[i], pa[i]);                                               \
            }                                                                                                \
            if (seen) {                                                                                      \
                BRIO_IVDEP                                                                                   \
                for (int64_t i = 0; i < count; i++)                                                          \
                    special[i] = BRIO_PASTE(special_, name)(pa[i], pa[i]);                                   \
                for (int64_t i = 0; i < count; i++)                                                          \
                    if (special[i])                                                                          \
                        py[i] = BRIO_PASTE(plain_, name)(pa[i], pa[i]);                                      \
            }                                                                                                \
        }                                                                                                    \
    }

#define BRIO_MATH_21(name, expression, ...) BRIO_MATH_21_(BRIO_LOOP_NAME(name), name, __VA_ARGS__)
#define BRIO_MATH_21_(loop, name, A, B, C, Y, Z)                                                             \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        A copy_a[BRIO_MATH_BLOCK], copy_b[BRIO_MATH_BLOCK];                                                  \
        S special[BRIO_MATH_BLOCK];                                                                          \
        for (int64_t begin = 0; begin < n; begin += BRIO_MATH_BLOCK) {                                       \
            const int64_t count = n - begin < BRIO_MATH_BLOCK ? n - begin : BRIO_MATH_BLOCK;                 \
            const A *pa = (const A *)args[0] + begin, *pb = (const A *)args[1] + begin;                      \
            Y *py = (Y *)args[2] + begin;                                                                    \
            if (args[0] == args[2])                                                                          \
                pa = memcpy(copy_a, pa, (size_t)count * sizeof(A));                                          \
            if (args[1] == args[2])                                                                          \
                pb = memcpy(copy_b, pb, (size_t)count * sizeof(A));                                          \
            S seen = 0;                                                                                      \
            BRIO_IVDEP                                                                                       \
            for (int64_t i = 0; i < count; i++) {                                                            \
                seen |= BRIO_PASTE(special_, name)(pa[i], pb[i]);                                            \
                py[i] = BRIO_PASTE(fast_, name)(pa[i], pb[i]);                                               \
            }                                                                                                \
            if (seen) {                                                                                      \
                BRIO_IVDEP                                                                                   \
                for (int64_t i = 0; i < count; i++)                                                          \
                    special[i] = BRIO_PASTE(special_, name)(pa[i], pb[i]);                                   \
                for (int64_t i = 0; i < count; i++)                                                          \
                    if (special[i])                                                                          \
                        py[i] = BRIO_PASTE(plain_, name)(pa[i], pb[i]);                                      \
            }                                                                                                \
        }                                                                                                    \
    }

/* Integers: division by one divisor has a form of its own (divide.h). */
#define DIVIDE_MIN 64
#define BRIO_DOUBLE_i8 uint16_t
#define BRIO_DOUBLE_u8 uint16_t
#define BRIO_DOUBLE_i16 uint32_t
#define BRIO_DOUBLE_u16 uint32_t
#define BRIO_DOUBLE_i32 uint64_t
#define BRIO_DOUBLE_u32 uint64_t
#define BRIO_DOUBLE_i64 brio_u128
#define BRIO_DOUBLE_u64 brio_u128
__extension__ typedef unsigned __int128 brio_u128;
#define BRIO_DIVIDES_floor_divide floor_all
#define BRIO_DIVIDES_remainder modulo_all
#define BRIO_DIVIDES_fmod rest_all

#define BRIO_WHOLE_21(name, expression, ...)                                                                 \
    BRIO_PASTE(BRIO_WHOLE_21_, BRIO_IS_DIVISION_##name)(name, expression, __VA_ARGS__)
#define BRIO_IS_DIVISION_floor_divide 1
#define BRIO_IS_DIVISION_remainder 1
#define BRIO_IS_DIVISION_fmod 1
#define BRIO_IS_DIVISION_power 0
#define BRIO_WHOLE_21_0(name, expression, ...) BRIO_LOOP_21_(BRIO_LOOP_NAME(name), expression, __VA_ARGS__)
#define BRIO_WHOLE_21_1(name, expression, ...)                                                               \
    BRIO_LOOP_21_(BRIO_PASTE(each_##name##_, SUFFIX), expression, __VA_ARGS__)                               \
    static void BRIO_LOOP_NAME(name)(char *const *args, int64_t n)                                           \
    {                                                                                                        \
        BRIO_PASTE(divide_loop_, SUFFIX)                                                                     \
        (args, n, BRIO_PASTE(each_##name##_, SUFFIX),                                                        \
         BRIO_PASTE(BRIO_PASTE(BRIO_PASTE(divide_, BRIO_DIVIDES_##name), _), SUFFIX));                       \
    }

#define BRIO_IS_MATH_MATH 1
#define BRIO_IS_MATH_SAME 0
#define BRIO_IS_MATH_DIVIDE 0
#define BRIO_IS_MATH_WIDE 1
#define BRIO_IS_MATH_NEXT 0
#define BRIO_IS_MATH_TIES 0
#define BRIO_IS_MATH_PAIR 0
#define BRIO_IS_MATH_DIVMOD 0
#define BRIO_IS_MATH_COMPARE 0
#define BRIO_IS_MATH_TEST 0
#define BRIO_IS_MATH_LOGICAL 0
#define BRIO_IS_MATH_WHOLE 0
#define BRIO_IS_MATH_COUNT 0
#define BRIO_IS_MATH_CHOOSE 0
#define BRIO_IS_MATH_LDEXP 0
#define BRIO_IS_MATH_FREXP 0

#define BRIO_DIVMOD_22(name, expression, ...) BRIO_DIVMOD_22_(BRIO_LOOP_NAME(name), __VA_ARGS__)
#define BRIO_DIVMOD_22_(loop, A, B, C, Y, Z)                                                                 \
    static void loop(char *const *args, int64_t n)                                                           \
    {                                                                                                        \
        A copy_a[BRIO_MATH_BLOCK], copy_b[BRIO_MATH_BLOCK];                                                  \
        for (int64_t begin = 0; begin < n; begin += BRIO_MATH_BLOCK) {                                       \
            const int64_t count = n - begin < BRIO_MATH_BLOCK ? n - begin : BRIO_MATH_BLOCK;                 \
            const A *pa = memcpy(copy_a, (const A *)args[0] + begin, (size_t)count * sizeof(A));             \
            const A *pb = memcpy(copy_b, (const A *)args[1] + begin, (size_t)count * sizeof(A));             \
            Y *py = (Y *)args[2] + begin, *pz = (Y *)args[3] + begin;                                        \
            S seen = 0;                                                                                      \
            BRIO_IVDEP                                                                                       \
            for (int64_t i = 0; i < count; i++) {                                                            \
                Y rest;                                                                                      \
                seen |= BRIO_PASTE(brio_divide_special_, SUFFIX)(pa[i], pb[i]);                              \
                py[i] = BRIO_PASTE(brio_divmod_regular_, SUFFIX)(pa[i], pb[i], &rest);                       \
                pz[i] = rest;                                                                                \
            }                                                                                                \
            if (seen)                                                                                        \
                for (int64_t i = 0; i < count; i++)                                                          \
                    if (BRIO_PASTE(brio_divide_special_, SUFFIX)(pa[i], pb[i]))                              \
                        py[i] = BRIO_PASTE(brio_divmod_, SUFFIX)(pa[i], pb[i], &pz[i]);                      \
        }                                                                                                    \
    }

/* The shape for a rule: BRIO_LOOP_<nin><nout>, or BRIO_MATH_<nin><nout>. */
#define BRIO_FORM_SAME BRIO_LOOP_
/* BRIO_FORM_MATH, _WIDE and _DIVMOD are set with the family (loops.inc). */
#define BRIO_FORM_DIVIDE BRIO_LOOP_
#define BRIO_FORM_NEXT BRIO_LOOP_
#define BRIO_FORM_TIES BRIO_LOOP_
#define BRIO_FORM_PAIR BRIO_LOOP_
#define BRIO_FORM_COMPARE BRIO_LOOP_
#define BRIO_FORM_TEST BRIO_LOOP_
#define BRIO_FORM_LOGICAL BRIO_LOOP_
#define BRIO_FORM_WHOLE BRIO_LOOP_
#define BRIO_FORM_COUNT BRIO_LOOP_
#define BRIO_FORM_CHOOSE BRIO_LOOP_
#define BRIO_FORM_LDEXP BRIO_LOOP_
#define BRIO_FORM_FREXP BRIO_LOOP_

#endif
