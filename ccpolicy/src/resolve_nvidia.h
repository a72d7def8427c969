/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* resolve_nvidia.h: the tables that follow from the section `nvidia`. Internal. */
#ifndef CCPOLICY_RESOLVE_NVIDIA_H
#define CCPOLICY_RESOLVE_NVIDIA_H

#include "ccpolicy/error.h"
#include "ccpolicy/fabric_view.h"
#include "ccpolicy/profile.h"
#include "resolve_warnings.h"

struct ccp_nvidia_resolver {
	const struct ccp_profile *profile;
	const struct ccp_fabric_view *view;
	struct ccp_tables *tables;
	struct ccp_error *error;
	struct ccp_override_use *uses; /* by layer: 0 is the profile itself, i + 1 its overrides[i] */
	/* By layer, in the tables' pool: once a device has needed them. */
	const struct ccp_congestion_port_profile_settings **profiles;
	const struct ccp_ppcc_slot **slots;
};

/* Prepares for a profile that has the section, with the others filled; 0, or -1 with the error filled. */
int ccp_nvidia_resolver_init(struct ccp_nvidia_resolver *r);
void ccp_nvidia_resolver_fini(struct ccp_nvidia_resolver *r);

/* Fill `nvidia` of a device's tables, whose other members are filled; nothing if the profile lacks the part. */
int ccp_resolve_nvidia_switch(struct ccp_nvidia_resolver *r, struct ccp_switch_tables *out);
int ccp_resolve_nvidia_ca(struct ccp_nvidia_resolver *r, struct ccp_ca_tables *out);

#endif
