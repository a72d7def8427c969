/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_events.c: reports progress, ends of jobs and drift: to subscribers, the log, and the log of changes. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "changes/change_log.h"
#include "devices/fields.h"
#include "devices/port_words.h"
#include "manager/manager_state.h"
#include "manager/topology_json.h"

#define MOST_DRIFT_LINES 64u /* of the log of changes */
#define DRIFT_LINES_NS (60 * NS_PER_S)

static void publish(struct ibcc_manager *manager, const char *event, json_t *params)
{
	if (params && manager->env.on_event)
		manager->env.on_event(manager->env.owner, event, params);
	else
		json_decref(params);
}

void manager_publish_live(struct ibcc_manager *manager, const char *event, json_t *params)
{
	params = ibcc_json_with(params, "epoch", json_integer((json_int_t)manager->topology.epoch));
	publish(manager, event, ibcc_json_with(params, "at_s", json_integer((json_int_t)time(NULL))));
}

static uint32_t count_present(const struct ibcc_manager *manager, uint32_t *settled)
{
	uint32_t present = 0;

	*settled = 0;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (!device->present)
			continue;
		present++;
		*settled += device->support == IBCC_UNSUPPORTED || ibcc_device_is_settled(device);
	}
	return present;
}

void manager_report_progress(struct ibcc_manager *manager)
{
	struct ibcc_job *job = &manager->job;

	job->devices = count_present(manager, &job->settled);
	publish(manager, "progress",
		json_pack("{s:I, s:s, s:I, s:I, s:I, s:I}", "job", (json_int_t)job->id, "kind", job->kind, "revision",
			  (json_int_t)job->revision, "devices", (json_int_t)job->devices, "settled", (json_int_t)job->settled,
			  "sets", (json_int_t)job->sets));
}

/* Adds a job's end to the log of changes. Called only for jobs that have sent something or failed. */
static void record_job_end(const struct ibcc_manager *manager, const char *state)
{
	const struct ibcc_job *job = &manager->job;
	const struct ibcc_change change = {.what = "job", .revision = job->revision, .result = state, .message = job->message};

	ibcc_change_log_add(ibcc_profiles_changes(manager->profiles), &change,
			    json_pack("{s:I, s:s, s:I, s:I, s:I}", "job", (json_int_t)job->id, "kind", job->kind, "devices",
				      (json_int_t)job->devices, "settled", (json_int_t)job->settled, "sets",
				      (json_int_t)job->sets));
}

static void log_job_end(const struct ibcc_manager *manager, const char *state)
{
	const struct ibcc_job *job = &manager->job;
	const double took_s = (double)(job->ended_ns - job->began_ns) / NS_PER_S;
	char line[sizeof(job->message) + 160];

	(void)snprintf(line, sizeof(line), "%s of revision %" PRIu64 " %s: %u of %u devices settled, %" PRIu64 " %s, %.3f s: %s",
		       job->kind, job->revision, state, job->settled, job->devices, job->sets, job->sets == 1 ? "Set" : "Sets",
		       took_s, job->message);
	if (job->state == IBCC_JOB_FAILED)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0404: %s", line);
	else
		ibcc_log(manager->log, IBCC_LOG_INFO, "%s", line);
}

void manager_report_job_end(struct ibcc_manager *manager)
{
	static const char *const states[] = {"none", "running", "done", "failed", "ended"};
	struct ibcc_job *job = &manager->job;
	const char *event = !strcmp(job->kind, "restore") ? "restored" : "applied";

	job->devices = count_present(manager, &job->settled);
	/* A retry of devices that never answer is not worth a line. */
	const bool is_news = (manager->retry_ns != INT64_MAX || job->gets) && strcmp(job->kind, "repair") != 0;
	if (job->sets || job->state == IBCC_JOB_FAILED || is_news)
		log_job_end(manager, states[job->state]);
	if (job->sets || job->state == IBCC_JOB_FAILED)
		record_job_end(manager, states[job->state]);
	publish(manager, event,
		json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:s}", "job", (json_int_t)job->id, "kind", job->kind, "state",
			  states[job->state], "revision", (json_int_t)job->revision, "devices", (json_int_t)job->devices,
			  "settled", (json_int_t)job->settled, "sets", (json_int_t)job->sets, "message", job->message));
}

static json_t *device_params(const struct ibcc_device *device)
{
	char guid[IBCC_GUID_TEXT_BYTES];

	return json_pack("{s:s, s:i, s:s, s:s, s:i}", "guid", ibcc_guid_text(guid, device->node_guid), "port", (int)device->port,
			 "kind", device->kind == IBCC_SWITCH ? "switch" : "ca", "description", device->description, "lid",
			 (int)device->lid);
}

