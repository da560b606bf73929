/* Dtypes of a step: NEP 50's weak scalars, the table's loops, casting rules in NumPy's words. */
#include "array/promote.h"
#include "op/cast.h"
#include "op/rules.h"

#include <inttypes.h>

const char *brio_casting_name(brio_casting casting)
{
    static const char *const names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    return casting >= BRIO_CAST_NO && casting <= BRIO_CAST_UNSAFE ? names[casting] : "?";
}

brio_status brio_mask_check(const brio_array *mask)
{
    if (mask == NULL || mask->dtype == BRIO_BOOL)
        return BRIO_OK;
    return brio_fail(BRIO_E_TYPE,
                     "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
                     brio_dtype_name((brio_dtype)mask->dtype));
}

brio_dtype brio_operand_dtype(const brio_operand *operand)
{
    return operand->array != NULL ? (brio_dtype)operand->array->dtype : operand->dtype;
}

/* ---- scalars ----------------------------------------------------------------------------------- */

/* A number without loss: an integer with its sign, or a double. */
typedef struct number {
    char kind; /* 'i', 'u' or 'f' */
    int64_t i;
    uint64_t u;
    double f;
} number;

static number number_of(brio_dtype dtype, const brio_value *v)
{
    switch (dtype) {
    case BRIO_BOOL:
        return (number){.kind = 'i', .i = v->b != 0};
    case BRIO_I8:
        return (number){.kind = 'i', .i = v->i8};
    case BRIO_I16:
        return (number){.kind = 'i', .i = v->i16};
    case BRIO_I32:
        return (number){.kind = 'i', .i = v->i32};
    case BRIO_I64:
        return (number){.kind = 'i', .i = v->i64};
    case BRIO_U8:
        return (number){.kind = 'u', .u = v->u8};
    case BRIO_U16:
        return (number){.kind = 'u', .u = v->u16};
    case BRIO_U32:
        return (number){.kind = 'u', .u = v->u32};
    case BRIO_U64:
        return (number){.kind = 'u', .u = v->u64};
    case BRIO_F16:
        return (number){.kind = 'f', .f = (double)brio_float_of_half(v->f16)};
    case BRIO_F32:
        return (number){.kind = 'f', .f = (double)v->f32};
    default:
        return (number){.kind = 'f', .f = v->f64};
    }
}

static brio_value from_double(double f, brio_dtype to)
{
    brio_value v = {0};
    switch (to) {
    case BRIO_BOOL:
        v.b = f != 0;
        break;
    case BRIO_I8:
        v.i8 = brio_i8_of_f64(f);
        break;
    case BRIO_I16:
        v.i16 = brio_i16_of_f64(f);
        break;
    case BRIO_I32:
        v.i32 = brio_i32_of_f64(f);
        break;
    case BRIO_I64:
        v.i64 = brio_i64_of_f64(f);
        break;
    case BRIO_U8:
        v.u8 = brio_u8_of_f64(f);
        break;
    case BRIO_U16:
        v.u16 = brio_u16_of_f64(f);
        break;
    case BRIO_U32:
        v.u32 = brio_u32_of_f64(f);
        break;
    case BRIO_U64:
        v.u64 = brio_u64_of_f64(f);
        break;
    case BRIO_F16:
        v.f16 = brio_half_of_double(f);
        break;
    case BRIO_F32:
        v.f32 = (float)f;
        break;
    default:
        v.f64 = f;
    }
    return v;
}

/* Integers: the low bits for integer targets (little end first), rounding once for floats. */
static brio_value from_integer(number n, brio_dtype to)
{
    brio_value v = {0};
    bool negative = n.kind == 'i';
    uint64_t bits = negative ? (uint64_t)n.i : n.u;
    switch (to) {
    case BRIO_BOOL:
        v.b = bits != 0;
        break;
    case BRIO_F16:
        v.f16 = brio_half_of_float(negative ? (float)n.i : (float)n.u);
        break;
    case BRIO_F32:
        v.f32 = negative ? (float)n.i : (float)n.u;
        break;
    case BRIO_F64:
        v.f64 = negative ? (double)n.i : (double)n.u;
        break;
    default:
        memcpy(&v, &bits, brio_itemsize(to));
    }
    return v;
}

/* Least and greatest value of an integer dtype, as the magnitudes of a negative and of a positive number. */
static void integer_range(brio_dtype dtype, uint64_t *below, uint64_t *above)
{
    unsigned bits = (unsigned)brio_itemsize(dtype) * 8;
    bool is_signed = brio_dtype_kind(dtype) == 'i';
    *above = UINT64_MAX >> (64 - bits + is_signed);
    *below = is_signed ? *above + 1 : 0;
}

