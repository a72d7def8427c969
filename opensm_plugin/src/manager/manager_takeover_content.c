/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_takeover_content.c: what stands in the base file, written and read: base, trial run, devices that are set, what they held
 * before, and by which nodes the fabric is known again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "ccpolicy/error_format.h"
#include "devices/as_found.h"
#include "devices/nvidia_memory.h"
#include "manager/manager_state.h"
#include "manager/manager_takeover_content.h"
#include "manager/topology_json.h"
#include "state/state_json.h"

#define MOST_NAMED 64u /* nodes by which a fabric is known again */

/* Splitmix64: an order of GUIDs in which makers and hosts are mixed. */
static uint64_t place_of(uint64_t guid)
{
	guid = (guid ^ guid >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	guid = (guid ^ guid >> 27) * UINT64_C(0x94D049BB133111EB);
	return guid ^ guid >> 31;
}

/* Fills the first nodes of that order, and returns their number. If a host comes or leaves, the others stay. */
static uint32_t choose_some(const struct ibcc_snapshot *snapshot, uint64_t some[MOST_NAMED])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < snapshot->view.num_nodes; i++) {
		const uint64_t guid = snapshot->view.nodes[i].guid;
		uint32_t at = count;

		while (at && place_of(some[at - 1]) > place_of(guid))
			at--;
		if (at == MOST_NAMED)
			continue;
		count += count < MOST_NAMED;
		memmove(&some[at + 1], &some[at], (count - at - 1) * sizeof(some[0]));
		some[at] = guid;
	}
	return count;
}

static json_t *fabric_json(const struct ibcc_snapshot *snapshot)
{
	uint64_t some[MOST_NAMED];
	const uint32_t count = snapshot->view.num_nodes, named = choose_some(snapshot, some);
	char prefix[IBCC_GUID_TEXT_BYTES], guid[IBCC_GUID_TEXT_BYTES], text[IBCC_SHA256_TEXT_BYTES];
	uint8_t digest[IBCC_SHA256_BYTES];
	struct ibcc_sha256 hash;
	json_t *nodes = json_array();
	int failed = nodes ? 0 : -1;

	ibcc_sha256_begin(&hash);
	for (uint32_t i = 0; i < count; i++) {
		(void)ibcc_guid_text(guid, snapshot->view.nodes[i].guid);
		ibcc_sha256_add(&hash, guid, strlen(guid));
	}
	ibcc_sha256_end(&hash, digest);
	for (uint32_t i = 0; i < named; i++)
		failed |= json_array_append_new(nodes, json_string(ibcc_guid_text(guid, some[i])));
	if (failed) {
		json_decref(nodes);
		return NULL;
	}
	return json_pack("{s:s, s:I, s:s, s:o}", "subnet_prefix", ibcc_guid_text(prefix, snapshot->subnet_prefix), "nodes",
			 (json_int_t)count, "digest", ibcc_sha256_text(text, digest), "some", nodes);
}

static json_t *base_json(const struct ibcc_revision *base)
{
	return base ? json_pack("{s:s, s:I, s:s}", "name", base->profile->name, "since_s", (json_int_t)base->since_s, "text",
				base->text)
		    : json_null();
}

static json_t *trial_json(const struct ibcc_manager *manager)
{
	const struct ibcc_revision *trial = ibcc_profiles_experiment(manager->profiles);
	const int64_t deadline_ns = ibcc_profiles_deadline_ns(manager->profiles), left_ns = deadline_ns - manager_now_ns(manager);

	if (!trial)
		return json_null();
	return json_pack("{s:s, s:s, s:o}", "name", trial->profile->name, "owner", ibcc_profiles_owner(manager->profiles),
			 "ends_s",
			 deadline_ns == INT64_MAX ? json_null() : json_integer((json_int_t)time(NULL) + left_ns / NS_PER_S));
}

static json_t *list_or_empty(json_t *list, const struct ibcc_manager *manager)
{
	return manager->nvidia.memory ? list : json_array();
}

