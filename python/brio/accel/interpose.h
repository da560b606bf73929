/* What the parts of the interposer share.
 *
 * A value flows like this: an entry (operators.c, ufuncs.c, reductions.c, sorts.c) is called in the
 * place of NumPy's function; when the operands are small it forwards at once. Else it reads them
 * (operand.c), asks whether it may (gate.c, sites.c), and records a node (node.c), which is either
 * handed out because only a known operation can receive it (fusion), or evaluated into an ordinary
 * ndarray (settle.c). What went wrong or raised floating-point conditions is done again by NumPy itself
 * (replay.c). */
#ifndef BRIO_ACCEL_INTERPOSE_H
#define BRIO_ACCEL_INTERPOSE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL brio_accel_array_api
#define PY_UFUNC_UNIQUE_SYMBOL brio_accel_ufunc_api
#ifndef BRIO_ACCEL_MODULE
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "frame.h"

#include <brio/array.h>
#include <brio/config.h>

#define ACCEL_MAX_DIMS 8
#define ACCEL_MAX_LEAVES 24 /* arrays in one region, each as often as it occurs */
#define ACCEL_MAX_STEPS 48

/* ---- Operations ------------------------------------------------------------------------------ */

/* The kinds of operand that decide a dtype: those of brio_dtype, then Python's own numbers. */
enum { ACCEL_WEAK_INT = BRIO_DTYPE_COUNT, ACCEL_WEAK_FLOAT, ACCEL_KINDS };

typedef struct accel_types {
    uint8_t known, supported;
    uint8_t loop;                    /* which of NumPy's own inner loops; 255: not one of the ufunc's table */
    PyUFuncGenericFunction function; /* what it was: a loop that somebody replaced is not ours to do */
    uint8_t in[BRIO_MAX_IN];
    uint8_t out;
} accel_types;

/* One elementwise operation that both NumPy and Brio have. */
typedef struct accel_op {
    const char *name;
    brio_op op;
    int nin;
    int exact;       /* Brio gives the bits of NumPy */
    int silent;      /* NumPy never reports conditions of it */
    int plain_flags; /* its conditions are the processor's own: no second run to report them */
    int danger;      /* ACCEL_DANGER_... */
    int is_power;
    int light;            /* bound by memory: worth it only together with others */
    PyUFuncObject *ufunc; /* owned; NULL for where */
    accel_types *types;   /* ACCEL_KINDS ^ nin answers of NumPy's resolver, filled when first asked */
} accel_op;

/* Integer loops in which some value of the second operand makes NumPy warn or raise. */
enum { ACCEL_NO_DANGER, ACCEL_DANGER_DIVISOR, ACCEL_DANGER_EXPONENT, ACCEL_DANGER_BOUND };

#define ACCEL_MAX_OPS 128
extern accel_op accel_ops[ACCEL_MAX_OPS];
extern int accel_op_count;

accel_op *accel_op_by_name(const char *name);
accel_op *accel_op_by_ufunc(PyObject *ufunc);
int accel_ops_load(PyObject *umath);

/* What NumPy would do with operands of these kinds; NULL when it is unsupported. Never raises. */
const accel_types *accel_resolve(accel_op *op, const uint8_t *kinds);

/* ---- Operands -------------------------------------------------------------------------------- */

typedef struct accel_node accel_node;

typedef struct accel_operand {
    PyObject *object;  /* exact ndarray, node or scalar object; borrowed, unless in a node */
    uint8_t kind;      /* see ACCEL_KINDS */
    uint8_t is_scalar; /* no array: `scalar` holds it */
    uint8_t is_node;
    int ndim;
    const npy_intp *shape, *strides; /* of the array or node */
    brio_operand scalar;
} accel_operand;

extern PyTypeObject *accel_array_type;
extern PyArray_Descr *accel_descr[BRIO_DTYPE_COUNT];

void accel_operands_load(void);

/* Describes an object; 0 when it is nothing that Brio takes. Never raises. */
int accel_operand_read(PyObject *object, accel_operand *out);

/* Whether a Python number can stand for an element of the dtype without any error or warning. */
int accel_scalar_fits(const accel_operand *operand, uint8_t dtype);

