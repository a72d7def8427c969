/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* read_override.h: an override of a profile, for the reader. Internal. As in read_value.h, 0 is success, -1 failure. */
#ifndef CCPOLICY_READ_OVERRIDE_H
#define CCPOLICY_READ_OVERRIDE_H

#include "read_value.h"

/* `profile` is read but for its overrides: an override changes only what it has. */
int ccp_read_override(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, double packet_time_ns,
		      const struct ccp_profile *profile, struct ccp_override *override);

#endif
