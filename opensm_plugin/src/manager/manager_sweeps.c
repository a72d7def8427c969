/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_sweeps.c: nothing is sent while OpenSM sweeps.
 *
 * OpenSM reports the begin of a heavy sweep, and by SUBNET_UP its end, with or without errors. It leaves a sweep without
 * SUBNET_UP (opensm/osm_state_mgr.c of 3.3.23, do_sweep) when
 * - the SM's port is down, or another SM is to be master: it is not MASTER then, which STATE_CHANGE reports in most cases and
 * sm_state() in all;
 * - it waits for another master to hand over, or no routing engine succeeded: another heavy sweep follows;
 * - its port did not take its very first MADs (ERR 3305): it may be long until the next heavy sweep. In none of these is the
 * subnet known to be well, so it is right to wait; but status must show it, and OpenSM may not be MASTER any more.
 */
#include "manager/manager_state.h"

#define LOOK_NS NS_PER_S
#define LONG_SWEEP_S 300

/* Called before anything is sent: the notice of a sweep may still be in the inbox. */
void manager_sweep_check(struct ibcc_manager *manager)
{
	if (ibcc_roles[manager->standing.role].is_master && !manager->standing.sweeping && manager->env.is_sweeping &&
	    manager->env.is_sweeping(manager->env.owner))
		manager_sweep_begins(manager);
}

/* From now on an answer may be of another device, which has been given the LID. */
void manager_sweep_is_unsure(struct ibcc_manager *manager)
{
	if (!manager->unsure_since_ns)
		manager->unsure_since_ns = manager_now_ns(manager);
}

void manager_sweep_begins(struct ibcc_manager *manager)
{
	if (!manager->standing.sweeping)
		manager->sweeps.since_ns = manager_now_ns(manager);
	manager_sweep_is_unsure(manager);
	manager_stand_sweeping(manager, true);
	ibcc_window_pause(manager->window);
	ibcc_window_pause(manager->firmware.window);
}

/* The window stays paused: a standby has nothing to send. */
void manager_sweep_ends(struct ibcc_manager *manager)
{
	manager_stand_sweeping(manager, false);
	manager->sweeps.since_ns = 0;
	manager->logged_long_sweep = false;
}

void manager_sweeps_tick(struct ibcc_manager *manager)
{
	if (!manager->standing.sweeping || manager->logged_long_sweep ||
	    manager_now_ns(manager) < manager->sweeps.since_ns + LONG_SWEEP_S * NS_PER_S)
		return;
	manager->logged_long_sweep = true;
	ibcc_log(manager->log, IBCC_LOG_INFO,
		 "IBCC0213: OpenSM began a heavy sweep %d s ago and has not reported its end: nothing is sent until a sweep "
		 "ends; a SIGHUP "
		 "starts another",
		 LONG_SWEEP_S);
}

/* While OpenSM sweeps, and is thought to be MASTER. */
int64_t manager_sweeps_next_ns(const struct ibcc_manager *manager)
{
	return manager_now_ns(manager) + LOOK_NS;
}
