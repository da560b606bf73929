/* What the columns of the table mean to the preprocessor, and the rules by which dtypes are chosen.
 *
 * A rule says which types a loop of dtype T reads (A, B, C) and writes (Y, Z), and how the loop is found
 * for given inputs (rules.c). */
#ifndef BRIO_OP_RULES_H
#define BRIO_OP_RULES_H

#include <brio/op.h>

/* rule, A, B, C, Y, Z, outputs: the types of a loop of dtype T. */
#define BRIO_TYPES_SAME(T) T, T, T, T, T
#define BRIO_TYPES_MATH(T) T, T, T, T, T          /* SAME, by a fast form and libm (op/math/math.h) */
#define BRIO_TYPES_DIVIDE(T) T, T, T, T, T        /* integers divide in float64 */
#define BRIO_TYPES_WIDE(T) T, T, T, T, T          /* MATH, always float64 */
#define BRIO_TYPES_NEXT(T) T, T, T, T, T          /* float16 works on its own bits */
#define BRIO_TYPES_TIES(T) T, T, T, T, T          /* SAME; float16 chooses otherwise between equal numbers */
#define BRIO_TYPES_PAIR(T) T, T, T, T, T          /* two outputs */
#define BRIO_TYPES_DIVMOD(T) T, T, T, T, T        /* PAIR, by a fast form as MATH */
#define BRIO_TYPES_COMPARE(T) T, T, T, uint8_t, T /* bool; int64 and uint64 mix exactly */
#define BRIO_TYPES_TEST(T) T, T, T, uint8_t, T    /* bool */
#define BRIO_TYPES_LOGICAL(T) T, T, T, uint8_t, T /* bool; different dtypes meet as bools */
#define BRIO_TYPES_WHOLE(T) T, T, T, T, T         /* only the promoted dtype, which must be an integer */
#define BRIO_TYPES_COUNT(T) T, T, T, uint8_t, T   /* uint8 */
#define BRIO_TYPES_CHOOSE(T) uint8_t, T, T, T, T  /* bool, then two of the same */
#define BRIO_TYPES_LDEXP(T) T, int32_t, T, T, T   /* float and int32 or int64 */
#define BRIO_TYPES_FREXP(T) T, T, T, T, int32_t   /* float and int32 out */

#define BRIO_NOUT_SAME 1
#define BRIO_NOUT_MATH 1
#define BRIO_NOUT_DIVIDE 1
#define BRIO_NOUT_WIDE 1
#define BRIO_NOUT_NEXT 1
#define BRIO_NOUT_TIES 1
#define BRIO_NOUT_PAIR 2
#define BRIO_NOUT_DIVMOD 2
#define BRIO_NOUT_COMPARE 1
#define BRIO_NOUT_TEST 1
#define BRIO_NOUT_LOGICAL 1
#define BRIO_NOUT_WHOLE 1
#define BRIO_NOUT_COUNT 1
#define BRIO_NOUT_CHOOSE 1
#define BRIO_NOUT_LDEXP 1
#define BRIO_NOUT_FREXP 2

/* BRIO_HAS(expression): 0 when it is the word NONE, else 1. (An expression has no bare comma.) */
#define BRIO_SECOND_(first, second, ...) second
#define BRIO_HAS_(...) BRIO_SECOND_(__VA_ARGS__, 1, )
#define BRIO_HAS(...) BRIO_HAS_(__VA_ARGS__)
#define NONE , 0
#define BRIO_PASTE_(a, b) a##b
#define BRIO_PASTE(a, b) BRIO_PASTE_(a, b)
/* BRIO_IF(condition)(this): `this` when the condition is 1, nothing when it is 0. */
#define BRIO_IF_0(...)
#define BRIO_IF_1(...) __VA_ARGS__
#define BRIO_IF(condition) BRIO_PASTE(BRIO_IF_, condition)

typedef enum brio_rule {
    BRIO_RULE_SAME,
    BRIO_RULE_MATH,
    BRIO_RULE_DIVIDE,
    BRIO_RULE_WIDE,
    BRIO_RULE_NEXT,
    BRIO_RULE_TIES,
    BRIO_RULE_PAIR,
    BRIO_RULE_DIVMOD,
    BRIO_RULE_COMPARE,
    BRIO_RULE_TEST,
    BRIO_RULE_LOGICAL,
    BRIO_RULE_WHOLE,
    BRIO_RULE_COUNT,
    BRIO_RULE_CHOOSE,
    BRIO_RULE_LDEXP,
    BRIO_RULE_FREXP
} brio_rule;

/* The operations by name: BRIO_OPCODE_add and so on. */
enum {
#define BRIO_OP(name, ...) BRIO_OPCODE_##name,
#include "op/table.def"
#undef BRIO_OP
    BRIO_OP_COUNT
};

/* One line of the table, as data. */
typedef struct brio_op_line {
    const char *name, *doc;
    const char *source[4]; /* the expressions for bool, int, uint, float; "NONE" */
    uint8_t nin, nout, rule, ulp, quiet;
    uint8_t has[4];
    int8_t reduce; /* brio_reduce_kind or -1 */
} brio_op_line;

extern const brio_op_line brio_op_lines[BRIO_OP_COUNT];

/* brio_op_resolve for one line. */
brio_status brio_rule_resolve(const brio_op_line *line, const brio_dtype *in, brio_dtype *loop,
                              brio_dtype *out);

#endif
