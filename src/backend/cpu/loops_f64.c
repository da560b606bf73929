/* Loops on float64. */
#include "backend/cpu/loops.h"

#define T double
#define U uint64_t
#define W uint64_t
#define S int64_t
#define SUFFIX f64
#define FAMILY 3
#include "backend/cpu/loops.inc"
