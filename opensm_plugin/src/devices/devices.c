/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* devices.c: the list is sorted like snapshots and resolved tables, so that they can be merged. */
#include "devices/devices.h"

#include <stdlib.h>
#include <string.h>

#include "devices/as_found.h"
#include "devices/device_items.h"

int ibcc_devices_init(struct ibcc_devices *devices)
{
	memset(devices, 0, sizeof(*devices));
	devices->pool = ibcc_payload_pool_create();
	return devices->pool ? 0 : -1;
}

static void destroy_device(struct ibcc_devices *devices, struct ibcc_device *device)
{
	if (!device)
		return;
	ibcc_device_clear_items(device, devices->pool);
	ibcc_payload_release(devices->pool, device->nvidia.first);
	ibcc_found_forget(&device->found_reading, devices->pool);
	ibcc_nvidia_reading_forget(&device->nvidia_reading, devices->pool);
	free(device->congestion);
	free(device);
}

void ibcc_devices_destroy(struct ibcc_devices *devices)
{
	for (uint32_t i = 0; i < devices->count; i++)
		destroy_device(devices, devices->list[i]);
	free(devices->list);
	ibcc_payload_pool_destroy(devices->pool);
	memset(devices, 0, sizeof(*devices));
}

static int compare(uint64_t guid_a, uint32_t port_a, uint64_t guid_b, uint32_t port_b)
{
	if (guid_a != guid_b)
		return guid_a < guid_b ? -1 : 1;
	return port_a < port_b ? -1 : port_a > port_b;
}

struct ibcc_device *ibcc_devices_find(const struct ibcc_devices *devices, uint64_t node_guid, uint8_t port)
{
	uint32_t low = 0, high = devices->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		struct ibcc_device *device = devices->list[middle];
		const int order = compare(node_guid, port, device->node_guid, device->port);

