/* The operation table as data, and the public functions that describe it. */
#include "op/rules.h"
#include "op/program.h"
#include "runtime/error.h"

#include <string.h>

#define BRIO_REDUCE_NONE -1
#define BRIO_QUIET_FP 0
#define BRIO_QUIET_QUIET 1

const brio_op_line brio_op_lines[BRIO_OP_COUNT] = {
#define BRIO_OP(name_, nin_, rule_, b_, i_, u_, f_, reduce_, ulp_, raises_, doc_)                            \
    {                                                                                                        \
        .name = #name_,                                                                                      \
        .doc = doc_,                                                                                         \
        .source = {#b_, #i_, #u_, #f_},                                                                      \
        .nin = nin_,                                                                                         \
        .nout = BRIO_NOUT_##rule_,                                                                           \
        .rule = BRIO_RULE_##rule_,                                                                           \
        .ulp = ulp_,                                                                                         \
        .quiet = BRIO_QUIET_##raises_,                                                                       \
        .has = {BRIO_HAS(b_), BRIO_HAS(i_), BRIO_HAS(u_), BRIO_HAS(f_)},                                     \
        .reduce = BRIO_REDUCE_##reduce_,                                                                     \
    },
#include "op/table.def"
#undef BRIO_OP
};

/* Other names of the same operations. */
static const struct {
    const char *alias;
    int op;
} aliases[] = {
    {"true_divide", BRIO_OPCODE_divide},
    {"mod", BRIO_OPCODE_remainder},
    {"abs", BRIO_OPCODE_absolute},
    {"conj", BRIO_OPCODE_conjugate},
    {"pow", BRIO_OPCODE_power},
    {"bitwise_not", BRIO_OPCODE_invert},
    {"bitwise_invert", BRIO_OPCODE_invert},
    {"bitwise_left_shift", BRIO_OPCODE_left_shift},
    {"bitwise_right_shift", BRIO_OPCODE_right_shift},
    {"asin", BRIO_OPCODE_arcsin},
    {"acos", BRIO_OPCODE_arccos},
    {"atan", BRIO_OPCODE_arctan},
    {"atan2", BRIO_OPCODE_arctan2},
    {"asinh", BRIO_OPCODE_arcsinh},
    {"acosh", BRIO_OPCODE_arccosh},
    {"atanh", BRIO_OPCODE_arctanh},
};

int brio_op_count(void)
{
    return BRIO_OP_COUNT;
}

brio_op brio_op_find(const char *name)
{
    if (!name)
        return BRIO_OP_NONE;
    for (int op = 0; op < BRIO_OP_COUNT; op++)
        if (strcmp(brio_op_lines[op].name, name) == 0)
            return op;
    for (size_t k = 0; k < sizeof aliases / sizeof aliases[0]; k++)
        if (strcmp(aliases[k].alias, name) == 0)
            return aliases[k].op;
    return BRIO_OP_NONE;
}

static brio_status check_op(brio_op op)
{
    if (op < 0 || op >= BRIO_OP_COUNT)
        return brio_fail(BRIO_E_VALUE, "%d is not an operation: there are %d", (int)op, (int)BRIO_OP_COUNT);
    return BRIO_OK;
}

brio_status brio_op_describe(brio_op op, brio_op_info *info)
{
    BRIO_TRY(check_op(op));
    if (info->size != sizeof *info)
        return brio_fail(BRIO_E_VALUE, "brio_op_info has %zu bytes, not %zu", sizeof *info, info->size);
    const brio_op_line *line = &brio_op_lines[op];
    const int kind = line->reduce;
    info->name = line->name;
    info->doc = line->doc;
    info->nin = line->nin;
    info->nout = line->nout;
    info->ulp = line->ulp;
    info->reduces = kind >= 0;
    info->has_identity = kind == BRIO_REDUCE_ADD || kind == BRIO_REDUCE_MULTIPLY || kind == BRIO_REDUCE_AND ||
                         kind == BRIO_REDUCE_OR || kind == BRIO_REDUCE_XOR;
    return BRIO_OK;
}

brio_status brio_op_resolve(brio_op op, const brio_dtype *in, brio_dtype *loop, brio_dtype *out)
{
    BRIO_TRY(check_op(op));
    return brio_rule_resolve(&brio_op_lines[op], in, loop, out);
}

int brio_op_slot(brio_op op, const brio_dtype *loop)
{
    switch (brio_op_lines[op].rule) {
    case BRIO_RULE_CHOOSE:
        return loop[1];
    case BRIO_RULE_COMPARE:
        if (loop[0] == loop[1])
            return loop[0];
        return loop[0] == BRIO_I64 ? BRIO_SLOT_MIXED0 : BRIO_SLOT_MIXED1;
    case BRIO_RULE_LDEXP:
        if (loop[1] != BRIO_I64)
            return loop[0];
        return loop[0] == BRIO_F64   ? BRIO_SLOT_MIXED1
               : loop[0] == BRIO_F32 ? BRIO_SLOT_MIXED0
                                     : BRIO_SLOT_MIXED2;
    default:
        return loop[0];
    }
}

uint32_t brio_op_conditions(brio_op op)
{
    const uint32_t all = BRIO_FPE_DIVIDE | BRIO_FPE_OVERFLOW | BRIO_FPE_UNDERFLOW | BRIO_FPE_INVALID;
    return brio_op_lines[op].quiet ? 0 : all;
}

int brio_op_reduce_kind(brio_op op)
{
    return brio_op_lines[op].reduce;
}

int brio_op_cost(brio_op op)
{
    return brio_op_lines[op].ulp ? 12 : 1;
}
