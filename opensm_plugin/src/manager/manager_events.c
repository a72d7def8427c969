/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_events.c: reports progress, ends of jobs and drift: to subscribers, the log, and the log of changes. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "changes/change_log.h"
#include "devices/fields.h"
#include "devices/port_words.h"
#include "manager/manager_state.h"
#include "manager/topology_json.h"

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

void manager_report_job_end(struct ibcc_manager *manager)
{
	static const char *const states[] = {"none", "running", "done", "failed", "ended"};
	struct ibcc_job *job = &manager->job;
	const char *event = !strcmp(job->kind, "restore") ? "restored" : "applied";

	job->devices = count_present(manager, &job->settled);
	/* A retry of devices that never answer is not worth a line. */
	const bool is_news = (manager->retry_ns != INT64_MAX || job->gets) && strcmp(job->kind, "repair") != 0;
	if (job->sets || job->state == IBCC_JOB_FAILED || is_news)
		ibcc_log(manager->log, job->state == IBCC_JOB_FAILED ? IBCC_LOG_ERROR : IBCC_LOG_INFO,
			 "%s of revision %" PRIu64 " %s: %u of %u devices settled, %" PRIu64 " %s, %.3f s: %s", job->kind,
			 job->revision, states[job->state], job->settled, job->devices, job->sets,
			 job->sets == 1 ? "Set" : "Sets", (double)(job->ended_ns - job->began_ns) / NS_PER_S, job->message);
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

void manager_report_drift(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_request *request)
{
	const struct ccp_wire_attribute *attribute = ccp_find_attribute(request->attribute);
	const char *name = attribute ? attribute->name : "?";
	char guid[IBCC_GUID_TEXT_BYTES];
	json_t *params;

	ibcc_log(manager->log, IBCC_LOG_INFO, "%s (%s port %u) has drifted: its %s differs from what was set",
		 device->description, ibcc_guid_text(guid, device->node_guid), device->port, name);
	publish(manager, "drifted",
		json_pack("{s:s, s:i, s:s, s:s, s:i, s:o}", "guid", guid, "port", (int)device->port, "description",
			  device->description, "attribute", name, "block", (int)request->modifier, "differences",
			  drifted_fields(device, request)));
	if (device->reported_drift) /* of one of its tables already */
		return;
	device->reported_drift = true;
	params = ibcc_json_with(device_params(device), "attribute", json_string(name));
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
			     json_pack("{s:s, s:s, s:s, s:o}", "role", ibcc_roles[manager->role].text, "former_role",
				       ibcc_roles[before].text, "message", message, "subnet_managers",
				       ibcc_other_sms_json(&manager->other_sms)));
}
