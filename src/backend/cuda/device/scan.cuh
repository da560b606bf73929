/* Running reductions. Before: T, W, KIND (0 add, 1 multiply, 2 maximum, 3 minimum), IS_BOOL, EXCLUSIVE, IDENTITY,
 * SHOWN (what an exclusive scan begins with), ROW_DIMS, WANT (which kernel).
 *
 * Long contiguous rows are cut into tiles of 1024 elements, each taken from left to right by one thread; a
 * tile's prefix is the combination, largest first, of the complete groups of a power of two of tiles before
 * it. Other rows: one thread each, from left to right. */
#include "prelude.cuh"

#define TILE 1024
#define WARPS 4
#define CHUNK 1024 /* nodes that one block of brio_levels joins */

struct Args {
    uint64_t length, tiles, nrows, groups; /* groups: of 32 tiles in a row */
    const char *in;
    char *out, *totals;
    uint64_t level, level_nodes; /* brio_levels: which level it begins with, its nodes in a row */
    int64_t in_stride, out_stride;
    int64_t shape[ROW_DIMS], in_rows[ROW_DIMS], out_rows[ROW_DIMS];
};

BRIO_INLINE T combine(T a, T b)
{
#if IS_BOOL
    return KIND == 0 || KIND == 2 ? a | b : a & b;
#elif KIND == 0
    return (T)((W)a + (W)b);
#elif KIND == 1
    return (T)((W)a * (W)b);
#elif KIND == 2
    return a >= b || a != a ? a : b;
#else
    return a <= b || a != a ? a : b;
#endif
}

BRIO_INLINE void locate(const Args &a, uint64_t row, const char *&in, char *&out)
{
    in = a.in;
    out = a.out;
    for (int d = ROW_DIMS - 1; d >= 0; d--) {
        const uint64_t at = row % a.shape[d];
        row /= a.shape[d];
        in += at * a.in_rows[d];
        out += at * a.out_rows[d];
    }
}

/* Nodes of all levels of a row: level l has tiles >> l of them, and begins behind those below. */
BRIO_INLINE T *level_of(const Args &a, uint64_t row, int level)
{
    uint64_t at = 0;
    for (int l = 0; l < level; l++)
        at += a.tiles >> l;
    return (T *)a.totals + row * 2 * a.tiles + at;
}

/* Rows of 32 tiles, 32 elements at a time: read along the tiles, used by a thread a tile. */
typedef T Square[32][33];

BRIO_INLINE void read_square(const T *in, uint64_t first, uint64_t length, int column, Square &square)
{
    const int lane = threadIdx.x % 32;
    const uint64_t at = first * TILE + column + lane;
    T x[32];
    if (at + 31 * TILE < length) {
#pragma unroll
        for (int k = 0; k < 32; k++)
            x[k] = in[at + k * TILE];
    } else {
#pragma unroll
        for (int k = 0; k < 32; k++)
            x[k] = at + k * TILE < length ? in[at + k * TILE] : (T)0;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 32; k++)
        square[k][lane] = x[k];
    __syncwarp();
}

BRIO_INLINE void write_square(T *out, uint64_t first, uint64_t length, int column, const Square &square)
{
    const int lane = threadIdx.x % 32;
    const uint64_t at = first * TILE + column + lane;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 32; k++)
        if (at + k * TILE < length)
            out[at + k * TILE] = square[k][lane];
}

