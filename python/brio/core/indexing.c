/* Subscripts: from Python's keys to the index list of the library. */
#include "core.h"

/* A parsed subscript and the arrays made for it. */
typedef struct subscript {
    int count;
    int made;
    int basic; /* no array among the indices */
    brio_index index[BRIO_MAX_DIMS + BRIO_MAX_DIMS];
    PyObject *arrays[BRIO_MAX_DIMS + BRIO_MAX_DIMS];
} subscript;

#define SUBSCRIPT_ROOM (2 * BRIO_MAX_DIMS)

static void clear(subscript *s)
{
    for (int i = 0; i < s->made; i++)
        Py_DECREF(s->arrays[i]);
}

static int not_an_index(void)
{
    PyErr_SetString(
        PyExc_IndexError,
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
        "arrays are valid indices");
    return -1;
}

static int add_int(brio_index *to, PyObject *object)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (number == -1 && PyErr_Occurred())
        return -1;
    if (overflow) {
        PyErr_Format(PyExc_IndexError, "cannot fit '%.100s' into an index-sized integer",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    to->kind = BRIO_INDEX_INT;
    to->start = number;
    return 0;
}

/* A bound of a slice, clipped to 64 bits as Python clips it. */
static int slice_bound(PyObject *object, int *has, int64_t *out)
{
    *has = object != Py_None;
    *out = 0;
    if (!*has)
        return 0;
    Py_ssize_t bound;
    if (PyLong_CheckExact(object)) {
        bound = PyLong_AsSsize_t(object);
        if (bound != -1 || !PyErr_Occurred()) {
            *out = bound;
            return 0;
        }
        PyErr_Clear();
    }
    if (!PyIndex_Check(object)) {
        PyErr_SetString(PyExc_TypeError,
                        "slice indices must be integers or None or have an __index__ method");
        return -1;
    }
    bound = PyNumber_AsSsize_t(object, NULL);
    if (bound == -1 && PyErr_Occurred())
        return -1;
    *out = bound;
    return 0;
}

static int add_slice(brio_index *to, PyObject *object)
{
    PySliceObject *slice = (PySliceObject *)object;
    int has_step;
    to->kind = BRIO_INDEX_SLICE;
    if (slice_bound(slice->start, &to->has_start, &to->start) < 0 ||
        slice_bound(slice->stop, &to->has_stop, &to->stop) < 0 ||
        slice_bound(slice->step, &has_step, &to->step) < 0)
        return -1;
    if (!has_step)
        to->step = 1;
    if (to->step == 0) {
        PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
        return -1;
    }
    if (to->step < -INT64_MAX)
        to->step = -INT64_MAX;
    return 0;
}

/* `array` is taken over. */
static int add_array(subscript *s, PyObject *array)
{
    brio_array_layout layout = core_layout(core_array(array));
    char kind = brio_dtype_kind(layout.dtype);
    brio_index *to = &s->index[s->count];
    if (layout.ndim == 0 && (kind == 'i' || kind == 'u')) {
        PyObject *number = PyNumber_Index(array);
        Py_DECREF(array);
        int failed = !number || add_int(to, number) < 0;
        Py_XDECREF(number);
        return failed ? -1 : 0;
    }
    s->arrays[s->made++] = array;
    if (kind != 'b' && kind != 'i' && kind != 'u') {
        PyErr_SetString(PyExc_IndexError, "arrays used as indices must be of integer (or boolean) type");
        return -1;
    }
    to->kind = BRIO_INDEX_ARRAY;
    to->array = core_array(array);
    s->basic = 0;
    return 0;
}

static int add_sequence(subscript *s, PyObject *object)
{
    PyObject *array = core_from_sequence(object, -1);
    if (!array)
        return -1;
    brio_array_layout layout = core_layout(core_array(array));
    if (layout.count == 0 && layout.dtype == BRIO_F64) { /* [] holds no float */
        PyObject *empty = core_cast(array, BRIO_I64, BRIO_CAST_UNSAFE, 'C');
        Py_SETREF(array, empty);
        if (!array)
            return -1;
    }
    return add_array(s, array);
}

static int add_bool(subscript *s, PyObject *object)
{
    PyObject *array = core_from_scalar(object, BRIO_BOOL);
    return array ? add_array(s, array) : -1;
}

static int add(subscript *s, PyObject *key)
{
    if (s->count == SUBSCRIPT_ROOM) {
        PyErr_SetString(PyExc_IndexError, "too many indices for array");
        return -1;
    }
    brio_index *to = &s->index[s->count];
    int result;
    if (PyLong_CheckExact(key)) {
        result = add_int(to, key);
    } else if (PySlice_Check(key)) {
        result = add_slice(to, key);
    } else if (key == Py_Ellipsis || key == Py_None) {
        to->kind = key == Py_None ? BRIO_INDEX_NEWAXIS : BRIO_INDEX_ELLIPSIS;
        result = 0;
    } else if (PyBool_Check(key)) {
        result = add_bool(s, key);
    } else if (core_is_array(key)) {
        result = add_array(s, Py_NewRef(key));
    } else if (core_is_numpy_array(key)) {
        PyObject *array = core_borrow(key);
        result = array ? add_array(s, array) : -1;
    } else if (PyList_Check(key) || PyTuple_Check(key) || PyRange_Check(key)) {
        result = add_sequence(s, key);
    } else if (core_is_numpy_scalar(key) && !PyIndex_Check(key)) {
        PyObject *array = core_borrow(key);
        result = array ? add_array(s, array) : -1;
        if (result < 0 || to->kind != BRIO_INDEX_ARRAY)
            result = PyErr_Occurred() ? -1 : result;
    } else if (PyIndex_Check(key)) {
        PyObject *number = PyNumber_Index(key);
        result = number ? add_int(to, number) : -1;
        Py_XDECREF(number);
    } else {
        result = not_an_index();
    }
    s->count += result == 0;
    return result;
}

static int parse(subscript *s, PyObject *key)
{
    s->count = s->made = 0;
    s->basic = 1;
    if (!PyTuple_Check(key))
        return add(s, key);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); i++) {
        if (add(s, PyTuple_GET_ITEM(key, i)) < 0)
            return -1;
    }
    return 0;
}

