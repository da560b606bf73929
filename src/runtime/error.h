/* How a failure is reported inside the library. */
#ifndef BRIO_RUNTIME_ERROR_H
#define BRIO_RUNTIME_ERROR_H

#include <brio/status.h>

/* Sets this thread's sentence and returns `status`: `return brio_fail(BRIO_E_VALUE, "...", x);` */
brio_status brio_fail(brio_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__ /* which sees the declaration alone: a failure is never BRIO_OK */
#define brio_fail(status, ...) ((void)brio_fail(status, __VA_ARGS__), (status))
#endif

/* Returns early with the status of a call that failed; its sentence stands. */
#define BRIO_TRY(call)                                                                                       \
    do {                                                                                                     \
        brio_status brio_try_status = (call);                                                                \
        if (brio_try_status != BRIO_OK)                                                                      \
            return brio_try_status;                                                                          \
    } while (0)

#endif
