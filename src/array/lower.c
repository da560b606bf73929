/* Builds the program of a pass: leaves, constants and steps, each once.
 *
 * While a program grows nobody knows how many inputs and constants it will have, so values are named by
 * terms: a kind in the two top bits and a number within the kind. brio_pass_finish replaces terms by the
 * program's numbering. */
#include "array/lazy.h"

enum { TERM_LEAF = 0, TERM_CONST = 1, TERM_RESULT = 2 };

static brio_term make_term(int kind, int number)
{
    return (brio_term)(kind << 14 | number);
}

static int term_number(brio_term term)
{
    return term & 0x3fff;
}

static _Atomic uint32_t last_stamp;

void brio_pass_begin(brio_pass *pass, int ndim, const int64_t *shape, bool locked)
{
    pass->ndim = ndim;
    pass->shape = shape;
    pass->locked = locked;
    pass->overflow = false;
    pass->nresults = 0;
    pass->program.ninputs = pass->program.nconsts = pass->program.nsteps = pass->program.noutputs = 0;
    if (locked)
        pass->stamp = atomic_fetch_add_explicit(&last_stamp, 1, memory_order_relaxed) + 1;
}

static bool same_leaf(const brio_array *a, const brio_array *b)
{
    if (a == b)
        return true;
    return a->base == b->base && a->offset == b->offset && a->dtype == b->dtype && a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, a->ndim * sizeof(int64_t)) == 0 &&
           memcmp(a->strides, b->strides, a->ndim * sizeof(int64_t)) == 0;
}

brio_term brio_pass_leaf(brio_pass *pass, const brio_array *array)
{
    int n = pass->program.ninputs;
    for (int i = 0; i < n; i++)
        if (same_leaf(pass->leaves[i], array))
            return make_term(TERM_LEAF, i);
    if (n == BRIO_PROGRAM_MAX_INPUTS) {
        pass->overflow = true;
        return 0;
    }
    pass->leaves[n] = array;
    pass->program.ninputs++;
    return make_term(TERM_LEAF, n);
}

brio_term brio_pass_const(brio_pass *pass, brio_dtype dtype, brio_value value)
{
    int n = pass->program.nconsts;
    for (int i = 0; i < n; i++)
        if (pass->const_dtypes[i] == dtype &&
            memcmp(&pass->program.consts[i], &value, brio_itemsize(dtype)) == 0)
            return make_term(TERM_CONST, i);
    if (n == BRIO_PROGRAM_MAX_CONSTS) {
        pass->overflow = true;
        return make_term(TERM_CONST, 0);
    }
    pass->program.consts[n] = value;
    pass->const_dtypes[n] = (uint8_t)dtype;
    pass->program.nconsts++;
    return make_term(TERM_CONST, n);
}

brio_dtype brio_pass_dtype(const brio_pass *pass, brio_term term)
{
    int number = term_number(term);
    switch (term >> 14) {
    case TERM_LEAF:
        return (brio_dtype)pass->leaves[number]->dtype;
    case TERM_CONST:
        return (brio_dtype)pass->const_dtypes[number];
    default:
        return (brio_dtype)pass->result_dtypes[number];
    }
}

/* A new step with its results; NULL when there is no room. */
static brio_step *add_step(brio_pass *pass, brio_step_kind kind, int nin, const brio_term *in, int nout,
                           const uint8_t *out_dtype, brio_term *out)
{
    for (int j = 0; j < nout; j++)
        out[j] = make_term(TERM_RESULT, pass->nresults);
    if (pass->overflow || pass->program.nsteps == BRIO_PROGRAM_MAX_STEPS) {
        pass->overflow = true;
        return NULL;
    }
    brio_step *step = &pass->program.steps[pass->program.nsteps++];
    *step =
        (brio_step){.kind = (uint8_t)kind, .nin = (uint8_t)nin, .nout = (uint8_t)nout, .op = BRIO_OP_NONE};
    for (int i = 0; i < nin; i++)
        step->in[i] = in[i];
    for (int j = 0; j < nout; j++) {
        pass->result_dtypes[pass->nresults] = out_dtype[j];
        step->out[j] = out[j] = make_term(TERM_RESULT, pass->nresults++);
    }
    return step;
}

static brio_term find_cast(const brio_pass *pass, brio_term term, brio_dtype dtype, bool *found)
{
    for (int i = 0; i < pass->program.nsteps; i++) {
        const brio_step *step = &pass->program.steps[i];
        if (step->kind == BRIO_STEP_CAST && step->in[0] == term &&
            pass->result_dtypes[term_number(step->out[0])] == dtype) {
            *found = true;
            return step->out[0];
        }
    }
    *found = false;
    return 0;
}

brio_term brio_pass_cast(brio_pass *pass, brio_term term, brio_dtype dtype)
{
    if (pass->overflow || brio_pass_dtype(pass, term) == dtype)
        return term;
    bool found;
    brio_term result = find_cast(pass, term, dtype, &found);
    uint8_t to = (uint8_t)dtype;
    if (!found)
        add_step(pass, BRIO_STEP_CAST, 1, &term, 1, &to, &result);
    return result;
}

