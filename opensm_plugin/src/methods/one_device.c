/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "methods/one_device.h"

#include <inttypes.h>
#include <stddef.h>

#include "rpc/params.h"

struct ibcc_device *ibcc_param_device(const struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	const struct ibcc_devices *devices = ibcc_manager_devices(call->manager);
	struct ibcc_device *found = NULL;
	unsigned count = 0;
	uint64_t guid = 0;
	int64_t port = -1;

	if (ibcc_require_param(call, "guid", error) || ibcc_param_guid(call, "guid", &guid, error) ||
	    ibcc_param_number(call, "port", 0, 254, &port, error))
		return NULL;
	for (uint32_t i = 0; i < devices->count; i++) {
		struct ibcc_device *device = devices->list[i];
		if (device->node_guid != guid || (port >= 0 && device->port != port))
			continue;
		found = device;
		count++;
	}
	if (count == 1)
		return found;
	if (count)
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: 0x%016" PRIx64 " has %u ports; `port` must say which",
			      guid, count);
	else if (port >= 0)
		ibcc_rpc_fail(error, IBCC_RPC_UNKNOWN_DEVICE, "IBCC0603: there is no port %d of device 0x%016" PRIx64, (int)port,
			      guid);
	else
		ibcc_rpc_fail(error, IBCC_RPC_UNKNOWN_DEVICE, "IBCC0603: there is no device 0x%016" PRIx64, guid);
	error->guid = guid;
	error->port = (int)port;
	return NULL;
}
