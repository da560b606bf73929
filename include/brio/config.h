/* Process-wide settings. Each has an environment variable that is read once, at first use; a value
 * there that cannot be parsed is ignored, and named by brio_config_warning() where the setting is kept here.
 */
#ifndef BRIO_CONFIG_H
#define BRIO_CONFIG_H

#include <brio/device.h>

BRIO_BEGIN_DECLS

/** Threads that one operation may use: BRIO_THREADS, else OMP_NUM_THREADS, else the processors this
 * process may run on (affinity and cgroup quota). At least 1. */
BRIO_EXPORT int brio_threads(void);

/** Sets the number of threads; 0 returns to the default. BRIO_E_VALUE when negative or above 1024. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_set_threads(int threads);

/** The device new work goes to: BRIO_DEVICE (FORCE_CPU=1 means "cpu"), default auto. */
BRIO_EXPORT brio_device brio_default_device(void);

/** Sets it. BRIO_E_UNSUPPORTED with the reason when the device cannot be used. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_set_default_device(brio_device device);

/** Whether elementwise work on large arrays may be evaluated late (BRIO_LAZY, default 1); sets it. */
BRIO_EXPORT int brio_lazy(void);
BRIO_EXPORT void brio_set_lazy(int lazy);

/** The processor level whose kernels run: "x86-64-v2", "x86-64-v3", "x86-64-v4" or "portable".
 * BRIO_CPU_LEVEL=v2|v3|v4 may lower it, never raise it above what the processor has; other values have no
 * effect. Static. */
BRIO_EXPORT const char *brio_cpu_level(void);

/** Sets the OpenBLAS that matrix products are to use (a path for dlopen, e.g. that of NumPy's own copy);
 * BRIO_OPENBLAS goes before it, the system's comes after it. Without effect once one is in use.
 * BRIO_E_VALUE when `path` is NULL or has 1024 characters or more. */
BRIO_EXPORT BRIO_MUST_CHECK brio_status brio_set_blas_path(const char *path);

/** The OpenBLAS in use, or "none: " and why; a sentence that says so before the first product. Valid
 * until the next product or brio_set_blas_path. */
BRIO_EXPORT const char *brio_blas_info(void);

/** The n-th complaint about the environment (n from 0), or NULL when there are no more. Static. */
BRIO_EXPORT const char *brio_config_warning(int n);

BRIO_END_DECLS
#endif
