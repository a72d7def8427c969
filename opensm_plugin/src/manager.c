/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager.c: when this OpenSM may act, and what begins a pass. */
#include "manager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/resolve.h"
#include "manager_state.h"

#define PROGRESS_NS (NS_PER_S / 2)
#define MOST_PORT_PAUSE_NS (60 * NS_PER_S)
#define RESOLVE_AGAIN_NS (60 * NS_PER_S)

int64_t manager_now_ns(const struct ibcc_manager *manager)
{
	return manager->around.now_ns(manager->around.owner);
}

/* Before each further try, too. */
static void look_for_sweep(void *owner)
{
	manager_sweep_look(owner);
}

struct ibcc_manager *ibcc_manager_create(const struct ibcc_options *options, const struct ibcc_surroundings *surroundings,
					 struct ibcc_profiles *profiles, struct ibcc_log *log)
{
	struct ibcc_manager *manager = calloc(1, sizeof(*manager));
	const struct ibcc_window_settings settings = {
		.max_outstanding = options->max_outstanding,
		.max_mads_per_s = options->max_mads_per_s,
		.timeout_ms = options->timeout_ms,
		.max_timeout_ms = options->max_timeout_ms,
		.retries = options->retries,
	};

	if (!manager)
		return NULL;
	manager->options = options;
	manager->around = *surroundings;
	manager->profiles = profiles;
	manager->log = log;
	manager->retry_ns = manager->audit.next_ns = INT64_MAX;
	manager->job.kind = "";
	manager->window = ibcc_window_create(&settings, NULL, manager_on_result, manager);
	manager->budget = ibcc_error_budget_create(options->max_errors, options->error_window_s);
	if (!manager->window || !manager->budget || ibcc_devices_init(&manager->devices)) {
		ibcc_manager_destroy(manager);
		return NULL;
	}
	ibcc_window_before_retry(manager->window, look_for_sweep);
	return manager;
}

void ibcc_manager_destroy(struct ibcc_manager *manager)
{
	if (!manager)
		return;
	ibcc_window_destroy(manager->window);
	if (manager->port)
		manager->port->close(manager->port);
	ibcc_error_budget_destroy(manager->budget);
	ibcc_devices_destroy(&manager->devices);
	ccp_tables_destroy(manager->tables);
	ibcc_snapshot_destroy(manager->snapshot);
	free(manager);
}

uint64_t manager_wanted_revision(const struct ibcc_manager *manager)
{
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(manager->profiles);

	return wanted ? wanted->number : 0;
}

bool manager_may_send(const struct ibcc_manager *manager)
{
	const struct ibcc_role *role = &ibcc_roles[manager->role];
	const bool restores = manager->restore_revision && manager->restore_revision == manager_wanted_revision(manager);

	if (!role->sends || manager->blind)
		return false;
	return manager->role != IBCC_ROLE_SWEEP_FAILED || manager->options->when_sweep_failed == IBCC_ACT ||
	       (role->restores && restores);
}

/* A line for each new reason, not for each sweep. */
static void say_unresolved(struct ibcc_manager *manager, uint64_t revision, const char *why)
{
	char line[sizeof(manager->unresolved)];

	snprintf(line, sizeof(line), "revision %llu is not applied: %s", (unsigned long long)revision, why);
	if (strcmp(line, manager->unresolved) != 0)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "%s", line);
	memcpy(manager->unresolved, line, sizeof(line));
	manager->unresolved_revision = revision;
}

static void is_resolved(struct ibcc_manager *manager)
{
	manager->unresolved_revision = 0;
	manager->unresolved[0] = '\0';
}

/* Resolves what is wanted against the last snapshot. False: it contradicts itself there, or memory was refused; all stays as it was. */
static bool resolve(struct ibcc_manager *manager)
{
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(manager->profiles);
	const uint64_t before = manager->tables_revision;
	struct ccp_error error;
	struct ccp_tables *tables;

	if (!wanted) {
		ccp_tables_destroy(manager->tables);
		manager->tables = NULL;
		manager->tables_revision = 0;
		is_resolved(manager);
		ibcc_devices_want_nothing(&manager->devices);
		return true;
	}
	manager->fabric_is_new = false;
	tables = ccp_resolve(wanted->profile, &manager->snapshot->view, &error);
	if (!tables) {
		say_unresolved(manager, wanted->number, error.message);
		return false;
	}
	ccp_tables_destroy(manager->tables);
	manager->tables = tables;
	manager->tables_revision = 0;
	if (ibcc_devices_want(&manager->devices, tables)) {
		say_unresolved(manager, wanted->number, "out of memory, and not all devices are brought to it");
		return false;
	}
	manager->tables_revision = wanted->number;
	is_resolved(manager);
	if (before != wanted->number)
		manager_end_pauses(manager); /* whoever has refused the former profile is asked to take this one at once */
	return true;
}

