/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * yaml_tree.h: a YAML document as a small typed tree that remembers where each value stands. Internal.
 *
 * Built in one pass over libyaml's events. Depth and size are bounded, aliases are refused, so the tree is never larger than the
 * text. Nodes are known by index, as the array that holds them may move while it grows.
 */
#ifndef CCPOLICY_YAML_TREE_H
#define CCPOLICY_YAML_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/error.h"
#include "scalar.h"

#define CCP_TREE_MAX_DEPTH 16u
#define CCP_TREE_NONE UINT32_MAX

enum ccp_tree_kind {
	CCP_TREE_SCALAR,
	CCP_TREE_LIST,
	CCP_TREE_MAP, /* children are key, value, key, value, ... */
};

struct ccp_tree_node {
	enum ccp_tree_kind kind;
	uint32_t line;   /* from 1 */
	uint32_t column; /* from 1 */
	uint32_t first;  /* first child, or CCP_TREE_NONE */
	uint32_t next;   /* next sibling, or CCP_TREE_NONE */
	uint32_t count;  /* children */
	struct ccp_scalar scalar;
	size_t text; /* of a scalar: offset into ccp_tree.texts, NUL-terminated */
	size_t length;
};

struct ccp_tree {
	struct ccp_tree_node *nodes; /* the root is nodes[0] */
	uint32_t num_nodes;
	uint32_t capacity;
	char *texts;
	size_t texts_length;
	size_t texts_capacity;
};

/* Fills `tree`, which needs no initialisation; 0, or -1 with `error` filled and `tree` empty. */
int ccp_tree_init(struct ccp_tree *tree, const char *text, size_t length, struct ccp_error *error);
void ccp_tree_fini(struct ccp_tree *tree);

static inline const char *ccp_tree_text(const struct ccp_tree *tree, const struct ccp_tree_node *node)
{
	return tree->texts + node->text;
}

#endif
