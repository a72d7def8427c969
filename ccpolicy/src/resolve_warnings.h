/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* resolve_warnings.h: what a profile says and a fabric has no use for. Internal. */
#ifndef CCPOLICY_RESOLVE_WARNINGS_H
#define CCPOLICY_RESOLVE_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/profile.h"
#include "ccpolicy/tables.h"

/* Reach of the profile's own settings, or of one override, on the fabric. Starts zeroed. */
struct ccp_override_use {
	bool of_switch;                     /* its switch settings reached a switch or a port of one */
	bool of_ca;                         /* its ca or cct settings reached a port of a channel adapter */
	uint32_t max_ports;                 /* of the switches that fit it, ports left aside */
	uint8_t ports[CCP_PORT_MASK_BYTES]; /* ports that it reached, of any device */
};

static inline void ccp_note_switch(struct ccp_override_use *use, uint32_t num_ports)
{
	if (use->max_ports < num_ports)
		use->max_ports = num_ports;
}

/* Adds the warnings to `tables`; `uses` has one element for the profile, then one for each override. -1: out of memory. */
int ccp_add_warnings(const struct ccp_profile *profile, const struct ccp_override_use *uses, struct ccp_tables *tables);

#endif
