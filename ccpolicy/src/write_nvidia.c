/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "write_section.h"

static void write_switch(struct ccp_emitter *e, const struct ccp_profile_nvidia_switch *sw)
{
	ccp_emit_begin_map(e, "switch", false);
	ccp_write_keys(e, &ccp_nvidia_switch_keys, sw, sw->present);
	if (sw->num_thresholds) {
		ccp_emit_begin_list(e, "thresholds", false);
		for (uint32_t i = 0; i < sw->num_thresholds; i++)
			ccp_write_section(e, NULL, &ccp_nvidia_threshold_keys, &sw->thresholds[i], sw->thresholds[i].present);
		ccp_emit_end(e);
	}
	ccp_emit_end(e);
}

static void write_adapter(struct ccp_emitter *e, const struct ccp_profile_nvidia_adapter *adapter)
{
	ccp_emit_begin_map(e, "adapter", false);
	ccp_write_keys(e, &ccp_nvidia_adapter_keys, adapter, adapter->present);
	ccp_write_section(e, "rp", &ccp_nvidia_rp_keys, &adapter->rp, adapter->rp_present);
	ccp_write_section(e, "np", &ccp_nvidia_np_keys, &adapter->np, adapter->np_present);
	if (adapter->num_slots) {
		ccp_emit_begin_list(e, "ppcc", false);
		for (uint32_t i = 0; i < adapter->num_slots; i++)
			ccp_write_section(e, NULL, &ccp_nvidia_ppcc_keys, &adapter->slots[i], adapter->slots[i].present);
		ccp_emit_end(e);
	}
	ccp_emit_end(e);
}

void ccp_write_nvidia(struct ccp_emitter *e, const struct ccp_profile_nvidia *nvidia)
{
	if (!nvidia)
		return;
	ccp_emit_begin_map(e, "nvidia", false);
	if (ccp_has_nvidia_switch(nvidia))
		write_switch(e, &nvidia->sw);
	if (ccp_has_nvidia_adapter(nvidia))
		write_adapter(e, &nvidia->adapter);
	ccp_emit_end(e);
}
