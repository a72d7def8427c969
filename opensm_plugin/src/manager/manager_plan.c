/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_plan.c: finds what a profile would change, without sending anything. */
#include <string.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/resolve.h"
#include "devices/device_items.h"
#include "devices/ppcc_names.h"
#include "manager/manager_state.h"

static void note_set(struct ibcc_plan_device *counted, const struct ibcc_item *item, const struct ibcc_payload *held)
{
	const uint16_t attribute = item->attribute;

	counted->sets++;
	if (counted->num_steps < IBCC_PLAN_STEPS)
		counted->steps[counted->num_steps++] = (struct ibcc_plan_step){
			.attribute = attribute, .scope = item->scope, .block = item->block, .held = held, .wanted = item->wanted};
	for (uint32_t i = 0; i < counted->num_attributes; i++) {
		if (counted->attributes[i] == attribute)
			return;
	}
	if (counted->num_attributes < IBCC_PLAN_ATTRIBUTES)
		counted->attributes[counted->num_attributes++] = attribute;
}

static const struct ibcc_item *find_item(const struct ibcc_device *device, const struct ibcc_item *item, uint32_t near)
{
	for (uint32_t k = 0; k < device->num_items; k++) {
		const struct ibcc_item *one = &device->items[(near + k) % device->num_items];

		if (one->attribute == item->attribute && one->block == item->block && one->scope == item->scope)
			return one;
	}
	return NULL;
}

/*
 * Counts the Sets that would bring the device to `planned`, which is the same device under the profile. `former`: the same device
 * under the profile that it is to come from; NULL: it comes from what it holds.
 */
static void count_sets(struct ibcc_plan_device *counted, const struct ibcc_device *former, const struct ibcc_device *planned)
{
	for (uint32_t i = 0; i < planned->num_items; i++) {
		const struct ibcc_item *item = &planned->items[i];
		const struct ibcc_item *known = find_item(former ? former : counted->device, item, i);
		bool is_known;

		if (item->withheld)
			continue;
		if (former) {
			is_known = known && (!known->withheld || former->is_watched);
			if (is_known && known->wanted == item->wanted)
				continue;
		} else {
			is_known = known && known->held;
			if (known && (known->held == item->wanted || (known->asked == item->wanted && !known->drifted)))
				continue;
		}
		if (!is_known) {
			if (item->optional)
				continue;
			counted->unknown = counted->unknown || !former;
		}
		note_set(counted, item, !is_known ? NULL : former ? known->wanted : known->held);
	}
}

/* A profile on this fabric, and the names of algorithms that it is read with. */
struct side {
	bool is_given;
	struct ccp_tables *tables;      /* NULL: what devices were found with */
	struct ibcc_ppcc_names *names;  /* NULL: those of the profile in force */
	struct ibcc_nvidia_rules rules; /* with these names */
};

/* Makes the device under a profile, to be cleared with ibcc_device_clear_items. -1: out of memory. */
static int under(struct ibcc_manager *manager, const struct side *side, const struct ibcc_device *device,
		 struct ibcc_device *result)
{
	*result = *device;
	result->items = NULL;
	result->num_items = 0;
	if (result->rules)
		result->rules = &side->rules;
	return side->tables ? ibcc_devices_set_wanted_one(&manager->devices, result, side->tables)
			    : ibcc_device_set_as_found(result, manager->devices.pool, true);
}

/* Counts what `to` would change on one device, and tells of it if that is anything. -1: out of memory. */
static int count_one(struct ibcc_manager *manager, const struct side *from, const struct side *to,
		     struct ibcc_plan_device *counted, ibcc_plan_tell *tell, void *owner)
{
	struct ibcc_device former = {0}, planned = {0};
	int failed = 0;

	if (from->is_given)
		failed = under(manager, from, counted->device, &former);
	if (!failed)
		failed = under(manager, to, counted->device, &planned);
	if (!failed)
		count_sets(counted, from->is_given ? &former : NULL, &planned);
	if (!failed && counted->sets && tell)
		failed = tell(owner, counted);
	ibcc_device_clear_items(&former, manager->devices.pool);
	ibcc_device_clear_items(&planned, manager->devices.pool);
	return failed;
}

/* Counts what `to` would change. -1: out of memory. */
static int count_all(struct ibcc_manager *manager, const struct side *from, const struct side *to, struct ibcc_plan *plan,
		     ibcc_plan_tell *tell, void *owner)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];
		struct ibcc_plan_device counted = {.device = device};

		if (!device->present || device->support == IBCC_UNSUPPORTED)
			continue;
		if (count_one(manager, from, to, &counted, tell, owner))
			return -1;
		if (!counted.sets)
			continue;
		plan->sets += counted.sets;
		plan->devices++;
		plan->switches += device->kind == IBCC_SWITCH;
		plan->cas += device->kind == IBCC_CA;
		plan->unknown += counted.unknown;
	}
	return 0;
}

int ibcc_manager_check(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error)
{
	return manager_nvidia_check(manager, profile, error);
}

/* -1 with `error` filled. */
static int open_side(struct ibcc_manager *manager, const struct ccp_profile *profile, struct side *side, struct ccp_error *error)
{
	side->is_given = true;
	side->rules = manager->devices.rules;
	side->tables = ccp_resolve(profile, &manager->snapshot->view, error);
	if (!side->tables)
		return -1;
	/* An apply would read them anew. */
	side->names = manager_nvidia_read_names(manager, profile);
	if (side->names)
		side->rules.names = side->names;
	return 0;
}

/* -1 with `error` filled. */
static int open_former(struct ibcc_manager *manager, enum ibcc_plan_from from, struct side *side, struct ccp_error *error)
{
	const struct ibcc_revision *base = ibcc_profiles_base(manager->profiles);

	if (base && from == IBCC_PLAN_FROM_BASE)
		return open_side(manager, base->profile, side, error);
	side->is_given = true;
	side->rules = manager->devices.rules;
	return manager->devices.as_found ? 0 : ccp_fail(error, "there is no base, and what devices were found with is not kept");
}

int ibcc_manager_plan(struct ibcc_manager *manager, enum ibcc_plan_from from, const struct ccp_profile *profile,
		      struct ibcc_plan *plan, ibcc_plan_tell *tell, void *owner, struct ccp_error *error)
{
	struct side before = {0}, after = {0};
	int result = -1;

	memset(plan, 0, sizeof(*plan));
	if (!manager->snapshot) {
		(void)ccp_fail(error, "the fabric is not known yet: no sweep of this OpenSM has ended");
		return -1;
	}
	if ((from == IBCC_PLAN_FROM_HELD || !open_former(manager, from, &before, error)) &&
	    !open_side(manager, profile, &after, error)) {
		result = count_all(manager, &before, &after, plan, tell, owner);
		if (result)
			(void)ccp_fail_no_memory(error);
	}
	ccp_tables_destroy(before.tables);
	ibcc_ppcc_names_destroy(before.names);
	ibcc_ppcc_names_destroy(after.names);
	if (result)
		ccp_tables_destroy(after.tables);
	else
		plan->tables = after.tables;
	return result;
}
