/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_converge.c: begins a pass: for another profile, a retry or a verification, or back to a former profile after too many
 * errors.
 */
#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/resolve.h"
#include "changes/change_log.h"
#include "manager/manager_state.h"

#define RESOLVE_AGAIN_NS (60 * NS_PER_S)

/* Logs a line for each new reason, not for each sweep. */
static void say_unresolved(struct ibcc_manager *manager, uint64_t revision, const char *why)
{
	char line[sizeof(manager->unresolved)];

	snprintf(line, sizeof(line), "revision %llu is not applied: %s", (unsigned long long)ibcc_revision_shown(revision), why);
	if (strcmp(line, manager->unresolved) != 0)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0402: %s", line);
	manager_stand_unresolved(manager, revision, line);
}

static void is_resolved(struct ibcc_manager *manager)
{
	manager_stand_unresolved(manager, 0, "");
}

/* Devices are told what they were found with. */
static bool resolve_as_found(struct ibcc_manager *manager)
{
	const uint64_t before = manager->standing.tables;
	struct ccp_error error;

	ccp_tables_destroy(manager->tables);
	manager->tables = NULL;
	manager_stand_with_tables(manager, 0);
	manager->fabric_is_new = false;
	(void)manager_nvidia_prepare(manager, NULL, &error); /* there are no names that could be wrong */
	manager_found_look(manager);
	if (ibcc_devices_set_wanted(&manager->devices, NULL)) {
		say_unresolved(manager, IBCC_REVISION_AS_FOUND, "out of memory: some devices keep their former values");
		return false;
	}
	manager_stand_with_tables(manager, IBCC_REVISION_AS_FOUND);
	is_resolved(manager);
	if (before != IBCC_REVISION_AS_FOUND)
		manager_end_pauses(manager);
	if (before && before != IBCC_REVISION_AS_FOUND)
		manager_models_doubt(manager);
	return true;
}

/* True if nothing is set: devices are asked what they hold. */
static bool only_asks(const struct ibcc_manager *manager)
{
	if (manager->tables)
		return false;
	return !manager->devices.as_found || !ibcc_as_found_count(manager->devices.as_found).frozen;
}

/*
 * Resolves the wanted profile against the last snapshot. False: it contradicts itself there, or memory was refused; all stays as
 * it was.
 */
static bool resolve(struct ibcc_manager *manager)
{
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(manager->profiles);
	const uint64_t before = manager->standing.tables;
	struct ccp_error error;
	struct ccp_tables *tables;

	manager->devices.rules.returns = manager->standing.restore == manager_wanted_revision(manager);
	if (manager_wanted_revision(manager) == IBCC_REVISION_AS_FOUND)
		return resolve_as_found(manager);
	if (!wanted) {
		ccp_tables_destroy(manager->tables);
		manager->tables = NULL;
		manager_stand_with_tables(manager, 0);
		is_resolved(manager);
		ibcc_devices_clear_wanted(&manager->devices);
		return true;
	}
	manager->fabric_is_new = false;
	/* A base goes out also where the next master could not be told of it, as the fabric would have none; a trial run does not. */
	if (!manager_takeover_covers_trial(manager, &error)) {
		say_unresolved(manager, wanted->number, error.message);
		return false;
	}
	(void)manager_takeover_note(manager, &error);
	tables = ccp_resolve(wanted->profile, &manager->snapshot->view, &error);
	if (!tables || manager_nvidia_prepare(manager, wanted->profile, &error)) {
		say_unresolved(manager, wanted->number, error.message);
		ccp_tables_destroy(tables);
		return false;
	}
	ccp_tables_destroy(manager->tables);
	manager->tables = tables;
	manager_stand_with_tables(manager, 0);
	manager_found_freeze(manager);
	if (ibcc_devices_set_wanted(&manager->devices, tables)) {
		say_unresolved(manager, wanted->number, "out of memory: some devices keep their former values");
		return false;
	}
	manager_stand_with_tables(manager, wanted->number);
	is_resolved(manager);
	if (before != wanted->number)
		manager_end_pauses(manager); /* a device that has refused the former profile is asked at once to take this one */
	if (before && before != wanted->number)
		manager_models_doubt(manager);
	return true;
}

static void resolve_again(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);

	if (manager->retry_ns <= now_ns || manager->retry_ns > now_ns + RESOLVE_AGAIN_NS)
		manager->retry_ns = now_ns + RESOLVE_AGAIN_NS;
}

uint64_t manager_converge(struct ibcc_manager *manager, const char *kind)
{
	if (!manager_may_send(manager)) {
		/* A restore that a failed sweep allows may be running, and is not wanted any more. */
		ibcc_window_cancel(manager->window, NULL);
		manager_stop_pass(manager, IBCC_JOB_ENDED, "replaced by a later change");
		return 0;
	}
	if (!manager->snapshot)
		return 0;
	if (!resolve(manager)) { /* it does not fit the fabric, or memory was refused */
		resolve_again(manager);
		return 0;
	}
	manager_keys_retry(manager);
	manager_begin_pass(manager, only_asks(manager) ? "probe" : kind, false);
	return manager->job.id;
}

