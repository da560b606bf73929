/* Running sums, products and extremes. */
#include "array/fold.h"
#include "op/rules.h"

static const brio_scan_options defaults = BRIO_SCAN_OPTIONS_INIT;

static brio_status scan_dtype(brio_op op, const brio_array *array, const brio_scan_options *options,
                              brio_dtype *dtype)
{
    brio_dtype in[2], loop[2], out[1];
    *dtype = (brio_dtype)array->dtype;
    if (options->has_dtype)
        *dtype = options->dtype;
    else if (op == BRIO_OPCODE_add || op == BRIO_OPCODE_multiply)
        *dtype = brio_fold_sum_dtype(*dtype);
    in[0] = in[1] = *dtype;
    return brio_op_resolve(op, in, loop, out);
}

static brio_status run_scan(brio_reduce_kind kind, const brio_array *from, const brio_array *to, int axis,
                            int sequential)
{
    brio_scan_args args = {.kind = kind, .dtype = (brio_dtype)from->dtype, .sequential = sequential};
    int64_t rows[BRIO_MAX_DIMS];
    if (from->count == 0)
        return BRIO_OK;
    BRIO_TRY(brio_array_pointer(from, BRIO_READ, &args.in.data));
    BRIO_TRY(brio_array_pointer(to, BRIO_WRITE, &args.out.data));
    for (int d = 0; d < from->ndim; d++) {
        if (d == axis || from->shape[d] == 1)
            continue;
        rows[args.nrows_dims] = from->shape[d];
        args.in.strides[args.nrows_dims] = from->strides[d];
        args.out.strides[args.nrows_dims++] = to->strides[d];
    }
    args.rows_shape = rows;
    args.length = from->shape[axis];
    args.in.strides[args.nrows_dims] = from->strides[axis];
    args.out.strides[args.nrows_dims] = to->strides[axis];
    return brio_array_backend()->scan(&args);
}

/* Writes the identity into the first place along the axis and gives a view of the others. */
static brio_status leave_first(brio_array *to, brio_op op, int axis, brio_array **rest)
{
    brio_array *first;
    int64_t shape[BRIO_MAX_DIMS];
    memcpy(shape, to->shape, to->ndim * sizeof *shape);
    shape[axis] = 1;
    BRIO_TRY(brio_array_as_strided(to, 0, to->ndim, shape, to->strides, &first));
    brio_operand identity = brio_operand_int(op == BRIO_OPCODE_multiply);
    brio_status status = brio_array_copyto(first, &identity, BRIO_CAST_UNSAFE, NULL);
    brio_array_unref(first);
    shape[axis] = to->shape[axis] - 1;
    if (status == BRIO_OK)
        status = brio_array_as_strided(to, to->strides[axis], to->ndim, shape, to->strides, rest);
    return status;
}

static brio_status scan_into(brio_op op, const brio_array *from, const brio_scan_options *options, int axis,
                             brio_array *to)
{
    brio_array *rest = NULL;
    if (options->include_initial)
        BRIO_TRY(leave_first(to, op, axis, &rest));
    brio_status status = run_scan((brio_reduce_kind)brio_op_reduce_kind(op), from, rest != NULL ? rest : to,
                                  axis, options->sequential);
    brio_array_unref(rest);
    return status;
}

static brio_status scan(brio_op op, brio_array *array, const brio_scan_options *options, int axis,
                        brio_dtype dtype, brio_array **out)
{
    brio_array *from, *to;
    int64_t shape[BRIO_MAX_DIMS];
    BRIO_TRY(brio_array_contiguous(array, dtype == BRIO_F16 ? BRIO_F32 : dtype, false, &from));
    memcpy(shape, from->shape, from->ndim * sizeof *shape);
    shape[axis] += options->include_initial != 0;
    brio_status status = brio_array_new((brio_dtype)from->dtype, from->ndim, shape, 'C', &to);
    if (status == BRIO_OK) {
        status = scan_into(op, from, options, axis, to);
        if (status != BRIO_OK)
            brio_array_unref(to);
    }
    brio_array_unref(from);
    BRIO_TRY(status);
    brio_reduce_options deliver = BRIO_REDUCE_OPTIONS_INIT;
    deliver.out = options->out;
    return brio_fold_deliver(&deliver, brio_op_lines[op].name, to, dtype, out);
}

brio_status brio_array_scan(brio_op op, brio_array *array, const brio_scan_options *options, brio_array **out)
{
    brio_dtype dtype;
    int axis = 0;
    int64_t all = -1;
    *out = NULL;
    if (options == NULL)
        options = &defaults;
    if (options->size < sizeof *options)
        return brio_fail(BRIO_E_VALUE, "the size of scan options is not set");
    bool sums = op == BRIO_OPCODE_add || op == BRIO_OPCODE_multiply;
    if (!sums && op != BRIO_OPCODE_maximum && op != BRIO_OPCODE_minimum)
        return brio_fail(BRIO_E_UNSUPPORTED, "the operation does not accumulate over arrays");
    if (!sums && options->include_initial)
        return brio_fail(BRIO_E_VALUE, "%s has no identity to begin with", brio_op_lines[op].name);
    BRIO_TRY(scan_dtype(op, array, options, &dtype));
    if (!options->ravel) {
        if (array->ndim == 0)
            return brio_fail(BRIO_E_TYPE, "cannot accumulate on a scalar");
        BRIO_TRY(brio_layout_axis(options->axis, array->ndim, &axis));
        return scan(op, array, options, axis, dtype, out);
    }
    brio_array *flat;
    BRIO_TRY(brio_array_reshape(array, 1, &all, 'C', &flat));
    brio_status status = scan(op, flat, options, 0, dtype, out);
    brio_array_unref(flat);
    return status;
}
