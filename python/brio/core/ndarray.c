/* The array type: life of its objects, and the lock that stands in for one on each array. */
#include "core.h"
#include <pythread.h>
#include <stddef.h>

/* ---- Work without the interpreter's lock -------------------------------------------------------- */

/* Below this many elements an operation takes less than some 20 microseconds. */
#define LONG_WORK 32768

static PyThread_type_lock flight;

/* References dropped by other threads while one works; the worker gives them back. */
static brio_array **dropped;
static size_t dropped_count, dropped_room;

int core_work_init(void)
{
    flight = PyThread_allocate_lock();
    if (!flight)
        PyErr_NoMemory();
    return flight ? 0 : -1;
}

void core_wait(void)
{
    while (core.in_flight) {
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(flight, WAIT_LOCK);
        PyThread_release_lock(flight);
        Py_END_ALLOW_THREADS
    }
}

PyThreadState *core_work_begin(int64_t elements)
{
    core_enter();
    if (elements < LONG_WORK)
        return NULL;
    while (!PyThread_acquire_lock(flight, NOWAIT_LOCK)) {
        /* a thread that waited holds the lock for an instant */
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(flight, WAIT_LOCK);
        PyThread_release_lock(flight);
        Py_END_ALLOW_THREADS core_enter();
    }
    core.in_flight = 1;
    return PyEval_SaveThread();
}

void core_work_end(PyThreadState *state)
{
    if (!state)
        return;
    PyEval_RestoreThread(state);
    core.in_flight = 0;
    PyThread_release_lock(flight);
    while (dropped_count)
        brio_array_unref(dropped[--dropped_count]);
}

/* Another thread works: leave the reference to it. Without memory for that, the array stays. */
static void drop_later(brio_array *array)
{
    if (dropped_count == dropped_room) {
        size_t room = dropped_room ? 2 * dropped_room : 64;
        brio_array **more = PyMem_RawRealloc(dropped, room * sizeof *more);
        if (!more)
            return;
        dropped = more, dropped_room = room;
    }
    dropped[dropped_count++] = array;
}

/* ---- Life --------------------------------------------------------------------------------------- */

#define SPARE_ROOM 64
static array_object *spare[SPARE_ROOM];
static int spare_count;

PyObject *core_wrap_view(brio_array *array, PyObject *parent)
{
    array_object *self;
    if (spare_count) {
        self = spare[--spare_count];
        PyObject_Init((PyObject *)self, core.array_type);
    } else if (!(self = PyObject_New(array_object, core.array_type))) {
        brio_array_unref(array);
        return NULL;
    }
    if (parent && core_is_array(parent) && ((array_object *)parent)->base)
        parent = ((array_object *)parent)->base;
    self->array = array;
    self->base = Py_XNewRef(parent);
    self->weakrefs = NULL;
    return (PyObject *)self;
}

PyObject *core_wrap(brio_array *array)
{
    return core_wrap_view(array, NULL);
}

static void array_dealloc(PyObject *object)
{
    array_object *self = (array_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->weakrefs)
        PyObject_ClearWeakRefs(object);
    if (core.in_flight)
        drop_later(self->array);
    else
        brio_array_unref(self->array);
    Py_XDECREF(self->base);
    if (spare_count < SPARE_ROOM)
        spare[spare_count++] = self;
    else
        PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyErr_SetString(PyExc_TypeError, "use brio.empty, brio.zeros or brio.asarray to make an array");
    return NULL;
}

/* ---- Protocols that need the whole object --------------------------------------------------------- */

static Py_ssize_t array_length(PyObject *self)
{
    brio_array_layout layout = core_layout(core_array(self));
    if (layout.ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "len() of unsized object");
        return -1;
    }
    return (Py_ssize_t)layout.shape[0];
}

static PyObject *array_iterate(PyObject *self)
{
    if (core_layout(core_array(self)).ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        return NULL;
    }
    return PySeqIter_New(self);
}