void manager_retry(struct ibcc_manager *manager)
{
	manager->set_clamped = false;
	if (manager->standing.tables != manager_wanted_revision(manager)) {
		(void)manager_converge(manager, "apply");
		return;
	}
	manager_keys_retry_paused(manager);
	manager_begin_pass(manager, NULL, false);
}

uint64_t ibcc_manager_converge(struct ibcc_manager *manager, const char *kind)
{
	if (!strcmp(kind, "restore"))
		manager_stand_restoring(manager);
	manager_end_pauses(manager);
	manager_models_doubt(manager);
	manager->set_clamped = true;
	return manager_converge(manager, kind);
}

uint64_t ibcc_manager_verify(struct ibcc_manager *manager)
{
	if (!manager_may_send(manager) || !manager->snapshot || !manager_wanted_revision(manager))
		return 0;
	if (manager->standing.tables != manager_wanted_revision(manager) && !resolve(manager))
		return 0;
	const bool has_other_keys = manager_keys_reload(manager);
	manager_end_pauses(manager);
	manager_models_doubt(manager);
	manager_models_ask_facts(manager);
	manager->set_clamped = true;
	manager_keys_look_again(manager);
	manager_begin_pass(manager, "verify", true);
	manager->late.has_other_keys = has_other_keys;
	return manager->job.id;
}

uint64_t ibcc_manager_probe_nvidia(struct ibcc_manager *manager, bool values)
{
	if (!manager_may_send(manager) || !manager->snapshot)
		return 0;
	manager_end_pauses(manager);
	manager_nvidia_request(manager, values);
	manager_begin_pass(manager, "probe", false);
	return manager->job.id;
}

uint64_t ibcc_manager_clear_foreign(struct ibcc_manager *manager, uint64_t guid, uint32_t *count, struct ccp_error *error)
{
	*count = 0;
	if (!manager_may_send(manager) || !manager->snapshot || !manager_wanted_revision(manager)) {
		(void)ccp_fail(error, "no device can be asked or cleared now");
		return 0;
	}
	*count = manager_nvidia_own_foreign(manager, guid, error);
	return *count ? ibcc_manager_converge(manager, "apply") : 0;
}

void ibcc_manager_end_job(struct ibcc_manager *manager, const char *why)
{
	manager_stop_pass(manager, IBCC_JOB_ENDED, why);
}

/* Sends nothing for a while. */
static void halt(struct ibcc_manager *manager)
{
	char message[sizeof(manager->job.message)];

	manager->halted_pause_ns = manager_longer_pause(manager, manager->halted_pause_ns);
	manager->retry_ns = manager_now_ns(manager) + manager->halted_pause_ns;
	snprintf(message, sizeof(message),
		 "too many devices have stopped answering, and there is no earlier profile: retrying in %lld s, or after a sweep",
		 manager->halted_pause_ns / NS_PER_S);
	manager_stop_pass(manager, IBCC_JOB_FAILED, message);
	manager_change_role(manager, IBCC_ROLE_HALTED, message);
	manager_audit_schedule(manager);
}

/*
 * Whether the last good profile is in force hangs on the devices that fell silent while they were sent another: the restore waits for
 * them as for all others. Otherwise it would be done without them, and the budget would not see that they still do not answer.
 */
static void await_who_fell_silent(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (device->fell_silent_pass == manager->pass)
			device->silent = false;
	}
}

/*
 * Over the error budget. A trial run gives way to the base, and a base that was never brought to the devices to the former one;
 * but a base that was restored in this way does not.
 */
void manager_give_up(struct ibcc_manager *manager)
{
	const struct ibcc_revision *base = ibcc_profiles_base(manager->profiles);
	struct ccp_error error = {{0}, 0, 0};
	enum ibcc_profiles_fault fault;

	manager_stand_over_budget(manager, false);
	ibcc_error_budget_reset(manager->budget);
	ibcc_window_cancel(manager->window, NULL);
	ibcc_log(manager->log, IBCC_LOG_ERROR,
		 "IBCC0401: more than %u devices stopped answering within %u s: giving up revision %llu",
		 ibcc_error_budget_allowed(manager->budget), manager->options->error_window_s,
		 (unsigned long long)manager->job.revision);
	ibcc_change_log_attribute(ibcc_profiles_changes(manager->profiles), NULL, "too many devices stopped answering");
	if (ibcc_profiles_experiment(manager->profiles))
		fault = ibcc_profiles_end_experiment(manager->profiles, &error);
	else if (base && base->number != manager->standing.good && base->number != manager->standing.fallback &&
		 manager->standing.good)
		fault = ibcc_profiles_rollback_base(manager->profiles, &error);
	else
		fault = IBCC_PROFILES_NOTHING;
	ibcc_change_log_attribute(ibcc_profiles_changes(manager->profiles), NULL, NULL);
	if (fault) {
		halt(manager);
		return;
	}
	manager_stand_back(manager);
	manager_stop_pass(manager, IBCC_JOB_FAILED, "too many devices have stopped answering; restoring the last good profile");
	await_who_fell_silent(manager);
	ibcc_manager_converge(manager, "restore");
}
