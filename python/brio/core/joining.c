/* Functions of several arrays: joining, products, shapes; and of dtypes. */
#include "core.h"

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

/* ---- concatenate ------------------------------------------------------------------------------------ */

typedef struct parts {
    Py_ssize_t count;
    PyObject **objects; /* owned */
    brio_array **handles;
    int64_t elements;
} parts;

static void parts_clear(parts *p)
{
    for (Py_ssize_t i = 0; p->objects && i < p->count; i++)
        Py_XDECREF(p->objects[i]);
    PyMem_Free(p->objects);
    PyMem_Free(p->handles);
}

/* One part in the form in which it is joined: raveled, and cast where a dtype is asked for. */
static PyObject *part(PyObject *item, int ravel, int dtype, brio_casting casting)
{
    PyObject *object = core_borrow(item);
    if (object && ravel) {
        PyObject *flat = PyObject_CallMethod(object, "ravel", NULL);
        Py_SETREF(object, flat);
    }
    if (object && dtype >= 0 && core_layout(core_array(object)).dtype != (brio_dtype)dtype) {
        PyObject *cast = core_cast(object, (brio_dtype)dtype, casting, 'K');
        Py_SETREF(object, cast);
    }
    return object;
}

static int parts_get(parts *p, PyObject *sequence, int ravel, int dtype, brio_casting casting)
{
    PyObject *items = PySequence_Fast(sequence, "The first input argument needs to be a sequence");
    if (!items)
        return -1;
    p->count = PySequence_Fast_GET_SIZE(items);
    if (p->count == 0)
        PyErr_SetString(PyExc_ValueError, "need at least one array to concatenate");
    p->objects = p->count ? PyMem_Calloc((size_t)p->count, sizeof *p->objects) : NULL;
    p->handles = p->count ? PyMem_Calloc((size_t)p->count, sizeof *p->handles) : NULL;
    int failed = !p->objects || !p->handles;
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; !failed && i < p->count; i++) {
        if (i < PySequence_Fast_GET_SIZE(items))
            p->objects[i] = part(PySequence_Fast_GET_ITEM(items, i), ravel, dtype, casting);
        failed = !p->objects[i];
        if (!failed) {
            p->handles[i] = core_array(p->objects[i]);
            p->elements += core_layout(p->handles[i]).count;
        }
    }
    Py_DECREF(items);
    return failed ? -1 : 0;
}

static PyObject *concatenate(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"concatenate", 1, 3, 5, {"arrays", "axis", "out", "dtype", "casting"},
                                       {NULL}};
    PyObject *v[5];
    brio_dtype dtype = BRIO_F64;
    brio_casting casting = BRIO_CAST_SAME_KIND;
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 || core_casting(v[4], &casting) < 0)
        return NULL;
    int typed = v[3] && v[3] != Py_None, written = v[2] && v[2] != Py_None;
    if (typed && core_dtype(v[3], &dtype) < 0)
        return NULL;
    if (written && !core_is_array(v[2])) {
        PyErr_SetString(PyExc_TypeError, "'out' must be a brio array");
        return NULL;
    }
    int ravel = v[1] == Py_None, axis = 0;
    parts p = {0, NULL, NULL, 0};
    PyObject *result = NULL;
    int failed = parts_get(&p, v[0], ravel, typed ? (int)dtype : -1, casting) < 0;
    int ndim = failed ? 0 : core_layout(p.handles[0]).ndim;
    if (!failed && ndim == 0) {
        PyErr_SetString(PyExc_ValueError, "zero-dimensional arrays cannot be concatenated");
        failed = 1;
    }
    if (!failed && !ravel && v[1])
        failed = core_axis(v[1], ndim, &axis) < 0;
    if (!failed) {
        brio_array *joined;
        PyThreadState *state = core_work_begin(p.elements);
        brio_status status = brio_array_concat((int)p.count, p.handles, axis, &joined);
        core_work_end(state);
        result = status == BRIO_OK ? core_wrap(joined) : core_error(status);
    }
    parts_clear(&p);
    if (!result || !written)
        return result;
    brio_array_layout have = core_layout(core_array(result)), want = core_layout(core_array(v[2]));
    brio_status status = BRIO_OK;
    if (have.ndim != want.ndim ||
        memcmp(have.shape, want.shape, (size_t)have.ndim * sizeof *have.shape) != 0) {
        PyErr_SetString(PyExc_ValueError, "Output array is the wrong shape");
        Py_DECREF(result);
        return NULL;
    }
    brio_operand from = brio_operand_array(core_array(result));
    status = brio_array_copyto(core_array(v[2]), &from, casting, NULL);
    Py_DECREF(result);
    return status == BRIO_OK ? Py_NewRef(v[2]) : core_error(status);
}

