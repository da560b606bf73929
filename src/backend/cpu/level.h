/* Names of what is compiled once for each processor level.
 *
 * The files in `cpu_level_sources` (meson.build) are compiled with -DBRIO_LEVEL=v2, v3, v4 (portable on
 * other processors) and the matching -march. Whatever they export carries the level in its name:
 * BRIO_LEVELED(brio_cpu_loops_f32) is brio_cpu_loops_f32_v3. Everything else in them is static. */
#ifndef BRIO_CPU_LEVEL_H
#define BRIO_CPU_LEVEL_H

#define BRIO_LEVEL_PASTE_(name, level) name##_##level
#define BRIO_LEVEL_PASTE(name, level) BRIO_LEVEL_PASTE_(name, level)
#define BRIO_LEVELED(name) BRIO_LEVEL_PASTE(name, BRIO_LEVEL)

#endif
