/* The tile evaluator: operands are laid over the space, results get registers in a worker's scratch, and a
 * run executes the steps one after another over a tile. */
#include "backend/cpu/tile.h"
#include "backend/cpu/fp.h"
#include "op/rules.h"
#include "runtime/error.h"

#include <string.h>

#define NO_REGISTER UINT16_MAX
#define PERSISTENT INT32_MAX /* last use of a value that outlives the steps */

/* Registers and rooms of a worker should lie in the first two levels of cache. */
#define SCRATCH_GOAL (48 * 1024)
#define TILE_MIN 512

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

void brio_tile_lay(brio_tile_operand *operand, const brio_strided *strided, int itemsize, int ndim,
                   const int64_t *shape)
{
    int kept = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1)
            continue;
        const int64_t stride = strided->strides[d];
        if (kept > 0 && operand->strides[kept - 1] == stride * shape[d]) {
            operand->shape[kept - 1] *= shape[d];
            operand->strides[kept - 1] = stride;
        } else {
            operand->shape[kept] = shape[d];
            operand->strides[kept++] = stride;
        }
    }
    operand->data = strided->data;
    operand->itemsize = itemsize;
    operand->ndim = kept;
    operand->period = 0;
    operand->form = BRIO_TILE_STRIDED;
    if (kept == 0 || (kept == 1 && operand->strides[0] == itemsize)) {
        operand->form = BRIO_TILE_CONTIGUOUS;
    } else if (operand->strides[0] == 0) {
        operand->period = 1;
        for (int d = 1; d < kept; d++)
            operand->period *= operand->shape[d];
        if (operand->period <= BRIO_TILE_MAX)
            operand->form = BRIO_TILE_PERIODIC;
    }
}

/* Calls move(rows, cols, first element's offset, row stride, column stride) over pieces of [begin,
 * begin + n), each a whole number of rows or a part of one. */
static void move_run(const brio_tile_operand *operand, int64_t begin, int64_t n, brio_pack move, char *packed,
                     int packing)
{
    int64_t at[BRIO_MAX_DIMS];
    const int last = operand->ndim - 1, above = last - 1;
    const int64_t cols = operand->shape[last], col_stride = operand->strides[last];
    const int64_t row_stride = above >= 0 ? operand->strides[above] : 0;
    char *place = operand->data;
    int64_t left = begin;
    for (int d = last; d >= 0; d--) {
        at[d] = left % operand->shape[d];
        left /= operand->shape[d];
        place += at[d] * operand->strides[d];
    }
    while (n > 0) {
        int64_t rows = 1, width = cols - at[last];
        if (at[last] == 0 && n >= cols && above >= 0) {
            rows = operand->shape[above] - at[above];
            if (rows > n / cols)
                rows = n / cols;
        } else if (width > n) {
            width = n;
        }
        if (packing)
            move(packed, place, rows, width, row_stride, col_stride);
        else
            move(place, packed, rows, width, row_stride, col_stride);
        packed += rows * width * operand->itemsize;
        n -= rows * width;
        if (n == 0)
            break;
        /* Step on, carrying upwards. */
        place += width == cols ? 0 : width * col_stride;
        at[last] += width;
        if (width == cols)
            at[last] = 0;
        else if (at[last] == cols) {
            at[last] = 0;
            place -= cols * col_stride;
        }
        int d = above;
        int64_t carry = rows;
        while (d >= 0) {
            at[d] += carry;
            place += carry * operand->strides[d];
            if (at[d] < operand->shape[d])
                break;
            place -= operand->shape[d] * operand->strides[d];
            at[d--] = 0;
            carry = 1;
        }
    }
}

char *brio_tile_neighbours(const brio_tile_operand *operand, int64_t begin, int64_t n)
{
    const int last = operand->ndim - 1;
    if (operand->strides[last] != operand->itemsize)
        return NULL;
    const int64_t at = begin % operand->shape[last];
    if (at + n > operand->shape[last])
        return NULL;
    char *place = operand->data + at * operand->itemsize;
    int64_t left = begin / operand->shape[last];
    for (int d = last - 1; d > 0; d--) {
        place += left % operand->shape[d] * operand->strides[d];
        left /= operand->shape[d];
    }
    return last > 0 ? place + left * operand->strides[0] : place;
}

