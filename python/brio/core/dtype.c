/* Dtypes between Python and the library. The objects come from brio._dtypes (NumPy's own where NumPy
 * is installed), which is imported when a dtype is first shown to Python, not before. */
#include "core.h"

typedef struct format_row {
    const char *format; /* of the struct module and of NumPy's exports */
    brio_dtype dtype;
} format_row;

static const format_row formats[] = {
    {"?", BRIO_BOOL}, {"b", BRIO_I8},    {"h", BRIO_I16}, {"i", BRIO_I32}, {"l", BRIO_I64}, {"B", BRIO_U8},
    {"H", BRIO_U16},  {"I", BRIO_U32},   {"L", BRIO_U64}, {"e", BRIO_F16}, {"f", BRIO_F32}, {"d", BRIO_F64},
    {"Zf", BRIO_C64}, {"Zd", BRIO_C128}, {"q", BRIO_I64}, {"Q", BRIO_U64}, {"n", BRIO_I64}, {"N", BRIO_U64},
};

const char *core_dtype_format(brio_dtype dtype)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].dtype == dtype)
            return formats[i].format;
    }
    return "B";
}

int core_dtype_of_format(const char *format, Py_ssize_t itemsize, int *swapped)
{
    *swapped = 0;
    if (!format)
        return itemsize == 1 ? (int)BRIO_U8 : -1;
    if (*format && strchr("@=<>!", *format)) {
        *swapped = (*format == '>' || *format == '!') && itemsize > 1;
        format++;
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(format, formats[i].format) != 0)
            continue;
        brio_dtype dtype = formats[i].dtype;
        if ((Py_ssize_t)brio_dtype_size(dtype) == itemsize)
            return (int)dtype;
        /* standard sizes of "<l" and the like: the width decides */
        char kind = brio_dtype_kind(dtype);
        for (int d = 0; d < BRIO_DTYPE_COUNT; d++) {
            if (brio_dtype_kind((brio_dtype)d) == kind &&
                (Py_ssize_t)brio_dtype_size((brio_dtype)d) == itemsize)
                return d;
        }
    }
    return -1;
}

static int load_dtypes(void)
{
    PyObject *module = PyImport_ImportModule("brio._dtypes");
    if (!module)
        return -1;
    PyObject *list = PyObject_GetAttrString(module, "DTYPES");
    Py_DECREF(module);
    if (!list)
        return -1;
    if (!PyTuple_Check(list) || PyTuple_GET_SIZE(list) != BRIO_DTYPE_COUNT) {
        Py_DECREF(list);
        PyErr_SetString(PyExc_SystemError, "brio._dtypes.DTYPES does not name the dtypes of the library");
        return -1;
    }
    for (int i = 0; i < BRIO_DTYPE_COUNT; i++)
        Py_XSETREF(core.dtypes[i], Py_NewRef(PyTuple_GET_ITEM(list, i)));
    Py_DECREF(list);
    return 0;
}

PyObject *core_dtype_object(brio_dtype dtype)
{
    if (!core.dtypes[dtype] && load_dtypes() < 0)
        return NULL;
    return core.dtypes[dtype];
}

/* Asks brio._dtypes.code, which knows every spelling that NumPy knows. */
static int look_up(PyObject *object, brio_dtype *out)
{
    PyObject *module = PyImport_ImportModule("brio._dtypes");
    if (!module)
        return -1;
    PyObject *code = PyObject_CallMethod(module, "code", "O", object);
    Py_DECREF(module);
    if (!code)
        return -1;
    long number = PyLong_AsLong(code);
    Py_DECREF(code);
    if (number < 0 || number >= BRIO_DTYPE_COUNT) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_SystemError, "brio._dtypes.code names no dtype");
        return -1;
    }
    *out = (brio_dtype)number;
    return 0;
}

int core_dtype(PyObject *object, brio_dtype *out)
{
    if (object == (PyObject *)&PyFloat_Type || object == (PyObject *)&PyLong_Type ||
        object == (PyObject *)&PyBool_Type || object == (PyObject *)&PyComplex_Type) {
        *out = object == (PyObject *)&PyFloat_Type  ? BRIO_F64
               : object == (PyObject *)&PyLong_Type ? BRIO_I64
               : object == (PyObject *)&PyBool_Type ? BRIO_BOOL
                                                    : BRIO_C128;
        return 0;
    }
    if (core.dtypes[0]) {
        for (int i = 0; i < BRIO_DTYPE_COUNT; i++) {
            if (core.dtypes[i] == object) {
                *out = (brio_dtype)i;
                return 0;
            }
        }
    }
    int hashable = PyUnicode_CheckExact(object) || PyType_Check(object);
    PyObject *known = hashable ? PyDict_GetItemWithError(core.dtype_cache, object) : NULL;
    if (known) {
        *out = (brio_dtype)PyLong_AsLong(known);
        return 0;
    }
    if (PyErr_Occurred() || look_up(object, out) < 0)
        return -1;
    if (!hashable)
        return 0;
    PyObject *code = PyLong_FromLong((long)*out);
    int failed = !code || PyDict_SetItem(core.dtype_cache, object, code) < 0;
    Py_XDECREF(code);
    return failed ? -1 : 0;
}
