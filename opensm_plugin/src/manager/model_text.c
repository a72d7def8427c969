/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "manager/model_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "manager/topology_json.h"

const char *ibcc_name_text(char text[IBCC_NAME_TEXT_BYTES], const struct ibcc_device *device)
{
	char guid[IBCC_GUID_TEXT_BYTES];

	(void)snprintf(text, IBCC_NAME_TEXT_BYTES, "%s (%s)", device->description, ibcc_guid_text(guid, device->node_guid));
	return text;
}

const char *ibcc_model_text(char text[IBCC_MODEL_TEXT_BYTES], const struct ibcc_node_identity *identity,
			    const struct ibcc_firmware *firmware)
{
	char version[IBCC_FIRMWARE_TEXT_BYTES];

	(void)snprintf(text, IBCC_MODEL_TEXT_BYTES, "vendor 0x%06" PRIx32 ", device 0x%04x, firmware %s%s%s", identity->vendor_id,
		       identity->device_id, ibcc_firmware_is_known(firmware) ? ibcc_firmware_text(version, firmware) : "unknown",
		       firmware->psid[0] ? ", board " : "", firmware->psid);
	return text;
}
