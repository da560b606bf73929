/* Functions that ask and set what holds for the whole process. */
#include "core.h"

static PyObject *threads(PyObject *module, PyObject *unused)
{
    return PyLong_FromLong(brio_threads());
}

static PyObject *set_threads(PyObject *module, PyObject *number)
{
    long n = PyLong_AsLong(number);
    if (n == -1 && PyErr_Occurred())
        return NULL;
    core_enter();
    brio_status status = brio_set_threads(n < INT32_MIN || n > INT32_MAX ? -1 : (int)n);
    if (status != BRIO_OK)
        return core_error(status);
    Py_RETURN_NONE;
}

static PyObject *lazy(PyObject *module, PyObject *unused)
{
    return PyBool_FromLong(brio_lazy());
}

static PyObject *set_lazy(PyObject *module, PyObject *flag)
{
    int truth = PyObject_IsTrue(flag);
    if (truth < 0)
        return NULL;
    brio_set_lazy(truth);
    Py_RETURN_NONE;
}

static PyObject *set_strict_fp(PyObject *module, PyObject *flag)
{
    int truth = PyObject_IsTrue(flag);
    if (truth < 0)
        return NULL;
    core.strict_fp = truth;
    Py_RETURN_NONE;
}

static PyObject *cpu_level(PyObject *module, PyObject *unused)
{
    return PyUnicode_FromString(brio_cpu_level());
}

static PyObject *version(PyObject *module, PyObject *unused)
{
    return PyUnicode_FromString(brio_version());
}

static PyObject *config_warnings(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    const char *text;
    for (int i = 0; list && (text = brio_config_warning(i)) != NULL; i++) {
        PyObject *one = PyUnicode_FromString(text);
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *default_device(PyObject *module, PyObject *unused)
{
    char text[32];
    return PyUnicode_FromString(brio_device_format(brio_default_device(), text, sizeof text));
}

static PyObject *set_default_device(PyObject *module, PyObject *object)
{
    const char *text = PyUnicode_AsUTF8(object);
    brio_device device;
    if (!text)
        return NULL;
    brio_status status = brio_device_parse(text, &device);
    if (status == BRIO_OK)
        status = brio_set_default_device(device);
    if (status != BRIO_OK)
        return core_error(status);
    Py_RETURN_NONE;
}

/* None when the device can be used, else why not. */
static PyObject *device_refusal(PyObject *module, PyObject *object)
{
    const char *text = PyUnicode_AsUTF8(object), *reason = NULL;
    brio_device device;
    if (!text)
        return NULL;
    brio_status status = brio_device_parse(text, &device);
    if (status != BRIO_OK)
        return core_error(status);
    if (brio_device_available(device, &reason))
        Py_RETURN_NONE;
    return PyUnicode_FromString(reason ? reason : "it is not there");
}

static PyObject *memory_stats(PyObject *module, PyObject *unused)
{
    brio_memory_stats stats = BRIO_MEMORY_STATS_INIT;
    brio_status status = brio_memory_get_stats(&stats);
    if (status != BRIO_OK)
        return core_error(status);
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K}", "in_use", (unsigned long long)stats.in_use, "peak",
                         (unsigned long long)stats.peak, "cached", (unsigned long long)stats.cached, "limit",
                         (unsigned long long)stats.limit, "allocations",
                         (unsigned long long)stats.allocations, "cache_hits",
                         (unsigned long long)stats.cache_hits);
}

static PyObject *memory_trim(PyObject *module, PyObject *unused)
{
    return PyLong_FromUnsignedLongLong(brio_memory_trim());
}

static PyObject *set_memory_limit(PyObject *module, PyObject *number)
{
    unsigned long long bytes = number == Py_None ? 0 : PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred())
        return NULL;
    brio_memory_set_limit(bytes);
    Py_RETURN_NONE;
}

PyMethodDef core_setting_functions[] = {
    {"threads", threads, METH_NOARGS, "threads()\n--\n\nHow many threads one operation may use."},
    {"set_threads", set_threads, METH_O, "set_threads(n)\n--\n\nSets the number of threads; 0: the default."},
    {"lazy", lazy, METH_NOARGS, "Whether large expressions may be evaluated late."},
    {"set_lazy", set_lazy, METH_O, "Sets whether large expressions may be evaluated late."},
    {"set_strict_fp", set_strict_fp, METH_O, NULL},
    {"cpu_level", cpu_level, METH_NOARGS, "The processor level whose kernels run."},
    {"version", version, METH_NOARGS, "The version of the library."},
    {"config_warnings", config_warnings, METH_NOARGS, "Complaints about environment variables."},
    {"default_device", default_device, METH_NOARGS, "Where new work goes."},
    {"set_default_device", set_default_device, METH_O, "Sets where new work goes."},
    {"device_refusal", device_refusal, METH_O, "Why a device cannot be used, or None."},
    {"memory_stats", memory_stats, METH_NOARGS, "What the host memory pool holds."},
    {"memory_trim", memory_trim, METH_NOARGS, "Returns cached memory to the system."},
    {"set_memory_limit", set_memory_limit, METH_O, "Sets the limit on memory in use, in bytes."},
    {NULL, NULL, 0, NULL},
};
