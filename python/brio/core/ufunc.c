/* Universal functions: one object for each operation of the table. */
#include "core.h"
#include <stddef.h>

typedef struct ufunc_object {
    PyObject_HEAD vectorcallfunc vectorcall;
    brio_op op;
    brio_op_info info;
} ufunc_object;

enum { KW_OUT, KW_WHERE, KW_CASTING, KW_ORDER, KW_DTYPE, KW_SUBOK, KW_SIGNATURE, KW_COUNT };

/* ---- Calling -------------------------------------------------------------------------------------- */

/* The keywords of a call, in the form of the library. */
typedef struct call_keywords {
    brio_map_options options;
    PyObject *out[BRIO_MAX_OUT]; /* borrowed */
    PyObject *where;             /* owned */
} call_keywords;

static int set_out(call_keywords *k, int i, PyObject *object)
{
    if (object == Py_None)
        return 0;
    if (!core_is_array(object)) {
        PyErr_SetString(PyExc_TypeError, "return arrays must be brio arrays");
        return -1;
    }
    k->out[i] = object;
    k->options.out[i] = core_array(object);
    return 0;
}

static int set_outs(const ufunc_object *self, call_keywords *k, PyObject *object)
{
    if (!object || object == Py_None)
        return 0;
    if (!PyTuple_Check(object)) {
        if (self->info.nout == 1)
            return set_out(k, 0, object);
        PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays");
        return -1;
    }
    if (PyTuple_GET_SIZE(object) != self->info.nout) {
        PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
        return -1;
    }
    for (int i = 0; i < self->info.nout; i++) {
        if (set_out(k, i, PyTuple_GET_ITEM(object, i)) < 0)
            return -1;
    }
    return 0;
}

static int set_keywords(const ufunc_object *self, call_keywords *k, PyObject *const *kwvalues,
                        PyObject *kwnames)
{
    static core_signature signature = {
        "", 0, 0, KW_COUNT, {"out", "where", "casting", "order", "dtype", "subok", "signature"}, {NULL}};
    PyObject *v[KW_COUNT];
    signature.function = self->info.name;
    if (core_parse(&signature, kwvalues, 0, kwnames, v) < 0 || set_outs(self, k, v[KW_OUT]) < 0 ||
        core_casting(v[KW_CASTING], &k->options.casting) < 0 ||
        core_order(v[KW_ORDER], 'K', &k->options.order) < 0)
        return -1;
    if (v[KW_DTYPE] && v[KW_DTYPE] != Py_None) {
        k->options.has_dtype = 1;
        if (core_dtype(v[KW_DTYPE], &k->options.dtype) < 0)
            return -1;
    }
    if (v[KW_SIGNATURE] && v[KW_SIGNATURE] != Py_None) {
        PyErr_Format(PyExc_TypeError, "%s() takes dtype= in place of signature=", self->info.name);
        return -1;
    }
    if (!v[KW_WHERE] || v[KW_WHERE] == Py_True)
        return 0;
    k->where = core_borrow(v[KW_WHERE]);
    if (!k->where)
        return -1;
    if (core_layout(core_array(k->where)).dtype != BRIO_BOOL) {
        PyErr_SetString(
            PyExc_TypeError,
            "Cannot cast array data of where from its dtype to dtype('bool') according to the rule 'safe'");
        return -1;
    }
    k->options.where = core_array(k->where);
    return 0;
}

/* `result` of core_map, or the arrays of out= in its place. */
static PyObject *deliver(const ufunc_object *self, const call_keywords *k, PyObject *result)
{
    if (!result || (!k->out[0] && !k->out[1]))
        return result;
    if (self->info.nout == 1) {
        Py_DECREF(result);
        return Py_NewRef(k->out[0]);
    }
    PyObject *first = k->out[0] ? k->out[0] : PyTuple_GET_ITEM(result, 0);
    PyObject *second = k->out[1] ? k->out[1] : PyTuple_GET_ITEM(result, 1);
    PyObject *pair = PyTuple_Pack(2, first, second);
    Py_DECREF(result);
    return pair;
}

