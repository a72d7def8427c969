/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* status: returns the plugin's status. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/ns.h"
#include "methods/profile_calls.h"
#include "rpc/object.h"
#include "rpc/server_settings.h"
#include "rpc/text.h"

static json_t *revision_or_null(const struct ibcc_revision *revision)
{
	return revision ? ibcc_revision_json(revision) : json_null();
}

static json_t *experiment_json(const struct ibcc_profiles *profiles, int64_t now_ns)
{
	const struct ibcc_revision *experiment = ibcc_profiles_experiment(profiles);
	const int64_t deadline_ns = ibcc_profiles_deadline_ns(profiles);
	const char *owner = ibcc_profiles_owner(profiles);
	json_t *left = json_null(), *result;
	int failed;

	if (!experiment)
		return json_null();
	if (deadline_ns != INT64_MAX)
		left = json_real(deadline_ns > now_ns ? (double)(deadline_ns - now_ns) / NS_PER_S : 0);
	result = ibcc_revision_json(experiment);
	failed = json_object_set_new(result, "remaining_s", left);
	failed |= json_object_set_new(result, "owner", owner[0] ? ibcc_json_text(owner, strlen(owner)) : json_null());
	if (!failed)
		return result;
	json_decref(result);
	return NULL;
}

static json_t *job_json(const struct ibcc_job *job, int64_t now_ns)
{
	static const char *const states[] = {
		[IBCC_JOB_NONE] = "none",     [IBCC_JOB_RUNNING] = "running", [IBCC_JOB_DONE] = "done",
		[IBCC_JOB_FAILED] = "failed", [IBCC_JOB_ENDED] = "ended",
	};
	const int64_t end_ns = job->ended_ns ? job->ended_ns : now_ns;
	/* The last answer may be to a Set of the former job. */
	const int64_t set_phase_ns =
		job->first_set_ns && job->last_set_ns > job->first_set_ns ? job->last_set_ns - job->first_set_ns : 0;

	if (job->state == IBCC_JOB_NONE)
		return json_null();
	return json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:o}", "id", (json_int_t)job->id, "kind",
			 job->kind, "state", states[job->state], "revision", (json_int_t)job->revision, "devices",
			 (json_int_t)job->devices, "settled", (json_int_t)job->settled, "failed", (json_int_t)job->failed, "sets",
			 (json_int_t)job->sets, "gets", (json_int_t)job->gets, "elapsed_s",
			 (double)(end_ns > job->began_ns ? end_ns - job->began_ns : 0) / NS_PER_S, "set_phase_s",
			 (double)set_phase_ns / NS_PER_S, "message", ibcc_json_text(job->message, strlen(job->message)));
}

static json_t *devices_json(const struct ibcc_manager *manager)
{
	const struct ibcc_devices *devices = ibcc_manager_devices(manager);
	uint32_t counts[IBCC_NUM_STATES], present = 0, switches = 0, not_ready = 0;
	uint64_t drifts = 0, timeouts = 0;
	uint32_t dialects[IBCC_NUM_DIALECTS] = {0};
	json_t *states = json_object(), *spoken = json_object();
	int failed = states && spoken ? 0 : -1;

	ibcc_manager_count_states(manager, counts);
	for (unsigned i = 0; i < IBCC_NUM_STATES; i++)
		failed |= json_object_set_new(states, ibcc_device_states[i].name, json_integer(counts[i]));
	for (uint32_t i = 0; i < devices->count; i++) {
		const struct ibcc_device *device = devices->list[i];
		present += device->present;
		dialects[ibcc_device_dialect(device)] += device->present;
		not_ready += device->not_ready;
		switches += device->present && device->kind == IBCC_SWITCH;
		drifts += device->drifts;
		timeouts += device->timeouts;
	}
	for (unsigned i = 0; i < IBCC_NUM_DIALECTS; i++)
		failed |= json_object_set_new(spoken, ibcc_dialect_names[i], json_integer(dialects[i]));
	json_t *result = json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I}", "present", (json_int_t)present, "switches",
				   (json_int_t)switches, "cas", (json_int_t)(present - switches), "not_ready",
				   (json_int_t)not_ready, "away", (json_int_t)(devices->count - present - not_ready), "states",
				   states, "dialects", spoken, "drifts", (json_int_t)drifts, "timeouts", (json_int_t)timeouts);
	if (!failed)
		return result;
	json_decref(result);
	return NULL;
}

static json_t *mads_json(struct ibcc_window_counts counts)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "sent", (json_int_t)counts.sent, "gets", (json_int_t)counts.gets,
			 "sets", (json_int_t)counts.sets, "answered", (json_int_t)counts.answered, "retried",
			 (json_int_t)counts.retried, "timed_out", (json_int_t)counts.timed_out, "unexpected",
			 (json_int_t)counts.unexpected);
}

static json_t *sweeps_json(struct ibcc_sweeps sweeps, int64_t now_ns)
{
	json_t *running = sweeps.since_ns ? json_real((double)(now_ns - sweeps.since_ns) / NS_PER_S) : json_null();

	return json_pack("{s:I, s:o}", "ended", (json_int_t)sweeps.ended, "running_s", running);
}

static json_t *audits_json(struct ibcc_audits audits, int64_t now_ns)
{
	const int64_t left_ns = audits.next_ns > now_ns ? audits.next_ns - now_ns : 0;

	return json_pack("{s:b, s:I, s:f, s:o}", "running", (int)audits.running, "mads_per_s", (json_int_t)audits.mads_per_s,
			 "round_s", (double)audits.round_ns / NS_PER_S, "next_s",
			 audits.next_ns == INT64_MAX ? json_null() : json_real((double)left_ns / NS_PER_S));
}