static bool is_integer(brio_dtype dtype)
{
    char kind = brio_dtype_kind(dtype);
    return kind == 'i' || kind == 'u';
}

/* -1: below the range of the integer dtype, 1: above it, 0: fits. */
static int out_of_range(number n, brio_dtype dtype)
{
    uint64_t below, above;
    integer_range(dtype, &below, &above);
    if (n.kind == 'i' && n.i < 0)
        return (uint64_t)0 - (uint64_t)n.i > below ? -1 : 0;
    return (n.kind == 'i' ? (uint64_t)n.i : n.u) > above ? 1 : 0;
}

brio_status brio_value_convert(const brio_operand *scalar, brio_dtype to, brio_value *out)
{
    number n = number_of(scalar->dtype, &scalar->value);
    if (scalar->weak && is_integer(to) && is_integer(scalar->dtype) && out_of_range(n, to) != 0) {
        if (n.kind == 'i')
            return brio_fail(BRIO_E_OVERFLOW, "Python integer %" PRId64 " out of bounds for %s", n.i,
                             brio_dtype_name(to));
        return brio_fail(BRIO_E_OVERFLOW, "Python integer %" PRIu64 " out of bounds for %s", n.u,
                         brio_dtype_name(to));
    }
    if (scalar->dtype == to)
        *out = scalar->value;
    else
        *out = n.kind == 'f' ? from_double(n.f, to) : from_integer(n, to);
    return BRIO_OK;
}

/* ---- resolution --------------------------------------------------------------------------------- */

static int kind_rank(brio_dtype dtype)
{
    return dtype == BRIO_BOOL ? 0 : dtype < BRIO_F16 ? 1 : dtype < BRIO_C64 ? 2 : 3;
}

/* The dtypes as which operands count for promotion: a weak scalar takes the dtype of the strong ones
 * unless its kind is higher, and its kind's default then. The chooser of where() has no say. */
static void effective_dtypes(const brio_op_line *line, const brio_operand *in, brio_dtype *out)
{
    int first = line->rule == BRIO_RULE_CHOOSE ? 1 : 0, strong = -1;
    for (int i = 0; i < line->nin; i++) {
        out[i] = brio_operand_dtype(&in[i]);
        if (i >= first && (in[i].array != NULL || !in[i].weak))
            strong = strong < 0 || strong == (int)out[i]
                         ? (int)out[i]
                         : (int)brio_dtype_promote((brio_dtype)strong, out[i]);
    }
    for (int i = first; i < line->nin && strong >= 0; i++)
        if (in[i].array == NULL && in[i].weak && kind_rank(out[i]) <= kind_rank((brio_dtype)strong))
            out[i] = (brio_dtype)strong;
        else if (in[i].array == NULL && in[i].weak && out[i] == BRIO_U64)
            out[i] = BRIO_I64;
}

static brio_status fail_input(const brio_op_line *line, int i, brio_dtype from, brio_dtype to,
                              brio_casting casting)
{
    char which[16] = "";
    if (line->nin != 1) {
        which[0] = (char)('0' + i);
        which[1] = ' ';
    }
    return brio_fail(BRIO_E_CASTING,
                     "Cannot cast ufunc '%s' input %sfrom dtype('%s') to dtype('%s') with casting rule '%s'",
                     line->name, which, brio_dtype_name(from), brio_dtype_name(to),
                     brio_casting_name(casting));
}

/* What brio_op_resolve said for one or two inputs, packed: bit 31 set, then slot, loop and output dtypes. */
static _Atomic uint32_t resolved[BRIO_OP_COUNT][BRIO_DTYPE_COUNT][BRIO_DTYPE_COUNT];

static brio_status resolve(brio_op op, const brio_op_line *line, const brio_dtype *in, brio_dtype *loop,
                           brio_dtype *out, int *slot)
{
    _Atomic uint32_t *place = &resolved[op][in[0]][line->nin == 1 ? in[0] : in[1]];
    uint32_t packed = line->nin > 2 ? 0 : atomic_load_explicit(place, memory_order_relaxed);
    if (packed == 0) {
        loop[1] = out[1] = BRIO_BOOL;
        BRIO_TRY(brio_op_resolve(op, in, loop, out));
        *slot = brio_op_slot(op, loop);
        packed = 1u << 31 | (uint32_t)*slot << 16 | loop[0] << 12 | loop[1] << 8 | out[0] << 4 | out[1];
        if (line->nin <= 2)
            atomic_store_explicit(place, packed, memory_order_relaxed);
        return BRIO_OK;
    }
    *slot = (int)(packed >> 16 & 0xff);
    loop[0] = (brio_dtype)(packed >> 12 & 15), loop[1] = (brio_dtype)(packed >> 8 & 15);
    out[0] = (brio_dtype)(packed >> 4 & 15), out[1] = (brio_dtype)(packed & 15);
    return BRIO_OK;
}

