/* A program as the text of a kernel, and the words of its argument.
 *
 * The text defines, for the layout at hand: struct Args, struct Batch (inputs of WIDTH elements), struct
 * Result, fetch<ALL>(args, index, count, batch), compute(args, batch, j, result), store<ALL>(args, index,
 * count, result). Expressions are those of the table, put into a function an operation and slot. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <stdio.h>
#include <string.h>

const brio_ctype brio_ctypes[BRIO_DTYPE_COUNT] = {
    [BRIO_BOOL] = {"uint8_t", "bool", "b", "uint8_t", "uint32_t", "int8_t", 1, 0},
    [BRIO_I8] = {"int8_t", "i8", "n", "uint8_t", "uint32_t", "int8_t", 1, 1},
    [BRIO_I16] = {"int16_t", "i16", "n", "uint16_t", "uint32_t", "int16_t", 2, 1},
    [BRIO_I32] = {"int32_t", "i32", "n", "uint32_t", "uint32_t", "int32_t", 4, 1},
    [BRIO_I64] = {"int64_t", "i64", "n", "uint64_t", "uint64_t", "int64_t", 8, 1},
    [BRIO_U8] = {"uint8_t", "u8", "n", "uint8_t", "uint32_t", "int8_t", 1, 2},
    [BRIO_U16] = {"uint16_t", "u16", "n", "uint16_t", "uint32_t", "int16_t", 2, 2},
    [BRIO_U32] = {"uint32_t", "u32", "n", "uint32_t", "uint32_t", "int32_t", 4, 2},
    [BRIO_U64] = {"uint64_t", "u64", "n", "uint64_t", "uint64_t", "int64_t", 8, 2},
    [BRIO_F16] = {"uint16_t", "f16", "h", "uint16_t", "uint32_t", "int16_t", 2, 3},
    [BRIO_F32] = {"float", "f32", "s", "uint32_t", "uint32_t", "int32_t", 4, 3},
    [BRIO_F64] = {"double", "f64", "d", "uint64_t", "uint64_t", "int64_t", 8, 3},
    [BRIO_C64] = {NULL, NULL, NULL, NULL, NULL, NULL, 8, -1},
    [BRIO_C128] = {NULL, NULL, NULL, NULL, NULL, NULL, 16, -1},
};

brio_status brio_program_check(const brio_program *program)
{
    for (int s = 0; s < program->nsteps; s++)
        if (program->steps[s].kind == BRIO_STEP_EXTERNAL)
            return brio_fail(BRIO_E_UNSUPPORTED, "a caller's own inner loop runs on the host only");
    for (int v = 0; v < program->nvalues; v++)
        if (brio_ctypes[program->dtypes[v]].family < 0)
            return brio_fail(BRIO_E_UNSUPPORTED, "the device has no complex numbers");
    return BRIO_OK;
}

void brio_program_key(brio_key *key, const brio_program *program, const brio_layout *layout)
{
    const int numbers[] = {program->ninputs, program->nconsts, program->nsteps, program->noutputs,
                           layout->ndim,     layout->wide,     layout->width,   layout->flags};
    brio_key_add(key, numbers, sizeof numbers);
    brio_key_add(key, program->dtypes, program->nvalues);
    brio_key_add(key, program->outputs, program->noutputs * sizeof program->outputs[0]);
    brio_key_add(key, layout->class, (size_t)layout->noperands);
    for (int s = 0; s < program->nsteps; s++) {
        const brio_step *step = &program->steps[s];
        const int32_t head[] = {step->kind, step->dtype, step->kind == BRIO_STEP_OP ? step->op : -1};
        brio_key_add(key, head, sizeof head);
        brio_key_add(key, step->in, step->nin * sizeof step->in[0]);
        brio_key_add(key, step->out, step->nout * sizeof step->out[0]);
    }
}

/* ---- Operations ---- */

static int is_math(const brio_op_line *line)
{
    return line->rule == BRIO_RULE_MATH || line->rule == BRIO_RULE_WIDE;
}

