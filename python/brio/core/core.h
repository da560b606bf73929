/* What the files of the extension share. The extension translates names and arguments between
 * Python and the public C API; nothing here computes on elements. */
#ifndef BRIO_PYTHON_CORE_H
#define BRIO_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <brio/brio.h>

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_INT T_INT
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

/* ---- The array object ------------------------------------------------------------------------ */

typedef struct array_object {
    PyObject_HEAD brio_array *array;
    PyObject *base; /* the object whose memory this one shows, or NULL */
    PyObject *weakrefs;
} array_object;

/* Operations that slots and methods name; the rest of the table is reached by ufunc objects only. */
#define CORE_OPERATORS(X)                                                                                    \
    X(add)                                                                                                   \
    X(subtract)                                                                                              \
    X(multiply)                                                                                              \
    X(divide)                                                                                                \
    X(floor_divide)                                                                                          \
    X(remainder)                                                                                             \
    X(power)                                                                                                 \
    X(left_shift)                                                                                            \
    X(right_shift)                                                                                           \
    X(bitwise_and)                                                                                           \
    X(bitwise_or)                                                                                            \
    X(bitwise_xor)                                                                                           \
    X(negative)                                                                                              \
    X(positive)                                                                                              \
    X(absolute)                                                                                              \
    X(invert)                                                                                                \
    X(less)                                                                                                  \
    X(less_equal)                                                                                            \
    X(equal)                                                                                                 \
    X(not_equal)                                                                                             \
    X(greater)                                                                                               \
    X(greater_equal)                                                                                         \
    X(maximum)                                                                                               \
    X(minimum)                                                                                               \
    X(logical_and)                                                                                           \
    X(logical_or)                                                                                            \
    X(conjugate)                                                                                             \
    X(rint)                                                                                                  \
    X(where)

typedef enum core_operator {
#define CORE_OPERATOR_ENUM(name) OP_##name,
    CORE_OPERATORS(CORE_OPERATOR_ENUM)
#undef CORE_OPERATOR_ENUM
        OP_COUNT
} core_operator;

/* Everything that the extension holds for the life of the process. */
typedef struct core_state {
    PyTypeObject *array_type;
    PyTypeObject *ufunc_type;
    PyTypeObject *function_type;
    brio_op ops[OP_COUNT];
    PyObject *ufuncs;                   /* dict: name -> ufunc */
    PyObject *dtypes[BRIO_DTYPE_COUNT]; /* NumPy's dtype objects, or Brio's own; NULL before first use */
    PyObject *dtype_cache;              /* dict: what was asked for -> int */
    PyObject *numpy_generic;            /* numpy.generic and numpy.ndarray once NumPy is imported */
    PyObject *numpy_ndarray;
    PyObject *modules; /* sys.modules */
    int in_flight;     /* a thread works on arrays without the interpreter's lock */
    int strict_fp;     /* errstate asks for something other than silence */
} core_state;
extern core_state core;

static inline int core_is_array(PyObject *object)
{
    return Py_IS_TYPE(object, core.array_type);
}

/* Waits until no other thread works on arrays without the interpreter's lock. Arrays are not locked
 * one by one, so this is asked before any of them is touched. */
void core_wait(void);
static inline void core_enter(void)
{
    if (core.in_flight)
        core_wait();
}

static inline brio_array *core_array(PyObject *object)
{
    core_enter();
    return ((array_object *)object)->array;
}

/* Gives up the interpreter's lock around work on at least that many elements; NULL when it is kept.
 * The result goes to core_work_end. */
PyThreadState *core_work_begin(int64_t elements);
void core_work_end(PyThreadState *state);
int core_work_init(void);

/* Takes over a reference; NULL with an exception when memory fails (the reference is then dropped). */
PyObject *core_wrap(brio_array *array);
PyObject *core_wrap_view(brio_array *array, PyObject *parent);
int core_array_type_init(PyObject *module);

static inline brio_array_layout core_layout(const brio_array *array)
{
    brio_array_layout layout;
    layout.size = sizeof layout;
    if (brio_array_info(array, &layout) != BRIO_OK)
        layout.count = 0;
    return layout;
}

/* ---- Errors (errors.c) ----------------------------------------------------------------------- */

/* Sets the Python exception for a failed call, with the library's sentence; returns NULL. */
PyObject *core_error(brio_status status);
/* The same, for functions that return an int; returns -1. */
int core_fail(brio_status status);
PyObject *core_raise_axis(int axis, int ndim);

/* ---- Arguments (arguments.c) ----------------------------------------------------------------- */

#define CORE_MAX_ARGUMENTS 12

typedef struct core_signature {
    const char *function;
    int required;   /* arguments that must be there */
    int positional; /* arguments that may be given by position */
    int total;
    const char *names[CORE_MAX_ARGUMENTS];
    PyObject *keys[CORE_MAX_ARGUMENTS]; /* interned at first use */
} core_signature;

/* Sorts arguments of a vectorcall into `values` (borrowed, NULL when absent). 0, or -1 with TypeError. */
int core_parse(core_signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
               PyObject **values);

/* One axis, or -1 with TypeError (bool, float), or AxisError. */
int core_axis(PyObject *object, int ndim, int *out);
/* None: all (returns naxes -1); an int or a tuple of ints: into axes[BRIO_MAX_DIMS]. */
int core_axes(PyObject *object, int *naxes, int *axes);
/* An int or a sequence of ints into shape[BRIO_MAX_DIMS]; ValueError when there are too many. */
int core_shape(PyObject *object, int *ndim, int64_t *shape);
/* 'C', 'F', 'A' or 'K' out of a str or None (`otherwise`). */
int core_order(PyObject *object, char otherwise, char *out);
int core_casting(PyObject *object, brio_casting *out);
/* Whether a device argument names a device that this build has; ValueError otherwise. */
int core_device(PyObject *object, brio_device *out);
/* True or false of an optional argument. -1: exception. */
int core_flag(PyObject *object, int otherwise);
PyObject *core_tuple(int n, const int64_t *values);

