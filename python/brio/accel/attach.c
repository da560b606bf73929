/* The table of pointers that were changed, and how they are put back. */
#include "interpose.h"

#include <string.h>

#define MAX_PATCHES 256

static accel_patch patches[MAX_PATCHES];
static int npatches;

int accel_patch_set(void **where, void *now)
{
    if (npatches >= MAX_PATCHES) {
        PyErr_SetString(PyExc_RuntimeError, "too many entries to attach");
        return -1;
    }
    patches[npatches++] = (accel_patch){.where = where, .old = *where, .now = now};
    *where = now;
    return 0;
}

/* Every pointer that is still ours gets its old value; one that somebody else changed since is left. */
int accel_detach_all(void)
{
    int foreign = 0;
    while (npatches > 0) {
        accel_patch *patch = &patches[--npatches];
        if (*patch->where == patch->now) {
            *patch->where = patch->old;
        } else {
            foreign++;
            accel_count.declined[ACCEL_foreign_patch]++;
        }
    }
    return foreign;
}

/* (address, old, now) of every entry, for tests. */
int accel_patches(PyObject *list)
{
    for (int i = 0; i < npatches; i++) {
        PyObject *item = Py_BuildValue("(NNNO)", PyLong_FromVoidPtr(patches[i].where),
                                       PyLong_FromVoidPtr(patches[i].old), PyLong_FromVoidPtr(patches[i].now),
                                       *patches[i].where == patches[i].now ? Py_True : Py_False);
        int failed = !item || PyList_Append(list, item) < 0;
        Py_XDECREF(item);
        if (failed)
            return -1;
    }
    return 0;
}

/* Mechanism M4: the function behind a method, when its calling convention is the one expected. */
int accel_method_set(PyObject *type, const char *name, int flags, void **original, void *now)
{
    PyObject *descriptor = PyObject_GetAttrString(type, name);
    if (!descriptor) {
        PyErr_Clear();
        return 0;
    }
    int failed = 0;
    if (Py_TYPE(descriptor) == &PyMethodDescr_Type) {
        PyMethodDef *method = ((PyMethodDescrObject *)descriptor)->d_method;
        if ((method->ml_flags & ~METH_COEXIST) == flags) {
            void **where = (void **)&method->ml_meth;
            *original = *where;
            failed = accel_patch_set(where, now);
        }
    }
    Py_DECREF(descriptor);
    return failed;
}
