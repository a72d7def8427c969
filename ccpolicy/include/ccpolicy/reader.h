/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * reader.h: a profile from its document. This is the only reader of profiles, whatever the language of the program.
 *
 * Documents are YAML with the scalars of YAML 1.2's core schema (`off` is a string, 0150 is 150, 0o17 octal, 3:16 a string), and
 * so JSON too. Refused, each with one sentence and its place: unknown and duplicate keys, anchors, aliases, tags, values out of
 * range, settings that contradict each other, more than one document in a text.
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
 * The profile in `length` bytes of UTF-8 (UTF-16 with a byte order mark will do) at `text`; own it with ccp_profile_destroy().
 * NULL with `error` filled if the text is not one. Any bytes are safe to pass. Thread-safe.
 */
struct ccp_profile *ccp_profile_read(const char *text, size_t length, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
