/* How an operation's loop is found for given inputs: NumPy's type resolution (NEP 50) as rules. */
#include "op/rules.h"
#include "runtime/error.h"

/* NumPy's order of loops: the first to which every input casts safely is taken. */
static const uint8_t loop_order[] = {BRIO_BOOL, BRIO_I8,  BRIO_U8,  BRIO_I16, BRIO_U16, BRIO_I32,
                                     BRIO_U32,  BRIO_I64, BRIO_U64, BRIO_F16, BRIO_F32, BRIO_F64};

static int has_loop(const brio_op_line *line, brio_dtype dtype)
{
    if (line->rule == BRIO_RULE_WIDE)
        return dtype == BRIO_F64;
    switch (brio_dtype_kind(dtype)) {
    case 'b':
        return line->has[0];
    case 'i':
        return line->has[1];
    case 'u':
        return line->has[2];
    default:
        return line->has[3];
    }
}

/* The first loop for inputs [first, nin), or BRIO_DTYPE_COUNT. */
static brio_dtype search(const brio_op_line *line, const brio_dtype *in, int first, int nin)
{
    for (size_t k = 0; k < sizeof loop_order; k++) {
        const brio_dtype loop = (brio_dtype)loop_order[k];
        int fits = has_loop(line, loop);
        for (int i = first; i < nin && fits; i++)
            fits = brio_dtype_can_cast(in[i], loop, BRIO_CAST_SAFE);
        if (fits)
            return loop;
    }
    return BRIO_DTYPE_COUNT;
}

static const char *const class_names[] = {"Bool",   "Int8",   "Int16",  "Int32",   "Int64",   "UInt8",
                                          "UInt16", "UInt32", "UInt64", "Float16", "Float32", "Float64"};

/* NumPy's words where it looks for exactly one loop. */
static brio_status no_signature(const brio_op_line *line, const brio_dtype *in)
{
    if (line->nin == 1)
        return brio_fail(BRIO_E_TYPE,
                         "ufunc '%s' did not contain a loop with signature matching types "
                         "<class 'numpy.dtypes.%sDType'> -> None",
                         line->name, class_names[in[0]]);
    return brio_fail(BRIO_E_TYPE,
                     "ufunc '%s' did not contain a loop with signature matching types "
                     "(<class 'numpy.dtypes.%sDType'>, <class 'numpy.dtypes.%sDType'>) -> None",
                     line->name, class_names[in[0]], class_names[in[1]]);
}

/* Operations whose ufunc refuses bool inputs instead of taking them as int8, in its words. */
static brio_status refuse_bool(const brio_op_line *line, const brio_dtype *in)
{
    if (line == &brio_op_lines[BRIO_OPCODE_subtract])
        return brio_fail(BRIO_E_TYPE, "numpy boolean subtract, the `-` operator, is not supported, use the "
                                      "bitwise_xor, the `^` operator, or the logical_xor function instead.");
    if (line == &brio_op_lines[BRIO_OPCODE_negative])
        return brio_fail(BRIO_E_TYPE,
                         "The numpy boolean negative, the `-` operator, is not supported, use the "
                         "`~` operator or the logical_not function instead.");
    if (line == &brio_op_lines[BRIO_OPCODE_positive] || line == &brio_op_lines[BRIO_OPCODE_sign])
        return no_signature(line, in);
    return BRIO_OK;
}

static brio_status no_loop(const brio_op_line *line)
{
    return brio_fail(
        BRIO_E_TYPE,
        "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced "
        "to any supported types according to the casting rule ''safe''",
        line->name);
}

static int all_are(const brio_dtype *in, int nin, char kind)
{
    for (int i = 0; i < nin; i++)
        if (brio_dtype_kind(in[i]) != kind)
            return 0;
    return 1;
}

/* Integers and bools, of which none is a float. */
static int all_whole(const brio_dtype *in, int nin)
{
    for (int i = 0; i < nin; i++)
        if (brio_dtype_kind(in[i]) == 'f')
            return 0;
    return 1;
}

brio_status brio_rule_resolve(const brio_op_line *line, const brio_dtype *in, brio_dtype *loop,
                              brio_dtype *out)
{
    const int nin = line->nin;
    for (int i = 0; i < nin; i++)
        if ((unsigned)in[i] >= BRIO_DTYPE_COUNT || brio_dtype_kind(in[i]) == 'c')
            return brio_fail(BRIO_E_TYPE, "%s does not take dtype '%s'", line->name, brio_dtype_name(in[i]));

    if (all_are(in, nin, 'b'))
        BRIO_TRY(refuse_bool(line, in));
    brio_dtype found = BRIO_DTYPE_COUNT;
    const int first = line->rule == BRIO_RULE_CHOOSE ? 1 : 0;
    if (line->rule == BRIO_RULE_DIVIDE && all_whole(in, nin))
        found = BRIO_F64;
    else if (line->rule == BRIO_RULE_LOGICAL && in[0] != in[1])
        found = BRIO_BOOL;
    else if (line->rule == BRIO_RULE_WHOLE)
        found = brio_dtype_promote(in[0], in[1]);
    else if (line->rule == BRIO_RULE_LDEXP)
        found = search(line, in, 0, 1);
    else
        found = search(line, in, first, nin);
    if (line->rule == BRIO_RULE_WHOLE && !has_loop(line, found))
        return no_signature(line, in);
    if (found == BRIO_DTYPE_COUNT)
        return no_loop(line);
    for (int i = 0; i < nin; i++)
        loop[i] = found;
    out[0] = found;

    switch (line->rule) {
    case BRIO_RULE_CHOOSE:
        loop[0] = BRIO_BOOL;
        break;
    case BRIO_RULE_LDEXP:
        if (!brio_dtype_can_cast(in[1], BRIO_I64, BRIO_CAST_SAFE))
            return no_loop(line);
        loop[1] = brio_dtype_can_cast(in[1], BRIO_I32, BRIO_CAST_SAFE) ? BRIO_I32 : BRIO_I64;
        break;
    case BRIO_RULE_COMPARE:
        if (found == BRIO_F64 && all_whole(in, nin)) { /* uint64 and a signed integer */
            loop[0] = in[0] == BRIO_U64 ? BRIO_U64 : BRIO_I64;
            loop[1] = in[1] == BRIO_U64 ? BRIO_U64 : BRIO_I64;
        }
        out[0] = BRIO_BOOL;
        break;
    case BRIO_RULE_TEST:
    case BRIO_RULE_LOGICAL:
        out[0] = BRIO_BOOL;
        break;
    case BRIO_RULE_COUNT:
        out[0] = BRIO_U8;
        break;
    case BRIO_RULE_PAIR:
    case BRIO_RULE_DIVMOD:
        out[1] = found;
        break;
    case BRIO_RULE_FREXP:
        out[1] = BRIO_I32;
        break;
    default:
        break;
    }
    return BRIO_OK;
}
