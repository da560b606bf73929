/* The compiler at run time: NVRTC, loaded when first needed. It needs neither a driver nor a device. */
#include "backend/cuda/shared.h"
#include "backend/cuda/texts.h"
#include "runtime/error.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE(X)                                                                                             \
    X(nvrtcVersion)                                                                                          \
    X(nvrtcCreateProgram)                                                                                    \
    X(nvrtcCompileProgram)                                                                                   \
    X(nvrtcGetProgramLogSize)                                                                                \
    X(nvrtcGetProgramLog)                                                                                    \
    X(nvrtcGetCUBINSize)                                                                                     \
    X(nvrtcGetCUBIN)                                                                                         \
    X(nvrtcGetErrorString)                                                                                   \
    X(nvrtcDestroyProgram)

static struct {
    int version;
#define MEMBER(name) __typeof__(name) *name;
    TABLE(MEMBER)
#undef MEMBER
} rtc;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_library(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so.13",
                                        "/usr/local/cuda/lib64/libnvrtc.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            return library;
    }
    return NULL;
}

static void load(void)
{
    void *library = open_library();
    if (library == NULL)
        return;
    int missing = 0, major = 0, minor = 0;
#define FIND(name)                                                                                           \
    *(void **)&rtc.name = dlsym(library, #name);                                                             \
    missing |= rtc.name == NULL;
    TABLE(FIND)
#undef FIND
    if (!missing && rtc.nvrtcVersion(&major, &minor) == NVRTC_SUCCESS)
        rtc.version = 1000 * major + 10 * minor;
}

int brio_nvrtc_version(void)
{
    pthread_once(&once, load);
    return rtc.version;
}

static brio_status fail_with_log(nvrtcProgram program, nvrtcResult result)
{
    size_t size = 0;
    char *log = NULL;
    if (rtc.nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size > 0)
        log = calloc(1, size + 1);
    if (log != NULL)
        rtc.nvrtcGetProgramLog(program, log);
    brio_status status = brio_fail(BRIO_E_DEVICE, "nvrtcCompileProgram failed: %s (%d): %.1500s",
                                   rtc.nvrtcGetErrorString(result), (int)result, log != NULL ? log : "");
    free(log);
    return status;
}

static brio_status compile(nvrtcProgram program, int sm, char **image, size_t *size)
{
    char arch[40];
    snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d", sm);
    const char *const options[] = {arch, "--std=c++17", "-default-device", "--fmad=false", "-w"};
    nvrtcResult result = rtc.nvrtcCompileProgram(program, sizeof options / sizeof options[0], options);
    if (result != NVRTC_SUCCESS)
        return fail_with_log(program, result);
    result = rtc.nvrtcGetCUBINSize(program, size);
    if (result != NVRTC_SUCCESS)
        return brio_fail(BRIO_E_DEVICE, "nvrtcGetCUBINSize failed: %s", rtc.nvrtcGetErrorString(result));
    *image = malloc(*size);
    if (*image == NULL)
        return brio_fail(BRIO_E_MEMORY, "no memory for %zu bytes of machine code", *size);
    result = rtc.nvrtcGetCUBIN(program, *image);
    if (result == NVRTC_SUCCESS)
        return BRIO_OK;
    free(*image);
    *image = NULL;
    return brio_fail(BRIO_E_DEVICE, "nvrtcGetCUBIN failed: %s", rtc.nvrtcGetErrorString(result));
}

brio_status brio_nvrtc_compile(const char *text, int sm, char **image, size_t *size)
{
    *image = NULL;
    if (brio_nvrtc_version() == 0)
        return brio_fail(BRIO_E_UNSUPPORTED, "kernels cannot be compiled: there is no libnvrtc");
    nvrtcProgram program;
    nvrtcResult result = rtc.nvrtcCreateProgram(&program, text, "brio_kernel.cu", brio_texts_count,
                                                brio_texts_contents, brio_texts_names);
    if (result != NVRTC_SUCCESS)
        return brio_fail(BRIO_E_DEVICE, "nvrtcCreateProgram failed: %s", rtc.nvrtcGetErrorString(result));
    brio_status status = compile(program, sm, image, size);
    rtc.nvrtcDestroyProgram(&program);
    return status;
}
