/* The map primitive: a program over a space, tile by tile, on all threads. */
#include "backend/cpu/map.h"
#include "backend/cpu/fp.h"
#include "backend/cpu/tile.h"
#include "op/rules.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <brio/memory.h>

#include <stdatomic.h>
#include <string.h>

/* Work below this many simple operations is not worth waking another thread for. */
#define SERIAL_WORK (192 * 1024)
/* The least work handed to a thread at a time. */
#define PIECE_WORK (32 * 1024)
/* Outputs of maps that touch this much memory go past the caches. */
#define STREAM_BYTES (32 << 20)
#define STACK_SCRATCH (16 * 1024)
/* Runs are cut at the ends of rows that are at least so long, so that rows are read where they lie. */
#define ROW_MIN 192

typedef enum delivery {
    IN_PLACE, /* steps write to the output itself */
    COPIED,   /* from a register when all steps are done */
    STREAMED,
    UNPACKED
} delivery;

typedef struct map_state {
    brio_tile_plan plan;
    brio_tile_operand out[BRIO_PROGRAM_MAX_OUTPUTS];
    delivery how[BRIO_PROGRAM_MAX_OUTPUTS];
    uint8_t early[BRIO_PROGRAM_MAX_OUTPUTS]; /* whether steps may write to the output itself */
    int64_t row, pieces, width;              /* runs: rows of so many elements, each in so many pieces */
    char *room;                              /* for each worker: a brio_tile_worker, then its scratch */
    size_t room_bytes;
    int want_fp;
    atomic_uint fp;
} map_state;

/* ---- One operation on contiguous operands ----------------------------------------------------- */

static int is_contiguous(const brio_strided *operand, int ndim, const int64_t *shape, int64_t itemsize)
{
    for (int d = ndim - 1; d >= 0; d--) {
        if (shape[d] != 1 && operand->strides[d] != itemsize)
            return 0;
        itemsize *= shape[d];
    }
    return 1;
}

/* Whether the program is one operation whose inputs are the program's and whose outputs are delivered. */
static int is_one_operation(const brio_program *program)
{
    const brio_step *step = &program->steps[0];
    if (program->nsteps != 1 || step->kind != BRIO_STEP_OP || program->nconsts ||
        program->noutputs != step->nout)
        return 0;
    for (int j = 0; j < step->nout; j++)
        if (program->outputs[j] != step->out[j])
            return 0;
    return 1;
}

/* Elements of a piece: some pieces for each thread, each of them worth handing out, of whole cache lines. */
static int64_t direct_grain(int64_t count, int64_t work)
{
    const int64_t least = count / (work / PIECE_WORK + 1), even = count / (8 * brio_threads());
    return ((even > least ? even : least) + 63) & ~(int64_t)63;
}

typedef struct direct_map {
    brio_loop loop;
    char *at[BRIO_MAX_IN + BRIO_MAX_OUT];
    int64_t itemsize[BRIO_MAX_IN + BRIO_MAX_OUT];
    int noperands, want_fp;
    atomic_uint fp;
} direct_map;

static void run_directly(void *context, int64_t begin, int64_t end, int worker)
{
    direct_map *map = context;
    char *at[BRIO_MAX_IN + BRIO_MAX_OUT];
    for (int k = 0; k < map->noperands; k++)
        at[k] = map->at[k] + begin * map->itemsize[k];
    if (map->want_fp)
        brio_fp_clear();
    map->loop(at, end - begin);
    if (map->want_fp)
        atomic_fetch_or_explicit(&map->fp, brio_fp_read(), memory_order_relaxed);
}

