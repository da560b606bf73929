/* DLPack, both ways. Nothing in a capsule that comes in is trusted: every field is checked before it
 * is used, and the capsule is marked as used before anything can fail. */
#include "core.h"
#include "dlpack.h"

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

/* ---- Out -------------------------------------------------------------------------------------------- */

/* What a capsule that went out owns: the array, and the extents that its tensor points to. */
typedef struct export
{
    union {
        dlpack_legacy legacy;
        dlpack_versioned versioned;
    } managed;
    PyObject *array;
    int lent;
    int64_t extents[2 * BRIO_MAX_DIMS];
}
export;

static void release_export(export *e)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    if (e->lent && brio_array_lend(core_array(e->array), 0) != BRIO_OK)
        PyErr_WriteUnraisable(e->array);
    Py_DECREF(e->array);
    PyMem_Free(e);
    PyGILState_Release(state);
}

static void delete_legacy(dlpack_legacy *managed)
{
    release_export(managed->context);
}

static void delete_versioned(dlpack_versioned *managed)
{
    release_export(managed->context);
}

/* A capsule that nobody took still owns its memory. */
static void capsule_destructor(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        dlpack_legacy *managed = PyCapsule_GetPointer(capsule, "dltensor");
        if (managed->deleter)
            managed->deleter(managed);
    } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        dlpack_versioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (managed->deleter)
            managed->deleter(managed);
    }
}

static dlpack_dtype dtype_out(brio_dtype dtype)
{
    static const char kinds[] = "biufc";
    static const uint8_t codes[] = {DLPACK_BOOL, DLPACK_INT, DLPACK_UINT, DLPACK_FLOAT, DLPACK_COMPLEX};
    uint8_t code = codes[strchr(kinds, brio_dtype_kind(dtype)) - kinds];
    return (dlpack_dtype){code, (uint8_t)(8 * brio_dtype_size(dtype)), 1};
}

static void fill_tensor(dlpack_tensor *tensor, const brio_array_layout *layout, void *data, int64_t *extents)
{
    int64_t size = (int64_t)brio_dtype_size(layout->dtype);
    for (int i = 0; i < layout->ndim; i++) {
        extents[i] = layout->shape[i];
        extents[BRIO_MAX_DIMS + i] = layout->strides[i] / size;
    }
    *tensor = (dlpack_tensor){
        data, {DLPACK_CPU, 0}, layout->ndim, dtype_out(layout->dtype), extents, extents + BRIO_MAX_DIMS, 0};
}

/* Takes over `array`. */
static PyObject *export_array(PyObject *array, int versioned, uint64_t flags)
{
    brio_array *handle = core_array(array);
    brio_array_layout layout = core_layout(handle);
    int64_t size = (int64_t)brio_dtype_size(layout.dtype);
    void *data = NULL;
    PyThreadState *state = core_work_begin(layout.pending ? layout.count : 0);
    brio_status status = brio_array_data(handle, layout.writeable ? BRIO_READWRITE : BRIO_READ, &data);
    core_work_end(state);
    export *e = NULL;
    layout = core_layout(handle);
    if (status != BRIO_OK) {
        core_error(status);
    } else if (!layout.writeable && !versioned) {
        PyErr_SetString(PyExc_BufferError,
                        "Cannot export readonly array since signalling readonly is unsupported by "
                        "DLPack (supported by newer DLPack version).");
    } else {
        for (int i = 0; i < layout.ndim; i++) {
            if (layout.strides[i] % size)
                PyErr_SetString(PyExc_BufferError,
                                "DLPack only supports strides that are multiples of the item size");
        }
        e = PyErr_Occurred() ? NULL : PyMem_Calloc(1, sizeof *e);
        if (!e && !PyErr_Occurred())
            PyErr_NoMemory();
    }
    if (!e) {
        Py_DECREF(array);
        return NULL;
    }
    e->array = array;
    e->lent = layout.writeable && brio_array_lend(handle, 1) == BRIO_OK;
    PyObject *capsule;
    if (versioned) {
        flags |= layout.writeable ? 0 : DLPACK_READ_ONLY;
        e->managed.versioned =
            (dlpack_versioned){DLPACK_MAJOR, DLPACK_MINOR, e, delete_versioned, flags, {0}};
        fill_tensor(&e->managed.versioned.tensor, &layout, data, e->extents);
        capsule = PyCapsule_New(&e->managed.versioned, "dltensor_versioned", capsule_destructor);
    } else {
        e->managed.legacy = (dlpack_legacy){{0}, e, delete_legacy};
        fill_tensor(&e->managed.legacy.tensor, &layout, data, e->extents);
        capsule = PyCapsule_New(&e->managed.legacy, "dltensor", capsule_destructor);
    }
    if (!capsule)
        release_export(e);
    return capsule;
}

