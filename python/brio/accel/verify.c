/* --verify: the original runs beside Brio, and the two results are compared by class. */
#include "interpose.h"

#include <math.h>

static unsigned calls;

/* Whether this call belongs to the sample. */
int accel_verify_wanted(void)
{
    if (accel_config.verify <= 0)
        return 0;
    unsigned every = accel_config.verify >= 1 ? 1 : (unsigned)(1 / accel_config.verify);
    return calls++ % (every ? every : 1) == 0;
}

static int differs(PyObject *ours, PyObject *theirs, int exact, PyObject *terms)
{
    static PyObject *compare;
    if (!compare) {
        PyObject *module = PyImport_ImportModule("brio.accel.verify");
        compare = module ? PyObject_GetAttrString(module, "differs") : NULL;
        Py_XDECREF(module);
    }
    PyObject *answer =
        compare ? PyObject_CallFunction(compare, "OOiO", ours, theirs, exact, terms ? terms : Py_None) : NULL;
    int result = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (result < 0)
        PyErr_Clear();
    return result != 0;
}

int accel_all_exact(const accel_node *node)
{
    if (!node->op->exact && !node->external)
        return 0;
    for (int i = 0; i < node->nin; i++)
        if (node->in[i].is_node && !accel_all_exact((const accel_node *)node->in[i].object))
            return 0;
    return 1;
}

void accel_verify_compare(PyObject *ours, PyObject *theirs, int exact, PyObject *terms)
{
    int attached = accel_attached;
    accel_attached = 0;
    accel_count.verified++;
    if (differs(ours, theirs, exact, terms))
        accel_count.mismatches++;
    accel_attached = attached;
}

PyObject *accel_verify(accel_node *node, PyObject *value)
{
    int exact = accel_all_exact(node);
    PyObject *theirs = accel_replay(node);
    if (theirs)
        accel_verify_compare(value, theirs, exact, NULL);
    Py_DECREF(value);
    return theirs;
}

PyObject *accel_verify_into(accel_node *node, PyArrayObject *target)
{
    uint32_t flags = 0;
    PyObject *before = PyArray_NewCopy(target, NPY_KEEPORDER), *ours = NULL;
    if (before && accel_evaluate_into(node, target, &flags) == 0) {
        ours = PyArray_NewCopy(target, NPY_KEEPORDER);
        if (PyArray_CopyInto(target, (PyArrayObject *)before) < 0)
            Py_CLEAR(ours);
    }
    PyErr_Clear();
    Py_XDECREF(before);
    return ours;
}
