/* What the files of the plug-in share: the driver, kernels made at run time, and the primitives. */
#ifndef BRIO_CUDA_SHARED_H
#define BRIO_CUDA_SHARED_H

#include "backend/cuda/plugin.h"

#include <cuda.h>

extern const brio_host_services *brio_cuda_host;

/* ---- The driver (driver.c) ---- */

#define BRIO_CU_TABLE(X)                                                                                     \
    X(cuInit)                                                                                                \
    X(cuDeviceGetCount)                                                                                      \
    X(cuDeviceGet)                                                                                           \
    X(cuDeviceGetAttribute)                                                                                  \
    X(cuDevicePrimaryCtxRetain)                                                                              \
    X(cuCtxSetCurrent)                                                                                       \
    X(cuCtxGetCurrent)                                                                                       \
    X(cuStreamCreate)                                                                                        \
    X(cuStreamSynchronize)                                                                                   \
    X(cuDeviceGetDefaultMemPool)                                                                             \
    X(cuMemPoolSetAttribute)                                                                                 \
    X(cuMemAllocFromPoolAsync)                                                                               \
    X(cuMemFreeAsync)                                                                                        \
    X(cuMemHostAlloc)                                                                                        \
    X(cuMemcpyHtoDAsync)                                                                                     \
    X(cuMemcpyDtoHAsync)                                                                                     \
    X(cuMemcpyDtoDAsync)                                                                                     \
    X(cuMemsetD8Async)                                                                                       \
    X(cuModuleLoadData)                                                                                      \
    X(cuModuleGetFunction)                                                                                   \
    X(cuLaunchKernel)                                                                                        \
    X(cuEventCreate)                                                                                         \
    X(cuEventRecord)                                                                                         \
    X(cuEventSynchronize)                                                                                    \
    X(cuGetErrorName)                                                                                        \
    X(cuGetErrorString)

typedef struct brio_cuda_state {
    int is_open;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUmemoryPool pool;
    int sm; /* 90 for compute capability 9.0 */
    int processors;
#define BRIO_CU_MEMBER(name) __typeof__(name) *name;
    BRIO_CU_TABLE(BRIO_CU_MEMBER)
#undef BRIO_CU_MEMBER
} brio_cuda_state;

extern brio_cuda_state brio_cuda;

brio_status brio_cuda_driver_open(void);
/* Makes the context current on the calling thread. */
brio_status brio_cuda_enter(void);
/* The failure of a driver's call, with its text, code and name. */
brio_status brio_cuda_fail(const char *call, CUresult result);

