/* Evenly spaced numbers. */
#include "array/map.h"
#include "op/rules.h"

#include <brio/parallel.h>

static void count_up(void *context, int64_t begin, int64_t end, int worker)
{
    int64_t *to = context;
    for (int64_t i = begin; i < end; i++)
        to[i] = i;
}

/* 0, 1, 2 ... as int64. */
static brio_status positions(int64_t count, brio_array **out)
{
    char *to;
    BRIO_TRY(brio_array_new(BRIO_I64, 1, &count, 'C', out));
    brio_status status = brio_array_pointer(*out, BRIO_WRITE, &to);
    if (status != BRIO_OK) {
        brio_array_unref(*out);
        return status;
    }
    brio_parallel_for(count, 65536, count_up, to);
    return BRIO_OK;
}

/* start + position * step, in the dtype of `to` (float16: in float32). */
static brio_status spread(const brio_array *position, brio_value start, brio_value step, brio_array *to)
{
    brio_pass pass;
    brio_dtype dtype = (brio_dtype)to->dtype, loop[2] = {dtype, dtype};
    brio_pass_begin(&pass, 1, to->shape, false);
    brio_term in[2] = {brio_pass_cast(&pass, brio_pass_leaf(&pass, position), dtype),
                       brio_pass_const(&pass, dtype, step)};
    brio_term sum[2] = {brio_pass_op(&pass, BRIO_OPCODE_multiply, in, loop, dtype),
                        brio_pass_const(&pass, dtype, start)};
    brio_pass_output(&pass, brio_pass_op(&pass, BRIO_OPCODE_add, sum, loop, dtype));
    BRIO_TRY(brio_pass_finish(&pass));
    return brio_pass_run(&pass, &to, NULL);
}

brio_status brio_array_arange(const brio_array_spec *spec, brio_value start, brio_value step,
                              brio_array **out)
{
    brio_array *array, *position;
    *out = NULL;
    if (spec->ndim != 1)
        return brio_fail(BRIO_E_VALUE, "arange makes arrays of 1 dimension, not %d", spec->ndim);
    if (spec->dtype == BRIO_BOOL && spec->shape[0] > 2)
        return brio_fail(BRIO_E_TYPE,
                         "arange() is only supported for booleans when the result has at most length 2.");
    BRIO_TRY(brio_array_empty(spec, &array));
    brio_status status = positions(array->count, &position);
    if (status == BRIO_OK) {
        status = spread(position, start, step, array);
        brio_array_unref(position);
    }
    if (status != BRIO_OK) {
        brio_array_unref(array);
        return status;
    }
    *out = array;
    return BRIO_OK;
}
