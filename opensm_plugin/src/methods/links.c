/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* links: returns a row for each port of switches and adapters, as OpenSM's subnet database has it. */
#include <stddef.h>
#include <string.h>

#include "devices/port_words.h"
#include "methods/subnet_page.h"
#include "rpc/object.h"
#include "rpc/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROW_BYTES 420 /* without the description */

static json_t *word_or_null(const char *word)
{
	return word ? json_string(word) : json_null();
}

static json_t *number_or_null(unsigned number)
{
	return number ? json_integer(number) : json_null();
}

static json_t *port_json(const struct ibcc_subnet_node *node, const struct ibcc_subnet_port *port)
{
	static const uint8_t vls[] = {0, 1, 2, 4, 8, 15}; /* by OperationalVLs */
	/* What was agreed when the link was last up means nothing while it is down. */
	const bool up = port->state > 1;
	const struct ibcc_json_member members[] = {
		{"guid", ibcc_json_guid(node->guid)},
		{"port", json_integer(port->number)},
		{"kind", json_string(ibcc_subnet_kind_words[node->kind])},
		{"description", ibcc_json_text(node->description, strlen(node->description))},
		{"lid", number_or_null(node->kind == IBCC_SUBNET_SWITCH ? node->lid : port->lid)},
		{"lmc", json_integer(port->lmc)},
		{"peer_guid", port->peer_guid ? ibcc_json_guid(port->peer_guid) : json_null()},
		{"peer_port", port->peer_guid ? json_integer(port->peer_port) : json_null()},
		{"state", word_or_null(ibcc_port_state_word(port->state))},
		{"physical", word_or_null(ibcc_port_physical_word(port->physical))},
		{"width", up ? word_or_null(ibcc_width_word(port->width)) : json_null()},
		{"width_supported", word_or_null(ibcc_width_word(port->width_supported))},
		{"width_enabled", word_or_null(ibcc_width_word(port->width_enabled))},
		{"speed", up ? word_or_null(ibcc_speed_word(port->speed)) : json_null()},
		{"speed_supported", word_or_null(ibcc_speed_word(port->speed_supported))},
		{"speed_enabled", word_or_null(ibcc_speed_word(port->speed_enabled))},
		{"mtu", number_or_null(up ? ibcc_mtu_bytes(port->mtu) : 0)},
		{"vls", number_or_null(up && port->vls < COUNT(vls) ? vls[port->vls] : 0)},
	};

	return ibcc_json_object(members, COUNT(members));
}

static ptrdiff_t add(const struct ibcc_subnet_node *node, json_t *list)
{
	for (unsigned i = 0; i < node->num_known; i++) {
		if (json_array_append_new(list, port_json(node, &node->ports[i])))
			return -1;
	}
	return (ptrdiff_t)(node->num_known * (ROW_BYTES + strlen(node->description)));
}

static json_t *links(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	return ibcc_subnet_page(call, IBCC_SUBNET_LINKS, "links", add, error);
}

static const char *const params[] = {"guid", "limit", "after", NULL};
static struct ibcc_rpc_method method = {
	.name = "links",
	.help = "List the ports of switches and adapters with their links.",
	.params = params,
	.call = links,
};
IBCC_RPC_METHOD(method)