static PyObject *call_general(ufunc_object *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const brio_map_options defaults = BRIO_MAP_OPTIONS_INIT;
    int nin = self->info.nin;
    if (nargs < nin || nargs > nin + self->info.nout) {
        PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given",
                     self->info.name, nin, nin + self->info.nout, nargs);
        return NULL;
    }
    call_keywords k = {defaults, {NULL, NULL}, NULL};
    core_operand in[BRIO_MAX_IN] = {{{0}, NULL, 0}, {{0}, NULL, 0}, {{0}, NULL, 0}};
    int failed = kwnames && set_keywords(self, &k, args + nargs, kwnames) < 0;
    for (Py_ssize_t i = nin; !failed && i < nargs; i++)
        failed = set_out(&k, (int)i - nin, args[i]) < 0;
    for (int i = 0; !failed && i < nin; i++)
        failed = core_operand_get(args[i], &in[i]) < 0;
    int plain = !kwnames && nargs == nin;
    PyObject *result = failed ? NULL : core_map(self->op, in, nin, plain ? NULL : &k.options);
    for (int i = 0; i < nin; i++)
        core_operand_clear(&in[i]);
    Py_XDECREF(k.where);
    return deliver(self, &k, result);
}

static PyObject *ufunc_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    ufunc_object *self = (ufunc_object *)callable;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (nargs == 2 && self->info.nin == 2 && !kwnames && core_is_array(args[0]) && core_is_array(args[1]) &&
        !core.strict_fp) {
        brio_array *result;
        brio_status status =
            brio_array_map2_small(self->op, core_array(args[0]), core_array(args[1]), &result);
        if (status != BRIO_OK)
            return core_error(status);
        if (result)
            return core_wrap(result);
    }
    return call_general(self, args, nargs, kwnames);
}

/* ---- Methods --------------------------------------------------------------------------------------- */

/* What the library does not do: NumPy's ufunc of that name, on the host. */
static PyObject *through_numpy(ufunc_object *self, const char *method, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *module = PyImport_ImportModule("brio._interop");
    PyObject *function = module ? PyObject_GetAttrString(module, "ufunc_method") : NULL;
    PyObject *partial = function ? PyObject_CallFunction(function, "ss", self->info.name, method) : NULL;
    PyObject *result = partial ? PyObject_Vectorcall(partial, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(partial);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

static int only_binary(const ufunc_object *self, const char *method)
{
    if (self->info.nin == 2 && self->info.nout == 1)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s only supported for binary functions", method);
    return -1;
}

static PyObject *method_reduce(PyObject *callable, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static core_signature signature = {
        "reduce", 1, 6, 7, {"array", "axis", "dtype", "out", "keepdims", "initial", "where"}, {NULL}};
    ufunc_object *self = (ufunc_object *)callable;
    PyObject *v[7];
    if (only_binary(self, "reduce") < 0)
        return NULL;
    if (!self->info.reduces)
        return through_numpy(self, "reduce", args, nargs, kwnames);
    if (core_parse(&signature, args, nargs, kwnames, v) < 0)
        return NULL;
    PyObject *array = core_borrow(v[0]);
    if (!array)
        return NULL;
    PyObject *first = PyLong_FromLong(0);
    PyObject *values[6] = {v[1], v[2], v[3], v[4], v[5], v[6]};
    if (!values[0] && core_layout(core_array(array)).ndim)
        values[0] = first;
    PyObject *result = first ? core_reduce(self->op, array, values) : NULL;
    Py_XDECREF(first);
    Py_DECREF(array);
    return result;
}

static int scans(const ufunc_object *self)
{
    return self->op == core.ops[OP_add] || self->op == core.ops[OP_multiply] ||
           self->op == core.ops[OP_maximum] || self->op == core.ops[OP_minimum];
}

static PyObject *method_accumulate(PyObject *callable, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *kwnames)
{
    static core_signature signature = {"accumulate", 1, 4, 4, {"array", "axis", "dtype", "out"}, {NULL}};
    ufunc_object *self = (ufunc_object *)callable;
    PyObject *v[4];
    if (only_binary(self, "accumulate") < 0)
        return NULL;
    if (!scans(self))
        return through_numpy(self, "accumulate", args, nargs, kwnames);
    if (core_parse(&signature, args, nargs, kwnames, v) < 0)
        return NULL;
    PyObject *array = core_borrow(v[0]), *first = PyLong_FromLong(0), *result = NULL;
    if (array && first && core_layout(core_array(array)).ndim == 0)
        PyErr_SetString(PyExc_TypeError, "cannot accumulate on a scalar");
    else if (array && first)
        result = core_scan(self->op, array, v[1] ? v[1] : first, v[2], v[3], 0);
    Py_XDECREF(first);
    Py_XDECREF(array);
    return result;
}

/* `a` with as many trailing axes of length one as `b` has axes. */
static PyObject *widened(PyObject *a, PyObject *b)
{
    brio_array_layout left = core_layout(core_array(a));
    int right = core_layout(core_array(b)).ndim;
    if (left.ndim + right > BRIO_MAX_DIMS) {
        PyErr_SetString(PyExc_ValueError, "too many dimensions for outer");
        return NULL;
    }
    int64_t shape[BRIO_MAX_DIMS];
    for (int i = 0; i < left.ndim + right; i++)
        shape[i] = i < left.ndim ? left.shape[i] : 1;
    brio_array *result;
    brio_status status = brio_array_reshape(core_array(a), left.ndim + right, shape, 'C', &result);
    return status == BRIO_OK ? core_wrap(result) : core_error(status);
}

static PyObject *method_outer(PyObject *callable, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (only_binary((ufunc_object *)callable, "outer") < 0)
        return NULL;
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError, "outer() takes exactly 2 arguments (%zd given)", nargs);
        return NULL;
    }
    PyObject *a = core_borrow(args[0]), *b = a ? core_borrow(args[1]) : NULL;
    PyObject *wide = b ? widened(a, b) : NULL, *result = NULL;
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    PyObject **call = wide ? PyMem_Calloc((size_t)keywords + 2, sizeof *call) : NULL;
    if (call) {
        call[0] = wide, call[1] = b;
        for (Py_ssize_t i = 0; i < keywords; i++)
            call[2 + i] = args[2 + i];
        result = call_general((ufunc_object *)callable, call, 2, kwnames);
        PyMem_Free(call);
    } else if (wide) {
        PyErr_NoMemory();
    }
    Py_XDECREF(wide);
    Py_XDECREF(b);
    Py_XDECREF(a);
    return result;
}

