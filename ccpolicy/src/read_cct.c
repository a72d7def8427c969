/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>

#include "ccpolicy/cct.h"
#include "ccpolicy/error_format.h"
#include "read_section.h"

static int read_power(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		      struct ccp_profile_cct *cct)
{
	struct ccp_slot slots[] = {{.key = "kind", .required = true},
				   {.key = "full_scale_us"},
				   {.key = "full_scale_packet_times"},
				   {.key = "at_index"},
				   {.key = "exponent", .required = true}};
	const struct ccp_tree_node *us, *packet_times;
	struct ccp_power_curve *curve = &cct->curve.power;
	char child[CCP_PATH_BYTES];

	cct->source = CCP_CCT_POWER;
	if (ccp_read_map(r, node, path, slots, 5))
		return -1;
	us = slots[1].value;
	packet_times = slots[2].value;
	if (!us == !packet_times)
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s needs one of full_scale_us and full_scale_packet_times, and has %s", path,
				   us ? "both" : "neither");
	if (us) {
		curve->unit = CCP_FULL_SCALE_US;
		if (ccp_read_positive(r, us, ccp_path_of(child, path, slots[1].key), CCP_FULL_SCALE_US_MAX,
				      "a number of microseconds above 0, at most 1000000", &curve->full_scale))
			return -1;
	} else {
		curve->unit = CCP_FULL_SCALE_PACKET_TIMES;
		if (ccp_read_positive(r, packet_times, ccp_path_of(child, path, slots[2].key), CCP_FULL_SCALE_PACKET_TIMES_MAX,
				      "a number of packet times above 0, at most 1000000", &curve->full_scale))
			return -1;
	}
	if (slots[3].value) {
		uint64_t at_index;
		if (ccp_read_uint(r, slots[3].value, ccp_path_of(child, path, slots[3].key), 1, CCP_CCTI_LIMIT_MAX,
				  "the index, 1 to 16319, at which the curve is at full scale", &at_index))
			return -1;
		curve->at_index = (uint16_t)at_index;
	}
	return ccp_read_positive(r, slots[4].value, ccp_path_of(child, path, slots[4].key), CCP_EXPONENT_MAX,
				 "a number above 0, at most 16", &curve->exponent);
}

static int read_geometric(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			  struct ccp_profile_cct *cct)
{
	static const char right[] = "a number of packet times above 0, at most 16383";
	struct ccp_slot slots[] = {
		{.key = "kind", .required = true}, {.key = "first", .required = true}, {.key = "last", .required = true}};
	struct ccp_geometric_curve *curve = &cct->curve.geometric;
	char child[CCP_PATH_BYTES];

	cct->source = CCP_CCT_GEOMETRIC;
	if (ccp_read_map(r, node, path, slots, 3) ||
	    ccp_read_positive(r, slots[1].value, ccp_path_of(child, path, "first"), CCP_MULTIPLIER_MAX, right, &curve->first) ||
	    ccp_read_positive(r, slots[2].value, ccp_path_of(child, path, "last"), CCP_MULTIPLIER_MAX, right, &curve->last))
		return -1;
	if (curve->last < curve->first)
		return ccp_fail_at(r->error, slots[2].value->line, slots[2].value->column,
				   "%s.last (%g) is below first (%g), and delays must not fall as the index grows", path,
				   curve->last, curve->first);
	return 0;
}

static int read_curve(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, double packet_time_ns,
		      struct ccp_profile_cct *cct)
{
	static const char *const kinds[] = {"power", "geometric", NULL};
	const struct ccp_tree_node *nodes = r->tree->nodes;
	const struct ccp_tree_node *kind = NULL;
	char child[CCP_PATH_BYTES];
	unsigned word;

	if (node->kind != CCP_TREE_MAP)
		return ccp_refuse(r, node, path, "a map with the key kind and the keys of that kind of curve");
	for (uint32_t k = node->first; k != CCP_TREE_NONE; k = nodes[nodes[k].next].next)
		if (ccp_is_word(r, &nodes[k], "kind"))
			kind = &nodes[nodes[k].next];
	if (!kind)
		return ccp_fail_at(r->error, node->line, node->column, "%s lacks the key kind, which is power or geometric",
				   path);
	if (ccp_read_word(r, kind, ccp_path_of(child, path, "kind"), kinds, "power or geometric", &word) ||
	    (word == 0 ? read_power : read_geometric)(r, node, path, cct))
		return -1;

