/* Integer division by one divisor: a multiplication and shifts (Granlund and Montgomery, "Division by
 * invariant integers using multiplication", 1994, figure 4.1). Loops whose divisors are all one take this
 * way, so that a // 7 is a vector loop. Included by loops.inc with T, U, SUFFIX, FAMILY. */

#define DIVIDE(name) BRIO_PASTE(divide_##name##_, SUFFIX)
#define IS_SIGNED (FAMILY == 1)

typedef BRIO_PASTE(BRIO_DOUBLE_, SUFFIX) DIVIDE(wide);

typedef struct DIVIDE(by) {
    U divisor, factor; /* the magnitude */
    int first, second; /* shifts */
} DIVIDE(by);

static DIVIDE(by) DIVIDE(prepare)(U divisor)
{
    int log = 0;
    while (log < BITS && (DIVIDE(wide))1 << log < divisor)
        log++;
    const DIVIDE(wide) above = (DIVIDE(wide))(((DIVIDE(wide))1 << log) - divisor);
    const U factor = (U)((DIVIDE(wide))(above << BITS) / divisor + 1);
    return (DIVIDE(by)){divisor, factor, log > 0, log > 0 ? log - 1 : 0};
}

BRIO_INLINE U DIVIDE(quotient)(U x, DIVIDE(by) by)
{
    const U high = (U)((DIVIDE(wide))((DIVIDE(wide))x * by.factor) >> BITS);
    return (U)((U)(high + (U)((U)(x - high) >> by.first)) >> by.second);
}

/* All bits when a is negative. */
BRIO_INLINE U DIVIDE(sign)(T a)
{
    return (U)(IS_SIGNED ? a >> (BITS - 1) : 0);
}

/* Rounded down. `negative`: the divisor is below zero. */
BRIO_INLINE U DIVIDE(floor)(T a, DIVIDE(by) by, int negative)
{
    const U sign = (U)(negative ? 0 - (W)(a > 0) : (W)DIVIDE(sign)(a));
    const U x = negative ? (U)(0 - (W)a) : (U)a;
    return (U)(DIVIDE(quotient)((U)(x ^ sign), by) ^ sign);
}

BRIO_INLINE U DIVIDE(modulo)(T a, DIVIDE(by) by, int negative)
{
    const U whole = (U)((W)DIVIDE(floor)(a, by, negative) * by.divisor);
    return (U)(negative ? (W)(U)a + whole : (W)(U)a - whole);
}

/* What rounding towards zero leaves. */
BRIO_INLINE U DIVIDE(rest)(T a, DIVIDE(by) by)
{
    const U sign = DIVIDE(sign)(a), x = (U)(((U)a ^ sign) - sign);
    const U rest = (U)(x - (W)DIVIDE(quotient)(x, by) * by.divisor);
    return (U)((rest ^ sign) - sign);
}

#define DIVIDE_LOOP(expression)                                                                              \
    BRIO_IVDEP                                                                                               \
    for (int64_t i = 0; i < n; i++)                                                                          \
        py[i] = (T)(expression);                                                                             \
    return;

static void DIVIDE(floor_all)(const T *pa, T *py, int64_t n, DIVIDE(by) by, int negative)
{
    if (negative) {
        DIVIDE_LOOP(DIVIDE(floor)(pa[i], by, 1))
    }
    DIVIDE_LOOP(DIVIDE(floor)(pa[i], by, 0))
}

static void DIVIDE(modulo_all)(const T *pa, T *py, int64_t n, DIVIDE(by) by, int negative)
{
    if (negative) {
        DIVIDE_LOOP(DIVIDE(modulo)(pa[i], by, 1))
    }
    DIVIDE_LOOP(DIVIDE(modulo)(pa[i], by, 0))
}

static void DIVIDE(rest_all)(const T *pa, T *py, int64_t n, DIVIDE(by) by, int negative)
{
    (void)negative;
    DIVIDE_LOOP(DIVIDE(rest)(pa[i], by))
}

/* Whether there is one divisor, none that conditions or overflow go with. */
static int DIVIDE(is_by_one)(const T *pb, int64_t n)
{
    const T divisor = pb[0];
    if (n < DIVIDE_MIN || divisor == 0 || (IS_SIGNED && divisor == (T)-1) || pb[n - 1] != divisor)
        return 0;
    for (int64_t begin = 0; begin < n; begin += DIVIDE_MIN) {
        const int64_t end = begin + DIVIDE_MIN < n ? begin + DIVIDE_MIN : n;
        U differ = 0;
        for (int64_t i = begin; i < end; i++)
            differ |= (U)(pb[i] ^ divisor);
        if (differ)
            return 0;
    }
    return 1;
}

static void DIVIDE(loop)(char *const *args, int64_t n, brio_loop each,
                         void (*all)(const T *, T *, int64_t, DIVIDE(by), int))
{
    const T *pb = (const T *)(const void *)args[1];
    if (n == 0 || !DIVIDE(is_by_one)(pb, n)) {
        each(args, n);
        return;
    }
    const int negative = DIVIDE(sign)(pb[0]) != 0;
    const U magnitude = (U)(negative ? 0 - (W)pb[0] : (W)pb[0]);
    all((const T *)(const void *)args[0], (T *)(void *)args[2], n, DIVIDE(prepare)(magnitude), negative);
}

#undef DIVIDE_LOOP
#undef IS_SIGNED
#undef DIVIDE
