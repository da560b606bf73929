/* Reductions of 32- and 64-bit integers for one processor level. */
#include "backend/cpu/reduce_kernels.h"
#include "backend/cpu/level.h"
#include "op/dialect.h"

#define IS_NAN(a) 0

#define T int32_t
#define U uint32_t
#define SUFFIXED(x) x##_i32
#include "reduce_int.h"

#define T uint32_t
#define U uint32_t
#define SUFFIXED(x) x##_u32
#include "reduce_int.h"

#define T int64_t
#define U uint64_t
#define SUFFIXED(x) x##_i64
#include "reduce_int.h"

#define T uint64_t
#define U uint64_t
#define SUFFIXED(x) x##_u64
#include "reduce_int.h"