/* The value of an integer or bool scalar. */
int64_t accel_scalar_int(const accel_operand *operand);

/* Makes a brio_operand of a scalar for a loop in `dtype`. */
brio_operand accel_scalar_operand(const accel_operand *operand, uint8_t dtype);

/* The brio_dtype of an exact ndarray that Brio takes (native, aligned, plain dtype), else -1. */
int accel_array_dtype(PyArrayObject *array);

/* Whether NumPy would let the array be written without a word. */
int accel_is_writeable(PyArrayObject *array);

/* ---- Layout ---------------------------------------------------------------------------------- */

/* Broadcasts `n` operands and lays the result out as NumPy's order K does. 0 when they do not
 * broadcast or have too many dimensions. */
int accel_broadcast(const accel_operand *operands, int n, npy_intp itemsize, int *ndim, npy_intp *shape,
                    npy_intp *strides);

/* ---- Gates ----------------------------------------------------------------------------------- */

typedef struct accel_settings {
    npy_intp min_count;     /* operands with fewer elements leave at once */
    npy_intp single_bytes;  /* output of an operation alone */
    npy_intp light_bytes;   /* output of a light operation alone, with several threads */
    npy_intp chain_bytes;   /* output of a region of light operations only */
    npy_intp region_bytes;  /* operands of a fused region */
    npy_intp reduce_bytes;  /* input of a reduction */
    npy_intp select_bytes;  /* input of a maximum or minimum */
    npy_intp sort_count;    /* elements of a sort */
    npy_intp threads_bytes; /* evaluations above this give the interpreter lock away */
    int fuse;
    int exact;     /* --results=exact */
    int excludes;  /* some packages' calls are left alone */
    int strict;    /* what is left to NumPy for other reasons than size is an error */
    int scope;     /* 'a' auto, 'u' user, 'l' all */
    double verify; /* share of calls that are verified; 0: none */
} accel_settings;
extern accel_settings accel_config;
extern int accel_attached; /* 0 also while --verify runs the original */

/* The bytes of output from which on an operation alone is worth it. */
npy_intp accel_lone_gate(const accel_op *op);

/* Whether so many steps in one pass, `heavy` of them bound by arithmetic, gain on as many calls of NumPy. */
int accel_region_is_worth(int steps, int heavy, npy_intp bytes);

/* Threads that asked for the originals (brio.original()); when 0 nobody did. */
extern int accel_originals;
int accel_wants_original(void);
void accel_original_enter(void);
void accel_original_leave(void);

typedef enum accel_reason {
#define ACCEL_REASONS(X)                                                                                     \
    X(too_small)                                                                                             \
    X(predicted_slower)                                                                                      \
    X(unsupported_op)                                                                                        \
    X(unsupported_argument)                                                                                  \
    X(unsupported_dtype)                                                                                     \
    X(subclass)                                                                                              \
    X(ties)                                                                                                  \
    X(class_not_allowed)                                                                                     \
    X(not_user_code)                                                                                         \
    X(excluded)                                                                                              \
    X(disabled)                                                                                              \
    X(low_memory)                                                                                            \
    X(foreign_patch)
#define ACCEL_REASON_ENUM(name) ACCEL_##name,
    ACCEL_REASONS(ACCEL_REASON_ENUM)
#undef ACCEL_REASON_ENUM
        ACCEL_REASON_COUNT
} accel_reason;

/* Counts a call that is left to NumPy. -1 with an exception under --strict, for most reasons. */
int accel_declined(accel_reason reason);

typedef struct accel_counters {
    uint64_t evaluated, operations, fused, reductions, sorts, replays, gave_flags, verified, mismatches;
    uint64_t declined[ACCEL_REASON_COUNT];
    double seconds;
} accel_counters;
extern accel_counters accel_count;
PyObject *accel_counters_dict(void);

/* The reason why calls from the code that is running are left alone altogether, or -1. */
int accel_left_alone(void);
static inline int accel_reason_off(void)
{
    if (!accel_attached || (accel_originals && accel_wants_original()))
        return ACCEL_disabled;
    return accel_config.excludes || accel_config.scope == 'u' ? accel_left_alone() : -1;
}

