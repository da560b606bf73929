/* Kernels made at run time: one table a process, then the disk, then the compiler. */
#include "backend/cuda/shared.h"
#include "runtime/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

typedef struct kernel_entry {
    struct kernel_entry *next;
    uint64_t hash;
    CUfunction function;
    uint32_t length, name_length;
    uint8_t bytes[]; /* the key, then the name */
} kernel_entry;

static struct {
    pthread_mutex_t lock;
    kernel_entry *buckets[BUCKETS]; /* entries are added in front and never removed */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t hash_key(const brio_key *key, const char *name)
{
    uint64_t h = 0xcbf29ce484222325u, word = 0;
    for (uint32_t i = 0; i < key->length; i += 8) {
        memcpy(&word, key->bytes + i, key->length - i < 8 ? key->length - i : 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    for (; *name != '\0'; name++)
        h = (h ^ (uint8_t)*name) * 0x100000001b3u;
    return h;
}

static CUfunction find(const brio_key *key, const char *name, uint64_t hash)
{
    uint32_t n = (uint32_t)strlen(name);
    const kernel_entry *entry = __atomic_load_n(&table.buckets[hash % BUCKETS], __ATOMIC_ACQUIRE);
    for (; entry != NULL; entry = entry->next)
        if (entry->hash == hash && entry->length == key->length && entry->name_length == n &&
            memcmp(entry->bytes, key->bytes, key->length) == 0 &&
            memcmp(entry->bytes + key->length, name, n) == 0)
            return entry->function;
    return NULL;
}

static brio_status add(const brio_key *key, const char *name, uint64_t hash, CUfunction function)
{
    uint32_t n = (uint32_t)strlen(name);
    kernel_entry *entry = malloc(sizeof *entry + key->length + n);
    if (entry == NULL)
        return brio_fail(BRIO_E_MEMORY, "no memory to remember a kernel");
    entry->hash = hash;
    entry->function = function;
    entry->length = key->length;
    entry->name_length = n;
    memcpy(entry->bytes, key->bytes, key->length);
    memcpy(entry->bytes + key->length, name, n);
    entry->next = table.buckets[hash % BUCKETS];
    __atomic_store_n(&table.buckets[hash % BUCKETS], entry, __ATOMIC_RELEASE);
    return BRIO_OK;
}

static brio_status load_image(const char *image, const char *name, CUfunction *out)
{
    CUmodule module;
    BRIO_CU(cuModuleLoadData(&module, image));
    BRIO_CU(cuModuleGetFunction(out, module, name));
    return BRIO_OK;
}

static brio_status make(const char *text, const char *name, CUfunction *out)
{
    char *image = NULL;
    size_t size = 0;
    if (brio_cache_load(text, brio_cuda.sm, &image, &size)) {
        brio_status status = load_image(image, name, out);
        free(image);
        if (status == BRIO_OK)
            return BRIO_OK;
    }
    BRIO_TRY(brio_nvrtc_compile(text, brio_cuda.sm, &image, &size));
    brio_status status = load_image(image, name, out);
    if (status == BRIO_OK)
        brio_cache_store(text, brio_cuda.sm, image, size);
    free(image);
    return status;
}

static brio_status write_and_make(const char *name, brio_text_writer write, void *context, CUfunction *out)
{
    brio_text text = {0};
    brio_status status = write(context, &text);
    if (status == BRIO_OK && text.failed)
        status = brio_fail(BRIO_E_MEMORY, "no memory for the text of a kernel");
    if (status == BRIO_OK)
        status = make(text.data, name, out);
    brio_text_free(&text);
    return status;
}

brio_status brio_kernel_get(const brio_key *key, const char *name, brio_text_writer write, void *context,
                            CUfunction *out)
{
    if (key->failed)
        return brio_fail(BRIO_E_UNSUPPORTED, "the expression is too large for one kernel");
    uint64_t hash = hash_key(key, name);
    *out = find(key, name, hash);
    if (*out != NULL)
        return BRIO_OK;
    pthread_mutex_lock(&table.lock);
    brio_status status = BRIO_OK;
    *out = find(key, name, hash);
    if (*out == NULL)
        status = write_and_make(name, write, context, out);
    if (status == BRIO_OK && find(key, name, hash) == NULL)
        status = add(key, name, hash, *out);
    pthread_mutex_unlock(&table.lock);
    return status;
}

brio_status brio_kernel_try(brio_text_writer write, void *context, int sm)
{
    brio_text text = {0};
    char *image = NULL;
    size_t size = 0;
    brio_status status = write(context, &text);
    if (status == BRIO_OK && text.failed)
        status = brio_fail(BRIO_E_MEMORY, "no memory for the text of a kernel");
    if (status == BRIO_OK)
        status = brio_nvrtc_compile(text.data, sm, &image, &size);
    brio_text_free(&text);
    free(image);
    return status;
}

brio_status brio_kernel_launch(CUfunction kernel, int64_t blocks, int threads, const void *argument)
{
    void *arguments[1] = {(void *)(uintptr_t)argument};
    if (blocks <= 0)
        return BRIO_OK;
    BRIO_CU(cuLaunchKernel(kernel, (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), 1, 1,
                           (unsigned)threads, 1, 1, 0, brio_cuda.stream, arguments, NULL));
    return BRIO_OK;
}
