/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "read_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"

#define KEYS_BYTES 560 /* the names of all keys of a section */

const char *ccp_describe(const struct ccp_reading *r, const struct ccp_tree_node *node, char out[CCP_QUOTE_BYTES])
{
	if (node->kind == CCP_TREE_LIST)
		return "a list";
	if (node->kind == CCP_TREE_MAP)
		return "a map";
	if (node->scalar.kind == CCP_SCALAR_NULL)
		return node->length ? "null" : "empty";
	ccp_quote(out, ccp_tree_text(r->tree, node), node->length);
	if (node->scalar.kind == CCP_SCALAR_STRING)
		return out;
	out[strlen(out) - 1] = '\0'; /* numbers and truths stand without quotes */
	return out + 1;
}

int ccp_refuse(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right)
{
	char value[CCP_QUOTE_BYTES];

	return ccp_fail_at(r->error, node->line, node->column, "%s is %s, and must be %s", path, ccp_describe(r, node, value),
			   right);
}

const char *ccp_path_of(char out[CCP_PATH_BYTES], const char *path, const char *key)
{
	snprintf(out, CCP_PATH_BYTES, "%s%s%s", path, *path ? "." : "", key);
	return out;
}

bool ccp_is_word(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *word)
{
	return node->kind == CCP_TREE_SCALAR && node->scalar.kind == CCP_SCALAR_STRING && node->length == strlen(word) &&
	       !memcmp(ccp_tree_text(r->tree, node), word, node->length);
}

static const char *list_keys(char *out, size_t size, const struct ccp_slot *slots, unsigned num_slots)
{
	size_t at = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < num_slots && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", slots[i].key);
	return out;
}

static int refuse_key(const struct ccp_reading *r, const struct ccp_tree_node *key, const char *path,
		      const struct ccp_slot *slots, unsigned num_slots)
{
	char value[CCP_QUOTE_BYTES];
	char known[KEYS_BYTES];

	return ccp_fail_at(r->error, key->line, key->column, "%s is not a key of %s, whose keys are %s",
			   ccp_describe(r, key, value), *path ? path : "a profile",
			   list_keys(known, sizeof(known), slots, num_slots));
}

int ccp_read_map(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, struct ccp_slot *slots,
		 unsigned num_slots)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;
	char known[KEYS_BYTES];

	if (node->kind != CCP_TREE_MAP) {
		char right[KEYS_BYTES + 32];
		snprintf(right, sizeof(right), "a map with the keys %s", list_keys(known, sizeof(known), slots, num_slots));
		return ccp_refuse(r, node, *path ? path : "the document", right);
	}
	for (unsigned i = 0; i < num_slots; i++)
		slots[i].value = NULL;
	for (uint32_t k = node->first; k != CCP_TREE_NONE; k = nodes[nodes[k].next].next) {
		const struct ccp_tree_node *key = &nodes[k];
		unsigned i = 0;
		while (i < num_slots && !ccp_is_word(r, key, slots[i].key))
			i++;
		if (i == num_slots)
			return refuse_key(r, key, path, slots, num_slots);
		if (slots[i].value)
			return ccp_fail_at(r->error, key->line, key->column,
					   "%s%skey %s is given a second time; line %u has the first", path, *path ? ": " : "",
					   slots[i].key, slots[i].value->line);
		slots[i].value = &nodes[key->next];
	}
	for (unsigned i = 0; i < num_slots; i++)
		if (slots[i].required && !slots[i].value)
			return ccp_fail_at(r->error, node->line, node->column, "%s lacks the key %s",
					   *path ? path : "the profile", slots[i].key);
	return 0;
}

int ccp_read_bool(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right, bool *value)
{
	if (node->kind != CCP_TREE_SCALAR || node->scalar.kind != CCP_SCALAR_BOOL)
		return ccp_refuse(r, node, path, right);
	*value = node->scalar.truth;
	return 0;
}

/* As in JSON Schema, 15.0 is a whole number too. */
static bool as_uint(const struct ccp_tree_node *node, uint64_t *value)
{
	const struct ccp_scalar *scalar = &node->scalar;

	if (node->kind != CCP_TREE_SCALAR)
		return false;
	if (scalar->kind == CCP_SCALAR_INT && (!scalar->negative || scalar->magnitude == 0)) {
		*value = scalar->magnitude;
		return true;
	}
	if (scalar->kind == CCP_SCALAR_REAL && scalar->real >= 0.0 && scalar->real < 0x1p53 &&
	    floor(scalar->real) == scalar->real) {
		*value = (uint64_t)scalar->real;
		return true;
	}
	return false;
}

int ccp_read_uint(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, uint64_t min, uint64_t max,
		  const char *right, uint64_t *value)
{
	if (!as_uint(node, value) || *value < min || *value > max) {
		char sentence[256];
		snprintf(sentence, sizeof(sentence), "a whole number: %s", right);
		return ccp_refuse(r, node, path, sentence);
	}
	return 0;
}

static bool as_real(const struct ccp_tree_node *node, double *value)
{
	const struct ccp_scalar *scalar = &node->scalar;

	if (node->kind != CCP_TREE_SCALAR || (scalar->kind != CCP_SCALAR_INT && scalar->kind != CCP_SCALAR_REAL))
		return false;
	*value = scalar->kind == CCP_SCALAR_INT && scalar->negative ? -fabs(scalar->real) : scalar->real;
	return true;
}