/* ---- Dtypes (dtype.c) ------------------------------------------------------------------------ */

PyObject *core_dtype_object(brio_dtype dtype); /* borrowed; NULL with an exception */
int core_dtype(PyObject *object, brio_dtype *out);
/* struct-module format of one element, e.g. "d". */
const char *core_dtype_format(brio_dtype dtype);
/* The dtype of a buffer format, or -1. *swapped: the bytes are in the other order. */
int core_dtype_of_format(const char *format, Py_ssize_t itemsize, int *swapped);
PyObject *core_resolve_dtypes(PyObject *module, PyObject *args);

/* ---- Values (value.c) ------------------------------------------------------------------------ */

/* A Python number in `dtype`, as NumPy stores it (OverflowError for an int that does not fit). */
int core_value(PyObject *object, brio_dtype dtype, brio_value *out);
PyObject *core_python(brio_dtype dtype, const void *element);
/* second - first, in the dtype. */
int core_arange_step(brio_dtype dtype, const brio_value *first, const brio_value *second, brio_value *step);
/* The dtype that NumPy gives a Python or NumPy scalar; -1 without an exception when it is none. */
int core_scalar_dtype(PyObject *object, brio_dtype *out);

/* ---- Operands and conversion (convert.c, sequence.c, buffer.c) --------------------------------- */

/* An operand with what keeps it alive; `owner` is NULL when nothing has to be kept. */
typedef struct core_operand {
    brio_operand operand;
    PyObject *owner;
    int huge; /* a Python int beyond 64 bits, given as the nearest float */
} core_operand;

/* 1: converted; 0: not a thing that operators take (no exception); -1: exception. */
int core_operand_try(PyObject *object, core_operand *out);
/* 0, or -1 with TypeError for what is no number. */
int core_operand_get(PyObject *object, core_operand *out);
void core_operand_clear(core_operand *operand);
/* Whether the operand's number can be written into an array: -1 with OverflowError for an int beyond 64
 * bits and an array that holds no floats. */
int core_operand_fits(const core_operand *operand, const brio_array *to);
/* Makes a scalar operand a 0-d array. */
int core_operand_settle(core_operand *operand);
/* How many elements the operands have at most. */
int64_t core_operand_count(const core_operand *operands, int n);

/* New references to array objects. `core_asarray` copies foreign memory, `core_borrow` may show it. */
PyObject *core_asarray(PyObject *object);
PyObject *core_borrow(PyObject *object);
/* copy: -1 if needed, 0 never (ValueError), 1 always. dtype: -1 as found. */
PyObject *core_convert(PyObject *object, int dtype, int copy, char order);
PyObject *core_from_sequence(PyObject *object, int dtype);
PyObject *core_from_scalar(PyObject *object, int dtype);
int core_is_sequence(PyObject *object);
/* An array over the memory of a buffer exporter. NULL without an exception when it exports none. */
PyObject *core_from_buffer(PyObject *object);
int core_has_buffer(PyObject *object);
/* Whether it is an instance of numpy.generic / numpy.ndarray (without importing NumPy). */
int core_is_numpy_scalar(PyObject *object);
int core_is_numpy_array(PyObject *object);
/* Sets the TypeError that names what was given instead of numbers; returns NULL. */
PyObject *core_not_numbers(PyObject *object);

int core_getbuffer(PyObject *self, Py_buffer *view, int flags);
void core_releasebuffer(PyObject *self, Py_buffer *view);
PyObject *core_array_interface(PyObject *self, void *closure);

/* ---- Indexing (indexing.c) -------------------------------------------------------------------- */

PyObject *core_subscript(PyObject *self, PyObject *key);
int core_ass_subscript(PyObject *self, PyObject *key, PyObject *value);
PyObject *core_item(PyObject *self, Py_ssize_t index);

/* ---- Operators, methods, functions -------------------------------------------------------------- */

extern PyType_Slot core_operator_slots[];
extern PyMethodDef core_shape_methods[];     /* shape.c */
extern PyMethodDef core_convert_methods[];   /* methods.c */
extern PyMethodDef core_reduction_methods[]; /* reduction.c */
extern PyMethodDef core_order_methods[];     /* order.c */
extern PyMethodDef core_dlpack_methods[];    /* dlpack.c */
extern PyMethodDef core_creation_functions[];
extern PyMethodDef core_joining_functions[];
extern PyMethodDef core_setting_functions[];
extern PyGetSetDef core_attributes[];

PyObject *core_repr(PyObject *self);
PyObject *core_str(PyObject *self);
PyObject *core_from_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *core_tolist(PyObject *self, PyObject *unused);
PyObject *core_cast(PyObject *self, brio_dtype dtype, brio_casting casting, char order);

/* One operation on operands; options may be NULL. New reference. */
PyObject *core_map(brio_op op, core_operand *in, int nin, brio_map_options *options);
/* op.reduce with the values of (axis, dtype, out, keepdims, initial, where). */
PyObject *core_reduce(brio_op op, PyObject *self, PyObject *const *values);
PyObject *core_scan(brio_op op, PyObject *self, PyObject *axis, PyObject *dtype, PyObject *out, int initial);

int core_ufunc_init(PyObject *module);
/* Adds to `module` a function for each method that can be called as one: sum(a) for a.sum(). */
int core_function_init(PyObject *module);

#endif
