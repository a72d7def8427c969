/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_view.c: the manager's status. */
#include <string.h>

#include "manager/manager_state.h"

enum ibcc_role ibcc_manager_role(const struct ibcc_manager *manager)
{
	return manager->standing.role;
}

const char *ibcc_manager_role_text(const struct ibcc_manager *manager)
{
	return ibcc_roles[manager->standing.role].text;
}

enum ibcc_device_state ibcc_manager_device_state(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return ibcc_roles[manager->standing.role].knows_states && device->present ? ibcc_device_state(device)
										  : IBCC_STATE_UNKNOWN;
}

void ibcc_manager_count_states(const struct ibcc_manager *manager, uint32_t counts[IBCC_NUM_STATES])
{
	memset(counts, 0, IBCC_NUM_STATES * sizeof(counts[0]));
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		if (manager->devices.list[i]->present)
			counts[ibcc_manager_device_state(manager, manager->devices.list[i])]++;
	}
}

uint32_t ibcc_manager_count_experiment_holders(const struct ibcc_manager *manager, uint64_t revision)
{
	const uint64_t base = ibcc_profiles_base_number(manager->profiles);
	const bool is_base = base && base == manager->standing.tables;
	uint32_t count = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (!device->sent_experiment || device->sent_experiment > revision)
			continue;
		/* A request in flight to it may be of the trial run, even if another profile is wanted by now. */
		count += !is_base || device->in_flight || !ibcc_device_is_settled(device) || ibcc_device_refuses(device);
	}
	return count;
}

bool ibcc_manager_awaits_experiment_holders(const struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (device->present && device->sent_experiment && (device->silent || device->late))
			return true;
	}
	return manager->standing.phase != PHASE_IDLE;
}

uint64_t ibcc_manager_on_fabric(const struct ibcc_manager *manager)
{
	/*
	 * On a fabric that could not be copied, or that the profile no longer fits, new devices are not brought to the profile.
	 */
	const bool is_whole = !manager->snapshot_failure && manager->standing.on_fabric != manager->standing.unresolved;

	return ibcc_roles[manager->standing.role].knows_states && is_whole ? manager->standing.on_fabric : 0;
}

const char *ibcc_manager_pending(const struct ibcc_manager *manager)
{
	const struct ibcc_role_rules *role = &ibcc_roles[manager->standing.role];
	const uint64_t wanted = manager_wanted_revision(manager);

	if (!wanted || ibcc_manager_on_fabric(manager) == wanted)
		return NULL;
	if (manager->snapshot_failure)
		return manager->snapshot_failure;
	if (!manager_may_send(manager) || manager->standing.role == IBCC_ROLE_HALTED)
		return role->pending;
	if (manager->standing.unresolved == wanted)
		return manager->unresolved;
	if (!manager->port && manager->port_guid)
		return "the local port cannot be opened for MADs";
	if (manager->standing.sweeping)
		return "OpenSM is sweeping, and nothing is sent until the sweep ends";
	if (manager_why_unnoted(manager))
		return manager_why_unnoted(manager);
	return "devices are being brought to it";
}

int64_t ibcc_manager_now_ns(const struct ibcc_manager *manager)
{
	return manager_now_ns(manager);
}

const struct ibcc_devices *ibcc_manager_devices(const struct ibcc_manager *manager)
{
	return &manager->devices;
}

struct ibcc_profiles *ibcc_manager_profiles(const struct ibcc_manager *manager)
{
	return manager->profiles;
}

const struct ibcc_options *ibcc_manager_options(const struct ibcc_manager *manager)
{
	return manager->options;
}

bool ibcc_manager_writes_nvidia(const struct ibcc_manager *manager)
{
	return manager->devices.rules.may_write;
}

const struct ccp_tables *ibcc_manager_tables(const struct ibcc_manager *manager)
{
	return manager->tables;
}

const struct ibcc_snapshot *ibcc_manager_snapshot(const struct ibcc_manager *manager)
{
	return manager->snapshot;
}

const struct ibcc_topology *ibcc_manager_topology(const struct ibcc_manager *manager)
{
	return &manager->topology;
}

int64_t ibcc_manager_topology_swept_s(const struct ibcc_manager *manager, bool *ok)
{
	*ok = manager->topology_sweep_ok;
	return manager->topology_swept_s;
}

const struct ibcc_other_sms *ibcc_manager_other_sms(const struct ibcc_manager *manager)
{
	return &manager->other_sms;
}

const struct ibcc_job *ibcc_manager_job(const struct ibcc_manager *manager)
{
	return &manager->job;
}

struct ibcc_window_counts ibcc_manager_mads(const struct ibcc_manager *manager)
{
	const struct ibcc_window_counts firmware = ibcc_window_get_counts(manager->firmware.window);
	struct ibcc_window_counts counts = ibcc_window_get_counts(manager->window);

	counts.sent += firmware.sent;
	counts.gets += firmware.gets;
	counts.answered += firmware.answered;
	counts.retried += firmware.retried;
	counts.timed_out += firmware.timed_out;
	counts.unexpected += firmware.unexpected;
	return counts;
}

struct ibcc_sweeps ibcc_manager_sweeps(const struct ibcc_manager *manager)
{
	return manager->sweeps;
}

bool ibcc_manager_is_sweeping(const struct ibcc_manager *manager)
{
	return manager->standing.sweeping || (manager->env.is_sweeping && manager->env.is_sweeping(manager->env.owner));
}

uint32_t ibcc_manager_num_sweeps_begun(const struct ibcc_manager *manager)
{
	return manager->env.num_sweeps_begun(manager->env.owner);
}
