/* Mechanism M2: the vectorcall fields of ufunc objects and of NumPy's dispatched functions. */
#include "interpose.h"

#include <string.h>

static vectorcallfunc original_ufunc, original_dispatcher;

/* A call with the nodes among its positional arguments settled. */
static PyObject *call_plain(vectorcallfunc original, PyObject *callee, PyObject *const *args, size_t nargsf,
                            PyObject *kwnames)
{
    enum { MOST = 16 };
    Py_ssize_t n = PyVectorcall_NARGS(nargsf), total = n + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject *plain[MOST];
    PyObject *result = NULL;
    Py_ssize_t ready = 0;
    if (accel_pending && accel_settle_pending() < 0)
        return NULL;
    if (total > MOST)
        return original(callee, args, nargsf, kwnames);
    while (ready < total && (plain[ready] = accel_plain(args[ready])))
        ready++;
    if (ready == total)
        result = original(callee, plain, (size_t)n, kwnames);
    while (ready > 0)
        Py_DECREF(plain[--ready]);
    return result;
}

static int has_node(PyObject *const *args, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        if (Py_TYPE(args[i]) == &accel_node_type)
            return 1;
    return 0;
}

/* ufunc(..., out=array), positional or by keyword: the array, or NULL when the call has another form. */
static PyObject *only_out(const accel_op *op, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    if (!kwnames)
        return n == op->nin + 1 ? args[op->nin] : NULL;
    if (n != op->nin || PyTuple_GET_SIZE(kwnames) != 1 ||
        PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "out") != 0)
        return NULL;
    PyObject *out = args[n];
    return PyTuple_CheckExact(out) && PyTuple_GET_SIZE(out) == 1 ? PyTuple_GET_ITEM(out, 0) : out;
}

static PyObject *large_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    accel_op *op = accel_op_by_ufunc(self);
    if (!op)
        return call_plain(original_ufunc, self, args, nargsf, kwnames);
    PyObject *out = only_out(op, args, n, kwnames);
    if (n == op->nin &&
        (!kwnames || out == Py_None || out == Py_Ellipsis)) { /* out=...: an array in any case */
        accel_original original = {.form = ACCEL_UFUNC, .as.call = original_ufunc, .callee = self};
        return accel_elementwise(op, &original, args, (int)n, args);
    }
    if (out && n == 3 && out == args[0] && Py_TYPE(args[1]) == &accel_node_type) {
        PyObject *result = accel_inplace_operator(op, out, args[1]);
        if (result || PyErr_Occurred())
            return result;
    }
    int off = accel_reason_off();
    accel_reason reason = off >= 0 ? (accel_reason)off : ACCEL_unsupported_argument;
    if (off < 0 && out && accel_is_array(out)) {
        PyObject *result = accel_into(op, args, out, &reason);
        if (result || PyErr_Occurred())
            return result;
    }
    if (accel_declined(reason) < 0)
        return NULL;
    if (!accel_pending)
        return original_ufunc(self, args, nargsf, kwnames);
    return has_node(args, n) ? call_plain(original_ufunc, self, args, nargsf, kwnames)
                             : accel_quiet_vectorcall(original_ufunc, self, args, nargsf, kwnames);
}

/* What is left when the quick questions are answered. Not inlined, so that the quick way needs no stack. */
static __attribute__((noinline)) PyObject *slow_call(PyObject *self, PyObject *const *args, size_t nargsf,
                                                     PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    for (Py_ssize_t i = 0; i < n && i < 3; i++)
        if (accel_is_large(args[i]))
            return large_call(self, args, nargsf, kwnames);
    if (accel_pending)
        return accel_quiet_vectorcall(original_ufunc, self, args, nargsf, kwnames);
    return original_ufunc(self, args, nargsf, kwnames);
}

static PyObject *call_ufunc(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    if (__builtin_expect(
            accel_pending != 0 || n < 1 || accel_may_be_large(args[0]) ||
                (n > 1 && (accel_may_be_large(args[1]) || (n > 2 && accel_may_be_large(args[2])))),
            0))
        return slow_call(self, args, nargsf, kwnames);
    return original_ufunc(self, args, nargsf, kwnames);
}

/* ---- Dispatched functions ------------------------------------------------------------------------- */

