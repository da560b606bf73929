/* The structures of the DLPack protocol (dmlc/dlpack, version 1), as far as they are used here. */
#ifndef BRIO_PYTHON_DLPACK_H
#define BRIO_PYTHON_DLPACK_H

#include <stdint.h>

#define DLPACK_MAJOR 1
#define DLPACK_MINOR 0

enum { DLPACK_CPU = 1, DLPACK_PINNED = 3 };
enum { DLPACK_INT = 0, DLPACK_UINT = 1, DLPACK_FLOAT = 2, DLPACK_COMPLEX = 5, DLPACK_BOOL = 6 };
#define DLPACK_READ_ONLY 1u
#define DLPACK_COPIED 2u

typedef struct dlpack_device {
    int32_t type;
    int32_t id;
} dlpack_device;

typedef struct dlpack_dtype {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} dlpack_dtype;

typedef struct dlpack_tensor {
    void *data;
    dlpack_device device;
    int32_t ndim;
    dlpack_dtype dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: C order */
    uint64_t byte_offset;
} dlpack_tensor;

typedef struct dlpack_legacy {
    dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_legacy *);
} dlpack_legacy;

typedef struct dlpack_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dlpack_versioned *);
    uint64_t flags;
    dlpack_tensor tensor;
} dlpack_versioned;

#endif
