/* The backends of this build. */
#include "backend/backend.h"

const brio_backend *brio_backend_for(brio_device device)
{
    return device.kind == BRIO_DEVICE_CPU || device.kind == BRIO_DEVICE_AUTO ? &brio_backend_cpu : NULL;
}