/* A former process, or somebody else, may have written to the devices: what they hold is read before anything is written. */
static void forget_all(struct ibcc_manager *manager)
{
	manager->on_fabric = 0;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		ibcc_device_forget(manager->devices.list[i], manager->devices.pool);
		manager->devices.list[i]->read_first = true;
	}
}

void manager_change_role(struct ibcc_manager *manager, enum ibcc_role_now role, const char *why)
{
	const enum ibcc_role_now before = manager->role;

	manager->role = role;
	if (role == before)
		return;
	if (!manager_may_send(manager)) {
		ibcc_window_cancel(manager->window, NULL);
		manager_stop_pass(manager, IBCC_JOB_ENDED, why);
	}
	if (!ibcc_roles[role].charges)
		manager->over_budget = false;
	if (role != IBCC_ROLE_HALTED && before == IBCC_ROLE_HALTED)
		manager->halted_pause_ns = 0;
	ibcc_log(manager->log, role == IBCC_ROLE_CONFLICT || role == IBCC_ROLE_HALTED ? IBCC_LOG_ERROR : IBCC_LOG_INFO, "%s",
		 why);
	if (ibcc_roles[before].others_write)
		forget_all(manager);
}

static void leave_master(struct ibcc_manager *manager, enum ibcc_sm_state state)
{
	const enum ibcc_role_now role = state == IBCC_SM_DISCOVERING ? IBCC_ROLE_DISCOVERING : IBCC_ROLE_STANDBY;

	manager_sweep_ends(manager);
	/* It discovers until its first sweep has ended, and "starting" says so. */
	if (manager->role != IBCC_ROLE_STARTING || role == IBCC_ROLE_STANDBY)
		manager_change_role(manager, role, ibcc_roles[role].entered);
}

static void close_port(struct ibcc_manager *manager)
{
	ibcc_window_set_port(manager->window, NULL);
	if (manager->port)
		manager->port->close(manager->port);
	manager->port = NULL;
}

static bool port_has_ended(const struct ibcc_manager *manager)
{
	return manager->port->has_ended && manager->port->has_ended(manager->port);
}

static bool open_port(struct ibcc_manager *manager, uint64_t port_guid)
{
	if (manager->port && manager->port_guid == port_guid && !port_has_ended(manager)) {
		if (manager->port->refresh)
			manager->port->refresh(manager->port);
		return true;
	}
	ibcc_window_cancel(manager->window, NULL);
	close_port(manager);
	manager->port = manager->around.open_port(manager->around.owner, port_guid);
	manager->port_guid = port_guid;
	manager->port_pause_ns = 0;
	ibcc_window_set_port(manager->window, manager->port);
	return manager->port;
}

/*
 * An adapter that was reset, or whose driver was loaded anew, takes its port's descriptor with it. What is outstanding is no device's fault,
 * and is built anew. One that is opened and ends again within a minute is opened after growing pauses, as one that cannot be opened.
 */
static void look_after_port(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);

	if (manager->port && port_has_ended(manager)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "the way for MADs has ended, as when an adapter is reset: opening it again");
		ibcc_window_cancel(manager->window, NULL);
		close_port(manager);
		if (now_ns - manager->port_again_ns > MOST_PORT_PAUSE_NS)
			manager->port_pause_ns = 0;
		if (manager->port_again_ns < now_ns)
			manager->port_again_ns = now_ns;
	}
	if (manager->port || !manager->port_guid || now_ns < manager->port_again_ns)
		return;
	manager->port = manager->around.open_port(manager->around.owner, manager->port_guid);
	ibcc_window_set_port(manager->window, manager->port);
	manager->port_pause_ns = manager->port_pause_ns ? 2 * manager->port_pause_ns : NS_PER_S;
	if (manager->port_pause_ns > MOST_PORT_PAUSE_NS)
		manager->port_pause_ns = MOST_PORT_PAUSE_NS;
	manager->port_again_ns = now_ns + manager->port_pause_ns;
	if (manager->port)
		ibcc_log(manager->log, IBCC_LOG_INFO, "the way for MADs is open again");
}

