/* Settings, counters, and who asked for the originals. */
#include "interpose.h"

/* The gates: below them an operation has nothing to gain. Measured on the machines the tests run on;
 * BRIO_GATE=0 sets them all to the least. */
accel_settings accel_config = {
    .min_count = 4096,
    .single_bytes = 128 << 10,
    .light_bytes = 32 << 20,
    .chain_bytes = 512 << 10,
    .region_bytes = 64 << 10,
    .reduce_bytes = 256 << 10,
    .select_bytes = 4 << 20,
    .sort_count = 64 << 10,
    .threads_bytes = 128 << 10,
    .fuse = 1,
    .scope = 'a',
};

int accel_attached, accel_originals;
accel_counters accel_count;

/* How often this thread asked for the originals without giving up yet. */
static _Thread_local int originals_here;

int accel_wants_original(void)
{
    return originals_here > 0;
}

void accel_original_enter(void)
{
    originals_here++;
    accel_originals++;
}

void accel_original_leave(void)
{
    if (originals_here > 0) {
        originals_here--;
        accel_originals--;
    }
}

static const char *const reason_names[] = {
#define ACCEL_REASON_NAME(name) #name,
    ACCEL_REASONS(ACCEL_REASON_NAME)
#undef ACCEL_REASON_NAME
};

/* What somebody asked for, or what has nothing to gain, is no failure. */
static int is_expected(accel_reason reason)
{
    return reason == ACCEL_too_small || reason == ACCEL_predicted_slower || reason == ACCEL_not_user_code ||
           reason == ACCEL_excluded || reason == ACCEL_disabled || reason == ACCEL_foreign_patch;
}

int accel_declined(accel_reason reason)
{
    accel_count.declined[reason]++;
    if (!accel_config.strict || is_expected(reason))
        return 0;
    PyErr_Format(PyExc_RuntimeError, "brio --strict: an operation was left to NumPy: %s",
                 reason_names[reason]);
    return -1;
}

static int put(PyObject *dict, const char *name, PyObject *value)
{
    int failed = !value || PyDict_SetItemString(dict, name, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static PyObject *declined_dict(void)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < ACCEL_REASON_COUNT; i++)
        if (accel_count.declined[i] &&
            put(dict, reason_names[i], PyLong_FromUnsignedLongLong(accel_count.declined[i])) < 0)
            Py_CLEAR(dict);
    return dict;
}

PyObject *accel_counters_dict(void)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"evaluated", accel_count.evaluated},   {"operations", accel_count.operations},
        {"fused", accel_count.fused},           {"reductions", accel_count.reductions},
        {"sorts", accel_count.sorts},           {"replays", accel_count.replays},
        {"gave_flags", accel_count.gave_flags}, {"verified", accel_count.verified},
        {"mismatches", accel_count.mismatches}, {"pending", (uint64_t)accel_pending},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof numbers / sizeof *numbers; i++)
        if (put(dict, numbers[i].name, PyLong_FromUnsignedLongLong(numbers[i].value)) < 0)
            Py_CLEAR(dict);
    if (dict && (put(dict, "seconds", PyFloat_FromDouble(accel_count.seconds)) < 0 ||
                 put(dict, "declined", declined_dict()) < 0))
        Py_CLEAR(dict);
    return dict;
}

int accel_is_large_grid(const PyArrayObject_fields *array)
{
    npy_intp count = 1;
    for (int i = 0; i < array->nd; i++)
        count *= array->dimensions[i];
    return count >= accel_config.min_count ||
           (count >= ACCEL_BROADCAST_COUNT &&
            (array->dimensions[array->nd - 1] == 1 || array->dimensions[0] == 1));
}

/* ---- Worth ------------------------------------------------------------------------------------------------
 */

npy_intp accel_lone_gate(const accel_op *op)
{
    if (!op->light)
        return accel_config.single_bytes;
    return accel_config.light_bytes == 0 || brio_threads() > 1 ? accel_config.light_bytes : NPY_MAX_INTP;
}

int accel_region_is_worth(int steps, int heavy, npy_intp bytes)
{
    if (heavy > 0)
        return bytes >= accel_config.region_bytes || accel_config.region_bytes == 0;
    return bytes >= (steps > 2 ? accel_config.chain_bytes / 2 : accel_config.chain_bytes);
}
