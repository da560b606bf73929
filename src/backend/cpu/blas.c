/* Finding, loading and testing an OpenBLAS. It is looked for at first use: BRIO_OPENBLAS, the path set by
 * brio_set_blas_path (NumPy's own copy, as a rule), the system's. It is used only when a small product
 * agrees with the portable code, since an OpenBLAS older than the processor may choose a wrong kernel. */
#include "backend/cpu/blas.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

typedef void (*sgemm_32)(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
                         float *, int);
typedef void (*dgemm_32)(int, int, int, int, int, int, double, const double *, int, const double *, int,
                         double, double *, int);
typedef void (*sgemm_64)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t,
                         const float *, int64_t, float, float *, int64_t);
typedef void (*dgemm_64)(int, int, int, int64_t, int64_t, int64_t, double, const double *, int64_t,
                         const double *, int64_t, double, double *, int64_t);

/* How builds of OpenBLAS name their functions, and whether their integers have 64 bits. */
typedef struct blas_naming {
    const char *sgemm, *dgemm, *set_threads;
    int wide;
} blas_naming;

static const blas_naming namings[] = {
    {"scipy_cblas_sgemm64_", "scipy_cblas_dgemm64_", "scipy_openblas_set_num_threads64_", 1},
    {"cblas_sgemm64_", "cblas_dgemm64_", "openblas_set_num_threads64_", 1},
    {"scipy_cblas_sgemm", "scipy_cblas_dgemm", "scipy_openblas_set_num_threads", 0},
    {"cblas_sgemm", "cblas_dgemm", "openblas_set_num_threads", 0},
};

typedef struct blas_library {
    void *sgemm, *dgemm;
    int wide;
} blas_library;

static struct {
    pthread_mutex_t lock;
    atomic_int state; /* 0: not looked for; 1: usable; 2: none */
    char path[1024];  /* set by the user */
    char info[1400];  /* which library, or why none */
    blas_library library;
} blas = {.lock = PTHREAD_MUTEX_INITIALIZER, .info = "no matrix product was asked for yet"};

static int fits(const blas_library *library, const brio_gemm *gemm)
{
    const int64_t sizes[] = {gemm->m, gemm->n, gemm->k, gemm->lda, gemm->ldb, gemm->ldc};
    for (int i = 0; i < 6; i++) {
        if (!library->wide && sizes[i] > INT32_MAX)
            return 0;
    }
    return 1;
}

static void call_sgemm(const blas_library *library, const brio_gemm *g)
{
    int ta = g->transpose_a ? CBLAS_TRANS : CBLAS_NO_TRANS,
        tb = g->transpose_b ? CBLAS_TRANS : CBLAS_NO_TRANS;
    if (library->wide) {
        sgemm_64 gemm;
        memcpy(&gemm, &library->sgemm, sizeof gemm);
        gemm(CBLAS_ROW_MAJOR, ta, tb, g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, 0, g->c, g->ldc);
    } else {
        sgemm_32 gemm;
        memcpy(&gemm, &library->sgemm, sizeof gemm);
        gemm(CBLAS_ROW_MAJOR, ta, tb, (int)g->m, (int)g->n, (int)g->k, 1, g->a, (int)g->lda, g->b,
             (int)g->ldb, 0, g->c, (int)g->ldc);
    }
}

static void call_dgemm(const blas_library *library, const brio_gemm *g)
{
    int ta = g->transpose_a ? CBLAS_TRANS : CBLAS_NO_TRANS,
        tb = g->transpose_b ? CBLAS_TRANS : CBLAS_NO_TRANS;
    if (library->wide) {
        dgemm_64 gemm;
        memcpy(&gemm, &library->dgemm, sizeof gemm);
        gemm(CBLAS_ROW_MAJOR, ta, tb, g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, 0, g->c, g->ldc);
    } else {
        dgemm_32 gemm;
        memcpy(&gemm, &library->dgemm, sizeof gemm);
        gemm(CBLAS_ROW_MAJOR, ta, tb, (int)g->m, (int)g->n, (int)g->k, 1, g->a, (int)g->lda, g->b,
             (int)g->ldb, 0, g->c, (int)g->ldc);
    }
}

/* Sizes of the self-test: past one register tile in every direction, none a multiple of anything. */
enum { TEST_M = 37, TEST_N = 53, TEST_K = 71 };

