/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* key_values.h: copies and compares the values of a section's keys, each as its row in keys.h describes it. Internal. */
#ifndef CCPOLICY_KEY_VALUES_H
#define CCPOLICY_KEY_VALUES_H

#include "ccpolicy/keys.h"

/* Bit of `sl_profile` in ccp_nvidia_switch_keys, the one key there that single ports can have. */
#define CCP_NVIDIA_PORT_KEYS (1u << 3)

/* Gives a member the key's default, which it must have. */
void ccp_key_set_default(const struct ccp_key *key, void *to);

/* Copies the keys whose bits are set in `keys` between two structs of a section; `present` stays as it is. */
void ccp_keys_copy(const struct ccp_key_part *section, void *to, const void *from, uint32_t keys);

/* Gives all members of a section's struct their defaults; each key must have one. */
void ccp_keys_set_defaults(const struct ccp_key_part *section, void *to);

/* Copies the keys of a section's struct that have a place in its tables; masks are left to the caller, who knows the ports. */
void ccp_keys_to_tables(const struct ccp_key_part *section, void *tables, const void *from);

/* Copies the keys that single ports can have. */
void ccp_keys_to_port(struct ccp_switch_port_setting *port, const struct ccp_profile_switch *from);

/* Bits of the keys that single ports can have. */
uint32_t ccp_port_keys(void);

/* True if all keys whose bits are set in `keys` have equal values in both structs. */
bool ccp_keys_equal(const struct ccp_key_part *section, const void *a, const void *b, uint32_t keys);

#endif