#if WANT == 1
extern "C" __global__ void __launch_bounds__(32 * WARPS) brio_totals(const __grid_constant__ Args a)
{
    __shared__ Square squares[WARPS];
    Square &square = squares[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    const uint64_t task = (uint64_t)blockIdx.x * WARPS + threadIdx.x / 32, row = task / a.groups;
    if (row >= a.nrows)
        return;
    const uint64_t first = task % a.groups * 32, tile = first + lane;
    const char *in;
    char *out;
    locate(a, row, in, out);
    T total = 0;
    for (int column = 0; column < TILE; column += 32) {
        read_square((const T *)in, first, a.length, column, square);
#pragma unroll
        for (int c = 0; c < 32; c++)
            total = column + c == 0 ? square[lane][c] : combine(total, square[lane][c]);
    }
    if ((tile + 1) * TILE <= a.length)
        level_of(a, row, 0)[tile] = total;
}

#endif

#if WANT == 2
/* Ten levels above a.level: block b joins CHUNK nodes. blockIdx.y is the row. */
extern "C" __global__ void __launch_bounds__(CHUNK / 2) brio_levels(const __grid_constant__ Args a)
{
    __shared__ T nodes[CHUNK];
    const uint64_t base = (uint64_t)blockIdx.x * CHUNK, row = blockIdx.y;
    const T *from = level_of(a, row, (int)a.level);
    for (int i = threadIdx.x; i < CHUNK; i += CHUNK / 2)
        nodes[i] = base + i < a.level_nodes ? from[base + i] : (T)0;
    for (int step = 1; CHUNK >> step > 0 && a.level_nodes >> step > 0; step++) {
        const int live = CHUNK >> step, i = threadIdx.x;
        T v = 0;
        __syncthreads();
        if (i < live)
            v = combine(nodes[2 * i], nodes[2 * i + 1]);
        __syncthreads();
        if (i < live) {
            nodes[i] = v;
            const uint64_t at = (base >> step) + i;
            if (at < a.level_nodes >> step)
                level_of(a, row, (int)a.level + step)[at] = v;
        }
    }
}

#endif

#if WANT == 3
BRIO_INLINE T prefix_of(const Args &a, uint64_t row, uint64_t tile)
{
    T prefix = IDENTITY;
    const T *level = level_of(a, row, 0);
    uint64_t offsets = 0;
    int top = 63 - __clzll(tile | 1);
    for (int l = 0; l < top; l++)
        offsets += a.tiles >> l;
    uint64_t done = 0;
    for (int l = top; l >= 0; l--) {
        if (tile >> l & 1) {
            prefix = combine(prefix, level[offsets + (done >> l)]);
            done += (uint64_t)1 << l;
        }
        if (l > 0)
            offsets -= a.tiles >> (l - 1);
    }
    return prefix;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS) brio_apply(const __grid_constant__ Args a)
{
    __shared__ Square squares[WARPS];
    Square &square = squares[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    const uint64_t task = (uint64_t)blockIdx.x * WARPS + threadIdx.x / 32, row = task / a.groups;
    if (row >= a.nrows)
        return;
    const uint64_t first = task % a.groups * 32, tile = first + lane;
    const char *in;
    char *out;
    locate(a, row, in, out);
    const T prefix = tile < a.tiles ? prefix_of(a, row, tile) : (T)0;
    T local = 0;
    for (int column = 0; column < TILE; column += 32) {
        read_square((const T *)in, first, a.length, column, square);
#pragma unroll
        for (int c = 0; c < 32; c++) {
            const T x = square[lane][c], before = local;
            const bool begins = column + c == 0;
            local = begins ? x : combine(local, x);
#if EXCLUSIVE
            square[lane][c] = begins ? prefix : combine(prefix, before);
            if (begins && tile == 0)
                square[lane][c] = SHOWN;
#else
            square[lane][c] = combine(prefix, local);
#endif
        }
        write_square((T *)out, first, a.length, column, square);
    }
}

#endif

#if WANT == 0
extern "C" __global__ void __launch_bounds__(128) brio_run(const __grid_constant__ Args a)
{
    const uint64_t row = (uint64_t)blockIdx.x * 128 + threadIdx.x;
    if (row >= a.nrows)
        return;
    const char *in;
    char *out;
    locate(a, row, in, out);
    T carry = IDENTITY;
    for (uint64_t i = 0; i < a.length; i++, in += a.in_stride, out += a.out_stride) {
        const T x = *(const T *)in, before = i == 0 ? (T)SHOWN : carry;
        carry = combine(carry, x);
        *(T *)out = EXCLUSIVE ? before : carry;
    }
}
#endif
