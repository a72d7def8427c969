/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* port_words.h: the values of a port in words, as the control socket has them. NULL or 0: not known. */
#ifndef IBCC_PORT_WORDS_H
#define IBCC_PORT_WORDS_H

#include <stdint.h>

#include "ccpolicy/fabric_view.h"
#include "devices/subnet_port.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const char *const ibcc_subnet_kind_words[IBCC_NUM_SUBNET_KINDS]; /* "switch", "ca", "router" */

enum ibcc_subnet_kind ibcc_subnet_kind_of(enum ccp_node_kind kind);

const char *ibcc_port_state_word(uint8_t state);       /* of PortState: "down", "init", "armed", "active" */
const char *ibcc_port_physical_word(uint8_t physical); /* of PortPhysicalState: "polling", "link-up", ... */

/* The greatest of a mask, as of struct ibcc_subnet_port: "4x"; "NDR". */
const char *ibcc_width_word(uint8_t mask);
const char *ibcc_speed_word(uint8_t mask);

unsigned ibcc_mtu_bytes(uint8_t code); /* of NeighborMTU */

#ifdef __cplusplus
}
#endif
#endif
