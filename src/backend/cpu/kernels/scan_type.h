/* Every running reduction of one type. Included with T, SUFFIXED(x), ADD(a, b), MULTIPLY(a, b),
 * MAXIMUM(a, b) and MINIMUM(a, b); it undefines T and SUFFIXED. */

#define NAME(x) SUFFIXED(scan_add_##x)
#define OP(a, b) ADD(a, b)
#include "scan_one.h"
#define NAME(x) SUFFIXED(scan_multiply_##x)
#define OP(a, b) MULTIPLY(a, b)
#include "scan_one.h"
#define NAME(x) SUFFIXED(scan_maximum_##x)
#define OP(a, b) MAXIMUM(a, b)
#include "scan_one.h"
#define NAME(x) SUFFIXED(scan_minimum_##x)
#define OP(a, b) MINIMUM(a, b)
#include "scan_one.h"

static const brio_scan_ops SUFFIXED(scan_ops)[4] = {
    {SUFFIXED(scan_add_totals), SUFFIXED(scan_add_apply), SUFFIXED(scan_add_run), SUFFIXED(scan_add_step)},
    {SUFFIXED(scan_multiply_totals), SUFFIXED(scan_multiply_apply), SUFFIXED(scan_multiply_run),
     SUFFIXED(scan_multiply_step)},
    {SUFFIXED(scan_maximum_totals), SUFFIXED(scan_maximum_apply), SUFFIXED(scan_maximum_run),
     SUFFIXED(scan_maximum_step)},
    {SUFFIXED(scan_minimum_totals), SUFFIXED(scan_minimum_apply), SUFFIXED(scan_minimum_run),
     SUFFIXED(scan_minimum_step)},
};

#undef T
#undef SUFFIXED
