/* A map: every block takes UNROLL spans of THREADS * WIDTH elements and loads them all before it computes.
 * Before: what program.c writes, THREADS, UNROLL, FLAGS. */
extern "C" __global__ void __launch_bounds__(THREADS) brio_kernel(const __grid_constant__ Args a)
{
    const Index n = (Index)a.n, span = THREADS * WIDTH;
    const Index start = (Index)blockIdx.x * (span * UNROLL), mine = threadIdx.x * WIDTH;
    uint32_t raised = 0;
    if (start + span * UNROLL <= n) {
        Batch b[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            fetch<true>(a, start + u * span + mine, WIDTH, b[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            Result r;
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                compute(a, b[u], j, r, raised);
            store<true>(a, start + u * span + mine, WIDTH, r);
        }
    } else {
#pragma unroll 1
        for (int u = 0; u < UNROLL; u++) {
            const Index i = start + u * span + mine;
            if (i >= n)
                break;
            const int count = n - i < WIDTH ? (int)(n - i) : WIDTH;
            Batch b;
            Result r;
            fetch<false>(a, i, count, b);
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                if (j < count)
                    compute(a, b, j, r, raised);
            store<false>(a, i, count, r);
        }
    }
#if FLAGS
    raised = __reduce_or_sync(0xffffffffu, raised);
    if (threadIdx.x % 32 == 0 && raised != 0)
        atomicOr((unsigned int *)a.flags, raised);
#endif
}
