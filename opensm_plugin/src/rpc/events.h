/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* events.h: the events that a client may subscribe to. */
#ifndef IBCC_RPC_EVENTS_H
#define IBCC_RPC_EVENTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_event {
	IBCC_EVENT_APPLIED,         /* a job has ended */
	IBCC_EVENT_DRIFTED,         /* a device was found to hold something else */
	IBCC_EVENT_RESTORED,        /* a job that restores a former profile has ended */
	IBCC_EVENT_PROGRESS,        /* a job is running */
	IBCC_EVENT_DEVICE_LOST,     /* a sweep did not find a node that was there */
	IBCC_EVENT_DEVICE_BACK,     /* a sweep has found a node that was not there */
	IBCC_EVENT_DEVICE_DRIFTED,  /* a device was found to hold something else, for the first time since it was repaired */
	IBCC_EVENT_DEVICE_REPAIRED, /* it holds again what it should */
	IBCC_EVENT_LINK_DOWN,
	IBCC_EVENT_LINK_UP,
	IBCC_EVENT_LINK_CHANGED, /* its width, speed, state or MTU */
	IBCC_EVENT_SM_CHANGED,   /* the role of this OpenSM, or the other subnet managers */
	IBCC_NUM_EVENTS,
};
extern const char *const ibcc_event_names[IBCC_NUM_EVENTS];

int ibcc_event_find(const char *name); /* enum ibcc_event; -1: there is none of that name */

#ifdef __cplusplus
}
#endif
#endif
