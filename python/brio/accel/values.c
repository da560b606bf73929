/* Which values may lie between the operations of a fused region: those whose operators, calls and
 * indexing run no code but NumPy's and the interpreter's. */
#include "sites.h"

#include <string.h>

enum { WHAT_PLAIN, WHAT_ARRAY, WHAT_INDEX, WHAT_HARMLESS, WHAT_TAKES, WHAT_SHAPE };

static int is_numeric_array(PyObject *value)
{
    if (!accel_is_array(value))
        return 0;
    int type_num = PyArray_TYPE((PyArrayObject *)value);
    return PyTypeNum_ISNUMBER(type_num) || PyTypeNum_ISBOOL(type_num);
}

static int is_number(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyComplex_Type)
        return 1;
    return !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
           (PyArray_IsScalar(value, Number) || PyArray_IsScalar(value, Bool));
}

/* NumPy's own scalar types, dtypes, None and strings: arguments that are only looked at. */
static int is_inert(PyObject *value)
{
    if (value == Py_None || PyUnicode_CheckExact(value) || PyArray_DescrCheck(value))
        return 1;
    if (PyType_Check(value))
        return !(((PyTypeObject *)value)->tp_flags & Py_TPFLAGS_HEAPTYPE);
    return 0;
}

static int is_index(PyObject *value)
{
    if (PyLong_CheckExact(value) || value == Py_None || value == Py_Ellipsis)
        return 1;
    if (PySlice_Check(value)) {
        const PySliceObject *slice = (const PySliceObject *)value;
        return is_index(slice->start) && is_index(slice->stop) && is_index(slice->step);
    }
    if (PyTuple_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++)
            if (!is_index(PyTuple_GET_ITEM(value, i)))
                return 0;
        return 1;
    }
    return accel_is_array(value) ? is_numeric_array(value) : is_number(value);
}

static int is_plain(PyObject *value)
{
    if (accel_is_array(value))
        return is_numeric_array(value);
    if (Py_TYPE(value) == &accel_node_type || is_number(value) || is_inert(value))
        return 1;
    return PyTuple_CheckExact(value) && is_index(value);
}

/* ---- Functions ---------------------------------------------------------------------------------- */

static const char *const takers[] = {"sum", "mean", "max",  "min",   "amax",    "amin",
                                     "any", "all",  "prod", "where", "maximum", "minimum"};
/* Functions that only read plain arguments and run none but NumPy's own code. */
static const char *const readers[] = {
    "zeros",      "ones",     "empty",  "full",       "arange", "linspace",  "zeros_like",    "ones_like",
    "empty_like", "mean",     "std",    "var",        "median", "dot",       "sum",           "max",
    "min",        "argmax",   "argmin", "cumsum",     "diff",   "transpose", "ravel",         "reshape",
    "clip",       "round",    "any",    "all",        "prod",   "outer",     "count_nonzero", "array",
    "asarray",    "meshgrid", "roll",   "percentile", "sort"};
static const char *const methods[] = {"sum",       "mean",    "std",     "var",    "max",     "min",
                                      "any",       "all",     "prod",    "copy",   "reshape", "ravel",
                                      "astype",    "round",   "dot",     "cumsum", "argmax",  "argmin",
                                      "transpose", "squeeze", "flatten", "clip",   "item"};

#define MAX_FUNCTIONS 80
static PyObject *taking[MAX_FUNCTIONS], *reading[MAX_FUNCTIONS];
static int ntaking, nreading;

static void add(PyObject *numpy, const char *name, PyObject **to, int *n)
{
    PyObject *function = PyObject_GetAttrString(numpy, name);
    if (function)
        to[(*n)++] = function; /* kept for good */
    else
        PyErr_Clear();
}

static void add_builtin(const char *name, PyObject **to, int *n)
{
    PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), name);
    if (function)
        to[(*n)++] = Py_NewRef(function);
}

int accel_values_load(PyObject *numpy)
{
    if (ntaking)
        return 0;
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        add(numpy, takers[i], taking, &ntaking);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        add(numpy, readers[i], reading, &nreading);
    add_builtin("abs", taking, &ntaking);
    add_builtin("len", reading, &nreading);
    add_builtin("float", reading, &nreading);
    add_builtin("int", reading, &nreading);
    return 0;
}

static int is_among(PyObject *value, PyObject *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return 1;
    return 0;
}

int accel_takes_nodes(PyObject *object)
{
    if (Py_TYPE(object) == &PyUFunc_Type)
        return accel_op_by_ufunc(object) != NULL;
    return is_among(object, taking, ntaking);
}

static int is_harmless(PyObject *value)
{
    if (Py_TYPE(value) == &PyUFunc_Type || accel_takes_nodes(value) || is_among(value, reading, nreading))
        return 1;
    return PyType_Check(value) && PyType_IsSubtype((PyTypeObject *)value, &PyGenericArrType_Type) &&
           is_inert(value);
}

int accel_value_is(int what, PyObject *value)
{
    if (!value)
        return 0;
    switch (what) {
    case WHAT_PLAIN:
        return is_plain(value);
    case WHAT_ARRAY:
        return is_numeric_array(value);
    case WHAT_INDEX:
        return is_index(value);
    case WHAT_HARMLESS:
        return is_harmless(value);
    case WHAT_TAKES:
        return accel_takes_nodes(value);
    case WHAT_SHAPE:
        return accel_is_array(value) || PyTuple_CheckExact(value);
    default:
        return 0;
    }
}

int accel_array_attribute_is(int what, PyObject *array, PyObject *name)
{
    if (!is_numeric_array(array))
        return 0;
    if (what == WHAT_HARMLESS) {
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            if (PyUnicode_CompareWithASCIIString(name, methods[i]) == 0)
                return 1;
        return 0;
    }
    if (what == WHAT_PLAIN)
        return PyUnicode_CompareWithASCIIString(name, "T") == 0 ||
               PyUnicode_CompareWithASCIIString(name, "size") == 0 ||
               PyUnicode_CompareWithASCIIString(name, "ndim") == 0;
    return what == WHAT_ARRAY && PyUnicode_CompareWithASCIIString(name, "T") == 0;
}