static int log2_of(int itemsize)
{
    return __builtin_ctz((unsigned)itemsize);
}

void brio_tile_pack(const brio_cpu_kernels *kernels, const brio_tile_operand *operand, int64_t begin,
                    int64_t n, char *to)
{
    move_run(operand, begin, n, kernels->pack[log2_of(operand->itemsize)], to, 1);
}

void brio_tile_unpack(const brio_cpu_kernels *kernels, const brio_tile_operand *operand, int64_t begin,
                      int64_t n, const char *from)
{
    /* An unpacking move only reads what it is told is its source. */
    union {
        const char *from;
        char *plain;
    } packed = {from};
    move_run(operand, begin, n, kernels->unpack[log2_of(operand->itemsize)], packed.plain, 0);
}

static int size_of(const brio_program *program, int value)
{
    return (int)brio_dtype_size((brio_dtype)program->dtypes[value]);
}

static brio_status find_loops(brio_tile_plan *plan)
{
    const brio_program *program = plan->program;
    plan->cost = 1;
    for (int s = 0; s < program->nsteps; s++) {
        const brio_step *step = &program->steps[s];
        brio_dtype in[BRIO_MAX_IN];
        for (int k = 0; k < step->nin; k++)
            in[k] = (brio_dtype)program->dtypes[step->in[k]];
        plan->loops[s] = NULL;
        plan->checks[s] = NULL;
        plan->quiet[s] = 0;
        if (step->kind == BRIO_STEP_EXTERNAL) {
            plan->cost += 4;
            continue;
        }
        if (step->kind == BRIO_STEP_CAST) {
            const brio_dtype to = (brio_dtype)program->dtypes[step->out[0]];
            plan->loops[s] = plan->kernels->casts[in[0]][to];
            plan->checks[s] = plan->kernels->checks[in[0]][to];
            plan->quiet[s] = plan->checks[s] != NULL;
            plan->cost += 1;
        } else {
            plan->loops[s] = plan->kernels->loops[brio_op_slot(step->op, in)][step->op];
            plan->quiet[s] = brio_op_conditions(step->op) == 0;
            plan->cost += brio_op_cost(step->op);
        }
        if (!plan->loops[s])
            return brio_fail(BRIO_E_TYPE, "the cpu has no loop for step %d of a program: %s on '%s'", s,
                             step->kind == BRIO_STEP_CAST ? "cast" : brio_op_lines[step->op].name,
                             brio_dtype_name(in[0]));
    }
    return BRIO_OK;
}

/* The step that reads each value last; PERSISTENT for outputs, -1 for what nobody reads. */
static void find_last_uses(const brio_program *program, int32_t *last_use)
{
    for (int v = 0; v < program->nvalues; v++)
        last_use[v] = -1;
    for (int s = 0; s < program->nsteps; s++)
        for (int k = 0; k < program->steps[s].nin; k++)
            last_use[program->steps[s].in[k]] = s;
    for (int j = 0; j < program->noutputs; j++)
        last_use[program->outputs[j]] = PERSISTENT;
}

/* Gives every packed input and every result a register; a result takes over the register of an input of
 * its step that nobody reads later, when their elements have one size. Returns how many there are. */
