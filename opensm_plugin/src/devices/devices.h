/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * devices.h: all devices of the fabric, kept over sweeps, with what each should hold.
 */
#ifndef IBCC_DEVICES_H
#define IBCC_DEVICES_H

#include "ccpolicy/tables.h"
#include "devices/device.h"
#include "devices/nvidia_items.h"
#include "devices/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_devices {
	struct ibcc_payload_pool *pool;
	uint32_t count;
	struct ibcc_as_found *as_found; /* of as_found.h; NULL: what devices were found with is not kept */
	struct ibcc_nvidia_rules rules; /* of all devices; where they change, devices must be told anew what is wanted */
	struct ibcc_device **list;      /* ascending (node_guid, port); present ones and those that are away */
};

int ibcc_devices_init(struct ibcc_devices *devices); /* -1: out of memory */
void ibcc_devices_destroy(struct ibcc_devices *devices);

/*
 * Takes over new devices, LIDs and descriptions of a snapshot. A device that returns is unknown; at most IBCC_MAX_AWAY devices
 * that are away are kept, with what they last held. -1: out of memory, nothing changed.
 */
#define IBCC_MAX_AWAY 4096u
int ibcc_devices_update(struct ibcc_devices *devices, const struct ibcc_snapshot *snapshot);

/*
 * Sets what each device should hold; `tables` NULL: what it was found with. -1: out of memory; then that is unchanged for some
 * devices.
 */
int ibcc_devices_set_wanted(struct ibcc_devices *devices, const struct ccp_tables *tables);

/* Sets it for one device, of which more is known now. */
int ibcc_devices_set_wanted_one(struct ibcc_devices *devices, struct ibcc_device *device, const struct ccp_tables *tables);

/* Without a profile nothing is wanted of any device. */
void ibcc_devices_clear_wanted(struct ibcc_devices *devices);

struct ibcc_device *ibcc_devices_find(const struct ibcc_devices *devices, uint64_t node_guid, uint8_t port); /* NULL: none */
struct ibcc_device *ibcc_devices_find_port(const struct ibcc_devices *devices, uint64_t port_guid);          /* NULL: none */

uint32_t ibcc_devices_count_present(const struct ibcc_devices *devices);

#ifdef __cplusplus
}
#endif
#endif
