/* What sort.cu gives to C. Every function returns CUDA's error code; `stream` is a CUstream. With `temporary`
 * NULL a function of CUB only says in *bytes how much it needs. */
#ifndef BRIO_CUDA_SORT_H
#define BRIO_CUDA_SORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BRIO_KEY_UINT, BRIO_KEY_INT, BRIO_KEY_FLOAT };

/* to[i] = the key of from[i]; one_nan: NaNs are one key, and so are the zeros. */
int brio_cub_make_keys(const void *from, void *to, int64_t n, int size, int family, int descending,
                       int one_nan, void *stream);
/* The inverse, of keys made without one_nan. */
int brio_cub_make_values(const void *from, void *to, int64_t n, int size, int family, int descending,
                         void *stream);
int brio_cub_find_negative_nan(const void *x, int64_t n, int size, int *found, void *stream);

/* Sorts *a, with *b as room; the result is in *a. Floats of 4 and 8 bytes and signed integers of these sizes
 * in their own order, all else as unsigned. */
int brio_cub_sort_keys(void *temporary, size_t *bytes, void **a, void **b, int64_t n, int size, int family,
                       void *stream);
/* The same with values that go along, by the lowest `bits` of unsigned keys; stable. */
int brio_cub_sort_pairs(void *temporary, size_t *bytes, void **a, void **b, uint32_t **va, uint32_t **vb,
                        int64_t n, int size, int bits, void *stream);

int brio_cub_count_up(uint32_t *to, int64_t n, void *stream);
int brio_cub_rows_of(const uint32_t *at, uint32_t *row, int64_t n, int64_t length, void *stream);
/* index[i] = at[i] less the first position of row i / length. */
int brio_cub_widen(const uint32_t *at, int64_t *index, int64_t n, int64_t length, void *stream);
int brio_cub_pick(const void *from, void *to, const uint32_t *at, int64_t n, int size, void *stream);

int brio_cub_nonzero(void *temporary, size_t *bytes, const uint8_t *mask, int64_t count, int64_t *index,
                     int64_t *found, void *stream);

const char *brio_cub_error_name(int code);

#ifdef __cplusplus
}
#endif
#endif
