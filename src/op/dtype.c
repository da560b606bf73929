/* Element types: their table, promotion and casting rules. */
#include <brio/dtype.h>

#include "runtime/error.h"

#include <string.h>

typedef struct dtype_line {
    const char *name;
    uint8_t size;
    char kind;
} dtype_line;

static const dtype_line lines[BRIO_DTYPE_COUNT] = {
#define LINE(id, text, bytes, letter) {text, bytes, letter},
    BRIO_DTYPE_TABLE(LINE)
#undef LINE
};

static int is_dtype(brio_dtype dtype)
{
    return (unsigned)dtype < BRIO_DTYPE_COUNT;
}

size_t brio_dtype_size(brio_dtype dtype)
{
    return is_dtype(dtype) ? lines[dtype].size : 0;
}

char brio_dtype_kind(brio_dtype dtype)
{
    return is_dtype(dtype) ? lines[dtype].kind : 0;
}

const char *brio_dtype_name(brio_dtype dtype)
{
    return is_dtype(dtype) ? lines[dtype].name : "?";
}

brio_status brio_dtype_find(const char *name, brio_dtype *out)
{
    for (int k = 0; k < BRIO_DTYPE_COUNT; k++)
        if (strcmp(lines[k].name, name) == 0) {
            *out = (brio_dtype)k;
            return BRIO_OK;
        }
    return brio_fail(BRIO_E_TYPE, "data type '%.40s' not understood", name);
}

/* The bits of the integers and of the exponent-free range of the floats decide: which dtypes hold every
 * value of another one, one bit for each, from numpy.can_cast(..., "safe"). */
#define BIT(id) (1u << BRIO_##id)
#define FLOATS_FROM_F64 (BIT(F64) | BIT(C128))
#define FLOATS_FROM_F32 (BIT(F32) | BIT(C64) | FLOATS_FROM_F64)
#define FLOATS_FROM_F16 (BIT(F16) | FLOATS_FROM_F32)

static const uint16_t safe[BRIO_DTYPE_COUNT] = {
    [BRIO_BOOL] = (1u << BRIO_DTYPE_COUNT) - 1,
    [BRIO_I8] = BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64) | FLOATS_FROM_F16,
    [BRIO_I16] = BIT(I16) | BIT(I32) | BIT(I64) | FLOATS_FROM_F32,
    [BRIO_I32] = BIT(I32) | BIT(I64) | FLOATS_FROM_F64,
    [BRIO_I64] = BIT(I64) | FLOATS_FROM_F64,
    [BRIO_U8] = BIT(U8) | BIT(U16) | BIT(U32) | BIT(U64) | BIT(I16) | BIT(I32) | BIT(I64) | FLOATS_FROM_F16,
    [BRIO_U16] = BIT(U16) | BIT(U32) | BIT(U64) | BIT(I32) | BIT(I64) | FLOATS_FROM_F32,
    [BRIO_U32] = BIT(U32) | BIT(U64) | BIT(I64) | FLOATS_FROM_F64,
    [BRIO_U64] = BIT(U64) | FLOATS_FROM_F64,
    [BRIO_F16] = FLOATS_FROM_F16,
    [BRIO_F32] = FLOATS_FROM_F32,
    [BRIO_F64] = FLOATS_FROM_F64,
    [BRIO_C64] = BIT(C64) | BIT(C128),
    [BRIO_C128] = BIT(C128),
};

/* The first of these to which both cast safely: bool, then integers and floats by rising size. */
brio_dtype brio_dtype_promote(brio_dtype a, brio_dtype b)
{
    static const uint8_t order[BRIO_DTYPE_COUNT] = {BRIO_BOOL, BRIO_I8,  BRIO_U8,  BRIO_I16, BRIO_U16,
                                                    BRIO_I32,  BRIO_U32, BRIO_I64, BRIO_U64, BRIO_F16,
                                                    BRIO_F32,  BRIO_F64, BRIO_C64, BRIO_C128};
    if (!is_dtype(a) || !is_dtype(b))
        return BRIO_DTYPE_COUNT;
    const unsigned both = safe[a] & safe[b];
    for (int k = 0; k < BRIO_DTYPE_COUNT; k++)
        if (both >> order[k] & 1)
            return (brio_dtype)order[k];
    return BRIO_C128;
}

/* Kinds in the order in which same-kind casts may go up. */
static int kind_rank(brio_dtype dtype)
{
    static const char kinds[] = "buifc";
    return (int)(strchr(kinds, lines[dtype].kind) - kinds);
}

int brio_dtype_can_cast(brio_dtype from, brio_dtype to, brio_casting casting)
{
    if (!is_dtype(from) || !is_dtype(to))
        return 0;
    switch (casting) {
    case BRIO_CAST_NO:
    case BRIO_CAST_EQUIV:
        return from == to;
    case BRIO_CAST_SAFE:
        return safe[from] >> to & 1;
    case BRIO_CAST_SAME_KIND:
        return (safe[from] >> to & 1) || kind_rank(from) <= kind_rank(to);
    case BRIO_CAST_UNSAFE:
        return 1;
    }
    return 0;
}
