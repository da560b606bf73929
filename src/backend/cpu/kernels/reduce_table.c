/* The reductions of one processor level, by dtype. A bool is an 8-bit 0 or 1: sums are ors, products ands. */
#include "backend/cpu/reduce_kernels.h"
#include "backend/cpu/level.h"

#define TYPE(suffix) extern const brio_reduce_type BRIO_LEVELED(brio_reduce_##suffix)
TYPE(bool);
TYPE(i8);
TYPE(i16);
TYPE(i32);
TYPE(i64);
TYPE(u8);
TYPE(u16);
TYPE(u32);
TYPE(u64);
TYPE(f32);
TYPE(f64);

extern const brio_cpu_reduce_kernels BRIO_LEVELED(brio_cpu_reduce_kernels);
const brio_cpu_reduce_kernels BRIO_LEVELED(brio_cpu_reduce_kernels) = {
    .types =
        {
            [BRIO_BOOL] = &BRIO_LEVELED(brio_reduce_bool),
            [BRIO_I8] = &BRIO_LEVELED(brio_reduce_i8),
            [BRIO_I16] = &BRIO_LEVELED(brio_reduce_i16),
            [BRIO_I32] = &BRIO_LEVELED(brio_reduce_i32),
            [BRIO_I64] = &BRIO_LEVELED(brio_reduce_i64),
            [BRIO_U8] = &BRIO_LEVELED(brio_reduce_u8),
            [BRIO_U16] = &BRIO_LEVELED(brio_reduce_u16),
            [BRIO_U32] = &BRIO_LEVELED(brio_reduce_u32),
            [BRIO_U64] = &BRIO_LEVELED(brio_reduce_u64),
            [BRIO_F32] = &BRIO_LEVELED(brio_reduce_f32),
            [BRIO_F64] = &BRIO_LEVELED(brio_reduce_f64),
        },
};
