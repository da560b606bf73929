/* The status every fallible call returns, and the sentence that goes with a failure. */
#ifndef BRIO_STATUS_H
#define BRIO_STATUS_H

#include <brio/base.h>

BRIO_BEGIN_DECLS

/* name, code, what it means: the one list. Append only; a code is never reused. */
#define BRIO_STATUS_TABLE(X)                                                                                 \
    X(OK, 0, "success")                                                                                      \
    X(E_VALUE, 1, "an argument has a value that the operation does not take")                                \
    X(E_TYPE, 2, "an argument has a type or dtype that the operation does not take")                         \
    X(E_INDEX, 3, "an index is out of bounds")                                                               \
    X(E_AXIS, 4, "an axis is out of bounds")                                                                 \
    X(E_OVERFLOW, 5, "a number does not fit")                                                                \
    X(E_MEMORY, 6, "memory could not be had")                                                                \
    X(E_BUFFER, 7, "memory could not be shared in the form asked for")                                       \
    X(E_CASTING, 8, "a cast is not allowed by the casting rule in force")                                    \
    X(E_UNSUPPORTED, 9, "this build or device does not do that")                                             \
    X(E_DEVICE, 10, "a device or its driver failed")                                                         \
    X(E_IO, 11, "a file could not be read or written")                                                       \
    X(E_INTERRUPTED, 12, "the work was interrupted")                                                         \
    X(E_LINALG, 13, "a matrix does not allow the operation")                                                 \
    X(E_TOO_HARD, 14, "an exact answer would take too long")                                                 \
    X(E_INTERNAL, 15, "a defect in the library")

typedef enum brio_status {
#define BRIO_STATUS_ENUM(name, code, text) BRIO_##name = code,
    BRIO_STATUS_TABLE(BRIO_STATUS_ENUM)
#undef BRIO_STATUS_ENUM
} brio_status;

/** The status as it is spelled in C ("BRIO_E_VALUE"); "BRIO_E_?" for a code that is none. */
BRIO_EXPORT const char *brio_status_name(brio_status status);

/** What the status means in general, one clause without a full stop. */
BRIO_EXPORT const char *brio_status_text(brio_status status);

/**
 * A full sentence about the last failure on this thread, with the offending values.
 * Valid until the next Brio call on this thread; meaningful only directly after a call
 * that returned something other than BRIO_OK. Never NULL.
 */
BRIO_EXPORT const char *brio_last_error(void);

BRIO_END_DECLS
#endif