/* What devices held before the first Set of a profile to any of them; null: that is not known here. */
static json_t *found_json(const struct ibcc_manager *manager)
{
	return manager->devices.as_found ? ibcc_as_found_json(manager->devices.as_found) : json_null();
}

static json_t *nvidia_found_json(const struct ibcc_manager *manager)
{
	return manager->nvidia.founds ? ibcc_nvidia_founds_json(manager->nvidia.founds) : json_null();
}

json_t *manager_takeover_content(const struct ibcc_manager *manager, uint64_t number)
{
	const struct ibcc_nvidia_memory *memory = manager->nvidia.memory;
	char guid[IBCC_GUID_TEXT_BYTES];

	/* A NULL for one of the values makes json_pack fail, and free the others. */
	return json_pack("{s:I, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "number", (json_int_t)number, "epoch",
			 (json_int_t)manager->takeover.epoch, "written_s", (json_int_t)time(NULL), "writer",
			 ibcc_guid_text(guid, manager->snapshot->sm_port_guid), "plugin",
			 manager->env.version ? manager->env.version : "unknown", "fabric", fabric_json(manager->snapshot),
			 "base", base_json(ibcc_profiles_base(manager->profiles)), "trial", trial_json(manager), "devices",
			 list_or_empty(memory ? ibcc_nvidia_memory_written_json(memory) : NULL, manager), "parameters",
			 list_or_empty(memory ? ibcc_nvidia_memory_parameters_json(memory) : NULL, manager), "as_found",
			 found_json(manager), "nvidia_found", nvidia_found_json(manager));
}

/* At least half of the nodes that the file names are there: hosts come and go, and the standby may see a part of the fabric. */
bool manager_takeover_is_same_fabric(json_t *fabric, const struct ibcc_snapshot *snapshot, struct ccp_error *error)
{
	const char *prefix = json_string_value(json_object_get(fabric, "subnet_prefix"));
	json_t *some = json_object_get(fabric, "some");
	char own[IBCC_GUID_TEXT_BYTES];
	size_t found = 0;

	for (size_t i = 0; i < json_array_size(some); i++) {
		const char *guid = json_string_value(json_array_get(some, i));

		found += guid && ibcc_snapshot_find(snapshot, strtoull(guid, NULL, 16)) != CCP_NO_PEER;
	}
	if (prefix && !strcmp(prefix, ibcc_guid_text(own, snapshot->subnet_prefix)) && 2 * found >= json_array_size(some))
		return true;
	(void)ccp_fail(error,
		       "the base file is of another fabric: subnet prefix %.20s, and %zu of %zu nodes that it names are on this "
		       "one, %s; give "
		       "each fabric its own file, or move it away",
		       prefix ? prefix : "none", found, json_array_size(some), own);
	return false;
}

int manager_takeover_read(json_t *root, struct base_left *left, struct ccp_error *error)
{
	json_t *base, *trial, *end;
	json_error_t json_error;

	memset(left, 0, sizeof(*left));
	if (json_unpack_ex(root, &json_error, 0, "{s:I, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s?o, s?o}", "number",
			   &left->number, "epoch", &left->epoch, "written_s", &left->written_s, "writer", &left->writer, "plugin",
			   &left->plugin, "fabric", &left->fabric, "base", &base, "trial", &trial, "devices", &left->devices,
			   "parameters", &left->parameters, "as_found", &left->found, "nvidia_found", &left->nvidia_found))
		return ibcc_fail_json(error, "the base file", &json_error);
	if (!json_is_null(base) && json_unpack_ex(base, &json_error, 0, "{s:s%}", "text", &left->text, &left->length))
		return ibcc_fail_json(error, "base of the base file", &json_error);
	if (json_is_null(trial))
		return 0;
	if (json_unpack_ex(trial, &json_error, 0, "{s:s, s:s, s:o}", "name", &left->trial, "owner", &left->owner, "ends_s", &end))
		return ibcc_fail_json(error, "trial of the base file", &json_error);
	left->has_end = json_is_integer(end);
	left->ends_s = json_integer_value(end);
	return 0;
}
