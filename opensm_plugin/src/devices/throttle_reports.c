/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* strnlen() */
#include "devices/throttle_reports.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "state/state_json.h"

const char *const ibcc_throttles_names[] = {
	[IBCC_THROTTLES_UNKNOWN] = "unknown",
	[IBCC_THROTTLES_YES] = "yes",
	[IBCC_THROTTLES_NO] = "no",
};

static const struct ibcc_state_form file = {
	.name = "throttle_reports.json",
	.version_key = "ibcc_opensm_throttle_reports",
	.version = 1,
	.max_bytes = IBCC_MAX_THROTTLE_REPORTS * (size_t)1024,
};

struct ibcc_throttle_reports {
	const struct ibcc_state_folder *folder;
	uint32_t count;
	struct ibcc_throttle_report *list; /* ascending (node_guid, port); none of them unknown */
};

static int compare_places(const void *a, const void *b)
{
	const struct ibcc_throttle_report *x = a, *y = b;

	if (x->node_guid != y->node_guid)
		return x->node_guid < y->node_guid ? -1 : 1;
	return (x->port > y->port) - (x->port < y->port);
}

static int compare_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Sorts `count` reports, which are in the order in which they came, and keeps the last of each port. Returns how many are left;
 * UINT32_MAX: memory was refused.
 */
static uint32_t merge(struct ibcc_throttle_report *list, uint32_t count)
{
	uint32_t kept = 0;
	/* qsort is not stable, so each is sorted with its number. */
	struct turn {
		struct ibcc_throttle_report report; /* first, as compare_places looks at it */
		uint32_t turn;
	} *turns = calloc(count, sizeof(*turns));

	if (!turns)
		return UINT32_MAX;
	for (uint32_t i = 0; i < count; i++)
		turns[i] = (struct turn){.report = list[i], .turn = i};
	qsort(turns, count, sizeof(*turns), compare_places);
	for (uint32_t i = 0, next; i < count; i = next) {
		uint32_t last = i;
		for (next = i + 1; next < count && !compare_places(&turns[i], &turns[next]); next++)
			if (turns[next].turn > turns[last].turn)
				last = next;
		if (turns[last].report.throttles != IBCC_THROTTLES_UNKNOWN)
			list[kept++] = turns[last].report;
	}
	free(turns);
	return kept;
}

/* Drops the oldest beyond the limit. Returns how many are left; UINT32_MAX: memory was refused. */
static uint32_t drop_oldest(struct ibcc_throttle_report *list, uint32_t count)
{
	uint32_t excess = count > IBCC_MAX_THROTTLE_REPORTS ? count - IBCC_MAX_THROTTLE_REPORTS : 0;
	uint32_t kept = 0, ties;

	if (!excess)
		return count;
	int64_t *times = calloc(count, sizeof(*times));
	if (!times)
		return UINT32_MAX;
	for (uint32_t i = 0; i < count; i++)
		times[i] = list[i].at_s;
	qsort(times, count, sizeof(*times), compare_times);
	int64_t limit = times[excess]; /* of the reports of this second, as many are dropped as necessary */
	for (ties = 0; ties < excess && times[excess - 1 - ties] == limit; ties++)
		;
	for (uint32_t i = 0; i < count; i++) {
		if (list[i].at_s == limit && ties)
			ties--;
		else if (list[i].at_s >= limit)
			list[kept++] = list[i];
	}
	free(times);
	return kept;
}

static json_t *report_to_json(const struct ibcc_throttle_report *report)
{
	char guid[24];

	snprintf(guid, sizeof(guid), "0x%016" PRIx64, report->node_guid);
	return json_pack("{s:s, s:i, s:s, s:s, s:I}", "guid", guid, "port", (int)report->port, "throttles",
			 ibcc_throttles_names[report->throttles], "by", report->by, "at_s", (json_int_t)report->at_s);
}

static int save(const struct ibcc_state_folder *folder, const struct ibcc_throttle_report *list, uint32_t count,
		struct ccp_error *error)
{
	json_t *root = NULL, *array = json_array();
	bool whole = array != NULL;

	for (uint32_t i = 0; whole && i < count; i++)
		whole = !json_array_append_new(array, report_to_json(&list[i]));
	if (whole)
		root = json_pack("{s:O}", "reports", array);
	json_decref(array);
	return ibcc_state_json_save(folder, &file, root, error);
}

static int read_report(json_t *json, struct ibcc_throttle_report *report, struct ccp_error *error)
{
	json_error_t json_error;
	json_int_t at_s;
	const char *guid, *throttles, *by;
	char *end;
	int port;

	if (json_unpack_ex(json, &json_error, 0, "{s:s, s:i, s:s, s:s, s:I}", "guid", &guid, "port", &port, "throttles",
			   &throttles, "by", &by, "at_s", &at_s))
		return ibcc_fail_json(error, "a report", &json_error);
	report->node_guid = strtoull(guid, &end, 16);
	report->port = (uint8_t)port;
	report->throttles = !strcmp(throttles, "yes") ? IBCC_THROTTLES_YES : IBCC_THROTTLES_NO;
	report->at_s = at_s;
	if (!*guid || *end || port < 0 || port > 255 || strlen(by) >= sizeof(report->by) ||
	    (report->throttles == IBCC_THROTTLES_NO && strcmp(throttles, "no")))
		return ccp_fail(error, "a report is wrong: guid '%.32s', port %d, throttles '%.32s'", guid, port, throttles);
	memcpy(report->by, by, strlen(by) + 1);
	return 0;
}

