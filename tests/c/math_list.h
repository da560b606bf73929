/* Every elementary function: included with UNARY and BINARY defined, so without a guard. */
UNARY(exp)
UNARY(exp2)
UNARY(expm1)
UNARY(log)
UNARY(sin)
UNARY(cos)
