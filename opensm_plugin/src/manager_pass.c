/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
/*
 * manager_pass.c: one pass over the devices: probe, set in two steps, perhaps read.
 *
 * A cursor goes over the list once in each phase; a device that has more to be asked when its answer comes queues up behind it. The
 * phase is over when the cursor is at the end, nobody queues and nothing is outstanding.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "change_log.h"
#include "manager_state.h"

#define RETRY_FIRST_NS (5 * NS_PER_S)
#define RETRY_MAX_NS (300 * NS_PER_S)

void manager_clear_queue(struct ibcc_manager *manager)
{
	while (manager->first_queued) {
		struct ibcc_device *device = manager->first_queued;

		manager->first_queued = device->next_queued;
		device->next_queued = NULL;
		device->queued = false;
	}
	manager->last_queued = NULL;
}

void manager_queue(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (device->queued)
		return;
	device->queued = true;
	device->next_queued = NULL;
	if (manager->last_queued)
		manager->last_queued->next_queued = device;
	else
		manager->first_queued = device;
	manager->last_queued = device;
}

struct ibcc_device *manager_unqueue(struct ibcc_manager *manager)
{
	struct ibcc_device *device = manager->first_queued;

	manager->first_queued = device->next_queued;
	if (!manager->first_queued)
		manager->last_queued = NULL;
	device->next_queued = NULL;
	device->queued = false;
	return device;
}

bool manager_is_paused(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return device->again_ns > manager_now_ns(manager);
}

void manager_end_pauses(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		device->again_ns = device->pause_ns = 0;
		/* Its firmware may be another by now. */
		if (device->support == IBCC_UNSUPPORTED) {
			device->support = IBCC_SUPPORT_UNKNOWN;
			device->has_congestion_info = device->asked_class_port_info = false;
		}
	}
}

/* Twice as long as the last time; not beyond an audit, which asks in any case. */
static int64_t grown(const struct ibcc_manager *manager, int64_t pause_ns)
{
	const int64_t audit_ns = manager->options->audit_interval_s * NS_PER_S;
	const int64_t most_ns = audit_ns && audit_ns < RETRY_MAX_NS ? audit_ns : RETRY_MAX_NS;

	pause_ns = pause_ns ? 2 * pause_ns : RETRY_FIRST_NS;
	return pause_ns < most_ns ? pause_ns : most_ns;
}

static void pause_device(struct ibcc_manager *manager, struct ibcc_device *device)
{
	device->pause_ns = grown(manager, device->pause_ns);
	device->again_ns = manager_now_ns(manager) + device->pause_ns;
}

static void begin_phase(struct ibcc_manager *manager, enum phase phase)
{
	manager->phase = phase;
	manager->cursor = 0;
	manager_clear_queue(manager);
}

void manager_begin_pass(struct ibcc_manager *manager, const char *kind, bool then_read)
{
	struct ibcc_job *job = &manager->job;
	const int64_t now_ns = manager_now_ns(manager);

	/* A sweep or a device that returned makes a pass begin anew, but not the job: the goal is the same. */
	if (job->state != IBCC_JOB_RUNNING || job->revision != manager_wanted_revision(manager) || strcmp(job->kind, kind) != 0) {
		if (job->state == IBCC_JOB_RUNNING)
			manager_stop_pass(manager, IBCC_JOB_ENDED, "something else is wanted now");
		memset(job, 0, sizeof(*job));
		job->id = ++manager->last_job;
		job->kind = kind;
		job->revision = manager_wanted_revision(manager);
		job->state = IBCC_JOB_RUNNING;
		job->began_ns = now_ns;
		manager->then_read = false;
	}
	manager->then_read |= then_read;
	manager->pass = ++manager->last_pass;
	manager->retry_ns = INT64_MAX;
	job->failed = 0;
	begin_phase(manager, PHASE_PROBE);
}

void manager_stop_pass(struct ibcc_manager *manager, enum ibcc_job_state state, const char *message)
{
	manager->phase = PHASE_IDLE;
	manager->then_read = false;
	manager_clear_queue(manager);
	if (manager->job.state != IBCC_JOB_RUNNING)
		return;
	manager->job.state = state;
	manager->job.ended_ns = manager_now_ns(manager);
	snprintf(manager->job.message, sizeof(manager->job.message), "%s", message);
	manager_tell_job_end(manager);
}

