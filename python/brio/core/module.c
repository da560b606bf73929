/* The extension module brio._core: brings its parts together. */
#include "core.h"

core_state core;

static int find_operators(void)
{
#define OPERATOR_NAME(name) #name,
    static const char *const names[] = {CORE_OPERATORS(OPERATOR_NAME)};
#undef OPERATOR_NAME
    for (int i = 0; i < OP_COUNT; i++)
        core.ops[i] = brio_op_find(names[i]);
    return 0;
}

static int start(PyObject *module)
{
    core.modules = PyImport_GetModuleDict(); /* borrowed, lives as long as the interpreter */
    core.dtype_cache = PyDict_New();
    if (!core.dtype_cache || core_work_init() < 0 || find_operators() < 0 ||
        core_array_type_init(module) < 0 || core_ufunc_init(module) < 0 || core_function_init(module) < 0)
        return -1;
    PyMethodDef *const tables[] = {core_creation_functions, core_joining_functions, core_setting_functions};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (PyModule_AddFunctions(module, tables[i]) < 0)
            return -1;
    }
    PyObject *names = PyTuple_New(BRIO_DTYPE_COUNT);
    for (int i = 0; names && i < BRIO_DTYPE_COUNT; i++)
        PyTuple_SET_ITEM(names, i, PyUnicode_FromString(brio_dtype_name((brio_dtype)i)));
    int failed = !names || PyModule_AddObjectRef(module, "DTYPE_NAMES", names) < 0;
    Py_XDECREF(names);
    return failed ? -1 : 0;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "brio._core",
                                        "Brio's arrays, compiled: a client of the C library.",
                                        -1,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    if (core.array_type) {
        PyErr_SetString(PyExc_ImportError, "brio._core can be loaded once in a process only");
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module && start(module) < 0)
        Py_CLEAR(module);
    return module;
}
