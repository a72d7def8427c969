/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_view.c: what there is to see of the manager. */
#include "manager_state.h"

enum ibcc_role_now ibcc_manager_role(const struct ibcc_manager *manager)
{
	return manager->role;
}

const char *ibcc_manager_role_text(const struct ibcc_manager *manager)
{
	static const char *const texts[] = {"starting", "master", "standby", "not-well", "conflict", "halted"};

	return texts[manager->role];
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

const struct ccp_tables *ibcc_manager_tables(const struct ibcc_manager *manager)
{
	return manager->tables;
}

const struct ibcc_snapshot *ibcc_manager_snapshot(const struct ibcc_manager *manager)
{
	return manager->snapshot;
}

const struct ibcc_job *ibcc_manager_job(const struct ibcc_manager *manager)
{
	return &manager->job;
}

struct ibcc_window_counts ibcc_manager_mads(const struct ibcc_manager *manager)
{
	return ibcc_window_get_counts(manager->window);
}

struct ibcc_sweeps ibcc_manager_sweeps(const struct ibcc_manager *manager)
{
	return manager->sweeps;
}
