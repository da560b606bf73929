/* Sites: the instructions from which a node may be handed out, and what must hold there.
 *
 * lookahead.py finds them once per code object; the record hangs on the code object itself. */
#include "sites.h"

#include <string.h>

enum { WHAT_PLAIN, WHAT_ARRAY, WHAT_INDEX, WHAT_HARMLESS, WHAT_TAKES, WHAT_SHAPE };
enum { WHERE_LOCAL, WHERE_CELL, WHERE_GLOBAL, WHERE_NAME, WHERE_MADE, WHERE_UNKNOWN };
enum { ORIGIN_LIBRARY, ORIGIN_USER, ORIGIN_NUMPY, ORIGIN_EXCLUDED, ORIGIN_UNKNOWN };

#define MAX_ATTRIBUTES 3
#define REPLAYS_ALLOWED 2
#define MAX_CLOSED 6

typedef struct check {
    uint8_t what, where, nattributes;
    int index, position;
    PyObject *name; /* owned, as are the attributes */
    PyObject *attributes[MAX_ATTRIBUTES];
} check;

struct accel_site {
    char kind;               /* 'b' two operands on the stack, 'u' one, 'c' a call, 'm' a node's method */
    int instruction, result; /* position of the result on the stack */
    int line, callee, first;
    int begin, end; /* its checks */
    int replays;
    npy_intp refused; /* arrays of up to so many bytes were not worth it */
};

typedef struct record {
    int origin, nsites, nchecks, nunits;
    uint16_t *site_of; /* by instruction: 1 + index of the site, 0: none */
    accel_site *sites;
    check *checks;
    int nclosed, closed[MAX_CLOSED]; /* instructions where attempts were in vain; all, once it is full */
} record;

static Py_ssize_t slot = -1;
static PyObject *analyse;
static int analysing;

static void record_free(void *pointer)
{
    record *at = pointer;
    if (!at)
        return;
    for (int i = 0; i < at->nchecks; i++) {
        Py_XDECREF(at->checks[i].name);
        for (int j = 0; j < at->checks[i].nattributes; j++)
            Py_XDECREF(at->checks[i].attributes[j]);
    }
    PyMem_RawFree(at->site_of);
    PyMem_RawFree(at->sites);
    PyMem_RawFree(at->checks);
    PyMem_RawFree(at);
}

int accel_sites_load(void)
{
    if (slot >= 0)
        return 0;
    PyObject *module = PyImport_ImportModule("brio.accel.lookahead");
    analyse = module ? PyObject_GetAttrString(module, "analyse") : NULL;
    Py_XDECREF(module);
    if (!analyse)
        return -1;
    slot = accel_code_slot(record_free);
    return slot < 0 ? -1 : 0;
}

static int read_check(PyObject *tuple, check *at)
{
    PyObject *name, *attributes;
    if (!PyArg_ParseTuple(tuple, "bbiOO!i", &at->what, &at->where, &at->index, &name, &PyTuple_Type,
                          &attributes, &at->position))
        return -1;
    if (PyTuple_GET_SIZE(attributes) > MAX_ATTRIBUTES)
        return -1;
    at->name = name == Py_None ? NULL : Py_NewRef(name);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(attributes); i++)
        at->attributes[at->nattributes++] = Py_NewRef(PyTuple_GET_ITEM(attributes, i));
    return 0;
}

static int read_site(PyObject *tuple, accel_site *at)
{
    const char *kind;
    int depth;
    if (!PyArg_ParseTuple(tuple, "isiiiiii", &at->instruction, &kind, &depth, &at->line, &at->callee,
                          &at->first, &at->begin, &at->end))
        return -1;
    at->kind = kind[0];
    at->result = at->kind == 'b' ? depth - 2 : at->kind == 'u' ? depth - 1 : at->first - 2;
    return 0;
}

