/* Loops on bool and the integers of 8 and 16 bits. */
#include "backend/cpu/loops.h"

#define T uint8_t
#define U uint8_t
#define W uint32_t
#define SUFFIX bool
#define FAMILY 0
#include "backend/cpu/loops.inc"

#define T int8_t
#define U uint8_t
#define W uint32_t
#define SUFFIX i8
#define FAMILY 1
#include "backend/cpu/loops.inc"

#define T uint8_t
#define U uint8_t
#define W uint32_t
#define SUFFIX u8
#define FAMILY 2
#include "backend/cpu/loops.inc"

#define T int16_t
#define U uint16_t
#define W uint32_t
#define SUFFIX i16
#define FAMILY 1
#include "backend/cpu/loops.inc"

#define T uint16_t
#define U uint16_t
#define W uint32_t
#define SUFFIX u16
#define FAMILY 2
#include "backend/cpu/loops.inc"