/* The first fields that the device holds otherwise than wanted, of the attribute that was read. NULL: out of memory. */
static json_t *drifted_fields(const struct ibcc_device *device, const struct ibcc_request *request)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < device->num_items && list; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (item->attribute != request->attribute || item->block != request->modifier || !item->held ||
		    item->held == item->wanted)
			continue;
		if (ibcc_fields_differences(list, IBCC_MOST_DIFFERENCES, item->attribute, item->block, item->scope,
					    item->wanted->bytes, item->held->bytes)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

/* Where a whole fabric was reset, older lines of the log of changes stay. */
static bool has_room_for_drift(struct drift_lines *lines, int64_t now_ns)
{
	if (!lines->count || now_ns - lines->began_ns > DRIFT_LINES_NS) {
		lines->began_ns = now_ns;
		lines->count = 0;
	}
	if (lines->count < MOST_DRIFT_LINES) {
		lines->count++;
		return true;
	}
	lines->omitted++;
	return false;
}

/* "its CACongestionSetting has CCTI_Timer[3] 99, and 150 is wanted", by the first difference. */
static void describe_drift(char *text, size_t size, const char *name, const json_t *differences)
{
	const json_t *first = json_array_get(differences, 0), *index = json_object_get(first, "index");
	char *held = json_dumps(json_object_get(first, "held"), JSON_ENCODE_ANY);
	char *wanted = json_dumps(json_object_get(first, "wanted"), JSON_ENCODE_ANY);
	char place[16] = "";

	if (json_is_integer(index))
		(void)snprintf(place, sizeof(place), "[%d]", (int)json_integer_value(index));
	if (held && wanted)
		(void)snprintf(text, size, "its %s has %.60s%s %.80s, and %.80s is wanted%s", name,
			       json_string_value(json_object_get(first, "field")), place, held, wanted,
			       json_array_size(differences) > 1 ? "; other fields differ too" : "");
	else
		(void)snprintf(text, size, "its %s differs from what was set", name);
	free(held);
	free(wanted);
}

/* Adds to the log of changes what the device held, and what was wanted: the repair makes it forgotten. */
static void record_drift(struct ibcc_manager *manager, const struct ibcc_device *device, const char *attribute, uint32_t block,
			 const char *sentence, json_t *differences)
{
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(manager->profiles);
	const struct ibcc_change change = {.what = "drift",
					   .revision = wanted ? wanted->number : 0,
					   .profile = wanted ? wanted->profile->name : NULL,
					   .result = "drifted",
					   .message = sentence};
	char guid[IBCC_GUID_TEXT_BYTES];
	json_t *more;

	if (!has_room_for_drift(&manager->drift_lines, manager_now_ns(manager)))
		return;
	more = json_pack("{s:s, s:i, s:s, s:s, s:I, s:O}", "guid", ibcc_guid_text(guid, device->node_guid), "port",
			 (int)device->port, "description", device->description, "attribute", attribute, "block",
			 (json_int_t)block, "differences", differences);
	if (manager->drift_lines.omitted)
		more = ibcc_json_with(more, "omitted", json_integer((json_int_t)manager->drift_lines.omitted));
	manager->drift_lines.omitted = 0;
	ibcc_change_log_add(ibcc_profiles_changes(manager->profiles), &change, more);
}

void manager_report_drift(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_request *request)
{
	const char *name = ibcc_attribute_name(request->attribute);
	json_t *differences = drifted_fields(device, request), *params;
	char guid[IBCC_GUID_TEXT_BYTES], sentence[320], line[512];

	describe_drift(sentence, sizeof(sentence), name, differences);
	(void)snprintf(line, sizeof(line), "%s (%s port %u): %s", device->description, ibcc_guid_text(guid, device->node_guid),
		       device->port, sentence);

	ibcc_log(manager->log, IBCC_LOG_INFO, "IBCC0309: %s (%s port %u) has drifted: %s", device->description, guid,
		 device->port, sentence);
	if (differences)
		record_drift(manager, device, name, request->modifier, line, differences);
	publish(manager, "drifted",
		json_pack("{s:s, s:i, s:s, s:s, s:i, s:O?}", "guid", guid, "port", (int)device->port, "description",
			  device->description, "attribute", name, "block", (int)request->modifier, "differences", differences));
	if (device->reported_drift) { /* of one of its tables already */
		json_decref(differences);
		return;
	}
	device->reported_drift = true;
	params = ibcc_json_with(device_params(device), "attribute", json_string(name));
	if (differences)
		params = ibcc_json_with(params, "differences", json_incref(differences));
	json_decref(differences);
	manager_publish_live(manager, "device.drifted", ibcc_json_with(params, "reset", json_boolean(device->suspect)));
}

void manager_report_if_repaired(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (!device->reported_drift || !ibcc_device_is_repaired(device))
		return;
	device->reported_drift = false;
	manager_publish_live(manager, "device.repaired", device_params(device));
}

void manager_report_sm(struct ibcc_manager *manager, enum ibcc_role before, const char *message)
{
	manager_publish_live(manager, "sm.changed",
			     json_pack("{s:s, s:s, s:s, s:o}", "role", ibcc_roles[manager->standing.role].text, "former_role",
				       ibcc_roles[before].text, "message", message, "subnet_managers",
				       ibcc_other_sms_json(&manager->other_sms)));
}
