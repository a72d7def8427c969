/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_state.c: what follows from the manager's state alone, and the queue of devices. */
#include "manager/manager_state.h"

uint64_t manager_wanted_revision(const struct ibcc_manager *manager)
{
	return ibcc_profiles_wanted_number(manager->profiles);
}

bool manager_has_wanted(const struct ibcc_manager *manager)
{
	return manager->tables || manager->standing.tables == IBCC_REVISION_AS_FOUND;
}

bool manager_may_send(const struct ibcc_manager *manager)
{
	const struct ibcc_role_rules *role = &ibcc_roles[manager->standing.role];
	const bool restores = manager->standing.restore && manager->standing.restore == manager_wanted_revision(manager);

	if (!role->sends || manager->snapshot_failure)
		return false;
	return manager->standing.role != IBCC_ROLE_SWEEP_FAILED || manager->options->when_sweep_failed == IBCC_ACT ||
	       (role->restores && restores);
}

bool manager_is_paused(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return device->again_ns > manager_now_ns(manager);
}

bool manager_waits_for_note(const struct ibcc_device *device)
{
	return device->unnoted && device->present && device->num_items &&
	       (!ibcc_device_is_settled(device) || ibcc_device_holds_unowned(device));
}

const char *manager_why_unnoted(const struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++)
		if (manager_waits_for_note(manager->devices.list[i]))
			return manager->unnoted;
	return NULL;
}

void manager_clear_queue(struct ibcc_manager *manager)
{
	while (manager->first_queued) {
		struct ibcc_device *device = manager->first_queued;

		manager->first_queued = device->next_queued;
		device->next_queued = NULL;
		device->queued = false;
	}
	manager->last_queued = NULL;
}

void manager_queue(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (device->queued)
		return;
	device->queued = true;
	device->next_queued = NULL;
	if (manager->last_queued)
		manager->last_queued->next_queued = device;
	else
		manager->first_queued = device;
	manager->last_queued = device;
}

struct ibcc_device *manager_unqueue(struct ibcc_manager *manager)
{
	struct ibcc_device *device = manager->first_queued;

	manager->first_queued = device->next_queued;
	if (!manager->first_queued)
		manager->last_queued = NULL;
	device->next_queued = NULL;
	device->queued = false;
	return device;
}

bool manager_has_firmware(const struct ibcc_device *device)
{
	return !device->firmware.to_ask && !device->firmware.in_flight && device->firmware.state != IBCC_FIRMWARE_NOT_ASKED;
}
