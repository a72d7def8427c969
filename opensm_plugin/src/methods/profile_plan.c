/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile.plan: counts what a profile would change on what devices hold, or on the base, and names the devices. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "ccpolicy/profile.h"
#include "ccpolicy/tables.h"
#include "devices/description.h"
#include "devices/fields.h"
#include "methods/profile_calls.h"
#include "rpc/message.h"
#include "rpc/object.h"
#include "rpc/params.h"
#include "rpc/text.h"

/* So many rows of `changes` fit into a result. A byte of a description takes up to 6 as JSON, the name of an attribute up to 50. */
#define MAX_CHANGES 4000u
#define MAX_CHANGE_BYTES (6u * IBCC_DESCRIPTION_BYTES + 50u * IBCC_PLAN_ATTRIBUTES + 220u)
/* Fields of a row whose values differ, and of all rows together. A mask of ports takes 66 bytes. */
#define MAX_DIFFERENCES 8u
#define ALL_DIFFERENCES 1500u
#define MAX_DIFFERENCE_BYTES 400u
static_assert(MAX_CHANGES * MAX_CHANGE_BYTES + ALL_DIFFERENCES * MAX_DIFFERENCE_BYTES < IBCC_MAX_RESULT_BYTES,
	      "the rows fit into a result");

struct rows {
	json_t *list;
	size_t differences;
};

/* The first fields whose values differ; an item of which it is not known what the device holds has none. NULL: out of memory. */
static json_t *differences_json(const struct ibcc_plan_device *planned, struct rows *rows)
{
	const size_t left = ALL_DIFFERENCES - rows->differences, most = left < MAX_DIFFERENCES ? left : MAX_DIFFERENCES;
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < planned->num_steps && !failed; i++) {
		const struct ibcc_plan_step *step = &planned->steps[i];

		if (step->held)
			failed = ibcc_fields_differences(list, most, step->attribute, step->block, step->scope,
							 step->wanted->bytes, step->held->bytes);
	}
	rows->differences += json_array_size(list);
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *attributes_json(const struct ibcc_plan_device *planned)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < planned->num_attributes && !failed; i++)
		failed = json_array_append_new(list, json_string(ibcc_attribute_name(planned->attributes[i])));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static int add(void *owner, const struct ibcc_plan_device *planned)
{
	const struct ibcc_device *device = planned->device;
	struct rows *rows = owner;

	if (json_array_size(rows->list) == MAX_CHANGES)
		return 0;
	const struct ibcc_json_member members[] = {
		{"guid", ibcc_json_guid(device->node_guid)},
		{"port", json_integer(device->port)},
		{"description", ibcc_json_text(device->description, strlen(device->description))},
		{"attributes", attributes_json(planned)},
		{"sets", json_integer((json_int_t)planned->sets)},
		{"known", json_boolean(!planned->unknown)},
		{"differences", differences_json(planned, rows)},
	};

	return json_array_append_new(rows->list, ibcc_json_object(members, sizeof(members) / sizeof(members[0])));
}

/* Takes `changes`. */
static json_t *plan_json(const struct ibcc_plan *plan, json_t *changes)
{
	json_t *warnings = json_array();
	int failed = warnings ? 0 : -1;

	for (uint32_t i = 0; i < plan->tables->num_warnings; i++)
		failed |= json_array_append_new(warnings,
						ibcc_json_text(plan->tables->warnings[i], strlen(plan->tables->warnings[i])));
	json_t *result = json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "devices", (json_int_t)plan->devices, "switches",
				   (json_int_t)plan->switches, "cas", (json_int_t)plan->cas, "sets", (json_int_t)plan->sets,
				   "unknown", (json_int_t)plan->unknown, "changes", changes, "warnings", warnings);
	if (!failed)
		return result;
	json_decref(result);
	return NULL;
}

enum from {
	HELD,
	BASE,
	AS_FOUND,
};
static const char *const from_names[] = {"held", "base", "as-found"};
static const enum ibcc_plan_from froms[] = {IBCC_PLAN_FROM_HELD, IBCC_PLAN_FROM_BASE, IBCC_PLAN_FROM_AS_FOUND};

static json_t *plan(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct ibcc_document document;
	struct ccp_profile *profile = NULL;
	struct ccp_error why = {0};
	struct ibcc_plan counted;
	struct rows rows = {0};
	const char *reason;
	json_t *result = NULL;
	int from = HELD;

	if (!ibcc_manager_snapshot(call->manager)) {
		if (!ibcc_check_role(call, error))
			ibcc_rpc_fail(error, IBCC_RPC_BUSY,
				      "IBCC0703: the fabric is not known yet: no sweep of this OpenSM has ended well");
		return NULL;
	}
	if (ibcc_param_choice(call, "from", from_names, sizeof(from_names) / sizeof(from_names[0]), &from, error))
		return NULL;
	if (from == BASE && !ibcc_profiles_base_number(ibcc_manager_profiles(call->manager))) {
		ibcc_rpc_fail(error, IBCC_RPC_NOTHING, "IBCC0707: there is no base profile");
		return NULL;
	}
	if (from == AS_FOUND && !ibcc_manager_as_found(call->manager, &reason)) {
		ibcc_rpc_fail(error, IBCC_RPC_NOTHING, "IBCC0708: what devices were found with is not kept: %s", reason);
		return NULL;
	}
	if (ibcc_param_document(call, &document, error))
		return NULL;
	profile = ibcc_document_read(call, &document, error);
	if (!profile)
		goto done;
	rows.list = json_array();
	if (!rows.list)
		goto done;
	if (ibcc_manager_plan(call->manager, froms[from], profile, &counted, add, &rows, &why)) {
		json_decref(rows.list);
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0602: %s", why.message);
		goto done;
	}
	result = plan_json(&counted, rows.list);
	ccp_tables_destroy(counted.tables);
done:
	ccp_profile_destroy(profile);
	ibcc_document_clear(&document);
	return result;
}

static const char *const params[] = {"profile", "from", NULL};
static struct ibcc_rpc_method method = {
	.name = "profile.plan",
	.help = "Count what a profile would change, name the devices, and send nothing.",
	.params = params,
	.call = plan,
};
IBCC_RPC_METHOD(method)
