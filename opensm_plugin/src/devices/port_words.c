/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/port_words.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const ibcc_subnet_kind_words[IBCC_NUM_SUBNET_KINDS] = {
	[IBCC_SUBNET_SWITCH] = "switch",
	[IBCC_SUBNET_CA] = "ca",
	[IBCC_SUBNET_ROUTER] = "router",
};
static const char *const states[] = {NULL, "down", "init", "armed", "active"};
static const char *const physical_states[] = {NULL,       "sleep",   "polling",        "disabled",
					      "training", "link-up", "error-recovery", "phy-test"};
/* Words by the bit of a speed, and of a width, the narrowest first. */
static const char *const speeds[] = {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR"};
static const struct {
	uint8_t bit;
	const char *word;
} widths[] = {{1, "1x"}, {16, "2x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}};

enum ibcc_subnet_kind ibcc_subnet_kind_of(enum ccp_node_kind kind)
{
	return kind == CCP_NODE_SWITCH ? IBCC_SUBNET_SWITCH : kind == CCP_NODE_ROUTER ? IBCC_SUBNET_ROUTER : IBCC_SUBNET_CA;
}

const char *ibcc_port_state_word(uint8_t state)
{
	return state < COUNT(states) ? states[state] : NULL;
}

const char *ibcc_port_physical_word(uint8_t physical)
{
	return physical < COUNT(physical_states) ? physical_states[physical] : NULL;
}

const char *ibcc_width_word(uint8_t mask)
{
	for (size_t i = COUNT(widths); i-- > 0;) {
		if (mask & widths[i].bit)
			return widths[i].word;
	}
	return NULL;
}

const char *ibcc_speed_word(uint8_t mask)
{
	for (size_t i = COUNT(speeds); i-- > 0;) {
		if (mask & 1u << i)
			return speeds[i];
	}
	return NULL;
}

unsigned ibcc_mtu_bytes(uint8_t code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}
