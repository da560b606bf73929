/* Functions made of methods: sum(a, axis=1) is a.sum(axis=1) of whatever `a` is. */
#include "core.h"
#include <stddef.h>

typedef PyObject *(*fast_method)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

typedef struct function_object {
    PyObject_HEAD vectorcallfunc vectorcall;
    const char *name;
    const PyMethodDef *method;
} function_object;

typedef struct function_row {
    const char *name;
    const char *method;
} function_row;

static const function_row rows[] = {
    {"sum", "sum"},
    {"prod", "prod"},
    {"max", "max"},
    {"min", "min"},
    {"amax", "max"},
    {"amin", "min"},
    {"all", "all"},
    {"any", "any"},
    {"mean", "mean"},
    {"var", "var"},
    {"std", "std"},
    {"argmax", "argmax"},
    {"argmin", "argmin"},
    {"cumsum", "cumsum"},
    {"cumprod", "cumprod"},
    {"count_nonzero", "_count_nonzero"},
    {"cumulative_sum", "_cumulative_sum"},
    {"cumulative_prod", "_cumulative_prod"},
    {"sort", "_sorted"},
    {"argsort", "argsort"},
    {"nonzero", "nonzero"},
    {"take", "take"},
    {"repeat", "repeat"},
    {"reshape", "reshape"},
    {"ravel", "ravel"},
    {"transpose", "transpose"},
    {"permute_dims", "transpose"},
    {"swapaxes", "swapaxes"},
    {"squeeze", "squeeze"},
    {"diagonal", "diagonal"},
    {"copy", "copy"},
    {"astype", "astype"},
};

/* The names under which NumPy and the array API take the array. */
static const char *const array_names[] = {"a", "x", "arr", "array"};

static PyObject *call_method(const function_object *self, PyObject *array, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *owned = core_is_array(array) ? Py_NewRef(array) : core_borrow(array);
    if (!owned)
        return NULL;
    PyObject *result;
    if (self->method->ml_flags & METH_NOARGS) {
        result = NULL;
        if (nargs || (kwnames && PyTuple_GET_SIZE(kwnames)))
            PyErr_Format(PyExc_TypeError, "%s() takes one argument", self->name);
        else
            result = self->method->ml_meth(owned, NULL);
    } else {
        result = ((fast_method)(void (*)(void))self->method->ml_meth)(owned, args, nargs, kwnames);
    }
    Py_DECREF(owned);
    return result;
}

/* The array was given by name: take it out of the keywords. */
static PyObject *call_by_name(const function_object *self, PyObject *const *args, PyObject *kwnames)
{
    Py_ssize_t n = kwnames ? PyTuple_GET_SIZE(kwnames) : 0, at = -1;
    for (Py_ssize_t i = 0; at < 0 && i < n; i++) {
        for (size_t j = 0; j < sizeof array_names / sizeof *array_names; j++) {
            if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), array_names[j]) == 0)
                at = i;
        }
    }
    if (at < 0) {
        PyErr_Format(PyExc_TypeError, "%s() missing required argument 'a' (pos 1)", self->name);
        return NULL;
    }
    PyObject *names = PyTuple_New(n - 1);
    PyObject **values = PyMem_Calloc((size_t)n, sizeof *values);
    PyObject *result = NULL;
    if (names && values) {
        for (Py_ssize_t i = 0, to = 0; i < n; i++) {
            if (i == at)
                continue;
            values[to] = args[i];
            PyTuple_SET_ITEM(names, to++, Py_NewRef(PyTuple_GET_ITEM(kwnames, i)));
        }
        result = call_method(self, args[at], values, 0, names);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    Py_XDECREF(names);
    PyMem_Free(values);
    return result;
}

static PyObject *function_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                                     PyObject *kwnames)
{
    const function_object *self = (function_object *)callable;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    return nargs ? call_method(self, args[0], args + 1, nargs - 1, kwnames)
                 : call_by_name(self, args, kwnames);
}

static PyObject *get_name(PyObject *self, void *closure)
{
    return PyUnicode_FromString(((function_object *)self)->name);
}

static PyObject *get_doc(PyObject *self, void *closure)
{
    const char *doc = ((function_object *)self)->method->ml_doc;
    return PyUnicode_FromString(doc ? doc : "");
}

static PyObject *function_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<function brio.%s>", ((function_object *)self)->name);
}

static PyObject *function_reduce(PyObject *self, PyObject *unused)
{
    return PyUnicode_FromString(((function_object *)self)->name);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(function_object, vectorcall), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_call, PyVectorcall_Call}, {Py_tp_repr, function_repr}, {Py_tp_members, members},
    {Py_tp_getset, attributes},      {Py_tp_methods, methods},    {0, NULL},
};

static PyType_Spec spec = {
    "brio.function", (int)sizeof(function_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

static const PyMethodDef *find_method(const char *name)
{
    const PyMethodDef *const tables[] = {core_shape_methods, core_convert_methods, core_reduction_methods,
                                         core_order_methods};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const PyMethodDef *method = tables[i]; method->ml_name; method++) {
            if (strcmp(method->ml_name, name) == 0)
                return method;
        }
    }
    return NULL;
}

int core_function_init(PyObject *module)
{
    core.function_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!core.function_type || PyModule_AddObjectRef(module, "function", (PyObject *)core.function_type) < 0)
        return -1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        function_object *function = PyObject_New(function_object, core.function_type);
        if (!function)
            return -1;
        function->vectorcall = function_vectorcall;
        function->name = rows[i].name;
        function->method = find_method(rows[i].method);
        int failed =
            function->method ? PyModule_AddObjectRef(module, rows[i].name, (PyObject *)function) : -1;
        if (!function->method)
            PyErr_Format(PyExc_SystemError, "there is no method %s", rows[i].method);
        Py_DECREF(function);
        if (failed < 0)
            return -1;
    }
    return 0;
}
