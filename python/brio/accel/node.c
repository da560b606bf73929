/* Nodes: private stand-ins for temporaries of an expression that only known operations can receive. */
#include "interpose.h"

#include <string.h>

Py_ssize_t accel_pending;

/* What this thread has handed out, oldest first. */
static _Thread_local accel_node *oldest, *newest;

static void list(accel_node *node)
{
    node->previous = newest;
    node->next = NULL;
    if (newest)
        newest->next = node;
    else
        oldest = node;
    newest = node;
    node->listed = 1;
    accel_pending++;
}

static void unlist(accel_node *node)
{
    if (!node->listed)
        return;
    if (node->previous)
        node->previous->next = node->next;
    else
        oldest = node->next;
    if (node->next)
        node->next->previous = node->previous;
    else
        newest = node->previous;
    node->listed = 0;
    accel_pending--;
}

/* Adds the distinct arrays below the operands to `seen`; returns how many there are now, at most one more
 * than a region may have. */
static int collect_leaves(const accel_operand *in, int n, PyObject **seen, int count)
{
    for (int i = 0; i < n && count <= ACCEL_MAX_LEAVES; i++) {
        const accel_node *node = in[i].is_node ? (const accel_node *)in[i].object : NULL;
        if (node && !node->settled) {
            count = collect_leaves(node->in, node->nin, seen, count);
        } else if (!in[i].is_scalar) {
            PyObject *leaf = node ? node->value : in[i].object;
            int known = 0;
            while (known < count && seen[known] != leaf)
                known++;
            if (known == count)
                seen[count++] = leaf;
        }
    }
    return count;
}

/* Leaves are counted as often as they are read, until that is too many. */
static void count_parts(const accel_operand *in, int n, int *steps, int *leaves)
{
    *steps = 1;
    *leaves = 0;
    for (int i = 0; i < n; i++) {
        if (in[i].is_node) {
            *steps += ((accel_node *)in[i].object)->steps;
            *leaves += ((accel_node *)in[i].object)->leaves;
        } else if (!in[i].is_scalar) {
            *leaves += 1;
        }
    }
    PyObject *seen[ACCEL_MAX_LEAVES + 1];
    if (*leaves > ACCEL_MAX_LEAVES)
        *leaves = collect_leaves(in, n, seen, 0);
}

static int heavy_steps(const accel_op *op, const accel_operand *in)
{
    int heavy = !op->light;
    for (int i = 0; i < op->nin; i++)
        heavy += in[i].is_node ? ((const accel_node *)in[i].object)->heavy : 0;
    return heavy;
}

accel_node *accel_node_new(accel_op *op, const accel_operand *in, const accel_types *types, int ndim,
                           const npy_intp *shape, const npy_intp *strides)
{
    int steps, leaves;
    count_parts(in, op->nin, &steps, &leaves);
    if (steps > ACCEL_MAX_STEPS || leaves > ACCEL_MAX_LEAVES)
        return NULL;
    accel_node *node = PyObject_New(accel_node, &accel_node_type);
    if (!node) {
        PyErr_Clear();
        return NULL;
    }
    memset((char *)node + sizeof(PyObject), 0, sizeof *node - sizeof(PyObject));
    node->op = op;
    node->nin = (uint8_t)op->nin;
    node->dtype = types->out;
    memcpy(node->loop, types->in, sizeof node->loop);
    node->ndim = ndim;
    node->steps = steps;
    node->leaves = leaves;
    node->heavy = heavy_steps(op, in);
    node->count = 1;
    for (int i = 0; i < ndim; i++) {
        node->shape[i] = shape[i];
        node->strides[i] = strides[i];
        node->count *= shape[i];
    }
    for (int i = 0; i < op->nin; i++) {
        node->in[i] = in[i];
        Py_INCREF(in[i].object);
        if (in[i].is_node) {
            ((accel_node *)in[i].object)->consumed = 1;
            unlist((accel_node *)in[i].object);
        }
    }
    return node;
}

PyObject *accel_node_hand_out(accel_node *node)
{
    list(node);
    return (PyObject *)node;
}

/* Lets go of what the node was made from, once it has a value. */
static void drop_operands(accel_node *node)
{
    for (int i = 0; i < BRIO_MAX_IN; i++) {
        Py_CLEAR(node->in[i].object);
        Py_CLEAR(node->replay_objects[i]);
    }
    Py_CLEAR(node->code);
    Py_CLEAR(node->globals);
}

PyObject *accel_node_value(accel_node *node)
{
    if (!node->settled) {
        unlist(node);
        node->value = accel_settle(node);
        node->settled = 1;
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        drop_operands(node);
        PyErr_Restore(type, value, trace);
    }
    if (!node->value && !PyErr_Occurred())
        PyErr_NoMemory();
    return Py_XNewRef(node->value);
}

