/* Life and storage of arrays. */
#include "array/lazy.h"

#include <brio/config.h>
#include <stdlib.h>

brio_device brio_array_place(void)
{
    return (brio_device){BRIO_DEVICE_CPU, 0};
}

brio_status brio_array_create(brio_dtype dtype, int ndim, brio_array **out)
{
    *out = NULL;
    brio_array *array = brio_block_alloc();
    if (array == NULL)
        return brio_fail(BRIO_E_MEMORY, "cannot allocate %zu bytes for an array's description",
                         sizeof *array);
    memset(array, 0, offsetof(brio_array, inline_dims));
    atomic_init(&array->references, 1);
    array->dtype = (uint8_t)dtype;
    array->ndim = (uint8_t)ndim;
    array->writeable = 1;
    array->base = array;
    array->shape = array->inline_dims;
    array->strides = array->inline_dims + BRIO_INLINE_DIMS;
    if (ndim > BRIO_INLINE_DIMS) {
        array->shape = malloc(2 * (size_t)ndim * sizeof(int64_t));
        if (array->shape == NULL) {
            brio_block_free(array);
            return brio_fail(BRIO_E_MEMORY, "cannot allocate the shape of an array of %d dimensions", ndim);
        }
        array->strides = array->shape + ndim;
    }
    *out = array;
    return BRIO_OK;
}

brio_status brio_array_seal(brio_array *array)
{
    return brio_layout_count(array->ndim, array->shape, brio_itemsize(array->dtype), &array->count);
}

brio_status brio_array_allocate(brio_array *array)
{
    size_t bytes = (size_t)array->count * brio_itemsize(array->dtype);
    if (bytes <= BRIO_INLINE_BYTES) {
        array->direct = (char *)array->inline_data;
        return BRIO_OK;
    }
    void *memory;
    BRIO_TRY(brio_buffer_create(bytes, &array->buffer));
    brio_status status = brio_buffer_data(array->buffer, brio_array_place(), BRIO_WRITE, &memory);
    if (status != BRIO_OK) {
        brio_buffer_unref(array->buffer);
        array->buffer = NULL;
    }
    return status;
}

static brio_status new_filled(brio_array *array, const int64_t *shape, char order)
{
    if (array->ndim > 0)
        memcpy(array->shape, shape, (size_t)array->ndim * sizeof *shape);
    BRIO_TRY(brio_array_seal(array));
    brio_layout_strides(array->ndim, shape, brio_itemsize(array->dtype), order, array->strides);
    return brio_array_allocate(array);
}

/* Hands a new array over, or drops it when the rest of its making failed. */
static brio_status hand_over(brio_status status, brio_array *array, brio_array **out)
{
    if (status != BRIO_OK)
        brio_array_unref(array);
    *out = status == BRIO_OK ? array : NULL;
    return status;
}

brio_status brio_array_new(brio_dtype dtype, int ndim, const int64_t *shape, char order, brio_array **out)
{
    brio_array *array;
    BRIO_TRY(brio_array_create(dtype, ndim, &array));
    return hand_over(new_filled(array, shape, order), array, out);
}

brio_status brio_array_new_view(brio_array *of, brio_dtype dtype, int ndim, int64_t offset, brio_array **out)
{
    BRIO_TRY(brio_array_create(dtype, ndim, out));
    (*out)->base = brio_array_retain(of->base);
    (*out)->offset = offset;
    (*out)->writeable = of->writeable;
    return BRIO_OK;
}

brio_status brio_array_pointer(const brio_array *array, brio_access access, char **out)
{
    const brio_array *root = array->base;
    if (root->direct != NULL) {
        *out = root->direct + array->offset;
        return BRIO_OK;
    }
    void *start;
    BRIO_TRY(brio_buffer_data(root->buffer, brio_array_place(), access, &start));
    *out = (char *)start + array->offset;
    return BRIO_OK;
}

/* ---- the public part --------------------------------------------------------------------------- */

static brio_status check_spec(const brio_array_spec *spec)
{
    if (spec->size < sizeof *spec)
        return brio_fail(BRIO_E_VALUE, "the size of an array's specification is not set");
    if (spec->ndim < 0 || spec->ndim > BRIO_MAX_DIMS)
        return brio_fail(BRIO_E_VALUE, "maximum supported dimension for an ndarray is %d, found %d",
                         BRIO_MAX_DIMS, spec->ndim);
    if (brio_dtype_size(spec->dtype) == 0)
        return brio_fail(BRIO_E_TYPE, "%d names no dtype", (int)spec->dtype);
    const char *reason = NULL;
    if (spec->device.kind != BRIO_DEVICE_AUTO && !brio_device_available(spec->device, &reason))
        return brio_fail(BRIO_E_UNSUPPORTED, "%s", reason);
    return BRIO_OK;
}

brio_status brio_array_empty(const brio_array_spec *spec, brio_array **out)
{
    *out = NULL;
    BRIO_TRY(check_spec(spec));
    return brio_array_new(spec->dtype, spec->ndim, spec->shape, spec->order, out);
}

static bool is_zero(const brio_value *value, size_t itemsize)
{
    static const brio_value zero;
    return memcmp(value, &zero, itemsize) == 0;
}

