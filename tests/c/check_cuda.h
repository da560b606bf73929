/* What the two halves of check_cuda share. */
#ifndef BRIO_TESTS_CHECK_CUDA_H
#define BRIO_TESTS_CHECK_CUDA_H

#include "backend/backend.h"

/* Programs, built front to back; value numbers are returned. */
int program_input(brio_program *p, brio_dtype dtype);
int program_constant(brio_program *p, brio_dtype dtype, double number);
int program_step(brio_program *p, brio_op op,
                 const int *in); /* of the operation's own dtypes; first output */
int program_cast(brio_program *p, int from, brio_dtype to);
void program_deliver(brio_program *p, int value);

/* Exits when `status` is a failure. */
void must(brio_status status, const char *what);

/* `stream` is the CUstream on which the plug-in works. */
void time_all(const brio_backend *cuda, void *stream);

#endif
