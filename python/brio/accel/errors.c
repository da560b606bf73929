/* Floating-point conditions: what NumPy's error state says about them, and reporting them as it does. */
#include "interpose.h"

#include <fenv.h>
#include <string.h>

enum mode { MODE_IGNORE, MODE_WARN, MODE_RAISE, MODE_OTHER };

typedef struct condition {
    uint32_t flag;
    const char *key;  /* in NumPy's error state */
    const char *text; /* in its message */
} condition;

/* In the order in which NumPy reports them. */
static const condition conditions[] = {
    {BRIO_FPE_DIVIDE, "divide", "divide by zero"},
    {BRIO_FPE_OVERFLOW, "over", "overflow"},
    {BRIO_FPE_UNDERFLOW, "under", "underflow"},
    {BRIO_FPE_INVALID, "invalid", "invalid value"},
};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

static PyObject *state_variable, *get_state, *silent_state, *warnings_module;
static PyObject *known_state; /* the state object that known_modes were read from; owned */
static uint8_t known_modes[CONDITIONS];

int accel_errors_load(PyObject *umath)
{
    if (state_variable)
        return 0;
    PyObject *variable = PyObject_GetAttrString(umath, "_extobj_contextvar");
    get_state = PyObject_GetAttrString(umath, "_get_extobj_dict");
    PyObject *make = PyObject_GetAttrString(umath, "_make_extobj");
    PyObject *nothing = make ? PyTuple_New(0) : NULL;
    PyObject *words = nothing ? Py_BuildValue("{s:s}", "all", "ignore") : NULL;
    silent_state = words ? PyObject_Call(make, nothing, words) : NULL;
    Py_XDECREF(words);
    Py_XDECREF(nothing);
    Py_XDECREF(make);
    warnings_module = silent_state ? PyImport_ImportModule("warnings") : NULL;
    if (!variable || !get_state || !warnings_module) {
        Py_XDECREF(variable);
        return -1;
    }
    state_variable = variable;
    return 0;
}

static uint8_t mode_of(PyObject *state, const char *key)
{
    PyObject *text = PyDict_GetItemString(state, key);
    const char *word = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
    if (!word)
        return MODE_OTHER;
    return strcmp(word, "ignore") == 0  ? MODE_IGNORE
           : strcmp(word, "warn") == 0  ? MODE_WARN
           : strcmp(word, "raise") == 0 ? MODE_RAISE
                                        : MODE_OTHER;
}

/* The modes in force here. The state object is immutable, so its identity is enough to remember them. */
static const uint8_t *modes(void)
{
    static const uint8_t other[CONDITIONS] = {MODE_OTHER, MODE_OTHER, MODE_OTHER, MODE_OTHER};
    PyObject *state = NULL;
    if (PyContextVar_Get(state_variable, NULL, &state) < 0 || !state) {
        PyErr_Clear();
        return other;
    }
    if (state == known_state) {
        Py_DECREF(state);
        return known_modes;
    }
    PyObject *dict = PyObject_CallNoArgs(get_state);
    if (!dict) {
        PyErr_Clear();
        Py_DECREF(state);
        return other;
    }
    for (int i = 0; i < CONDITIONS; i++)
        known_modes[i] = mode_of(dict, conditions[i].key);
    Py_DECREF(dict);
    Py_XSETREF(known_state, state);
    return known_modes;
}

uint32_t accel_relevant(uint32_t flags)
{
    if (!flags)
        return 0;
    const uint8_t *mode = modes();
    uint32_t relevant = 0;
    for (int i = 0; i < CONDITIONS; i++)
        if ((flags & conditions[i].flag) && mode[i] != MODE_IGNORE)
            relevant |= conditions[i].flag;
    return relevant;
}

/* Whether the warnings filters turn some RuntimeWarning into an error. */
static int warnings_raise(void)
{
    PyObject *filters = PyDict_GetItemString(PyModule_GetDict(warnings_module), "filters");
    if (!filters || !PyList_Check(filters))
        return 1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(filters); i++) {
        PyObject *filter = PyList_GET_ITEM(filters, i);
        if (!PyTuple_Check(filter) || PyTuple_GET_SIZE(filter) < 3)
            return 1;
        PyObject *action = PyTuple_GET_ITEM(filter, 0), *category = PyTuple_GET_ITEM(filter, 2);
        if (PyUnicode_Check(action) && PyUnicode_CompareWithASCIIString(action, "error") == 0 &&
            PyType_Check(category) &&
            PyType_IsSubtype((PyTypeObject *)PyExc_RuntimeWarning, (PyTypeObject *)category))
            return 1;
    }
    return 0;
}

int accel_errors_raise(void)
{
    const uint8_t *mode = modes();
    for (int i = 0; i < CONDITIONS; i++)
        if (mode[i] >= MODE_RAISE)
            return 1;
    return warnings_raise();
}

int accel_gives_all(void)
{
    const uint8_t *mode = modes();
    for (int i = 0; i < CONDITIONS; i++)
        if (mode[i] == MODE_OTHER)
            return 0;
    return 1;
}