/* Whether one product in each precision and transposition agrees with a plain sum in double. */
static int agrees(const blas_library *library, int transpose_a, int transpose_b)
{
    static float sa[TEST_M * TEST_K], sb[TEST_K * TEST_N], sc[TEST_M * TEST_N];
    static double da[TEST_M * TEST_K], db[TEST_K * TEST_N], dc[TEST_M * TEST_N];
    for (int i = 0; i < TEST_M * TEST_K; i++)
        sa[i] = (float)((i * 37 % 101) - 50) / 64, da[i] = sa[i];
    for (int i = 0; i < TEST_K * TEST_N; i++)
        sb[i] = (float)((i * 53 % 97) - 48) / 64, db[i] = sb[i];
    brio_gemm gemm = {TEST_M,
                      TEST_N,
                      TEST_K,
                      transpose_a,
                      transpose_b,
                      sa,
                      sb,
                      sc,
                      transpose_a ? TEST_M : TEST_K,
                      transpose_b ? TEST_K : TEST_N,
                      TEST_N};
    call_sgemm(library, &gemm);
    gemm.a = da, gemm.b = db, gemm.c = dc;
    call_dgemm(library, &gemm);
    for (int i = 0; i < TEST_M; i++) {
        for (int j = 0; j < TEST_N; j++) {
            double sum = 0;
            for (int k = 0; k < TEST_K; k++)
                sum += da[transpose_a ? k * TEST_M + i : i * TEST_K + k] *
                       db[transpose_b ? j * TEST_K + k : k * TEST_N + j];
            if (!(fabs(sc[i * TEST_N + j] - sum) < 1e-3) || !(fabs(dc[i * TEST_N + j] - sum) < 1e-11))
                return 0;
        }
    }
    return 1;
}

/* Tries one library; `shared` when others in the process use it and its threads are theirs to set. */
static int try_library(const char *path, int shared)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(blas.info, sizeof blas.info, "none: %s", dlerror());
        return 0;
    }
    for (size_t i = 0; i < sizeof namings / sizeof *namings; i++) {
        blas_library library = {dlsym(handle, namings[i].sgemm), dlsym(handle, namings[i].dgemm),
                                namings[i].wide};
        if (library.sgemm == NULL || library.dgemm == NULL)
            continue;
        for (int t = 0; t < 4; t++) {
            if (!agrees(&library, t & 1, t >> 1)) {
                snprintf(blas.info, sizeof blas.info, "none: %s computes a wrong product on this processor",
                         path);
                return 0;
            }
        }
        void *symbol = dlsym(handle, namings[i].set_threads);
        if (!shared && symbol != NULL) {
            void (*set_threads)(int);
            memcpy(&set_threads, &symbol, sizeof set_threads);
            set_threads(brio_threads());
        }
        blas.library = library;
        snprintf(blas.info, sizeof blas.info, "%s", path);
        return 1;
    }
    snprintf(blas.info, sizeof blas.info, "none: %s has no cblas_dgemm", path);
    dlclose(handle);
    return 0;
}

static int find_library(void)
{
    const char *chosen = getenv("BRIO_OPENBLAS");
    if (chosen != NULL && *chosen != '\0')
        return try_library(chosen, 0);
    if (blas.path[0] != '\0' && try_library(blas.path, 1))
        return 1;
    static const char *const usual[] = {"libopenblas.so.0", "libopenblas64_.so.0", "libopenblas.so"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (try_library(usual[i], 0))
            return 1;
    }
    return 0;
}

/* The library, found at the first call; NULL when there is none. */
static const blas_library *library_now(void)
{
    int state = atomic_load_explicit(&blas.state, memory_order_acquire);
    if (state == 0) {
        pthread_mutex_lock(&blas.lock);
        state = atomic_load_explicit(&blas.state, memory_order_relaxed);
        if (state == 0) {
            state = find_library() ? 1 : 2;
            atomic_store_explicit(&blas.state, state, memory_order_release);
        }
        pthread_mutex_unlock(&blas.lock);
    }
    return state == 1 ? &blas.library : NULL;
}

brio_status brio_set_blas_path(const char *path)
{
    if (path == NULL || strlen(path) >= sizeof blas.path)
        return brio_fail(BRIO_E_VALUE, "the path of a BLAS library must have fewer than %zu characters",
                         sizeof blas.path);
    pthread_mutex_lock(&blas.lock);
    memcpy(blas.path, path, strlen(path) + 1);
    if (atomic_load_explicit(&blas.state, memory_order_relaxed) == 2)
        atomic_store_explicit(&blas.state, 0, memory_order_release);
    pthread_mutex_unlock(&blas.lock);
    return BRIO_OK;
}

const char *brio_blas_info(void)
{
    return blas.info;
}

int brio_blas_sgemm(const brio_gemm *gemm)
{
    const blas_library *library = library_now();
    if (library == NULL || !fits(library, gemm))
        return 0;
    call_sgemm(library, gemm);
    return 1;
}

int brio_blas_dgemm(const brio_gemm *gemm)
{
    const blas_library *library = library_now();
    if (library == NULL || !fits(library, gemm))
        return 0;
    call_dgemm(library, gemm);
    return 1;
}
