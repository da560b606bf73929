/* Short ways for the tests of arrays. */
#ifndef ARRAY_HELP_H
#define ARRAY_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <brio/array.h>
#include <brio/config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ok(call)                                                                                             \
    do {                                                                                                     \
        brio_status ok_status = (call);                                                                      \
        if (ok_status != BRIO_OK)                                                                            \
            fail_msg("%s: %s", brio_status_name(ok_status), brio_last_error());                              \
    } while (0)

#define fails(call, code, text)                                                                              \
    do {                                                                                                     \
        assert_int_equal((call), (code));                                                                    \
        assert_string_equal(brio_last_error(), (text));                                                      \
    } while (0)

#define SHAPE(...)                                                                                           \
    (const int64_t[])                                                                                        \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static inline brio_array *make(brio_dtype dtype, int ndim, const int64_t *shape)
{
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    brio_array *array;
    spec.dtype = dtype, spec.ndim = ndim, spec.shape = shape;
    ok(brio_array_empty(&spec, &array));
    return array;
}

static inline brio_array_layout look(const brio_array *array)
{
    brio_array_layout layout = {.size = sizeof layout};
    ok(brio_array_info(array, &layout));
    return layout;
}

static inline void *host(brio_array *array, brio_access access)
{
    void *pointer;
    ok(brio_array_data(array, access, &pointer));
    return pointer;
}

/* 0, 1, 2 ... in C order. */
static inline brio_array *counting(brio_dtype dtype, int ndim, const int64_t *shape)
{
    int64_t count = 1;
    brio_array *line, *array;
    for (int d = 0; d < ndim; d++)
        count *= shape[d];
    brio_array *numbers = make(BRIO_I64, 1, &count);
    int64_t *to = host(numbers, BRIO_WRITE);
    for (int64_t i = 0; i < count; i++)
        to[i] = i;
    ok(brio_array_cast(numbers, dtype, BRIO_CAST_UNSAFE, 'C', &line));
    ok(brio_array_reshape(line, ndim, shape, 'C', &array));
    brio_array_unref(numbers), brio_array_unref(line);
    return array;
}

/* Element number i in C order, as a double, whatever the strides. */
static inline double at(brio_array *array, int64_t i)
{
    brio_array_layout layout = look(array);
    const char *p = host(array, BRIO_READ);
    brio_value v;
    for (int d = layout.ndim - 1; d >= 0; d--) {
        p += layout.strides[d] * (i % layout.shape[d]);
        i /= layout.shape[d];
    }
    memcpy(&v, p, brio_dtype_size(layout.dtype));
    switch (layout.dtype) {
    case BRIO_BOOL:
        return v.b;
    case BRIO_I8:
        return v.i8;
    case BRIO_I16:
        return v.i16;
    case BRIO_I32:
        return v.i32;
    case BRIO_I64:
        return (double)v.i64;
    case BRIO_U8:
        return v.u8;
    case BRIO_U16:
        return v.u16;
    case BRIO_U32:
        return v.u32;
    case BRIO_U64:
        return (double)v.u64;
    case BRIO_F32:
        return (double)v.f32;
    default:
        return v.f64;
    }
}

static inline brio_array *map2(const char *name, const brio_array *a, const brio_array *b)
{
    brio_operand in[2] = {brio_operand_array(a), brio_operand_array(b)};
    brio_array *out;
    ok(brio_array_map(brio_op_find(name), in, NULL, &out));
    return out;
}

static inline brio_array *map_scalar(const char *name, const brio_array *a, double number)
{
    brio_operand in[2] = {brio_operand_array(a), brio_operand_float(number)};
    brio_array *out;
    ok(brio_array_map(brio_op_find(name), in, NULL, &out));
    return out;
}

static inline brio_array *map1(const char *name, const brio_array *a)
{
    brio_operand in[1] = {brio_operand_array(a)};
    brio_array *out;
    ok(brio_array_map(brio_op_find(name), in, NULL, &out));
    return out;
}

#endif