static int read_reports(json_t *root, struct ibcc_throttle_reports *reports, struct ccp_error *error)
{
	json_t *array = json_object_get(root, "reports");
	size_t count = json_array_size(array);

	if (!json_is_array(array) || count > IBCC_MAX_THROTTLE_REPORTS)
		return ccp_fail(error, "reports must be a list of at most %u", IBCC_MAX_THROTTLE_REPORTS);
	reports->list = calloc(count + 1, sizeof(*reports->list));
	if (!reports->list)
		return ccp_fail_no_memory(error);
	for (size_t i = 0; i < count; i++)
		if (read_report(json_array_get(array, i), &reports->list[i], error))
			return -1;
	reports->count = count ? merge(reports->list, (uint32_t)count) : 0; /* the file may have been edited */
	return reports->count == UINT32_MAX ? ccp_fail_no_memory(error) : 0;
}

struct ibcc_throttle_reports *ibcc_throttle_reports_open(const struct ibcc_state_folder *folder, struct ibcc_log *log,
							 struct ccp_error *error)
{
	struct ibcc_throttle_reports *reports = calloc(1, sizeof(*reports));
	json_t *root = NULL;

	if (!reports) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	reports->folder = folder;
	enum ibcc_state_found found = ibcc_state_json_load(folder, &file, &root, error);
	if (found == IBCC_STATE_READ && read_reports(root, reports, error)) {
		found = ibcc_error_is_no_memory(error) ? IBCC_STATE_FAILED : IBCC_STATE_BROKEN;
		free(reports->list);
		reports->list = NULL;
		reports->count = 0;
	}
	json_decref(root);
	if (found == IBCC_STATE_FAILED ||
	    (found == IBCC_STATE_BROKEN &&
	     ibcc_state_json_set_aside(folder, &file, error->message, "all adapters are unknown until new reports come", log,
				       error))) {
		ibcc_throttle_reports_close(reports);
		return NULL;
	}
	return reports;
}

void ibcc_throttle_reports_close(struct ibcc_throttle_reports *reports)
{
	if (!reports)
		return;
	free(reports->list);
	free(reports);
}

const struct ibcc_throttle_report *ibcc_throttle_reports_find(const struct ibcc_throttle_reports *reports, uint64_t node_guid,
							      uint8_t port)
{
	struct ibcc_throttle_report key = {.node_guid = node_guid, .port = port};

	return reports->count ? bsearch(&key, reports->list, reports->count, sizeof(key), compare_places) : NULL;
}

const struct ibcc_throttle_report *ibcc_throttle_reports_list(const struct ibcc_throttle_reports *reports, uint32_t *count)
{
	*count = reports->count;
	return reports->list;
}

static int check(const struct ibcc_throttle_report *reports, uint32_t count, struct ccp_error *error)
{
	if (!count || count > IBCC_MAX_THROTTLE_REPORTS)
		return ccp_fail(error, "there are %u reports, but there must be 1 to %u", count, IBCC_MAX_THROTTLE_REPORTS);
	for (uint32_t i = 0; i < count; i++) {
		const struct ibcc_throttle_report *report = &reports[i];
		size_t length = strnlen(report->by, sizeof(report->by));
		json_t *by = length && length < sizeof(report->by) ? json_stringn(report->by, length) : NULL;
		bool is_text = by != NULL;
		json_decref(by);
		if (!is_text || report->throttles > IBCC_THROTTLES_NO)
			return ccp_fail(error,
					"the report on 0x%016" PRIx64
					" must have an author of 1 to %u bytes of UTF-8, and say yes, no or unknown",
					report->node_guid, IBCC_THROTTLE_REPORT_BY_BYTES - 1);
	}
	return 0;
}

int ibcc_throttle_reports_add(struct ibcc_throttle_reports *reports, const struct ibcc_throttle_report *added, uint32_t count,
			      struct ccp_error *error)
{
	if (check(added, count, error))
		return -1;
	struct ibcc_throttle_report *list = calloc((size_t)reports->count + count, sizeof(*list));
	if (!list)
		return ccp_fail_no_memory(error);
	if (reports->count)
		memcpy(list, reports->list, reports->count * sizeof(*list));
	memcpy(list + reports->count, added, count * sizeof(*list));
	uint32_t left = merge(list, reports->count + count);
	if (left != UINT32_MAX)
		left = drop_oldest(list, left);
	if (left == UINT32_MAX || save(reports->folder, list, left, error)) {
		if (left == UINT32_MAX)
			(void)ccp_fail_no_memory(error);
		free(list);
		return -1;
	}
	free(reports->list);
	reports->list = list;
	reports->count = left;
	return 0;
}
