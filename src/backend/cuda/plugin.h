/* The edge of a backend plug-in: one entry point, and what the host lends to it.
 *
 * A plug-in does not link back to the library. The host checks nothing but the status: the plug-in checks
 * the version before it touches anything else, and says in a sentence why it refuses. It is never
 * unloaded. */
#ifndef BRIO_CUDA_PLUGIN_H
#define BRIO_CUDA_PLUGIN_H

#include "backend/backend.h"
#include "op/rules.h"

#define BRIO_PLUGIN_VERSION 1

typedef struct brio_host_services {
    uint32_t version; /* BRIO_PLUGIN_VERSION */
    uint32_t size;    /* sizeof(brio_host_services) */
    const char *library_version;
    const brio_op_line *op_lines; /* op_count of them, in the order of the table */
    int op_count;
    /* Sets the calling thread's error sentence; `sentence` is copied. */
    void (*set_error)(const char *sentence);
    brio_status (*alloc)(size_t bytes, void **out);
    void (*free)(void *pointer);
    /* NULL: not asked. A sentence without a full stop. */
    void (*log)(const char *sentence);
} brio_host_services;

/* The backend of the first device, static. BRIO_E_UNSUPPORTED when versions differ, BRIO_E_DEVICE when there
 * is no driver or no device that can be used; the sentence says which. `host` must outlive the process'
 * use of the backend. */
typedef brio_status (*brio_backend_open_fn)(uint32_t version, const brio_host_services *host,
                                            const brio_backend **out);
BRIO_EXPORT brio_status brio_backend_open(uint32_t version, const brio_host_services *host,
                                          const brio_backend **out);

/* Compiles a kernel for the architecture `sm` (90) without a device. `detail` is a reduction's or scan's
 * kind, or an item's bytes; `layout` is 0 (contiguous) or 1 (strided; of a scan: exclusive). A scan has the
 * dtype of the program's output; a move has no program. */
typedef enum brio_cuda_kernel {
    BRIO_CUDA_MAP,
    BRIO_CUDA_REDUCE,
    BRIO_CUDA_SCAN,
    BRIO_CUDA_MOVE
} brio_cuda_kernel;
typedef brio_status (*brio_cuda_compile_fn)(const brio_host_services *host, brio_cuda_kernel what,
                                            const brio_program *program, int detail, int layout, int sm);
BRIO_EXPORT brio_status brio_cuda_compile_only(const brio_host_services *host, brio_cuda_kernel what,
                                               const brio_program *program, int detail, int layout, int sm);

/* For measurements: the stream (CUstream) on which everything runs. */
BRIO_EXPORT void *brio_cuda_stream(void);

#endif