static int assign_registers(brio_tile_plan *plan)
{
    const brio_program *program = plan->program;
    int32_t last_use[BRIO_PROGRAM_MAX_VALUES];
    uint16_t unused[BRIO_PROGRAM_MAX_VALUES];
    int nunused = 0, nregisters = 0;
    find_last_uses(program, last_use);
    for (int v = 0; v < program->nvalues; v++)
        plan->place[v] = NO_REGISTER;
    for (int i = 0; i < program->ninputs; i++)
        if (plan->in[i].form == BRIO_TILE_STRIDED)
            plan->place[i] = (uint16_t)nregisters++;
    for (int s = 0; s < program->nsteps; s++) {
        const brio_step *step = &program->steps[s];
        uint16_t dying[BRIO_MAX_IN];
        int ndying = 0;
        for (int k = 0; k < step->nin; k++) {
            const int v = step->in[k];
            int seen = plan->place[v] == NO_REGISTER || last_use[v] != s;
            for (int m = 0; m < ndying; m++)
                seen |= dying[m] == v;
            if (!seen)
                dying[ndying++] = (uint16_t)v;
        }
        for (int j = 0; j < step->nout; j++) {
            const int v = step->out[j];
            for (int m = 0; m < ndying && step->kind != BRIO_STEP_EXTERNAL; m++)
                if (size_of(program, dying[m]) == size_of(program, v)) {
                    plan->place[v] = plan->place[dying[m]];
                    dying[m] = dying[--ndying];
                    break;
                }
            if (plan->place[v] == NO_REGISTER)
                plan->place[v] = nunused ? unused[--nunused] : (uint16_t)nregisters++;
        }
        for (int m = 0; m < ndying; m++)
            unused[nunused++] = plan->place[dying[m]];
        for (int j = 0; j < step->nout; j++)
            if (last_use[step->out[j]] < 0)
                unused[nunused++] = plan->place[step->out[j]];
    }
    return nregisters;
}

/* The size of a tile, and where constants, periodic inputs and registers lie in the scratch. */
static void lay_out_scratch(brio_tile_plan *plan, int nregisters)
{
    const brio_program *program = plan->program;
    int widest = 1;
    for (int v = 0; v < program->nvalues; v++)
        if (size_of(program, v) > widest)
            widest = size_of(program, v);
    int64_t tile = BRIO_TILE_MAX;
    while (tile > TILE_MIN && (size_t)((nregisters + program->nconsts + 1) * widest * tile) > SCRATCH_GOAL)
        tile /= 2;
    while (tile > 16 && tile / 2 >= plan->count)
        tile /= 2;
    plan->tile = tile;

    size_t used = 0;
    for (int c = 0; c < program->nconsts; c++)
        used += round_up((size_t)(size_of(program, program->ninputs + c) * tile));
    for (int i = 0; i < program->ninputs; i++)
        if (plan->in[i].form == BRIO_TILE_PERIODIC) {
            plan->in[i].room = used;
            used += round_up((size_t)(plan->in[i].itemsize * (tile + plan->in[i].period)));
        }
    plan->registers = used;
    plan->register_bytes = round_up((size_t)(widest * tile));
    plan->scratch_bytes = used + (size_t)nregisters * plan->register_bytes;
}

brio_status brio_tile_prepare(brio_tile_plan *plan, const brio_program *program, int ndim,
                              const int64_t *shape, const brio_strided *in)
{
    plan->program = program;
    plan->kernels = brio_cpu_kernels_now();
    plan->count = 1;
    for (int d = 0; d < ndim; d++)
        plan->count *= shape[d];
    for (int i = 0; i < program->ninputs; i++)
        brio_tile_lay(&plan->in[i], &in[i], size_of(program, i), ndim, shape);
    BRIO_TRY(find_loops(plan));
    lay_out_scratch(plan, assign_registers(plan));
    return BRIO_OK;
}

/* Repeats the first `have` elements until `count` are there. */
static void repeat(char *at, int64_t have, int64_t count, int itemsize)
{
    while (have < count) {
        const int64_t more = have < count - have ? have : count - have;
        memcpy(at + have * itemsize, at, (size_t)(more * itemsize));
        have += more;
    }
}

void brio_tile_begin(const brio_tile_plan *plan, brio_tile_worker *worker, void *scratch, int want_fp)
{
    const brio_program *program = plan->program;
    worker->scratch = scratch;
    worker->want_fp = want_fp;
    worker->fp = 0;
    if (plan->count == 0)
        return;
    char *room = worker->scratch;
    for (int c = 0; c < program->nconsts; c++) {
        const int v = program->ninputs + c, itemsize = size_of(program, v);
        worker->at[v] = room;
        memcpy(room, &program->consts[c], (size_t)itemsize);
        repeat(room, 1, plan->tile, itemsize);
        room += round_up((size_t)(itemsize * plan->tile));
    }
    for (int i = 0; i < program->ninputs; i++) {
        const brio_tile_operand *operand = &plan->in[i];
        if (operand->form != BRIO_TILE_PERIODIC)
            continue;
        char *unrolled = worker->scratch + operand->room;
        brio_tile_pack(plan->kernels, operand, 0, operand->period, unrolled);
        repeat(unrolled, operand->period, operand->period + plan->tile, operand->itemsize);
    }
    for (int v = 0; v < program->nvalues; v++)
        if (plan->place[v] != NO_REGISTER)
            worker->at[v] = worker->scratch + plan->registers + plan->place[v] * plan->register_bytes;
}

