/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_found.c: revision 0: what each device was found with, before anything was set on it.
 *
 * A device is read when it first answers, and what it holds is on the disk before it is set. Until a profile comes into force, what it
 * is read to hold later takes the place of that, as others still manage the fabric. From then on it stays, and is what the device is
 * brought to where there is no base.
 */
#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "devices/as_found.h"
#include "manager/manager_state.h"

void manager_found_open(struct ibcc_manager *manager)
{
	struct ccp_error error;

	manager->devices.as_found = ibcc_as_found_open(ibcc_profiles_folder(manager->profiles), manager->devices.pool,
						       !ibcc_profiles_have_former(manager->profiles), manager->log, &error);
	ibcc_profiles_keep_as_found(manager->profiles, manager->devices.as_found);
	if (manager->devices.as_found)
		return;
	(void)snprintf(manager->found.reason, sizeof(manager->found.reason), "%s", error.message);
	ibcc_log(manager->log, IBCC_LOG_INFO,
		 "IBCC0114: there is no revision 0, as what devices were found with is not known: %s", error.message);
}

void manager_found_close(struct ibcc_manager *manager)
{
	ibcc_as_found_close(manager->devices.as_found);
	manager->devices.as_found = NULL;
}

static bool is_present(const void *owner, const struct ibcc_found *found)
{
	const struct ibcc_device *device = ibcc_devices_find(owner, found->node_guid, found->port);

	return device && device->present;
}

static void note_marks(struct ibcc_manager *manager, const struct ibcc_device *device)
{
	manager->found.marks |= device->kind == IBCC_SWITCH && device->found && ibcc_found_marks(device->found);
}

void manager_found_take(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const bool was_full = ibcc_as_found_is_full(manager->devices.as_found);
	const struct ibcc_found *found =
		ibcc_as_found_put(manager->devices.as_found, device->node_guid, device->port, &device->found_reading,
				  manager->tables != NULL, is_present, &manager->devices);

	if (!found) {
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0112: out of memory, or too many devices: %s is not set, as what it holds cannot be kept",
			 device->description);
		ibcc_found_forget(&device->found_reading, manager->devices.pool);
		return;
	}
	/* A device that was dropped to make room may still be known, and is away. */
	for (uint32_t i = 0; was_full && i < manager->devices.count; i++) {
		struct ibcc_device *one = manager->devices.list[i];

		one->found = ibcc_as_found_find(manager->devices.as_found, one->node_guid, one->port);
	}
	device->found = found;
	device->found_is_news = true;
	note_marks(manager, device);
}

void manager_found_doubt(struct ibcc_manager *manager, struct ibcc_device *device, int64_t since_ns)
{
	const struct ibcc_found *found = device->found;

	if (!manager->devices.as_found || !found || !found->num_items || found->items[found->num_items - 1].seen_ns < since_ns)
		return;
	ibcc_as_found_doubt(manager->devices.as_found, found);
	device->found = NULL;
}

void manager_found_follow(struct ibcc_manager *manager, struct ibcc_device *device)
{
	bool is_other = false;

	for (uint32_t i = 0; device->is_watched && device->found && i < device->num_items; i++) {
		struct ibcc_item *item = &device->items[i];

		if (!item->was_found || !item->held || item->held == item->wanted)
			continue;
		ibcc_as_found_change(manager->devices.as_found, device->found, item->attribute, item->block, item->held);
		ibcc_payload_release(manager->devices.pool, item->wanted);
		item->wanted = ibcc_payload_hold(item->held);
		is_other = true;
	}
	if (!is_other)
		return;
	if (!manager->found.followed++)
		memcpy(manager->found.first, device->description, sizeof(manager->found.first));
	note_marks(manager, device);
}

void manager_found_freeze(struct ibcc_manager *manager)
{
	if (manager->devices.as_found)
		ibcc_as_found_freeze(manager->devices.as_found);
}

void manager_found_look(struct ibcc_manager *manager)
{
	manager->found.marks = false;
	for (uint32_t i = 0; i < manager->devices.count; i++)
		note_marks(manager, manager->devices.list[i]);
}

/* One line for each reason, not for each try. */
static bool save(struct ibcc_manager *manager)
{
	struct ccp_error error = {.message = ""};
	const int failed = ibcc_as_found_save(manager->devices.as_found, &error);

	if (failed && strcmp(manager->found.unsaved, error.message) != 0)
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0111: devices are not set, as what they were found with cannot be kept: %s", error.message);
	(void)snprintf(manager->found.unsaved, sizeof(manager->found.unsaved), "%s", failed ? error.message : "");
	return !failed;
}

bool manager_found_may_set(struct ibcc_manager *manager, struct ibcc_device *device, struct ccp_error *error)
{
	if (!manager->devices.as_found)
		return true;
	if (!device->found || !device->found->frozen) {
		(void)ccp_fail(error, "what %s was found with is not known yet", device->description);
		return false;
	}
	if (device->found->saved || save(manager))
		return true;
	(void)ccp_fail(error, "%s", manager->found.unsaved);
	return false;
}

void manager_found_end_pass(struct ibcc_manager *manager)
{
	if (!manager->devices.as_found)
		return;
	if (manager->found.followed)
		ibcc_log(manager->log, IBCC_LOG_INFO,
			 "IBCC0310: %s%s hold other values than they were found with before, and no profile was in force since: "
			 "what they "
			 "hold "
			 "now is revision 0",
			 manager->found.first, manager->found.followed > 1 ? " and others" : "");
	manager->found.followed = 0;
	(void)save(manager);
}

const struct ibcc_as_found *ibcc_manager_as_found(const struct ibcc_manager *manager, const char **reason)
{
	*reason = manager->devices.as_found ? manager->found.unsaved : manager->found.reason;
	return manager->devices.as_found;
}
