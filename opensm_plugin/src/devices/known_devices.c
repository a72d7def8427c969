/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/known_devices.h"

#include <stddef.h>

#define ANY UINT32_MAX

static const struct ibcc_known_device known[] = {
#include "devices/known_devices_rows.inc"
};

const struct ibcc_known_device *ibcc_known_devices(uint32_t *count)
{
	*count = sizeof(known) / sizeof(known[0]);
	return known;
}

static int compare(const uint32_t a[3], const uint32_t b[3])
{
	for (unsigned i = 0; i < 3; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static unsigned count_limits(const struct ibcc_known_device *row)
{
	static const uint32_t first[3], last[3] = {ANY, ANY, ANY};

	return (compare(row->from, first) != 0) + (compare(row->to, last) != 0);
}

const struct ibcc_known_device *ibcc_known_device_find(const struct ibcc_known_device *rows, uint32_t count,
						       const struct ibcc_node_identity *identity,
						       const struct ibcc_firmware *firmware)
{
	const uint32_t version[3] = {firmware->major, firmware->minor, firmware->sub_minor};
	const bool has_version = version[0] || version[1] || version[2];
	const struct ibcc_known_device *found = NULL;

	for (uint32_t i = 0; i < count; i++) {
		const struct ibcc_known_device *row = &rows[i];

		if (row->vendor_id != identity->vendor_id || row->device_id != identity->device_id ||
		    (found && count_limits(row) <= count_limits(found)))
			continue;
		if (has_version ? compare(row->from, version) <= 0 && compare(version, row->to) <= 0 : !count_limits(row))
			found = row;
	}
	return found;
}
