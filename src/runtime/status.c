/* The version, the status table and the last error of each thread. */
#include "runtime/error.h"

#include <brio/base.h>
#include <stdarg.h>
#include <stdio.h>

const char *brio_version(void)
{
    return BRIO_VERSION_STRING;
}

static const struct {
    brio_status status;
    const char *name, *text;
} status_table[] = {
#define STATUS_ROW(name, code, text) {BRIO_##name, "BRIO_" #name, text},
    BRIO_STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

#define STATUS_COUNT (sizeof status_table / sizeof status_table[0])

const char *brio_status_name(brio_status status)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (status_table[i].status == status)
            return status_table[i].name;
    return "BRIO_E_?";
}

const char *brio_status_text(brio_status status)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (status_table[i].status == status)
            return status_table[i].text;
    return "a status that this version does not know";
}

static _Thread_local char last_error[1024];

const char *brio_last_error(void)
{
    return last_error;
}

brio_status(brio_fail)(brio_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}
