/* Devices: what work can run on. */
#ifndef BRIO_DEVICE_H
#define BRIO_DEVICE_H

#include <brio/status.h>

BRIO_BEGIN_DECLS

typedef enum brio_device_kind {
    BRIO_DEVICE_AUTO, /* the placement decides */
    BRIO_DEVICE_CPU,
    BRIO_DEVICE_CUDA,
    BRIO_DEVICE_EMU
} brio_device_kind;

typedef struct brio_device {
    brio_device_kind kind;
    int32_t index; /* 0 but for the n-th GPU */
} brio_device;

/**
 * Parses "auto", "cpu", "emu", "cuda" or "cuda:1". BRIO_E_VALUE with the text otherwise.
 * Says nothing about whether the device is there.
 */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_device_parse(const char *text, brio_device *out);

/** Writes "cpu" or "cuda:0" to `text` (at most `size` bytes with the final zero); returns `text`. */
BRIO_EXPORT const char *brio_device_format(brio_device device, char *text, size_t size);

/**
 * Whether the device can be used in this process. When it cannot, 0 is returned and, if `reason`
 * is not NULL, it receives a static sentence that says why.
 */
BRIO_EXPORT int brio_device_available(brio_device device, const char **reason);

BRIO_END_DECLS
#endif
