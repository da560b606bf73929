/* A user's program: the example of include/brio/array.h, checked. */
#include <brio/brio.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    brio_array *x = NULL, *y = NULL;
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    int64_t shape[1] = {100000};
    brio_value value = {0};
    void *elements = NULL;
    value.f64 = 2.0;
    spec.dtype = BRIO_F64, spec.ndim = 1, spec.shape = shape;
    brio_status status = brio_array_full(&spec, &value, &x);
    if (status == BRIO_OK) {
        brio_operand in[2] = {brio_operand_array(x), brio_operand_float(0.5)};
        status = brio_array_map(brio_op_find("power"), in, NULL, &y);
    }
    if (status == BRIO_OK)
        status = brio_array_data(y, BRIO_READ, &elements);
    if (status != BRIO_OK)
        fprintf(stderr, "%s: %s\n", brio_status_name(status), brio_last_error());
    int right = status == BRIO_OK && fabs(((double *)elements)[99999] - sqrt(2.0)) < 1e-15;
    brio_array_unref(y), brio_array_unref(x);
    if (!right || strcmp(brio_version(), BRIO_VERSION_STRING) != 0)
        return 1;
    printf("%s\n", brio_version());
    return 0;
}