bool manager_is_settled(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return ibcc_device_is_settled(device) && manager_key_is_settled(manager, device);
}

/* Each is settled, or has its own time when it is asked again. */
static bool all_settled(const struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (device->present && device->num_items && device->support != IBCC_UNSUPPORTED &&
		    !manager_is_settled(manager, device) && !manager_is_paused(manager, device))
			return false;
	}
	return true;
}

/* A device that was reset may be back before anybody has missed it. */
static void suspect_resets(struct ibcc_manager *manager, const struct ibcc_snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->num_endports; i++) {
		const struct ibcc_endport *endport = &snapshot->endports[i];
		struct ibcc_device *device =
			endport->may_be_reset && !endport->not_ready
				? ibcc_devices_find(&manager->devices, snapshot->view.nodes[endport->node].guid, endport->port)
				: NULL;

		if (device)
			manager_audit_suspect(manager, device);
	}
}

/* Which of them were reset, a sweep that could not be taken in has told nobody. */
static void suspect_all(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++)
		manager_audit_suspect(manager, manager->devices.list[i]);
}

/*
 * Who has left will not answer, and who has moved will not be found where the request goes: the others need not wait for that, and nobody
 * else is to get it. It is built anew where it is still needed.
 */
static void cancel_departed(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if ((!device->present || device->moved) && device->in_flight)
			ibcc_window_cancel(manager->window, device);
		device->moved = false;
	}
}

/* The fabric cannot be known as it is: nothing is sent, as LIDs may be others' now. */
static void go_blind(struct ibcc_manager *manager, const char *why)
{
	manager->blind = why;
	ibcc_window_cancel(manager->window, NULL);
	manager_stop_pass(manager, IBCC_JOB_ENDED, why);
	ibcc_log(manager->log, IBCC_LOG_ERROR, "%s: waiting for the next sweep", why);
}

static uint64_t converge(struct ibcc_manager *manager, const char *kind)
{
	if (!manager_may_send(manager)) {
		/* What came back after a failed sweep may be under way, and is not wanted any more. */
		ibcc_window_cancel(manager->window, NULL);
		manager_stop_pass(manager, IBCC_JOB_ENDED, "something else is wanted now");
		return 0;
	}
	if (!manager->snapshot || !resolve(manager))
		return 0;
	manager_keys_retry(manager);
	manager_begin_pass(manager, manager->tables ? kind : "probe", false);
	return manager->job.id;
}

/* Another fabric takes the place of what it was; or all of it stays so, and nothing is sent. */
static bool take_fabric(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot)
{
	const bool is_first = !manager->snapshot;

	manager_clear_queue(manager);
	if (ibcc_devices_update(&manager->devices, snapshot)) {
		go_blind(manager, "out of memory");
		ibcc_snapshot_destroy(snapshot);
		return false;
	}
	ibcc_snapshot_destroy(manager->snapshot);
	manager->snapshot = snapshot;
	manager->fabric_is_new = true;
	cancel_departed(manager);
	if (is_first)
		forget_all(manager);
	ibcc_error_budget_allow(&manager->budget, manager->options->max_errors, ibcc_devices_count_present(&manager->devices));
	return true;
}

/* A sweep has ended and this OpenSM is master: what has changed is taken in. */
static void take_snapshot(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot)
{
	const bool same = manager->snapshot && !manager->blind && ibcc_snapshot_same_fabric(manager->snapshot, snapshot);

	if (manager->blind)
		suspect_all(manager);
	manager->blind = NULL;
	if (!open_port(manager, snapshot->sm_port_guid)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "no way for MADs through port 0x%016llx: trying again",
			 (unsigned long long)snapshot->sm_port_guid);
		manager->port_pause_ns = NS_PER_S;
		manager->port_again_ns = manager_now_ns(manager) + NS_PER_S;
	}
	suspect_resets(manager, snapshot);
	manager_keys_reload(manager);
	if (same)
		ibcc_snapshot_destroy(snapshot);
	else if (!take_fabric(manager, snapshot))
		return;
	ibcc_window_resume(manager->window, manager_now_ns(manager));
	if (!manager_may_send(manager))
		return;
	/* A pass that is under way sees to all that is not settled, but may have gone past a device whose key is another since. */
	if (same && !manager->fabric_is_new && manager->tables_revision == manager_wanted_revision(manager) &&
	    ((all_settled(manager) && manager->on_fabric == manager->tables_revision) ||
	     (manager->phase != PHASE_IDLE && !manager->keys)))
		return;
	if (manager->job.state != IBCC_JOB_RUNNING)
		manager->insists = false;
	(void)converge(manager, manager->job.state == IBCC_JOB_RUNNING ? manager->job.kind : "apply");
}

