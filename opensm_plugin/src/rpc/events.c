/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/events.h"

#include <string.h>

const char *const ibcc_event_names[IBCC_NUM_EVENTS] = {
	[IBCC_EVENT_APPLIED] = "applied",
	[IBCC_EVENT_DRIFTED] = "drifted",
	[IBCC_EVENT_RESTORED] = "restored",
	[IBCC_EVENT_PROGRESS] = "progress",
	[IBCC_EVENT_DEVICE_LOST] = "device.lost",
	[IBCC_EVENT_DEVICE_BACK] = "device.back",
	[IBCC_EVENT_DEVICE_DRIFTED] = "device.drifted",
	[IBCC_EVENT_DEVICE_REPAIRED] = "device.repaired",
	[IBCC_EVENT_LINK_DOWN] = "link.down",
	[IBCC_EVENT_LINK_UP] = "link.up",
	[IBCC_EVENT_LINK_CHANGED] = "link.changed",
	[IBCC_EVENT_SM_CHANGED] = "sm.changed",
};

int ibcc_event_find(const char *name)
{
	for (int i = 0; i < IBCC_NUM_EVENTS; i++)
		if (!strcmp(ibcc_event_names[i], name))
			return i;
	return -1;
}
