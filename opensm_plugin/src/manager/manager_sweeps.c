/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_sweeps.c: nothing is sent while OpenSM sweeps.
 *
 * OpenSM tells when a heavy sweep begins, and by SUBNET_UP when it has ended, well or not. It leaves one without SUBNET_UP
 * (opensm/osm_state_mgr.c of 3.3.23, do_sweep) when
 * - the SM's port is down, or another SM is to be master: it is not MASTER then, which STATE_CHANGE tells in most cases and sm_state() in all;
 * - it waits for another master to hand over, or no routing engine succeeded: another heavy sweep follows;
 * - its port did not take its very first MADs (ERR 3305): the next heavy sweep may be long in coming.
 * In none of these is the subnet known to be well, so it is right to wait; but it is to be seen, and being MASTER is to be looked after.
 */
#include "manager/manager_state.h"

#define LOOK_NS NS_PER_S
#define LONG_SWEEP_S 300

/* Before anything is sent: the mail that tells of a sweep may wait behind what this thread is doing. */
void manager_sweep_check(struct ibcc_manager *manager)
{
	if (ibcc_roles[manager->role].is_master && !manager->sweeping && manager->env.is_sweeping &&
	    manager->env.is_sweeping(manager->env.owner))
		manager_sweep_begins(manager);
}

void manager_sweep_begins(struct ibcc_manager *manager)
{
	if (!manager->sweeping)
		manager->sweeps.since_ns = manager_now_ns(manager);
	manager->sweeping = true;
	ibcc_window_pause(manager->window);
}

/* The window stays as it is: a standby's has nothing to go on with. */
void manager_sweep_ends(struct ibcc_manager *manager)
{
	manager->sweeping = false;
	manager->sweeps.since_ns = 0;
	manager->logged_long_sweep = false;
}

void manager_sweeps_tick(struct ibcc_manager *manager)
{
	if (!manager->sweeping || manager->logged_long_sweep ||
	    manager_now_ns(manager) < manager->sweeps.since_ns + LONG_SWEEP_S * NS_PER_S)
		return;
	manager->logged_long_sweep = true;
	ibcc_log(manager->log, IBCC_LOG_INFO,
		 "OpenSM began a heavy sweep %d s ago and has not reported its end: nothing is sent until a sweep ends; a SIGHUP "
		 "starts another",
		 LONG_SWEEP_S);
}

/* While OpenSM sweeps, and is thought to be MASTER. */
int64_t manager_sweeps_next_ns(const struct ibcc_manager *manager)
{
	return manager_now_ns(manager) + LOOK_NS;
}