/* Whether the program is one operation on contiguous operands that the caches hold; fills `map`. */
static int is_direct(const brio_map_args *args, int64_t count, direct_map *map)
{
    const brio_program *program = args->program;
    if (count > STREAM_BYTES || !is_one_operation(program))
        return 0;
    const brio_step *step = &program->steps[0];
    brio_dtype in[BRIO_MAX_IN];
    int64_t itemsizes = 0;
    map->noperands = step->nin + step->nout;
    for (int k = 0; k < map->noperands; k++) {
        const brio_strided *operand = k < step->nin ? &args->in[step->in[k]] : &args->out[k - step->nin];
        const int value = k < step->nin ? step->in[k] : step->out[k - step->nin];
        const int64_t itemsize = (int64_t)brio_dtype_size((brio_dtype)program->dtypes[value]);
        if (!is_contiguous(operand, args->ndim, args->shape, itemsize))
            return 0;
        if (k < step->nin)
            in[k] = (brio_dtype)program->dtypes[value];
        map->at[k] = operand->data;
        map->itemsize[k] = itemsize;
        itemsizes += itemsize;
    }
    map->loop = brio_cpu_loop(step->op, brio_op_slot(step->op, in));
    map->want_fp = args->fp_flags && brio_op_conditions(step->op);
    return map->loop && itemsizes * count < STREAM_BYTES;
}

/* Runs the loop over large pieces and returns 1 when the work is of that kind. */
static int map_directly(const brio_map_args *args, int64_t count)
{
    direct_map map;
    if (!is_direct(args, count, &map))
        return 0;
    const int64_t work = brio_op_cost(args->program->steps[0].op) * count;
    atomic_init(&map.fp, 0);
    if (work <= SERIAL_WORK)
        run_directly(&map, 0, count, 0);
    else
        brio_parallel_for(count, direct_grain(count, work), run_directly, &map);
    if (map.want_fp)
        *args->fp_flags |= atomic_load_explicit(&map.fp, memory_order_relaxed);
    return 1;
}

/* ---- Any program ------------------------------------------------------------------------------ */