/* (1, 0) or more in max_version: 1; None: 0; -1: exception. */
static int wants_versioned(PyObject *object)
{
    if (!object || object == Py_None)
        return 0;
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2) {
        PyErr_SetString(PyExc_TypeError, "max_version must be None or a tuple of two integers");
        return -1;
    }
    long major = PyLong_AsLong(PyTuple_GET_ITEM(object, 0));
    return major == -1 && PyErr_Occurred() ? -1 : major >= 1;
}

static int refuse_device(PyObject *object)
{
    if (!object || object == Py_None)
        return 0;
    long type, id;
    if (!PyTuple_Check(object) || !PyArg_ParseTuple(object, "ll", &type, &id)) {
        PyErr_SetString(PyExc_TypeError, "dl_device must be None or a tuple of two integers");
        return -1;
    }
    if (type == DLPACK_CPU && id == 0)
        return 0;
    PyErr_SetString(PyExc_BufferError, "unsupported device requested");
    return -1;
}

static PyObject *method_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"__dlpack__", 0, 0, 4, {"stream", "max_version", "dl_device", "copy"},
                                       {NULL}};
    PyObject *v[4];
    if (core_parse(&signature, args, nargs, kwnames, v) < 0)
        return NULL;
    if (v[0] && v[0] != Py_None) {
        PyErr_SetString(PyExc_RuntimeError, "stream must be None for memory of the host");
        return NULL;
    }
    int versioned = wants_versioned(v[1]);
    int copy = core_flag(v[3], 0);
    if (versioned < 0 || copy < 0 || refuse_device(v[2]) < 0)
        return NULL;
    PyObject *array = Py_NewRef(self);
    if (copy) {
        array = core_cast(self, core_layout(core_array(self)).dtype, BRIO_CAST_UNSAFE, 'K');
        Py_DECREF(self);
    }
    return array ? export_array(array, versioned, copy ? DLPACK_COPIED : 0) : NULL;
}

static PyObject *method_dlpack_device(PyObject *self, PyObject *unused)
{
    return Py_BuildValue("(ii)", DLPACK_CPU, 0);
}

/* ---- In --------------------------------------------------------------------------------------------- */

/* What an array over foreign memory gives back at its end. */
typedef struct import {
    dlpack_legacy *legacy;
    dlpack_versioned *versioned;
} import;

/* Deleters may run Python, and must not see or lose an exception that is on its way. */
static void run_deleter(import *i)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (i->legacy && i->legacy->deleter)
        i->legacy->deleter(i->legacy);
    if (i->versioned && i->versioned->deleter)
        i->versioned->deleter(i->versioned);
    PyErr_Restore(type, value, traceback);
}

/* Called by the library from any thread. */
static void release_import(void *context)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    run_deleter(context);
    PyMem_Free(context);
    PyGILState_Release(state);
}

static int dtype_in(dlpack_dtype given)
{
    if (given.lanes != 1)
        return -1;
    for (int d = 0; d < BRIO_DTYPE_COUNT; d++) {
        dlpack_dtype known = dtype_out((brio_dtype)d);
        if (known.code == given.code && known.bits == given.bits)
            return d;
    }
    return -1;
}