/* Present, of a kind that answers, and not brought to what is wanted: it is tried again. */
static bool is_left(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return device->present && device->num_items > 0 && device->support != IBCC_UNSUPPORTED &&
	       (device->silent || ibcc_device_refuses(device) || !manager_is_settled(manager, device));
}

/* Those that are left get a time of their own to be asked again; the next one's is the manager's. How many there are. */
static uint32_t schedule_retries(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);
	uint32_t left = 0;

	manager->retry_ns = INT64_MAX;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (!is_left(manager, device)) {
			device->again_ns = device->pause_ns = 0;
			continue;
		}
		left++;
		if (device->again_ns <= now_ns)
			pause_device(manager, device);
		if (device->again_ns < manager->retry_ns)
			manager->retry_ns = device->again_ns;
	}
	return left;
}

/* "3 do not answer", with what separates it from the one before. */
static void add_count(char *text, size_t size, uint32_t count, const char *one, const char *many)
{
	const size_t length = strlen(text);

	if (count)
		snprintf(text + length, size - length, "%s%u %s", length ? ", " : "", count, count == 1 ? one : many);
}

static void describe_end(struct ibcc_manager *manager, uint32_t left, char *message, size_t size)
{
	const long long wait_s = (manager->retry_ns - manager_now_ns(manager) + NS_PER_S - 1) / NS_PER_S;
	uint32_t counts[IBCC_NUM_STATES];
	char others[160] = "";

	ibcc_manager_count_states(manager, counts);
	add_count(others, sizeof(others), counts[IBCC_STATE_CLAMPED], "has taken other values", "have taken other values");
	add_count(others, sizeof(others), counts[IBCC_STATE_REFUSED], "refuses a value", "refuse a value");
	add_count(others, sizeof(others), counts[IBCC_STATE_TIMING_OUT], "does not answer", "do not answer");
	add_count(others, sizeof(others), counts[IBCC_STATE_DRIFTED], "has drifted", "have drifted");
	add_count(others, sizeof(others), counts[IBCC_STATE_UNKNOWN], "is not known", "are not known");
	if (!others[0] && !left)
		snprintf(message, size, "all devices that support it hold what is wanted");
	else if (!left)
		snprintf(message, size, "%u devices hold what is wanted; %s", counts[IBCC_STATE_APPLIED], others);
	else
		snprintf(message, size, "%u devices hold what is wanted; %s; %u of them are tried again, the first in %lld s",
			 counts[IBCC_STATE_APPLIED], others[0] ? others : "the keys of others are not settled", left, wait_s);
}

/* Who is settled with the base holds nothing of an experiment any more, unless it has refused to let go of it. */
static void forget_tried(struct ibcc_manager *manager)
{
	const struct ibcc_revision *base = ibcc_profiles_base(manager->profiles);

	for (uint32_t i = 0; base && base->number == manager->tables_revision && i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (device->present && ibcc_device_is_settled(device) && !ibcc_device_refuses(device))
			device->tried_from = 0;
	}
}

static void end_pass(struct ibcc_manager *manager)
{
	const uint32_t left = schedule_retries(manager);
	char message[sizeof(manager->job.message)];

	if (manager->tables && manager->tables_revision != manager->job.revision)
		snprintf(message, sizeof(message), "%.160s; devices are kept at what they were brought to before",
			 manager->unresolved[0] ? manager->unresolved : "not all devices are asked: out of memory");
	else if (manager->tables)
		describe_end(manager, left, message, sizeof(message));
	else
		snprintf(message, sizeof(message), "the devices were asked what they support; no profile is wanted of them");
	/* Without memory some devices may have been brought to something else. */
	manager->on_fabric = manager->tables_revision == manager->job.revision ? manager->job.revision : 0;
	if (manager->on_fabric)
		manager->good_revision = manager->on_fabric;
	if (!left && manager->restore_revision == manager->on_fabric)
		manager->restore_revision = 0; /* it is back, and waits like everything else from now on */
	forget_tried(manager);
	if (manager->role == IBCC_ROLE_HALTED)
		manager_change_role(manager, IBCC_ROLE_MASTER, ibcc_roles[IBCC_ROLE_MASTER].entered);
	manager_stop_pass(manager, IBCC_JOB_DONE, message);
	manager_audit_schedule(manager);
}