		if (!order)
			return device;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

struct ibcc_device *ibcc_devices_find_port(const struct ibcc_devices *devices, uint64_t port_guid)
{
	for (uint32_t i = 0; i < devices->count; i++) {
		if (devices->list[i]->port_guid == port_guid)
			return devices->list[i];
	}
	return NULL;
}

static void take_endport(struct ibcc_device *device, const struct ibcc_snapshot *snapshot, const struct ibcc_endport *endport)
{
	const struct ccp_fabric_node *node = &snapshot->view.nodes[endport->node];
	const struct ibcc_node_identity identity = snapshot->identities[endport->node];

	device->moved |= device->lid != endport->lid || device->sl != endport->sl || device->port_guid != endport->port_guid;
	device->port_guid = endport->port_guid;
	device->not_ready = endport->not_ready;
	device->lid = endport->lid;
	device->sl = endport->sl;
	device->num_ports = node->num_ports;
	device->firmware.to_ask |=
		device->identity.vendor_id != identity.vendor_id || device->identity.device_id != identity.device_id;
	device->identity = identity;
	strncpy(device->description, node->description ? node->description : "", sizeof(device->description) - 1);
}

static struct ibcc_device *create_device(const struct ibcc_devices *devices, const struct ibcc_snapshot *snapshot,
					 const struct ibcc_endport *endport)
{
	const struct ccp_fabric_node *node = &snapshot->view.nodes[endport->node];
	struct ibcc_device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->node_guid = node->guid;
	device->port = endport->port;
	device->kind = node->kind == CCP_NODE_SWITCH ? IBCC_SWITCH : IBCC_CA;
	device->present = !endport->not_ready;
	take_endport(device, snapshot, endport);
	device->moved = false;
	device->firmware.to_ask = true;
	device->rules = &devices->rules;
	device->keeps_found = devices->as_found != NULL;
	device->found = devices->as_found ? ibcc_as_found_find(devices->as_found, device->node_guid, device->port) : NULL;
	return device;
}

static bool has_tables(const struct ccp_fabric_node *node)
{
	return node->kind != CCP_NODE_ROUTER;
}

static bool is_away(const struct ibcc_device *device)
{
	return !device->present && !device->not_ready;
}

/* All that may fail is done first, so that a failure leaves the devices as they were. */
int ibcc_devices_update(struct ibcc_devices *devices, const struct ibcc_snapshot *snapshot)
{
	const size_t most = (size_t)devices->count + snapshot->num_endports;
	struct ibcc_device **merged = calloc(most ? most : 1, sizeof(*merged));
	struct ibcc_device **created = calloc(snapshot->num_endports ? snapshot->num_endports : 1, sizeof(*created));
	uint32_t count = 0, old = 0, away = 0;

	if (!merged || !created)
		goto fail;
	for (uint32_t i = 0; i < snapshot->num_endports; i++) {
		const struct ibcc_endport *endport = &snapshot->endports[i];
		const struct ccp_fabric_node *node = &snapshot->view.nodes[endport->node];

		if (!has_tables(node) || ibcc_devices_find(devices, node->guid, endport->port))
			continue;
		created[i] = create_device(devices, snapshot, endport);
		if (!created[i])
			goto fail;
	}
	for (uint32_t i = 0; i <= snapshot->num_endports; i++) {
		const bool last = i == snapshot->num_endports;
		const struct ibcc_endport *endport = last ? NULL : &snapshot->endports[i];
		const struct ccp_fabric_node *node = last ? NULL : &snapshot->view.nodes[endport->node];

		if (!last && !has_tables(node))
			continue;
		/* The devices before this one are away. */
		for (; old < devices->count; old++) {
			struct ibcc_device *device = devices->list[old];

			if (!last && compare(device->node_guid, device->port, node->guid, endport->port) >= 0)
				break;
			device->present = device->not_ready = device->reported_drift = false;
			merged[count++] = device;
		}
		if (last)
			break;
		if (created[i]) {
			merged[count++] = created[i];
			continue;
		}
		if (!endport->not_ready && !devices->list[old]->present)
			ibcc_device_forget(devices->list[old], devices->pool);
		devices->list[old]->present = !endport->not_ready;
		take_endport(devices->list[old], snapshot, endport);
		merged[count++] = devices->list[old++];
	}
	for (uint32_t i = 0; i < count; i++)
		away += is_away(merged[i]);
	/* The number of devices that are away is limited: the loop drops the first ones of the list. */
	if (away > IBCC_MAX_AWAY) {
		uint32_t kept = 0;

		for (uint32_t i = 0; i < count; i++) {
			if (is_away(merged[i]) && !merged[i]->in_flight && !merged[i]->firmware.in_flight &&
			    away > IBCC_MAX_AWAY) {
				destroy_device(devices, merged[i]);
				away--;
			} else {
				merged[kept++] = merged[i];
			}
		}
		count = kept;
	}
	free(created);
	free(devices->list);
	devices->list = merged;
	devices->count = count;
	return 0;
fail:
	for (uint32_t i = 0; created && i < snapshot->num_endports; i++)
		free(created[i]);
	free(created);
	free(merged);
	return -1;
}

static const struct ccp_switch_tables *find_switch(const struct ccp_tables *tables, const struct ibcc_device *device)
{
	uint32_t low = 0, high = tables->num_switches;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const int order = compare(device->node_guid, 0, tables->switches[middle].guid, 0);

		if (!order)
			return &tables->switches[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static const struct ccp_ca_tables *find_ca(const struct ccp_tables *tables, const struct ibcc_device *device)
{
	uint32_t low = 0, high = tables->num_cas;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const int order = compare(device->node_guid, device->port, tables->cas[middle].guid, tables->cas[middle].port);

		if (!order)
			return &tables->cas[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

int ibcc_devices_set_wanted_one(struct ibcc_devices *devices, struct ibcc_device *device, const struct ccp_tables *tables)
{
	const struct ccp_switch_tables *sw = tables && device->kind == IBCC_SWITCH ? find_switch(tables, device) : NULL;
	const struct ccp_ca_tables *ca = tables && device->kind == IBCC_CA ? find_ca(tables, device) : NULL;

	if (!tables)
		return ibcc_device_set_as_found(device, devices->pool, false);
	return ibcc_device_set_wanted(device, devices->pool, sw, ca);
}

int ibcc_devices_set_wanted(struct ibcc_devices *devices, const struct ccp_tables *tables)
{
	int result = 0;

	for (uint32_t i = 0; i < devices->count; i++) {
		if (devices->list[i]->present && ibcc_devices_set_wanted_one(devices, devices->list[i], tables))
			result = -1;
	}
	return result;
}

void ibcc_devices_clear_wanted(struct ibcc_devices *devices)
{
	for (uint32_t i = 0; i < devices->count; i++) {
		ibcc_device_clear_items(devices->list[i], devices->pool);
		devices->list[i]->nvidia.withheld[0] = '\0';
		devices->list[i]->nvidia.foreign = false;
	}
}

uint32_t ibcc_devices_count_present(const struct ibcc_devices *devices)
{
	uint32_t present = 0;

	for (uint32_t i = 0; i < devices->count; i++)
		present += devices->list[i]->present;
	return present;
}
