/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "key_values.h"
#include "read_nvidia.h"

enum { ALGO_ID, MAJOR, MINOR, ALGORITHM, SLS, PARAMETERS }; /* rows of ccp_nvidia_ppcc_keys */
#define NUMBERS (1u << ALGO_ID | 1u << MAJOR | 1u << MINOR)

static int read_slot(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, struct ccp_ppcc_slot *slot)
{
	const struct ccp_key *keys = ccp_nvidia_ppcc_keys.keys;

	assert(!strcmp(keys[PARAMETERS].name, "parameters"));
	if (ccp_read_section(r, node, path, &ccp_nvidia_ppcc_keys, false, slot, &slot->present))
		return -1;
	if ((slot->present & (NUMBERS | 1u << ALGORITHM)) != NUMBERS &&
	    (slot->present & (NUMBERS | 1u << ALGORITHM)) != 1u << ALGORITHM)
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s must name its algorithm either by algo_id, major and minor or by algorithm", path);
	if (!(slot->present >> SLS & 1u)) {
		ccp_key_set_default(&keys[SLS], &slot->sls);
		slot->present |= 1u << SLS;
	}
	return 0;
}

static bool same_algorithm(const struct ccp_ppcc_slot *a, const struct ccp_ppcc_slot *b)
{
	return !strcmp(a->algorithm, b->algorithm) && a->id.algo_id == b->id.algo_id && a->id.major == b->id.major &&
	       a->id.minor == b->id.minor;
}

/* Compares a slot with those before it. */
static int check_slot(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		      const struct ccp_ppcc_slot *slots, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++) {
		const unsigned common = slots[i].sls & slots[index].sls;
		unsigned sl = 0;
		if (same_algorithm(&slots[i], &slots[index]))
			return ccp_fail_at(r->error, node->line, node->column,
					   "%s[%u] names the algorithm of %s[%u] again; give all its SLs in one element", path,
					   index, path, i);
		while (common && !(common >> sl & 1u))
			sl++;
		if (common)
			return ccp_fail_at(r->error, node->line, node->column,
					   "%s[%u].sls holds SL %u, which %s[%u] has too; an SL has one algorithm", path, index,
					   sl, path, i);
	}
	return 0;
}

int ccp_read_ppcc(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		  struct ccp_profile_nvidia_adapter *adapter)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;

	if (node->kind != CCP_TREE_LIST)
		return ccp_refuse(r, node, path, "a list of 1 to 16 algorithms, each a map");
	if (!node->count || node->count > CCP_PPCC_SLOTS)
		return ccp_fail_at(r->error, node->line, node->column, "%s has %u algorithms, and must have 1 to %u", path,
				   node->count, CCP_PPCC_SLOTS);
	adapter->slots = calloc(node->count, sizeof(*adapter->slots));
	if (!adapter->slots)
		return ccp_fail_no_memory(r->error);
	for (uint32_t i = node->first; i != CCP_TREE_NONE; i = nodes[i].next) {
		char child[CCP_PATH_BYTES];
		snprintf(child, sizeof(child), "%.100s[%u]", path, adapter->num_slots);
		if (read_slot(r, &nodes[i], child, &adapter->slots[adapter->num_slots]) ||
		    check_slot(r, &nodes[i], path, adapter->slots, adapter->num_slots))
			return -1;
		adapter->num_slots++;
	}
	return 0;
}
