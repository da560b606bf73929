/* From a status of the library to the class of exception that NumPy raises, with the library's
 * sentence. Classes that NumPy owns are looked up when they are first needed. */
#include "core.h"

typedef struct error_class {
    brio_status status;
    const char *module; /* NULL: a builtin, given by its name */
    const char *name;
} error_class;

static const error_class classes[] = {
    {BRIO_E_VALUE, NULL, "ValueError"},
    {BRIO_E_TYPE, NULL, "TypeError"},
    {BRIO_E_INDEX, NULL, "IndexError"},
    {BRIO_E_AXIS, "brio.exceptions", "AxisError"},
    {BRIO_E_OVERFLOW, NULL, "OverflowError"},
    {BRIO_E_MEMORY, NULL, "MemoryError"},
    {BRIO_E_BUFFER, NULL, "BufferError"},
    {BRIO_E_CASTING, NULL, "TypeError"},
    {BRIO_E_UNSUPPORTED, NULL, "NotImplementedError"},
    {BRIO_E_DEVICE, NULL, "RuntimeError"},
    {BRIO_E_IO, NULL, "OSError"},
    {BRIO_E_INTERRUPTED, NULL, "KeyboardInterrupt"},
    {BRIO_E_LINALG, "brio.exceptions", "LinAlgError"},
    {BRIO_E_TOO_HARD, "brio.exceptions", "TooHardError"},
    {BRIO_E_INTERNAL, NULL, "SystemError"},
};

static PyObject *class_of(brio_status status)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (classes[i].status != status)
            continue;
        PyObject *module = PyImport_ImportModule(classes[i].module ? classes[i].module : "builtins");
        if (!module)
            return NULL;
        PyObject *found = PyObject_GetAttrString(module, classes[i].name);
        Py_DECREF(module);
        return found;
    }
    return Py_NewRef(PyExc_SystemError);
}

PyObject *core_error(brio_status status)
{
    PyObject *text =
        PyUnicode_DecodeUTF8(brio_last_error(), (Py_ssize_t)strlen(brio_last_error()), "replace");
    if (!text)
        return NULL;
    PyObject *type = class_of(status);
    if (type)
        PyErr_SetObject(type, text);
    Py_XDECREF(type);
    Py_DECREF(text);
    return NULL;
}

int core_fail(brio_status status)
{
    core_error(status);
    return -1;
}

PyObject *core_raise_axis(int axis, int ndim)
{
    PyObject *type = class_of(BRIO_E_AXIS);
    if (type)
        PyErr_Format(type, "axis %d is out of bounds for array of dimension %d", axis, ndim);
    Py_XDECREF(type);
    return NULL;
}
