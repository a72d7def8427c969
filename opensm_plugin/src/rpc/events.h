/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* events.h: the events that a client may subscribe to. */
#ifndef IBCC_RPC_EVENTS_H
#define IBCC_RPC_EVENTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_event {
	IBCC_EVENT_APPLIED,  /* a job has ended */
	IBCC_EVENT_DRIFTED,  /* a device was found to hold something else */
	IBCC_EVENT_RESTORED, /* a job that restores a former profile has ended */
	IBCC_EVENT_PROGRESS, /* a job is running */
	IBCC_NUM_EVENTS,
};
extern const char *const ibcc_event_names[IBCC_NUM_EVENTS];

int ibcc_event_find(const char *name); /* enum ibcc_event; -1: there is none of that name */

#ifdef __cplusplus
}
#endif
#endif
