/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* device_states.c: the table of states. */
#include "devices/device_states.h"

/*
 * A clamped device has been brought as close to the profile as it can be, so an apply that took it back would leave the fabric
 * worse; but a trial that is measured with it would credit the profile with what other values do.
 */
const struct ibcc_device_state_row ibcc_device_states[IBCC_NUM_STATES] = {
	[IBCC_STATE_UNSUPPORTED] = {.name = "unsupported",
				    .meaning = "has reported that it does not know congestion control",
				    .apply = true,
				    .campaign = true,
				    .check = true},
	[IBCC_STATE_TIMING_OUT] = {.name = "timing-out", .meaning = "has not answered the last request"},
	[IBCC_STATE_REFUSED] = {.name = "refused", .meaning = "has refused a value", .read = true},
	[IBCC_STATE_DRIFTED] = {.name = "drifted",
				.meaning = "was found to hold other values, and is not repaired yet",
				.read = true},
	[IBCC_STATE_UNKNOWN] = {.name = "unknown", .meaning = "has not been asked, or has not answered yet"},
	[IBCC_STATE_FOREIGN] = {.name = "foreign", .meaning = "obeys NVIDIA's attributes, which somebody else has switched on"},
	[IBCC_STATE_WITHHELD] = {.name = "withheld", .meaning = "is not sent what the section `nvidia` says"},
	[IBCC_STATE_CLAMPED] = {.name = "clamped",
				.meaning = "took other values than it was sent, or has no room for all",
				.apply = true,
				.read = true},
	[IBCC_STATE_APPLIED] = {.name = "applied",
				.meaning = "holds what it should",
				.apply = true,
				.campaign = true,
				.check = true,
				.read = true},
};