static void next_phase(struct ibcc_manager *manager)
{
	switch (manager->phase) {
	case PHASE_PROBE:
		begin_phase(manager, PHASE_SET_FIRST);
		break;
	case PHASE_SET_FIRST:
		begin_phase(manager, PHASE_SET_SECOND);
		break;
	case PHASE_SET_SECOND:
		if (manager->then_read)
			begin_phase(manager, PHASE_READ);
		else
			end_pass(manager);
		break;
	case PHASE_READ:
		manager->then_read = false;
		/* What was found to differ is set, and that is all: a device that never holds would keep a pass going for ever. */
		begin_phase(manager, PHASE_SET_FIRST);
		break;
	case PHASE_IDLE:
		break;
	}
}

static bool takes_part(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	const bool clears = manager->tables && !manager->tables->enable;
	const enum ibcc_device_kind first = clears ? IBCC_SWITCH : IBCC_CA;

	switch (manager->phase) {
	case PHASE_SET_FIRST:
		return device->kind == first;
	case PHASE_SET_SECOND:
		return device->kind != first;
	default:
		return true;
	}
}

static enum ibcc_work work_of(const struct ibcc_manager *manager)
{
	switch (manager->phase) {
	case PHASE_PROBE:
		return IBCC_WORK_PROBE;
	case PHASE_READ:
		return IBCC_WORK_READ;
	default:
		/* What repeats by itself leaves a device alone that takes other values; who asks has it tried again. */
		return manager->insists ? IBCC_WORK_INSIST : IBCC_WORK_SET;
	}
}

/* Settings are about to be sent: who holds what is another matter from now on. */
static void note_set(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const struct ibcc_revision *base = ibcc_profiles_base(manager->profiles);

	if (manager->on_fabric != manager->tables_revision)
		manager->on_fabric = 0;
	if (base && base->number != manager->tables_revision)
		device->tried_from = manager->tables_revision;
}

bool manager_send(struct ibcc_manager *manager, struct ibcc_device *device, enum ibcc_work work, uint32_t pass)
{
	const int64_t now_ns = manager_now_ns(manager);
	struct ibcc_request request;

	manager_sweep_look(manager);
	if (manager->sweeping)
		return false;
	if (!device->present || device->in_flight || device->support == IBCC_UNSUPPORTED || device->failed_pass == pass)
		return false;
	if (!manager_key_request(manager, device, &request)) {
		if (!ibcc_device_next(device, work, pass, &request))
			return false;
		request.cc_key = manager_header_key(manager, device);
	}
	request.context = device;
	device->in_flight = true;
	if (request.method == IBCC_SET && request.attribute != CCP_CONGESTION_KEY_INFO)
		note_set(manager, device);
	if (manager->job.state == IBCC_JOB_RUNNING) {
		manager->job.sets += request.method == IBCC_SET;
		manager->job.gets += request.method == IBCC_GET;
		if (request.method == IBCC_SET && !manager->job.first_set_ns)
			manager->job.first_set_ns = now_ns;
	}
	ibcc_window_send(manager->window, &request, now_ns);
	explicit_bzero(&request, sizeof(request)); /* it has a CC_Key */
	return true;
}

static void fill_window(struct ibcc_manager *manager)
{
	const enum ibcc_work work = work_of(manager);

	for (;;) {
		struct ibcc_device *device;

		if (manager->sweeping || !ibcc_window_has_room(manager->window, manager_now_ns(manager)))
			return;
		if (manager->first_queued)
			device = manager_unqueue(manager);
		else if (manager->cursor < manager->devices.count)
			device = manager->devices.list[manager->cursor++];
		else
			return;
		if (takes_part(manager, device) && !manager_is_paused(manager, device))
			(void)manager_send(manager, device, work, manager->pass);
		if (manager->sweeping) { /* as it showed just now: the device's turn comes after that */
			manager_queue(manager, device);
			return;
		}
	}
}

void manager_pump(struct ibcc_manager *manager)
{
	manager_sweep_look(manager);
	if (!manager_may_send(manager) || manager->sweeping || !manager->port)
		return;
	while (manager->phase != PHASE_IDLE) {
		fill_window(manager);
		if (manager->first_queued || manager->cursor < manager->devices.count || ibcc_window_outstanding(manager->window))
			return;
		next_phase(manager);
	}
}

static void halt(struct ibcc_manager *manager)
{
	char message[sizeof(manager->job.message)];

	manager->halted_pause_ns = grown(manager, manager->halted_pause_ns);
	manager->retry_ns = manager_now_ns(manager) + manager->halted_pause_ns;
	snprintf(message, sizeof(message),
		 "too many devices have stopped to answer, and there is no earlier profile: trying again in %lld s, or after a "
		 "sweep",
		 (long long)(manager->halted_pause_ns / NS_PER_S));
	manager_stop_pass(manager, IBCC_JOB_FAILED, message);
	manager_change_role(manager, IBCC_ROLE_HALTED, message);
	manager_audit_schedule(manager);
}

