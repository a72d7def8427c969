/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "manager/topology_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "devices/port_words.h"

static const char *const sm_states[] = {"not-active", "discovering", "standby", "master"};

const char *ibcc_guid_text(char text[IBCC_GUID_TEXT_BYTES], uint64_t guid)
{
	(void)snprintf(text, IBCC_GUID_TEXT_BYTES, "0x%016" PRIx64, guid);
	return text;
}

json_t *ibcc_hexadecimal_json(unsigned digits, uint32_t number)
{
	return number ? json_sprintf("0x%0*x", (int)digits, number) : json_null();
}

json_t *ibcc_firmware_json(const struct ibcc_firmware *firmware)
{
	char text[IBCC_FIRMWARE_TEXT_BYTES];

	return ibcc_firmware_is_known(firmware) ? json_string(ibcc_firmware_text(text, firmware)) : json_null();
}

json_t *ibcc_json_with(json_t *object, const char *key, json_t *value)
{
	if (object && !json_object_set_new(object, key, value))
		return object;
	if (!object)
		json_decref(value);
	json_decref(object);
	return NULL;
}

json_t *ibcc_link_values_json(const struct ibcc_link *link)
{
	const char *width = ibcc_width_word(link->width), *speed = ibcc_speed_word(link->speed);
	const unsigned mtu = ibcc_mtu_bytes(link->mtu);
	char rate[16];

	(void)snprintf(rate, sizeof(rate), "%s%s", width ? width : "", speed ? speed : "");
	return json_pack("{s:s?, s:s?, s:s?, s:s?, s:o}", "state", ibcc_port_state_word(link->state), "width", width, "speed",
			 speed, "rate", width && speed ? rate : NULL, "mtu", mtu ? json_integer(mtu) : json_null());
}

json_t *ibcc_link_json(const struct ibcc_snapshot *snapshot, const struct ibcc_link *link)
{
	char guid[IBCC_GUID_TEXT_BYTES], peer_guid[IBCC_GUID_TEXT_BYTES];
	json_t *row = json_pack("{s:s, s:i, s:s, s:i}", "guid", ibcc_guid_text(guid, snapshot->nodes[link->ends[0].node].guid),
				"port", (int)link->ends[0].port, "peer_guid",
				ibcc_guid_text(peer_guid, snapshot->nodes[link->ends[1].node].guid), "peer_port",
				(int)link->ends[1].port);
	json_t *values = ibcc_link_values_json(link);
	const bool failed = !row || !values || json_object_update(row, values);

	json_decref(values);
	if (!failed)
		return row;
	json_decref(row);
	return NULL;
}

json_t *ibcc_node_links_json(const struct ibcc_snapshot *snapshot, uint32_t node)
{
	json_t *list = json_array();

	for (uint32_t port = 1; list && port <= snapshot->nodes[node].num_ports; port++) {
		const size_t place = ibcc_snapshot_place(snapshot, node, port);
		const struct ibcc_link_end end = {.node = node, .port = (uint8_t)port};
		const struct ibcc_link_end peer = {.node = snapshot->peers[place], .port = snapshot->ports[place].peer_port};
		char guid[IBCC_GUID_TEXT_BYTES];
		struct ibcc_link link;

		if (!ibcc_snapshot_find_link(snapshot, end, peer, &link))
			continue;
		if (json_array_append_new(list, json_pack("{s:i, s:s, s:i, s:s}", "port", (int)port, "peer_guid",
							  ibcc_guid_text(guid, snapshot->nodes[peer.node].guid), "peer_port",
							  (int)peer.port, "peer_description",
							  snapshot->nodes[peer.node].description))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *ibcc_other_sms_json(const struct ibcc_other_sms *others)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < others->count; i++) {
		const struct ibcc_other_sm *sm = &others->list[i];
		char guid[IBCC_GUID_TEXT_BYTES];

		if (json_array_append_new(
			    list,
			    json_pack("{s:s, s:i, s:s?}", "guid", ibcc_guid_text(guid, sm->guid), "priority", (int)sm->priority,
				      "state",
				      sm->state < sizeof(sm_states) / sizeof(sm_states[0]) ? sm_states[sm->state] : NULL))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}