	struct ccp_cct_row *rows = malloc((cct->ccti_limit + 1u) * sizeof(*rows));
	if (!rows)
		return ccp_fail_no_memory(r->error);
	int status = ccp_cct_evaluate(cct, packet_time_ns, rows, r->error);
	free(rows);
	if (status && r->error) {
		r->error->line = node->line;
		r->error->column = node->column;
	}
	return status;
}

static int read_entries(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, bool has_limit,
			struct ccp_profile_cct *cct)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;

	if (node->kind != CCP_TREE_LIST || !node->count || node->count > CCP_CCTI_LIMIT_MAX + 1)
		return node->kind != CCP_TREE_LIST
			       ? ccp_refuse(r, node, path, "a list of 1 to 16320 entries {shift: 0 to 3, multiplier: 0 to 16383}")
			       : ccp_fail_at(r->error, node->line, node->column, "%s has %u entries, and must have 1 to 16320",
					     path, node->count);
	if (has_limit && node->count != cct->ccti_limit + 1u)
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s has %u entries, and a ccti_limit of %u needs %u (indices 0 to the limit)", path,
				   node->count, (unsigned)cct->ccti_limit, cct->ccti_limit + 1u);
	cct->source = CCP_CCT_ENTRIES;
	cct->ccti_limit = (uint16_t)(node->count - 1);
	cct->entries = calloc(node->count, sizeof(*cct->entries));
	if (!cct->entries)
		return ccp_fail_no_memory(r->error);
	unsigned index = 0;
	for (uint32_t i = node->first; i != CCP_TREE_NONE; i = nodes[i].next, index++) {
		char child[CCP_PATH_BYTES];
		snprintf(child, sizeof(child), "%s[%u]", path, index);
		if (ccp_read_entry(r, &nodes[i], child, &cct->entries[index]))
			return -1;
	}
	return 0;
}

int ccp_read_cct(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, bool complete,
		 double packet_time_ns, struct ccp_profile_cct *cct)
{
	struct ccp_slot slots[] = {{.key = "ccti_limit"}, {.key = "entries"}, {.key = "curve"}, {.key = "limit_mode"}};
	const struct ccp_tree_node *limit, *entries, *curve, *mode;
	char child[CCP_PATH_BYTES];

	if (ccp_read_map(r, node, path, slots, 4))
		return -1;
	limit = slots[0].value;
	entries = slots[1].value;
	curve = slots[2].value;
	mode = slots[3].value;

	if (mode) {
		unsigned word;
		if (ccp_read_word(r, mode, ccp_path_of(child, path, "limit_mode"), ccp_limit_mode_words,
				  "final (the last CCTI_Limit in each block) or per_block (the limit reached with the block)",
				  &word))
			return -1;
		cct->limit_mode = (enum ccp_limit_mode)word;
	}
	cct->has_limit_mode = complete || mode;
	if (entries && curve)
		return ccp_fail_at(r->error, node->line, node->column, "%s gives both entries and a curve; give one of them",
				   path);
	if (!entries && !curve) {
		if (!complete && mode && !limit)
			return 0; /* an override of how limits are written */
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s gives no table: give entries, or ccti_limit and a curve", path);
	}
	if (limit) {
		uint64_t value;
		if (ccp_read_uint(r, limit, ccp_path_of(child, path, "ccti_limit"), 0, CCP_CCTI_LIMIT_MAX,
				  "0 to 16319 (255 blocks of 64 entries, less one), the largest index of the table", &value))
			return -1;
		cct->ccti_limit = (uint16_t)value;
	}
	if (entries)
		return read_entries(r, entries, ccp_path_of(child, path, "entries"), limit, cct);
	if (!limit)
		return ccp_fail_at(r->error, node->line, node->column, "%s lacks the key ccti_limit, which a curve needs", path);
	return read_curve(r, curve, ccp_path_of(child, path, "curve"), packet_time_ns, cct);
}
