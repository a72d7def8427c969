/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager.c: handles what comes in (OpenSM's notices, answers, time) and hands it to the manager's other files, which stand below
 * this one.
 */
#include "manager/manager.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "manager/manager_state.h"

#define PROGRESS_NS (NS_PER_S / 2)
#define SILENT_LOOK_NS (5 * NS_PER_MS) /* each look is at all devices */
#define MAX_LATE 1024u                 /* more than a quarter of --max-outstanding, and the error budget of 5,000 hosts */

static void on_result(void *owner, const struct ibcc_request *request, const struct ibcc_result *result)
{
	struct ibcc_manager *manager = owner;
	struct ibcc_device *device = request->context;
	const bool of_audit = manager->standing.phase == PHASE_IDLE && manager->audit.running, was_silent = device->silent;
	const bool was_late = device->late, was_asked_beside = device->asked_beside;
	struct ibcc_device_findings findings;

	manager_late_take_result(manager, device);
	if (was_silent || was_asked_beside)
		manager_late_look_for_silent(manager, manager_now_ns(manager) + SILENT_LOOK_NS);
	/* A device that was silent is back once it has answered more than for its key: an audit has all keys tried anew. */
	if (was_late && !was_silent && result->outcome == IBCC_ANSWERED)
		manager_audit_device_is_back(manager, device);
	/* What it did not wait for may be to be made up for, or says that the profile is good. */
	if (was_late && !was_asked_beside && manager->standing.phase == PHASE_IDLE)
		manager->retry_ns = manager_now_ns(manager);

	if (result->outcome == IBCC_ANSWERED) {
		device->answered_ns = manager_now_ns(manager);
		device->left_out = false;
	}
	if (request->method == IBCC_SET && result->outcome == IBCC_ANSWERED)
		manager->job.last_set_ns = manager_now_ns(manager);
	if (request->attribute == (CCP_CONGESTION_LOG_SWITCH & 0xFFFFu)) {
		manager_congestion_handle_result(manager, device, result);
		if (manager->standing.phase != PHASE_IDLE)
			manager_queue(manager, device);
		return;
	}
	if (request->attribute == CCP_CONGESTION_KEY_INFO) {
		manager_key_handle_result(manager, device, request, result);
		if (manager->standing.phase != PHASE_IDLE || (of_audit && device->to_repair))
			manager_queue(manager, device);
		return;
	}
	ibcc_device_handle_result(device, manager->devices.pool, of_audit ? manager->audit.round : manager->pass, request, result,
				  manager_now_ns(manager), &findings);
	if (findings.found)
		manager_found_take(manager, device);
	if (findings.found_nvidia)
		manager_nvidia_found_take(manager, device);
	if (findings.probed)
		manager_models_tell_wanted(manager, device);
	manager_found_follow(manager, device);
	if (findings.learned)
		manager_models_learn(manager, device);
	if (findings.contested)
		manager_nvidia_contested(manager, device);
	if (result->outcome == IBCC_ANSWERED)
		device->again_ns = device->failed_pass = 0;
	if (was_silent && !device->silent && manager->standing.phase == PHASE_IDLE)
		manager->retry_ns = manager_now_ns(manager);
	if ((was_silent && !device->silent) || findings.probed)
		manager_audit_device_is_back(manager, device);
	if (findings.applied)
		device->applied_at_s = (int64_t)time(NULL);
	manager_report_if_repaired(manager, device);
	if (findings.drifted) {
		if (ibcc_nvidia_is_attribute(request->attribute)) /* its list of algorithms may have changed with the values */
			ibcc_device_ask_facts(device);
		device->firmware.to_ask = true; /* it may have been reset, with other firmware */
		manager_firmware_look(manager);
		manager->audit.found_drift = true;
		device->to_repair = of_audit;
		manager_report_drift(manager, device, request);
		if (device->suspect) /* so it was reset, and has lost all that it held */
			ibcc_device_forget(device, manager->devices.pool);
		else
			memset(&device->key, 0, sizeof(device->key)); /* it may have lost its key too */
	}
	if (manager->standing.phase != PHASE_IDLE || (of_audit && device->to_repair))
		manager_queue(manager, device);
	if (result->outcome != IBCC_ANSWERED && result->outcome != IBCC_CANCELLED && device->silent) {
		manager_pause_device(manager, device);
		manager_late_look_for_silent(manager, device->again_ns);
	}
	if (!findings.failed)
		return;
	manager->job.failed++;
	if (!ibcc_roles[manager->standing.role].counts_errors)
		return;
	/* The next tick acts on it, as the window must not be changed from inside its own call. */
	if (ibcc_error_budget_note(manager->budget, manager_now_ns(manager)) &&
	    (manager->standing.phase != PHASE_IDLE || was_late))
		manager_stand_over_budget(manager, true);
}

/* For each retry of the window. */
static void check_for_sweep(void *owner)
{
	manager_sweep_check(owner);
}

static bool is_current(void *owner, const struct ibcc_request *request)
{
	(void)owner;
	return ibcc_device_is_current(request->context, request);
}

struct ibcc_manager *ibcc_manager_create(const struct ibcc_options *options, const struct ibcc_manager_env *env,
					 struct ibcc_profiles *profiles, struct ibcc_log *log)
{
	struct ibcc_manager *manager = calloc(1, sizeof(*manager));
	const struct ibcc_window_settings settings = {
		.max_outstanding = options->max_outstanding,
		.max_late = MAX_LATE,
		.max_mads_per_s = options->max_mads_per_s,
		.timeout_ms = options->timeout_ms,
		.max_timeout_ms = options->max_timeout_ms,
		.retries = options->retries,
	};

	if (!manager)
		return NULL;
	manager->options = options;
	manager->env = *env;
	manager->profiles = profiles;
	manager->log = log;
	manager->retry_ns = manager->audit.next_ns = INT64_MAX;
	manager->job.kind = "";
	manager->window = ibcc_window_create(&settings, NULL, on_result, manager);
	manager->firmware.window = manager->window ? manager_firmware_window(manager) : NULL;
	manager->budget = ibcc_error_budget_create(options->max_errors, options->error_window_s);
	if (!manager->window || !manager->firmware.window || !manager->budget || ibcc_devices_init(&manager->devices)) {
		ibcc_manager_destroy(manager);
		return NULL;
	}
	ibcc_window_before_retry(manager->window, check_for_sweep);
	ibcc_window_before_retry(manager->firmware.window, check_for_sweep);
	ibcc_window_repeat_if(manager->window, is_current);
	manager_found_open(manager);
	manager_nvidia_found_open(manager);
	manager_nvidia_open(manager);
	manager_takeover_open(manager);
	return manager;
}

void ibcc_manager_destroy(struct ibcc_manager *manager)
{
	if (!manager)
		return;
	ibcc_window_destroy(manager->firmware.window);
	ibcc_window_destroy(manager->window);
	if (manager->port)
		manager->port->close(manager->port);
	ibcc_error_budget_destroy(manager->budget);
	manager_found_close(manager);
	manager_nvidia_found_close(manager);
	ibcc_devices_destroy(&manager->devices);
	manager_nvidia_close(manager);
	ccp_tables_destroy(manager->tables);
	ibcc_snapshot_destroy(manager->snapshot);
	ibcc_topology_free(&manager->topology);
	free(manager);
}

static const char other_sms_changed[] = "OpenSM has found other subnet managers than before";

static void leave_master(struct ibcc_manager *manager, enum ibcc_sm_state state)
{
	const enum ibcc_role role = state == IBCC_SM_DISCOVERING ? IBCC_ROLE_DISCOVERING : IBCC_ROLE_STANDBY;
	const enum ibcc_role before = manager->standing.role;
	struct ibcc_other_sms others = manager->other_sms;

	if (manager->env.other_sms)
		manager->env.other_sms(manager->env.owner, &others);
	const bool has_news = manager_note_other_sms(manager, &others);
	manager_sweep_ends(manager);
	/* OpenSM is DISCOVERING until its first sweep has ended: the role is "starting" then. */
	if (manager->standing.role != IBCC_ROLE_STARTING || role == IBCC_ROLE_STANDBY)
		manager_change_role(manager, role, ibcc_roles[role].entered);
	if (has_news && manager->standing.role == before)
		manager_report_sm(manager, before, other_sms_changed);
}

/*
 * Returns true if a later sweep may have overwritten what OpenSM knew of resets before the subnet was copied: it had begun by
 * then, even if its notice is still in the inbox. To be called after the copy.
 */
static bool has_missed_a_sweep(const struct ibcc_manager *manager, const struct ibcc_inbox_content *content)
{
	return content->num_sweeps_ended > 1 || content->sweeping ||
	       manager->env.num_sweeps_begun(manager->env.owner) != content->num_sweeps_begun;
}

static void take_role(struct ibcc_manager *manager, const struct ibcc_snapshot *snapshot)
{
	const bool was_in_doubt = manager->standing.role == IBCC_ROLE_SWEEP_FAILED || manager->standing.role == IBCC_ROLE_HALTED;

	if (snapshot->opensm_cc_on) {
		manager_change_role(manager, IBCC_ROLE_CONFLICT, ibcc_roles[IBCC_ROLE_CONFLICT].entered);
		return;
	}
	if (snapshot->sweep_ok) {
		if (was_in_doubt)
			manager_end_pauses(manager);
		manager_change_role(manager, IBCC_ROLE_MASTER, ibcc_roles[IBCC_ROLE_MASTER].entered);
	} else {
		manager_change_role(
			manager, IBCC_ROLE_SWEEP_FAILED,
			manager->options->when_sweep_failed == IBCC_ACT
				? "the sweep ended with errors: the profile in force, if there is one, goes to ports that are "
				  "ACTIVE"
				: "the sweep ended with errors: sending nothing but rollbacks until a sweep ends without errors");
	}
}

static void take_subnet_up(struct ibcc_manager *manager, const struct ibcc_inbox_content *content)
{
	struct ibcc_snapshot *snapshot = manager->env.snapshot(manager->env.owner);
	const enum ibcc_role before = manager->standing.role;

	manager_sweep_ends(manager);
	if (has_missed_a_sweep(manager, content))
		manager_suspect_all(manager);
	if (!snapshot) {
		manager_lose_fabric(manager, "out of memory: the subnet cannot be copied");
		return;
	}
	if (snapshot->sm_state != IBCC_SM_MASTER) {
		leave_master(manager, snapshot->sm_state);
		ibcc_snapshot_destroy(snapshot);
		return;
	}
	if (snapshot->doubt) {
		manager_lose_fabric(manager, snapshot->doubt);
		ibcc_snapshot_destroy(snapshot);
		return;
	}
	manager->sweeps.ok = snapshot->sweep_ok;
	manager_take_topology(manager, snapshot);
	const bool has_news = manager_note_other_sms(manager, &snapshot->other_sms);
	take_role(manager, snapshot);
	if (has_news && manager->standing.role == before)
		manager_report_sm(manager, before, other_sms_changed);
	(void)manager_takeover_look(manager, snapshot); /* the fabric is brought to what is wanted then */
	if (snapshot->opensm_cc_on)
		ibcc_snapshot_destroy(snapshot);
	else
		manager_take_snapshot(manager, snapshot);
}

/* OpenSM stops: no sweep will end any more, and the restore on exit must not wait for one. */
static void take_stop(struct ibcc_manager *manager, bool in_sweep)
{
	manager_firmware_stop(manager);
	if (in_sweep)
		manager_take_cut_sweep(manager);
	manager_sweep_ends(manager);
	if (!manager->snapshot_failure)
		ibcc_window_resume(manager->window, manager_now_ns(manager));
	/* The pass that the sweep held up goes on, on the fabric as it is now. */
	if (manager->fabric_is_new && manager->standing.phase != PHASE_IDLE)
		(void)manager_converge(manager, manager->job.kind);
}

static void take_ports(struct ibcc_manager *manager, const struct ibcc_inbox_content *content)
{
	if (content->num_ports)
		manager_firmware_look(manager);
	for (uint32_t i = 0; i < content->num_ports; i++) {
		struct ibcc_device *device = ibcc_devices_find_port(&manager->devices, content->port_guids[i]);

		if (device)
			ibcc_device_forget(device, manager->devices.pool);
	}
	for (uint32_t i = 0; i < content->num_switches; i++) {
		struct ibcc_device *device = ibcc_devices_find(&manager->devices, content->switch_guids[i], 0);

		if (device)
			manager_audit_suspect(manager, device);
	}
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (content->all_ports || (content->all_switches && device->kind == IBCC_SWITCH))
			manager_audit_suspect(manager, device);
	}
}

