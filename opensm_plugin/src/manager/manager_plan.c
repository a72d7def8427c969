/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_plan.c: finds what a profile would change, without sending anything. */
#include <string.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/resolve.h"
#include "devices/device_items.h"
#include "devices/ppcc_names.h"
#include "manager/manager_state.h"

static void note_attribute(struct ibcc_plan_device *counted, uint16_t attribute)
{
	for (uint32_t i = 0; i < counted->num_attributes; i++) {
		if (counted->attributes[i] == attribute)
			return;
	}
	if (counted->num_attributes < IBCC_PLAN_ATTRIBUTES)
		counted->attributes[counted->num_attributes++] = attribute;
}

/* Counts the Sets that would bring the device to `planned`, which is the same device under the profile. */
static void count_sets(struct ibcc_plan_device *counted, const struct ibcc_device *planned)
{
	const struct ibcc_device *device = counted->device;

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
			counted->unknown = true;
		}
		note_attribute(counted, item->attribute);
		counted->sets++;
	}
}

/* Counts what `plan->tables` would change. -1: out of memory. */
static int count_all(struct ibcc_manager *manager, struct ibcc_plan *plan, ibcc_plan_tell *tell, void *owner)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];
		struct ibcc_device planned = *device;
		struct ibcc_plan_device counted = {.device = device};

		if (!device->present || device->support == IBCC_UNSUPPORTED)
			continue;
		planned.items = NULL;
		planned.num_items = 0;
		if (ibcc_devices_set_wanted_one(&manager->devices, &planned, plan->tables))
			return -1;
		count_sets(&counted, &planned);
		ibcc_device_clear_items(&planned, manager->devices.pool);
		if (!counted.sets)
			continue;
		plan->sets += counted.sets;
		plan->devices++;
		plan->switches += device->kind == IBCC_SWITCH;
		plan->cas += device->kind == IBCC_CA;
		plan->unknown += counted.unknown;
		if (tell && tell(owner, &counted))
			return -1;
	}
	return 0;
}

int ibcc_manager_check(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error)
{
	return manager_nvidia_check(manager, profile, error);
}

int ibcc_manager_plan(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ibcc_plan *plan,
		      ibcc_plan_tell *tell, void *owner, struct ccp_error *error)
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
	result = count_all(manager, plan, tell, owner);
	manager->devices.rules.names = manager->nvidia.names;
	ibcc_ppcc_names_destroy(names);
	if (!result)
		return 0;
	(void)ccp_fail_no_memory(error);
	ccp_tables_destroy(plan->tables);
	plan->tables = NULL;
	return -1;
}