/* The bytes between the lowest and the highest address of an operand's elements. */
static void bounds(const brio_strided *operand, int ndim, const int64_t *shape, int64_t itemsize, char **low,
                   char **high)
{
    *low = operand->data;
    *high = operand->data + itemsize;
    for (int d = 0; d < ndim; d++) {
        const int64_t reach = operand->strides[d] * (shape[d] - 1);
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
}

static int overlaps_an_input(const brio_map_args *args, int j)
{
    const brio_program *program = args->program;
    char *low, *high, *in_low, *in_high;
    bounds(&args->out[j], args->ndim, args->shape,
           (int64_t)brio_dtype_size((brio_dtype)program->dtypes[program->outputs[j]]), &low, &high);
    for (int i = 0; i < program->ninputs; i++) {
        bounds(&args->in[i], args->ndim, args->shape,
               (int64_t)brio_dtype_size((brio_dtype)program->dtypes[i]), &in_low, &in_high);
        if (in_low < high && low < in_high)
            return 1;
    }
    return 0;
}

/* An output that lies where an input does may be written early only by the last step. */
static int is_last_result(const brio_program *program, int value)
{
    if (program->nsteps == 0)
        return 0;
    const brio_step *last = &program->steps[program->nsteps - 1];
    return value == last->out[0] || (last->nout == 2 && value == last->out[1]);
}

/* The bytes of all operands that are not repeated. */
static int64_t touched_bytes(const map_state *state)
{
    const brio_program *program = state->plan.program;
    int64_t itemsizes = 0;
    for (int i = 0; i < program->ninputs; i++)
        itemsizes += state->plan.in[i].form == BRIO_TILE_PERIODIC ? 0 : state->plan.in[i].itemsize;
    for (int j = 0; j < program->noutputs; j++)
        itemsizes += (int64_t)brio_dtype_size((brio_dtype)program->dtypes[program->outputs[j]]);
    return itemsizes * state->plan.count;
}

static void choose_delivery(map_state *state, const brio_map_args *args)
{
    const brio_program *program = args->program;
    const int streams = touched_bytes(state) >= STREAM_BYTES;
    for (int j = 0; j < program->noutputs; j++) {
        const int value = program->outputs[j];
        const int itemsize = (int)brio_dtype_size((brio_dtype)program->dtypes[value]);
        brio_tile_lay(&state->out[j], &args->out[j], itemsize, args->ndim, args->shape);
        const int overlaps = overlaps_an_input(args, j);
        state->early[j] = !overlaps || is_last_result(program, value);
        if (state->out[j].form != BRIO_TILE_CONTIGUOUS)
            state->how[j] = UNPACKED;
        else if (!overlaps && streams)
            state->how[j] = STREAMED;
        else if (state->early[j])
            state->how[j] = IN_PLACE;
        else
            state->how[j] = COPIED;
    }
}

/* The shortest row of neighbours among the operands that are not contiguous; 0 when there is none. */
static int64_t shortest_row(const map_state *state)
{
    const brio_program *program = state->plan.program;
    int64_t row = 0;
    for (int k = 0; k < program->ninputs + program->noutputs; k++) {
        const brio_tile_operand *operand =
            k < program->ninputs ? &state->plan.in[k] : &state->out[k - program->ninputs];
        const int last = operand->ndim - 1;
        if (operand->form == BRIO_TILE_STRIDED && operand->strides[last] == operand->itemsize &&
            (row == 0 || operand->shape[last] < row))
            row = operand->shape[last];
    }
    return row;
}

/* Cuts the space into runs: at the ends of rows when those are long enough, else without regard to them. */
static void choose_runs(map_state *state)
{
    const int64_t tile = state->plan.tile, row = shortest_row(state);
    state->row = row >= ROW_MIN ? row : state->plan.count;
    state->pieces = (state->row + tile - 1) / tile;
    state->width = row >= ROW_MIN ? (row + state->pieces - 1) / state->pieces : tile;
}

static void run_tile(map_state *state, brio_tile_worker *worker, int64_t begin, int64_t n)
{
    const brio_cpu_kernels *kernels = state->plan.kernels;
    char *where[BRIO_PROGRAM_MAX_OUTPUTS], *place[BRIO_PROGRAM_MAX_OUTPUTS];
    for (int j = 0; j < state->plan.program->noutputs; j++) {
        const brio_tile_operand *out = &state->out[j];
        place[j] = state->how[j] == UNPACKED && state->early[j] ? brio_tile_neighbours(out, begin, n) : NULL;
        where[j] = state->how[j] == IN_PLACE ? out->data + begin * out->itemsize : place[j];
    }
    brio_tile_run(&state->plan, worker, begin, n, where);
    for (int j = 0; j < state->plan.program->noutputs; j++) {
        const brio_tile_operand *out = &state->out[j];
        char *to = out->data + begin * out->itemsize;
        if (state->how[j] == STREAMED)
            kernels->stream(to, where[j], (size_t)(n * out->itemsize));
        else if (state->how[j] == COPIED)
            memcpy(to, where[j], (size_t)(n * out->itemsize));
        else if (state->how[j] == UNPACKED && !place[j])
            brio_tile_unpack(kernels, out, begin, n, where[j]);
    }
}

/* Works on the runs [begin, end). */
static void run_tiles(void *context, int64_t begin, int64_t end, int worker_index)
{
    map_state *state = context;
    brio_tile_worker *worker = (brio_tile_worker *)(state->room + (size_t)worker_index * state->room_bytes);
    if (!worker->scratch)
        brio_tile_begin(&state->plan, worker, worker + 1, state->want_fp);
    for (int64_t t = begin; t < end; t++) {
        const int64_t from = t % state->pieces * state->width, left = state->row - from;
        run_tile(state, worker, t / state->pieces * state->row + from,
                 left < state->width ? left : state->width);
    }
    if (state->want_fp)
        atomic_fetch_or_explicit(&state->fp, brio_tile_end(worker), memory_order_relaxed);
}

static void run_on_workers(map_state *state, int workers)
{
    const int64_t tiles = state->plan.count / state->row * state->pieces;
    int64_t grain = tiles;
    if (workers > 1) {
        const int64_t least = SERIAL_WORK / (state->width * state->plan.cost) + 1;
        grain = tiles / (8 * workers);
        grain = grain < 1 ? 1 : grain > 64 ? 64 : grain;
        grain = grain < least ? least : grain;
    }
    for (int w = 0; w < workers; w++)
        ((brio_tile_worker *)(state->room + (size_t)w * state->room_bytes))->scratch = NULL;
    if (workers == 1)
        run_tiles(state, 0, tiles, 0);
    else
        brio_parallel_for(tiles, grain, run_tiles, state);
}

static brio_status run_map(map_state *state)
{
    _Alignas(64) char near[STACK_SCRATCH];
    const int workers = state->plan.count * state->plan.cost <= SERIAL_WORK ? 1 : brio_parallel_workers();
    state->room_bytes = (sizeof(brio_tile_worker) + state->plan.scratch_bytes + 63) & ~(size_t)63;
    if (workers == 1 && state->room_bytes <= sizeof near) {
        state->room = near;
        run_on_workers(state, 1);
        return BRIO_OK;
    }
    void *room;
    BRIO_TRY(brio_memory_alloc((size_t)workers * state->room_bytes, &room));
    state->room = room;
    run_on_workers(state, workers);
    brio_memory_free(room);
    return BRIO_OK;
}

/* ---- The order of dimensions ------------------------------------------------------------------- */

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Sorts dimensions so that the first output's strides fall; returns whether they were not so before. */
static int sort_dimensions(const brio_map_args *args, int *order)
{
    int changed = 0;
    const int64_t *strides = args->out[0].strides;
    for (int d = 0; d < args->ndim; d++) {
        int k = d;
        for (; k > 0 && args->shape[d] > 1 && magnitude(strides[order[k - 1]]) < magnitude(strides[d]); k--)
            order[k] = order[k - 1];
        order[k] = d;
        changed |= k != d;
    }
    return changed;
}

static void permute(brio_strided *to, const brio_strided *from, int ndim, const int *order)
{
    to->data = from->data;
    for (int d = 0; d < ndim; d++)
        to->strides[d] = from->strides[order[d]];
}

static brio_status map_in_order(const brio_map_args *args)
{
    map_state state;
    BRIO_TRY(brio_tile_prepare(&state.plan, args->program, args->ndim, args->shape, args->in));
    choose_delivery(&state, args);
    choose_runs(&state);
    state.want_fp = args->fp_flags != NULL;
    atomic_init(&state.fp, 0);
    BRIO_TRY(run_map(&state));
    if (args->fp_flags)
        *args->fp_flags |= atomic_load_explicit(&state.fp, memory_order_relaxed);
    return BRIO_OK;
}

static brio_status map_permuted(const brio_map_args *args, const int *order)
{
    brio_strided in[BRIO_PROGRAM_MAX_INPUTS], out[BRIO_PROGRAM_MAX_OUTPUTS];
    int64_t shape[BRIO_MAX_DIMS];
    for (int i = 0; i < args->program->ninputs; i++)
        permute(&in[i], &args->in[i], args->ndim, order);
    for (int j = 0; j < args->program->noutputs; j++)
        permute(&out[j], &args->out[j], args->ndim, order);
    for (int d = 0; d < args->ndim; d++)
        shape[d] = args->shape[order[d]];
    brio_map_args sorted = *args;
    sorted.shape = shape;
    sorted.in = in;
    sorted.out = out;
    return map_in_order(&sorted);
}

brio_status brio_cpu_map(const brio_map_args *args)
{
    int64_t count = 1;
    for (int d = 0; d < args->ndim; d++)
        count *= args->shape[d];
    if (count == 0 || args->program->noutputs == 0 || map_directly(args, count))
        return BRIO_OK;
    int order[BRIO_MAX_DIMS];
    return sort_dimensions(args, order) ? map_permuted(args, order) : map_in_order(args);
}
