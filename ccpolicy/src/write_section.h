/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* write_section.h: sections whose keys have rows, for the writer. Internal. */
#ifndef CCPOLICY_WRITE_SECTION_H
#define CCPOLICY_WRITE_SECTION_H

#include "ccpolicy/keys.h"
#include "emitter.h"

void ccp_write_numbers(struct ccp_emitter *e, const char *key, const uint8_t mask[CCP_PORT_MASK_BYTES]);
void ccp_write_entry(struct ccp_emitter *e, const char *key, const struct ccp_cct_entry *entry);

/* The keys that `present` names, into the map that is open. */
void ccp_write_keys(struct ccp_emitter *e, const struct ccp_key_part *keys, const void *section, uint32_t present);

/* The same as a map called `name`; nothing if `present` is 0. */
void ccp_write_section(struct ccp_emitter *e, const char *name, const struct ccp_key_part *keys, const void *section,
		       uint32_t present);

/* The section `nvidia`; NULL: none. */
void ccp_write_nvidia(struct ccp_emitter *e, const struct ccp_profile_nvidia *nvidia);

#endif
