/* Products of matrices. */
#include "array/map.h"

static const char *const signature = "(n?,k),(k,m?)->(n?,m?)";

/* A product as the backend sees it: two operands as matrices, stacks of them broadcast. */
typedef struct product {
    brio_matmul_args args;
    int nstack; /* dimensions of the stack */
    int64_t stack[BRIO_MAX_DIMS];
    int64_t a_stack[BRIO_MAX_DIMS], b_stack[BRIO_MAX_DIMS], c_stack[BRIO_MAX_DIMS];
} product;

static brio_status check_operands(const brio_array *a, const brio_array *b)
{
    const brio_array *both[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (both[i]->ndim == 0)
            return brio_fail(
                BRIO_E_VALUE,
                "matmul: Input operand %d does not have enough dimensions (has 0, gufunc core with "
                "signature %s requires 1)",
                i, signature);
    int64_t ka = a->shape[a->ndim - 1], kb = b->shape[b->ndim > 1 ? b->ndim - 2 : 0];
    if (ka != kb)
        return brio_fail(
            BRIO_E_VALUE,
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature %s "
            "(size %lld is different from %lld)",
            signature, (long long)kb, (long long)ka);
    return BRIO_OK;
}

static brio_status stack_shape(const brio_array *a, const brio_array *b, product *p)
{
    brio_array sa = *a, sb = *b;
    const brio_array *both[2] = {&sa, &sb};
    sa.ndim = a->ndim > 2 ? (uint8_t)(a->ndim - 2) : 0;
    sb.ndim = b->ndim > 2 ? (uint8_t)(b->ndim - 2) : 0;
    BRIO_TRY(brio_broadcast_shapes(2, both, &p->nstack, p->stack));
    brio_layout_broadcast(&sa, p->nstack, p->stack, p->a_stack);
    brio_layout_broadcast(&sb, p->nstack, p->stack, p->b_stack);
    return BRIO_OK;
}

static brio_status result_array(const brio_array *a, const brio_array *b, const product *p, brio_dtype dtype,
                                brio_array **out)
{
    int64_t shape[BRIO_MAX_DIMS + 2];
    int ndim = p->nstack;
    memcpy(shape, p->stack, (size_t)ndim * sizeof *shape);
    if (a->ndim > 1)
        shape[ndim++] = p->args.m;
    if (b->ndim > 1)
        shape[ndim++] = p->args.n;
    return brio_array_new(dtype, ndim, shape, 'C', out);
}

static void set_sizes(const brio_array *a, const brio_array *b, product *p)
{
    brio_matmul_args *args = &p->args;
    int la = a->ndim - 1, lb = b->ndim - 1;
    args->m = la > 0 ? a->shape[la - 1] : 1;
    args->k = a->shape[la];
    args->n = lb > 0 ? b->shape[lb] : 1;
    args->a_strides[1] = la > 0 ? a->strides[la - 1] : args->k * (int64_t)brio_itemsize(a->dtype);
    args->a_strides[2] = a->strides[la];
    args->b_strides[1] = b->strides[lb > 0 ? lb - 1 : 0];
    args->b_strides[2] = lb > 0 ? b->strides[lb] : (int64_t)brio_itemsize(b->dtype);
}

/* The innermost stack dimension is the backend's batch; the others are walked here. */
static brio_status run_stack(product *p, int64_t itemsize)
{
    brio_matmul_args *args = &p->args;
    int64_t outer = 1, at[BRIO_MAX_DIMS] = {0}, stride = args->m * args->n * itemsize;
    int last = p->nstack - 1;
    for (int d = last; d >= 0; d--) {
        p->c_stack[d] = stride;
        stride *= p->stack[d];
        outer *= d < last ? p->stack[d] : 1;
    }
    args->batch = last >= 0 ? p->stack[last] : 1;
    args->a_strides[0] = last >= 0 ? p->a_stack[last] : 0;
    args->b_strides[0] = last >= 0 ? p->b_stack[last] : 0;
    args->c_strides[0] = last >= 0 ? p->c_stack[last] : 0;
    args->c_strides[1] = args->n * itemsize;
    args->c_strides[2] = itemsize;
    for (int64_t i = 0; i < outer; i++) {
        BRIO_TRY(brio_array_backend()->matmul(args));
        for (int d = last - 1; d >= 0; d--) {
            args->a += p->a_stack[d], args->b += p->b_stack[d], args->c += p->c_stack[d];
            if (++at[d] < p->stack[d])
                break;
            args->a -= p->a_stack[d] * at[d], args->b -= p->b_stack[d] * at[d],
                args->c -= p->c_stack[d] * at[d];
            at[d] = 0;
        }
    }
    return BRIO_OK;
}

/* Both operands settled and in the dtype of the product. */
static brio_status multiply(const brio_array *a, const brio_array *b, brio_array **out)
{
    product p = {.args = {.dtype = (brio_dtype)a->dtype}};
    char *pa, *pb;
    BRIO_TRY(stack_shape(a, b, &p));
    set_sizes(a, b, &p);
    BRIO_TRY(result_array(a, b, &p, (brio_dtype)a->dtype, out));
    if ((*out)->count == 0)
        return BRIO_OK;
    brio_status status = brio_array_pointer(a, BRIO_READ, &pa);
    if (status == BRIO_OK)
        status = brio_array_pointer(b, BRIO_READ, &pb);
    if (status == BRIO_OK)
        status = brio_array_pointer(*out, BRIO_WRITE, &p.args.c);
    if (status == BRIO_OK) {
        p.args.a = pa, p.args.b = pb;
        status = run_stack(&p, (int64_t)brio_itemsize(a->dtype));
    }
    if (status != BRIO_OK) {
        brio_array_unref(*out);
        *out = NULL;
    }
    return status;
}

/* The operand in the dtype: itself when it is that already, whatever its strides. */
static brio_status take(brio_array *array, brio_dtype dtype, brio_array **out)
{
    if (array->dtype != dtype)
        return brio_array_contiguous(array, dtype, false, out);
    BRIO_TRY(brio_lazy_settle(array));
    *out = brio_array_retain(array);
    return BRIO_OK;
}

static brio_status product_in(brio_array *a, brio_array *b, brio_dtype compute, brio_array **out)
{
    brio_array *ta, *tb;
    BRIO_TRY(take(a, compute, &ta));
    brio_status status = take(b, compute, &tb);
    if (status == BRIO_OK) {
        status = multiply(ta, tb, out);
        brio_array_unref(tb);
    }
    brio_array_unref(ta);
    return status;
}

brio_status brio_array_matmul(brio_array *a, brio_array *b, brio_array **out)
{
    brio_array *made;
    *out = NULL;
    BRIO_TRY(check_operands(a, b));
    brio_dtype dtype = brio_dtype_promote((brio_dtype)a->dtype, (brio_dtype)b->dtype);
    if (brio_dtype_kind(dtype) == 'c')
        return brio_fail(BRIO_E_TYPE, "no matrix product of %s", brio_dtype_name(dtype));
    if (dtype != BRIO_F16)
        return product_in(a, b, dtype, out);
    BRIO_TRY(product_in(a, b, BRIO_F32, &made));
    brio_status status = brio_array_cast(made, dtype, BRIO_CAST_UNSAFE, 'K', out);
    brio_array_unref(made);
    return status;
}
