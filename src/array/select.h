/* Subscripts understood: what index.c and assign.c share. */
#ifndef BRIO_ARRAY_SELECT_H
#define BRIO_ARRAY_SELECT_H

#include "array/map.h"

/* Advanced indices at most: one an axis, and zero-dimensional bools. */
#define BRIO_SELECT_MAX BRIO_MAX_DIMS

/* array[index...]: basic subscripts are applied to `view`; the axes of the view that advanced ones select
 * from are kept whole and listed. */
typedef struct brio_selection {
    bool advanced; /* whether there is any advanced index; if not, `view` is the answer */
    bool copies;   /* the answer must not be a view all the same (a zero-dimensional index array) */
    brio_array *view;
    int nindex;
    int axis[BRIO_SELECT_MAX];          /* of the view */
    brio_array *index[BRIO_SELECT_MAX]; /* contiguous int64 of `count` elements, checked */
    int front; /* how many of the view's other axes come before the selected dimensions */
    int ndim;  /* of the selected dimensions: the indices broadcast together */
    int64_t shape[BRIO_MAX_DIMS];
    int64_t count;
} brio_selection;

/* Understands the subscripts. The caller gives the selection back with brio_selection_end, on failure too. */
brio_status brio_selection_begin(brio_array *array, const brio_index *index, int nindex,
                                 brio_selection *selection);
void brio_selection_end(brio_selection *selection);

/* The shape of the result of an advanced selection. BRIO_E_INDEX when it has too many dimensions. */
brio_status brio_selection_shape(const brio_selection *selection, int *ndim, int64_t *shape);

/* Moves blocks between the selection and `other`, which has the result's shape with any strides whose
 * selected dimensions can be walked with one stride: out of the array (gather) or into it. */
brio_status brio_selection_move(const brio_selection *selection, const brio_array *other, bool gather);

/* Whether the selected dimensions of `other` can be walked with one stride, and which. */
bool brio_selection_one_stride(const brio_selection *selection, const brio_array *other, int64_t *stride);

/* Positions of the true elements of a bool array in C order, int64. */
brio_status brio_mask_positions(brio_array *mask, brio_array **out);

/* Positions in C order taken apart: out[d] for each of `ndim` dimensions. */
brio_status brio_unravel(const brio_array *positions, int ndim, const int64_t *shape, brio_array **out);

#endif
