/* What the rest of the runtime takes from the configuration. */
#ifndef BRIO_RUNTIME_CONFIG_H
#define BRIO_RUNTIME_CONFIG_H

#include <stdint.h>

/* Bytes of physical memory; 0 when unknown. */
uint64_t brio_physical_memory(void);

/* BRIO_HOST_LIMIT in bytes; 0 when unset. */
uint64_t brio_initial_host_limit(void);

/* Parses "4GiB", "1.5 MB" or "50%" (of physical memory); 0 when it is none of these. */
int brio_parse_bytes(const char *text, uint64_t *out);

#endif
