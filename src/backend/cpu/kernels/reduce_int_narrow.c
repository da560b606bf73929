/* Reductions of 8- and 16-bit integers for one processor level. */
#include "backend/cpu/reduce_kernels.h"
#include "backend/cpu/level.h"
#include "op/dialect.h"

#define IS_NAN(a) 0

#define T int8_t
#define U uint32_t
#define SUFFIXED(x) x##_i8
#include "reduce_int.h"

#define T uint8_t
#define U uint32_t
#define SUFFIXED(x) x##_u8
#include "reduce_int.h"

#define T int16_t
#define U uint32_t
#define SUFFIXED(x) x##_i16
#include "reduce_int.h"

#define T uint16_t
#define U uint32_t
#define SUFFIXED(x) x##_u16
#include "reduce_int.h"

/* bool, from the bitwise reductions of its bytes. */
extern const brio_reduce_type BRIO_LEVELED(brio_reduce_bool);
const brio_reduce_type BRIO_LEVELED(brio_reduce_bool) = {
    .ops =
        {
            [BRIO_REDUCE_ADD] = {or_rows_u8, or_columns_u8},
            [BRIO_REDUCE_MULTIPLY] = {and_rows_u8, and_columns_u8},
            [BRIO_REDUCE_MAXIMUM] = {or_rows_u8, or_columns_u8},
            [BRIO_REDUCE_MINIMUM] = {and_rows_u8, and_columns_u8},
            [BRIO_REDUCE_FMAX] = {or_rows_u8, or_columns_u8},
            [BRIO_REDUCE_FMIN] = {and_rows_u8, and_columns_u8},
            [BRIO_REDUCE_AND] = {and_rows_u8, and_columns_u8},
            [BRIO_REDUCE_OR] = {or_rows_u8, or_columns_u8},
            [BRIO_REDUCE_XOR] = {xor_rows_u8, xor_columns_u8},
        },
    .args =
        {
            {max_arg_rows_u8, max_arg_columns_u8, max_arg_fold_u8},
            {min_arg_rows_u8, min_arg_columns_u8, min_arg_fold_u8},
        },
};