static brio_status choose_loop(brio_op op, const brio_op_line *line, const brio_operand *in,
                               const brio_map_options *options, brio_dtype *loop, brio_dtype *out, int *slot)
{
    brio_dtype dtypes[BRIO_MAX_IN];
    effective_dtypes(line, in, dtypes);
    bool given = options != NULL && options->has_dtype;
    for (int i = line->rule == BRIO_RULE_CHOOSE; given && i < line->nin; i++)
        if (line->rule != BRIO_RULE_TEST && line->rule != BRIO_RULE_LOGICAL &&
            line->rule != BRIO_RULE_COMPARE)
            dtypes[i] = i == 1 && line->rule == BRIO_RULE_LDEXP ? dtypes[i] : options->dtype;
    for (int i = 0; i < line->nin; i++)
        if (brio_dtype_size(dtypes[i]) == 0)
            return brio_fail(BRIO_E_TYPE, "%d names no dtype", (int)dtypes[i]);
    brio_status status = resolve(op, line, dtypes, loop, out, slot);
    if (given && (status != BRIO_OK || out[0] != options->dtype))
        return brio_fail(BRIO_E_TYPE,
                         "No loop matching the specified signature and casting was found for ufunc %s",
                         line->name);
    BRIO_TRY(status);
    brio_casting casting = options == NULL ? BRIO_CAST_SAME_KIND : options->casting;
    if ((!given && casting >= BRIO_CAST_SAFE) || line->rule == BRIO_RULE_LOGICAL)
        return BRIO_OK;
    for (int i = 0; i < line->nin; i++) {
        brio_dtype from = brio_operand_dtype(&in[i]);
        bool weak = in[i].array == NULL && in[i].weak && kind_rank(from) <= kind_rank(loop[i]);
        if (!weak && !brio_dtype_can_cast(from, loop[i], casting))
            return fail_input(line, i, from, loop[i], casting);
    }
    return BRIO_OK;
}

static brio_op mirrored(brio_op op)
{
    switch (op) {
    case BRIO_OPCODE_less:
        return BRIO_OPCODE_greater;
    case BRIO_OPCODE_less_equal:
        return BRIO_OPCODE_greater_equal;
    case BRIO_OPCODE_greater:
        return BRIO_OPCODE_less;
    case BRIO_OPCODE_greater_equal:
        return BRIO_OPCODE_less_equal;
    default:
        return op;
    }
}

/* A comparison of an integer array with a Python integer outside its range has one answer: rewrites it as
 * x <= greatest (true) or x > greatest (false) of the dtype. */
static bool compare_beyond_range(brio_op op, const brio_operand *in, brio_expr *expr)
{
    int scalar = in[0].array == NULL;
    if (in[!scalar].array != NULL || in[scalar].array == NULL || !in[!scalar].weak)
        return false;
    const brio_operand *weak = &in[!scalar];
    brio_dtype dtype = (brio_dtype)in[scalar].array->dtype;
    if (!is_integer(dtype) || !is_integer(weak->dtype))
        return false;
    int side = out_of_range(number_of(weak->dtype, &weak->value), dtype);
    if (side == 0)
        return false;
    if (scalar == 1)
        op = mirrored(op);
    bool smaller = side > 0; /* every element is less than the number */
    bool answer = op == BRIO_OPCODE_not_equal ||
                  ((op == BRIO_OPCODE_less || op == BRIO_OPCODE_less_equal) && smaller) ||
                  ((op == BRIO_OPCODE_greater || op == BRIO_OPCODE_greater_equal) && !smaller);
    uint64_t below, above;
    integer_range(dtype, &below, &above);
    brio_value greatest = {0};
    memcpy(&greatest, &above, brio_itemsize(dtype));
    brio_dtype loop[2] = {dtype, dtype};
    expr->op = answer ? BRIO_OPCODE_less_equal : BRIO_OPCODE_greater;
    expr->in[0] = in[scalar].array;
    expr->in[1] = NULL;
    expr->value[1] = greatest;
    expr->in_dtype[0] = expr->in_dtype[1] = (uint8_t)dtype;
    expr->out_dtype[0] = BRIO_BOOL;
    expr->slot = (uint8_t)brio_op_slot(expr->op, loop);
    return true;
}

