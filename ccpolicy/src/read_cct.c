/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>

#include "ccpolicy/cct.h"
#include "ccpolicy/error_format.h"
#include "read_section.h"

static int read_real(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const struct ccp_key *key,
		     double *value)
{
	char child[CCP_PATH_BYTES];

	return ccp_read_positive(r, node, ccp_path_of(child, path, key->name), key->max, key->right, value);
}

static int read_power(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		      struct ccp_profile_cct *cct)
{
	const struct ccp_key *keys = ccp_curve_keys;
	const struct ccp_key *scale_key = &keys[CCP_CURVE_FULL_SCALE_US];
	struct ccp_slot slots[] = {{.key = keys[CCP_CURVE_KIND].name, .required = true},
				   {.key = keys[CCP_CURVE_FULL_SCALE_US].name},
				   {.key = keys[CCP_CURVE_FULL_SCALE_PACKET_TIMES].name},
				   {.key = keys[CCP_CURVE_AT_INDEX].name},
				   {.key = keys[CCP_CURVE_EXPONENT].name, .required = true},
				   {.key = keys[CCP_CURVE_KNEE_AT].name},
				   {.key = keys[CCP_CURVE_END_EXPONENT].name}};
	const struct ccp_tree_node *us, *packet_times;
	struct ccp_power_curve *curve = &cct->curve.power;
	char child[CCP_PATH_BYTES];

	cct->source = CCP_CCT_POWER;
	if (ccp_read_map(r, node, path, slots, 7))
		return -1;
	us = slots[1].value;
	packet_times = slots[2].value;
	if (!us == !packet_times)
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s needs one of full_scale_us and full_scale_packet_times, and has %s", path,
				   us ? "both" : "neither");
	curve->unit = us ? CCP_FULL_SCALE_US : CCP_FULL_SCALE_PACKET_TIMES;
	if (!us)
		scale_key = &keys[CCP_CURVE_FULL_SCALE_PACKET_TIMES];
	if (read_real(r, us ? us : packet_times, path, scale_key, &curve->full_scale))
		return -1;
	if (slots[3].value) {
		const struct ccp_key *key = &keys[CCP_CURVE_AT_INDEX];
		uint64_t at_index;
		if (ccp_read_uint(r, slots[3].value, ccp_path_of(child, path, key->name), (uint64_t)key->min, (uint64_t)key->max,
				  key->right, &at_index))
			return -1;
		curve->at_index = (uint16_t)at_index;
	}
	if (read_real(r, slots[4].value, path, &keys[CCP_CURVE_EXPONENT], &curve->exponent) ||
	    (slots[5].value && read_real(r, slots[5].value, path, &keys[CCP_CURVE_KNEE_AT], &curve->knee_at)))
		return -1;
	return slots[6].value ? read_real(r, slots[6].value, path, &keys[CCP_CURVE_END_EXPONENT], &curve->end_exponent) : 0;
}

static int read_geometric(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			  struct ccp_profile_cct *cct)
{
	const struct ccp_key *keys = ccp_curve_keys;
	struct ccp_slot slots[] = {{.key = keys[CCP_CURVE_KIND].name, .required = true},
				   {.key = keys[CCP_CURVE_FIRST].name, .required = true},
				   {.key = keys[CCP_CURVE_LAST].name, .required = true}};
	struct ccp_geometric_curve *curve = &cct->curve.geometric;

	cct->source = CCP_CCT_GEOMETRIC;
	if (ccp_read_map(r, node, path, slots, 3) || read_real(r, slots[1].value, path, &keys[CCP_CURVE_FIRST], &curve->first) ||
	    read_real(r, slots[2].value, path, &keys[CCP_CURVE_LAST], &curve->last))
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
	const struct ccp_key *key = &ccp_curve_keys[CCP_CURVE_KIND];
	const struct ccp_tree_node *nodes = r->tree->nodes;
	const struct ccp_tree_node *kind = NULL;
	char child[CCP_PATH_BYTES];
	unsigned word;

	if (node->kind != CCP_TREE_MAP)
		return ccp_refuse(r, node, path, "a map with the key kind and the keys of that kind of curve");
	for (uint32_t k = node->first; k != CCP_TREE_NONE; k = nodes[nodes[k].next].next)
		if (ccp_is_word(r, &nodes[k], key->name))
			kind = &nodes[nodes[k].next];
	if (!kind)
		return ccp_fail_at(r->error, node->line, node->column, "%s lacks the key kind, which is %s", path, key->right);
	if (ccp_read_word(r, kind, ccp_path_of(child, path, key->name), key->words, key->right, &word) ||
	    (word == CCP_CURVE_POWER ? read_power : read_geometric)(r, node, path, cct))
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
			       ? ccp_refuse(r, node, path, ccp_cct_keys[CCP_CCT_ENTRY_LIST].right)
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
	const struct ccp_key *limit_key = &ccp_cct_keys[CCP_CCT_CCTI_LIMIT];
	const struct ccp_key *mode_key = &ccp_cct_keys[CCP_CCT_LIMIT_MODE];
	struct ccp_slot slots[] = {{.key = limit_key->name},
				   {.key = ccp_cct_keys[CCP_CCT_ENTRY_LIST].name},
				   {.key = "curve"},
				   {.key = mode_key->name}};
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
		if (ccp_read_word(r, mode, ccp_path_of(child, path, mode_key->name), mode_key->words, mode_key->right, &word))
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
		if (ccp_read_uint(r, limit, ccp_path_of(child, path, limit_key->name), 0, (uint64_t)limit_key->max,
				  limit_key->right, &value))
			return -1;
		cct->ccti_limit = (uint16_t)value;
	}
	if (entries)
		return read_entries(r, entries, ccp_path_of(child, path, "entries"), limit, cct);
	if (!limit)
		return ccp_fail_at(r->error, node->line, node->column, "%s lacks the key ccti_limit, which a curve needs", path);
	return read_curve(r, curve, ccp_path_of(child, path, "curve"), packet_time_ns, cct);
}