static int read_record(PyObject *answer, record *into)
{
    PyObject *sites, *checks;
    if (!PyArg_ParseTuple(answer, "iO!O!", &into->origin, &PyList_Type, &sites, &PyList_Type, &checks))
        return -1;
    Py_ssize_t nsites = PyList_GET_SIZE(sites), nchecks = PyList_GET_SIZE(checks);
    if (nsites == 0 || nsites > 60000 || into->nunits > 60000)
        return 0;
    into->site_of = PyMem_RawCalloc((size_t)into->nunits + 1, sizeof *into->site_of);
    into->sites = PyMem_RawCalloc((size_t)nsites, sizeof *into->sites);
    into->checks = PyMem_RawCalloc((size_t)nchecks + 1, sizeof *into->checks);
    if (!into->site_of || !into->sites || !into->checks)
        return -1;
    for (Py_ssize_t i = 0; i < nchecks; i++, into->nchecks++)
        if (read_check(PyList_GET_ITEM(checks, i), &into->checks[i]) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < nsites; i++, into->nsites++) {
        accel_site *site = &into->sites[i];
        if (read_site(PyList_GET_ITEM(sites, i), site) < 0 || site->instruction >= into->nunits ||
            site->begin < 0 || site->end > nchecks)
            return -1;
        into->site_of[site->instruction] = (uint16_t)(i + 1);
    }
    return 0;
}

/* A record that knows nothing: the code is left alone. */
static record *make_record(PyCodeObject *code)
{
    record *made = PyMem_RawCalloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->nunits = (int)Py_SIZE(code);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    analysing++;
    PyThreadState *state = PyThreadState_Get();
    PyThreadState_EnterTracing(state); /* tracers and profilers do not see it */
    PyObject *answer = PyObject_CallOneArg(analyse, (PyObject *)code);
    PyThreadState_LeaveTracing(state);
    analysing--;
    if (!answer || read_record(answer, made) < 0) {
        PyErr_Clear();
        made->nsites = 0;
    }
    Py_XDECREF(answer);
    PyErr_Restore(type, value, trace);
    return made;
}

static record *record_of(PyCodeObject *code)
{
    record *known = accel_code_get(code, slot);
    if (known || analysing)
        return known;
    known = make_record(code);
    if (known && accel_code_set(code, slot, known) < 0) {
        PyErr_Clear();
        record_free(known);
        return NULL;
    }
    return known;
}

/* ---- Finding a value by its name ------------------------------------------------------------------ */

static PyObject *find_global(const accel_frame *frame, PyObject *name)
{
    PyObject *value = NULL;
    if (PyDict_CheckExact(frame->globals))
        value = PyDict_GetItemWithError(frame->globals, name);
    if (!value && PyDict_CheckExact(frame->builtins))
        value = PyDict_GetItemWithError(frame->builtins, name);
    return value;
}

static PyObject *find_name(const accel_frame *frame, PyObject *name)
{
    if (!frame->locals || !PyDict_CheckExact(frame->locals))
        return NULL;
    PyObject *value = PyDict_GetItemWithError(frame->locals, name);
    return value ? value : find_global(frame, name);
}

static PyObject *find_base(const check *at, const accel_frame *frame)
{
    PyObject *value;
    switch (at->where) {
    case WHERE_LOCAL:
        return frame->values[at->index];
    case WHERE_CELL:
        value = frame->values[at->index];
        return value && PyCell_Check(value) ? PyCell_GET(value) : NULL;
    case WHERE_GLOBAL:
        return find_global(frame, at->name);
    case WHERE_NAME:
        return find_name(frame, at->name);
    default:
        return NULL;
    }
}

/* An attribute that can be read without running anything; borrowed, or NULL. */
static PyObject *quiet_attribute(PyObject *object, PyObject *name)
{
    PyObject *dict = NULL;
    if (PyModule_CheckExact(object)) {
        dict = PyModule_GetDict(object);
        return PyDict_GetItemWithError(dict, name);
    }
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_getattro != PyObject_GenericGetAttr || _PyType_Lookup(type, name))
        return NULL;
    PyObject *value = PyObject_GetAttr(object, name);
    if (!value)
        return NULL;
    int held = Py_REFCNT(value) > 1;
    Py_DECREF(value);
    return held ? value : NULL;
}

static int check_holds(const check *at, const accel_site *site, const accel_frame *frame)
{
    if (at->position >= 0 && at->position < site->result)
        return accel_value_is(at->what, frame->values[frame->code->co_nlocalsplus + at->position]);
    if (at->where == WHERE_MADE)
        return 1;
    PyObject *value = find_base(at, frame);
    for (int i = 0; value && i < at->nattributes; i++) {
        if (accel_is_array(value))
            return i == at->nattributes - 1 && accel_array_attribute_is(at->what, value, at->attributes[i]);
        value = quiet_attribute(value, at->attributes[i]);
    }
    return value && accel_value_is(at->what, value);
}