/* Writes one value everywhere: by bytes when it is zero, else with a program that casts a constant. */
static brio_status fill(brio_array *array, const brio_value *value)
{
    char *to;
    size_t itemsize = brio_itemsize(array->dtype);
    BRIO_TRY(brio_array_pointer(array, BRIO_WRITE, &to));
    if (is_zero(value, itemsize) && array->count * (int64_t)itemsize <= 4096) {
        memset(to, 0, (size_t)array->count * itemsize);
        return BRIO_OK;
    }
    if (array->count <= 16) {
        for (int64_t i = 0; i < array->count; i++)
            memcpy(to + (size_t)i * itemsize, value, itemsize);
        return BRIO_OK;
    }
    brio_array *one;
    BRIO_TRY(brio_array_new((brio_dtype)array->dtype, 0, NULL, 'C', &one));
    memcpy(one->inline_data, value, itemsize);
    brio_status status = brio_array_copy_elements(array, one);
    brio_array_unref(one);
    return status;
}

brio_status brio_array_full(const brio_array_spec *spec, const brio_value *value, brio_array **out)
{
    brio_array *array;
    *out = NULL;
    BRIO_TRY(brio_array_empty(spec, &array));
    return hand_over(fill(array, value), array, out);
}

brio_status brio_array_wrap(void *pointer, const brio_array_spec *spec, int writeable,
                            brio_release_fn release, void *context, brio_array **out)
{
    brio_array *array;
    *out = NULL;
    BRIO_TRY(check_spec(spec));
    BRIO_TRY(brio_array_create(spec->dtype, spec->ndim, &array));
    size_t bytes = (size_t)spec->ndim * sizeof(int64_t);
    if (bytes > 0)
        memcpy(array->shape, spec->shape, bytes);
    brio_status status = brio_array_seal(array);
    if (status == BRIO_OK) {
        if (spec->strides != NULL && bytes > 0)
            memcpy(array->strides, spec->strides, bytes);
        else
            brio_layout_strides(spec->ndim, spec->shape, brio_itemsize(spec->dtype), spec->order,
                                array->strides);
        array->direct = pointer != NULL ? pointer : (char *)array->inline_data;
        array->foreign = 1;
        array->writeable = writeable != 0;
        array->release = release;
        array->context = context;
    }
    return hand_over(status, array, out);
}

brio_array *brio_array_ref(brio_array *array)
{
    return array == NULL ? NULL : brio_array_retain(array);
}

static void destroy(brio_array *array)
{
    if (brio_array_is_pending(array))
        brio_lazy_abandon(array);
    brio_array *base = array->base == array ? NULL : array->base;
    brio_release_fn release = array->release;
    void *context = array->context;
    brio_buffer_unref(array->buffer);
    if (array->shape != array->inline_dims)
        free(array->shape);
    brio_block_free(array);
    if (release != NULL)
        release(context);
    if (base != NULL)
        brio_array_unref(base);
}

void brio_array_unref(brio_array *array)
{
    if (array == NULL)
        return;
    /* The last holder needs no locked instruction: nobody else is left who could touch the count. */
    if (atomic_load_explicit(&array->references, memory_order_acquire) == 1 ||
        atomic_fetch_sub_explicit(&array->references, 1, memory_order_acq_rel) == 1)
        destroy(array);
}

brio_status brio_array_info(const brio_array *array, brio_array_layout *layout)
{
    if (layout->size < sizeof *layout)
        return brio_fail(BRIO_E_VALUE, "the size of an array's layout is not set");
    layout->dtype = (brio_dtype)array->dtype;
    layout->ndim = array->ndim;
    layout->shape = array->shape;
    layout->strides = array->strides;
    layout->count = array->count;
    layout->device = brio_array_place();
    layout->pending = brio_array_is_pending(array);
    layout->writeable = array->writeable;
    layout->c_contiguous = brio_array_is_c(array);
    layout->f_contiguous = brio_array_is_f(array);
    return BRIO_OK;
}

brio_status brio_array_data(brio_array *array, brio_access access, void **out)
{
    *out = NULL;
    if ((access & BRIO_WRITE) && !array->writeable)
        return brio_fail(BRIO_E_VALUE, "assignment destination is read-only");
    BRIO_TRY(brio_lazy_settle(array));
    if (access & BRIO_WRITE)
        BRIO_TRY(brio_lazy_settle_readers(array));
    char *pointer;
    BRIO_TRY(brio_array_pointer(array, access, &pointer));
    *out = pointer;
    return BRIO_OK;
}

brio_status brio_array_lend(brio_array *array, int lent)
{
    BRIO_TRY(brio_lazy_settle(array));
    if (lent)
        BRIO_TRY(brio_lazy_settle_readers(array));
    else if (atomic_load(&array->base->lent) == 0)
        return brio_fail(BRIO_E_VALUE, "memory that is not lent was given back");
    atomic_fetch_add(&array->base->lent, lent ? 1 : -1);
    return BRIO_OK;
}

brio_status brio_array_item(brio_array *array, brio_value *out)
{
    char *at;
    if (array->count != 1)
        return brio_fail(BRIO_E_VALUE, "can only convert an array of size 1 to a Python scalar");
    BRIO_TRY(brio_lazy_settle(array));
    BRIO_TRY(brio_array_pointer(array, BRIO_READ, &at));
    memset(out, 0, sizeof *out);
    memcpy(out, at, brio_itemsize(array->dtype));
    return BRIO_OK;
}

brio_status brio_array_set_writeable(brio_array *array, int writeable)
{
    if (writeable && !array->writeable && array->base != array && !array->base->writeable)
        return brio_fail(BRIO_E_VALUE, "cannot set WRITEABLE flag to True of this array");
    array->writeable = writeable != 0;
    return BRIO_OK;
}

brio_status brio_array_eval(brio_array *array, const brio_eval_options *options)
{
    if (options == NULL)
        return brio_lazy_settle(array);
    if (options->size < sizeof *options)
        return brio_fail(BRIO_E_VALUE, "the size of evaluation options is not set");
    return brio_lazy_evaluate(array, options->out, options->fp_flags);
}
