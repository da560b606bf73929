/* Process-wide settings and the environment variables they begin with. */
#include "runtime/config.h"
#include "runtime/error.h"

#include <brio/config.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 1024
#define MAX_WARNINGS 8

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int default_threads = 1;
static uint64_t initial_host_limit;
static _Atomic int threads, lazy = 1;
static _Atomic int device_kind = BRIO_DEVICE_AUTO, device_index;
static char warnings[MAX_WARNINGS][160];
static int warning_count;

static void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void warn(const char *format, ...)
{
    if (warning_count == MAX_WARNINGS)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warnings[warning_count++], sizeof warnings[0], format, arguments);
    va_end(arguments);
}

/* A whole number in [low, high] from the environment; `fallback` when unset or not such a number. */
static int env_int(const char *name, int low, int high, int fallback)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0')
        return fallback;
    char *end = NULL;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < low || number > high) {
        warn("%s='%.40s' is ignored: it must be a number from %d to %d", name, text, low, high);
        return fallback;
    }
    return (int)number;
}

/* The processors that a cgroup (version 2) quota allows, rounded up; 0 when there is none. */
static int cgroup_processors(void)
{
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (file == NULL)
        return 0;
    long long quota = 0, period = 0;
    int found = fscanf(file, "%lld %lld", &quota, &period);
    fclose(file);
    return found == 2 && quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

static int processors(void)
{
    cpu_set_t set;
    long count =
        sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    int quota = cgroup_processors();
    if (quota > 0 && quota < count)
        count = quota;
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}

uint64_t brio_physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

int brio_parse_bytes(const char *text, uint64_t *out)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1},
                 {"B", 1},
                 {"KiB", 1024.0},
                 {"MiB", 1048576.0},
                 {"GiB", 1073741824.0},
                 {"TiB", 1099511627776.0},
                 {"KB", 1e3},
                 {"MB", 1e6},
                 {"GB", 1e9},
                 {"TB", 1e12}};
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || !(number >= 0) || number > 1e18)
        return 0;
    while (*end == ' ')
        end++;
    if (strcmp(end, "%") == 0 && number <= 100) {
        *out = (uint64_t)(number / 100 * (double)brio_physical_memory());
        return 1;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].unit) == 0 && number * units[i].bytes <= 9e18) {
            *out = (uint64_t)(number * units[i].bytes);
            return 1;
        }
    return 0;
}

static void read_device(void)
{
    const char *text = getenv("BRIO_DEVICE");
    brio_device device = {BRIO_DEVICE_AUTO, 0};
    const char *reason = NULL;
    if (text != NULL && *text != '\0') {
        if (brio_device_parse(text, &device) != BRIO_OK) {
            warn("BRIO_DEVICE is ignored: %.100s", brio_last_error());
        } else if (!brio_device_available(device, &reason)) {
            warn("BRIO_DEVICE='%.20s' is ignored: %s", text, reason);
            device = (brio_device){BRIO_DEVICE_AUTO, 0};
        }
    }
    if (env_int("FORCE_CPU", 0, 1, 0))
        device = (brio_device){BRIO_DEVICE_CPU, 0};
    device_kind = (int)device.kind;
    device_index = device.index;
}

static void read_environment(void)
{
    int omp = env_int("OMP_NUM_THREADS", 1, MAX_THREADS, 0);
    int fallback = omp > 0 ? omp : processors();
    default_threads = env_int("BRIO_THREADS", 1, MAX_THREADS, fallback);
    threads = default_threads;
    lazy = env_int("BRIO_LAZY", 0, 1, 1);
    read_device();
    const char *limit = getenv("BRIO_HOST_LIMIT");
    if (limit != NULL && *limit != '\0' && !brio_parse_bytes(limit, &initial_host_limit))
        warn("BRIO_HOST_LIMIT='%.40s' is ignored: write it like 4GiB or 50%%", limit);
}

static void ensure_read(void)
{
    pthread_once(&once, read_environment);
}

int brio_threads(void)
{
    int count = atomic_load_explicit(&threads, memory_order_relaxed);
    if (count > 0)
        return count;
    ensure_read();
    return atomic_load_explicit(&threads, memory_order_relaxed);
}

brio_status brio_set_threads(int count)
{
    ensure_read();
    if (count < 0 || count > MAX_THREADS)
        return brio_fail(BRIO_E_VALUE, "threads must be from 0 (the default) to %d, got %d", MAX_THREADS,
                         count);
    threads = count == 0 ? default_threads : count;
    return BRIO_OK;
}

brio_device brio_default_device(void)
{
    ensure_read();
    return (brio_device){(brio_device_kind)device_kind, device_index};
}

brio_status brio_set_default_device(brio_device device)
{
    ensure_read();
    const char *reason = NULL;
    if (!brio_device_available(device, &reason))
        return brio_fail(BRIO_E_UNSUPPORTED, "the device cannot be used: %s", reason);
    device_kind = (int)device.kind;
    device_index = device.index;
    return BRIO_OK;
}

int brio_lazy(void)
{
    ensure_read();
    return atomic_load_explicit(&lazy, memory_order_relaxed);
}

void brio_set_lazy(int on)
{
    ensure_read();
    lazy = on != 0;
}

uint64_t brio_initial_host_limit(void)
{
    ensure_read();
    return initial_host_limit;
}

const char *brio_config_warning(int n)
{
    ensure_read();
    return n >= 0 && n < warning_count ? warnings[n] : NULL;
}
