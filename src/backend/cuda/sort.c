/* The sort, argsort and nonzero primitives: room from the pool, and calls of sort.cu in order. */
#include "backend/cuda/sort.h"
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <string.h>

#define ROOMS 5

/* What one call took from the pool. */
typedef struct rooms {
    void *at[ROOMS];
    int count;
} rooms;

static brio_status take(rooms *taken, size_t bytes, void **out)
{
    BRIO_TRY(brio_cuda_alloc(bytes, out));
    taken->at[taken->count++] = *out;
    return BRIO_OK;
}

static void give_back(rooms *taken)
{
    while (taken->count > 0)
        brio_cuda_free(taken->at[--taken->count]);
}

static brio_status check(int code, const char *call)
{
    if (code == 0)
        return BRIO_OK;
    return brio_fail(code == 2 ? BRIO_E_MEMORY : BRIO_E_DEVICE, "%s failed: %s (%d)", call,
                     brio_cub_error_name(code), code);
}
#define CUB(call) BRIO_TRY(check((call), #call))

static int family_of(brio_dtype dtype)
{
    static const int families[] = {BRIO_KEY_UINT, BRIO_KEY_INT, BRIO_KEY_UINT, BRIO_KEY_FLOAT};
    return families[brio_ctypes[dtype].family];
}

static brio_status check_arguments(brio_dtype dtype, int64_t n)
{
    if ((unsigned)dtype >= BRIO_DTYPE_COUNT || brio_ctypes[dtype].family < 0)
        return brio_fail(BRIO_E_TYPE, "cannot sort dtype %d", (int)dtype);
    if (n > UINT32_MAX)
        return brio_fail(BRIO_E_UNSUPPORTED, "the device sorts at most 2**32 - 1 elements, not %lld",
                         (long long)n);
    return brio_cuda_enter();
}

/* Sorts keys a with room b; the result is in *a. */
static brio_status sort_keys(rooms *taken, void **a, void **b, int64_t n, int size, int family)
{
    size_t bytes = 0;
    void *temporary = NULL, *x = *a, *y = *b;
    CUB(brio_cub_sort_keys(NULL, &bytes, &x, &y, n, size, family, brio_cuda.stream));
    BRIO_TRY(take(taken, bytes, &temporary));
    CUB(brio_cub_sort_keys(temporary, &bytes, a, b, n, size, family, brio_cuda.stream));
    return BRIO_OK;
}

static brio_status sort_pairs(rooms *taken, void **a, void **b, uint32_t **va, uint32_t **vb, int64_t n,
                              int size, int bits)
{
    size_t bytes = 0;
    void *temporary = NULL, *x = *a, *y = *b;
    uint32_t *vx = *va, *vy = *vb;
    CUB(brio_cub_sort_pairs(NULL, &bytes, &x, &y, &vx, &vy, n, size, bits, brio_cuda.stream));
    BRIO_TRY(take(taken, bytes, &temporary));
    CUB(brio_cub_sort_pairs(temporary, &bytes, a, b, va, vb, n, size, bits, brio_cuda.stream));
    return BRIO_OK;
}

