/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* routes: returns the forwarding table and the SL-to-VL tables of each switch, as OpenSM's subnet database has them. */
#include <stddef.h>
#include <string.h>

#include "methods/subnet_page.h"
#include "rpc/base64.h"
#include "rpc/object.h"
#include "rpc/text.h"

#define ROW_BYTES 200 /* without description and tables */

static size_t sl2vl_bytes(const struct ibcc_subnet_node *node)
{
	if (!node->has_sl2vl)
		return 0;
	return node->one_sl2vl ? IBCC_SL2VL_BYTES : (size_t)node->num_ports * (node->num_ports + 1u) * IBCC_SL2VL_BYTES;
}

static ptrdiff_t add(const struct ibcc_subnet_node *node, json_t *list)
{
	const size_t sl2vl = sl2vl_bytes(node);
	const struct ibcc_json_member members[] = {
		{"guid", ibcc_json_guid(node->guid)},
		{"description", ibcc_json_text(node->description, strlen(node->description))},
		{"lid", node->lid ? json_integer(node->lid) : json_null()},
		{"ports", json_integer(node->num_ports)},
		{"lft", ibcc_json_base64(node->lft, node->num_lids)},
		{"sl2vl", sl2vl ? ibcc_json_base64(node->sl2vl, sl2vl) : json_null()},
	};

	if (json_array_append_new(list, ibcc_json_object(members, sizeof(members) / sizeof(members[0]))))
		return -1;
	return (ptrdiff_t)(ROW_BYTES + strlen(node->description) + (node->num_lids + sl2vl) / 3 * 4);
}

static json_t *routes(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	return ibcc_subnet_page(call, IBCC_SUBNET_ROUTES, "routes", add, error);
}

static const char *const params[] = {"guid", "limit", "after", NULL};
static struct ibcc_rpc_method method = {
	.name = "routes",
	.help = "List the forwarding tables and SL-to-VL tables of switches.",
	.params = params,
	.call = routes,
};
IBCC_RPC_METHOD(method)