/* The types of a slot's inputs a, b, c and outputs y, z by rule; `t` is the loop's type. */
typedef struct op_types {
    const char *a, *b, *c, *y, *z;
} op_types;

static op_types types_of(const brio_op_line *line, const char *t)
{
    op_types types = {t, t, t, t, t};
    switch (line->rule) {
    case BRIO_RULE_COMPARE:
    case BRIO_RULE_TEST:
    case BRIO_RULE_LOGICAL:
    case BRIO_RULE_COUNT:
        types.y = "uint8_t";
        break;
    case BRIO_RULE_CHOOSE:
        types.a = "uint8_t";
        break;
    case BRIO_RULE_LDEXP:
        types.b = "int32_t";
        break;
    case BRIO_RULE_FREXP:
        types.z = "int32_t";
        break;
    default:
        break;
    }
    return types;
}

static void begin_function(brio_text *text, const brio_op_line *line, const char *suffix, op_types types)
{
    const char *const in[] = {types.a, types.b, types.c};
    static const char *const names[] = {"a", "b", "c"};
    brio_text_add(text, "BRIO_INLINE %s op_%s_%s(", types.y, line->name, suffix);
    for (int k = 0; k < line->nin; k++)
        brio_text_add(text, "%sconst %s %s", k > 0 ? ", " : "", in[k], names[k]);
    if (line->nout > 1)
        brio_text_add(text, ", %s &z", types.z);
    brio_text_put(text, ")\n{\n");
}

static void define_types(brio_text *text, const brio_ctype *type)
{
    brio_text_add(text, "#define T %s\n#define U %s\n#define W %s\n#define BITS %d\n", type->name,
                  type->type_u, type->type_w, 8 * type->size);
}

static void undefine_types(brio_text *text)
{
    brio_text_put(text, "#undef T\n#undef U\n#undef W\n#undef BITS\n");
}

static void put_expression(brio_text *text, const brio_op_line *line, const brio_ctype *type,
                           const char *form, const char *before, const char *after)
{
    brio_text_add(text, "#define F(name) brio_##name##_%s%s\n%s(%s)%s\n#undef F\n", type->suffix, form,
                  before, line->source[type->family], after);
}

/* An operation on a type that has an expression in the table. */
static void write_plain(brio_text *text, const brio_op_line *line, const brio_ctype *type)
{
    op_types types = types_of(line, type->name);
    char result[64];
    define_types(text, type);
    begin_function(text, line, type->suffix, types);
    brio_text_add(text, "    typedef %s Y;\n", types.y);
    snprintf(result, sizeof result, "    return (Y)");
    if (type->family == 3 && line->rule == BRIO_RULE_DIVMOD) {
        brio_text_add(
            text,
            "    if (!brio_divide_special_%s(a, b))\n        return brio_divmod_regular_%s(a, b, &z);\n",
            type->suffix, type->suffix);
        brio_text_add(text, "    return brio_divmod_%s(a, b, &z);\n", type->suffix);
    } else if (type->family == 3 && is_math(line)) {
        put_expression(text, line, type, "_special", "    if (!", ")");
        put_expression(text, line, type, "_fast", "        return ", ";");
        put_expression(text, line, type, "", "    return ", ";");
    } else {
        put_expression(text, line, type, "", result, ";");
    }
    brio_text_put(text, "}\n");
    undefine_types(text);
}

