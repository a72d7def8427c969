/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * payload.h: what an attribute holds, each value kept once.
 *
 * Thousands of adapters hold the same tables, so the data of their attributes are interned: equal bytes are one object, and whether a
 * device holds what it should is a comparison of two pointers. One thread only.
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
	uint32_t references;                /* the pool's own business, as what follows */
	uint32_t hash;
	struct ibcc_payload *next;
};

struct ibcc_payload_pool *ibcc_payload_pool_create(void);       /* NULL: out of memory */
void ibcc_payload_pool_destroy(struct ibcc_payload_pool *pool); /* NULL is fine; what is still held goes too */

/* The payload with these bytes, held once more for the caller; NULL: out of memory. */
const struct ibcc_payload *ibcc_payload_intern(struct ibcc_payload_pool *pool, const uint8_t bytes[CCP_ATTRIBUTE_BYTES]);

/* Held once more; hands back what it was given. NULL is fine. */
const struct ibcc_payload *ibcc_payload_hold(const struct ibcc_payload *payload);

/* Gives back one hold, and forgets the payload with the last. NULL is fine. */
void ibcc_payload_release(struct ibcc_payload_pool *pool, const struct ibcc_payload *payload);

size_t ibcc_payload_pool_count(const struct ibcc_payload_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
