/* The entry point: versions, services, and the table of primitives. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const brio_host_services *brio_cuda_host;

brio_status(brio_fail)(brio_status status, const char *format, ...)
{
    char sentence[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    brio_cuda_host->set_error(sentence);
    return status;
}

static const brio_backend backend = {
    .version = BRIO_BACKEND_VERSION,
    .size = sizeof(brio_backend),
    .name = "cuda",
    .kind = BRIO_DEVICE_CUDA,
    .alloc = brio_cuda_alloc,
    .free = brio_cuda_free,
    .copy = brio_cuda_copy,
    .map = brio_cuda_map,
    .reduce = brio_cuda_reduce,
    .scan = brio_cuda_scan,
    .sort = brio_cuda_sort,
    .argsort = brio_cuda_argsort,
    .gather = brio_cuda_gather,
    .scatter = brio_cuda_scatter,
    .check_index = brio_cuda_check_index,
    .nonzero = brio_cuda_nonzero,
    .matmul = brio_cuda_matmul,
};

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static brio_status accept_host(uint32_t version, const brio_host_services *host)
{
    if (version != BRIO_PLUGIN_VERSION || host == NULL || host->version != BRIO_PLUGIN_VERSION ||
        host->size < sizeof *host) {
        if (host != NULL && host->set_error != NULL)
            host->set_error("the cuda plug-in is of another version than the library that loads it");
        return BRIO_E_UNSUPPORTED;
    }
    brio_cuda_host = host;
    return BRIO_OK;
}

brio_status brio_backend_open(uint32_t version, const brio_host_services *host, const brio_backend **out)
{
    *out = NULL;
    pthread_mutex_lock(&opening);
    brio_status status = accept_host(version, host);
    if (status == BRIO_OK)
        status = brio_cuda_driver_open();
    pthread_mutex_unlock(&opening);
    if (status == BRIO_OK)
        *out = &backend;
    return status;
}

brio_status brio_cuda_compile_only(const brio_host_services *host, brio_cuda_kernel what,
                                   const brio_program *program, int detail, int layout, int sm)
{
    BRIO_TRY(accept_host(BRIO_PLUGIN_VERSION, host));
    switch (what) {
    case BRIO_CUDA_MAP:
        return brio_cuda_map_compile(program, layout, sm);
    case BRIO_CUDA_REDUCE:
        return brio_cuda_reduce_compile(program, (brio_reduce_kind)detail, layout, sm);
    case BRIO_CUDA_SCAN:
        return brio_cuda_scan_compile((brio_dtype)program->dtypes[program->outputs[0]],
                                      (brio_reduce_kind)detail, layout, sm);
    default:
        return brio_cuda_index_compile((size_t)detail, sm);
    }
}

void *brio_cuda_stream(void)
{
    return brio_cuda.stream;
}
