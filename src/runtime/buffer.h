/* Counted bytes that may be valid on the host, on a device, or on both.
 *
 * Whoever wants to touch the bytes asks for a pointer on the device where he is, for reading or for
 * writing; the bytes are moved there if they are not valid there, and writing makes the other copies
 * stale. Nobody above copies by hand. Today only the host exists; asking for another device gives
 * BRIO_E_UNSUPPORTED. */
#ifndef BRIO_RUNTIME_BUFFER_H
#define BRIO_RUNTIME_BUFFER_H

#include <brio/device.h>
#include <brio/memory.h>
#include <stdatomic.h>

typedef struct brio_buffer brio_buffer;

/* `bytes` of pool memory, undefined, valid nowhere yet; the memory itself is allocated at first use. */
brio_status brio_buffer_create(size_t bytes, brio_buffer **out);

/* Foreign memory; `release(context)` when the last reference goes. On failure nothing was taken. */
brio_status brio_buffer_wrap(void *pointer, size_t bytes, int writeable, brio_release_fn release,
                             void *context, brio_buffer **out);

brio_buffer *brio_buffer_ref(brio_buffer *buffer);
void brio_buffer_unref(brio_buffer *buffer); /* NULL allowed */

/* The bytes on `device`, made valid there. BRIO_WRITE alone promises that every byte is written, so
 * nothing is moved in. */
brio_status brio_buffer_data(brio_buffer *buffer, brio_device device, brio_access access, void **out);

size_t brio_buffer_bytes(const brio_buffer *buffer);
int brio_buffer_is_foreign(const brio_buffer *buffer);
int brio_buffer_is_shared(const brio_buffer *buffer); /* more than one reference */

#endif