/* The spec of a tensor; -1 with BufferError when it cannot be one. */
static int check_tensor(const dlpack_tensor *tensor, brio_array_spec *spec, int64_t *shape, int64_t *strides)
{
    int dtype = dtype_in(tensor->dtype);
    const char *wrong = NULL;
    if (tensor->device.type != DLPACK_CPU && tensor->device.type != DLPACK_PINNED)
        wrong = "the DLPack tensor is not in memory of the host";
    else if (tensor->ndim < 0 || tensor->ndim > BRIO_MAX_DIMS)
        wrong = "the DLPack tensor has an impossible number of dimensions";
    else if (dtype < 0)
        wrong = "the DLPack tensor has a dtype that brio arrays do not hold";
    else if (tensor->ndim > 0 && !tensor->shape)
        wrong = "the DLPack tensor has no shape";
    if (wrong) {
        PyErr_SetString(PyExc_BufferError, wrong);
        return -1;
    }
    int64_t size = (int64_t)brio_dtype_size((brio_dtype)dtype), run = size, count = 1;
    int64_t low = 0, high = 0;
    int bad = 0;
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        shape[i] = tensor->shape[i];
        bad |= shape[i] < 0 || __builtin_mul_overflow(count, shape[i], &count);
        strides[i] = run;
        if (tensor->strides)
            bad |= __builtin_mul_overflow(tensor->strides[i], size, &strides[i]);
        else
            bad |= __builtin_mul_overflow(run, shape[i] > 0 ? shape[i] : 1, &run);
        int64_t reach = 0;
        if (shape[i] > 1)
            bad |= __builtin_mul_overflow(strides[i], shape[i] - 1, &reach);
        bad |=
            reach < 0 ? __builtin_add_overflow(low, reach, &low) : __builtin_add_overflow(high, reach, &high);
    }
    uintptr_t data = (uintptr_t)tensor->data;
    if (count > 0 && !data)
        bad = 1;
    if (data && (data > UINTPTR_MAX - tensor->byte_offset))
        bad = 1;
    if (bad) {
        PyErr_SetString(PyExc_BufferError, "the DLPack tensor has an impossible shape, stride or address");
        return -1;
    }
    spec->dtype = (brio_dtype)dtype, spec->ndim = tensor->ndim, spec->shape = shape, spec->strides = strides;
    return 0;
}

/* An array over the tensor; `context` then belongs to it. */
static PyObject *wrap_tensor(const dlpack_tensor *tensor, int writeable, import *context)
{
    brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
    int64_t shape[BRIO_MAX_DIMS], strides[BRIO_MAX_DIMS];
    static char nothing[16];
    if (check_tensor(tensor, &spec, shape, strides) < 0) {
        run_deleter(context);
        PyMem_Free(context);
        return NULL;
    }
    char *data = tensor->data ? (char *)tensor->data + tensor->byte_offset : nothing;
    brio_array *array;
    core_enter();
    brio_status status = brio_array_wrap(data, &spec, writeable, release_import, context, &array);
    if (status != BRIO_OK) {
        run_deleter(context);
        PyMem_Free(context);
        return core_error(status);
    }
    return core_wrap(array);
}

