/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "read_nvidia.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "key_values.h"
#include "nvidia_checks.h"

static int check_thresholds(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			    const struct ccp_nvidia_thresholds *one)
{
	for (unsigned i = 0; i < CCP_NVIDIA_NUM_PROFILES; i++) {
		const struct ccp_congestion_threshold_profile *profile = &one->values.profiles[i];
		if (one->unit == CCP_THRESHOLD_PERCENT && (profile->min > 100 || profile->max > 100))
			return ccp_fail_at(r->error, node->line, node->column,
					   "%s.profile%u_%s is %u, and must be 0 to 100 with 'unit: percent'", path, i + 1,
					   profile->min > 100 ? "min" : "max", profile->min > 100 ? profile->min : profile->max);
		if (profile->min > profile->max)
			return ccp_fail_at(r->error, node->line, node->column,
					   "%s.profile%u_min is %u, and must be at most %u, its profile%u_max", path, i + 1,
					   profile->min, profile->max, i + 1);
	}
	return 0;
}

/* Refuses a VL that an element before this one has. */
static int check_vls(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		     const struct ccp_nvidia_thresholds *list, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++) {
		const unsigned common = list[i].values.vl_mask & list[index].values.vl_mask;
		unsigned vl = 0;
		while (common && !(common >> vl & 1u))
			vl++;
		if (common)
			return ccp_fail_at(r->error, node->line, node->column,
					   "%s[%u].vls holds VL %u, which %s[%u] has too; a VL has one set of thresholds", path,
					   index, vl, path, i);
	}
	return 0;
}

static int read_thresholds(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			   struct ccp_profile_nvidia_switch *sw)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;

	if (node->kind != CCP_TREE_LIST)
		return ccp_refuse(r, node, path, "a list of maps, each with the thresholds of some VLs");
	if (!node->count || node->count > CCP_NVIDIA_NUM_VLS)
		return ccp_fail_at(r->error, node->line, node->column, "%s has %u elements, and must have 1 to %u", path,
				   node->count, CCP_NVIDIA_NUM_VLS);
	sw->thresholds = calloc(node->count, sizeof(*sw->thresholds));
	if (!sw->thresholds)
		return ccp_fail_no_memory(r->error);
	for (uint32_t i = node->first; i != CCP_TREE_NONE; i = nodes[i].next) {
		struct ccp_nvidia_thresholds *one = &sw->thresholds[sw->num_thresholds];
		char child[CCP_PATH_BYTES];
		snprintf(child, sizeof(child), "%.100s[%u]", path, sw->num_thresholds);
		if (ccp_read_section(r, &nodes[i], child, &ccp_nvidia_threshold_keys, true, one, &one->present) ||
		    check_thresholds(r, &nodes[i], child, one) ||
		    check_vls(r, &nodes[i], path, sw->thresholds, sw->num_thresholds))
			return -1;
		sw->num_thresholds++;
	}
	return 0;
}

static int read_switch(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, bool complete,
		       struct ccp_profile_nvidia_switch *sw)
{
	struct ccp_slot thresholds = {.key = "thresholds"};
	char child[CCP_PATH_BYTES], why[CCP_NVIDIA_WHY_BYTES];
	const char *wrong;

	if (ccp_read_section_and(r, node, path, &ccp_nvidia_switch_keys, complete, sw, &sw->present, &thresholds, 1) ||
	    (thresholds.value && read_thresholds(r, thresholds.value, ccp_path_of(child, path, thresholds.key), sw)))
		return -1;
	wrong = complete ? ccp_check_nvidia_switch(sw, why) : NULL;
	return wrong ? ccp_fail_at(r->error, node->line, node->column, "%s %s", path, wrong) : 0;
}

/* In the profile's own section, values that no key gives are at their defaults, whatever the type: an override may change the type. */
static int read_adapter(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, bool complete,
			struct ccp_profile_nvidia_adapter *a)
{
	enum { RP, NP, PPCC, NUM_MORE };
	struct ccp_slot more[NUM_MORE] = {[RP] = {.key = "rp"}, [NP] = {.key = "np"}, [PPCC] = {.key = "ppcc"}};
	char child[CCP_PATH_BYTES], why[CCP_NVIDIA_WHY_BYTES];
	const char *wrong;

	if (ccp_read_section_and(r, node, path, &ccp_nvidia_adapter_keys, complete, a, &a->present, more, NUM_MORE))
		return -1;
	if (complete) {
		const int misplaced = a->type == CCP_NVIDIA_DCQCN ? PPCC : RP;
		if (more[misplaced].value)
			return ccp_fail_at(r->error, more[misplaced].value->line, more[misplaced].value->column,
					   "%s gives %s, which adapters of the type %s have not", path, more[misplaced].key,
					   ccp_nvidia_type_words[a->type]);
		ccp_keys_set_defaults(&ccp_nvidia_rp_keys, &a->rp);
		ccp_keys_set_defaults(&ccp_nvidia_np_keys, &a->np);
		a->rp_present = a->type == CCP_NVIDIA_DCQCN ? (1u << ccp_nvidia_rp_keys.num_keys) - 1u : 0;
		a->np_present = (1u << ccp_nvidia_np_keys.num_keys) - 1u;
	}
	if (more[RP].value && ccp_read_section(r, more[RP].value, ccp_path_of(child, path, "rp"), &ccp_nvidia_rp_keys, complete,
					       &a->rp, &a->rp_present))
		return -1;
	if (more[NP].value && ccp_read_section(r, more[NP].value, ccp_path_of(child, path, "np"), &ccp_nvidia_np_keys, complete,
					       &a->np, &a->np_present))
		return -1;
	if (more[PPCC].value && ccp_read_ppcc(r, more[PPCC].value, ccp_path_of(child, path, "ppcc"), a))
		return -1;
	wrong = complete ? ccp_check_nvidia_adapter(a, why) : NULL;
	return wrong ? ccp_fail_at(r->error, node->line, node->column, "%s %s", path, wrong) : 0;
}

int ccp_read_nvidia(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		    const struct ccp_profile_nvidia *own, struct ccp_profile_nvidia **nvidia)
{
	struct ccp_slot slots[] = {{.key = "switch"}, {.key = "adapter"}};
	char child[CCP_PATH_BYTES];

	if (ccp_read_map(r, node, path, slots, 2))
		return -1;
	if (!slots[0].value && !slots[1].value)
		return ccp_fail_at(r->error, node->line, node->column, "%s is empty, and must have switch, adapter or both",
				   path);
	for (unsigned i = 0; own && i < 2; i++)
		if (slots[i].value && !(i ? ccp_has_nvidia_adapter(own) : ccp_has_nvidia_switch(own)))
			return ccp_fail_at(r->error, slots[i].value->line, slots[i].value->column,
					   "%s gives %s, and the profile has no nvidia.%s to change", path, slots[i].key,
					   slots[i].key);
	*nvidia = calloc(1, sizeof(**nvidia));
	if (!*nvidia)
		return ccp_fail_no_memory(r->error);
	if (slots[0].value && read_switch(r, slots[0].value, ccp_path_of(child, path, "switch"), !own, &(*nvidia)->sw))
		return -1;
	if (slots[1].value && read_adapter(r, slots[1].value, ccp_path_of(child, path, "adapter"), !own, &(*nvidia)->adapter))
		return -1;
	return 0;
}
