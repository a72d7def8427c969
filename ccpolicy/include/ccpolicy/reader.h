/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * reader.h: reads a profile from its document. All programs use this reader, whatever their language.
 *
 * Documents are YAML with the scalars of YAML 1.2's core schema (`off` is a string, 0150 is 150, 0o17 octal, 3:16 a string), and
 * so JSON too. The reader refuses unknown and duplicate keys, anchors, aliases, tags, values out of range, settings that contradict
 * each other and more than one document in a text. An error is one sentence with its place.
 */
#ifndef CCPOLICY_READER_H
#define CCPOLICY_READER_H

#include <stddef.h>

#include "ccpolicy/error.h"
#include "ccpolicy/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_DOCUMENT_MAX_BYTES (1u << 20) /* the largest table, a line an entry, takes about half of it */

/*
 * Returns the profile in the `length` bytes at `text`, which are UTF-8, or UTF-16 with a byte order mark; free it with
 * ccp_profile_destroy(). Returns NULL with `error` filled if the text is not a profile. Any bytes are safe to pass. Thread-safe.
 */
struct ccp_profile *ccp_profile_read(const char *text, size_t length, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
