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

static int differs(PyObject *ours, PyObject *theirs, int exact)
{
    static PyObject *compare;
    if (!compare) {
        PyObject *module = PyImport_ImportModule("brio.accel.verify");
        compare = module ? PyObject_GetAttrString(module, "differs") : NULL;
        Py_XDECREF(module);
    }
    PyObject *answer = compare ? PyObject_CallFunction(compare, "OOi", ours, theirs, exact) : NULL;
    int result = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (result < 0)
        PyErr_Clear();
    return result != 0;
}

static int all_exact(const accel_node *node)
{
    if (!node->op->exact && !node->external)
        return 0;
    for (int i = 0; i < node->nin; i++)
        if (node->in[i].is_node && !all_exact((const accel_node *)node->in[i].object))
            return 0;
    return 1;
}

PyObject *accel_verify(accel_node *node, PyObject *value)
{
    int exact = all_exact(node);
    PyObject *theirs = accel_replay(node);
    if (theirs) {
        accel_count.verified++;
        int attached = accel_attached;
        accel_attached = 0;
        if (differs(value, theirs, exact))
            accel_count.mismatches++;
        accel_attached = attached;
    }
    Py_DECREF(value);
    return theirs;
}
