/* Devices: their names and which of them this process can use. */
#include "runtime/error.h"

#include <brio/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    brio_device_kind kind;
} kind_names[] = {{"auto", BRIO_DEVICE_AUTO},
                  {"cpu", BRIO_DEVICE_CPU},
                  {"cuda", BRIO_DEVICE_CUDA},
                  {"emu", BRIO_DEVICE_EMU}};

#define KIND_COUNT (sizeof kind_names / sizeof kind_names[0])

static brio_status parse_index(const char *text, const char *digits, brio_device *out)
{
    char *end = NULL;
    long index = strtol(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end != '\0' || index > 1023)
        return brio_fail(BRIO_E_VALUE, "'%.40s' is not a device: the part after 'cuda:' must be a number",
                         text);
    *out = (brio_device){BRIO_DEVICE_CUDA, (int32_t)index};
    return BRIO_OK;
}

brio_status brio_device_parse(const char *text, brio_device *out)
{
    if (strncmp(text, "cuda:", 5) == 0)
        return parse_index(text, text + 5, out);
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(text, kind_names[i].name) == 0) {
            *out = (brio_device){kind_names[i].kind, 0};
            return BRIO_OK;
        }
    return brio_fail(BRIO_E_VALUE, "'%.40s' is not a device; devices are auto, cpu, emu, cuda and cuda:N",
                     text);
}

const char *brio_device_format(brio_device device, char *text, size_t size)
{
    const char *name = "?";
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (kind_names[i].kind == device.kind)
            name = kind_names[i].name;
    if (device.kind == BRIO_DEVICE_CUDA)
        snprintf(text, size, "%s:%d", name, (int)device.index);
    else
        snprintf(text, size, "%s", name);
    return text;
}

int brio_device_available(brio_device device, const char **reason)
{
    static const char *const unavailable[] = {
        [BRIO_DEVICE_AUTO] = NULL,
        [BRIO_DEVICE_CPU] = NULL,
        [BRIO_DEVICE_CUDA] = "this build of Brio has no cuda backend",
        [BRIO_DEVICE_EMU] = "this build of Brio has no emu backend",
    };
    const char *why =
        device.kind <= BRIO_DEVICE_EMU ? unavailable[device.kind] : "there is no such kind of device";
    if (reason != NULL && why != NULL)
        *reason = why;
    return why == NULL;
}
