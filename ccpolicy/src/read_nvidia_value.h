/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* read_nvidia_value.h: single values of the section `nvidia`, for the reader of sections. Internal. As in read_value.h. */
#ifndef CCPOLICY_READ_NVIDIA_VALUE_H
#define CCPOLICY_READ_NVIDIA_VALUE_H

#include "ccpolicy/keys.h"
#include "read_value.h"

/* Values of the types that only `nvidia` has: a number or 16 for the SLs, a name, and parameters of a PPCC algorithm. */
int ccp_read_sl_profiles(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			 const struct ccp_key *key, struct ccp_congestion_sl_mapping_settings *value);
int ccp_read_name(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, const struct ccp_key *key,
		  char value[CCP_PPCC_NAME_BYTES]);
int ccp_read_parameters(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			const struct ccp_key *key, struct ccp_ppcc_parameters *value);

#endif
