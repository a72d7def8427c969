/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_nvidia_found.c: revision 0 of NVIDIA's attributes: what each device held of them before its first Set.
 *
 * A device is read when a profile has values for it, or others have switched it on. Before the first Set its row is on the disk, and
 * is kept from then on. Where revision 0 is in force, the device is brought back to it, and the row is free again: it is somebody
 * else's device from then on.
 */
#include <stdio.h>
#include <string.h>

#include "manager/manager_state.h"

void manager_nvidia_found_open(struct ibcc_manager *manager)
{
	struct ccp_error error;

	if (!manager->devices.as_found)
		return;
	manager->nvidia.founds =
		ibcc_nvidia_founds_open(ibcc_profiles_folder(manager->profiles), manager->devices.pool, manager->log, &error);
	manager->devices.rules.founds = manager->nvidia.founds;
	if (!manager->nvidia.founds)
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0116: what devices were found with of NVIDIA's attributes is not kept, so that revision 0 clears "
			 "them: %s",
			 error.message);
}

void manager_nvidia_found_close(struct ibcc_manager *manager)
{
	ibcc_nvidia_founds_close(manager->nvidia.founds);
	manager->devices.rules.founds = manager->nvidia.founds = NULL;
}

static bool is_kept(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return ibcc_nvidia_founds_kept(manager->nvidia.founds, device->node_guid, device->port);
}

bool manager_nvidia_found_prepare(struct ibcc_manager *manager, struct ibcc_device *device, bool has_values)
{
	const bool is_wanted = has_values && manager->options->nvidia_write;

	/* What was read before may be of long ago. */
	if (is_wanted && !device->nvidia.is_wanted && !is_kept(manager, device))
		ibcc_nvidia_reading_forget(&device->nvidia_reading, manager->devices.pool);
	device->nvidia.is_wanted = is_wanted;
	return manager_wanted_revision(manager) == IBCC_REVISION_AS_FOUND && is_kept(manager, device);
}

void manager_nvidia_found_take(struct ibcc_manager *manager, struct ibcc_device *device)
{
	struct ibcc_nvidia_reading *reading = &device->nvidia_reading;

	if (ibcc_nvidia_founds_put(manager->nvidia.founds, device->node_guid, device->port, reading->items, reading->num_items)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0112: out of memory, or too many devices: %s is not set, as what it holds of NVIDIA's attributes "
			 "cannot be kept",
			 device->description);
		ibcc_nvidia_reading_forget(reading, manager->devices.pool);
		return;
	}
	*reading = (struct ibcc_nvidia_reading){.is_over = true};
}

void manager_nvidia_found_suspect(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (!is_kept(manager, device))
		ibcc_nvidia_reading_forget(&device->nvidia_reading, manager->devices.pool);
}

/* One line for each reason, not for each try. */
static bool save(struct ibcc_manager *manager)
{
	struct ccp_error error = {.message = ""};
	const int failed = ibcc_nvidia_founds_save(manager->nvidia.founds, &error);

	if (failed && !manager->nvidia.unsaved[0])
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0111: devices are not set, as what they were found with cannot be kept: %s", error.message);
	if (failed)
		(void)snprintf(manager->nvidia.unsaved, sizeof(manager->nvidia.unsaved), "%s", error.message);
	return !failed;
}

bool manager_nvidia_found_keep(struct ibcc_manager *manager, const struct ibcc_device *device)
{
	const struct ibcc_found *found;

	if (!manager->nvidia.founds || device->nvidia.written)
		return true;
	found = ibcc_nvidia_founds_find(manager->nvidia.founds, device->node_guid, device->port);
	if (!found)
		return false;
	ibcc_nvidia_founds_keep(manager->nvidia.founds, device->node_guid, device->port, true);
	return true;
}

bool manager_nvidia_found_is_safe(struct ibcc_manager *manager)
{
	return !manager->nvidia.founds || save(manager);
}

void manager_nvidia_found_end(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const struct ibcc_found *found = ibcc_nvidia_founds_kept(manager->nvidia.founds, device->node_guid, device->port);

	if (!found || manager->standing.tables != IBCC_REVISION_AS_FOUND)
		return;
	device->nvidia.facts.is_on = ibcc_nvidia_found_is_on(found);
	ibcc_nvidia_founds_keep(manager->nvidia.founds, device->node_guid, device->port, false);
	ibcc_nvidia_reading_forget(&device->nvidia_reading, manager->devices.pool);
}

void manager_nvidia_found_end_pass(struct ibcc_manager *manager)
{
	if (manager->nvidia.founds)
		(void)save(manager);
}
