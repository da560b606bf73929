/* What check_forms needs to know of an operation: its operands, how wrong a result is, its conditions. */
#ifndef BRIO_TESTS_FORMS_H
#define BRIO_TESTS_FORMS_H

#include "backend/backend.h"
#include "backend/cpu/kernels.h"

typedef struct form_case {
    const char *name;
    brio_op op;
    int slot, nin, nout, ulp;
    uint32_t conditions;
    brio_dtype in[BRIO_MAX_IN], out[BRIO_MAX_OUT];
} form_case;

/* The level compiled without vectors, in tests/c/meson.build. */
const brio_cpu_kernels *brio_cpu_kernels_reference(void);

const char *form_slot_name(int slot);

/* What the loop of an operation for a slot reads and writes; 0 when there is none such. */
int form_make_case(brio_op op, int slot, form_case *out);

/* `count` operands number k: first the extremes, so that all inputs together meet each with each, then
 * random ones. malloc'ed. */
char *form_operand(const form_case *c, int k, int64_t count);
int64_t form_extreme_count(const form_case *c);

/* Operands of everyday size, in the domain of the operation. */
char *form_ordinary_operand(const form_case *c, int k, int64_t count);

/* The error of result i in units in its last place, against the C library in more precision; 0 for a
 * NaN or an infinity that is right, infinite for one that is wrong. */
double form_error(const form_case *c, char *const *in, const char *out, int64_t i);
void form_describe(const form_case *c, char *const *in, const char *out, int64_t i, double error, char *text,
                   size_t size);

/* The conditions (DIVIDE, OVERFLOW, INVALID) that the loop raises over n elements which are all 1 but
 * the middle one, which is at in[..]. */
uint32_t form_conditions(const form_case *c, brio_loop loop, char *const *in, int64_t n);

#endif
