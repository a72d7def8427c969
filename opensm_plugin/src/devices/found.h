/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * found.h: what a device was found with, before anything was set: annex A10's settings and its table, read by Gets.
 *
 * A device is read once. What it holds is followed (`frozen` false) until a profile comes into force, and is kept from then on.
 */
#ifndef IBCC_FOUND_H
#define IBCC_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/nvidia_wire.h"
#include "devices/payload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As struct ibcc_item has them. */
struct ibcc_found_item {
	uint16_t attribute;                  /* enum ccp_attribute_id */
	uint16_t scope;                      /* of 0xFF24 the SLs for which the algorithm was enabled: none, perhaps */
	uint32_t block;                      /* attribute modifier */
	struct ccp_ppcc_algorithm algorithm; /* of 0xFF24; algo_id 0: none */
	int64_t seen_ns;                     /* when it was read, while that is news; not kept */
	const struct ibcc_payload *payload;  /* canonical; NULL: the Get was refused, so that it is not known */
};

/* One device: a switch (port 0), or a port of a channel adapter. */
struct ibcc_found {
	uint64_t node_guid;
	uint8_t port;
	int64_t at_s; /* wall clock: when it was read */
	bool frozen;  /* it is what the device comes back to, and is not read anew */
	bool saved;   /* the disk has it as it is here */
	uint32_t num_items;
	struct ibcc_found_item *items; /* in the order in which they are set */
};

/* A device that is being read. */
struct ibcc_found_reading {
	bool is_over;
	uint32_t num_items;
	struct ibcc_found_item *items;
};

/* What decides how much there is to read: of a switch its external ports, of an adapter the blocks of its table (0: not reported). */
struct ibcc_found_extent {
	bool is_switch;
	uint32_t num_ports;
	uint8_t num_blocks;
};

/* Returns the next attribute to be read in `next`, whose payload is NULL. False: there is none. */
bool ibcc_found_next(const struct ibcc_found_reading *reading, const struct ibcc_found_extent *extent,
		     struct ibcc_found_item *next);

/*
 * Takes the answer to that Get: data, or a status. An answer to another is passed over. -1: out of memory; it is asked for again.
 */
int ibcc_found_take(struct ibcc_found_reading *reading, const struct ibcc_found_extent *extent, struct ibcc_payload_pool *pool,
		    const struct ibcc_found_item *asked, uint16_t status, const uint8_t data[CCP_ATTRIBUTE_BYTES]);
/* What was read so far may be otherwise by now: all is read anew. */
void ibcc_found_forget(struct ibcc_found_reading *reading, struct ibcc_payload_pool *pool);

void ibcc_found_items_free(struct ibcc_payload_pool *pool, struct ibcc_found_item *items, uint32_t count);

/* NULL: it was not read. */
const struct ibcc_found_item *ibcc_found_find(const struct ibcc_found *found, uint16_t attribute, uint32_t block);

/* False of a block of the table beyond the CCTI_Limit: it has no effect, and is not set. */
bool ibcc_found_has_effect(const struct ibcc_found *found, const struct ibcc_found_item *item);

/* True if it is a switch that marks packets, or may. */
bool ibcc_found_marks(const struct ibcc_found *found);

#ifdef __cplusplus
}
#endif
#endif