brio_term brio_pass_op(brio_pass *pass, brio_op op, const brio_term *in, const brio_dtype *loop,
                       brio_dtype out)
{
    brio_op_info info = {.size = sizeof info};
    brio_term result = 0;
    uint8_t to = (uint8_t)out;
    if (brio_op_describe(op, &info) != BRIO_OK) {
        pass->overflow = true;
        return 0;
    }
    brio_step *step = add_step(pass, BRIO_STEP_OP, info.nin, in, 1, &to, &result);
    if (step != NULL) {
        step->op = op;
        step->dtype = (uint8_t)brio_op_slot(op, loop);
    }
    return result;
}

brio_term brio_pass_array(brio_pass *pass, const brio_array *array)
{
    brio_node *node =
        pass->locked ? atomic_load_explicit(&array->node, memory_order_relaxed) : (brio_node *)NULL;
    if (node == NULL)
        return brio_pass_leaf(pass, array);
    if (node->stamp != pass->stamp) {
        brio_term term;
        brio_pass_expr(pass, &node->expr, &term);
        node->stamp = pass->stamp;
        node->result = term;
    }
    return node->result;
}

void brio_pass_expr(brio_pass *pass, const brio_expr *expr, brio_term *terms)
{
    brio_term in[BRIO_MAX_IN];
    for (int i = 0; i < expr->nin; i++) {
        brio_dtype dtype = (brio_dtype)expr->in_dtype[i];
        in[i] = expr->in[i] == NULL ? brio_pass_const(pass, dtype, expr->value[i])
                                    : brio_pass_cast(pass, brio_pass_array(pass, expr->in[i]), dtype);
    }
    if (expr->kind == BRIO_STEP_CAST) {
        terms[0] = in[0];
        return;
    }
    brio_step *step =
        add_step(pass, (brio_step_kind)expr->kind, expr->nin, in, expr->nout, expr->out_dtype, terms);
    if (step != NULL) {
        step->op = expr->op;
        step->dtype = expr->slot;
        step->external = expr->external;
        step->external_data = expr->external_data;
    }
}

void brio_pass_output(brio_pass *pass, brio_term term)
{
    if (pass->program.noutputs == BRIO_PROGRAM_MAX_OUTPUTS)
        pass->overflow = true;
    else
        pass->program.outputs[pass->program.noutputs++] = term;
}

static uint16_t value_of(const brio_program *program, brio_term term)
{
    int number = term_number(term);
    switch (term >> 14) {
    case TERM_LEAF:
        return (uint16_t)number;
    case TERM_CONST:
        return (uint16_t)(program->ninputs + number);
    default:
        return (uint16_t)(program->ninputs + program->nconsts + number);
    }
}

brio_status brio_pass_finish(brio_pass *pass)
{
    brio_program *program = &pass->program;
    if (pass->overflow)
        return brio_fail(BRIO_E_INTERNAL, "an expression became too large for one pass");
    int n = 0;
    for (int i = 0; i < program->ninputs; i++)
        program->dtypes[n++] = pass->leaves[i]->dtype;
    memcpy(program->dtypes + n, pass->const_dtypes, program->nconsts);
    n += program->nconsts;
    memcpy(program->dtypes + n, pass->result_dtypes, pass->nresults);
    program->nvalues = (uint16_t)(n + pass->nresults);
    for (int s = 0; s < program->nsteps; s++) {
        brio_step *step = &program->steps[s];
        for (int i = 0; i < step->nin; i++)
            step->in[i] = value_of(program, step->in[i]);
        for (int j = 0; j < step->nout; j++)
            step->out[j] = value_of(program, step->out[j]);
    }
    for (int j = 0; j < program->noutputs; j++)
        program->outputs[j] = value_of(program, program->outputs[j]);
    return BRIO_OK;
}

brio_status brio_pass_leaves(const brio_pass *pass, brio_space *space)
{
    for (int i = 0; i < pass->program.ninputs; i++)
        BRIO_TRY(brio_space_add(space, pass->leaves[i], BRIO_READ));
    return BRIO_OK;
}

brio_status brio_pass_run(brio_pass *pass, brio_array *const *outs, uint32_t *fp_flags)
{
    brio_space space;
    space.ndim = pass->ndim;
    space.noperands = 0;
    if (pass->ndim > 0)
        memcpy(space.shape, pass->shape, (size_t)pass->ndim * sizeof *pass->shape);
    int nout = pass->program.noutputs;
    if (outs[0]->count == 0)
        return BRIO_OK;
    for (int j = 0; j < nout; j++)
        BRIO_TRY(brio_space_add(&space, outs[j], BRIO_WRITE));
    BRIO_TRY(brio_pass_leaves(pass, &space));
    brio_space_collapse(&space);
    brio_map_args args = {&pass->program,        space.ndim,     space.shape,
                          space.operands + nout, space.operands, fp_flags};
    return brio_array_backend()->map(&args);
}