static void place_inputs(const brio_tile_plan *plan, brio_tile_worker *worker, int64_t begin, int64_t n)
{
    for (int i = 0; i < plan->program->ninputs; i++) {
        const brio_tile_operand *operand = &plan->in[i];
        if (operand->form == BRIO_TILE_CONTIGUOUS)
            worker->at[i] = operand->data + begin * operand->itemsize;
        else if (operand->form == BRIO_TILE_PERIODIC)
            worker->at[i] = worker->scratch + operand->room + begin % operand->period * operand->itemsize;
        else if (!(worker->at[i] = brio_tile_neighbours(operand, begin, n))) {
            worker->at[i] = worker->scratch + plan->registers + plan->place[i] * plan->register_bytes;
            brio_tile_pack(plan->kernels, operand, begin, n, worker->at[i]);
        }
    }
}

static void run_external(const brio_program *program, const brio_step *step, char **args, int64_t n)
{
    intptr_t strides[BRIO_MAX_IN + BRIO_MAX_OUT], count = (intptr_t)n;
    for (int k = 0; k < step->nin; k++)
        strides[k] = size_of(program, step->in[k]);
    for (int j = 0; j < step->nout; j++)
        strides[step->nin + j] = size_of(program, step->out[j]);
    step->external(args, &count, strides, step->external_data);
}

/* Adds what a step raised when that means something, and leaves no condition raised. */
static void gather_conditions(const brio_tile_plan *plan, brio_tile_worker *worker, int s, char **args,
                              int64_t n)
{
    if (!plan->quiet[s])
        worker->fp |= brio_fp_read();
    else if (plan->checks[s] && plan->checks[s](args[0], n))
        worker->fp |= plan->program->dtypes[plan->program->steps[s].out[0]] == BRIO_F16 ? BRIO_FPE_OVERFLOW
                                                                                        : BRIO_FPE_INVALID;
    brio_fp_clear();
}

void brio_tile_run(const brio_tile_plan *plan, brio_tile_worker *worker, int64_t begin, int64_t n,
                   char **where)
{
    const brio_program *program = plan->program;
    const int first_result = program->ninputs + program->nconsts;
    place_inputs(plan, worker, begin, n);
    for (int j = 0; j < program->noutputs; j++) {
        const int v = program->outputs[j];
        if (v >= first_result && where[j])
            worker->at[v] = where[j];
        else if (v >= first_result)
            worker->at[v] = worker->scratch + plan->registers + plan->place[v] * plan->register_bytes;
    }
    if (worker->want_fp)
        brio_fp_clear();
    for (int s = 0; s < program->nsteps; s++) {
        const brio_step *step = &program->steps[s];
        char *args[BRIO_MAX_IN + BRIO_MAX_OUT];
        for (int k = 0; k < step->nin; k++)
            args[k] = worker->at[step->in[k]];
        for (int j = 0; j < step->nout; j++)
            args[step->nin + j] = worker->at[step->out[j]];
        if (plan->loops[s])
            plan->loops[s](args, n);
        else
            run_external(program, step, args, n);
        if (worker->want_fp)
            gather_conditions(plan, worker, s, args, n);
    }
    for (int j = 0; j < program->noutputs; j++) {
        const int v = program->outputs[j];
        if (!where[j])
            where[j] = worker->at[v];
        else if (where[j] != worker->at[v])
            memcpy(where[j], worker->at[v], (size_t)(n * size_of(program, v)));
    }
}

uint32_t brio_tile_end(brio_tile_worker *worker)
{
    return worker->fp;
}
