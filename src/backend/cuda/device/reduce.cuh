/* Reductions. Before: what program.c writes (WIDTH elements of T are 16 bytes), T, KIND, CANONICAL,
 * WARP_LEAVES, WANT (which kernel).
 *
 * The space is outer x reduced x inner. brio_rows (inner 1, several blocks a row), brio_warps (inner 1, a
 * warp a row) and brio_columns (a thread a column and group of rows). Float sums and products follow the
 * canonical tree: leaves of four rows of 512 bytes, whose lanes take their elements in order and then
 * combine by halving; leaves combine by the left-balanced tree. The order of other kinds does not show. */

/* brio_reduce_kind */
#define ADD 0
#define MULTIPLY 1
#define MAXIMUM 2
#define MINIMUM 3
#define FMAX 4
#define FMIN 5
#define AND 6
#define OR 7
#define XOR 8
#define ARGMAX 9
#define ARGMIN 10

#define THREADS 256
#define WARPS 8
#define ROW (32 * WIDTH)
#define LEAF (4 * ROW)
#define IS_ARG (KIND == ARGMAX || KIND == ARGMIN)

#if IS_ARG
struct Value {
    T x;
    int64_t at; /* -1: nothing yet */
};
typedef int64_t Out;
#else
typedef T Value;
typedef T Out;
#endif

#if IS_ARG
BRIO_INLINE bool better(T a, T b)
{
    return KIND == ARGMAX ? a > b : a < b;
}

BRIO_INLINE Value combine(Value a, Value b)
{
    if (b.at < 0)
        return a;
    if (a.at < 0)
        return b;
    const bool nan_a = a.x != a.x, nan_b = b.x != b.x;
    if (nan_a || nan_b) {
        if (nan_a && nan_b)
            return a.at < b.at ? a : b;
        return nan_a ? a : b;
    }
    if (a.x == b.x)
        return a.at < b.at ? a : b;
    return better(b.x, a.x) ? b : a;
}

BRIO_INLINE Value identity()
{
    return Value{0, -1};
}

BRIO_INLINE Value shuffle_down(Value v, int by)
{
    return Value{__shfl_down_sync(0xffffffffu, v.x, by), __shfl_down_sync(0xffffffffu, v.at, by)};
}
#else
BRIO_INLINE T combine(T a, T b)
{
#if IS_BOOL
    return KIND == ADD || KIND == MAXIMUM || KIND == OR || KIND == FMAX ? a | b : KIND == XOR ? a ^ b : a & b;
#elif KIND == ADD
    return (T)((W)a + (W)b);
#elif KIND == MULTIPLY
    return (T)((W)a * (W)b);
#elif KIND == MAXIMUM
    return a >= b || a != a ? a : b;
#elif KIND == MINIMUM
    return a <= b || a != a ? a : b;
#elif KIND == FMAX
    return a >= b || b != b ? a : b;
#elif KIND == FMIN
    return a <= b || b != b ? a : b;
#elif KIND == AND
    return a & b;
#elif KIND == OR
    return a | b;
#else
    return a ^ b;
#endif
}

BRIO_INLINE T identity()
{
    return IDENTITY;
}

BRIO_INLINE T shuffle_down(T v, int by)
{
    return __shfl_down_sync(0xffffffffu, v, by);
}
#endif

BRIO_INLINE T plain(T x)
{
#if IS_BOOL
    return x != 0;
#else
    return x;
#endif
}

/* WIDTH values from element i on; those beyond `count` are `fill`. */
template <bool ALL> BRIO_INLINE void values(const Args &a, Index i, int count, T fill, T *x)
{
    Batch b;
    Result r;
    uint32_t raised = 0;
    fetch<ALL>(a, i, count, b);
#pragma unroll
    for (int j = 0; j < WIDTH; j++) {
        if (ALL || j < count) {
            compute(a, b, j, r, raised);
            x[j] = plain(r.y0[j]);
        } else {
            x[j] = fill;
        }
    }
}

/* Values of the lanes combine by the left-balanced tree; lane 0 has the result of the first `live`. */
BRIO_INLINE Value warp_tree(Value v, int live)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const Value other = shuffle_down(v, step);
        if (lane % (2 * step) == 0 && lane + step < live)
            v = combine(v, other);
    }
    return v;
}