/*
 * Over the budget: nothing more is sent for now. An experiment, or a base that never was brought to the devices, gives way to what was
 * before; but not what has come back that way.
 */
void manager_give_up(struct ibcc_manager *manager)
{
	const struct ibcc_revision *base = ibcc_profiles_base(manager->profiles);
	struct ccp_error error = {{0}, 0, 0};
	enum ibcc_profiles_fault fault;

	manager->over_budget = false;
	ibcc_error_budget_reset(manager->budget);
	ibcc_window_cancel(manager->window, NULL);
	ibcc_log(manager->log, IBCC_LOG_ERROR, "more than %u devices failed to answer in %u s: revision %llu is given up",
		 ibcc_error_budget_allowed(manager->budget), manager->options->error_window_s,
		 (unsigned long long)manager->job.revision);
	ibcc_change_log_attribute(ibcc_profiles_changes(manager->profiles), NULL, "too many devices failed to answer");
	if (ibcc_profiles_experiment(manager->profiles))
		fault = ibcc_profiles_end(manager->profiles, &error);
	else if (base && base->number != manager->good_revision && base->number != manager->retreat_revision &&
		 manager->good_revision)
		fault = ibcc_profiles_rollback(manager->profiles, &error);
	else
		fault = IBCC_PROFILES_NOTHING;
	ibcc_change_log_attribute(ibcc_profiles_changes(manager->profiles), NULL, NULL);
	if (fault) {
		halt(manager);
		return;
	}
	manager->retreat_revision = manager_wanted_revision(manager);
	manager_stop_pass(manager, IBCC_JOB_FAILED, "too many devices have stopped to answer; the last good profile comes back");
	ibcc_manager_converge(manager, "restore");
}

void manager_on_result(void *owner, const struct ibcc_request *request, const struct ibcc_result *result)
{
	struct ibcc_manager *manager = owner;
	struct ibcc_device *device = request->context;
	const bool of_audit = manager->phase == PHASE_IDLE && manager->audit.running, was_silent = device->silent;
	struct ibcc_device_news news;

	if (request->method == IBCC_SET && result->outcome == IBCC_ANSWERED)
		manager->job.last_set_ns = manager_now_ns(manager);
	if (request->attribute == (CCP_CONGESTION_LOG_SWITCH & 0xFFFFu)) {
		manager_congestion_take(manager, device, result);
		if (manager->phase != PHASE_IDLE)
			manager_queue(manager, device);
		return;
	}
	if (request->attribute == CCP_CONGESTION_KEY_INFO) {
		manager_key_take(manager, device, request, result);
		if (manager->phase != PHASE_IDLE || (of_audit && device->to_repair))
			manager_queue(manager, device);
		return;
	}
	ibcc_device_take(device, manager->devices.pool, of_audit ? manager->audit.round : manager->pass, request, result,
			 manager_now_ns(manager), &news);
	if (news.probed && manager->tables && ibcc_devices_want_one(&manager->devices, device, manager->tables))
		ibcc_log(manager->log, IBCC_LOG_ERROR, "out of memory: %s keeps what it holds", device->description);
	if (result->outcome == IBCC_ANSWERED)
		device->again_ns = 0;
	if (was_silent && !device->silent)
		manager_audit_answers(manager, device);
	if (news.applied)
		device->applied_at_s = (int64_t)time(NULL);
	if (news.drifted) {
		manager->audit.found_drift = true;
		device->to_repair = of_audit;
		manager_tell_drift(manager, device, request);
		if (device->suspect) /* it was reset, then: nothing is left of what it held */
			ibcc_device_forget(device, manager->devices.pool);
		else
			memset(&device->key, 0, sizeof(device->key)); /* may be lost with it */
	}
	if (manager->phase != PHASE_IDLE || (of_audit && device->to_repair))
		manager_queue(manager, device);
	if (result->outcome != IBCC_ANSWERED && result->outcome != IBCC_CANCELLED && device->silent)
		pause_device(manager, device);
	if (!news.failed)
		return;
	manager->job.failed++;
	if (!ibcc_roles[manager->role].charges)
		return;
	/* Acted upon by the next tick: this is the window's own call. */
	if (ibcc_error_budget_note(manager->budget, manager_now_ns(manager)) && manager->phase != PHASE_IDLE)
		manager->over_budget = true;
}
