/* Running reductions for one processor level. Signed sums and products are those of the unsigned type. */
#include "backend/cpu/scan_kernels.h"
#include "backend/cpu/level.h"

#include <string.h>

#define MAXIMUM(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define MINIMUM(a, b) ((a) <= (b) || (a) != (a) ? (a) : (b))

#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))

#define T float
#define SUFFIXED(x) x##_f32
#include "scan_type.h"
#define T double
#define SUFFIXED(x) x##_f64
#include "scan_type.h"

#undef ADD
#undef MULTIPLY
#undef MAXIMUM
#undef MINIMUM
#define ADD(a, b) ((uint64_t)(a) + (uint64_t)(b))
#define MULTIPLY(a, b) ((uint64_t)(a) * (uint64_t)(b))
#define MAXIMUM(a, b) ((a) >= (b) ? (a) : (b))
#define MINIMUM(a, b) ((a) <= (b) ? (a) : (b))

#define T int8_t
#define SUFFIXED(x) x##_i8
#include "scan_type.h"
#define T int16_t
#define SUFFIXED(x) x##_i16
#include "scan_type.h"
#define T int32_t
#define SUFFIXED(x) x##_i32
#include "scan_type.h"
#define T int64_t
#define SUFFIXED(x) x##_i64
#include "scan_type.h"
#define T uint8_t
#define SUFFIXED(x) x##_u8
#include "scan_type.h"
#define T uint16_t
#define SUFFIXED(x) x##_u16
#include "scan_type.h"
#define T uint32_t
#define SUFFIXED(x) x##_u32
#include "scan_type.h"
#define T uint64_t
#define SUFFIXED(x) x##_u64
#include "scan_type.h"

#undef ADD
#undef MULTIPLY
#define ADD(a, b) ((a) | (b))
#define MULTIPLY(a, b) ((a) & (b))
#define T uint8_t
#define SUFFIXED(x) x##_bool
#include "scan_type.h"

extern const brio_cpu_scan_kernels BRIO_LEVELED(brio_cpu_scan_kernels);
const brio_cpu_scan_kernels BRIO_LEVELED(brio_cpu_scan_kernels) = {
    .ops =
        {
            [BRIO_BOOL] = scan_ops_bool,
            [BRIO_I8] = scan_ops_i8,
            [BRIO_I16] = scan_ops_i16,
            [BRIO_I32] = scan_ops_i32,
            [BRIO_I64] = scan_ops_i64,
            [BRIO_U8] = scan_ops_u8,
            [BRIO_U16] = scan_ops_u16,
            [BRIO_U32] = scan_ops_u32,
            [BRIO_U64] = scan_ops_u64,
            [BRIO_F32] = scan_ops_f32,
            [BRIO_F64] = scan_ops_f64,
        },
};