#if CANONICAL
/* The value of a leaf of `count` elements from element i on; every lane has it. */
BRIO_INLINE T leaf(const Args &a, Index i, Index count)
{
    const int lane = threadIdx.x % 32;
    T x[4][WIDTH], s[WIDTH];
    if (count >= LEAF) {
#pragma unroll
        for (int r = 0; r < 4; r++)
            values<true>(a, i + r * ROW + lane * WIDTH, WIDTH, identity(), x[r]);
    } else {
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const int64_t left = (int64_t)count - r * ROW - lane * WIDTH;
            values<false>(a, i + r * ROW + lane * WIDTH, left < 0 ? 0 : left > WIDTH ? WIDTH : (int)left, identity(),
                          x[r]);
        }
    }
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
        s[j] = combine(combine(combine(x[0][j], x[1][j]), x[2][j]), x[3][j]);
    /* Halving: a lane keeps half of its elements and sends the others, as long as it has several. */
    int have = WIDTH;
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
        if (have > 1) {
            have /= 2;
            const bool upper = lane & by;
#pragma unroll
            for (int j = 0; j < have; j++) {
                const T keep = upper ? s[j + have] : s[j], send = upper ? s[j] : s[j + have];
                s[j] = combine(keep, __shfl_xor_sync(0xffffffffu, send, by));
            }
        } else {
            s[0] = combine(s[0], __shfl_xor_sync(0xffffffffu, s[0], by));
        }
    }
    /* What is left are the WIDTH elements of the first lane, spread over lanes. */
#pragma unroll
    for (int by = 16; by > 16 / WIDTH; by /= 2)
        s[0] = combine(s[0], __shfl_xor_sync(0xffffffffu, s[0], by));
    return s[0];
}

/* The node over at most 32 leaves, `count` elements from element i on; in lane 0. */
BRIO_INLINE T warp_value(const Args &a, Index i, Index count, int64_t position)
{
    const int lane = threadIdx.x % 32;
    const int leaves = (int)((count + LEAF - 1) / LEAF);
    T mine = identity();
#pragma unroll 2
    for (int k = 0; k < leaves; k++) {
        const T v = leaf(a, i + k * LEAF, count - k * LEAF);
        mine = lane == k ? v : mine;
    }
    return warp_tree(mine, leaves);
}
#else
/* `position` is the place of element i in its row. */
BRIO_INLINE Value warp_value(const Args &a, Index i, Index count, int64_t position)
{
    const int lane = threadIdx.x % 32;
    const Index whole = count / LEAF * LEAF;
    Value acc = identity();
    for (Index at = 0; at < whole; at += LEAF) {
        T x[4][WIDTH];
#pragma unroll
        for (int r = 0; r < 4; r++)
            values<true>(a, i + at + r * ROW + lane * WIDTH, WIDTH, 0, x[r]);
#pragma unroll
        for (int r = 0; r < 4; r++) {
#pragma unroll
            for (int j = 0; j < WIDTH; j++) {
#if IS_ARG
                const bool first = acc.at < 0;
                if (first || better(x[r][j], acc.x) || (x[r][j] != x[r][j] && acc.x == acc.x)) {
                    acc.x = x[r][j];
                    acc.at = (int)(at + r * ROW + lane * WIDTH + j);
                }
#else
                acc = combine(acc, x[r][j]);
#endif
            }
        }
    }
    for (Index at = whole + lane; at < count; at += 32) {
        T x[WIDTH];
        values<false>(a, i + at, 1, 0, x);
#if IS_ARG
        acc = combine(acc, Value{x[0], (int64_t)at});
#else
        acc = combine(acc, x[0]);
#endif
    }
#if IS_ARG
    acc.at += acc.at < 0 ? 0 : position;
#endif
    return warp_tree(acc, 32);
}
#endif

BRIO_INLINE void store_result(const Args &a, int64_t k, Value v)
{
    int64_t offset = 0;
    for (int d = (int)a.nkeep - 1; d >= 0; d--) {
        offset += k % a.keep_shape[d] * a.keep_stride[d];
        k /= a.keep_shape[d];
    }
#if IS_ARG
    *(int64_t *)(a.out + offset) = v.at;
#elif CANONICAL && KIND == ADD
    *(T *)(a.out + offset) = v + (T)0; /* a sum of nothing but -0.0 is 0.0 */
#else
    *(T *)(a.out + offset) = v;
#endif
}

#if WANT == 0
extern "C" __global__ void __launch_bounds__(THREADS) brio_warps(const __grid_constant__ Args a)
{
    const int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    if (row >= (int64_t)a.outer)
        return;
    const Value v = warp_value(a, (Index)(row * a.reduced), (Index)a.reduced, 0);
    if (threadIdx.x % 32 == 0)
        store_result(a, row, v);
}

#endif

#if WANT == 1
/* The tree over the block's first `live` threads' values; thread 0 has the result. */
BRIO_INLINE Value block_tree(Value v, int live)
{
    __shared__ Value warps[WARPS];
    const int warp = threadIdx.x / 32, before = 32 * warp;
    v = warp_tree(v, live - before < 32 ? live - before : 32);
    if (threadIdx.x % 32 == 0)
        warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = threadIdx.x < WARPS ? warps[threadIdx.x] : identity();
        v = warp_tree(v, (live + 31) / 32);
    }
    return v;
}

/* The tree over `count` values that lie one after another, a thread each; in thread 0. */
BRIO_INLINE Value join_all(const Value *from, int64_t count)
{
    int64_t each = 1;
    while (each * THREADS < count)
        each *= 2;
    const int64_t first = threadIdx.x * each, last = first + each < count ? first + each : count;
    Value waiting[24], v = identity();
    int top = 0;
    for (int64_t i = first; i < last; i++) {
        v = from[i];
        for (int64_t bits = i - first; bits & 1; bits >>= 1)
            v = combine(waiting[--top], v);
        waiting[top++] = v;
    }
    if (top > 0) {
        v = waiting[--top];
        while (top > 0)
            v = combine(waiting[--top], v);
    }
    return block_tree(v, (int)((count + each - 1) / each));
}

