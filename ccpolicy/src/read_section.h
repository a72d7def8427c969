/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* read_section.h: the sections of a profile, for the reader. Internal. As in read_value.h, 0 is success, -1 failure. */
#ifndef CCPOLICY_READ_SECTION_H
#define CCPOLICY_READ_SECTION_H

#include "ccpolicy/keys.h"
#include "read_value.h"

/*
 * Reads `switch` or `ca`. A complete section (the profile's own) must have its required keys and ends with all bits of `present`
 * set, the keys that it does not give at their defaults; an override's must have at least one key.
 */
int ccp_read_section(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		     const struct ccp_key_part *keys, bool complete, void *section, uint32_t *present);

/* The same of a section that has keys with code of their own beside its rows: their values end in `more`. */
int ccp_read_section_and(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			 const struct ccp_key_part *keys, bool complete, void *section, uint32_t *present, struct ccp_slot *more,
			 unsigned num_more);

/* Reads `cct`, and checks that its curve can be encoded. `packet_time_ns` 0: the profile names no link. */
int ccp_read_cct(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, bool complete,
		 double packet_time_ns, struct ccp_profile_cct *cct);

#endif
