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

/* True of letters, digits and underscores that YAML reads as a string without quotes, in ASCII. */
static bool is_name(const char *text, size_t length)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char others[] = "0123456789";

	if (length < 1 || length >= CCP_PPCC_NAME_BYTES || !memchr(letters, text[0], sizeof(letters) - 1) ||
	    ccp_scalar_resolve(text, length).kind != CCP_SCALAR_STRING)
		return false;
	for (size_t i = 1; i < length; i++)
		if (!memchr(letters, text[i], sizeof(letters) - 1) && !memchr(others, text[i], sizeof(others) - 1))
			return false;
	return true;
}

int ccp_read_name(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const struct ccp_key *key,
		  char value[CCP_PPCC_NAME_BYTES])
{
	const char *text = ccp_tree_text(r->tree, node);

	if (node->kind != CCP_TREE_SCALAR || node->scalar.kind != CCP_SCALAR_STRING || !is_name(text, node->length))
		return ccp_refuse(r, node, path, key->right);
	memcpy(value, text, node->length + 1);
	return 0;
}

/* JSON has only strings for keys: there an index is a string of digits. */
static bool read_parameter_key(const struct ccp_reading *r, const struct ccp_tree_node *key, struct ccp_ppcc_parameter *parameter)
{
	struct ccp_scalar scalar = key->scalar;
	const char *text;

	if (key->kind != CCP_TREE_SCALAR)
		return false;
	text = ccp_tree_text(r->tree, key);
	if (scalar.kind == CCP_SCALAR_STRING && is_name(text, key->length)) {
		memcpy(parameter->name, text, key->length + 1);
		return true;
	}
	if (scalar.kind == CCP_SCALAR_STRING && key->length <= 2 && strspn(text, "0123456789") == key->length &&
	    (key->length == 1 || text[0] != '0'))
		scalar = ccp_scalar_resolve(text, key->length);
	if (scalar.kind != CCP_SCALAR_INT || (scalar.negative && scalar.magnitude) || scalar.magnitude >= CCP_PPCC_PARAMETERS_MAX)
		return false;
	parameter->index = (uint8_t)scalar.magnitude;
	return true;
}

int ccp_read_parameters(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			const struct ccp_key *key, struct ccp_ppcc_parameters *value)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;

	if (node->kind != CCP_TREE_MAP)
		return ccp_refuse(r, node, path, key->right);
	if (node->count / 2 > CCP_PPCC_PARAMETERS_MAX)
		return ccp_fail_at(r->error, node->line, node->column, "%s has %u parameters, and an algorithm has at most %u",
				   path, node->count / 2, CCP_PPCC_PARAMETERS_MAX);
	for (uint32_t k = node->first; k != CCP_TREE_NONE; k = nodes[nodes[k].next].next) {
		struct ccp_ppcc_parameter *parameter = &value->list[value->count];
		char child[CCP_PATH_BYTES], quote[CCP_QUOTE_BYTES];
		uint64_t number;
		*parameter = (struct ccp_ppcc_parameter){.index = 0};
		if (!read_parameter_key(r, &nodes[k], parameter))
			return ccp_fail_at(r->error, nodes[k].line, nodes[k].column,
					   "%s has a parameter %s, and a parameter is an index from 0 to %u or a name of 1 to 31 "
					   "letters, digits and underscores that begins with no digit",
					   path, ccp_describe(r, &nodes[k], quote), CCP_PPCC_PARAMETERS_MAX - 1);
		for (uint32_t i = 0; i < value->count; i++)
			if (!strcmp(value->list[i].name, parameter->name) && value->list[i].index == parameter->index)
				return ccp_fail_at(r->error, nodes[k].line, nodes[k].column,
						   "%s gives the parameter %s a second time", path,
						   ccp_describe(r, &nodes[k], quote));
		if (*parameter->name)
			ccp_path_of(child, path, parameter->name);
		else
			snprintf(child, sizeof(child), "%.100s.%u", path, (unsigned)parameter->index);
		if (ccp_read_uint(r, &nodes[nodes[k].next], child, 0, UINT32_MAX, "0 to 4294967295", &number))
			return -1;
		parameter->value = (uint32_t)number;
		value->count++;
	}
	return 0;
}

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
