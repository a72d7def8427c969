/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * want.h: from a device's resolved tables to its items.
 */
#ifndef IBCC_DEVICE_ITEMS_H
#define IBCC_DEVICE_ITEMS_H

#include "ccpolicy/tables.h"
#include "devices/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets what a device is wanted to hold; what is known of it stays known, as far as it is of an item that it still has. Either of `sw` and
 * `ca` fits the device, the other is NULL; both NULL: nothing is wanted. A CCT is cut to the blocks that the device has room for. -1: out
 * of memory, nothing changed.
 */
int ibcc_device_set_wanted(struct ibcc_device *device, struct ibcc_payload_pool *pool, const struct ccp_switch_tables *sw,
			   const struct ccp_ca_tables *ca);

/* Gives back all that the items hold. */
void ibcc_device_clear_items(struct ibcc_device *device, struct ibcc_payload_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