#define MAX_DISPATCHERS 24
static struct {
    PyObject *function;
    const char *name;
} dispatchers[MAX_DISPATCHERS];
static int ndispatchers;
static PyObject *where_function;
static accel_op *where_op;

static const char *const dispatched[] = {"sum", "mean", "max",  "min",   "amax", "amin",
                                         "any", "all",  "prod", "where", NULL};

static const char *name_of(PyObject *function)
{
    for (int i = 0; i < ndispatchers; i++)
        if (dispatchers[i].function == function)
            return dispatchers[i].name;
    return "";
}

static PyObject *large_where(PyObject *self, PyObject *const *args)
{
    accel_original original = {.form = ACCEL_WHERE, .as.call = original_dispatcher, .callee = self};
    return accel_elementwise(where_op, &original, args, 3, args);
}

static __attribute__((noinline)) PyObject *slow_dispatch(PyObject *self, PyObject *const *args, size_t nargsf,
                                                         PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    if (n == 3 && self == where_function && !kwnames &&
        (accel_is_large(args[0]) || accel_is_large(args[1]) || accel_is_large(args[2])))
        return large_where(self, args);
    if (n > 0 && Py_TYPE(args[0]) == &accel_node_type) {
        PyObject *result =
            accel_fuse_reduction(name_of(self), (accel_node *)args[0], args + 1, n - 1, kwnames);
        if (result || PyErr_Occurred())
            return result;
    } else if (accel_pending == 0) {
        return original_dispatcher(self, args, nargsf, kwnames);
    }
    return call_plain(original_dispatcher, self, args, nargsf, kwnames);
}

static PyObject *call_dispatcher(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    int is_odd = accel_pending != 0 || self == where_function ||
                 (PyVectorcall_NARGS(nargsf) > 0 && Py_TYPE(args[0]) == &accel_node_type);
    if (__builtin_expect(is_odd, 0))
        return slow_dispatch(self, args, nargsf, kwnames);
    return original_dispatcher(self, args, nargsf, kwnames);
}

/* ---- Attaching -------------------------------------------------------------------------------------- */

static vectorcallfunc *field_of(PyObject *object)
{
    Py_ssize_t offset = Py_TYPE(object)->tp_vectorcall_offset;
    return offset > 0 ? (vectorcallfunc *)((char *)object + offset) : NULL;
}

static int attach_ufunc(accel_op *op)
{
    vectorcallfunc *field = op->ufunc ? field_of((PyObject *)op->ufunc) : NULL;
    if (!field || !*field)
        return 0;
    if (!original_ufunc)
        original_ufunc = *field;
    return *field == original_ufunc ? accel_patch_set((void **)field, (void *)call_ufunc) : 0;
}

static int attach_dispatcher(PyObject *numpy, const char *name)
{
    PyObject *function = PyObject_GetAttrString(numpy, name);
    if (!function) {
        PyErr_Clear();
        return 0;
    }
    vectorcallfunc *field = field_of(function);
    if (strcmp(Py_TYPE(function)->tp_name, "numpy._ArrayFunctionDispatcher") != 0 || !field || !*field ||
        *field == call_dispatcher) {
        Py_DECREF(function);
        return 0;
    }
    if (!original_dispatcher)
        original_dispatcher = *field;
    if (*field != original_dispatcher) {
        Py_DECREF(function);
        return 0;
    }
    if (*name_of(function)) {
        Py_DECREF(function);
    } else if (ndispatchers < MAX_DISPATCHERS) {
        dispatchers[ndispatchers].function = function; /* kept for good */
        dispatchers[ndispatchers++].name = name;
    } else {
        Py_DECREF(function);
        return 0;
    }
    if (strcmp(name, "where") == 0) {
        where_function = function;
        where_op = accel_op_by_name("where");
    }
    return accel_patch_set((void **)field, (void *)call_dispatcher);
}

int accel_ufuncs_attach(PyObject *numpy)
{
    for (int i = 0; i < accel_op_count; i++)
        if (attach_ufunc(&accel_ops[i]) < 0)
            return -1;
    for (const char *const *name = dispatched; *name; name++)
        if (attach_dispatcher(numpy, *name) < 0)
            return -1;
    return 0;
}