static void take_subnet_up(struct ibcc_manager *manager)
{
	struct ibcc_snapshot *snapshot = manager->around.snapshot(manager->around.owner);
	const bool was_in_doubt = manager->role == IBCC_ROLE_SWEEP_FAILED || manager->role == IBCC_ROLE_HALTED;

	manager_sweep_ends(manager);
	if (!snapshot) {
		go_blind(manager, "out of memory: the subnet cannot be copied");
		return;
	}
	if (snapshot->sm_state != IBCC_SM_MASTER) {
		leave_master(manager, snapshot->sm_state);
		ibcc_snapshot_destroy(snapshot);
		return;
	}
	if (snapshot->own_manager_on) {
		manager_change_role(manager, IBCC_ROLE_CONFLICT, ibcc_roles[IBCC_ROLE_CONFLICT].entered);
		ibcc_snapshot_destroy(snapshot);
		return;
	}
	if (snapshot->came_up_well) {
		if (was_in_doubt)
			manager_end_pauses(manager);
		manager_change_role(manager, IBCC_ROLE_MASTER, ibcc_roles[IBCC_ROLE_MASTER].entered);
	} else {
		manager_change_role(
			manager, IBCC_ROLE_SWEEP_FAILED,
			manager->options->when_sweep_failed == IBCC_ACT
				? "the sweep ended with errors: ports that are ACTIVE are brought to the wanted profile"
				: "the sweep ended with errors: waiting for one that does not, rollbacks apart");
	}
	take_snapshot(manager, snapshot);
}

/* In the sweep that was cut short LIDs may have become others': devices are where OpenSM saw them last. */
static void take_cut_sweep(struct ibcc_manager *manager)
{
	struct ibcc_snapshot *snapshot;

	if (!ibcc_roles[manager->role].sends || manager->blind || !manager->snapshot)
		return;
	snapshot = manager->around.snapshot(manager->around.owner);
	if (!snapshot)
		go_blind(manager, "out of memory: the subnet cannot be copied");
	else
		(void)take_fabric(manager, snapshot);
}

/* No sweep will end any more, and what is to be put back before the end must not wait for one. */
static void take_stop(struct ibcc_manager *manager, bool in_sweep)
{
	if (in_sweep)
		take_cut_sweep(manager);
	manager_sweep_ends(manager);
	if (!manager->blind)
		ibcc_window_resume(manager->window, manager_now_ns(manager));
}

static void take_ports(struct ibcc_manager *manager, const struct ibcc_mail *mail)
{
	for (uint32_t i = 0; i < mail->num_ports; i++) {
		struct ibcc_device *device = ibcc_devices_find_port(&manager->devices, mail->port_guids[i]);

		if (device)
			ibcc_device_forget(device, manager->devices.pool);
	}
	for (uint32_t i = 0; i < mail->num_switches; i++) {
		struct ibcc_device *device = ibcc_devices_find(&manager->devices, mail->switch_guids[i], 0);

		if (device)
			manager_audit_suspect(manager, device);
	}
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (mail->all_ports || (mail->all_switches && device->kind == IBCC_SWITCH))
			manager_audit_suspect(manager, device);
	}
}

/* A standby does not care that its last sweep as master never ended, whenever that sweep began. */
static bool is_old_to_standby(const struct ibcc_manager *manager, const struct ibcc_mail *mail)
{
	return manager->role == IBCC_ROLE_STANDBY && (!(mail->notices & IBCC_NOTICE_SWEEP_BEGINS) ||
						      manager->around.sm_state(manager->around.owner) == IBCC_SM_STANDBY);
}