/* ---- Others ------------------------------------------------------------------------------------------ */

static PyObject *copyto(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {"copyto", 2, 4, 4, {"dst", "src", "casting", "where"}, {NULL}};
    PyObject *v[4], *where = NULL;
    brio_casting casting = BRIO_CAST_SAME_KIND;
    core_operand from = {{0}, NULL, 0};
    if (core_parse(&signature, args, nargs, kwnames, v) < 0 || core_casting(v[2], &casting) < 0)
        return NULL;
    if (!core_is_array(v[0])) {
        PyErr_Format(PyExc_TypeError, "copyto() argument 1 must be a brio array, not %.100s",
                     Py_TYPE(v[0])->tp_name);
        return NULL;
    }
    int masked = v[3] && v[3] != Py_True;
    if ((masked && !(where = core_borrow(v[3]))) || core_operand_get(v[1], &from) < 0) {
        Py_XDECREF(where);
        return NULL;
    }
    brio_array *to = core_array(v[0]);
    PyThreadState *state = core_work_begin(core_layout(to).count);
    brio_status status =
        brio_array_copyto(to, &from.operand, casting, where ? ((array_object *)where)->array : NULL);
    core_work_end(state);
    core_operand_clear(&from);
    Py_XDECREF(where);
    if (status != BRIO_OK)
        return core_error(status);
    Py_RETURN_NONE;
}

static PyObject *may_share_memory(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "may_share_memory() takes two arrays");
        return NULL;
    }
    PyObject *a = core_borrow(args[0]), *b = a ? core_borrow(args[1]) : NULL;
    int shared = b ? brio_array_may_overlap(core_array(a), core_array(b)) : 0;
    PyObject *result = b ? PyBool_FromLong(shared) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

/* ---- Dtypes by code, for brio._dtypes ------------------------------------------------------------------ */

static PyObject *dtype_code(PyObject *module, PyObject *object)
{
    brio_dtype dtype;
    return core_dtype(object, &dtype) < 0 ? NULL : PyLong_FromLong((long)dtype);
}

static PyObject *dtype_promote(PyObject *module, PyObject *args)
{
    int a, b;
    if (!PyArg_ParseTuple(args, "ii", &a, &b))
        return NULL;
    if (a < 0 || b < 0 || a >= BRIO_DTYPE_COUNT || b >= BRIO_DTYPE_COUNT) {
        PyErr_SetString(PyExc_ValueError, "not a dtype code");
        return NULL;
    }
    return PyLong_FromLong((long)brio_dtype_promote((brio_dtype)a, (brio_dtype)b));
}

static PyObject *dtype_can_cast(PyObject *module, PyObject *args)
{
    int from, to;
    PyObject *rule;
    brio_casting casting = BRIO_CAST_SAFE;
    if (!PyArg_ParseTuple(args, "iiO", &from, &to, &rule) || core_casting(rule, &casting) < 0)
        return NULL;
    if (from < 0 || to < 0 || from >= BRIO_DTYPE_COUNT || to >= BRIO_DTYPE_COUNT) {
        PyErr_SetString(PyExc_ValueError, "not a dtype code");
        return NULL;
    }
    return PyBool_FromLong(brio_dtype_can_cast((brio_dtype)from, (brio_dtype)to, casting));
}

/* The code of the dtype that a scalar of Python or NumPy has, and whether it is weak. */
static PyObject *scalar_code(PyObject *module, PyObject *object)
{
    brio_dtype dtype;
    if (core_scalar_dtype(object, &dtype) < 0) {
        PyObject *array = core_borrow(object);
        if (!array)
            return NULL;
        dtype = core_layout(core_array(array)).dtype;
        Py_DECREF(array);
        return Py_BuildValue("(iO)", (int)dtype, Py_False);
    }
    int weak = PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyComplex_CheckExact(object);
    return Py_BuildValue("(iO)", (int)dtype, weak ? Py_True : Py_False);
}

PyMethodDef core_joining_functions[] = {
    {"concatenate", FAST(concatenate), "Arrays joined along an axis."},
    {"copyto", FAST(copyto), "Writes one array into another, broadcast and cast."},
    {"may_share_memory", (PyCFunction)(void (*)(void))may_share_memory, METH_FASTCALL,
     "Whether two arrays may share memory."},
    {"dtype_code", dtype_code, METH_O, NULL},
    {"dtype_promote", dtype_promote, METH_VARARGS, NULL},
    {"dtype_can_cast", dtype_can_cast, METH_VARARGS, NULL},
    {"scalar_code", scalar_code, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
