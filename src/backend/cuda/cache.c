/* Machine code on the disk: <cache>/brio/cuda/<identity>.cubin, where the identity is a hash of the kernel's
 * text, the headers, the architecture, and the versions of the compiler and the library. A file that
 * is not whole, not ours or of another identity is ignored and written anew. */
#include "backend/cuda/shared.h"
#include "backend/cuda/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_MAX_IMAGE ((uint64_t)64 << 20)

typedef struct cache_header {
    char magic[8];
    uint64_t identity[2], size, check;
} cache_header;

static const char magic[8] = "BRIOCUB1";

/* FNV-1a with another start and a stirred end for the second word. */
static uint64_t hash(uint64_t start, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint64_t h = start;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

static uint64_t hash_text(uint64_t start, const char *text)
{
    return hash(start, text, strlen(text) + 1);
}

static void identify(const char *text, int sm, uint64_t identity[2])
{
    int numbers[2] = {sm, brio_nvrtc_version()};
    for (int i = 0; i < 2; i++) {
        uint64_t h = i == 0 ? 0xcbf29ce484222325u : 0x9e3779b97f4a7c15u;
        h = hash(h, numbers, sizeof numbers);
        h = hash_text(h, brio_texts_identity);
        h = hash_text(h, brio_cuda_host->library_version);
        identity[i] = hash_text(h, text);
    }
}

/* The folder's path; 0 when there is none. */
static int find_folder(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache != NULL && cache[0] == '/')
        n = snprintf(path, size, "%s/brio/cuda", cache);
    else if (home != NULL && home[0] == '/')
        n = snprintf(path, size, "%s/.cache/brio/cuda", home);
    return n > 0 && (size_t)n < size - 64;
}

static int find_file(const char *text, int sm, char *path, size_t size, uint64_t identity[2])
{
    if (!find_folder(path, size))
        return 0;
    identify(text, sm, identity);
    size_t n = strlen(path);
    snprintf(path + n, size - n, "/%016llx%016llx.cubin", (unsigned long long)identity[0],
             (unsigned long long)identity[1]);
    return 1;
}

static int read_file(FILE *file, const uint64_t identity[2], char **image, size_t *size)
{
    cache_header header;
    if (fread(&header, sizeof header, 1, file) != 1 || memcmp(header.magic, magic, sizeof magic) != 0 ||
        memcmp(header.identity, identity, sizeof header.identity) != 0 || header.size > SIZE_MAX_IMAGE)
        return 0;
    char *bytes = malloc(header.size + 1);
    if (bytes == NULL)
        return 0;
    if (fread(bytes, 1, header.size + 1, file) != header.size ||
        hash(0xcbf29ce484222325u, bytes, header.size) != header.check) {
        free(bytes);
        return 0;
    }
    *image = bytes;
    *size = header.size;
    return 1;
}

int brio_cache_load(const char *text, int sm, char **image, size_t *size)
{
    char path[1024];
    uint64_t identity[2];
    if (!find_file(text, sm, path, sizeof path, identity))
        return 0;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return 0;
    int found = read_file(file, identity, image, size);
    fclose(file);
    return found;
}

/* Makes the folders of `path` up to its last slash. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            *slash = '/';
            return;
        }
        *slash = '/';
    }
}

static int write_all(int file, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t done = write(file, p, n);
        if (done <= 0)
            return 0;
        p += done;
        n -= (size_t)done;
    }
    return 1;
}

void brio_cache_store(const char *text, int sm, const char *image, size_t size)
{
    char path[1024], draft[1100];
    cache_header header;
    memcpy(header.magic, magic, sizeof magic);
    if (!find_file(text, sm, path, sizeof path, header.identity))
        return;
    header.size = size;
    header.check = hash(0xcbf29ce484222325u, image, size);
    make_folders(path);
    snprintf(draft, sizeof draft, "%s.XXXXXX", path);
    int file = mkstemp(draft);
    if (file < 0)
        return;
    int whole = write_all(file, &header, sizeof header) && write_all(file, image, size);
    whole &= close(file) == 0;
    if (!whole || rename(draft, path) != 0)
        unlink(draft);
}
