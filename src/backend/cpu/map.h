/* The map primitive of the cpu. */
#ifndef BRIO_CPU_MAP_H
#define BRIO_CPU_MAP_H

#include "backend/backend.h"

brio_status brio_cpu_map(const brio_map_args *args);

#endif
