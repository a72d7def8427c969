/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager.c: when this OpenSM may act, and what begins a pass. */
#include "manager.h"

#include <stdlib.h>
#include <string.h>

#include "ccpolicy/resolve.h"
#include "manager_state.h"

#define PROGRESS_NS (NS_PER_S / 2)

int64_t manager_now_ns(const struct ibcc_manager *manager)
{
	return manager->around.now_ns(manager->around.owner);
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

/* Resolves what is wanted against the last snapshot. False: it contradicts itself there, or memory was refused; all stays as it was. */
static bool resolve(struct ibcc_manager *manager)
{
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(manager->profiles);
	struct ccp_error error;
	struct ccp_tables *tables;

	if (!wanted) {
		ccp_tables_destroy(manager->tables);
		manager->tables = NULL;
		ibcc_devices_want_nothing(&manager->devices);
		return true;
	}
	tables = ccp_resolve(wanted->profile, &manager->snapshot->view, &error);
	if (!tables) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "revision %llu is not applied: %s", (unsigned long long)wanted->number,
			 error.message);
		return false;
	}
	ccp_tables_destroy(manager->tables);
	manager->tables = tables;
	if (ibcc_devices_want(&manager->devices, tables)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "out of memory: not all devices are brought to revision %llu",
			 (unsigned long long)wanted->number);
		return false;
	}
	return true;
}

static void change_role(struct ibcc_manager *manager, enum ibcc_role_now role, const char *why)
{
	const enum ibcc_role_now before = manager->role;

	manager->role = role;
	if (role == before)
		return;
	if (before == IBCC_ROLE_MASTER || role != IBCC_ROLE_MASTER) {
		ibcc_window_cancel(manager->window, NULL);
		manager_stop_pass(manager, IBCC_JOB_ENDED, why);
	}
	ibcc_log(manager->log, role == IBCC_ROLE_CONFLICT ? IBCC_LOG_ERROR : IBCC_LOG_INFO, "%s", why);
	/* Somebody else may have written to the devices meanwhile. */
	if (before == IBCC_ROLE_STANDBY || before == IBCC_ROLE_CONFLICT) {
		for (uint32_t i = 0; i < manager->devices.count; i++)
			ibcc_device_forget(manager->devices.list[i], manager->devices.pool);
	}
}

static bool open_port(struct ibcc_manager *manager, uint64_t port_guid)
{
	if (manager->port && manager->port_guid == port_guid)
		return true;
	ibcc_window_cancel(manager->window, NULL);
	ibcc_window_set_port(manager->window, NULL);
	if (manager->port)
		manager->port->close(manager->port);
	manager->port = manager->around.open_port(manager->around.owner, port_guid);
	manager->port_guid = port_guid;
	ibcc_window_set_port(manager->window, manager->port);
	return manager->port;
}

static bool all_settled(const struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (device->present && device->num_items && device->support != IBCC_UNSUPPORTED &&
		    !(ibcc_device_is_settled(device) && manager_key_is_settled(manager, device)))
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
			endport->may_be_reset
				? ibcc_devices_find(&manager->devices, snapshot->view.nodes[endport->node].guid, endport->port)
				: NULL;

		if (device)
			manager_audit_suspect(manager, device);
	}
}

/* Who has left will not answer: the others need not wait for that through all retries. */
static void cancel_departed(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (!device->present && device->in_flight)
			ibcc_window_cancel(manager->window, device);
	}
}

/* A sweep has ended well and this OpenSM is master: what has changed is taken in. */
static void take_snapshot(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot)
{
	const bool same = manager->snapshot && manager->tables && ibcc_snapshot_same_fabric(manager->snapshot, snapshot);

	ibcc_window_resume(manager->window, manager_now_ns(manager));
	if (!open_port(manager, snapshot->sm_port_guid)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "no way for MADs through port 0x%016llx: waiting for the next sweep",
			 (unsigned long long)snapshot->sm_port_guid);
		ibcc_snapshot_destroy(snapshot);
		return;
	}
	suspect_resets(manager, snapshot);
	manager_keys_reload(manager);
	/* A pass that is under way sees to all that is not settled, but may have gone past a device whose key is another since. */
	if (same && (all_settled(manager) || (manager->phase != PHASE_IDLE && !manager->keys))) {
		ibcc_snapshot_destroy(snapshot);
		return;
	}
	manager_clear_queue(manager);
	if (ibcc_devices_update(&manager->devices, snapshot)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "out of memory: the fabric as it was before this sweep is kept");
		ibcc_snapshot_destroy(snapshot);
		return;
	}
	ibcc_snapshot_destroy(manager->snapshot);
	manager->snapshot = snapshot;
	cancel_departed(manager);
	(void)ibcc_manager_converge(manager, manager->job.state == IBCC_JOB_RUNNING ? manager->job.kind : "apply");
}