/* float16: by float32, but for what works on the bits or chooses otherwise (op/table.def). */
static brio_status write_half(brio_text *text, const brio_op_line *line)
{
    if (line->rule == BRIO_RULE_NEXT)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device has no %s of float16", line->name);
    if (line->rule == BRIO_RULE_CHOOSE) {
        brio_text_add(text,
                      "BRIO_INLINE uint16_t op_%s_f16(uint8_t a, uint16_t b, uint16_t c)\n{\n"
                      "    return a ? b : c;\n}\n",
                      line->name);
        return BRIO_OK;
    }
    op_types types = types_of(line, "uint16_t");
    const int halves = strcmp(types.y, "uint16_t") == 0;
    begin_function(text, line, "f16", types);
    if (line->nin == 3 && line->rule == BRIO_RULE_TIES) {
        brio_text_put(text, "    return brio_half_of_float(brio_clip_half(brio_float_of_half(a), "
                            "brio_float_of_half(b), brio_float_of_half(c)));\n}\n");
        return BRIO_OK;
    }
    const int half_z = line->nout > 1 && strcmp(types.z, "uint16_t") == 0;
    const int swap = line->rule == BRIO_RULE_TIES;
    if (line->nout > 1)
        brio_text_add(text, "    %s rest;\n", half_z ? "float" : types.z);
    brio_text_add(text, "    const %s y = op_%s_f32(", halves ? "float" : types.y, line->name);
    for (int k = 0; k < line->nin; k++) {
        const char name = (char)('a' + (swap ? line->nin - 1 - k : k));
        const int plain = name == 'b' && line->rule == BRIO_RULE_LDEXP;
        brio_text_add(text, plain ? "%s%c" : "%sbrio_float_of_half(%c)", k > 0 ? ", " : "", name);
    }
    brio_text_put(text, line->nout > 1 ? ", rest);\n" : ");\n");
    if (line->nout > 1)
        brio_text_put(text, half_z ? "    z = brio_half_of_float(rest);\n" : "    z = rest;\n");
    brio_text_put(text, halves ? "    return brio_half_of_float(y);\n}\n" : "    return y;\n}\n");
    return BRIO_OK;
}

/* Whether an earlier step than s has written the function of `op` for the slot; float16 brings float32's. */
static int is_written(const brio_program *program, int s, int op, int slot)
{
    for (int k = 0; k < s; k++) {
        const brio_step *step = &program->steps[k];
        if (step->kind == BRIO_STEP_OP && step->op == op &&
            (step->dtype == slot || (slot == BRIO_F32 && step->dtype == BRIO_F16)))
            return 1;
    }
    return 0;
}

static brio_status write_operation(brio_text *text, const brio_program *program, int s)
{
    const brio_step *step = &program->steps[s];
    const brio_op_line *line = &brio_cuda_host->op_lines[step->op];
    if (step->dtype >= BRIO_DTYPE_COUNT) /* the mixed slots are in prelude.cuh */
        return BRIO_OK;
    const int slot = step->dtype == BRIO_F16 ? BRIO_F32 : step->dtype;
    const brio_ctype *type = &brio_ctypes[slot];
    if (type->family < 0 || !line->has[type->family])
        return brio_fail(BRIO_E_UNSUPPORTED, "the device has no %s of %s", line->name, type->suffix);
    if (!is_written(program, s, step->op, slot))
        write_plain(text, line, type);
    if (step->dtype == BRIO_F16 && !is_written(program, s, step->op, BRIO_F16))
        return write_half(text, line);
    return BRIO_OK;
}

/* ---- Steps ---- */

static const char *ctype_name(const brio_program *program, int value)
{
    return brio_ctypes[program->dtypes[value]].name;
}

static const char *slot_name(int slot)
{
    static const char *const mixed[] = {"mixed0", "mixed1", "mixed2"};
    return slot < BRIO_DTYPE_COUNT ? brio_ctypes[slot].suffix : mixed[slot - BRIO_SLOT_MIXED0];
}

/* Conditions of a step, found from its operands and its result. */
static void write_conditions(brio_text *text, const brio_program *program, const brio_step *step)
{
    const brio_ctype *out = &brio_ctypes[program->dtypes[step->out[0]]];
    const brio_ctype *in = &brio_ctypes[program->dtypes[step->in[0]]];
    if (step->kind == BRIO_STEP_CAST) {
        if (in->family == 3 && out != in)
            brio_text_add(text, "    raised |= brio_cast_conditions_%s_%s(v%d);\n", in->suffix, out->suffix,
                          step->in[0]);
        return;
    }
    const brio_op_line *line = &brio_cuda_host->op_lines[step->op];
    if (line->quiet || step->dtype >= BRIO_DTYPE_COUNT)
        return;
    int second = step->nin > 1 ? step->in[1] : step->in[0];
    if (out->family == 3) {
        if (line->rule == BRIO_RULE_LDEXP)
            second = step->in[0];
        for (int k = 0; k < step->nout; k++)
            brio_text_add(text,
                          "    raised |= brio_conditions(as_%s(v%d), as_%s(v%d), as_%s(v%d), POLE_%s);\n",
                          out->suffix, step->out[k], in->suffix, step->in[0], in->suffix, second, line->name);
    } else if (strcmp(line->name, "reciprocal") == 0) {
        brio_text_add(text, "    raised |= v%d == 0;\n", step->in[0]);
    } else if (strstr(line->name, "mod") != NULL || strcmp(line->name, "floor_divide") == 0 ||
               strcmp(line->name, "remainder") == 0) {
        brio_text_add(text, "    raised |= v%d == 0;\n", second);
    }
}

