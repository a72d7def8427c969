/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * device_items.h: makes a device's items from its resolved tables.
 */
#ifndef IBCC_DEVICE_ITEMS_H
#define IBCC_DEVICE_ITEMS_H

#include "ccpolicy/tables.h"
#include "devices/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets what a device should hold. What is known of an item stays known, if the device still has that item. One of `sw` and `ca`
 * fits the device, and the other is NULL; both NULL: nothing is wanted of it. A CCT is cut to the blocks that the device has room
 * for. -1: out of memory, nothing changed.
 */
int ibcc_device_set_wanted(struct ibcc_device *device, struct ibcc_payload_pool *pool, const struct ccp_switch_tables *sw,
			   const struct ccp_ca_tables *ca);

/*
 * Has it hold what it was found with. Until a profile was in force it is watched: its items are read, and never set. Attributes that
 * could not be read are cleared, and NVIDIA's, if they were written to. `is_plan`: nothing will be sent, and what was read of NVIDIA's
 * attributes counts though nobody has set them since. -1: out of memory, nothing changed.
 */
int ibcc_device_set_as_found(struct ibcc_device *device, struct ibcc_payload_pool *pool, bool is_plan);

/* Frees the items. */
void ibcc_device_clear_items(struct ibcc_device *device, struct ibcc_payload_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