/* True if the unfinished sweep began before this OpenSM became standby: it does not matter any more. */
static bool is_old_to_standby(const struct ibcc_manager *manager, const struct ibcc_inbox_content *content)
{
	return manager->standing.role == IBCC_ROLE_STANDBY &&
	       (!(content->notices & IBCC_NOTICE_SWEEP_BEGINS) || manager->env.sm_state(manager->env.owner) == IBCC_SM_STANDBY);
}

static struct ibcc_window *window_of(const struct ibcc_manager *manager, const struct ibcc_answer *answer)
{
	return ibcc_cc_mad_tid(answer->mad) & IBCC_TID_MARK ? manager->firmware.window : manager->window;
}

void ibcc_manager_handle_inbox(struct ibcc_manager *manager, const struct ibcc_inbox_content *content)
{
	const int64_t now_ns = manager_now_ns(manager);
	enum ibcc_sm_state state;

	if (content->notices & IBCC_NOTICE_SWEEP_BEGINS)
		manager_sweep_is_unsure(manager);
	for (uint32_t i = 0; i < content->num_answers; i++)
		ibcc_window_handle_answer(window_of(manager, &content->answers[i]), &content->answers[i], now_ns);
	take_ports(manager, content);
	manager->sweeps.ended += content->num_sweeps_ended;
	if (content->notices & IBCC_NOTICE_STATE_CHANGE) {
		state = manager->env.sm_state(manager->env.owner);
		if (state != IBCC_SM_MASTER)
			leave_master(manager, state);
	}
	if (content->notices & IBCC_NOTICE_SUBNET_UP)
		take_subnet_up(manager, content);
	if (content->notices & IBCC_NOTICE_STOP) {
		take_stop(manager, manager->standing.sweeping || (content->notices & IBCC_NOTICE_SWEEP_BEGINS));
	} else if (content->sweeping && !is_old_to_standby(manager, content)) {
		manager_sweep_begins(manager);
	}
}

