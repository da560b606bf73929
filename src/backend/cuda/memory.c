/* Memory of the device, and copies through pinned buffers. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <pthread.h>
#include <string.h>

/* Two pinned buffers: while one is being copied by the device, the host fills or empties the other. */
#define STAGE_BYTES ((size_t)8 << 20)

static struct {
    pthread_mutex_t lock;
    char *room[2];
    CUevent done[2];
} stage = {.lock = PTHREAD_MUTEX_INITIALIZER};

brio_status brio_cuda_alloc(size_t bytes, void **out)
{
    CUdeviceptr pointer = 0;
    *out = NULL;
    BRIO_TRY(brio_cuda_enter());
    CUresult result =
        brio_cuda.cuMemAllocFromPoolAsync(&pointer, bytes > 0 ? bytes : 1, brio_cuda.pool, brio_cuda.stream);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return brio_fail(BRIO_E_MEMORY, "the device has no %zu bytes left: CUDA_ERROR_OUT_OF_MEMORY (2)",
                         bytes);
    if (result != CUDA_SUCCESS)
        return brio_cuda_fail("cuMemAllocFromPoolAsync", result);
    *out = (void *)(uintptr_t)pointer;
    return BRIO_OK;
}

void brio_cuda_free(void *pointer)
{
    if (pointer != NULL && brio_cuda_enter() == BRIO_OK)
        brio_cuda.cuMemFreeAsync((CUdeviceptr)(uintptr_t)pointer, brio_cuda.stream);
}

static brio_status open_stage(void)
{
    for (int i = 0; i < 2; i++) {
        if (stage.room[i] == NULL)
            BRIO_CU(cuMemHostAlloc((void **)&stage.room[i], STAGE_BYTES, CU_MEMHOSTALLOC_PORTABLE));
        if (stage.done[i] == NULL)
            BRIO_CU(cuEventCreate(&stage.done[i], CU_EVENT_DISABLE_TIMING));
    }
    return BRIO_OK;
}

static brio_status send(char *to, const char *from, size_t bytes)
{
    for (size_t done = 0, turn = 0; done < bytes; done += STAGE_BYTES, turn++) {
        size_t now = bytes - done < STAGE_BYTES ? bytes - done : STAGE_BYTES;
        int i = turn % 2;
        BRIO_CU(cuEventSynchronize(stage.done[i]));
        memcpy(stage.room[i], from + done, now);
        BRIO_CU(cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)(to + done), stage.room[i], now, brio_cuda.stream));
        BRIO_CU(cuEventRecord(stage.done[i], brio_cuda.stream));
    }
    return BRIO_OK;
}

static brio_status ask(const char *from, size_t done, size_t bytes, int i)
{
    size_t now = bytes - done < STAGE_BYTES ? bytes - done : STAGE_BYTES;
    BRIO_CU(cuMemcpyDtoHAsync(stage.room[i], (CUdeviceptr)(uintptr_t)(from + done), now, brio_cuda.stream));
    BRIO_CU(cuEventRecord(stage.done[i], brio_cuda.stream));
    return BRIO_OK;
}

static brio_status receive(char *to, const char *from, size_t bytes)
{
    BRIO_TRY(ask(from, 0, bytes, 0));
    for (size_t done = 0, turn = 0; done < bytes; done += STAGE_BYTES, turn++) {
        size_t now = bytes - done < STAGE_BYTES ? bytes - done : STAGE_BYTES;
        int i = turn % 2;
        if (done + now < bytes)
            BRIO_TRY(ask(from, done + now, bytes, 1 - i));
        BRIO_CU(cuEventSynchronize(stage.done[i]));
        memcpy(to + done, stage.room[i], now);
    }
    return BRIO_OK;
}

brio_status brio_cuda_copy(void *to, const void *from, size_t bytes, int to_device)
{
    if (bytes == 0)
        return BRIO_OK;
    BRIO_TRY(brio_cuda_enter());
    pthread_mutex_lock(&stage.lock);
    brio_status status = open_stage();
    if (status == BRIO_OK)
        status = to_device ? send(to, from, bytes) : receive(to, from, bytes);
    pthread_mutex_unlock(&stage.lock);
    return status;
}