static PyObject *take_index(PyObject *self, const subscript *s)
{
    brio_array *array = core_array(self), *result;
    PyThreadState *state = core_work_begin(s->basic ? 0 : core_layout(array).count);
    brio_status status = brio_array_index(array, s->index, s->count, &result);
    core_work_end(state);
    if (status != BRIO_OK)
        return core_error(status);
    return s->basic ? core_wrap_view(result, self) : core_wrap(result);
}

PyObject *core_item(PyObject *self, Py_ssize_t index)
{
    brio_index one;
    memset(&one, 0, sizeof one);
    one.kind = BRIO_INDEX_INT;
    one.start = index;
    brio_array *result;
    brio_status status = brio_array_index(core_array(self), &one, 1, &result);
    return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
}

PyObject *core_subscript(PyObject *self, PyObject *key)
{
    if (PyLong_CheckExact(key) || PySlice_Check(key)) { /* the short way of a small call */
        brio_index one;
        memset(&one, 0, sizeof one);
        if ((PyLong_CheckExact(key) ? add_int(&one, key) : add_slice(&one, key)) < 0)
            return NULL;
        brio_array *result;
        brio_status status = brio_array_index(core_array(self), &one, 1, &result);
        return status == BRIO_OK ? core_wrap_view(result, self) : core_error(status);
    }
    subscript s;
    PyObject *result = parse(&s, key) < 0 ? NULL : take_index(self, &s);
    clear(&s);
    return result;
}

/* The offset in bytes of the element that as many ints as dimensions name; -1 with IndexError. */
static int64_t element_offset(const brio_array_layout *layout, PyObject *const *ints)
{
    int64_t offset = 0;
    for (int i = 0; i < layout->ndim; i++) {
        int overflow;
        int64_t at = PyLong_AsLongLongAndOverflow(ints[i], &overflow), n = layout->shape[i];
        if (overflow || at < -n || at >= n) {
            PyErr_Format(PyExc_IndexError, "index %S is out of bounds for axis %d with size %lld", ints[i], i,
                         (long long)n);
            return -1;
        }
        offset += (at < 0 ? at + n : at) * layout->strides[i];
    }
    return offset;
}

/* The short way of x[i, j] = number. 1: done; 0: not of that kind; -1: exception. */
static int assign_element(PyObject *self, PyObject *key, PyObject *value)
{
    int one = PyLong_CheckExact(key);
    if ((!one && !PyTuple_CheckExact(key)) ||
        (!PyLong_CheckExact(value) && !PyFloat_CheckExact(value) && !PyBool_Check(value)))
        return 0;
    brio_array *array = core_array(self);
    brio_array_layout layout = core_layout(array);
    if (layout.ndim != (one ? 1 : PyTuple_GET_SIZE(key)) || !layout.writeable)
        return 0;
    PyObject *const *ints = one ? &key : &PyTuple_GET_ITEM(key, 0);
    for (int i = 0; i < layout.ndim; i++) {
        if (!PyLong_CheckExact(ints[i]))
            return 0;
    }
    brio_value element;
    int64_t offset = element_offset(&layout, ints);
    if (PyErr_Occurred() || core_value(value, layout.dtype, &element) < 0)
        return -1;
    void *data;
    brio_status status = brio_array_data(array, BRIO_READWRITE, &data);
    if (status != BRIO_OK)
        return core_fail(status);
    memcpy((char *)data + offset, &element, brio_dtype_size(layout.dtype));
    return 1;
}

int core_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    int done = assign_element(self, key, value);
    if (done)
        return done < 0 ? -1 : 0;
    subscript s;
    core_operand from = {{0}, NULL, 0};
    int result = -1;
    if (parse(&s, key) == 0 && core_operand_get(value, &from) == 0 &&
        core_operand_fits(&from, core_array(self)) == 0) {
        brio_array *array = core_array(self);
        PyThreadState *state = core_work_begin(core_layout(array).count);
        brio_status status = brio_array_assign(array, s.index, s.count, &from.operand);
        core_work_end(state);
        result = status == BRIO_OK ? 0 : core_fail(status);
    }
    core_operand_clear(&from);
    clear(&s);
    return result;
}
