/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "read_nvidia_value.h"

#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"

int ccp_read_sl_profiles(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			 const struct ccp_key *key, struct ccp_congestion_sl_mapping_settings *value)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;
	char child[CCP_PATH_BYTES];
	uint64_t number;
	unsigned sl = 0;

	if (node->kind == CCP_TREE_SCALAR) {
		if (ccp_read_uint(r, node, path, (uint64_t)key->min, (uint64_t)key->max, key->right, &number))
			return -1;
		memset(value->sl_profile, (int)number, sizeof(value->sl_profile));
		return 0;
	}
	if (node->kind != CCP_TREE_LIST)
		return ccp_refuse(r, node, path, key->right);
	if (node->count != CCP_NUM_SLS)
		return ccp_fail_at(r->error, node->line, node->column, "%s has %u numbers, and must be %s", path, node->count,
				   key->right);
	for (uint32_t i = node->first; i != CCP_TREE_NONE; i = nodes[i].next, sl++) {
		snprintf(child, sizeof(child), "%.100s[%u]", path, sl);
		if (ccp_read_uint(r, &nodes[i], child, (uint64_t)key->min, (uint64_t)key->max, "1 to 3", &number))
			return -1;
		value->sl_profile[sl] = (uint8_t)number;
	}
	return 0;
}

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
