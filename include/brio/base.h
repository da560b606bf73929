/* Linkage and attributes shared by every public header. */
#ifndef BRIO_BASE_H
#define BRIO_BASE_H

#include <stddef.h>
#include <stdint.h>

#define BRIO_VERSION_MAJOR 0
#define BRIO_VERSION_MINOR 1
#define BRIO_VERSION_PATCH 0
#define BRIO_VERSION_STRING "0.1.0"

/** Array dimensions at most. */
#define BRIO_MAX_DIMS 64

#if defined(BRIO_STATIC)
#define BRIO_EXPORT
#else
#define BRIO_EXPORT __attribute__((visibility("default")))
#endif
#define BRIO_MUST_CHECK __attribute__((warn_unused_result))

#ifdef __cplusplus
#define BRIO_BEGIN_DECLS extern "C" {
#define BRIO_END_DECLS }
#else
#define BRIO_BEGIN_DECLS
#define BRIO_END_DECLS
#endif

BRIO_BEGIN_DECLS

/** The version of the library that runs, e.g. "0.1.0". Static; never free it. */
BRIO_EXPORT const char *brio_version(void);

BRIO_END_DECLS
#endif