static void pump(struct ibcc_manager *manager)
{
	if (!manager_pump(manager))
		return;
	manager_audit_schedule(manager);
	/* With this profile they need not be asked what kept the last audit from them. */
	manager_audit_look_for_suspects(manager);
}

/* In debug builds, after each step. */
static void require_sound(const struct ibcc_manager *manager)
{
#ifndef NDEBUG
	const char *fault = ibcc_manager_fault(manager);

	if (fault)
		(void)fprintf(stderr, "%s\n", fault);
	assert(!fault);
#else
	(void)manager;
#endif
}

void ibcc_manager_tick(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);
	enum ibcc_sm_state state;

	if (ibcc_roles[manager->standing.role].is_master) { /* before anything is sent, retries included */
		state = manager->env.sm_state(manager->env.owner);
		if (state != IBCC_SM_MASTER)
			leave_master(manager, state);
	}
	manager_sweep_check(manager);
	if (manager_may_send(manager))
		manager_port_tick(manager);
	ibcc_window_tick(manager->window, now_ns);
	if (manager->standing.over_budget)
		manager_give_up(manager);
	manager_sweeps_tick(manager);
	if (manager_takeover_tick(manager))
		(void)manager_converge(manager, "restore");
	if (now_ns >= manager->retry_ns && manager_may_send(manager) && manager->standing.phase == PHASE_IDLE)
		manager_retry(manager);
	manager_silent_tick(manager);
	pump(manager);
	manager_audit_tick(manager);
	manager_congestion_tick(manager);
	pump(manager);
	manager_firmware_tick(manager);
	if (manager->standing.phase == PHASE_PROBE) /* which may have waited for that */
		pump(manager);
	if (manager->job.state == IBCC_JOB_RUNNING && now_ns >= manager->next_progress_ns) {
		manager_report_progress(manager);
		manager->next_progress_ns = now_ns + PROGRESS_NS;
	}
	require_sound(manager);
}

