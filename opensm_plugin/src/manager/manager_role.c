/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_role.c: changes the role of this OpenSM: may stop the pass, and may make unknown what devices hold. */
#include "manager/manager_state.h"

/* A former process or another OpenSM may have written to the devices: they are read before they are set. */
void manager_forget_devices(struct ibcc_manager *manager)
{
	manager_stand_mixed(manager);
	manager_firmware_look(manager);
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		ibcc_device_forget(manager->devices.list[i], manager->devices.pool);
		manager->devices.list[i]->read_first = true;
	}
}

void manager_change_role(struct ibcc_manager *manager, enum ibcc_role role, const char *why)
{
	const enum ibcc_role before = manager->standing.role;

	manager_stand_in_role(manager, role);
	if (role == before)
		return;
	if (!manager_may_send(manager)) {
		ibcc_window_cancel(manager->window, NULL);
		manager_stop_pass(manager, IBCC_JOB_ENDED, why);
	}
	if (!ibcc_roles[role].counts_errors)
		manager_stand_over_budget(manager, false);
	if (role != IBCC_ROLE_HALTED && before == IBCC_ROLE_HALTED)
		manager->halted_pause_ns = 0;
	if (role == IBCC_ROLE_CONFLICT)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0211: %s", why);
	else if (role == IBCC_ROLE_HALTED)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0403: %s", why);
	else
		ibcc_log(manager->log, IBCC_LOG_INFO, "%s", why);
	manager_report_sm(manager, before, why);
	if (ibcc_roles[before].others_write) {
		manager_forget_devices(manager);
		manager_nvidia_look(manager);
	}
}
