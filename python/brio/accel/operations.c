/* The operations that NumPy and Brio share, and what NumPy's own resolver says of their dtypes. */
#include "interpose.h"

#include <string.h>

accel_op accel_ops[ACCEL_MAX_OPS];
int accel_op_count;

/* Not NumPy's meaning under operands that Brio takes, or nothing to gain. */
static const char *const left_alone[] = {"matmul", "divmod", "frexp", "modf", "ldexp", "where", NULL};

accel_op *accel_op_by_name(const char *name)
{
    for (int i = 0; i < accel_op_count; i++)
        if (strcmp(accel_ops[i].name, name) == 0)
            return &accel_ops[i];
    return NULL;
}

/* Open addressing by the object's address; twice as many places as operations at least. */
static struct {
    PyObject *ufunc;
    accel_op *op;
} by_ufunc[4 * ACCEL_MAX_OPS];

static size_t place_of(PyObject *ufunc)
{
    return ((uintptr_t)ufunc >> 4) % (4 * ACCEL_MAX_OPS);
}

accel_op *accel_op_by_ufunc(PyObject *ufunc)
{
    for (size_t at = place_of(ufunc); by_ufunc[at].ufunc; at = (at + 1) % (4 * ACCEL_MAX_OPS))
        if (by_ufunc[at].ufunc == ufunc)
            return by_ufunc[at].op;
    return NULL;
}

static void index_ufunc(accel_op *op)
{
    size_t at = place_of((PyObject *)op->ufunc);
    while (by_ufunc[at].ufunc)
        at = (at + 1) % (4 * ACCEL_MAX_OPS);
    by_ufunc[at].ufunc = (PyObject *)op->ufunc;
    by_ufunc[at].op = op;
}

static int is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return 1;
    return 0;
}

/* Operations of which NumPy reports no floating-point conditions. */
static const char *const silent_names[] = {
    "negative",   "positive",    "absolute",    "fabs",    "sign",       "conjugate", "logical_and",
    "logical_or", "logical_xor", "logical_not", "less",    "less_equal", "greater",   "greater_equal",
    "equal",      "not_equal",   "maximum",     "minimum", "fmax",       "fmin",      "clip",
    "where",      "isfinite",    "isinf",       "isnan",   "signbit",    "copysign",  "floor",
    "ceil",       "trunc",       "rint",        NULL};
static const char *const plain_flag_names[] = {"add",  "subtract", "multiply",   "divide",
                                               "sqrt", "square",   "reciprocal", NULL};
static const char *const divisor_names[] = {"floor_divide", "remainder",  "fmod", "gcd",
                                            "lcm",          "reciprocal", NULL};
static const char *const exponent_names[] = {"power", "left_shift", "right_shift", NULL};

/* Operations that NumPy does about as fast as memory allows: alone they have nothing to gain. */
static const char *const light_names[] = {
    "add",          "subtract",    "multiply",   "divide",      "negative",    "positive",      "conjugate",
    "absolute",     "fabs",        "sign",       "square",      "reciprocal",  "maximum",       "minimum",
    "fmax",         "fmin",        "less",       "less_equal",  "greater",     "greater_equal", "equal",
    "not_equal",    "logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and",   "bitwise_or",
    "bitwise_xor",  "invert",      "left_shift", "right_shift", "isnan",       "isinf",         "isfinite",
    "signbit",      "copysign",    "floor",      "ceil",        "trunc",       "rint",          "clip",
    "floor_divide", "remainder",   "fmod",       NULL};

static int danger_of(const char *name)
{
    return is_among(name, divisor_names)    ? ACCEL_DANGER_DIVISOR
           : is_among(name, exponent_names) ? ACCEL_DANGER_EXPONENT
           : strcmp(name, "clip") == 0      ? ACCEL_DANGER_BOUND
                                            : ACCEL_NO_DANGER;
}

static accel_op *add_op(const char *name, brio_op number, int nin, int exact)
{
    size_t combinations = nin == 1 ? ACCEL_KINDS : nin == 2 ? ACCEL_KINDS * ACCEL_KINDS : 0;
    if (nin == 3)
        combinations = ACCEL_KINDS * ACCEL_KINDS * ACCEL_KINDS;
    accel_types *types = PyMem_Calloc(combinations, sizeof *types);
    if (!types)
        return NULL;
    accel_op *op = &accel_ops[accel_op_count++];
    *op = (accel_op){.name = name, .op = number, .nin = nin, .exact = exact, .types = types};
    op->silent = is_among(name, silent_names);
    op->plain_flags = is_among(name, plain_flag_names) || op->silent;
    op->danger = danger_of(name);
    op->light = is_among(name, light_names);
    op->is_power = strcmp(name, "power") == 0;
    return op;
}