void ibcc_manager_take(struct ibcc_manager *manager, const struct ibcc_mail *mail)
{
	const int64_t now_ns = manager_now_ns(manager);
	enum ibcc_sm_state state;

	for (uint32_t i = 0; i < mail->num_answers; i++)
		ibcc_window_take(manager->window, &mail->answers[i], now_ns);
	take_ports(manager, mail);
	manager->sweeps.ended += mail->num_sweeps_ended;
	if (mail->notices & IBCC_NOTICE_STATE_CHANGE) {
		state = manager->around.sm_state(manager->around.owner);
		if (state != IBCC_SM_MASTER)
			leave_master(manager, state);
	}
	if (mail->notices & IBCC_NOTICE_SUBNET_UP)
		take_subnet_up(manager);
	if (mail->notices & IBCC_NOTICE_STOP) {
		take_stop(manager, manager->sweeping || (mail->notices & IBCC_NOTICE_SWEEP_BEGINS));
	} else if (mail->sweeping && !is_old_to_standby(manager, mail)) {
		manager_sweep_begins(manager);
	}
}

static void retry(struct ibcc_manager *manager)
{
	manager->insists = false;
	if (manager->tables_revision != manager_wanted_revision(manager)) {
		if (!converge(manager, "apply")) /* it does not fit the fabric, or there was no memory */
			manager->retry_ns = manager_now_ns(manager) + RESOLVE_AGAIN_NS;
		return;
	}
	manager_keys_retry(manager);
	manager_begin_pass(manager, "repair", false);
}

void ibcc_manager_tick(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);
	enum ibcc_sm_state state;

	if (ibcc_roles[manager->role].is_master) { /* before anything is sent, retries included */
		state = manager->around.sm_state(manager->around.owner);
		if (state != IBCC_SM_MASTER)
			leave_master(manager, state);
	}
	manager_sweep_look(manager);
	if (manager_may_send(manager))
		look_after_port(manager);
	ibcc_window_tick(manager->window, now_ns);
	if (manager->over_budget)
		manager_give_up(manager);
	manager_sweeps_tick(manager);
	if (now_ns >= manager->retry_ns && manager_may_send(manager) && manager->phase == PHASE_IDLE)
		retry(manager);
	manager_pump(manager);
	manager_audit_tick(manager);
	manager_congestion_tick(manager);
	manager_pump(manager);
	if (manager->phase != PHASE_IDLE && now_ns >= manager->next_progress_ns) {
		manager_tell_progress(manager);
		manager->next_progress_ns = now_ns + PROGRESS_NS;
	}
}

int64_t ibcc_manager_next_ns(const struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);
	int64_t next_ns = ibcc_window_next_ns(manager->window, now_ns);
	const int64_t audit_ns = manager_audit_next_ns(manager);

	if (ibcc_roles[manager->role].is_master && manager->sweeping)
		return manager_sweeps_next_ns(manager);
	if (!manager_may_send(manager))
		return next_ns;
	if (!manager->port && manager->port_guid && manager->port_again_ns < next_ns)
		next_ns = manager->port_again_ns;
	if (audit_ns < next_ns)
		next_ns = audit_ns;
	if (manager_congestion_next_ns(manager) < next_ns)
		next_ns = manager_congestion_next_ns(manager);
	if (manager->phase == PHASE_IDLE && manager->retry_ns < next_ns)
		next_ns = manager->retry_ns;
	if (manager->phase != PHASE_IDLE && manager->next_progress_ns < next_ns)
		next_ns = manager->next_progress_ns;
	return next_ns;
}

uint64_t ibcc_manager_converge(struct ibcc_manager *manager, const char *kind)
{
	if (!strcmp(kind, "restore"))
		manager->restore_revision = manager_wanted_revision(manager);
	manager_end_pauses(manager);
	manager->insists = true;
	return converge(manager, kind);
}

uint64_t ibcc_manager_verify(struct ibcc_manager *manager)
{
	if (!manager_may_send(manager) || !manager->snapshot || !manager_wanted_revision(manager))
		return 0;
	if (manager->tables_revision != manager_wanted_revision(manager) && !resolve(manager))
		return 0;
	manager_keys_reload(manager);
	manager_end_pauses(manager);
	manager->insists = true;
	manager_keys_look_again(manager);
	manager_begin_pass(manager, "verify", true);
	return manager->job.id;
}

bool ibcc_manager_is_idle(const struct ibcc_manager *manager)
{
	return !manager_may_send(manager) || (manager->phase == PHASE_IDLE && !ibcc_window_outstanding(manager->window));
}
