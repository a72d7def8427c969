/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* sha256.h: SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104). */
#ifndef IBCC_SHA256_H
#define IBCC_SHA256_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_SHA256_BYTES 32u
#define IBCC_SHA256_TEXT_BYTES 65u

struct ibcc_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes up to now */
	uint8_t block[64];
};

void ibcc_sha256_begin(struct ibcc_sha256 *hash);
void ibcc_sha256_add(struct ibcc_sha256 *hash, const void *bytes, size_t length);
void ibcc_sha256_end(struct ibcc_sha256 *hash, uint8_t digest[IBCC_SHA256_BYTES]); /* wipes `hash` */

/* `key`: at most 64 bytes. */
void ibcc_hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length, uint8_t digest[IBCC_SHA256_BYTES]);

/* Writes 64 hexadecimal digits, and returns them. */
const char *ibcc_sha256_text(char text[IBCC_SHA256_TEXT_BYTES], const uint8_t digest[IBCC_SHA256_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
