/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * payload.h: interned data of attributes: each value is kept once.
 *
 * Thousands of adapters hold the same tables. Equal bytes are one object here, so comparing what a device holds with what it
 * should hold is comparing two pointers. One thread only.
 */
#ifndef IBCC_PAYLOAD_H
#define IBCC_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_payload_pool;

struct ibcc_payload {
	uint8_t bytes[CCP_ATTRIBUTE_BYTES]; /* as in the MAD from byte 64 on */
	uint32_t references;                /* this and what follows belong to the pool */
	uint32_t hash;
	struct ibcc_payload *next;
};

struct ibcc_payload_pool *ibcc_payload_pool_create(void);       /* NULL: out of memory */
void ibcc_payload_pool_destroy(struct ibcc_payload_pool *pool); /* NULL is fine; frees payloads that are still held */

/* Returns the payload with these bytes, held once more, for the caller; NULL: out of memory. */
const struct ibcc_payload *ibcc_payload_intern(struct ibcc_payload_pool *pool, const uint8_t bytes[CCP_ATTRIBUTE_BYTES]);

/* Holds the payload once more, and returns it. NULL is fine. */
const struct ibcc_payload *ibcc_payload_hold(const struct ibcc_payload *payload);

/* Releases one hold, and frees the payload with the last. NULL is fine. */
void ibcc_payload_release(struct ibcc_payload_pool *pool, const struct ibcc_payload *payload);

size_t ibcc_payload_pool_count(const struct ibcc_payload_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
