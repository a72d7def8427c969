/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* links: returns a row for each port of switches and adapters, as OpenSM's subnet database has it. */
#include <stddef.h>
#include <string.h>

#include "methods/subnet_page.h"
#include "rpc/object.h"
#include "rpc/text.h"

#define ROW_BYTES 420 /* without the description */

/* Words of enum ibcc_subnet_kind, in its order. */
static const char *const kinds[] = {"switch", "ca", "router"};
static const char *const states[] = {NULL, "down", "init", "armed", "active"};
static const char *const physical_states[] = {NULL,       "sleep",   "polling",        "disabled",
					      "training", "link-up", "error-recovery", "phy-test"};
/* Words by the bit of a speed, and of a width, the narrowest first. */
static const char *const speeds[] = {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR"};
static const struct {
	uint8_t bit;
	const char *name;
} widths[] = {{1, "1x"}, {16, "2x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static json_t *name_or_null(const char *const *names, size_t count, unsigned number)
{
	return number < count && names[number] ? json_string(names[number]) : json_null();
}

/* The greatest of a mask; null: there is none. */
static json_t *width_json(uint8_t mask)
{
	for (size_t i = COUNT(widths); i-- > 0;) {
		if (mask & widths[i].bit)
			return json_string(widths[i].name);
	}
	return json_null();
}

static json_t *speed_json(uint8_t mask)
{
	for (size_t i = COUNT(speeds); i-- > 0;) {
		if (mask & 1u << i)
			return json_string(speeds[i]);
	}
	return json_null();
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
	const unsigned mtu = up && port->mtu >= 1 && port->mtu <= 5 ? 128u << port->mtu : 0;
	const struct ibcc_json_member members[] = {
		{"guid", ibcc_json_guid(node->guid)},
		{"port", json_integer(port->number)},
		{"kind", json_string(kinds[node->kind])},
		{"description", ibcc_json_text(node->description, strlen(node->description))},
		{"lid", number_or_null(node->kind == IBCC_SUBNET_SWITCH ? node->lid : port->lid)},
		{"lmc", json_integer(port->lmc)},
		{"peer_guid", port->peer_guid ? ibcc_json_guid(port->peer_guid) : json_null()},
		{"peer_port", port->peer_guid ? json_integer(port->peer_port) : json_null()},
		{"state", name_or_null(states, COUNT(states), port->state)},
		{"physical", name_or_null(physical_states, COUNT(physical_states), port->physical)},
		{"width", up ? width_json(port->width) : json_null()},
		{"width_supported", width_json(port->width_supported)},
		{"width_enabled", width_json(port->width_enabled)},
		{"speed", up ? speed_json(port->speed) : json_null()},
		{"speed_supported", speed_json(port->speed_supported)},
		{"speed_enabled", speed_json(port->speed_enabled)},
		{"mtu", number_or_null(mtu)},
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
