/* The table of one level: everything that the level's files export, in one place. */
#include "backend/cpu/level.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/matmul_kernels.h"
#include "backend/cpu/reduce_kernels.h"
#include "backend/cpu/scan_kernels.h"
#include "backend/cpu/sort_kernels.h"
#include "op/rules.h"

#define LOOPS(suffix) extern const brio_loop BRIO_LEVELED(brio_loops_##suffix)[BRIO_OP_COUNT]
LOOPS(bool);
LOOPS(i8);
LOOPS(i16);
LOOPS(i32);
LOOPS(i64);
LOOPS(u8);
LOOPS(u16);
LOOPS(u32);
LOOPS(u64);
LOOPS(f16);
LOOPS(f32);
LOOPS(f64);
LOOPS(mixed0);
LOOPS(mixed1);
LOOPS(mixed2);
extern const brio_loop BRIO_LEVELED(brio_casts)[BRIO_DTYPE_COUNT][BRIO_DTYPE_COUNT];
extern const brio_cast_check BRIO_LEVELED(brio_cast_checks)[BRIO_DTYPE_COUNT][BRIO_DTYPE_COUNT];
extern const brio_pack BRIO_LEVELED(brio_packs)[4], BRIO_LEVELED(brio_unpacks)[4];
void BRIO_LEVELED(brio_stream)(char *to, const char *from, size_t bytes);
extern const brio_cpu_reduce_kernels BRIO_LEVELED(brio_cpu_reduce_kernels);
extern const brio_cpu_scan_kernels BRIO_LEVELED(brio_cpu_scan_kernels);
extern const brio_cpu_sort_kernels BRIO_LEVELED(brio_cpu_sort_kernels);
extern const brio_cpu_matmul_kernels BRIO_LEVELED(brio_cpu_matmul_kernels);
int64_t BRIO_LEVELED(brio_nonzero_count)(const uint8_t *mask, int64_t n);
void BRIO_LEVELED(brio_nonzero_emit)(const uint8_t *mask, int64_t begin, int64_t end, int64_t *to,
                                     const int64_t *stop);
const brio_cpu_kernels *BRIO_LEVELED(brio_cpu_kernels)(void);

#define BRIO_LEVEL_TEXT_(level) #level
#define BRIO_LEVEL_TEXT(level) BRIO_LEVEL_TEXT_(level)

const brio_cpu_kernels *BRIO_LEVELED(brio_cpu_kernels)(void)
{
    static const brio_cpu_kernels table = {
        .name = BRIO_LEVEL_TEXT(BRIO_LEVEL),
        .loops =
            {
                [BRIO_BOOL] = BRIO_LEVELED(brio_loops_bool),
                [BRIO_I8] = BRIO_LEVELED(brio_loops_i8),
                [BRIO_I16] = BRIO_LEVELED(brio_loops_i16),
                [BRIO_I32] = BRIO_LEVELED(brio_loops_i32),
                [BRIO_I64] = BRIO_LEVELED(brio_loops_i64),
                [BRIO_U8] = BRIO_LEVELED(brio_loops_u8),
                [BRIO_U16] = BRIO_LEVELED(brio_loops_u16),
                [BRIO_U32] = BRIO_LEVELED(brio_loops_u32),
                [BRIO_U64] = BRIO_LEVELED(brio_loops_u64),
                [BRIO_F16] = BRIO_LEVELED(brio_loops_f16),
                [BRIO_F32] = BRIO_LEVELED(brio_loops_f32),
                [BRIO_F64] = BRIO_LEVELED(brio_loops_f64),
                [BRIO_SLOT_MIXED0] = BRIO_LEVELED(brio_loops_mixed0),
                [BRIO_SLOT_MIXED1] = BRIO_LEVELED(brio_loops_mixed1),
                [BRIO_SLOT_MIXED2] = BRIO_LEVELED(brio_loops_mixed2),
            },
        .casts = BRIO_LEVELED(brio_casts),
        .checks = BRIO_LEVELED(brio_cast_checks),
        .pack = BRIO_LEVELED(brio_packs),
        .unpack = BRIO_LEVELED(brio_unpacks),
        .stream = BRIO_LEVELED(brio_stream),
        .nonzero_count = BRIO_LEVELED(brio_nonzero_count),
        .nonzero_emit = BRIO_LEVELED(brio_nonzero_emit),
        .reduce = &BRIO_LEVELED(brio_cpu_reduce_kernels),
        .scan = &BRIO_LEVELED(brio_cpu_scan_kernels),
        .sort = &BRIO_LEVELED(brio_cpu_sort_kernels),
        .matmul = &BRIO_LEVELED(brio_cpu_matmul_kernels),
    };
    return &table;
}