static brio_status copy_on_device(void *to, const void *from, size_t bytes)
{
    BRIO_CU(
        cuMemcpyDtoDAsync((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, bytes, brio_cuda.stream));
    return BRIO_OK;
}

/* Whether CUB's own order of the dtype is the one wanted. */
static brio_status is_native(rooms *taken, const brio_sort_args *args, int size, int family, int *out)
{
    *out = !args->descending && (family == BRIO_KEY_UINT || size >= 4);
    if (!*out || family != BRIO_KEY_FLOAT)
        return BRIO_OK;
    void *found = NULL;
    int negative_nan = 0;
    BRIO_TRY(take(taken, sizeof(int), &found));
    CUB(brio_cub_find_negative_nan(args->data, args->length, size, found, brio_cuda.stream));
    BRIO_TRY(brio_cuda_copy(&negative_nan, found, sizeof negative_nan, 0));
    *out = !negative_nan;
    return BRIO_OK;
}

static brio_status sort_one_row(rooms *taken, const brio_sort_args *args)
{
    const int size = brio_ctypes[args->dtype].size, family = family_of(args->dtype);
    const size_t bytes = (size_t)args->length * (size_t)size;
    void *a = args->data, *b = NULL;
    int native = 0;
    BRIO_TRY(take(taken, bytes, &b));
    BRIO_TRY(is_native(taken, args, size, family, &native));
    if (native) {
        BRIO_TRY(sort_keys(taken, &a, &b, args->length, size, family));
        return a == args->data ? BRIO_OK : copy_on_device(args->data, a, bytes);
    }
    CUB(brio_cub_make_keys(a, a, args->length, size, family, args->descending, 0, brio_cuda.stream));
    BRIO_TRY(sort_keys(taken, &a, &b, args->length, size, BRIO_KEY_UINT));
    CUB(brio_cub_make_values(a, args->data, args->length, size, family, args->descending, brio_cuda.stream));
    return BRIO_OK;
}

static int bits_for(int64_t count)
{
    int bits = 1;
    while (((int64_t)1 << bits) < count)
        bits++;
    return bits;
}

/* Positions 0 ... n - 1 of all rows by key, row by row, each row in order; into *order. */
static brio_status order_rows(rooms *taken, const void *data, int64_t nrows, int64_t length, int size,
                              int family, int descending, uint32_t **order)
{
    const int64_t n = nrows * length;
    const size_t each = size > 4 ? (size_t)size : 4; /* the keys' room holds row numbers afterwards */
    void *a = NULL, *b = NULL, *va = NULL, *vb = NULL;
    BRIO_TRY(take(taken, (size_t)n * each, &a));
    BRIO_TRY(take(taken, (size_t)n * each, &b));
    BRIO_TRY(take(taken, (size_t)n * 8, &va));
    vb = (uint32_t *)va + n;
    uint32_t *first = va, *second = vb;
    CUB(brio_cub_make_keys(data, a, n, size, family, descending, 1, brio_cuda.stream));
    CUB(brio_cub_count_up(first, n, brio_cuda.stream));
    BRIO_TRY(sort_pairs(taken, &a, &b, &first, &second, n, size, 8 * size));
    if (nrows > 1) {
        CUB(brio_cub_rows_of(first, a, n, length, brio_cuda.stream));
        brio_cuda_free(taken->at[--taken->count]);
        BRIO_TRY(sort_pairs(taken, &a, &b, &first, &second, n, 4, bits_for(nrows)));
    }
    *order = first;
    return BRIO_OK;
}

static brio_status sort_rows(rooms *taken, const brio_sort_args *args)
{
    const int size = brio_ctypes[args->dtype].size;
    const int64_t n = args->nrows * args->length;
    uint32_t *order = NULL;
    void *copy = NULL;
    BRIO_TRY(take(taken, (size_t)n * (size_t)size, &copy));
    BRIO_TRY(copy_on_device(copy, args->data, (size_t)n * (size_t)size));
    BRIO_TRY(order_rows(taken, copy, args->nrows, args->length, size, family_of(args->dtype),
                        args->descending, &order));
    CUB(brio_cub_pick(copy, args->data, order, n, size, brio_cuda.stream));
    return BRIO_OK;
}

brio_status brio_cuda_sort(const brio_sort_args *args)
{
    rooms taken = {.count = 0};
    BRIO_TRY(check_arguments(args->dtype, args->nrows * args->length));
    if (args->nrows == 0 || args->length < 2)
        return BRIO_OK;
    brio_status status = args->nrows == 1 ? sort_one_row(&taken, args) : sort_rows(&taken, args);
    give_back(&taken);
    return status;
}

static brio_status argsort(rooms *taken, const brio_argsort_args *args)
{
    uint32_t *order = NULL;
    BRIO_TRY(order_rows(taken, args->keys, args->nrows, args->length, brio_ctypes[args->dtype].size,
                        family_of(args->dtype), args->descending, &order));
    CUB(brio_cub_widen(order, args->index, args->nrows * args->length, args->length, brio_cuda.stream));
    return BRIO_OK;
}

brio_status brio_cuda_argsort(const brio_argsort_args *args)
{
    rooms taken = {.count = 0};
    BRIO_TRY(check_arguments(args->dtype, args->nrows * args->length));
    if (args->nrows * args->length == 0)
        return BRIO_OK;
    brio_status status = argsort(&taken, args);
    give_back(&taken);
    return status;
}

static brio_status select_nonzero(rooms *taken, const uint8_t *mask, int64_t count, int64_t *index,
                                  int64_t *found)
{
    size_t bytes = 0;
    void *temporary = NULL, *number = NULL;
    CUB(brio_cub_nonzero(NULL, &bytes, mask, count, index, found, brio_cuda.stream));
    BRIO_TRY(take(taken, bytes, &temporary));
    BRIO_TRY(take(taken, sizeof *found, &number));
    CUB(brio_cub_nonzero(temporary, &bytes, mask, count, index, number, brio_cuda.stream));
    return brio_cuda_copy(found, number, sizeof *found, 0);
}

brio_status brio_cuda_nonzero(const uint8_t *mask, int64_t count, int64_t *index, int64_t *found)
{
    rooms taken = {.count = 0};
    *found = 0;
    if (count == 0)
        return BRIO_OK;
    BRIO_TRY(brio_cuda_enter());
    brio_status status = select_nonzero(&taken, mask, count, index, found);
    give_back(&taken);
    return status;
}
