/* Doing it again by NumPy, operation by operation: for warnings, errors, and what Brio could not. */
#include "interpose.h"

PyObject *accel_call_original(const accel_original *original, PyObject *const *objects, int n)
{
    switch (original->form) {
    case ACCEL_UNARY:
        return original->as.unary(objects[0]);
    case ACCEL_BINARY:
        return original->as.binary(objects[0], objects[1]);
    case ACCEL_POWER:
        return original->as.power(objects[0], objects[1], Py_None);
    case ACCEL_COMPARE:
        return original->as.compare(objects[0], objects[1], original->compare_op);
    case ACCEL_UFUNC:
    case ACCEL_WHERE:
        return original->as.call(original->callee, objects, (size_t)n, NULL);
    }
    Py_UNREACHABLE();
}

typedef struct replay_call {
    const accel_original *original;
    PyObject **objects;
    int n;
} replay_call;

static PyObject *run_call(PyObject *self, PyObject *unused)
{
    const replay_call *call = PyCapsule_GetPointer(self, NULL);
    return call ? accel_call_original(call->original, call->objects, call->n) : NULL;
}

static PyMethodDef run_method = {"run", run_call, METH_NOARGS, NULL};

/* Calls the original from a frame that stands on the node's own line, so that a warning names it. */
static PyObject *call_at_line(accel_node *node, replay_call *call)
{
    static PyObject *helper;
    if (!helper) {
        PyObject *module = PyImport_ImportModule("brio.accel.lookahead");
        helper = module ? PyObject_GetAttrString(module, "call_at") : NULL;
        Py_XDECREF(module);
        if (!helper)
            return NULL;
    }
    PyObject *capsule = PyCapsule_New(call, NULL, NULL);
    PyObject *function = capsule ? PyCFunction_New(&run_method, capsule) : NULL;
    PyObject *result = NULL;
    if (function)
        result = PyObject_CallFunction(helper, "OOiO", node->code, node->globals, node->line, function);
    Py_XDECREF(function);
    Py_XDECREF(capsule);
    return result;
}

static int current_line(void)
{
    accel_frame frame;
    return accel_frame_current(&frame) ? accel_frame_line(&frame) : -1;
}

static PyObject *replay_object(PyObject *object)
{
    if (Py_TYPE(object) != &accel_node_type)
        return Py_NewRef(object);
    accel_node *node = (accel_node *)object;
    return node->settled ? accel_node_value(node) : accel_replay(node);
}

PyObject *accel_replay(accel_node *node)
{
    PyObject *objects[BRIO_MAX_IN] = {NULL, NULL, NULL};
    PyObject *result = NULL;
    int ready = 0;
    while (ready < node->replay_n && (objects[ready] = replay_object(node->replay_objects[ready])))
        ready++;
    if (ready == node->replay_n) {
        replay_call call = {&node->original, objects, node->replay_n};
        if (node->code && node->globals && node->line > 0 && node->line != current_line())
            result = call_at_line(node, &call);
        else
            result = accel_call_original(&node->original, objects, node->replay_n);
    }
    for (int i = 0; i < BRIO_MAX_IN; i++)
        Py_XDECREF(objects[i]);
    return result;
}
