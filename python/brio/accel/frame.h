/* The running Python frame, read in place: which code, which instruction, which values lie where.
 *
 * The layout is that of the interpreter's own headers, known for CPython 3.11 to 3.13; for other
 * versions accel_frame_current() answers 0, and what needs a frame is switched off. */
#ifndef BRIO_ACCEL_FRAME_H
#define BRIO_ACCEL_FRAME_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Everything is borrowed and valid while the frame runs. */
typedef struct accel_frame {
    PyCodeObject *code;
    PyObject *globals, *builtins;
    PyObject *locals;  /* a mapping at module and class level, else NULL */
    PyObject **values; /* locals, cells and free variables, then the stack */
    int instruction;   /* index of the running instruction, in code units */
    void *interpreter_frame;
} accel_frame;

/* The frame whose instruction called into C. Returns 0 when there is none that can be read. */
int accel_frame_current(accel_frame *frame);

/* The caller of `frame`; 0 when there is none. */
int accel_frame_previous(accel_frame *frame);

/* Whether a tracer or a profiler sees the calls of this thread; then nothing is fused. */
int accel_frame_is_watched(void);

/* Asks for a slot in every code object for a pointer that `release` frees; -1 on failure. */
Py_ssize_t accel_code_slot(void (*release)(void *));
void *accel_code_get(PyCodeObject *code, Py_ssize_t slot);
int accel_code_set(PyCodeObject *code, Py_ssize_t slot, void *pointer);

/* The line of the instruction. */
int accel_frame_line(const accel_frame *frame);

#endif
