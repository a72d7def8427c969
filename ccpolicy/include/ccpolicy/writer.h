/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * writer.h: writes the canonical document of a profile, which reads back as an equal profile (ccp_profile_equal).
 *
 * The profile's own sections have all keys, in the order of keys.h; overrides have the keys that they give.
 */
#ifndef CCPOLICY_WRITER_H
#define CCPOLICY_WRITER_H

#include <stddef.h>

#include "ccpolicy/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ccp_format {
	CCP_FORMAT_YAML, /* block style, one key a line */
	CCP_FORMAT_JSON, /* one line */
};

/* Returns NUL-terminated UTF-8, to be freed with free(), or NULL if out of memory. `length` may be NULL. Thread-safe. */
char *ccp_profile_write(const struct ccp_profile *profile, enum ccp_format format, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
