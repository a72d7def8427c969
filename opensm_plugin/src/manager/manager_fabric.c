/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_fabric.c: takes over the fabric that a sweep has found: devices that came, left, moved, or may have been reset. */
#include "manager/manager_state.h"

/* Each device is settled, or has a time at which it is asked again. */
static bool all_settled(const struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (device->present && device->num_items && device->support != IBCC_UNSUPPORTED && !device->silent &&
		    !device->late && !manager_is_settled(manager, device) && !manager_is_paused(manager, device))
			return false;
	}
	return true;
}

/* A device that was reset may be back before a sweep has missed it. */
static void suspect_resets(struct ibcc_manager *manager, const struct ibcc_snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->num_endports; i++) {
		const struct ibcc_endport *endport = &snapshot->endports[i];
		struct ibcc_device *device =
			endport->may_be_reset && !endport->not_ready
				? ibcc_devices_find(&manager->devices, snapshot->view.nodes[endport->node].guid, endport->port)
				: NULL;

		if (device) {
			manager_audit_suspect(manager, device);
			device->firmware.to_ask = true;
		}
	}
}

/* After a sweep whose fabric was not copied, any device may have been reset. */
void manager_suspect_all(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		manager_audit_suspect(manager, manager->devices.list[i]);
		manager->devices.list[i]->firmware.to_ask = true;
	}
	manager_firmware_look(manager);
}

/*
 * A device that has left does not answer, and one that has moved is not where its request goes. So the request is cancelled: the
 * others need not wait for its time-out, and no other device gets it. It is made again where it is still needed. What it is thought
 * to have answered since the sweep began, another may have answered that has its LID now. And it may itself have taken what was
 * sent to another.
 */
static void doubt_departed(struct ibcc_manager *manager)
{
	const int64_t since_ns = manager->unsure_since_ns ? manager->unsure_since_ns : INT64_MAX;

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (device->present && !device->moved)
			continue;
		if (device->in_flight)
			ibcc_window_cancel(manager->window, device);
		if (device->firmware.in_flight)
			ibcc_window_cancel(manager->firmware.window, device);
		manager_found_doubt(manager, device, since_ns);
		if (device->answered_ns >= since_ns) {
			ibcc_device_forget(device, manager->devices.pool);
			device->read_first = true;
		}
		if (device->moved)
			manager_audit_suspect(manager, device);
		device->moved = false;
	}
}

/* Without a copy of the fabric nothing is sent: a LID may be another device's now. */
void manager_lose_fabric(struct ibcc_manager *manager, const char *why)
{
	manager->snapshot_failure = why;
	ibcc_window_cancel(manager->window, NULL);
	ibcc_window_cancel(manager->firmware.window, NULL);
	manager_stop_pass(manager, IBCC_JOB_ENDED, why);
	ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0207: %s: waiting for the next sweep", why);
}

/*
 * Replaces the fabric by `snapshot`, which it frees otherwise. False: out of memory; the devices are as they were, and nothing is
 * sent.
 */
static bool take_fabric(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot)
{
	const bool is_first = !manager->snapshot;

	manager_clear_queue(manager);
	if (ibcc_devices_update(&manager->devices, snapshot)) {
		manager_lose_fabric(manager, "out of memory");
		ibcc_snapshot_destroy(snapshot);
		return false;
	}
	ibcc_snapshot_destroy(manager->snapshot);
	manager->snapshot = snapshot;
	manager->fabric_is_new = true;
	doubt_departed(manager);
	manager->unsure_since_ns = 0;
	/* Only a restart saves Sets by reading what devices hold. */
	if (is_first && ibcc_profiles_have_former(manager->profiles))
		manager_forget_devices(manager);
	ibcc_error_budget_allow(&manager->budget, manager->options->max_errors, ibcc_devices_count_present(&manager->devices));
	return true;
}

void manager_take_snapshot(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot)
{
	const bool same =
		manager->snapshot && !manager->snapshot_failure && ibcc_snapshot_same_fabric(manager->snapshot, snapshot);

	if (manager->snapshot_failure)
		manager_suspect_all(manager);
	manager->snapshot_failure = NULL;
	if (!manager_open_port(manager, snapshot->sm_port_guid)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0208: cannot open port 0x%016llx for MADs: trying again",
			 (unsigned long long)snapshot->sm_port_guid);
		manager->port_pause_ns = NS_PER_S;
		manager->port_again_ns = manager_now_ns(manager) + NS_PER_S;
	}
	suspect_resets(manager, snapshot);
	manager_firmware_look(manager);
	(void)manager_keys_reload(manager);
	if (same) {
		ibcc_snapshot_destroy(snapshot);
		manager->unsure_since_ns = 0;
	} else if (!take_fabric(manager, snapshot)) {
		return;
	}
	ibcc_window_resume(manager->window, manager_now_ns(manager));
	if (!manager_may_send(manager))
		return;
	/*
	 * A running pass takes care of all that is not settled, but it may have gone past a device whose key has changed since.
	 */
	if (same && !manager->fabric_is_new && manager->standing.tables == manager_wanted_revision(manager) &&
	    ((all_settled(manager) && manager->standing.on_fabric == manager->standing.tables) ||
	     (manager->standing.phase != PHASE_IDLE && !manager->keys)))
		return;
	if (manager->job.state != IBCC_JOB_RUNNING)
		manager->set_clamped = false;
	(void)manager_converge(manager, manager->job.state == IBCC_JOB_RUNNING ? manager->job.kind : "apply");
}

void manager_take_cut_sweep(struct ibcc_manager *manager)
{
	struct ibcc_snapshot *snapshot;

	if (!ibcc_roles[manager->standing.role].sends || manager->snapshot_failure || !manager->snapshot)
		return;
	snapshot = manager->env.snapshot(manager->env.owner);
	if (!snapshot)
		manager_lose_fabric(manager, "out of memory: the subnet cannot be copied");
	else
		(void)take_fabric(manager, snapshot);
}