int ccp_read_real(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, double min, double max,
		  const char *right, double *value)
{
	double real;

	if (!as_real(node, &real) || !(real >= min && real <= max))
		return ccp_refuse(r, node, path, right);
	*value = real;
	return 0;
}

int ccp_read_positive(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, double max,
		      const char *right, double *value)
{
	double real;

	if (!as_real(node, &real) || !(real > 0.0 && real <= max))
		return ccp_refuse(r, node, path, right);
	*value = real;
	return 0;
}

/* Counts the characters of UTF-8; false if one of them does not print: C0, DEL, C1 and what ends a line. */
static bool is_printable(const char *text, size_t length, size_t *characters)
{
	const unsigned char *t = (const unsigned char *)text;

	*characters = 0;
	for (size_t i = 0; i < length; i++) {
		*characters += (t[i] & 0xC0) != 0x80;
		if (t[i] < 0x20 || t[i] == 0x7F || (t[i] == 0xC2 && i + 1 < length && t[i + 1] < 0xA0))
			return false;
		if (t[i] == 0xE2 && i + 2 < length && t[i + 1] == 0x80 && (t[i + 2] == 0xA8 || t[i + 2] == 0xA9))
			return false; /* U+2028, U+2029 */
	}
	return true;
}

int ccp_read_text(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right,
		  char **value)
{
	size_t characters;

	if (node->kind != CCP_TREE_SCALAR || node->scalar.kind != CCP_SCALAR_STRING ||
	    !is_printable(ccp_tree_text(r->tree, node), node->length, &characters) || characters < 1 ||
	    characters > CCP_NAME_MAX_CHARACTERS)
		return ccp_refuse(r, node, path, right);
	*value = malloc(node->length + 1);
	if (!*value)
		return ccp_fail_no_memory(r->error);
	memcpy(*value, ccp_tree_text(r->tree, node), node->length + 1);
	return 0;
}

int ccp_read_word(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *const *words,
		  const char *right, unsigned *value)
{
	for (unsigned i = 0; words[i]; i++) {
		if (*words[i] && ccp_is_word(r, node, words[i])) {
			*value = i;
			return 0;
		}
	}
	return ccp_refuse(r, node, path, right);
}

int ccp_read_guid(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, uint64_t *value)
{
	static const char right[] = "a node GUID other than 0, such as 0x0002c90300a1b2c3";

	*value = 0;
	if (node->kind == CCP_TREE_SCALAR && node->scalar.kind == CCP_SCALAR_STRING) {
		/* JSON has no hexadecimal numbers: there a GUID is a string. */
		const char *text = ccp_tree_text(r->tree, node);
		if (node->length <= 18) {
			struct ccp_scalar scalar = ccp_scalar_resolve(text, node->length);
			if (!strncmp(text, "0x", 2) && scalar.kind == CCP_SCALAR_INT)
				*value = scalar.magnitude;
		}
	} else if (!as_uint(node, value)) {
		*value = 0;
	}
	return *value ? 0 : ccp_refuse(r, node, path, right);
}

int ccp_read_entry(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, struct ccp_cct_entry *value)
{
	struct ccp_slot slots[] = {{.key = "shift", .required = true}, {.key = "multiplier", .required = true}};
	char child[CCP_PATH_BYTES];
	uint64_t shift;
	uint64_t multiplier;

	if (ccp_read_map(r, node, path, slots, 2) ||
	    ccp_read_uint(r, slots[0].value, ccp_path_of(child, path, "shift"), 0, CCP_SHIFT_MAX, "0 to 3", &shift) ||
	    ccp_read_uint(r, slots[1].value, ccp_path_of(child, path, "multiplier"), 0, CCP_MULTIPLIER_MAX, "0 to 16383",
			  &multiplier))
		return -1;
	value->shift = (uint8_t)shift;
	value->multiplier = (uint16_t)multiplier;
	return 0;
}

int ccp_read_numbers(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, unsigned min, unsigned max,
		     const char *right, uint8_t mask[CCP_PORT_MASK_BYTES])
{
	const struct ccp_tree_node *nodes = r->tree->nodes;

	if (node->kind != CCP_TREE_LIST)
		return ccp_refuse(r, node, path, right);
	if (node->first == CCP_TREE_NONE)
		return ccp_fail_at(r->error, node->line, node->column, "%s is an empty list, and must be %s", path, right);
	memset(mask, 0, CCP_PORT_MASK_BYTES);
	for (uint32_t i = node->first; i != CCP_TREE_NONE; i = nodes[i].next) {
		char value[CCP_QUOTE_BYTES];
		uint64_t number;
		if (!as_uint(&nodes[i], &number) || number < min || number > max)
			return ccp_fail_at(r->error, nodes[i].line, nodes[i].column, "%s holds %s, and must be %s", path,
					   ccp_describe(r, &nodes[i], value), right);
		if (ccp_port_mask_test(mask, (unsigned)number))
			return ccp_fail_at(r->error, nodes[i].line, nodes[i].column, "%s holds %s twice", path,
					   ccp_describe(r, &nodes[i], value));
		ccp_port_mask_set(mask, (unsigned)number);
	}
	return 0;
}
