/* What sites.c asks of values.c. */
#ifndef BRIO_ACCEL_SITES_H
#define BRIO_ACCEL_SITES_H

#include "interpose.h"

/* Whether a value is what a check (`what` of lookahead.py) asks for. */
int accel_value_is(int what, PyObject *value);

/* The same of an attribute of an exact ndarray, without reading it. */
int accel_array_attribute_is(int what, PyObject *array, PyObject *name);

int accel_values_load(PyObject *numpy);

#endif
