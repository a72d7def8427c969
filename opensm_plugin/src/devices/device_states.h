/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * device_states.h: states of devices: what each means, and what an apply, a campaign and a nightly check make of it.
 *
 * The plugin tells this table in the answer to `hello`; tuner/opensm/device_states.py is the same for what has no plugin.
 */
#ifndef IBCC_DEVICE_STATES_H
#define IBCC_DEVICE_STATES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state in `devices`: the first that holds. */
enum ibcc_device_state {
	IBCC_STATE_UNSUPPORTED,
	IBCC_STATE_TIMING_OUT, /* the last request had no answer, or none in time */
	IBCC_STATE_REFUSED,    /* supports the class, but has refused a value */
	IBCC_STATE_DRIFTED,    /* held something else when last read, and is not repaired yet */
	IBCC_STATE_UNKNOWN,    /* not asked, or no answer yet */
	IBCC_STATE_FOREIGN,    /* NVIDIA's attributes are on there, and somebody else has done that: `nvidia.foreign` */
	IBCC_STATE_WITHHELD,   /* is not sent what the profile's `nvidia` says: `nvidia.withheld` has the reason */
	IBCC_STATE_CLAMPED,    /* took other values than it was sent, or has no room for all */
	IBCC_STATE_APPLIED,
	IBCC_NUM_STATES,
};

struct ibcc_device_state_row {
	const char *name;    /* "unsupported", "timing-out", ... */
	const char *meaning; /* continues "a device in this state ..." */
	bool apply;          /* an apply counts such a device as one that holds the profile, or needs none */
	bool campaign;       /* a trial is measured with such a device: what it holds is what the trial says */
	bool check;          /* a nightly check finds nothing wrong with it */
	bool read;           /* it has answered audits with what it holds */
};

extern const struct ibcc_device_state_row ibcc_device_states[IBCC_NUM_STATES];

#ifdef __cplusplus
}
#endif
#endif
