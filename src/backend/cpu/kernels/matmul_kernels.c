/* Blocks of matrix products for one processor level. */
#include "backend/cpu/matmul_kernels.h"
#include "backend/cpu/level.h"

#include <string.h>

#define T float
#define LANES 8
#define NAME(x) x##_f32
#define PRODUCT(x) (x)
#define ACCUMULATE(c, a, b) ((c) + (a) * (b))
#include "matmul_block.h"

#define T double
#define LANES 4
#define NAME(x) x##_f64
#define PRODUCT(x) (x)
#define ACCUMULATE(c, a, b) ((c) + (a) * (b))
#include "matmul_block.h"

#define T uint8_t
#define LANES 32
#define NAME(x) x##_bool
#define PRODUCT(x) ((x) != 0)
#define ACCUMULATE(c, a, b) ((c) | ((a) & (b)))
#include "matmul_block.h"

#define T uint8_t
#define LANES 32
#define NAME(x) x##_u8
#define PRODUCT(x) (x)
#define ACCUMULATE(c, a, b) ((c) + (a) * (b))
#include "matmul_block.h"

#define T uint16_t
#define LANES 16
#define NAME(x) x##_u16
#define PRODUCT(x) (x)
#define ACCUMULATE(c, a, b) ((c) + (a) * (b))
#include "matmul_block.h"

#define T uint32_t
#define LANES 8
#define NAME(x) x##_u32
#define PRODUCT(x) (x)
#define ACCUMULATE(c, a, b) ((c) + (a) * (b))
#include "matmul_block.h"

#define T uint64_t
#define LANES 4
#define NAME(x) x##_u64
#define PRODUCT(x) (x)
#define ACCUMULATE(c, a, b) ((c) + (a) * (b))
#include "matmul_block.h"

extern const brio_cpu_matmul_kernels BRIO_LEVELED(brio_cpu_matmul_kernels);
const brio_cpu_matmul_kernels BRIO_LEVELED(brio_cpu_matmul_kernels) = {
    multiply_block_f32,
    multiply_block_f64,
    multiply_block_bool,
    {multiply_block_u8, multiply_block_u16, multiply_block_u32, multiply_block_u64},
};
