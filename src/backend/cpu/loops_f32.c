/* Loops on float32. */
#include "backend/cpu/loops.h"

#define T float
#define U uint32_t
#define W uint32_t
#define S int32_t
#define SUFFIX f32
#define FAMILY 3
#include "backend/cpu/loops.inc"
