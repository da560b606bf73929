/* The short way of a small call: two settled contiguous arrays of one shape and dtype. */
#include "array/map.h"
#include "op/rules.h"

#define SMALL_MAX 4096

static bool same_layout(const brio_array *a, const brio_array *b)
{
    if (a->dtype != b->dtype || a->ndim != b->ndim || a->count != b->count || a->count > SMALL_MAX ||
        a->count == 0 || a->ndim > BRIO_INLINE_DIMS)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d])
            return false;
    return brio_array_is_c(a) && brio_array_is_c(b) && !brio_array_is_pending(a) && !brio_array_is_pending(b);
}

/* One step on contiguous elements. */
static brio_status run_one(brio_op op, int slot, brio_dtype dtype, brio_dtype result, const brio_array *a,
                           const brio_array *b, const brio_array *to)
{
    brio_program program;
    brio_strided in[2], out;
    int64_t count = a->count;
    program.ninputs = 2, program.nconsts = 0, program.nsteps = 1, program.noutputs = 1, program.nvalues = 3;
    program.dtypes[0] = program.dtypes[1] = (uint8_t)dtype;
    program.dtypes[2] = (uint8_t)result;
    program.steps[0] = (brio_step){.kind = BRIO_STEP_OP,
                                   .nin = 2,
                                   .nout = 1,
                                   .dtype = (uint8_t)slot,
                                   .op = op,
                                   .in = {0, 1},
                                   .out = {2}};
    program.outputs[0] = 2;
    BRIO_TRY(brio_array_pointer(a, BRIO_READ, &in[0].data));
    BRIO_TRY(brio_array_pointer(b, BRIO_READ, &in[1].data));
    BRIO_TRY(brio_array_pointer(to, BRIO_WRITE, &out.data));
    in[0].strides[0] = in[1].strides[0] = (int64_t)brio_dtype_size(dtype);
    out.strides[0] = (int64_t)brio_dtype_size(result);
    brio_map_args args = {&program, 1, &count, in, &out, NULL};
    return brio_array_backend()->map(&args);
}

brio_status brio_array_map2_small(brio_op op, const brio_array *a, const brio_array *b, brio_array **out)
{
    *out = NULL;
    if (op < 0 || op >= BRIO_OP_COUNT || !same_layout(a, b))
        return BRIO_OK;
    const brio_op_line *line = &brio_op_lines[op];
    brio_dtype in[2] = {(brio_dtype)a->dtype, (brio_dtype)a->dtype}, loop[2], result[2];
    if (line->nin != 2 || line->nout != 1 || op == BRIO_OPCODE_power)
        return BRIO_OK;
    BRIO_TRY(brio_op_resolve(op, in, loop, result));
    if (loop[0] != in[0] || loop[1] != in[0])
        return BRIO_OK;
    brio_array *made;
    BRIO_TRY(brio_array_new(result[0], a->ndim, a->shape, 'C', &made));
    brio_status status = run_one(op, brio_op_slot(op, loop), in[0], result[0], a, b, made);
    if (status != BRIO_OK) {
        brio_array_unref(made);
        return status;
    }
    *out = made;
    return BRIO_OK;
}
