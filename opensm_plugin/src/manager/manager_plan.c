/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_plan.c: counts what a profile would change, without sending anything. */
#include <string.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/resolve.h"
#include "devices/device_items.h"
#include "devices/ppcc_names.h"
#include "manager/manager_state.h"

/* Counts the Sets that would bring `device` to `planned`, which is the same device under the profile. */
static uint32_t count_sets(const struct ibcc_device *device, const struct ibcc_device *planned, bool *unknown)
{
	uint32_t sets = 0;

	for (uint32_t i = 0; i < planned->num_items; i++) {
		const struct ibcc_item *item = &planned->items[i];
		const struct ibcc_item *known = NULL;

		for (uint32_t k = 0; k < device->num_items && !known; k++) {
			const struct ibcc_item *one = &device->items[(i + k) % device->num_items];

			if (one->attribute == item->attribute && one->block == item->block && one->scope == item->scope)
				known = one;
		}
		if (item->withheld)
			continue;
		if (known && (known->held == item->wanted || (known->asked == item->wanted && !known->drifted)))
			continue;
		if (!known || !known->held) {
			if (item->optional)
				continue;
			*unknown = true;
		}
		sets++;
	}
	return sets;
}

/* Counts what `plan->tables` would change. -1: out of memory. */
static int count_all(struct ibcc_manager *manager, struct ibcc_plan *plan)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];
		struct ibcc_device planned = *device;
		bool unknown = false;
		uint32_t sets;

		if (!device->present || device->support == IBCC_UNSUPPORTED)
			continue;
		planned.items = NULL;
		planned.num_items = 0;
		if (ibcc_devices_set_wanted_one(&manager->devices, &planned, plan->tables))
			return -1;
		sets = count_sets(device, &planned, &unknown);
		ibcc_device_clear_items(&planned, manager->devices.pool);
		plan->sets += sets;
		plan->devices += sets > 0;
		plan->switches += sets > 0 && device->kind == IBCC_SWITCH;
		plan->cas += sets > 0 && device->kind == IBCC_CA;
		plan->unknown += unknown;
	}
	return 0;
}

int ibcc_manager_check(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error)
{
	return manager_nvidia_check(manager, profile, error);
}

int ibcc_manager_plan(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ibcc_plan *plan,
		      struct ccp_error *error)
{
	struct ibcc_ppcc_names *names;
	int result;

	memset(plan, 0, sizeof(*plan));
	if (!manager->snapshot) {
		(void)ccp_fail(error, "the fabric is not known yet: no sweep of this OpenSM has ended");
		return -1;
	}
	plan->tables = ccp_resolve(profile, &manager->snapshot->view, error);
	if (!plan->tables)
		return -1;
	/* An apply would read them anew; those of the profile in force come back. */
	names = manager_nvidia_read_names(manager, profile);
	if (names)
		manager->devices.rules.names = names;
	result = count_all(manager, plan);
	manager->devices.rules.names = manager->nvidia.names;
	ibcc_ppcc_names_destroy(names);
	if (!result)
		return 0;
	(void)ccp_fail_no_memory(error);
	ccp_tables_destroy(plan->tables);
	plan->tables = NULL;
	return -1;
}