/* Block b works on piece b % pieces of row b / pieces: WARPS * WARP_LEAVES leaves. The last block of a row to
 * finish joins its pieces. */
extern "C" __global__ void __launch_bounds__(THREADS) brio_rows(const __grid_constant__ Args a)
{
    const Index per_warp = (Index)WARP_LEAVES * LEAF, per_block = WARPS * per_warp;
    const uint32_t pieces = (uint32_t)a.pieces, row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
    const Index start = piece * per_block + threadIdx.x / 32 * per_warp, reduced = (Index)a.reduced;
    const Index left = start < reduced ? reduced - start : 0;
    const Index in_block = reduced - piece * per_block;
    __shared__ Value nodes[WARPS];
    __shared__ bool is_last;
    Value v = identity();
    if (left > 0)
        v = warp_value(a, row * reduced + start, left < per_warp ? left : per_warp, start);
    if (threadIdx.x % 32 == 0)
        nodes[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        const int live = in_block >= per_block ? WARPS : (int)((in_block + per_warp - 1) / per_warp);
        v = threadIdx.x < WARPS ? nodes[threadIdx.x] : identity();
        v = warp_tree(v, live);
    }
    Value *values = (Value *)a.scratch + (int64_t)row * pieces;
    if (pieces == 1) {
        if (threadIdx.x == 0)
            store_result(a, row, v);
        return;
    }
    if (threadIdx.x == 0) {
        values[piece] = v;
        __threadfence();
        is_last = atomicAdd((unsigned int *)a.counters + row, 1u) == pieces - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    v = join_all(values, pieces);
    if (threadIdx.x == 0)
        store_result(a, row, v);
}

#endif

/* ---- Columns ---- */

#if WANT == 2
BRIO_INLINE Value value_at(const Args &a, Index i, int64_t row)
{
    T x[WIDTH];
    values<false>(a, i, 1, 0, x);
#if IS_ARG
    return Value{x[0], row};
#else
    return x[0];
#endif
}

/* Rows [first, last) of a column, in order. */
BRIO_INLINE Value column_block(const Args &a, Index i, int64_t first, int64_t last)
{
    const Index inner = (Index)a.inner;
    Value acc = value_at(a, i, first);
    int64_t r = first + 1;
    i += inner;
    for (; r + 8 <= last; r += 8, i += 8 * inner) {
        Value x[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            x[k] = value_at(a, i + k * inner, r + k);
#pragma unroll
        for (int k = 0; k < 8; k++)
            acc = combine(acc, x[k]);
    }
    for (; r < last; r++, i += inner)
        acc = combine(acc, value_at(a, i, r));
    return acc;
}

extern "C" __global__ void __launch_bounds__(THREADS) brio_columns(const __grid_constant__ Args a)
{
    const int64_t task = (int64_t)blockIdx.x * THREADS + threadIdx.x, all = a.outer * a.inner;
    if (task >= all * (int64_t)a.groups)
        return;
    const int64_t place = task % all, group = task / all, outer = place / a.inner, column = place % a.inner;
    const int64_t first = group * a.group;
    const int64_t last = first + a.group < (int64_t)a.reduced ? first + a.group : a.reduced;
    const Index base = (Index)(outer * a.reduced * a.inner + column);
    Value waiting[40];
    int top = 0;
    for (int64_t row = first, count = 0; row < last; row += 128, count++) {
        Value v = column_block(a, base + (Index)(row * a.inner), row, row + 128 < last ? row + 128 : last);
        for (int64_t bits = count; bits & 1; bits >>= 1)
            v = combine(waiting[--top], v);
        waiting[top++] = v;
    }
    Value v = waiting[--top];
    while (top > 0)
        v = combine(waiting[--top], v);
    if (a.groups == 1)
        store_result(a, place, v);
    else
        ((Value *)a.scratch)[group * all + place] = v;
}

#endif

#if WANT == 3
/* Joins the groups of each column. */
extern "C" __global__ void __launch_bounds__(THREADS) brio_groups(const __grid_constant__ Args a)
{
    const int64_t place = (int64_t)blockIdx.x * THREADS + threadIdx.x, all = a.outer * a.inner;
    if (place >= all)
        return;
    Value waiting[40];
    int top = 0;
    for (int64_t g = 0; g < (int64_t)a.groups; g++) {
        Value v = ((const Value *)a.scratch)[g * all + place];
        for (int64_t bits = g; bits & 1; bits >>= 1)
            v = combine(waiting[--top], v);
        waiting[top++] = v;
    }
    Value v = waiting[--top];
    while (top > 0)
        v = combine(waiting[--top], v);
    store_result(a, place, v);
}
#endif
