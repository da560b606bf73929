/* The driver: loaded at run time, its functions by cuGetProcAddress, the primary context of the first
 * device, and its stream-ordered pool, which keeps what it has. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <dlfcn.h>

brio_cuda_state brio_cuda;

brio_status brio_cuda_fail(const char *call, CUresult result)
{
    const char *name = "unknown", *text = "";
    if (brio_cuda.cuGetErrorName != NULL)
        brio_cuda.cuGetErrorName(result, &name);
    if (brio_cuda.cuGetErrorString != NULL)
        brio_cuda.cuGetErrorString(result, &text);
    brio_status status = result == CUDA_ERROR_OUT_OF_MEMORY ? BRIO_E_MEMORY : BRIO_E_DEVICE;
    return brio_fail(status, "%s failed: %s (%d), %s", call, name, (int)result, text);
}

static brio_status load_functions(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return brio_fail(BRIO_E_DEVICE, "there is no NVIDIA driver: %s", dlerror());
    __typeof__(cuGetProcAddress) *find = NULL;
    *(void **)&find = dlsym(library, "cuGetProcAddress_v2");
    if (find == NULL)
        return brio_fail(BRIO_E_DEVICE, "the NVIDIA driver is older than CUDA 12");
    CUdriverProcAddressQueryResult found;
    void *function = NULL;
#define FIND(name)                                                                                           \
    if (find(#name, &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &found) != CUDA_SUCCESS ||         \
        function == NULL)                                                                                    \
        return brio_fail(BRIO_E_DEVICE, "the NVIDIA driver has no " #name " of CUDA %d", CUDA_VERSION);      \
    *(void **)&brio_cuda.name = function;
    BRIO_CU_TABLE(FIND)
#undef FIND
    return BRIO_OK;
}

static brio_status open_device(void)
{
    int count = 0, major = 0, minor = 0;
    BRIO_CU(cuInit(0));
    BRIO_CU(cuDeviceGetCount(&count));
    if (count == 0)
        return brio_fail(BRIO_E_DEVICE, "the NVIDIA driver sees no device");
    BRIO_CU(cuDeviceGet(&brio_cuda.device, 0));
    BRIO_CU(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, brio_cuda.device));
    BRIO_CU(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, brio_cuda.device));
    BRIO_CU(cuDeviceGetAttribute(&brio_cuda.processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                 brio_cuda.device));
    brio_cuda.sm = 10 * major + minor;
    BRIO_CU(cuDevicePrimaryCtxRetain(&brio_cuda.context, brio_cuda.device));
    BRIO_CU(cuCtxSetCurrent(brio_cuda.context));
    BRIO_CU(cuStreamCreate(&brio_cuda.stream, CU_STREAM_NON_BLOCKING));
    BRIO_CU(cuDeviceGetDefaultMemPool(&brio_cuda.pool, brio_cuda.device));
    cuuint64_t keep = UINT64_MAX;
    BRIO_CU(cuMemPoolSetAttribute(brio_cuda.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
    return BRIO_OK;
}

brio_status brio_cuda_driver_open(void)
{
    if (brio_cuda.is_open)
        return BRIO_OK;
    BRIO_TRY(load_functions());
    BRIO_TRY(open_device());
    brio_cuda.is_open = 1;
    return BRIO_OK;
}

brio_status brio_cuda_enter(void)
{
    static _Thread_local int entered;
    CUcontext current = NULL;
    if (entered && brio_cuda.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == brio_cuda.context)
        return BRIO_OK;
    BRIO_CU(cuCtxSetCurrent(brio_cuda.context));
    entered = 1;
    return BRIO_OK;
}