static PyObject *method_at(PyObject *callable, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return through_numpy((ufunc_object *)callable, "at", args, nargs, kwnames);
}

static PyObject *method_reduceat(PyObject *callable, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *kwnames)
{
    return through_numpy((ufunc_object *)callable, "reduceat", args, nargs, kwnames);
}

static PyObject *method_reduce_ex(PyObject *callable, PyObject *protocol)
{
    return PyUnicode_FromString(((ufunc_object *)callable)->info.name);
}

/* ---- Attributes --------------------------------------------------------------------------------------- */

/* "dd->d" for each combination of dtypes that has a loop of its own. */
static PyObject *get_types(PyObject *callable, void *closure)
{
    static const char letters[] = "?bhilBHILefdFD";
    const ufunc_object *self = (ufunc_object *)callable;
    PyObject *types = PyList_New(0);
    for (int d = 0; types && d < BRIO_DTYPE_COUNT; d++) {
        brio_dtype in[BRIO_MAX_IN], loop[BRIO_MAX_IN], out[BRIO_MAX_OUT];
        char text[BRIO_MAX_IN + BRIO_MAX_OUT + 3], *to = text;
        int own = 1;
        for (int i = 0; i < BRIO_MAX_IN; i++)
            in[i] = (brio_dtype)d;
        if (brio_op_resolve(self->op, in, loop, out) != BRIO_OK) {
            in[1] = BRIO_I32; /* ldexp's exponent */
            if (self->info.nin != 2 || brio_op_resolve(self->op, in, loop, out) != BRIO_OK)
                continue;
        }
        for (int i = 0; i < self->info.nin; i++) {
            /* a selecting first input is bool whatever the others are */
            own &= loop[i] == in[i] || (self->info.nin == 3 && i == 0);
            *to++ = letters[loop[i]];
        }
        *to++ = '-', *to++ = '>';
        for (int j = 0; j < self->info.nout; j++)
            *to++ = letters[out[j]];
        *to = 0;
        PyObject *one = own ? PyUnicode_FromString(text) : NULL;
        if (own && (!one || PyList_Append(types, one) < 0))
            Py_CLEAR(types);
        Py_XDECREF(one);
    }
    return types;
}

static PyObject *get_ntypes(PyObject *callable, void *closure)
{
    PyObject *types = get_types(callable, NULL);
    PyObject *count = types ? PyLong_FromSsize_t(PyList_GET_SIZE(types)) : NULL;
    Py_XDECREF(types);
    return count;
}

