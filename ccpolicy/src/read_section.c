/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "read_section.h"

#include <assert.h>

#include "ccpolicy/error_format.h"

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
		*sls = 0xFFFF;
		return 0;
	}
	if (ccp_read_numbers(r, node, path, 0, CCP_NUM_SLS - 1, right, mask))
		return -1;
	*sls = (uint16_t)(mask[CCP_PORT_MASK_BYTES - 2] << 8 | mask[CCP_PORT_MASK_BYTES - 1]);
	return 0;
}

static int read_row(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		    const struct ccp_key_row *row, void *section)
{
	void *member = (char *)section + row->offset;
	uint64_t number;
	unsigned word;

	switch (row->type) {
	case CCP_KEY_U8:
		if (ccp_read_uint(r, node, path, 0, row->max, row->right, &number))
			return -1;
		*(uint8_t *)member = (uint8_t)number;
		return 0;
	case CCP_KEY_U16:
		if (ccp_read_uint(r, node, path, 0, row->max, row->right, &number))
			return -1;
		*(uint16_t *)member = (uint16_t)number;
		return 0;
	case CCP_KEY_MASK:
		return read_mask(r, node, path, row->right, member);
	case CCP_KEY_ENTRY:
		return ccp_read_entry(r, node, path, member);
	case CCP_KEY_LEVEL:
		if (ccp_read_word(r, node, path, ccp_level_words, row->right, &word))
			return -1;
		*(enum ccp_level *)member = (enum ccp_level)word;
		return 0;
	case CCP_KEY_SLS:
		return read_sls(r, node, path, row->right, member);
	}
	return -1;
}

int ccp_read_section(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		     const struct ccp_key_row *rows, unsigned num_rows, bool complete, void *section, uint32_t *present)
{
	struct ccp_slot slots[CCP_NUM_SWITCH_KEYS];

	assert(num_rows <= CCP_NUM_SWITCH_KEYS);
	for (unsigned i = 0; i < num_rows; i++)
		slots[i] = (struct ccp_slot){.key = rows[i].key, .required = complete && rows[i].required};
	if (ccp_read_map(r, node, path, slots, num_rows))
		return -1;
	for (unsigned i = 0; i < num_rows; i++) {
		char child[CCP_PATH_BYTES];
		if (complete || slots[i].value)
			*present |= rows[i].bit;
		if (slots[i].value && read_row(r, slots[i].value, ccp_path_of(child, path, rows[i].key), &rows[i], section))
			return -1;
	}
	if (!*present)
		return ccp_fail_at(r->error, node->line, node->column, "%s sets nothing: give a key, or leave it out", path);
	return 0;
}
