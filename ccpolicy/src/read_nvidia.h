/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* read_nvidia.h: the section `nvidia` of a profile, for the reader. Internal. As in read_value.h, 0 is success, -1 failure. */
#ifndef CCPOLICY_READ_NVIDIA_H
#define CCPOLICY_READ_NVIDIA_H

#include "read_section.h"

/*
 * Reads `nvidia` into `*nvidia`, which becomes the caller's even if that fails. `own` is NULL for the profile's own section; for an
 * override's it is the profile's own, and what that lacks is refused.
 */
int ccp_read_nvidia(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		    const struct ccp_profile_nvidia *own, struct ccp_profile_nvidia **nvidia);

/* Reads `nvidia.adapter.ppcc`, a list of algorithms, of which no two have an SL in common. */
int ccp_read_ppcc(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		  struct ccp_profile_nvidia_adapter *adapter);

#endif
