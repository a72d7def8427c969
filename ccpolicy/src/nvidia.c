/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/nvidia.h"

#include <stdlib.h>

#include "key_values.h"

void ccp_nvidia_destroy(struct ccp_profile_nvidia *nvidia)
{
	if (!nvidia)
		return;
	free(nvidia->sw.thresholds);
	free(nvidia->adapter.slots);
	free(nvidia);
}

/* An override may give thresholds, rp, np or ppcc alone, which are no rows of the section. */
bool ccp_has_nvidia_switch(const struct ccp_profile_nvidia *nvidia)
{
	return nvidia && (nvidia->sw.present || nvidia->sw.num_thresholds);
}

bool ccp_has_nvidia_adapter(const struct ccp_profile_nvidia *nvidia)
{
	const struct ccp_profile_nvidia_adapter *a = nvidia ? &nvidia->adapter : NULL;

	return a && (a->present || a->rp_present || a->np_present || a->num_slots);
}

static bool equal(const struct ccp_key_part *section, uint32_t a_present, const void *a, uint32_t b_present, const void *b)
{
	return a_present == b_present && ccp_keys_equal(section, a, b, a_present);
}

static bool switch_equal(const struct ccp_profile_nvidia_switch *a, const struct ccp_profile_nvidia_switch *b)
{
	if (!equal(&ccp_nvidia_switch_keys, a->present, a, b->present, b) || a->num_thresholds != b->num_thresholds)
		return false;
	for (uint32_t i = 0; i < a->num_thresholds; i++) {
		const struct ccp_nvidia_thresholds *x = &a->thresholds[i], *y = &b->thresholds[i];
		if (!equal(&ccp_nvidia_threshold_keys, x->present, x, y->present, y))
			return false;
	}
	return true;
}

static bool adapter_equal(const struct ccp_profile_nvidia_adapter *a, const struct ccp_profile_nvidia_adapter *b)
{
	if (!equal(&ccp_nvidia_adapter_keys, a->present, a, b->present, b) ||
	    !equal(&ccp_nvidia_rp_keys, a->rp_present, &a->rp, b->rp_present, &b->rp) ||
	    !equal(&ccp_nvidia_np_keys, a->np_present, &a->np, b->np_present, &b->np) || a->num_slots != b->num_slots)
		return false;
	for (uint32_t i = 0; i < a->num_slots; i++)
		if (!equal(&ccp_nvidia_ppcc_keys, a->slots[i].present, &a->slots[i], b->slots[i].present, &b->slots[i]))
			return false;
	return true;
}

bool ccp_nvidia_equal(const struct ccp_profile_nvidia *a, const struct ccp_profile_nvidia *b)
{
	if (!a || !b)
		return a == b;
	return switch_equal(&a->sw, &b->sw) && adapter_equal(&a->adapter, &b->adapter);
}
