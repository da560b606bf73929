/* Few contiguous elements: the backend's bare loop on them, without a pass. */
#include "array/map.h"
#include "op/rules.h"

/* Beyond this many elements the way does not matter. */
#define SMALL_MAX 1024

/* An array that the bare loop can read: settled, contiguous, aligned, of that dtype and of the shape of
 * `like`. */
static bool is_plain(const brio_array *a, unsigned dtype, const brio_array *like, char **pointer)
{
    size_t itemsize = brio_itemsize(dtype);
    if (a->dtype != dtype || a->ndim != like->ndim || a->count != like->count || brio_array_is_pending(a))
        return false;
    int64_t expected = (int64_t)itemsize;
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->shape[d] != like->shape[d] || (a->strides[d] != expected && a->shape[d] != 1))
            return false;
        expected *= a->shape[d];
    }
    return brio_array_pointer(a, BRIO_READ, pointer) == BRIO_OK &&
           ((uintptr_t)*pointer & (itemsize - 1)) == 0;
}

static void repeat(char *to, const brio_value *value, size_t itemsize, int64_t count)
{
    if (itemsize == 8)
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * 8, value, 8);
    else if (itemsize == 4)
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * 4, value, 4);
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(to + (size_t)i * itemsize, value, itemsize);
}

/* A settled array of the shape of `like` in C order. */
static brio_status make_like(const brio_array *like, brio_dtype dtype, brio_array **out)
{
    BRIO_TRY(brio_array_create(dtype, like->ndim, out));
    brio_array *array = *out;
    int64_t stride = (int64_t)brio_itemsize(dtype);
    array->count = like->count;
    for (int d = like->ndim - 1; d >= 0; d--) {
        array->shape[d] = like->shape[d];
        array->strides[d] = stride;
        stride *= like->shape[d];
    }
    brio_status status = brio_array_allocate(array);
    if (status != BRIO_OK) {
        brio_array_unref(array);
        *out = NULL;
    }
    return status;
}

/* Whether writing n bytes at `to` while the input is read in order does no harm: the same elements, or none.
 */
static bool is_apart(const char *to, size_t to_bytes, const char *from, size_t from_bytes)
{
    return (to == from && to_bytes == from_bytes) || to + to_bytes <= from || from + from_bytes <= to;
}

static bool may_write(const brio_expr *expr, brio_array *to, const brio_array *like, char **args)
{
    size_t count = (size_t)like->count;
    if (!is_plain(to, expr->out_dtype[0], like, &args[expr->nin]))
        return false;
    for (int i = 0; i < expr->nin; i++)
        if (expr->in[i] != NULL && !is_apart(args[expr->nin], count * brio_itemsize(to->dtype), args[i],
                                             count * brio_itemsize(expr->in_dtype[i])))
            return false;
    return true;
}

static brio_status run_loop(brio_contiguous_loop loop, char **args, int nin, const brio_array *like,
                            brio_dtype dtype, brio_array **out)
{
    BRIO_TRY(make_like(like, dtype, out));
    brio_status status = brio_array_pointer(*out, BRIO_WRITE, &args[nin]);
    if (status == BRIO_OK) {
        loop(args, like->count);
        return BRIO_OK;
    }
    brio_array_unref(*out);
    *out = NULL;
    return status;
}

brio_status brio_expr_small(const brio_expr *expr, brio_array *to, brio_array **out)
{
    const brio_array *like = NULL;
    char *args[BRIO_MAX_IN + 1];
    _Alignas(64) char constants[2][SMALL_MAX * sizeof(double)];
    int nconstants = 0;
    *out = NULL;
    for (int i = expr->nin - 1; i >= 0; i--)
        like = expr->in[i] != NULL ? expr->in[i] : like;
    const brio_backend *backend = brio_array_backend();
    if (like == NULL || like->count > SMALL_MAX || like->count == 0 || expr->kind != BRIO_STEP_OP ||
        backend->loop == NULL)
        return BRIO_OK;
    brio_contiguous_loop loop = backend->loop(expr->op, expr->slot);
    for (int i = 0; i < expr->nin; i++)
        if (expr->in[i] != NULL && !is_plain(expr->in[i], expr->in_dtype[i], like, &args[i]))
            return BRIO_OK;
    if (loop == NULL || (to != NULL && !may_write(expr, to, like, args)))
        return BRIO_OK;
    for (int i = 0; i < expr->nin; i++) {
        if (expr->in[i] != NULL)
            continue;
        args[i] = constants[nconstants++];
        repeat(args[i], &expr->value[i], brio_itemsize(expr->in_dtype[i]), like->count);
    }
    if (to == NULL)
        return run_loop(loop, args, expr->nin, like, (brio_dtype)expr->out_dtype[0], out);
    BRIO_TRY(brio_lazy_settle_readers(to));
    loop(args, like->count);
    *out = brio_array_retain(to);
    return BRIO_OK;
}

/* The loops of operations on two inputs of one dtype, found once each: `pair_known` is 0 before that, 1 when
 * there is none, else 2 + the dtype of the result. */
static _Atomic(brio_contiguous_loop) pair_loops[BRIO_OP_COUNT][BRIO_DTYPE_COUNT];
static _Atomic uint8_t pair_known[BRIO_OP_COUNT][BRIO_DTYPE_COUNT];

static int find_pair_loop(brio_op op, brio_dtype dtype)
{
    const brio_op_line *line = &brio_op_lines[op];
    const brio_backend *backend = brio_array_backend();
    brio_dtype in[2] = {dtype, dtype}, loop[2], out[2];
    int known = 1;
    if (line->nin == 2 && line->nout == 1 && op != BRIO_OPCODE_power && backend->loop != NULL &&
        brio_op_resolve(op, in, loop, out) == BRIO_OK && loop[0] == dtype && loop[1] == dtype) {
        brio_contiguous_loop found = backend->loop(op, brio_op_slot(op, loop));
        atomic_store_explicit(&pair_loops[op][dtype], found, memory_order_relaxed);
        known = found != NULL ? 2 + (int)out[0] : 1;
    }
    atomic_store_explicit(&pair_known[op][dtype], (uint8_t)known, memory_order_release);
    return known;
}

brio_status brio_array_map2_small(brio_op op, const brio_array *a, const brio_array *b, brio_array **out)
{
    char *args[3];
    *out = NULL;
    if (op < 0 || op >= BRIO_OP_COUNT || a->count > 4 * SMALL_MAX || a->count == 0 ||
        !is_plain(a, a->dtype, a, &args[0]) || !is_plain(b, a->dtype, a, &args[1]))
        return BRIO_OK;
    int known = atomic_load_explicit(&pair_known[op][a->dtype], memory_order_acquire);
    if (known == 0)
        known = find_pair_loop(op, (brio_dtype)a->dtype);
    if (known == 1)
        return BRIO_OK;
    brio_contiguous_loop loop = atomic_load_explicit(&pair_loops[op][a->dtype], memory_order_relaxed);
    return run_loop(loop, args, 2, a, (brio_dtype)(known - 2), out);
}
