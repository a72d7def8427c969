/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* text.h: makes JSON of texts from the fabric or a file, safe for any program to read and show. */
#ifndef IBCC_RPC_TEXT_H
#define IBCC_RPC_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A JSON string of `length` bytes: UTF-8 as it is, but control characters (U+0080 to U+009F too: some terminals obey them) and
 * bytes that are no UTF-8 as \xNN. NULL: out of memory.
 */
json_t *ibcc_json_text(const char *bytes, size_t length);

json_t *ibcc_json_guid(uint64_t guid); /* "0x0002c90300000001" */

#ifdef __cplusplus
}
#endif
#endif
