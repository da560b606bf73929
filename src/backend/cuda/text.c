/* Text that grows, and keys. */
#include "backend/cuda/shared.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_room(brio_text *text, size_t more)
{
    if (text->failed)
        return 0;
    if (text->length + more + 1 > text->room) {
        size_t room = 2 * (text->length + more + 1) + 4096;
        char *data = realloc(text->data, room);
        if (data == NULL) {
            text->failed = 1;
            return 0;
        }
        text->data = data;
        text->room = room;
    }
    return 1;
}

void brio_text_add(brio_text *text, const char *format, ...)
{
    char piece[1024];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (n < 0 || n >= (int)sizeof piece)
        text->failed = 1;
    else
        brio_text_put(text, piece);
}

void brio_text_put(brio_text *text, const char *plain)
{
    size_t n = strlen(plain);
    if (!make_room(text, n))
        return;
    memcpy(text->data + text->length, plain, n + 1);
    text->length += n;
}

void brio_text_free(brio_text *text)
{
    free(text->data);
    *text = (brio_text){0};
}

void brio_key_add(brio_key *key, const void *bytes, size_t n)
{
    if (key->length + n > BRIO_KEY_MAX) {
        key->failed = 1;
        return;
    }
    memcpy(key->bytes + key->length, bytes, n);
    key->length += (uint32_t)n;
}

void brio_key_add_int(brio_key *key, int64_t value)
{
    brio_key_add(key, &value, sizeof value);
}
