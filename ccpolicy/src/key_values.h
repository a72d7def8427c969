/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* key_values.h: copies and compares the values of keys, each as its row in keys.h describes it. Internal. */
#ifndef CCPOLICY_KEY_VALUES_H
#define CCPOLICY_KEY_VALUES_H

#include "ccpolicy/keys.h"

/* Copies the value of one key from member to member. */
void ccp_key_copy(const struct ccp_key *key, void *to, const void *from);

/* Gives a member the key's default, which it must have. */
void ccp_key_set_default(const struct ccp_key *key, void *to);

/* Copies the keys whose bits are set in `keys` between two structs of a section; `present` stays as it is. */
void ccp_keys_copy(const struct ccp_key_part *section, void *to, const void *from, uint32_t keys);

/* True if all keys whose bits are set in `keys` have equal values in both structs. */
bool ccp_keys_equal(const struct ccp_key_part *section, const void *a, const void *b, uint32_t keys);

/* Bits of the keys of `switch` that single ports can have. */
uint32_t ccp_port_keys(void);

#endif