static void write_step(brio_text *text, const brio_program *program, const brio_step *step)
{
    const int out = step->out[0];
    if (step->kind == BRIO_STEP_CAST) {
        const brio_ctype *from = &brio_ctypes[program->dtypes[step->in[0]]];
        const brio_ctype *to = &brio_ctypes[program->dtypes[out]];
        brio_text_add(text, "    const %s v%d = BRIO_CAST_%s_%s(v%d, %s, %s);\n", to->name, out, from->bits,
                      to->bits, step->in[0], to->name, to->suffix);
        return;
    }
    const brio_op_line *line = &brio_cuda_host->op_lines[step->op];
    if (step->nout > 1)
        brio_text_add(text, "    %s v%d;\n", ctype_name(program, step->out[1]), step->out[1]);
    brio_text_add(text, "    const %s v%d = op_%s_%s(", ctype_name(program, out), out, line->name,
                  slot_name(step->dtype));
    for (int k = 0; k < step->nin; k++)
        brio_text_add(text, "%sv%d", k > 0 ? ", " : "", step->in[k]);
    if (step->nout > 1)
        brio_text_add(text, ", v%d", step->out[1]);
    brio_text_put(text, ");\n");
}

static void write_constant(brio_text *text, const brio_program *program, int c)
{
    const int value = program->ninputs + c, dtype = program->dtypes[value];
    const char *form = dtype == BRIO_F32   ? "brio_from_bits_f32((uint32_t)a.c%d)"
                       : dtype == BRIO_F64 ? "brio_from_bits_f64(a.c%d)"
                                           : "a.c%d";
    brio_text_add(text, "    const %s v%d = (%s)", ctype_name(program, value), value,
                  ctype_name(program, value));
    brio_text_add(text, form, c);
    brio_text_put(text, ";\n");
}

static void write_compute(brio_text *text, const brio_program *program, const brio_layout *layout)
{
    brio_text_put(text, "BRIO_INLINE void compute(const Args &a, const Batch &b, int j, Result &r, uint32_t "
                        "&raised)\n{\n");
    for (int k = 0; k < program->ninputs; k++)
        brio_text_add(text, "    const %s v%d = b.x%d[j];\n", ctype_name(program, k), k, k);
    for (int c = 0; c < program->nconsts; c++)
        write_constant(text, program, c);
    for (int s = 0; s < program->nsteps; s++) {
        write_step(text, program, &program->steps[s]);
        if (layout->flags)
            write_conditions(text, program, &program->steps[s]);
    }
    for (int k = 0; k < program->noutputs; k++)
        brio_text_add(text, "    r.y%d[j] = v%d;\n", k, program->outputs[k]);
    brio_text_put(text, "}\n");
}

/* ---- Operands ---- */

static void write_argument(brio_text *text, const brio_program *program, const brio_layout *layout,
                           int nstored, const char *more)
{
    brio_text_put(text, "struct Args {\n    uint64_t n;\n");
    for (int k = 0; k < program->ninputs; k++)
        brio_text_add(text, "    const char *p%d;\n", k);
    for (int k = 0; k < nstored; k++)
        brio_text_add(text, "    char *q%d;\n", k);
    for (int c = 0; c < program->nconsts; c++)
        brio_text_add(text, "    uint64_t c%d;\n", c);
    for (int d = 0; d < layout->ndim; d++)
        brio_text_add(text, "    int64_t shape%d;\n", d);
    for (int k = 0; k < layout->noperands; k++)
        for (int d = 0; layout->class[k] == BRIO_LAY_STRIDED && d < layout->ndim; d++)
            brio_text_add(text, "    int64_t s%d_%d;\n", k, d);
    brio_text_add(text, "%s};\n", more);
}

