/* Loops on the integers of 32 bits. */
#include "backend/cpu/loops.h"

#define T int32_t
#define U uint32_t
#define W uint32_t
#define SUFFIX i32
#define FAMILY 1
#include "backend/cpu/loops.inc"

#define T uint32_t
#define U uint32_t
#define W uint32_t
#define SUFFIX u32
#define FAMILY 2
#include "backend/cpu/loops.inc"
