/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "methods/subnet_page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "rpc/params.h"
#include "rpc/server_settings.h"
#include "rpc/text.h"

#define MAX_LIMIT 100000
#define PAGE_BYTES 900000 /* so that a page is a line in most cases */

struct page {
	const struct ibcc_subnet *subnet;
	enum ibcc_subnet_part part;
	ibcc_add_node *add;
	uint64_t guid;        /* of the only node; 0: all of them */
	uint64_t after, next; /* 0: none */
	int64_t limit;
	struct ibcc_subnet_node *node;
};

static int take_params(const struct ibcc_call *call, struct page *page, struct ibcc_rpc_error *error)
{
	if (ibcc_param_number(call, "limit", 1, MAX_LIMIT, &page->limit, error) ||
	    ibcc_param_guid(call, "after", &page->after, error) || ibcc_param_guid(call, "guid", &page->guid, error))
		return -1;
	return 0;
}

static int refuse_sweep(struct ibcc_rpc_error *error)
{
	ibcc_rpc_fail(error, IBCC_RPC_BUSY, "IBCC0703: OpenSM sweeps, and its subnet is not complete; ask again after the sweep");
	return -1;
}

static int check_opensm(const struct ibcc_manager *manager, struct ibcc_rpc_error *error)
{
	const struct ibcc_role_rules *role = &ibcc_roles[ibcc_manager_role(manager)];

	if (!role->is_master) {
		ibcc_rpc_fail(error, IBCC_RPC_BUSY, "IBCC0703: the subnet is not known now: %s", role->pending);
		return -1;
	}
	return ibcc_manager_is_sweeping(manager) ? refuse_sweep(error) : 0;
}

static int add_one(const struct page *page, json_t *list, struct ibcc_rpc_error *error)
{
	if (page->subnet->find(page->subnet->owner, page->part, page->guid, page->node))
		return page->add(page->node, list) < 0 ? -1 : 0;
	ibcc_rpc_fail(error, IBCC_RPC_UNKNOWN_DEVICE, "IBCC0603: there is no %s 0x%016" PRIx64,
		      page->part == IBCC_SUBNET_ROUTES ? "switch" : "node", page->guid);
	error->guid = page->guid;
	return -1;
}

static int add_all(struct page *page, json_t *list)
{
	const struct ibcc_subnet *subnet = page->subnet;
	ptrdiff_t bytes = 0;
	uint64_t after = page->after;

	for (int64_t count = 0; subnet->next(subnet->owner, page->part, after, page->node); count++) {
		if (count == page->limit || bytes >= PAGE_BYTES) {
			page->next = after;
			return 0;
		}
		const ptrdiff_t added = page->add(page->node, list);
		if (added < 0)
			return -1;
		bytes += added;
		after = page->node->guid;
	}
	return 0;
}

json_t *ibcc_subnet_page(const struct ibcc_call *call, enum ibcc_subnet_part part, const char *key, ibcc_add_node *add,
			 struct ibcc_rpc_error *error)
{
	struct page page = {.subnet = call->settings->subnet, .part = part, .add = add, .limit = MAX_LIMIT};
	const uint32_t sweep = ibcc_manager_num_sweeps_begun(call->manager);
	int failed;

	if (take_params(call, &page, error) || check_opensm(call->manager, error))
		return NULL;
	json_t *list = json_array();
	page.node = malloc(sizeof(*page.node));
	failed = !list || !page.node;
	if (!failed)
		failed = page.guid ? add_one(&page, list, error) : add_all(&page, list);
	free(page.node);
	if (!failed && ibcc_manager_num_sweeps_begun(call->manager) != sweep)
		failed = refuse_sweep(error);
	if (failed) {
		json_decref(list);
		return NULL;
	}
	const struct ibcc_routing routing = page.subnet->routing(page.subnet->owner);
	return json_pack("{s:o, s:o, s:I, s:b, s:s?, s:b}", key, list, "next",
			 page.next ? ibcc_json_guid(page.next) : json_null(), "sweep", (json_int_t)sweep, "sweep_ok",
			 (int)ibcc_manager_sweeps(call->manager).ok, "engine", routing.engine, "sl_by_path",
			 (int)routing.sl_by_path);
}