int brio_program_words(uint64_t *words, const brio_program *program, const brio_layout *layout, int64_t n,
                       int nstored)
{
    int at = 0;
    words[at++] = (uint64_t)n;
    for (int k = 0; k < program->ninputs + nstored; k++)
        words[at++] = (uint64_t)(uintptr_t)layout->data[k];
    for (int c = 0; c < program->nconsts; c++) {
        words[at] = 0;
        memcpy(&words[at++], &program->consts[c],
               (size_t)brio_ctypes[program->dtypes[program->ninputs + c]].size);
    }
    for (int d = 0; d < layout->ndim; d++)
        words[at++] = (uint64_t)layout->shape[d];
    for (int k = 0; k < layout->noperands; k++)
        for (int d = 0; layout->class[k] == BRIO_LAY_STRIDED && d < layout->ndim; d++)
            words[at++] = (uint64_t)layout->strides[k][d];
    return at;
}

/* The offsets o<k> of the strided operands [first, last) at element `index`. */
static void write_offsets(brio_text *text, const brio_layout *layout, int first, int last)
{
    for (int k = first; k < last; k++)
        if (layout->class[k] == BRIO_LAY_STRIDED)
            brio_text_add(text, "        int64_t o%d = 0;\n", k);
    brio_text_put(text, "        Index left = index;\n");
    for (int d = layout->ndim - 1; d >= 0; d--) {
        brio_text_add(text,
                      d > 0 ? "        { const Index at = left %% (Index)a.shape%d; left /= (Index)a.shape%d;"
                            : "        { const Index at = left;",
                      d, d);
        for (int k = first; k < last; k++)
            if (layout->class[k] == BRIO_LAY_STRIDED)
                brio_text_add(text, " o%d += (int64_t)at * a.s%d_%d;", k, k, d);
        brio_text_put(text, " }\n");
    }
}

static int any_strided(const brio_layout *layout, int first, int last)
{
    for (int k = first; k < last; k++)
        if (layout->class[k] == BRIO_LAY_STRIDED)
            return 1;
    return 0;
}

static void write_fetch(brio_text *text, const brio_program *program, const brio_layout *layout)
{
    brio_text_put(
        text, "template <bool ALL>\nBRIO_INLINE void fetch(const Args &a, const Index i, const int count, "
              "Batch &b)\n{\n");
    for (int k = 0; k < program->ninputs; k++) {
        const char *name = ctype_name(program, k);
        if (layout->class[k] == BRIO_LAY_ALIGNED)
            brio_text_add(
                text,
                "    if (ALL)\n        load_pack<%s, WIDTH>((const %s *)a.p%d + i, b.x%d);\n    else\n"
                "        load_some<%s, WIDTH>((const %s *)a.p%d + i, count, b.x%d);\n",
                name, name, k, k, name, name, k, k);
        else if (layout->class[k] == BRIO_LAY_CONTIGUOUS)
            brio_text_add(text,
                          "    load_some<%s, WIDTH>((const %s *)a.p%d + i, ALL ? WIDTH : count, b.x%d);\n",
                          name, name, k, k);
        else if (layout->class[k] == BRIO_LAY_SCALAR)
            brio_text_add(text,
                          "    for (int j = 0; j < WIDTH; j++)\n        b.x%d[j] = *(const %s *)a.p%d;\n", k,
                          name, k);
    }
    if (any_strided(layout, 0, program->ninputs)) {
        brio_text_put(
            text,
            "    for (int j = 0; j < WIDTH; j++) {\n        if (!ALL && j >= count)\n            break;\n"
            "        const Index index = i + j;\n");
        write_offsets(text, layout, 0, program->ninputs);
        for (int k = 0; k < program->ninputs; k++)
            if (layout->class[k] == BRIO_LAY_STRIDED)
                brio_text_add(text, "        b.x%d[j] = *(const %s *)(a.p%d + o%d);\n", k,
                              ctype_name(program, k), k, k);
        brio_text_put(text, "    }\n");
    }
    brio_text_put(text, "}\n");
}