static void take_subnet_up(struct ibcc_manager *manager)
{
	struct ibcc_snapshot *snapshot = manager->around.snapshot(manager->around.owner);

	manager_sweep_ends(manager);
	if (!snapshot) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "out of memory: the subnet cannot be copied, waiting for the next sweep");
		return;
	}
	if (!snapshot->master) {
		change_role(manager, IBCC_ROLE_STANDBY, "standby: another OpenSM is master, and nothing is sent");
	} else if (snapshot->own_manager_on) {
		change_role(manager, IBCC_ROLE_CONFLICT,
			    "OpenSM's own option congestion_control is TRUE, so two would write the same tables: nothing is sent "
			    "until it is FALSE");
	} else if (!snapshot->came_up_well) {
		change_role(manager, IBCC_ROLE_NOT_WELL, "the sweep ended with errors: waiting for one that does not");
	} else {
		change_role(manager, IBCC_ROLE_MASTER, "master: devices are brought to the wanted profile");
		take_snapshot(manager, snapshot);
		return;
	}
	ibcc_snapshot_destroy(snapshot);
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

static void become_standby(struct ibcc_manager *manager)
{
	manager_sweep_ends(manager);
	change_role(manager, IBCC_ROLE_STANDBY, "standby: another OpenSM is master, and nothing is sent");
}

void ibcc_manager_take(struct ibcc_manager *manager, const struct ibcc_mail *mail)
{
	const int64_t now_ns = manager_now_ns(manager);

	for (uint32_t i = 0; i < mail->num_answers; i++)
		ibcc_window_take(manager->window, &mail->answers[i], now_ns);
	take_ports(manager, mail);
	manager->sweeps.ended += mail->num_sweeps_ended;
	if ((mail->notices & IBCC_NOTICE_STATE_CHANGE) && !manager->around.is_master(manager->around.owner))
		become_standby(manager);
	if (mail->notices & IBCC_NOTICE_SUBNET_UP)
		take_subnet_up(manager);
	if (mail->notices & IBCC_NOTICE_STOP) {
		/* No sweep will end any more, and what is to be put back before the end must not wait for one. */
		manager_sweep_ends(manager);
		ibcc_window_resume(manager->window, now_ns);
	} else if (mail->sweeping && (manager->role != IBCC_ROLE_STANDBY || (mail->notices & IBCC_NOTICE_SWEEP_BEGINS))) {
		/* That the last sweep of a former master never ended is no matter to a standby. */
		manager_sweep_begins(manager);
	}
}

void ibcc_manager_tick(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);

	manager_sweep_look(manager);
	ibcc_window_tick(manager->window, now_ns);
	if (manager->over_budget)
		manager_give_up(manager);
	if (manager->role == IBCC_ROLE_MASTER && !manager->around.is_master(manager->around.owner))
		become_standby(manager);
	manager_sweeps_tick(manager);
	if (now_ns >= manager->retry_ns && manager->role == IBCC_ROLE_MASTER && manager->phase == PHASE_IDLE) {
		manager_keys_retry(manager);
		manager_begin_pass(manager, "repair", false);
	}
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

	if (manager->role != IBCC_ROLE_MASTER)
		return next_ns;
	if (manager->sweeping)
		return manager_sweeps_next_ns(manager);
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
	if (manager->role == IBCC_ROLE_HALTED)
		change_role(manager, IBCC_ROLE_MASTER, "trying again");
	if (manager->role != IBCC_ROLE_MASTER || !manager->snapshot || !resolve(manager))
		return 0;
	manager->retry_after_ns = 0;
	manager_keys_retry(manager);
	manager_begin_pass(manager, manager->tables ? kind : "probe", false);
	return manager->job.id;
}

uint64_t ibcc_manager_verify(struct ibcc_manager *manager)
{
	if (manager->role != IBCC_ROLE_MASTER || !manager->tables)
		return 0;
	manager_keys_reload(manager);
	manager_keys_retry(manager);
	manager_begin_pass(manager, "verify", true);
	return manager->job.id;
}

bool ibcc_manager_is_idle(const struct ibcc_manager *manager)
{
	return manager->role != IBCC_ROLE_MASTER || (manager->phase == PHASE_IDLE && !ibcc_window_outstanding(manager->window));
}