/* `BRIO_CU(cuInit(0))`: returns early with the status of a driver's call that failed. */
#define BRIO_CU(call)                                                                                        \
    do {                                                                                                     \
        CUresult brio_cu_result = brio_cuda.call;                                                            \
        if (brio_cu_result != CUDA_SUCCESS)                                                                  \
            return brio_cuda_fail(#call, brio_cu_result);                                                    \
    } while (0)

/* ---- Memory (memory.c) ---- */

brio_status brio_cuda_alloc(size_t bytes, void **out);
void brio_cuda_free(void *pointer);
brio_status brio_cuda_copy(void *to, const void *from, size_t bytes, int to_device);

/* ---- Kernels made at run time ---- */

/* Text that grows; a failure to grow is kept and reported by brio_text_status. */
typedef struct brio_text {
    char *data;
    size_t length, room;
    int failed;
} brio_text;

void brio_text_add(brio_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void brio_text_put(brio_text *text, const char *plain);
void brio_text_free(brio_text *text);

/* What identifies a kernel within a process. */
#define BRIO_KEY_MAX 4096
typedef struct brio_key {
    uint32_t length;
    int failed;
    uint8_t bytes[BRIO_KEY_MAX];
} brio_key;

void brio_key_add(brio_key *key, const void *bytes, size_t n);
void brio_key_add_int(brio_key *key, int64_t value);

/* Writes a kernel's text; it is complete (but for the headers of texts.h) and defines `brio_kernel`. */
typedef brio_status (*brio_text_writer)(void *context, brio_text *text);

/* The kernel `name` of the module for `key`, made from `write` when it is not known: from memory, from the
 * disk, by NVRTC. */
brio_status brio_kernel_get(const brio_key *key, const char *name, brio_text_writer write, void *context,
                            CUfunction *out);

/* Writes a kernel's text and compiles it, for nothing but the status. */
brio_status brio_kernel_try(brio_text_writer write, void *context, int sm);

/* Compiles to machine code for `sm`; the caller frees *image with free(). */
brio_status brio_nvrtc_compile(const char *text, int sm, char **image, size_t *size);
/* The version of the compiler, e.g. 13000; 0 when there is none. */
int brio_nvrtc_version(void);

/* The cache on the disk (cache.c). Load gives 0 when there is no valid file. Store never fails visibly. */
int brio_cache_load(const char *text, int sm, char **image, size_t *size);
void brio_cache_store(const char *text, int sm, const char *image, size_t size);

/* Launches `kernel` with one argument struct. */
brio_status brio_kernel_launch(CUfunction kernel, int64_t blocks, int threads, const void *argument);

/* ---- Programs as text (program.c) ---- */

typedef struct brio_ctype {
    const char *name, *suffix, *bits; /* C type; suffix of functions; class of casts */
    const char *type_u, *type_w, *type_s;
    int size, family; /* family: 0 bool, 1 int, 2 uint, 3 float; -1: no operations */
} brio_ctype;

extern const brio_ctype brio_ctypes[BRIO_DTYPE_COUNT];

enum { BRIO_LAY_ALIGNED, BRIO_LAY_CONTIGUOUS, BRIO_LAY_SCALAR, BRIO_LAY_STRIDED };

/* How the operands of a kernel lie: dimensions are merged, and each operand has a class. */
typedef struct brio_layout {
    int ndim;  /* of the decomposition; 0 when no operand is strided */
    int wide;  /* indices of 64 bits */
    int width; /* elements that are taken at once */
    int flags; /* conditions are gathered */
    int64_t shape[BRIO_MAX_DIMS];
    int64_t strides[BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_OUTPUTS][BRIO_MAX_DIMS];
    uint8_t class[BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_OUTPUTS];
    char *data[BRIO_PROGRAM_MAX_INPUTS + BRIO_PROGRAM_MAX_OUTPUTS];
    int noperands;
} brio_layout;

/* Merges dimensions and finds the class of each of `n` operands (inputs, then outputs). */
void brio_layout_make(brio_layout *layout, int ndim, const int64_t *shape,
                      const brio_strided *const *operands, const int *sizes, int n);

/* Fails with BRIO_E_UNSUPPORTED when the device cannot run the program. */
brio_status brio_program_check(const brio_program *program);
void brio_program_key(brio_key *key, const brio_program *program, const brio_layout *layout);
/* Everything but the loop: types, operations, the argument struct, fetch and program. */
brio_status brio_program_write(brio_text *text, const brio_program *program, const brio_layout *layout,
                               int nstored, const char *more_arguments);
/* The words of the argument struct up to `more_arguments`; returns how many. */
#define BRIO_WORDS_MAX 4080
int brio_program_words(uint64_t *words, const brio_program *program, const brio_layout *layout, int64_t n,
                       int nstored);

/* ---- Primitives ---- */

brio_status brio_cuda_map(const brio_map_args *args);
brio_status brio_cuda_map_compile(const brio_program *program, int layout, int sm);
brio_status brio_cuda_reduce(const brio_reduce_args *args);
brio_status brio_cuda_reduce_compile(const brio_program *program, brio_reduce_kind kind, int layout, int sm);
brio_status brio_cuda_scan(const brio_scan_args *args);
brio_status brio_cuda_scan_compile(brio_dtype dtype, brio_reduce_kind kind, int exclusive, int sm);
brio_status brio_cuda_index_compile(size_t itemsize, int sm);
brio_status brio_cuda_sort(const brio_sort_args *args);
brio_status brio_cuda_argsort(const brio_argsort_args *args);
brio_status brio_cuda_gather(const brio_index_args *args);
brio_status brio_cuda_scatter(const brio_index_args *args);
brio_status brio_cuda_check_index(int64_t *index, int64_t count, int64_t extent, int axis);
brio_status brio_cuda_nonzero(const uint8_t *mask, int64_t count, int64_t *index, int64_t *found);
brio_status brio_cuda_matmul(const brio_matmul_args *args);

#endif