int accel_give(uint32_t flags, const char *name)
{
    uint8_t mode[CONDITIONS];
    memcpy(mode, modes(), sizeof mode);
    for (int i = 0; i < CONDITIONS; i++)
        if ((flags & conditions[i].flag) && mode[i] == MODE_OTHER)
            return 1;
    for (int i = 0; i < CONDITIONS; i++) {
        if (!(flags & conditions[i].flag) || mode[i] == MODE_IGNORE)
            continue;
        if (mode[i] == MODE_RAISE) {
            PyErr_Format(PyExc_FloatingPointError, "%s encountered in %s", conditions[i].text, name);
            return -1;
        }
        if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%s encountered in %s", conditions[i].text, name) < 0)
            return -1;
    }
    accel_count.gave_flags++;
    return 0;
}

static uint32_t raised(void)
{
    int raw = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
    return (raw & FE_DIVBYZERO ? BRIO_FPE_DIVIDE : 0) | (raw & FE_OVERFLOW ? BRIO_FPE_OVERFLOW : 0) |
           (raw & FE_UNDERFLOW ? BRIO_FPE_UNDERFLOW : 0) | (raw & FE_INVALID ? BRIO_FPE_INVALID : 0);
}

/* Begins and ends a stretch in which NumPy keeps quiet about conditions but the processor still tells. */
static PyObject *silence(void)
{
    PyObject *token = PyContextVar_Set(state_variable, silent_state);
    feclearexcept(FE_ALL_EXCEPT);
    return token;
}

static uint32_t end_silence(PyObject *token)
{
    uint32_t flags = raised();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (PyContextVar_Reset(state_variable, token) < 0)
        PyErr_Clear();
    Py_DECREF(token);
    PyErr_Restore(type, value, trace);
    return accel_relevant(flags);
}

/* Settles what is pending without losing an exception that is set. */
static int settle_first(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    int failed = accel_settle_pending();
    if (!type)
        return failed;
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return failed;
}

static int all_known(PyObject *const *objects, Py_ssize_t n)
{
    accel_operand operand;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!accel_operand_read(objects[i], &operand))
            return 0;
    return 1;
}

PyObject *accel_quiet(const accel_original *original, PyObject *const *objects, int n)
{
    PyObject *token = all_known(objects, n) ? silence() : NULL;
    if (!token) {
        PyErr_Clear();
        return accel_settle_pending() < 0 ? NULL : accel_call_original(original, objects, n);
    }
    PyObject *result = accel_call_original(original, objects, n);
    uint32_t flags = end_silence(token);
    if (result && !flags)
        return result;
    if (settle_first() < 0 || !result) {
        Py_XDECREF(result);
        return NULL;
    }
    Py_DECREF(result);
    return accel_call_original(original, objects, n);
}

/* The array that a call writes: NULL when it makes one itself; Py_None when that is not to be seen. */
static PyObject *written(PyObject *callee, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    PyObject *out = n > ((PyUFuncObject *)callee)->nin ? Py_None : NULL;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "out") != 0)
            continue;
        out = args[n + i];
        if (PyTuple_CheckExact(out) && PyTuple_GET_SIZE(out) == 1)
            out = PyTuple_GET_ITEM(out, 0);
        if (out == Py_None || out == Py_Ellipsis)
            return NULL;
        if (!accel_is_array(out))
            return Py_None;
    }
    return out;
}

/* Runs the call in silence; `*again` says that it raised conditions and must be run once more, aloud. */
static PyObject *run_silently(vectorcallfunc original, PyObject *callee, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames, int *again)
{
    PyObject *token = silence();
    if (!token)
        return NULL;
    PyObject *result = original(callee, args, nargsf, kwnames);
    *again = end_silence(token) != 0 && result;
    return result;
}

PyObject *accel_quiet_vectorcall(vectorcallfunc original, PyObject *callee, PyObject *const *args,
                                 size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyObject *out = written(callee, args, n, kwnames), *before = NULL;
    if (out == Py_None || !all_known(args, n) || (out && PyArray_NBYTES((PyArrayObject *)out) > 64 << 10))
        return accel_settle_pending() < 0 ? NULL : original(callee, args, nargsf, kwnames);
    if (out) {
        before = accel_settle_readers((PyArrayObject *)out) < 0
                     ? NULL
                     : PyArray_NewCopy((PyArrayObject *)out, NPY_KEEPORDER);
        if (!before)
            return NULL;
    }
    int again = 0;
    PyObject *result = run_silently(original, callee, args, nargsf, kwnames, &again);
    if (again || !result) {
        int failed = (again && out && PyArray_CopyInto((PyArrayObject *)out, (PyArrayObject *)before) < 0) ||
                     settle_first() < 0;
        if (again || failed)
            Py_CLEAR(result);
        if (again && !failed)
            result = original(callee, args, nargsf, kwnames);
    }
    Py_XDECREF(before);
    return result;
}