static int array_contains(PyObject *self, PyObject *value)
{
    PyObject *equal = PyObject_RichCompare(self, value, Py_EQ);
    if (!equal)
        return -1;
    if (!core_is_array(equal)) {
        int truth = PyObject_IsTrue(equal);
        Py_DECREF(equal);
        return truth;
    }
    PyObject *any = PyObject_CallMethod(equal, "any", NULL);
    Py_DECREF(equal);
    int truth = any ? PyObject_IsTrue(any) : -1;
    Py_XDECREF(any);
    return truth;
}

static PyObject *printed(PyObject *self, const char *function)
{
    PyObject *module = PyImport_ImportModule("brio._printing");
    PyObject *text = module ? PyObject_CallMethod(module, function, "O", self) : NULL;
    Py_XDECREF(module);
    return text;
}

PyObject *core_repr(PyObject *self)
{
    return printed(self, "array_repr");
}

PyObject *core_str(PyObject *self)
{
    return printed(self, "array_str");
}

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(array_object, weakrefs), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot basic_slots[] = {
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_new, array_new},
    {Py_tp_repr, core_repr},
    {Py_tp_str, core_str},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_iter, array_iterate},
    {Py_tp_members, members},
    {Py_tp_getset, core_attributes},
    {Py_tp_doc, "An n-dimensional array of numbers whose expressions may be evaluated late."},
    {Py_mp_length, array_length},
    {Py_mp_subscript, core_subscript},
    {Py_mp_ass_subscript, core_ass_subscript},
    {Py_sq_length, array_length},
    {Py_sq_item, core_item},
    {Py_sq_contains, array_contains},
    {Py_bf_getbuffer, core_getbuffer},
    {Py_bf_releasebuffer, core_releasebuffer},
    {0, NULL},
};

static int count_slots(const PyType_Slot *slots)
{
    int n = 0;
    while (slots[n].slot)
        n++;
    return n;
}

static int count_methods(const PyMethodDef *methods)
{
    int n = 0;
    while (methods[n].ml_name)
        n++;
    return n;
}

/* All methods in one table, which lives as long as the process. */
static PyMethodDef *join_methods(void)
{
    PyMethodDef *const parts[] = {core_shape_methods, core_convert_methods, core_reduction_methods,
                                  core_order_methods, core_dlpack_methods};
    int total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        total += count_methods(parts[i]);
    PyMethodDef *all = PyMem_Calloc((size_t)total + 1, sizeof *all);
    int at = 0;
    for (size_t i = 0; all && i < sizeof parts / sizeof *parts; i++) {
        int n = count_methods(parts[i]);
        memcpy(all + at, parts[i], (size_t)n * sizeof *all);
        at += n;
    }
    return all;
}

int core_array_type_init(PyObject *module)
{
    int basic = count_slots(basic_slots), operators = count_slots(core_operator_slots);
    PyMethodDef *methods = join_methods();
    PyType_Slot *slots = PyMem_Calloc((size_t)basic + (size_t)operators + 2, sizeof *slots);
    if (!methods || !slots) {
        PyMem_Free(methods);
        PyMem_Free(slots);
        PyErr_NoMemory();
        return -1;
    }
    memcpy(slots, basic_slots, (size_t)basic * sizeof *slots);
    memcpy(slots + basic, core_operator_slots, (size_t)operators * sizeof *slots);
    slots[basic + operators].slot = Py_tp_methods;
    slots[basic + operators].pfunc = methods;
    PyType_Spec spec = {"brio.ndarray", (int)sizeof(array_object), 0, Py_TPFLAGS_DEFAULT, slots};
    core.array_type = (PyTypeObject *)PyType_FromSpec(&spec);
    PyMem_Free(slots);
    if (!core.array_type)
        return -1;
    return PyModule_AddObjectRef(module, "ndarray", (PyObject *)core.array_type);
}
