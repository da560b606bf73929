/* The reduce primitive: which association, which layout, and the short way of one contiguous row. The
 * orders of evaluation are described in docs/numerics.md. */
#include "backend/cpu/reduce.h"
#include "backend/cpu/fp.h"
#include "backend/cpu/primitives.h"
#include "runtime/error.h"

#include <stdlib.h>
#include <string.h>

/* One contiguous row up to this long is reduced at once. */
#define SHORT_MAX (1 << 15)
/* Elements a thread, for a plain read and for a program of several steps. */
#define SHARE_PLAIN (1 << 16)
#define SHARE_PROGRAM (1 << 14)

/* ---- Pieces of evaluation ------------------------------------------------------------------- */

void brio_reduce_begin(const brio_reduce_plan *plan, brio_reduce_worker *worker, char *scratch)
{
    worker->plan = plan;
    brio_tile_begin(&plan->tile, &worker->tile, scratch, plan->fp_flags != NULL);
    if (plan->fp_flags != NULL)
        brio_fp_clear();
}

void brio_reduce_end(brio_reduce_worker *worker)
{
    uint32_t raised = brio_tile_end(&worker->tile);
    if (worker->plan->fp_flags != NULL && raised != 0)
        __atomic_fetch_or(worker->plan->fp_flags, raised, __ATOMIC_RELAXED);
}

const char *brio_reduce_fetch(brio_reduce_worker *worker, int64_t begin, int64_t n)
{
    const brio_reduce_plan *plan = worker->plan;
    if (plan->direct != NULL)
        return plan->direct + begin * plan->size;
    char *where[BRIO_PROGRAM_MAX_OUTPUTS] = {NULL};
    brio_tile_run(&plan->tile, &worker->tile, begin, n, where);
    return where[0];
}

void brio_reduce_note_conditions(brio_reduce_worker *worker)
{
    if (worker->plan->fp_flags == NULL)
        return;
    if (worker->plan->wants_fp)
        worker->tile.fp |= brio_fp_read();
    brio_fp_clear();
}

void brio_reduce_forget_conditions(const brio_reduce_plan *plan)
{
    if (plan->fp_flags != NULL)
        brio_fp_clear();
}

void brio_reduce_add_conditions(const brio_reduce_plan *plan)
{
    if (plan->fp_flags != NULL && plan->wants_fp)
        __atomic_fetch_or(plan->fp_flags, brio_fp_read(), __ATOMIC_RELAXED);
}

void brio_reduce_store(const brio_reduce_plan *plan, int64_t begin, int64_t n, char *values,
                       const int64_t *index)
{
    if (plan->is_sum) { /* a sum of nothing but -0.0 is 0.0 */
        if (plan->dtype == BRIO_F32) {
            float *x = (float *)(void *)values;
            for (int64_t i = 0; i < n; i++)
                x[i] += 0.0f;
        } else {
            double *x = (double *)(void *)values;
            for (int64_t i = 0; i < n; i++)
                x[i] += 0.0;
        }
    }
    const char *from = index != NULL ? (const char *)index : values;
    if (plan->out.form == BRIO_TILE_CONTIGUOUS)
        memcpy(plan->out.data + begin * plan->out_size, from, (size_t)(n * plan->out_size));
    else
        brio_tile_unpack(plan->tile.kernels, &plan->out, begin, n, from);
}

void brio_reduce_join(const brio_reduce_plan *plan, char *values, int64_t *index, int64_t count,
                      int64_t width)
{
    int64_t bytes = width * plan->size;
    if (plan->args != NULL) {
        for (int64_t i = 1; i < count; i++)
            plan->args->fold(values, index, values + i * bytes, index + i * width, width);
        return;
    }
    for (int64_t step = 1; step < count; step *= 2) {
        for (int64_t i = 0; i + step < count; i += 2 * step)
            plan->ops.columns(values + i * bytes, values + (i + step) * bytes, 1, width, 0);
    }
}

/* ---- Layout --------------------------------------------------------------------------------- */

typedef struct reduce_dim {
    int64_t extent, weight; /* weight: distance in bytes of neighbours in the input that decides */
    int source;             /* its place in the arguments' strides */
} reduce_dim;

