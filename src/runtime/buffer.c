/* Counted bytes with coherent access; see buffer.h. */
#include "runtime/buffer.h"
#include "runtime/error.h"

#include <brio/memory.h>
#include <stdlib.h>

struct brio_buffer {
    _Atomic int64_t references;
    size_t bytes;
    _Atomic(void *) host; /* NULL until first use of pool memory */
    int foreign, writeable;
    brio_release_fn release;
    void *context;
};

static brio_status create(brio_buffer **out)
{
    brio_buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL)
        return brio_fail(BRIO_E_MEMORY, "cannot allocate %zu bytes for a buffer's description",
                         sizeof *buffer);
    atomic_init(&buffer->references, 1);
    buffer->writeable = 1;
    *out = buffer;
    return BRIO_OK;
}

brio_status brio_buffer_create(size_t bytes, brio_buffer **out)
{
    BRIO_TRY(create(out));
    (*out)->bytes = bytes;
    return BRIO_OK;
}

brio_status brio_buffer_wrap(void *pointer, size_t bytes, int writeable, brio_release_fn release,
                             void *context, brio_buffer **out)
{
    BRIO_TRY(create(out));
    brio_buffer *buffer = *out;
    buffer->bytes = bytes;
    atomic_init(&buffer->host, pointer);
    buffer->foreign = 1;
    buffer->writeable = writeable;
    buffer->release = release;
    buffer->context = context;
    return BRIO_OK;
}

brio_buffer *brio_buffer_ref(brio_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

void brio_buffer_unref(brio_buffer *buffer)
{
    if (buffer == NULL || atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1)
        return;
    if (!buffer->foreign)
        brio_memory_free(buffer->host);
    else if (buffer->release != NULL)
        buffer->release(buffer->context);
    free(buffer);
}

brio_status brio_buffer_data(brio_buffer *buffer, brio_device device, brio_access access, void **out)
{
    if (device.kind != BRIO_DEVICE_CPU && device.kind != BRIO_DEVICE_AUTO) {
        char name[32];
        return brio_fail(BRIO_E_UNSUPPORTED,
                         "bytes cannot be brought to %s: this build runs on the cpu alone",
                         brio_device_format(device, name, sizeof name));
    }
    if ((access & BRIO_WRITE) && !buffer->writeable)
        return brio_fail(BRIO_E_VALUE, "the memory is read-only");
    void *host = atomic_load_explicit(&buffer->host, memory_order_acquire);
    if (host == NULL) {
        void *fresh = NULL;
        BRIO_TRY(brio_memory_alloc(buffer->bytes, &fresh));
        if (atomic_compare_exchange_strong(&buffer->host, &host, fresh))
            host = fresh;
        else
            brio_memory_free(fresh);
    }
    *out = host;
    return BRIO_OK;
}

size_t brio_buffer_bytes(const brio_buffer *buffer)
{
    return buffer->bytes;
}

int brio_buffer_is_foreign(const brio_buffer *buffer)
{
    return buffer->foreign;
}

int brio_buffer_is_shared(const brio_buffer *buffer)
{
    return atomic_load_explicit(&buffer->references, memory_order_relaxed) > 1;
}
