/* Everything public, in reading order. */
#ifndef BRIO_H
#define BRIO_H

#include <brio/base.h>
#include <brio/status.h>
#include <brio/config.h>
#include <brio/memory.h>
#include <brio/parallel.h>
#include <brio/dtype.h>
#include <brio/device.h>
#include <brio/op.h>
#include <brio/array.h>

#endif
