/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_standing.c: the verbs that change where the manager stands, and what must hold of it between two steps.
 *
 * A step is a call of manager.h. Within one, the parts change one after the other.
 */
#include <stdio.h>

#include "manager/manager_state.h"

void manager_stand_in_role(struct ibcc_manager *manager, enum ibcc_role role)
{
	manager->standing.role = role;
}

void manager_stand_sweeping(struct ibcc_manager *manager, bool sweeping)
{
	manager->standing.sweeping = sweeping;
}

void manager_stand_over_budget(struct ibcc_manager *manager, bool over_budget)
{
	manager->standing.over_budget = over_budget;
}

void manager_stand_in_phase(struct ibcc_manager *manager, enum phase phase)
{
	manager->standing.phase = phase;
}

void manager_stand_at_pass(struct ibcc_manager *manager)
{
	manager->standing.pass = manager_wanted_revision(manager);
}

void manager_stand_with_tables(struct ibcc_manager *manager, uint64_t revision)
{
	manager->standing.tables = revision;
}

void manager_stand_mixed(struct ibcc_manager *manager)
{
	manager->standing.on_fabric = 0;
}

void manager_stand_on_fabric(struct ibcc_manager *manager, bool is_good, bool is_whole)
{
	struct standing *standing = &manager->standing;

	/* Where memory was refused, some devices may hold another profile. */
	standing->on_fabric = standing->tables == standing->pass ? standing->pass : 0;
	if (standing->on_fabric && is_good)
		standing->good = standing->on_fabric;
	if (is_whole && standing->restore == standing->on_fabric)
		standing->restore = 0; /* it is restored: from now on --when-sweep-failed decides */
}

void manager_stand_restoring(struct ibcc_manager *manager)
{
	manager->standing.restore = manager_wanted_revision(manager);
}

void manager_stand_back(struct ibcc_manager *manager)
{
	manager->standing.fallback = manager_wanted_revision(manager);
}

void manager_stand_unresolved(struct ibcc_manager *manager, uint64_t revision, const char *why)
{
	manager->standing.unresolved = revision;
	(void)snprintf(manager->unresolved, sizeof(manager->unresolved), "%s", why);
}

static uint32_t count_asked_beside(const struct ibcc_manager *manager)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++)
		count += manager->devices.list[i]->asked_beside;
	return count;
}

const char *ibcc_manager_fault(const struct ibcc_manager *manager)
{
	const struct standing *standing = &manager->standing;
	const bool is_as_found = standing->tables == IBCC_REVISION_AS_FOUND;

	if (standing->phase != PHASE_IDLE && !ibcc_roles[standing->role].sends)
		return "a pass runs in a role that sends nothing";
	if (standing->phase == PHASE_IDLE && manager->first_queued && !manager->audit.running)
		return "devices are queued, and neither a pass nor an audit runs";
	if (standing->phase != PHASE_IDLE && !manager->snapshot)
		return "a pass runs, and the fabric is not known";
	if (standing->tables && is_as_found == (manager->tables != NULL))
		return "items were made from a revision, and the tables are another's";
	if (standing->over_budget && !ibcc_roles[standing->role].counts_errors)
		return "the error budget is spent in a role that counts no errors";
	if (standing->unresolved && !manager->unresolved[0])
		return "a revision is not resolved, and nobody says why";
	if (standing->role == IBCC_ROLE_HALTED && !manager->halted_pause_ns)
		return "the manager is halted for no time";
	if (count_asked_beside(manager) != manager->silent.in_flight)
		return "devices that are asked beside are miscounted";
	return NULL;
}
