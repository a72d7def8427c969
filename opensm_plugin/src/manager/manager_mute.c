/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_mute.c: says what is likely where all devices answer OpenSM's SMPs, and none answers class 0x21. */
#include <stdio.h>

#include "manager/manager_state.h"

#define LEAST_DEVICES 2u /* one alone may be ill */

/* One that has answered before may be late for other reasons. */
static bool is_mute(const struct ibcc_device *device)
{
	return device->silent || (device->late && !device->answered_ns);
}

bool ibcc_manager_describe_mute(const struct ibcc_manager *manager, char text[IBCC_MUTE_BYTES])
{
	uint32_t present = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (!device->present)
			continue;
		if (!is_mute(device))
			return false;
		present++;
	}
	if (present < LEAST_DEVICES || !manager_may_send(manager))
		return false;
	(void)snprintf(
		text, IBCC_MUTE_BYTES,
		"all %u devices answer OpenSM, and none answers class 0x21: a CC_Key %s, or a P_Key keeps this port out of the "
		"default partition",
		present,
		manager->keys ? "that is not in the key file protects them"
			      : "protects them (--key-file is not given, so that it is 0 here)");
	return true;
}

void manager_mute_say(struct ibcc_manager *manager)
{
	char text[IBCC_MUTE_BYTES];
	const bool is_so = ibcc_manager_describe_mute(manager, text);

	if (is_so && !manager->said_mute)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0214: %s", text);
	manager->said_mute = is_so;
}
