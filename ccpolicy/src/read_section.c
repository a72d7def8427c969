/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "read_section.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "key_values.h"
#include "read_nvidia_value.h"

#define SLOTS_MORE 8u /* aliases, and keys with code of their own */

static int read_mask(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right,
		     struct ccp_mask *mask)
{
	unsigned word;

	if (node->kind == CCP_TREE_LIST) {
		mask->kind = CCP_MASK_PORTS;
		return ccp_read_numbers(r, node, path, 1, CCP_PORT_MAX, right, mask->ports);
	}
	if (ccp_read_word(r, node, path, ccp_mask_words, right, &word))
		return -1;
	*mask = (struct ccp_mask){.kind = (enum ccp_mask_kind)word};
	return 0;
}

static int read_sls(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const struct ccp_key *key,
		    uint16_t *sls)
{
	uint8_t mask[CCP_PORT_MASK_BYTES];

	if (ccp_is_word(r, node, "all")) {
		*sls = CCP_ALL_SLS;
		return 0;
	}
	if (ccp_read_numbers(r, node, path, 0, (unsigned)key->max, key->right, mask))
		return -1;
	*sls = (uint16_t)(mask[CCP_PORT_MASK_BYTES - 2] << 8 | mask[CCP_PORT_MASK_BYTES - 1]);
	return 0;
}

static int read_key(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const struct ccp_key *key,
		    void *member)
{
	uint64_t number;
	unsigned word;

	switch (key->type) {
	case CCP_KEY_BOOL:
		return ccp_read_bool(r, node, path, key->right, member);
	case CCP_KEY_UINT32:
		if (ccp_read_uint(r, node, path, (uint64_t)key->min, (uint64_t)key->max, key->right, &number))
			return -1;
		*(uint32_t *)member = (uint32_t)number;
		return 0;
	case CCP_KEY_SL_PROFILES:
		return ccp_read_sl_profiles(r, node, path, key, member);
	case CCP_KEY_NAME:
		return ccp_read_name(r, node, path, key, member);
	case CCP_KEY_PARAMETERS:
		return ccp_read_parameters(r, node, path, key, member);
	case CCP_KEY_UINT8:
		if (ccp_read_uint(r, node, path, (uint64_t)key->min, (uint64_t)key->max, key->right, &number))
			return -1;
		*(uint8_t *)member = (uint8_t)number;
		return 0;
	case CCP_KEY_UINT16:
		if (ccp_read_uint(r, node, path, (uint64_t)key->min, (uint64_t)key->max, key->right, &number))
			return -1;
		*(uint16_t *)member = (uint16_t)number;
		return 0;
	case CCP_KEY_MASK:
		return read_mask(r, node, path, key->right, member);
	case CCP_KEY_ENTRY:
		return ccp_read_entry(r, node, path, member);
	case CCP_KEY_WORD:
		if (ccp_read_word(r, node, path, key->words, key->right, &word))
			return -1;
		memcpy(member, &word, sizeof(word));
		return 0;
	case CCP_KEY_SLS:
		return read_sls(r, node, path, key, member);
	default:
		return -1;
	}
}

/* Reads a key's value in the unit of its alias. */
static int read_alias(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		      const struct ccp_key_alias *alias, const struct ccp_key *key, void *member)
{
	const double least = key->min / alias->factor, most = key->max / alias->factor;
	char right[128];
	double value;

	snprintf(right, sizeof(right), "%.10g to %.10g %s in steps of %.10g, as %s is a whole number of %s", least, most,
		 alias->unit, 1.0 / alias->factor, key->name, key->unit);
	if (ccp_read_real(r, node, path, least, most, right, &value))
		return -1;
	const double raw = round(value * alias->factor);
	if (fabs(value * alias->factor - raw) > 1e-5) /* what rounding adds, and no step */
		return ccp_refuse(r, node, path, right);
	if (key->type == CCP_KEY_UINT16)
		*(uint16_t *)member = (uint16_t)raw;
	else
		*(uint32_t *)member = (uint32_t)raw;
	return 0;
}

/* Stores the raw key of each alias that the section gives. */
static int read_aliases(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			const struct ccp_key_part *keys, const struct ccp_slot *raw, const struct ccp_slot *slots, void *section,
			uint32_t *present)
{
	for (unsigned i = 0; i < keys->num_aliases; i++) {
		const struct ccp_key_alias *alias = &keys->aliases[i];
		const struct ccp_key *key = &keys->keys[alias->key];
		char child[CCP_PATH_BYTES];
		if (!slots[i].value)
			continue;
		if (raw[alias->key].value)
			return ccp_fail_at(r->error, node->line, node->column, "%s gives both %s and %s; give one of them", path,
					   key->name, alias->name);
		if (read_alias(r, slots[i].value, ccp_path_of(child, path, alias->name), alias, key,
			       (char *)section + key->place.profile))
			return -1;
		*present |= 1u << alias->key;
	}
	return 0;
}

int ccp_read_section_and(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			 const struct ccp_key_part *keys, bool complete, void *section, uint32_t *present, struct ccp_slot *more,
			 unsigned num_more)
{
	struct ccp_slot slots[CCP_SECTION_KEYS_MAX + SLOTS_MORE];
	struct ccp_slot *aliases = &slots[keys->num_keys], *others = &aliases[keys->num_aliases];
	const unsigned num_slots = keys->num_keys + keys->num_aliases + num_more;
	bool gives = false;

	assert(num_slots <= CCP_SECTION_KEYS_MAX + SLOTS_MORE);
	for (unsigned i = 0; i < keys->num_keys; i++)
		slots[i] = (struct ccp_slot){.key = keys->keys[i].name, .required = complete && keys->keys[i].required};
	for (unsigned i = 0; i < keys->num_aliases; i++)
		aliases[i] = (struct ccp_slot){.key = keys->aliases[i].name};
	for (unsigned i = 0; i < num_more; i++)
		others[i] = more[i];
	if (ccp_read_map(r, node, path, slots, num_slots))
		return -1;
	for (unsigned i = 0; i < num_more; i++) {
		more[i] = others[i];
		gives = gives || more[i].value;
	}
	for (unsigned i = 0; i < keys->num_keys; i++) {
		const struct ccp_key *key = &keys->keys[i];
		void *member = (char *)section + key->place.profile;
		char child[CCP_PATH_BYTES];
		if (complete || slots[i].value)
			*present |= 1u << i;
		if (slots[i].value) {
			if (read_key(r, slots[i].value, ccp_path_of(child, path, key->name), key, member))
				return -1;
		} else if (complete) {
			ccp_key_set_default(key, member);
		}
	}
	if (read_aliases(r, node, path, keys, slots, aliases, section, present))
		return -1;
	if (!*present && !gives)
		return ccp_fail_at(r->error, node->line, node->column, "%s sets nothing: give a key, or leave it out", path);
	return 0;
}

int ccp_read_section(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		     const struct ccp_key_part *keys, bool complete, void *section, uint32_t *present)
{
	return ccp_read_section_and(r, node, path, keys, complete, section, present, NULL, 0);
}
