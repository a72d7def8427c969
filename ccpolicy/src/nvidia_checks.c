/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "nvidia_checks.h"

#include <stdio.h>

const char *ccp_check_nvidia_switch(const struct ccp_profile_nvidia_switch *sw, char out[CCP_NVIDIA_WHY_BYTES])
{
	(void)out;
	return sw->general.en && !sw->num_thresholds ? "has no thresholds, which may be left out only with 'enable: false'"
						     : NULL;
}

const char *ccp_check_nvidia_adapter(const struct ccp_profile_nvidia_adapter *adapter, char out[CCP_NVIDIA_WHY_BYTES])
{
	const struct ccp_congestion_hca_rp_parameters *rp = &adapter->rp;

	if (adapter->type == CCP_NVIDIA_PPCC)
		return adapter->num_slots ? NULL : "has the type ppcc and no ppcc, the list of its algorithms";
	if (rp->rpg_max_rate && rp->rpg_min_rate > rp->rpg_max_rate) {
		snprintf(out, CCP_NVIDIA_WHY_BYTES,
			 "has rpg_min_rate %u and rpg_max_rate %u, and the least must not be above the most", rp->rpg_min_rate,
			 rp->rpg_max_rate);
		return out;
	}
	return NULL;
}
