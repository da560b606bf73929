/* The extension module: attaching, detaching, settings, counters. */
#define BRIO_ACCEL_MODULE
#include "interpose.h"
#include "sites.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static int load_numpy(PyObject *numpy)
{
    if (PyArray_API == NULL && _import_array() < 0)
        return -1;
    if (PyUFunc_API == NULL && _import_umath() < 0)
        return -1;
    accel_operands_load();
    PyObject *umath = PyImport_ImportModule("numpy._core.umath");
    int failed = !umath || accel_errors_load(umath) < 0 || accel_ops_load(umath) < 0;
    Py_XDECREF(umath);
    if (failed || accel_values_load(numpy) < 0 || accel_operators_load() < 0)
        return -1;
    return accel_sites_load();
}

static PyObject *attach(PyObject *self, PyObject *numpy)
{
    if (accel_attached)
        Py_RETURN_FALSE;
    if (load_numpy(numpy) < 0)
        return NULL;
    if (accel_ufuncs_attach(numpy) < 0 || accel_reductions_attach(numpy) < 0 || accel_sorts_attach() < 0 ||
        accel_argsort_attach() < 0) {
        accel_detach_all();
        return NULL;
    }
    accel_attached = 1;
    Py_RETURN_TRUE;
}

/* Returns how many entries were left because somebody else had changed them. */
static PyObject *detach(PyObject *self, PyObject *unused)
{
    accel_attached = 0;
    return PyLong_FromLong(accel_detach_all());
}

/* Arrays of megabytes come and go with every statement. By default the C library gives such memory back
 * each time, and the system clears it anew for the next array, which can take longer than the operation.
 * What the user has set through the C library's own variables is left alone. The values, and why they are
 * not larger: docs/decisions/0004-kept-pages.md. */
static PyObject *keep_memory(PyObject *self, PyObject *unused)
{
#ifdef __GLIBC__
    enum { MIB = 1 << 20 };
    if (!getenv("MALLOC_TRIM_THRESHOLD_") && !getenv("MALLOC_MMAP_THRESHOLD_") && !getenv("GLIBC_TUNABLES")) {
        mallopt(M_MMAP_THRESHOLD, 32 * MIB);
        mallopt(M_TRIM_THRESHOLD, 64 * MIB);
    }
#endif
    Py_RETURN_NONE;
}

static PyObject *is_attached(PyObject *self, PyObject *unused)
{
    return PyBool_FromLong(accel_attached);
}

static PyObject *patches(PyObject *self, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    if (list && accel_patches(list) < 0)
        Py_CLEAR(list);
    return list;
}

static PyObject *counters(PyObject *self, PyObject *unused)
{
    return accel_counters_dict();
}

static PyObject *reset_counters(PyObject *self, PyObject *unused)
{
    memset(&accel_count, 0, sizeof accel_count);
    Py_RETURN_NONE;
}

static PyObject *configure(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"min_count",   "single_bytes", "region_bytes", "reduce_bytes", "sort_count",
                            "fuse",        "exact",        "scope",        "verify",       "light_bytes",
                            "chain_bytes", "select_bytes", "excludes",     "strict",       NULL};
    accel_settings now = accel_config;
    const char *scope = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, words, "|$nnnnniisdnnnii", names, &now.min_count,
                                     &now.single_bytes, &now.region_bytes, &now.reduce_bytes, &now.sort_count,
                                     &now.fuse, &now.exact, &scope, &now.verify, &now.light_bytes,
                                     &now.chain_bytes, &now.select_bytes, &now.excludes, &now.strict))
        return NULL;
    if (scope)
        now.scope = strcmp(scope, "all") == 0 ? 'l' : strcmp(scope, "user") == 0 ? 'u' : 'a';
    accel_config = now;
    Py_RETURN_NONE;
}

static PyObject *settings(PyObject *self, PyObject *unused)
{
    const char *scope = accel_config.scope == 'l' ? "all" : accel_config.scope == 'u' ? "user" : "auto";
    return Py_BuildValue(
        "{s:n,s:n,s:n,s:n,s:n,s:i,s:i,s:s,s:d,s:n,s:n,s:n,s:i,s:i}", "min_count", accel_config.min_count,
        "single_bytes", accel_config.single_bytes, "region_bytes", accel_config.region_bytes, "reduce_bytes",
        accel_config.reduce_bytes, "sort_count", accel_config.sort_count, "fuse", accel_config.fuse, "exact",
        accel_config.exact, "scope", scope, "verify", accel_config.verify, "light_bytes",
        accel_config.light_bytes, "chain_bytes", accel_config.chain_bytes, "select_bytes",
        accel_config.select_bytes, "excludes", accel_config.excludes, "strict", accel_config.strict);
}

static PyObject *original_enter(PyObject *self, PyObject *unused)
{
    accel_original_enter();
    Py_RETURN_NONE;
}

static PyObject *original_leave(PyObject *self, PyObject *unused)
{
    accel_original_leave();
    Py_RETURN_NONE;
}

static PyObject *operations(PyObject *self, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < accel_op_count; i++) {
        PyObject *item = Py_BuildValue("(sii)", accel_ops[i].name, accel_ops[i].nin, accel_ops[i].exact);
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"keep_memory", keep_memory, METH_NOARGS, "Lets the C library keep freed memory for the next array."},
    {"attach", attach, METH_O, "attach(numpy): interposes; False when it was done already."},
    {"detach", detach, METH_NOARGS, "Puts every pointer back."},
    {"is_attached", is_attached, METH_NOARGS, "Whether the entries are interposed."},
    {"patches", patches, METH_NOARGS, "[(address, original, ours, still ours)] of every entry."},
    {"counters", counters, METH_NOARGS, "What has been done so far."},
    {"reset_counters", reset_counters, METH_NOARGS, "Sets the counters to zero."},
    {"configure", (PyCFunction)(void (*)(void))configure, METH_VARARGS | METH_KEYWORDS, "Changes settings."},
    {"settings", settings, METH_NOARGS, "The settings in force."},
    {"original_enter", original_enter, METH_NOARGS, "This thread wants NumPy's own code from here on."},
    {"original_leave", original_leave, METH_NOARGS, "Ends what original_enter began."},
    {"operations", operations, METH_NOARGS, "[(name, inputs, exact)] of what can be interposed."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_interpose",
                                        .m_doc = "Interposition into NumPy.", .m_size = -1,
                                        .m_methods = methods};

PyMODINIT_FUNC PyInit__interpose(void);

PyMODINIT_FUNC PyInit__interpose(void)
{
    if (PyType_Ready(&accel_node_type) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