static int load_one(PyObject *umath, brio_op number)
{
    brio_op_info info = {.size = sizeof info};
    if (brio_op_describe(number, &info) != BRIO_OK || info.nout != 1 || info.nin < 1 || info.nin > 3 ||
        accel_op_count >= ACCEL_MAX_OPS)
        return 0;
    if (strcmp(info.name, "where") == 0)
        return add_op(info.name, number, 3, 1) ? 0 : -1;
    if (is_among(info.name, left_alone))
        return 0;
    PyObject *ufunc = PyObject_GetAttrString(umath, info.name);
    if (!ufunc) {
        PyErr_Clear();
        return 0;
    }
    if (Py_TYPE(ufunc) == &PyUFunc_Type && ((PyUFuncObject *)ufunc)->nin == info.nin &&
        ((PyUFuncObject *)ufunc)->nout == 1) {
        accel_op *op = add_op(info.name, number, info.nin, info.ulp == 0);
        if (!op) {
            Py_DECREF(ufunc);
            return -1;
        }
        op->ufunc = (PyUFuncObject *)ufunc; /* kept for good */
        index_ufunc(op);
        return 0;
    }
    Py_DECREF(ufunc);
    return 0;
}

int accel_ops_load(PyObject *umath)
{
    if (accel_op_count)
        return 0;
    for (brio_op number = 0; number < brio_op_count(); number++)
        if (load_one(umath, number) < 0) {
            PyErr_NoMemory();
            return -1;
        }
    return 0;
}

static PyObject *kind_object(uint8_t kind)
{
    if (kind == ACCEL_WEAK_INT)
        return Py_NewRef((PyObject *)&PyLong_Type);
    if (kind == ACCEL_WEAK_FLOAT)
        return Py_NewRef((PyObject *)&PyFloat_Type);
    return Py_NewRef((PyObject *)accel_descr[kind]);
}

static int brio_code(PyObject *descr)
{
    for (int i = 0; i < BRIO_DTYPE_COUNT; i++)
        if (accel_descr[i] && descr == (PyObject *)accel_descr[i])
            return i;
    return -1;
}

/* Asks ufunc.resolve_dtypes. The answer stays: it depends on nothing else. */
static void ask(accel_op *op, const uint8_t *kinds, accel_types *types)
{
    PyObject *given = PyTuple_New(op->nin + 1);
    if (!given)
        return;
    for (int i = 0; i < op->nin; i++)
        PyTuple_SET_ITEM(given, i, kind_object(kinds[i]));
    PyTuple_SET_ITEM(given, op->nin, Py_NewRef(Py_None));
    PyObject *answer = PyObject_CallMethod((PyObject *)op->ufunc, "resolve_dtypes", "(O)", given);
    Py_DECREF(given);
    if (!answer)
        return;
    int ok = PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) == op->nin + 1;
    for (int i = 0; ok && i <= op->nin; i++) {
        int code = brio_code(PyTuple_GET_ITEM(answer, i));
        ok = code >= 0;
        if (ok && i < op->nin)
            types->in[i] = (uint8_t)code;
        else if (ok)
            types->out = (uint8_t)code;
    }
    types->supported = (uint8_t)ok;
    Py_DECREF(answer);
}

/* Finds the loop that NumPy would run. */
static void remember_loop(const accel_op *op, accel_types *types)
{
    const PyUFuncObject *ufunc = op->ufunc;
    types->loop = 255;
    for (int i = 0; i < ufunc->ntypes && i < 255; i++) {
        const char *row = ufunc->types + i * ufunc->nargs;
        int same = row[op->nin] == accel_descr[types->out]->type_num;
        for (int j = 0; same && j < op->nin; j++)
            same = row[j] == accel_descr[types->in[j]]->type_num;
        if (same) {
            types->loop = (uint8_t)i;
            types->function = ufunc->functions[i];
            return;
        }
    }
}

/* np.where: the dtype is that of the two values together, as `maximum` has it. */
static void ask_where(const uint8_t *kinds, accel_types *types)
{
    accel_op *like = accel_op_by_name("maximum");
    const accel_types *both = like && kinds[0] == BRIO_BOOL ? accel_resolve(like, kinds + 1) : NULL;
    if (!both)
        return;
    types->in[0] = BRIO_BOOL;
    types->in[1] = types->in[2] = types->out = both->out;
    types->supported = 1;
}

const accel_types *accel_resolve(accel_op *op, const uint8_t *kinds)
{
    size_t at = 0;
    for (int i = 0; i < op->nin; i++)
        at = at * ACCEL_KINDS + kinds[i];
    accel_types *types = &op->types[at];
    if (!types->known) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        if (op->ufunc)
            ask(op, kinds, types);
        else
            ask_where(kinds, types);
        if (op->ufunc && types->supported)
            remember_loop(op, types);
        types->known = 1;
        PyErr_Restore(type, value, trace);
    }
    if (!types->supported ||
        (op->ufunc && types->loop != 255 && op->ufunc->functions[types->loop] != types->function))
        return NULL;
    return types;
}