void accel_node_refuse(const accel_node *node, npy_intp bytes)
{
    if (node->site)
        accel_site_refuse(node->site, bytes);
    for (int i = 0; i < node->nin; i++)
        if (node->in[i].is_node && !((const accel_node *)node->in[i].object)->settled)
            accel_node_refuse((const accel_node *)node->in[i].object, bytes);
}

void accel_node_drop(accel_node *node)
{
    unlist(node);
    node->consumed = 1;
}

int accel_settle_pending(void)
{
    while (oldest) {
        accel_node *node = (accel_node *)Py_NewRef((PyObject *)oldest);
        PyObject *value = accel_node_value(node);
        Py_DECREF(node);
        if (!value)
            return -1;
        Py_DECREF(value);
    }
    return 0;
}

int accel_settle_readers(PyArrayObject *target)
{
    accel_node *node = oldest;
    while (node) {
        if (!accel_reads(node, target)) {
            node = node->next;
            continue;
        }
        /* In the order in which they came, so that warnings keep it: all up to this one. */
        PyObject *value = accel_node_value(oldest);
        if (!value)
            return -1;
        Py_DECREF(value);
        node = oldest;
    }
    return 0;
}

PyObject *accel_plain(PyObject *object)
{
    return Py_TYPE(object) == &accel_node_type ? accel_node_value((accel_node *)object) : Py_NewRef(object);
}

/* A node that nobody consumed died because an exception passes by; NumPy would have warned already. */
static void node_dealloc(PyObject *self)
{
    accel_node *node = (accel_node *)self;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (node->listed) {
        Py_SET_REFCNT(self, 1);
        PyObject *result = accel_node_value(node);
        Py_XDECREF(result);
        PyErr_Clear();
    }
    drop_operands(node);
    Py_XDECREF(node->value);
    PyErr_Restore(type, value, trace);
    PyObject_Free(self);
}

/* ---- What unknown code would see, should a node ever reach it: an ndarray. --------------------- */

typedef PyObject *(*node_reduction)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

#define REDUCTION(name)                                                                                      \
    static PyObject *node_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) \
    {                                                                                                        \
        return accel_reduce_node(#name, (accel_node *)self, args, nargs, kwnames);                           \
    }
#define REDUCTIONS(X) X(sum) X(mean) X(max) X(min) X(any) X(all) X(prod)
REDUCTIONS(REDUCTION)

#define REDUCTION_METHOD(name)                                                                               \
    {#name, (PyCFunction)(void (*)(void))node_##name, METH_FASTCALL | METH_KEYWORDS, NULL},
static PyMethodDef node_methods[] = {REDUCTIONS(REDUCTION_METHOD){NULL, NULL, 0, NULL}};

static PyObject *node_getattro(PyObject *self, PyObject *name)
{
    if (!((accel_node *)self)->settled)
        for (PyMethodDef *method = node_methods; method->ml_name; method++)
            if (PyUnicode_CompareWithASCIIString(name, method->ml_name) == 0)
                return PyCFunction_New(method, self);
    PyObject *value = accel_node_value((accel_node *)self);
    PyObject *result = value ? PyObject_GetAttr(value, name) : NULL;
    Py_XDECREF(value);
    return result;
}

static PyObject *node_subscript(PyObject *self, PyObject *key)
{
    PyObject *value = accel_node_value((accel_node *)self);
    PyObject *result = value ? PyObject_GetItem(value, key) : NULL;
    Py_XDECREF(value);
    return result;
}

static Py_ssize_t node_length(PyObject *self)
{
    PyObject *value = accel_node_value((accel_node *)self);
    Py_ssize_t length = value ? PyObject_Size(value) : -1;
    Py_XDECREF(value);
    return length;
}

static PyObject *node_iter(PyObject *self)
{
    PyObject *value = accel_node_value((accel_node *)self);
    PyObject *result = value ? PyObject_GetIter(value) : NULL;
    Py_XDECREF(value);
    return result;
}

static PyObject *node_str(PyObject *self)
{
    PyObject *value = accel_node_value((accel_node *)self);
    PyObject *result = value ? PyObject_Str(value) : NULL;
    Py_XDECREF(value);
    return result;
}

static PyMappingMethods node_mapping = {.mp_length = node_length, .mp_subscript = node_subscript};

PyTypeObject accel_node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "brio.accel.temporary",
    .tp_basicsize = sizeof(accel_node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_as_number = &accel_node_number,
    .tp_as_mapping = &node_mapping,
    .tp_richcompare = accel_node_compare,
    .tp_getattro = node_getattro,
    .tp_iter = node_iter,
    .tp_str = node_str,
    .tp_repr = node_str,
};