static void write_store(brio_text *text, const brio_program *program, const brio_layout *layout)
{
    const int first = program->ninputs, last = first + program->noutputs;
    brio_text_put(
        text, "template <bool ALL>\nBRIO_INLINE void store(const Args &a, const Index i, const int count, "
              "const Result &r)\n{\n");
    for (int k = first; k < last; k++) {
        const char *name = ctype_name(program, program->outputs[k - first]);
        const int q = k - first;
        if (layout->class[k] == BRIO_LAY_ALIGNED)
            brio_text_add(text,
                          "    if (ALL)\n        store_pack<%s, WIDTH>((%s *)a.q%d + i, r.y%d);\n    else\n"
                          "        store_some<%s, WIDTH>((%s *)a.q%d + i, count, r.y%d);\n",
                          name, name, q, q, name, name, q, q);
        else if (layout->class[k] != BRIO_LAY_STRIDED)
            brio_text_add(text, "    store_some<%s, WIDTH>((%s *)a.q%d + i, ALL ? WIDTH : count, r.y%d);\n",
                          name, name, q, q);
    }
    if (any_strided(layout, first, last)) {
        brio_text_put(
            text,
            "    for (int j = 0; j < WIDTH; j++) {\n        if (!ALL && j >= count)\n            break;\n"
            "        const Index index = i + j;\n");
        write_offsets(text, layout, first, last);
        for (int k = first; k < last; k++)
            if (layout->class[k] == BRIO_LAY_STRIDED)
                brio_text_add(text, "        *(%s *)(a.q%d + o%d) = r.y%d[j];\n",
                              ctype_name(program, program->outputs[k - first]), k - first, k, k - first);
        brio_text_put(text, "    }\n");
    }
    brio_text_put(text, "}\n");
}

/* Whether a step names a function of op/functions.h. */
static int uses_functions(const brio_program *program)
{
    for (int s = 0; s < program->nsteps; s++) {
        const brio_step *step = &program->steps[s];
        if (step->kind != BRIO_STEP_OP)
            continue;
        const int family = step->dtype < BRIO_DTYPE_COUNT ? brio_ctypes[step->dtype].family : 3;
        const char *source = family < 0 ? "" : brio_cuda_host->op_lines[step->op].source[family];
        if (strstr(source, "F(") != NULL || strstr(source, "BRIO_PI") != NULL)
            return 1;
    }
    return 0;
}

brio_status brio_program_write(brio_text *text, const brio_program *program, const brio_layout *layout,
                               int nstored, const char *more_arguments)
{
    brio_text_add(
        text, "#define USES_FUNCTIONS %d\n#include \"prelude.cuh\"\n#define WIDTH %d\ntypedef %s Index;\n",
        uses_functions(program), layout->width, layout->wide ? "uint64_t" : "uint32_t");
    for (int s = 0; s < program->nsteps; s++)
        if (program->steps[s].kind == BRIO_STEP_OP)
            BRIO_TRY(write_operation(text, program, s));
    write_argument(text, program, layout, nstored, more_arguments);
    brio_text_put(text, "struct Batch {\n");
    for (int k = 0; k < program->ninputs; k++)
        brio_text_add(text, "    %s x%d[WIDTH];\n", ctype_name(program, k), k);
    brio_text_put(text, "};\nstruct Result {\n");
    for (int k = 0; k < program->noutputs; k++)
        brio_text_add(text, "    %s y%d[WIDTH];\n", ctype_name(program, program->outputs[k]), k);
    brio_text_put(text, "};\n");
    write_fetch(text, program, layout);
    write_compute(text, program, layout);
    if (nstored > 0)
        write_store(text, program, layout);
    return BRIO_OK;
}