/* The value of an empty reduction, asked of the library; bool where that takes it. */
static PyObject *get_identity(PyObject *callable, void *closure)
{
    const ufunc_object *self = (ufunc_object *)callable;
    if (!self->info.has_identity)
        Py_RETURN_NONE;
    static const brio_dtype candidates[] = {BRIO_I64, BRIO_F64, BRIO_BOOL};
    int64_t none[1] = {0};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        brio_array_spec spec = BRIO_ARRAY_SPEC_INIT;
        spec.dtype = candidates[i], spec.ndim = 1, spec.shape = none;
        brio_array *empty = NULL, *result = NULL;
        brio_value value;
        PyObject *number = NULL;
        if (brio_array_empty(&spec, &empty) == BRIO_OK &&
            brio_array_reduce(self->op, empty, NULL, &result) == BRIO_OK &&
            brio_array_item(result, &value) == BRIO_OK)
            number = core_python(core_layout(result).dtype, &value);
        brio_array_unref(result);
        brio_array_unref(empty);
        if (number || PyErr_Occurred())
            return number;
    }
    Py_RETURN_NONE;
}

static PyObject *get_nargs(PyObject *callable, void *closure)
{
    const ufunc_object *self = (ufunc_object *)callable;
    return PyLong_FromLong(self->info.nin + self->info.nout);
}

static PyObject *get_name(PyObject *callable, void *closure)
{
    return PyUnicode_FromString(((ufunc_object *)callable)->info.name);
}

static PyObject *get_doc(PyObject *callable, void *closure)
{
    const ufunc_object *self = (ufunc_object *)callable;
    const char *inputs = self->info.nin == 1 ? "x" : self->info.nin == 2 ? "x1, x2" : "condition, x, y";
    return PyUnicode_FromFormat(
        "%s(%s, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None)\n\n%s",
        self->info.name, inputs, self->info.doc);
}

static PyObject *get_none(PyObject *callable, void *closure)
{
    Py_RETURN_NONE;
}

static PyObject *ufunc_repr(PyObject *callable)
{
    return PyUnicode_FromFormat("<brio.ufunc '%s'>", ((ufunc_object *)callable)->info.name);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(ufunc_object, vectorcall), Py_READONLY, NULL},
    {"nin", Py_T_INT, offsetof(ufunc_object, info.nin), Py_READONLY, "How many inputs there are."},
    {"nout", Py_T_INT, offsetof(ufunc_object, info.nout), Py_READONLY, "How many outputs there are."},
    {"ulp", Py_T_INT, offsetof(ufunc_object, info.ulp), Py_READONLY,
     "The largest error of float results in units in the last place."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"nargs", get_nargs, NULL, "How many inputs and outputs there are.", NULL},
    {"types", get_types, NULL, "The dtypes of its loops.", NULL},
    {"ntypes", get_ntypes, NULL, "How many loops there are.", NULL},
    {"identity", get_identity, NULL, "The value of an empty reduction, or None.", NULL},
    {"signature", get_none, NULL, "None: it works on elements.", NULL},
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"reduce", FAST(method_reduce), "Combines the elements along axes."},
    {"accumulate", FAST(method_accumulate), "Combines the elements along an axis, keeping each step."},
    {"outer", FAST(method_outer), "The operation on every pair of elements."},
    {"at", FAST(method_at), "The operation at indices, in place, each index counting."},
    {"reduceat", FAST(method_reduceat), "Reductions of slices."},
    {"__reduce__", method_reduce_ex, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_call, PyVectorcall_Call}, {Py_tp_repr, ufunc_repr}, {Py_tp_members, members},
    {Py_tp_getset, attributes},      {Py_tp_methods, methods}, {0, NULL},
};

static PyType_Spec spec = {
    "brio.ufunc", (int)sizeof(ufunc_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int core_ufunc_init(PyObject *module)
{
    core.ufunc_type = (PyTypeObject *)PyType_FromSpec(&spec);
    core.ufuncs = PyDict_New();
    if (!core.ufunc_type || !core.ufuncs ||
        PyModule_AddObjectRef(module, "ufunc", (PyObject *)core.ufunc_type) < 0 ||
        PyModule_AddObjectRef(module, "ufuncs", core.ufuncs) < 0)
        return -1;
    for (brio_op op = 0; op < brio_op_count(); op++) {
        ufunc_object *ufunc = PyObject_New(ufunc_object, core.ufunc_type);
        if (!ufunc)
            return -1;
        ufunc->vectorcall = ufunc_vectorcall;
        ufunc->op = op;
        ufunc->info.size = sizeof ufunc->info;
        brio_status status = brio_op_describe(op, &ufunc->info);
        int failed = status != BRIO_OK
                         ? core_fail(status)
                         : PyDict_SetItemString(core.ufuncs, ufunc->info.name, (PyObject *)ufunc);
        Py_DECREF(ufunc);
        if (failed < 0)
            return -1;
    }
    return 0;
}