/* The first input that varies decides in which order the space is laid out in memory. */
static const brio_strided *deciding_input(const brio_reduce_args *args)
{
    for (int i = 0; i < args->program->ninputs; i++) {
        for (int d = 0; d < args->nkeep + args->nreduce; d++) {
            if (args->in[i].strides[d] != 0)
                return &args->in[i];
        }
    }
    return args->in;
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* Collects dimensions of more than one element, far neighbours first when `sorted`; C order among equals. */
static int collect_dims(reduce_dim *dims, const int64_t *shape, int first, int n, const int64_t *strides,
                        int sorted)
{
    int count = 0;
    for (int d = 0; d < n; d++) {
        if (shape[d] == 1)
            continue;
        reduce_dim dim = {shape[d], strides != NULL ? magnitude(strides[first + d]) : 0, first + d};
        int at = count++;
        while (sorted && at > 0 && dims[at - 1].weight < dim.weight) {
            dims[at] = dims[at - 1];
            at--;
        }
        dims[at] = dim;
    }
    return count;
}

typedef struct reduce_layout {
    reduce_dim keep[BRIO_MAX_DIMS], reduce[BRIO_MAX_DIMS];
    int nkeep, nreduce, columns;
} reduce_layout;

static void lay_out_space(const brio_reduce_args *args, int is_arg, reduce_layout *layout)
{
    const int64_t *strides = args->program->ninputs > 0 ? deciding_input(args)->strides : NULL;
    layout->nkeep = collect_dims(layout->keep, args->keep_shape, 0, args->nkeep, strides, 1);
    layout->nreduce =
        collect_dims(layout->reduce, args->reduce_shape, args->nkeep, args->nreduce, strides, !is_arg);
    layout->columns = layout->nkeep > 0 && layout->nreduce > 0 &&
                      layout->keep[layout->nkeep - 1].weight < layout->reduce[layout->nreduce - 1].weight;
}

/* Fills shape and, for each input, strides in the order outer, reduced, inner. */
static int order_dims(const reduce_layout *layout, reduce_dim *dims)
{
    int n = 0, outer = layout->nkeep - layout->columns;
    for (int d = 0; d < outer; d++)
        dims[n++] = layout->keep[d];
    for (int d = 0; d < layout->nreduce; d++)
        dims[n++] = layout->reduce[d];
    if (layout->columns)
        dims[n++] = layout->keep[outer];
    return n;
}

static int64_t product_of(const reduce_dim *dims, int n)
{
    int64_t product = 1;
    for (int d = 0; d < n; d++)
        product *= dims[d].extent;
    return product;
}

/* Whether the value is made by a cast: NumPy casts within a reduction buffer by buffer. */
static int value_is_cast(const brio_program *program)
{
    for (int s = 0; s < program->nsteps; s++) {
        if (program->steps[s].kind == BRIO_STEP_CAST && program->steps[s].out[0] == program->outputs[0])
            return 1;
    }
    return 0;
}

/* Whether NumPy's nested loops over this layout give the association that we reproduce: one reduced
 * dimension (after merging what its iterator merges), all strides positive, one order for all inputs. */
static int numpy_order_is_known(const brio_reduce_args *args, const reduce_layout *layout)
{
    reduce_dim dims[BRIO_MAX_DIMS];
    int n = order_dims(layout, dims);
    int plain = args->program->nsteps == 0;
    if (value_is_cast(args->program))
        return 0;
    for (int i = 0; i < args->program->ninputs; i++) {
        const int64_t *strides = args->in[i].strides;
        int varies = 0;
        int64_t before = INT64_MAX;
        for (int d = 0; d < n; d++) {
            int64_t stride = strides[dims[d].source];
            varies |= stride != 0;
            if (stride < 0 || (stride == 0 && &args->in[i] == deciding_input(args)))
                return 0;
            if (stride > before)
                return 0;
            before = stride > 0 ? stride : before;
        }
        if (!varies && plain && n > 0)
            return 0;
    }
    for (int d = 0; plain && d + 1 < layout->nreduce; d++) {
        const int64_t *strides = args->in[0].strides;
        const reduce_dim *far = &layout->reduce[d], *near = &layout->reduce[d + 1];
        if (strides[far->source] != strides[near->source] * near->extent)
            return 0;
    }
    /* The reduced dimensions must be neighbours in memory. */
    for (int d = 0; d + 1 < n; d++) {
        if (dims[d].weight < dims[d + 1].weight)
            return 0;
    }
    return 1;
}

static brio_status prepare_space(brio_reduce_plan *plan, const brio_reduce_args *args,
                                 const reduce_layout *layout)
{
    reduce_dim dims[BRIO_MAX_DIMS];
    int n = order_dims(layout, dims);
    int64_t shape[BRIO_MAX_DIMS], keep_shape[BRIO_MAX_DIMS];
    brio_strided in[BRIO_PROGRAM_MAX_INPUTS], out = {args->out.data, {0}};
    for (int d = 0; d < n; d++)
        shape[d] = dims[d].extent;
    for (int i = 0; i < args->program->ninputs; i++) {
        in[i].data = args->in[i].data;
        for (int d = 0; d < n; d++)
            in[i].strides[d] = args->in[i].strides[dims[d].source];
    }
    for (int d = 0; d < layout->nkeep; d++) {
        keep_shape[d] = layout->keep[d].extent;
        out.strides[d] = args->out.strides[layout->keep[d].source];
    }
    plan->inner = layout->columns ? layout->keep[layout->nkeep - 1].extent : 1;
    plan->outer = product_of(layout->keep, layout->nkeep - layout->columns);
    plan->reduced = product_of(layout->reduce, layout->nreduce);
    plan->out_size = plan->args != NULL ? (int64_t)sizeof(int64_t) : plan->size;
    brio_tile_lay(&plan->out, &out, (int)plan->out_size, layout->nkeep, keep_shape);
    BRIO_TRY(brio_tile_prepare(&plan->tile, args->program, n, shape, in));
    int value = args->program->outputs[0];
    plan->direct = value < args->program->ninputs && plan->tile.in[value].form == BRIO_TILE_CONTIGUOUS
                       ? plan->tile.in[value].data
                       : NULL;
    plan->share = plan->tile.cost > 4 ? SHARE_PROGRAM : SHARE_PLAIN;
    return BRIO_OK;
}

/* ---- The primitive -------------------------------------------------------------------------- */

static int is_arg_kind(brio_reduce_kind kind)
{
    return kind == BRIO_REDUCE_ARGMAX || kind == BRIO_REDUCE_ARGMIN;
}

static void set_identity(brio_reduce_plan *plan, brio_reduce_kind kind)
{
    float f = kind == BRIO_REDUCE_MULTIPLY ? 1 : 0;
    double d = f;
    memcpy(plan->identity, plan->dtype == BRIO_F32 ? (void *)&f : (void *)&d, (size_t)plan->size);
}

static brio_status choose_kernels(brio_reduce_plan *plan, const brio_reduce_args *args)
{
    brio_reduce_kind kind = args->kind;
    plan->dtype = args->program->dtypes[args->program->outputs[0]];
    plan->type = plan->dtype < BRIO_DTYPE_COUNT ? brio_cpu_kernels_now()->reduce->types[plan->dtype] : NULL;
    if (plan->type == NULL || (!is_arg_kind(kind) && plan->type->ops[kind].rows == NULL))
        return brio_fail(BRIO_E_TYPE, "cannot reduce dtype %s by reduction %d",
                         brio_dtype_name((brio_dtype)plan->dtype), (int)kind);
    int is_float = brio_dtype_kind((brio_dtype)plan->dtype) == 'f';
    plan->size = (int64_t)brio_dtype_size((brio_dtype)plan->dtype);
    plan->args = is_arg_kind(kind) ? &plan->type->args[kind - BRIO_REDUCE_ARGMAX] : NULL;
    plan->is_sum = is_float && kind == BRIO_REDUCE_ADD;
    plan->wants_fp = plan->is_sum || (is_float && kind == BRIO_REDUCE_MULTIPLY);
    plan->numpy = plan->wants_fp && args->order == BRIO_ORDER_NUMPY;
    plan->fp_flags = args->fp_flags;
    if (plan->args == NULL) {
        plan->ops = plan->type->ops[kind];
        plan->rows = plan->ops.rows;
        if (plan->numpy)
            plan->rows = plan->is_sum ? plan->type->pairwise_sum : plan->type->sequential_product;
        set_identity(plan, kind);
    }
    return BRIO_OK;
}

/* One contiguous row of an input itself: no plan, no thread. */
static int is_short(const brio_reduce_args *args)
{
    const brio_program *program = args->program;
    return args->nkeep == 0 && args->nreduce == 1 && program->ninputs == 1 && program->nsteps == 0 &&
           program->outputs[0] == 0 && args->reduce_shape[0] <= SHORT_MAX &&
           args->in[0].strides[0] == (int64_t)brio_dtype_size((brio_dtype)program->dtypes[0]);
}

static void reduce_short(brio_reduce_plan *plan, const brio_reduce_args *args)
{
    _Alignas(8) char value[8];
    int64_t index = 0;
    if (args->fp_flags != NULL)
        brio_fp_clear();
    if (plan->args != NULL) {
        plan->args->rows(args->in[0].data, 1, args->reduce_shape[0], value, &index);
        memcpy(args->out.data, &index, sizeof index);
    } else {
        plan->rows(args->in[0].data, 1, args->reduce_shape[0], value);
        plan->out.form = BRIO_TILE_CONTIGUOUS;
        plan->out.data = args->out.data;
        plan->out_size = plan->size;
        brio_reduce_store(plan, 0, 1, value, NULL);
    }
    if (args->fp_flags != NULL && plan->wants_fp)
        *args->fp_flags |= brio_fp_read();
}

brio_status brio_cpu_reduce(const brio_reduce_args *args)
{
    brio_reduce_plan plan;
    BRIO_TRY(choose_kernels(&plan, args));
    if (is_short(args)) {
        reduce_short(&plan, args);
        return BRIO_OK;
    }
    reduce_layout layout;
    lay_out_space(args, plan.args != NULL, &layout);
    if (plan.numpy && !numpy_order_is_known(args, &layout))
        return brio_fail(BRIO_E_UNSUPPORTED, "NumPy's order of summation is not reproduced for this layout");
    BRIO_TRY(prepare_space(&plan, args, &layout));
    if (plan.outer == 0 || plan.inner == 0)
        return BRIO_OK;
    return layout.columns ? brio_reduce_by_columns(&plan) : brio_reduce_by_rows(&plan);
}