int64_t ibcc_manager_next_ns(const struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);
	int64_t next_ns = ibcc_window_next_ns(manager->window, now_ns);
	const int64_t audit_ns = manager_audit_next_ns(manager);

	if (manager_firmware_next_ns(manager) < next_ns)
		next_ns = manager_firmware_next_ns(manager);
	if (ibcc_roles[manager->standing.role].is_master && manager->standing.sweeping)
		return manager_sweeps_next_ns(manager);
	if (!manager_may_send(manager))
		return next_ns;
	if (!manager->port && manager->port_guid && manager->port_again_ns < next_ns)
		next_ns = manager->port_again_ns;
	if (audit_ns < next_ns)
		next_ns = audit_ns;
	if (manager_takeover_next_ns(manager) < next_ns)
		next_ns = manager_takeover_next_ns(manager);
	if (manager_congestion_next_ns(manager) < next_ns)
		next_ns = manager_congestion_next_ns(manager);
	if (manager->standing.phase == PHASE_IDLE && manager->retry_ns < next_ns)
		next_ns = manager->retry_ns;
	if (manager->standing.phase != PHASE_IDLE && manager->late.next_ns < next_ns)
		next_ns = manager->late.next_ns;
	if (manager_silent_next_ns(manager) < next_ns)
		next_ns = manager_silent_next_ns(manager);
	if (manager->job.state == IBCC_JOB_RUNNING && manager->next_progress_ns < next_ns)
		next_ns = manager->next_progress_ns;
	return next_ns;
}

bool ibcc_manager_is_idle(const struct ibcc_manager *manager)
{
	return !manager_may_send(manager) || (manager->standing.phase == PHASE_IDLE && !ibcc_window_in_flight(manager->window) &&
					      !ibcc_window_late(manager->window));
}