static int checks_hold(const record *known, const accel_site *site, const accel_frame *frame)
{
    int hold = 1;
    for (int i = site->begin; hold && i < site->end; i++)
        hold = check_holds(&known->checks[i], site, frame);
    if (PyErr_Occurred())
        PyErr_Clear();
    return hold;
}

/* ---- Asking ---------------------------------------------------------------------------------------- */

/* Whether the entry was called by the site's own instruction: its operands lie on the stack. */
static int called_here(const accel_site *site, const accel_frame *frame, PyObject *const *arguments, int n,
                       PyObject *const *stack)
{
    PyObject **values = frame->values + frame->code->co_nlocalsplus;
    if (site->kind == 'b' && n == 2) {
        PyObject *left = values[site->result], *right = values[site->result + 1];
        return (left == arguments[0] && right == arguments[1]) ||
               (left == arguments[1] && right == arguments[0]);
    }
    if (site->kind == 'b' && n == 1) /* array ** number becomes square, sqrt or reciprocal */
        return values[site->result] == arguments[0] &&
               (PyLong_CheckExact(values[site->result + 1]) || PyFloat_CheckExact(values[site->result + 1]));
    if (site->kind == 'u' && n == 1)
        return values[site->result] == arguments[0];
    if (site->kind != 'c')
        return 0;
    if (stack)
        return stack == values + site->first;
    return n == 1 && values[site->first] == arguments[0] && accel_value_is(WHAT_TAKES, values[site->callee]);
}

void accel_place_find(accel_place *place, PyObject *const *arguments, int n, PyObject *const *stack,
                      npy_intp bytes)
{
    memset(place, 0, offsetof(accel_place, frame));
    if (!accel_frame_current(&place->frame))
        return;
    const record *known = record_of(place->frame.code);
    if (!known)
        return;
    place->known = 1;
    place->user = known->origin == ORIGIN_USER || (known->origin == ORIGIN_NUMPY && accel_called_by_user());
    int at = place->frame.instruction;
    if (!accel_config.fuse || known->nsites == 0 || at < 0 || at >= known->nunits || !known->site_of[at])
        return;
    accel_site *site = &known->sites[known->site_of[at] - 1];
    place->site = site;
    place->line = site->line;
    if (site->replays >= REPLAYS_ALLOWED || (bytes >= 0 && bytes <= site->refused))
        return;
    place->marked = called_here(site, &place->frame, arguments, n, stack) &&
                    checks_hold(known, site, &place->frame) && !accel_frame_is_watched() &&
                    !accel_errors_raise();
}

/* The frame that called, NumPy's own passed over, and whose it is. */
static int find_caller(accel_frame *frame, record **known)
{
    *known = NULL;
    if (!accel_frame_current(frame))
        return ORIGIN_UNKNOWN;
    do {
        record *found = record_of(frame->code);
        if (!found)
            return ORIGIN_UNKNOWN;
        if (found->origin != ORIGIN_NUMPY) {
            *known = found;
            return found->origin;
        }
    } while (accel_frame_previous(frame));
    return ORIGIN_UNKNOWN;
}

int accel_called_by_user(void)
{
    if (accel_config.scope == 'l')
        return 1;
    accel_frame frame;
    record *known;
    return find_caller(&frame, &known) == ORIGIN_USER;
}

int accel_left_alone(void)
{
    accel_frame frame;
    record *known;
    int origin = find_caller(&frame, &known);
    if (origin == ORIGIN_EXCLUDED || (origin == ORIGIN_UNKNOWN && accel_config.excludes))
        return ACCEL_excluded;
    return accel_config.scope == 'u' && origin != ORIGIN_USER ? ACCEL_not_user_code : -1;
}

/* ---- Callers where an attempt was in vain ------------------------------------------------------------ */

int accel_caller_is_closed(void)
{
    accel_frame frame;
    record *known;
    find_caller(&frame, &known);
    if (!known)
        return 0;
    for (int i = 0; i < known->nclosed; i++)
        if (known->closed[i] == frame.instruction)
            return 1;
    return known->nclosed == MAX_CLOSED;
}

void accel_caller_close(void)
{
    accel_frame frame;
    record *known;
    find_caller(&frame, &known);
    if (known && known->nclosed < MAX_CLOSED)
        known->closed[known->nclosed++] = frame.instruction;
}

void accel_site_refuse(accel_site *site, npy_intp bytes)
{
    if (bytes > site->refused)
        site->refused = bytes;
}

void accel_site_replayed(accel_site *site)
{
    if (site)
        site->replays++;
}
