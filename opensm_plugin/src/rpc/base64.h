/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* base64.h: makes JSON of tables of bytes. */
#ifndef IBCC_RPC_BASE64_H
#define IBCC_RPC_BASE64_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A JSON string of `length` bytes in Base64 (RFC 4648, section 4), padded. NULL: out of memory. */
json_t *ibcc_json_base64(const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif
#endif