static PyObject *take_capsule(PyObject *capsule, int *copied)
{
    *copied = 0;
    if (PyCapsule_IsValid(capsule, "used_dltensor") ||
        PyCapsule_IsValid(capsule, "used_dltensor_versioned")) {
        PyErr_SetString(PyExc_ValueError, "the DLPack capsule has been used already");
        return NULL;
    }
    import *context = PyMem_Calloc(1, sizeof *context);
    if (!context)
        return PyErr_NoMemory();
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        dlpack_versioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (managed->major == DLPACK_MAJOR && PyCapsule_SetName(capsule, "used_dltensor_versioned") == 0) {
            context->versioned = managed;
            *copied = (managed->flags & DLPACK_COPIED) != 0;
            return wrap_tensor(&managed->tensor, !(managed->flags & DLPACK_READ_ONLY), context);
        }
        PyErr_Format(PyExc_BufferError, "DLPack version %u.%u is not known here", (unsigned)managed->major,
                     (unsigned)managed->minor);
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        dlpack_legacy *managed = PyCapsule_GetPointer(capsule, "dltensor");
        if (PyCapsule_SetName(capsule, "used_dltensor") == 0) {
            context->legacy = managed;
            return wrap_tensor(&managed->tensor, 1, context);
        }
    } else {
        PyErr_SetString(PyExc_ValueError, "not a DLPack capsule");
    }
    PyMem_Free(context);
    return NULL;
}

/* x.__dlpack__(max_version=(1, 0), copy=copy), or without keywords where those are not known. */
static PyObject *ask_capsule(PyObject *object, int copy)
{
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    if (!method) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "an object of type '%.100s' has no __dlpack__",
                         Py_TYPE(object)->tp_name);
        }
        return NULL;
    }
    PyObject *empty = PyTuple_New(0);
    PyObject *keywords = Py_BuildValue("{s:(ii)}", "max_version", DLPACK_MAJOR, DLPACK_MINOR);
    PyObject *capsule = NULL;
    if (empty && keywords &&
        (copy < 0 || PyDict_SetItemString(keywords, "copy", copy ? Py_True : Py_False) == 0))
        capsule = PyObject_Call(method, empty, keywords);
    if (!capsule && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_TypeError) && empty && keywords) {
        PyErr_Clear();
        capsule = PyObject_Call(method, empty, NULL);
    }
    Py_XDECREF(keywords);
    Py_XDECREF(empty);
    Py_DECREF(method);
    return capsule;
}

/* Whether the exporter's device can be read here. */
static int check_device(PyObject *object)
{
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    if (!device) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear();
        return 0;
    }
    PyObject *kind = PySequence_GetItem(device, 0);
    long type = kind ? PyLong_AsLong(kind) : -1;
    Py_XDECREF(kind);
    Py_DECREF(device);
    if (type == -1 && PyErr_Occurred())
        return -1;
    if (type != DLPACK_CPU && type != DLPACK_PINNED) {
        PyErr_SetString(PyExc_BufferError, "the object is not in memory of the host");
        return -1;
    }
    return 0;
}

PyObject *core_from_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"from_dlpack", 1, 1, 3, {"x", "device", "copy"}, {NULL}};
    PyObject *v[3];
    brio_device device;
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 || core_device(v[1], &device) < 0)
        return NULL;
    int copy = core_flag(v[2], -1), copied;
    if (copy < 0 && PyErr_Occurred())
        return NULL;
    PyObject *capsule;
    if (PyCapsule_CheckExact(v[0]))
        capsule = Py_NewRef(v[0]);
    else
        capsule = check_device(v[0]) < 0 ? NULL : ask_capsule(v[0], copy);
    if (!capsule)
        return NULL;
    if (!PyCapsule_CheckExact(capsule)) {
        PyErr_SetString(PyExc_TypeError, "__dlpack__ must return a capsule");
        Py_DECREF(capsule);
        return NULL;
    }
    PyObject *array = take_capsule(capsule, &copied);
    Py_DECREF(capsule);
    if (array && copy == 1 && !copied) {
        PyObject *fresh = core_cast(array, core_layout(core_array(array)).dtype, BRIO_CAST_UNSAFE, 'K');
        Py_SETREF(array, fresh);
    }
    return array;
}

PyMethodDef core_dlpack_methods[] = {
    {"__dlpack__", FAST(method_dlpack), "A DLPack capsule of the array."},
    {"__dlpack_device__", method_dlpack_device, METH_NOARGS, "Where the array is, as DLPack says it."},
    {NULL, NULL, 0, NULL},
};
