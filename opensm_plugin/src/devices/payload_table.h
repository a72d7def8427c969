/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * payload_table.h: payloads with numbers, as a file has them: each value once, as bytes in hexadecimal numbers without the zeros at
 * their end.
 */
#ifndef IBCC_PAYLOAD_TABLE_H
#define IBCC_PAYLOAD_TABLE_H

#include <stdint.h>

#include <jansson.h>

#include "ccpolicy/error.h"
#include "devices/payload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros: empty. */
struct ibcc_payload_table {
	uint32_t count, room;
	const struct ibcc_payload **list;
};

/* Adds a payload, which is borrowed. -1: out of memory. NULL is passed over. */
int ibcc_payload_table_add(struct ibcc_payload_table *table, const struct ibcc_payload *payload);

/* After the last one was added: gives each a number. */
void ibcc_payload_table_sort(struct ibcc_payload_table *table);
/* REQUIRES: the payload was added, and the table sorted. */
uint32_t ibcc_payload_table_number(const struct ibcc_payload_table *table, const struct ibcc_payload *payload);

json_t *ibcc_payload_table_to_json(const struct ibcc_payload_table *table); /* NULL: out of memory */

/* Reads a list, of which the table holds each payload. -1 with `error` filled; what was read is in the table all the same. */
int ibcc_payload_table_from_json(struct ibcc_payload_table *table, json_t *json, struct ibcc_payload_pool *pool,
				 struct ccp_error *error);

/* Frees the table. With a pool it releases the payloads as well, as after ibcc_payload_table_from_json. */
void ibcc_payload_table_free(struct ibcc_payload_table *table, struct ibcc_payload_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