static inline int accel_is_array(PyObject *object)
{
    return Py_TYPE(object) == accel_array_type;
}

extern PyTypeObject accel_node_type;
/* Nodes that are handed out and not yet consumed, in all threads. */
extern Py_ssize_t accel_pending;

static inline npy_intp accel_array_count(PyObject *object)
{
    const PyArrayObject_fields *array = (const PyArrayObject_fields *)object;
    npy_intp count = 1;
    for (int i = 0; i < array->nd; i++)
        count *= array->dimensions[i];
    return count;
}

/* A row or column from here on may broadcast to something large. */
#define ACCEL_BROADCAST_COUNT 64

int accel_is_large_grid(const PyArrayObject_fields *array);

/* The first question of every entry: whether it is worth looking at this array. */
static inline int accel_is_large_array(PyObject *object)
{
    if (Py_TYPE(object) != accel_array_type)
        return 0;
    const PyArrayObject_fields *array = (const PyArrayObject_fields *)object;
    if (array->nd == 1)
        return array->dimensions[0] >= accel_config.min_count;
    return array->nd > 1 && accel_is_large_grid(array);
}

/* The same of arrays and nodes, in a few instructions without a call; in doubt it says yes. A node may be
 * settled while nothing is pending any more. */
static inline int accel_may_be_large(PyObject *object)
{
    if (Py_TYPE(object) != accel_array_type)
        return Py_TYPE(object) == &accel_node_type;
    const PyArrayObject_fields *array = (const PyArrayObject_fields *)object;
    if (array->nd < 2)
        return array->nd == 1 && array->dimensions[0] >= accel_config.min_count;
    npy_intp plane = array->dimensions[array->nd - 1] * array->dimensions[0];
    return array->nd > 2 || plane >= ACCEL_BROADCAST_COUNT;
}

