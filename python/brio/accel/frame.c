/* Reading the running frame: see frame.h. This file alone sees the interpreter's own headers. */
#include "frame.h"

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030E0000
#define ACCEL_FRAME_KNOWN 1
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#if PY_VERSION_HEX >= 0x030C0000
#undef _PyGC_FINALIZED /* a macro of the public headers; the internal ones have a function of that name */
#include <internal/pycore_instruments.h>
#include <internal/pycore_interp.h>
#endif
#undef Py_BUILD_CORE
#else
#define ACCEL_FRAME_KNOWN 0
#endif

#if ACCEL_FRAME_KNOWN

static struct _PyInterpreterFrame *running(void)
{
    PyThreadState *state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030D0000
    return state->current_frame;
#else
    return state->cframe->current_frame;
#endif
}

static PyCodeObject *code_of(const struct _PyInterpreterFrame *at)
{
#if PY_VERSION_HEX >= 0x030D0000
    return at->f_executable && PyCode_Check(at->f_executable) ? (PyCodeObject *)at->f_executable : NULL;
#else
    return at->f_code && PyCode_Check((PyObject *)at->f_code) ? at->f_code : NULL;
#endif
}

/* Frames that the interpreter itself pushes between Python's (entries from C, the frame that waits for
 * __init__) never run a traceable instruction, and what they have for a code object is but a stub. */
static int is_python(struct _PyInterpreterFrame *at)
{
    return code_of(at) != NULL && !_PyFrame_IsIncomplete(at);
}

static int fill(struct _PyInterpreterFrame *at, accel_frame *frame)
{
    while (at && !is_python(at))
        at = at->previous;
    if (!at)
        return 0;
    frame->interpreter_frame = at;
    frame->code = code_of(at);
    frame->globals = at->f_globals;
    frame->builtins = at->f_builtins;
    frame->locals = at->f_locals;
    frame->values = at->localsplus;
    frame->instruction = (int)_PyInterpreterFrame_LASTI(at);
    return 1;
}

int accel_frame_current(accel_frame *frame)
{
    return fill(running(), frame);
}

int accel_frame_previous(accel_frame *frame)
{
    return fill(((struct _PyInterpreterFrame *)frame->interpreter_frame)->previous, frame);
}

int accel_frame_is_watched(void)
{
    const PyThreadState *state = PyThreadState_Get();
    if (state->c_tracefunc || state->c_profilefunc)
        return 1;
#if PY_VERSION_HEX >= 0x030C0000
    return state->interp->monitors.tools[PY_MONITORING_EVENT_CALL] != 0;
#else
    return 0;
#endif
}

#else

int accel_frame_is_watched(void)
{
    return 1;
}

int accel_frame_current(accel_frame *frame)
{
    return 0;
}

int accel_frame_previous(accel_frame *frame)
{
    return 0;
}

#endif

Py_ssize_t accel_code_slot(void (*release)(void *))
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyUnstable_Eval_RequestCodeExtraIndex(release);
#else
    return _PyEval_RequestCodeExtraIndex(release);
#endif
}

void *accel_code_get(PyCodeObject *code, Py_ssize_t slot)
{
    void *pointer = NULL;
#if PY_VERSION_HEX >= 0x030C0000
    int failed = PyUnstable_Code_GetExtra((PyObject *)code, slot, &pointer);
#else
    int failed = _PyCode_GetExtra((PyObject *)code, slot, &pointer);
#endif
    if (failed < 0)
        PyErr_Clear();
    return failed < 0 ? NULL : pointer;
}

int accel_code_set(PyCodeObject *code, Py_ssize_t slot, void *pointer)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyUnstable_Code_SetExtra((PyObject *)code, slot, pointer);
#else
    return _PyCode_SetExtra((PyObject *)code, slot, pointer);
#endif
}

int accel_frame_line(const accel_frame *frame)
{
    return PyCode_Addr2Line(frame->code, frame->instruction * (int)sizeof(_Py_CODEUNIT));
}