/* x ** 2 and x ** -1 by their own operations, whose results are exactly rounded. */
static void simplify_power(brio_expr *expr, const brio_dtype *loop)
{
    if (expr->op != BRIO_OPCODE_power || expr->in[1] != NULL || expr->in[0] == NULL)
        return;
    number exponent = number_of(loop[1], &expr->value[1]);
    double e = exponent.kind == 'f'   ? exponent.f
               : exponent.kind == 'i' ? (double)exponent.i
                                      : (double)exponent.u;
    if (e == 2)
        expr->op = BRIO_OPCODE_square;
    else if (e == -1 && exponent.kind == 'f')
        expr->op = BRIO_OPCODE_reciprocal;
    else
        return;
    expr->nin = 1;
    expr->slot = (uint8_t)brio_op_slot(expr->op, loop);
}

/* What a logical operation sees of a scalar. */
static brio_operand truth_of(const brio_operand *scalar)
{
    number n = number_of(scalar->dtype, &scalar->value);
    brio_operand truth = {NULL, BRIO_BOOL, 0, {0}};
    truth.value.b = n.kind == 'f' ? n.f != 0 : n.kind == 'i' ? n.i != 0 : n.u != 0;
    return truth;
}

static brio_status take_operands(const brio_operand *in, const brio_dtype *loop, brio_expr *expr)
{
    for (int i = 0; i < expr->nin; i++) {
        expr->in_dtype[i] = (uint8_t)loop[i];
        expr->in[i] = in[i].array;
        if (in[i].array != NULL)
            continue;
        brio_operand scalar = in[i];
        if (brio_op_lines[expr->op].rule == BRIO_RULE_LOGICAL)
            scalar = truth_of(&scalar);
        BRIO_TRY(brio_value_convert(&scalar, loop[i], &expr->value[i]));
    }
    if (expr->op == BRIO_OPCODE_power && expr->in[1] == NULL && brio_dtype_kind(loop[1]) == 'i' &&
        number_of(loop[1], &expr->value[1]).i < 0)
        return brio_fail(BRIO_E_VALUE, "Integers to negative integer powers are not allowed.");
    return BRIO_OK;
}

brio_status brio_expr_resolve(brio_op op, const brio_operand *in, const brio_map_options *options,
                              brio_expr *expr)
{
    if (op < 0 || op >= BRIO_OP_COUNT)
        return brio_fail(BRIO_E_VALUE, "%d names no operation", (int)op);
    const brio_op_line *line = &brio_op_lines[op];
    brio_dtype loop[BRIO_MAX_IN], out[BRIO_MAX_OUT];
    int slot = 0;
    expr->kind = BRIO_STEP_OP;
    expr->op = op;
    expr->nin = line->nin;
    expr->nout = line->nout;
    expr->external = NULL;
    expr->external_data = NULL;
    if (line->rule == BRIO_RULE_COMPARE && compare_beyond_range(op, in, expr))
        return BRIO_OK;
    BRIO_TRY(choose_loop(op, line, in, options, loop, out, &slot));
    for (int j = 0; j < line->nout; j++)
        expr->out_dtype[j] = (uint8_t)out[j];
    expr->slot = (uint8_t)slot;
    BRIO_TRY(take_operands(in, loop, expr));
    simplify_power(expr, loop);
    return BRIO_OK;
}

brio_status brio_expr_cast(const brio_operand *from, brio_dtype dtype, brio_casting casting, brio_expr *expr)
{
    brio_dtype source = brio_operand_dtype(from);
    bool weak = from->array == NULL && from->weak && kind_rank(source) <= kind_rank(dtype);
    if (brio_dtype_size(dtype) == 0)
        return brio_fail(BRIO_E_TYPE, "%d names no dtype", (int)dtype);
    if (brio_dtype_kind(dtype) == 'c' || brio_dtype_kind(source) == 'c')
        if (source != dtype)
            return brio_fail(BRIO_E_TYPE, "no cast from %s to %s", brio_dtype_name(source),
                             brio_dtype_name(dtype));
    if (!weak && !brio_dtype_can_cast(source, dtype, casting))
        return brio_fail(BRIO_E_TYPE,
                         "Cannot cast %s from dtype('%s') to dtype('%s') according to the rule '%s'",
                         from->array != NULL ? "array data" : "scalar", brio_dtype_name(source),
                         brio_dtype_name(dtype), brio_casting_name(casting));
    *expr = (brio_expr){.kind = BRIO_STEP_CAST, .nin = 1, .nout = 1, .op = BRIO_OP_NONE, .in = {from->array}};
    expr->in_dtype[0] = expr->out_dtype[0] = (uint8_t)dtype;
    return from->array != NULL ? BRIO_OK : brio_value_convert(from, dtype, &expr->value[0]);
}