/* The same of arrays and nodes. */
static inline int accel_is_large(PyObject *object)
{
    return accel_is_large_array(object) || Py_TYPE(object) == &accel_node_type;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

typedef enum accel_form {
    ACCEL_UNARY,
    ACCEL_BINARY,
    ACCEL_POWER,
    ACCEL_COMPARE,
    ACCEL_UFUNC,
    ACCEL_WHERE
} accel_form;

/* How the original of an operation is called. */
typedef struct accel_original {
    accel_form form;
    union {
        unaryfunc unary;
        binaryfunc binary;
        ternaryfunc power;
        richcmpfunc compare;
        vectorcallfunc call;
    } as;
    int compare_op;
    PyObject *callee; /* ACCEL_UFUNC, ACCEL_WHERE; borrowed from what lives for ever */
} accel_original;

PyObject *accel_call_original(const accel_original *original, PyObject *const *objects, int n);

/* ---- Sites ----------------------------------------------------------------------------------- */

typedef struct accel_site accel_site;

/* Where an entry was called from. */
typedef struct accel_place {
    int known;  /* a frame was read */
    int user;   /* the calling code is the user's own */
    int marked; /* the result goes to a known operation: it may be a node */
    int line;
    accel_site *site; /* NULL when the instruction is none that sites.c knows */
    accel_frame frame;
} accel_place;

int accel_sites_load(void);

/* Looks the calling instruction up. `arguments` are the operands as the entry received them, `stack`
 * their address when it was called by vectorcall: both prove that the running instruction itself made
 * the call. */
void accel_place_find(accel_place *place, PyObject *const *arguments, int n, PyObject *const *stack,
                      npy_intp bytes);

/* Whether the code that (beyond NumPy's own frames) called is the user's own. */
int accel_called_by_user(void);

void accel_site_replayed(accel_site *site);

/* Whether the calling instruction (beyond NumPy's own frames) is one where an attempt was in vain. */
int accel_caller_is_closed(void);
void accel_caller_close(void);

/* Results of so many bytes at the site were not worth a region: remembered. */
void accel_site_refuse(accel_site *site, npy_intp bytes);

/* Whether `object` is a function that takes nodes. */
int accel_takes_nodes(PyObject *object);

/* ---- Nodes ----------------------------------------------------------------------------------- */

struct accel_node {
    PyObject_HEAD accel_op *op;
    accel_original original;
    uint8_t nin, dtype, external, settled, consumed;
    uint8_t loop[BRIO_MAX_IN];
    int ndim, steps, heavy, leaves, line; /* heavy: those of the steps that are */
    npy_intp shape[ACCEL_MAX_DIMS], strides[ACCEL_MAX_DIMS];
    npy_intp count;
    accel_operand in[BRIO_MAX_IN];         /* objects owned */
    PyObject *replay_objects[BRIO_MAX_IN]; /* what the original is called with: owned; may differ in number
                                              from in */
    int replay_n;
    PyObject *value; /* once settled */
    accel_site *site;
    PyCodeObject *code;          /* owned, may be NULL */
    PyObject *globals;           /* owned, may be NULL */
    accel_node *previous, *next; /* pending of this thread */
    int listed;
};

/* A new node over the operands (nodes among them are consumed), or NULL with no exception set when the
 * region would be too large; operands are untouched then. */
accel_node *accel_node_new(accel_op *op, const accel_operand *in, const accel_types *types, int ndim,
                           const npy_intp *shape, const npy_intp *strides);

/* Hands the node out: it is pending until consumed. Returns it. */
PyObject *accel_node_hand_out(accel_node *node);

/* The ndarray that a node stands for (new reference). NULL with an exception: what the original raises. */
PyObject *accel_node_value(accel_node *node);

/* Its sites hand out no nodes of this size any more. */
void accel_node_refuse(const accel_node *node, npy_intp bytes);

/* The node has gone into a reduction and needs no value any more. */
void accel_node_drop(accel_node *node);

/* Settles what this thread has pending, in order. */
int accel_settle_pending(void);

/* Settles, of what this thread has pending, what reads the array's memory; -1 with an exception. */
int accel_settle_readers(PyArrayObject *target);
int accel_reads(const accel_node *node, PyArrayObject *target);

/* The object with nodes replaced by their values (new reference). */
PyObject *accel_plain(PyObject *object);

/* ---- Evaluation ------------------------------------------------------------------------------- */

/* The arrays that an expression reads, each wrapped once. */
typedef struct accel_holder {
    int nleaves;
    PyObject *leaf[ACCEL_MAX_LEAVES];
    brio_array *wrapped[ACCEL_MAX_LEAVES];
} accel_holder;

brio_array *accel_wrap(PyArrayObject *array, int writeable);
/* The expression of a node as a pending Brio array: a new reference, or NULL. */
brio_array *accel_build(accel_node *node, accel_holder *holder);
/* The wrapped array, borrowed. */
brio_array *accel_holder_leaf(accel_holder *holder, PyObject *array);
void accel_holder_clear(accel_holder *holder);

/* Evaluates into a new ndarray. Returns NULL without an exception when Brio could not. */
PyObject *accel_evaluate(accel_node *node, uint32_t *flags);

/* Evaluates into an existing array of the same shape and dtype. 0, or -1 when Brio could not. */
int accel_evaluate_into(accel_node *node, PyArrayObject *out, uint32_t *flags);

int accel_verify_wanted(void); /* whether this call belongs to the sample of --verify */
/* --verify: runs the original beside `value` (stolen), compares, and returns the original's result. */
PyObject *accel_verify(accel_node *node, PyObject *value);
/* Compares two results and counts. `terms`, or NULL: the array that an inexact reduction went over. */
void accel_verify_compare(PyObject *ours, PyObject *theirs, int exact, PyObject *terms);
/* A copy of what Brio writes into the target, which is as before afterwards. NULL: nothing to compare. */
PyObject *accel_verify_into(accel_node *node, PyArrayObject *target);
/* Whether every operation below the node gives NumPy's bits. */
int accel_all_exact(const accel_node *node);

/* Settles a node: evaluates, looks at the conditions, replays where needed. New reference. */
PyObject *accel_settle(accel_node *node);

double accel_now(void);

/* ---- Floating-point conditions ------------------------------------------------------------------ */

int accel_errors_load(PyObject *umath);

/* Those of `flags` that the error state in force does not ignore. */
uint32_t accel_relevant(uint32_t flags);

/* Whether the error state or the warnings filters make errors of conditions: then the place of an
 * operation in a traceback matters, and nothing is fused. */
int accel_errors_raise(void);

/* Whether accel_give can report every condition itself: nothing is called, logged or printed. */
int accel_gives_all(void);

/* Reports conditions of one operation as NumPy does. 0, or -1 with the exception. 1: cannot, replay. */
int accel_give(uint32_t flags, const char *name);

/* Calls the original in a small way while nodes are pending, keeping the order of warnings. */
PyObject *accel_quiet(const accel_original *original, PyObject *const *objects, int n);
PyObject *accel_quiet_vectorcall(vectorcallfunc original, PyObject *callee, PyObject *const *args,
                                 size_t nargsf, PyObject *kwnames);

/* All operations of the node again, by NumPy. New reference or NULL with its exception. */
PyObject *accel_replay(accel_node *node);

/* ---- Entries ----------------------------------------------------------------------------------- */

/* One operation on operands of which at least one is large. `objects` are as the original takes them. */
PyObject *accel_elementwise(accel_op *op, const accel_original *original, PyObject *const *objects, int n,
                            PyObject *const *stack);
/* The original, with nodes settled first. */
PyObject *accel_decline(accel_reason reason, const accel_original *original, PyObject *const *objects, int n);

/* Operands that have been read, with dtype and shape of the result. */
typedef struct accel_attempt {
    accel_operand in[BRIO_MAX_IN];
    const accel_types *types;
    int ndim, has_node;
    npy_intp shape[ACCEL_MAX_DIMS], strides[ACCEL_MAX_DIMS];
    npy_intp out_bytes, operand_bytes; /* operand_bytes: of the largest */
} accel_attempt;

/* Returns an accel_reason against, or -1. */
int accel_prepare(accel_op *op, PyObject *const *objects, accel_attempt *at);

/* op(...) into an array that the caller gave. NULL without an exception: declined for `reason`, nothing
 * written. */
PyObject *accel_into(accel_op *op, PyObject *const *objects, PyObject *out, accel_reason *reason);

/* target op= value. */
PyObject *accel_inplace(accel_op *op, const accel_original *original, PyObject *target, PyObject *value);

/* Reduction of a node or large array; parts as ufunc.reduce takes them. NULL without exception: declined. */
typedef struct accel_reduction {
    PyObject *axis, *dtype, *out, *keepdims, *initial, *where; /* NULL: not given */
} accel_reduction;
PyObject *accel_to_numpy(brio_array *array);
PyObject *accel_reduce(accel_op *op, PyObject *array, const accel_reduction *parts);

/* The reduction as part of the node's pass. NULL without an exception: it is not to be, nothing was done. */
PyObject *accel_fuse_reduction(const char *name, accel_node *node, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames);
/* The same, or else the method of the node's value. */
PyObject *accel_reduce_node(const char *name, accel_node *node, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);

typedef struct accel_patch {
    void **where;
    void *old, *now;
    int foreign;
} accel_patch;

int accel_patch_set(void **where, void *now);
int accel_operators_load(void);

/* target op= value, the value a node. NULL without an exception: the operator has no such form. */
PyObject *accel_inplace_operator(const accel_op *op, PyObject *target, PyObject *value);
int accel_ufuncs_attach(PyObject *numpy);
int accel_reductions_attach(PyObject *numpy);
int accel_sorts_attach(void);
int accel_argsort_attach(void);

/* axis, kind and stable of a sorting method. 0: a form of call that is left alone. */
int accel_read_sort(PyObject *const *args, Py_ssize_t n, PyObject *kwnames, int ndim, int *stable);
/* Whether the array is one that is sorted along contiguous rows, long enough to gain. */
int accel_is_sortable(PyObject *self);
int accel_method_set(PyObject *type, const char *name, int flags, void **original, void *now);
int accel_detach_all(void);
int accel_patches(PyObject *list);

extern PyNumberMethods accel_node_number;
PyObject *accel_node_compare(PyObject *a, PyObject *b, int which);

#endif
