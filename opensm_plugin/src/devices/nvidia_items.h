/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* nvidia_items.h: the items that a device gets of a profile's section `nvidia`, or that clear what it got of a former one. */
#ifndef IBCC_NVIDIA_ITEMS_H
#define IBCC_NVIDIA_ITEMS_H

#include "ccpolicy/nvidia.h"
#include "devices/item_list.h"
#include "devices/known_devices.h"
#include "devices/nvidia_found.h"
#include "devices/ppcc_before.h"
#include "devices/ppcc_names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What all devices have in common. */
struct ibcc_nvidia_rules {
	bool may_write;                        /* --nvidia-write */
	bool may_note;                         /* nvidia.json could be opened */
	bool returns;                          /* a rollback or the end of a trial run has put in force what is wanted */
	const struct ibcc_known_device *known; /* rows of what is known of devices */
	uint32_t num_known;
	bool only_nvidia; /* the profile has neither switch, ca nor cct */
	const struct ibcc_ppcc_names *names;
	const struct ibcc_ppcc_befores *befores; /* NULL: none is kept */
	const struct ibcc_nvidia_founds *founds; /* NULL: what devices were found with is not kept */
};

/*
 * Each fills `why` (IBCC_WITHHELD_BYTES) with a clause if the device is not to be sent what the tables say: it cannot take a value, it is
 * not trusted, or the rules forbid it; else with "". `tables` NULL: they are to be cleared.
 */
void ibcc_nvidia_check_switch(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			      const struct ccp_nvidia_switch_tables *tables, char *why);
void ibcc_nvidia_check_ca(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			  const struct ccp_nvidia_ca_tables *tables, char *why);

/*
 * Adds the items in the order in which they are set: what switches on comes last, and what switches off first. NULL: to clear them.
 * Of PPCC slots only those are added that the device has. Parameters that it was sent, and is to be sent no more, get what they were
 * before.
 */
void ibcc_nvidia_add_switch(struct ibcc_item_list *list, const struct ibcc_device *device,
			    const struct ccp_nvidia_switch_tables *tables);
void ibcc_nvidia_add_ca(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			const struct ccp_nvidia_ca_tables *tables);

/* Adds what the device was found with, as far as it has those VLs and algorithms still; parameters as those functions do. */
void ibcc_nvidia_add_found(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			   const struct ibcc_found *found);

/*
 * Returns what the device holds of the item by what was found, with the time in `seen_ns`; NULL: that is not known. Of an item that is
 * about several VLs or SLs it is known if all of them were found as the item wants them.
 */
const struct ibcc_payload *ibcc_nvidia_held_by_found(const struct ibcc_found *found, const struct ibcc_item *item,
						     int64_t *seen_ns);

#ifdef __cplusplus
}
#endif
#endif