static int add_sentence(void *owner, const char *sentence)
{
	return json_array_append_new(owner, ibcc_json_text(sentence, strlen(sentence)));
}

static json_t *warnings_json(const struct ibcc_manager *manager)
{
	const struct ccp_tables *tables = ibcc_manager_tables(manager);
	json_t *warnings = json_array();
	const char *problem = ibcc_manager_handover(manager).problem;
	char mute[IBCC_MUTE_BYTES];
	int failed = warnings ? ibcc_manager_tell_models(manager, add_sentence, warnings) : -1;

	if (problem)
		failed |= add_sentence(warnings, problem);
	if (ibcc_manager_describe_mute(manager, mute))
		failed |= add_sentence(warnings, mute);

	for (uint32_t i = 0; tables && i < tables->num_warnings; i++)
		failed |= json_array_append_new(warnings, ibcc_json_text(tables->warnings[i], strlen(tables->warnings[i])));
	if (!failed)
		return warnings;
	json_decref(warnings);
	return NULL;
}

static json_t *handover_json(const struct ibcc_manager *manager)
{
	const struct ibcc_handover handover = ibcc_manager_handover(manager);

	if (!handover.path)
		return json_null();
	return json_pack("{s:o, s:I, s:I, s:o, s:o}", "file", ibcc_json_text(handover.path, strlen(handover.path)), "number",
			 (json_int_t)handover.number, "epoch", (json_int_t)handover.epoch, "written_s",
			 handover.written_s ? json_integer((json_int_t)handover.written_s) : json_null(), "problem",
			 handover.problem ? ibcc_json_text(handover.problem, strlen(handover.problem)) : json_null());
}

static json_t *number_or_null(uint64_t number)
{
	return number ? json_integer((json_int_t)ibcc_revision_shown(number)) : json_null();
}

/* Counts devices that are there and were not read yet, though they have annex A10's attributes or did not answer. */
static uint32_t count_unread(const struct ibcc_manager *manager)
{
	const struct ibcc_devices *devices = ibcc_manager_devices(manager);
	uint32_t unread = 0;

	for (uint32_t i = 0; i < devices->count; i++)
		unread += devices->list[i]->present && !devices->list[i]->found &&
			  devices->list[i]->support != IBCC_UNSUPPORTED && !devices->list[i]->refusal;
	return unread;
}

static json_t *as_found_json(const struct ibcc_manager *manager)
{
	const struct ibcc_profiles *profiles = ibcc_manager_profiles(manager);
	const char *reason;
	const struct ibcc_as_found *as_found = ibcc_manager_as_found(manager, &reason);
	struct ibcc_as_found_counts counts;

	if (!as_found)
		return json_null();
	counts = ibcc_as_found_count(as_found);
	return json_pack("{s:b, s:I, s:I, s:I, s:o}", "in_force", ibcc_profiles_wanted_number(profiles) == IBCC_REVISION_AS_FOUND,
			 "devices", (json_int_t)counts.devices, "kept", (json_int_t)counts.frozen, "unread",
			 (json_int_t)count_unread(manager), "since_s",
			 counts.since_s ? json_integer((json_int_t)counts.since_s) : json_null());
}

static json_t *as_found_reason_json(const struct ibcc_manager *manager)
{
	const char *reason;

	(void)ibcc_manager_as_found(manager, &reason);
	return reason[0] ? ibcc_json_text(reason, strlen(reason)) : json_null();
}

static json_t *status(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	const struct ibcc_manager *manager = call->manager;
	const struct ibcc_profiles *profiles = ibcc_manager_profiles(manager);
	const char *complaint = ibcc_profiles_complaint(profiles), *pending = ibcc_manager_pending(manager);

	(void)error;
	const struct ibcc_json_member members[] = {
		{"role", json_string(ibcc_manager_role_text(manager))},
		{"version", call->settings->version ? json_string(call->settings->version) : json_null()},
		{"opensm", call->settings->opensm_version ? json_string(call->settings->opensm_version) : json_null()},
		{"base", revision_or_null(ibcc_profiles_base(profiles))},
		{"experiment", experiment_json(profiles, call->now_ns)},
		{"as_found", as_found_json(manager)},
		{"as_found_reason", as_found_reason_json(manager)},
		{"wanted", number_or_null(ibcc_profiles_wanted_number(profiles))},
		{"on_fabric", number_or_null(ibcc_manager_on_fabric(manager))},
		{"pending", pending ? ibcc_json_text(pending, strlen(pending)) : json_null()},
		{"experiment_cut_short", json_boolean(ibcc_profiles_was_cut_short(profiles))},
		{"complaint", complaint ? ibcc_json_text(complaint, strlen(complaint)) : json_null()},
		{"file_in_force", json_boolean(ibcc_profiles_file_is_in_force(profiles))},
		{"warnings", warnings_json(manager)},
		{"sweeps", sweeps_json(ibcc_manager_sweeps(manager), call->now_ns)},
		{"audit", audits_json(ibcc_manager_audits(manager), call->now_ns)},
		{"devices", devices_json(manager)},
		{"base_file", handover_json(manager)},
		{"nvidia_write", json_boolean(ibcc_manager_writes_nvidia(manager))},
		{"job", job_json(ibcc_manager_job(manager), call->now_ns)},
		{"mads", mads_json(ibcc_manager_mads(manager))},
	};

	return ibcc_json_object(members, sizeof(members) / sizeof(members[0]));
}

static const char *const params[] = {NULL};
static struct ibcc_rpc_method method = {
	.name = "status",
	.help = "Show what the plugin is doing and the states of devices.",
	.params = params,
	.call = status,
};
IBCC_RPC_METHOD(method)
