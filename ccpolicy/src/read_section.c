/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "read_section.h"

#include <string.h>

#include "ccpolicy/error_format.h"
#include "key_values.h"

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

static int read_sls(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right,
		    uint16_t *sls)
{
	uint8_t mask[CCP_PORT_MASK_BYTES];

	if (ccp_is_word(r, node, "all")) {
		*sls = CCP_ALL_SLS;
		return 0;
	}
	if (ccp_read_numbers(r, node, path, 0, CCP_NUM_SLS - 1, right, mask))
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
		return read_sls(r, node, path, key->right, member);
	default:
		return -1;
	}
}

int ccp_read_section(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		     const struct ccp_key_part *keys, bool complete, void *section, uint32_t *present)
{
	struct ccp_slot slots[CCP_SECTION_KEYS_MAX];

	for (unsigned i = 0; i < keys->num_keys; i++)
		slots[i] = (struct ccp_slot){.key = keys->keys[i].name, .required = complete && keys->keys[i].required};
	if (ccp_read_map(r, node, path, slots, keys->num_keys))
		return -1;
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
	if (!*present)
		return ccp_fail_at(r->error, node->line, node->column, "%s sets nothing: give a key, or leave it out", path);
	return 0;
}
