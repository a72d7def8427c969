/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia_reading.h: the Gets by which all is read that a device holds of NVIDIA's attributes, before the plugin's first Set: of a
 * switch its general settings, and of each port the mapping and the thresholds of all VLs; of an adapter its general settings, what
 * its versions have, and the SLs for which each PPCC algorithm is enabled.
 */
#ifndef IBCC_NVIDIA_READING_H
#define IBCC_NVIDIA_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/nvidia.h"
#include "devices/nvidia_found.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros: nothing was read yet. */
struct ibcc_nvidia_reading {
	bool is_over;
	bool has_gaps;  /* the device has refused to tell for which SLs a slot is enabled */
	uint8_t step;   /* of nvidia_reading.c */
	uint8_t bit;    /* the VL of the port, or the SL of the slot, that is asked about */
	uint16_t seen;  /* VLs of the port whose values are known; SLs for which the slot's algorithm is enabled */
	uint32_t place; /* port, or slot */
	uint32_t num_items, room;
	struct ibcc_found_item *items;
};

/* One Get. */
struct ibcc_nvidia_get {
	uint16_t attribute;
	uint32_t modifier;
	uint8_t data[CCP_ATTRIBUTE_BYTES];
	int64_t asked_ns; /* for ibcc_nvidia_reading_take: when the answer came */
};

/* Fills the next Get. False: there is none. `num_ports`: external ports of a switch; 0 of an adapter. REQUIRES: the device is tested. */
bool ibcc_nvidia_reading_next(const struct ibcc_nvidia_reading *reading, const struct ibcc_nvidia_facts *facts,
			      unsigned num_ports, struct ibcc_nvidia_get *get);

/*
 * Takes the answer to that Get: data, or a status, with which the attribute is not known, and is left as it is. An answer to another
 * is passed over. -1: out of memory; it is asked for again.
 */
int ibcc_nvidia_reading_take(struct ibcc_nvidia_reading *reading, const struct ibcc_nvidia_facts *facts, unsigned num_ports,
			     struct ibcc_payload_pool *pool, const struct ibcc_nvidia_get *asked, uint16_t status,
			     const uint8_t data[CCP_ATTRIBUTE_BYTES]);

/* What was read may be otherwise by now: all is read anew. */
void ibcc_nvidia_reading_forget(struct ibcc_nvidia_reading *reading, struct ibcc_payload_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
