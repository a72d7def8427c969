/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * read_value.h: reads and checks single values of a document. Internal.
 *
 * Each function takes the node and its path ("switch.threshold"). It returns 0 with the value stored, or -1 with the error filled;
 * `right` ends the error's sentence and names the values that are right.
 */
#ifndef CCPOLICY_READ_VALUE_H
#define CCPOLICY_READ_VALUE_H

#include <stdbool.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/profile.h"
#include "yaml_tree.h"

#define CCP_PATH_BYTES 128

struct ccp_reading {
	const struct ccp_tree *tree;
	struct ccp_error *error;
};

/* One key that a map may hold; ccp_read_map() stores its value's node, or NULL. */
struct ccp_slot {
	const char *key;
	bool required;
	const struct ccp_tree_node *value;
};

/* Refuses a node that is not a map, a key that has no slot, a key that comes twice and the lack of a required key. */
int ccp_read_map(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, struct ccp_slot *slots,
		 unsigned num_slots);

/* The path of `key` in `path`, which is "" for the document. Returns `out`. */
const char *ccp_path_of(char out[CCP_PATH_BYTES], const char *path, const char *key);

/* A value as sentences show it: 16, 'late', a list. Returns it, in `out` or elsewhere. */
const char *ccp_describe(const struct ccp_reading *r, const struct ccp_tree_node *node, char out[CCP_QUOTE_BYTES]);

int ccp_refuse(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right);

int ccp_read_bool(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right,
		  bool *value);
int ccp_read_uint(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, uint64_t min, uint64_t max,
		  const char *right, uint64_t *value);
/* A number above 0 and at most `max`. */
int ccp_read_positive(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, double max,
		      const char *right, double *value);
/* 1 to CCP_NAME_MAX_CHARACTERS printable characters; a copy, owned by the caller. */
int ccp_read_text(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *right,
		  char **value);
int ccp_read_word(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const char *const *words,
		  const char *right, unsigned *value);
int ccp_read_guid(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, uint64_t *value);
int ccp_read_entry(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, struct ccp_cct_entry *value);
/* A number from `min` to `max`. */
int ccp_read_real(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, double min, double max,
		  const char *right, double *value);
/* A list, not empty and without repetition, of numbers from `min` to `max`, which is below 256; as a mask of bits. */
int ccp_read_numbers(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, unsigned min, unsigned max,
		     const char *right, uint8_t mask[CCP_PORT_MASK_BYTES]);

/* True if `node` is a string equal to `word`. */
bool ccp_is_word(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *word);

#endif
