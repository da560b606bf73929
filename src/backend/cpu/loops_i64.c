/* Loops on the integers of 64 bits, and the loops whose inputs have two dtypes. */
#include "backend/cpu/loops.h"

#define T int64_t
#define U uint64_t
#define W uint64_t
#define SUFFIX i64
#define FAMILY 1
#include "backend/cpu/loops.inc"

#define T uint64_t
#define U uint64_t
#define W uint64_t
#define SUFFIX u64
#define FAMILY 2
#include "backend/cpu/loops.inc"

/* int64 and uint64 compared exactly: a negative number is less than any unsigned one. */
#define BRIO_LOOP_NAME(name) name
BRIO_LOOP_21(less_iu, (a < 0) | ((uint64_t)a < b), int64_t, uint64_t, int, uint8_t, int)
BRIO_LOOP_21(less_equal_iu, (a < 0) | ((uint64_t)a <= b), int64_t, uint64_t, int, uint8_t, int)
BRIO_LOOP_21(greater_iu, (a >= 0) & ((uint64_t)a > b), int64_t, uint64_t, int, uint8_t, int)
BRIO_LOOP_21(greater_equal_iu, (a >= 0) & ((uint64_t)a >= b), int64_t, uint64_t, int, uint8_t, int)
BRIO_LOOP_21(equal_iu, (a >= 0) & ((uint64_t)a == b), int64_t, uint64_t, int, uint8_t, int)
BRIO_LOOP_21(not_equal_iu, (a < 0) | ((uint64_t)a != b), int64_t, uint64_t, int, uint8_t, int)
BRIO_LOOP_21(less_ui, (b >= 0) & (a < (uint64_t)b), uint64_t, int64_t, int, uint8_t, int)
BRIO_LOOP_21(less_equal_ui, (b >= 0) & (a <= (uint64_t)b), uint64_t, int64_t, int, uint8_t, int)
BRIO_LOOP_21(greater_ui, (b < 0) | (a > (uint64_t)b), uint64_t, int64_t, int, uint8_t, int)
BRIO_LOOP_21(greater_equal_ui, (b < 0) | (a >= (uint64_t)b), uint64_t, int64_t, int, uint8_t, int)
BRIO_LOOP_21(equal_ui, (b >= 0) & (a == (uint64_t)b), uint64_t, int64_t, int, uint8_t, int)
BRIO_LOOP_21(not_equal_ui, (b < 0) | (a != (uint64_t)b), uint64_t, int64_t, int, uint8_t, int)
BRIO_LOOP_21(ldexp_f32_i64, brio_ldexp_f32(a, b), float, int64_t, int, float, int)
BRIO_LOOP_21(ldexp_f64_i64, brio_ldexp_f64(a, b), double, int64_t, int, double, int)

const brio_loop BRIO_LEVELED(brio_loops_mixed0)[BRIO_OP_COUNT] = {
    [BRIO_OPCODE_less] = less_iu,        [BRIO_OPCODE_less_equal] = less_equal_iu,
    [BRIO_OPCODE_greater] = greater_iu,  [BRIO_OPCODE_greater_equal] = greater_equal_iu,
    [BRIO_OPCODE_equal] = equal_iu,      [BRIO_OPCODE_not_equal] = not_equal_iu,
    [BRIO_OPCODE_ldexp] = ldexp_f32_i64,
};

const brio_loop BRIO_LEVELED(brio_loops_mixed1)[BRIO_OP_COUNT] = {
    [BRIO_OPCODE_less] = less_ui,        [BRIO_OPCODE_less_equal] = less_equal_ui,
    [BRIO_OPCODE_greater] = greater_ui,  [BRIO_OPCODE_greater_equal] = greater_equal_ui,
    [BRIO_OPCODE_equal] = equal_ui,      [BRIO_OPCODE_not_equal] = not_equal_ui,
    [BRIO_OPCODE_ldexp] = ldexp_f64_i64,
};
