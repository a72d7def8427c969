/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "keys.h"

#define SW(member) offsetof(struct ccp_profile_switch, member)
#define CA(member) offsetof(struct ccp_profile_ca, member)

static const char mask_right[] = "none, all, ca_ports (the ports that face channel adapters) or a list of ports, each 1 to 254";

const struct ccp_key_row ccp_switch_keys[CCP_NUM_SWITCH_KEYS] = {
	{"threshold", CCP_KEY_U8, SW(threshold), CCP_SWITCH_THRESHOLD, 15, true,
	 "0 (never marks) or 1 (marks late) to 15 (marks early)"},
	{"marking_rate", CCP_KEY_U16, SW(marking_rate), CCP_SWITCH_MARKING_RATE, 65535, false,
	 "0 (marks each eligible packet) to 65535, the mean number of packets between two marks"},
	{"packet_size", CCP_KEY_U8, SW(packet_size), CCP_SWITCH_PACKET_SIZE, 255, false,
	 "0 (packets of any size are marked) to 255, in units of 64 bytes"},
	{"victim_mask", CCP_KEY_MASK, SW(victim_mask), CCP_SWITCH_VICTIM_MASK, 0, false, mask_right},
	{"credit_mask", CCP_KEY_MASK, SW(credit_mask), CCP_SWITCH_CREDIT_MASK, 0, false, mask_right},
	{"cs_threshold", CCP_KEY_U8, SW(cs_threshold), CCP_SWITCH_CS_THRESHOLD, 15, false,
	 "0 (off) to 15, the Threshold of credit starvation"},
	{"cs_return_delay", CCP_KEY_ENTRY, SW(cs_return_delay), CCP_SWITCH_CS_RETURN_DELAY, 0, false,
	 "{shift: 0 to 3, multiplier: 0 to 16383}"},
};

const struct ccp_key_row ccp_ca_keys[CCP_NUM_CA_KEYS] = {
	{"level", CCP_KEY_LEVEL, CA(level), CCP_CA_LEVEL, 0, false, "qp (throttles queue pairs) or sl (throttles SLs)"},
	{"sls", CCP_KEY_SLS, CA(sls), CCP_CA_SLS, 0, false, "all or a list of SLs, each 0 to 15"},
	{"ccti_timer", CCP_KEY_U16, CA(ccti_timer), CCP_CA_CCTI_TIMER, 65535, true, "0 to 65535, in units of 1.024 microseconds"},
	{"ccti_increase", CCP_KEY_U8, CA(ccti_increase), CCP_CA_CCTI_INCREASE, 255, true,
	 "0 to 255, added to the CCTI by a BECN"},
	{"ccti_min", CCP_KEY_U8, CA(ccti_min), CCP_CA_CCTI_MIN, 255, false, "0 to 255, and at most the CCTI_Limit"},
	{"trigger_threshold", CCP_KEY_U8, CA(trigger_threshold), CCP_CA_TRIGGER_THRESHOLD, 255, false,
	 "0 (never logs) to 255, the CCTI at which an event is logged"},
};

const char *const ccp_role_words[] = {
	[CCP_ROLE_ANY] = "",
	[CCP_ROLE_SWITCH] = "switch",
	[CCP_ROLE_LEAF] = "leaf",
	[CCP_ROLE_SPINE] = "spine",
	[CCP_ROLE_CA] = "ca",
	[CCP_ROLE_HOST] = "host",
	[CCP_ROLE_AGGREGATION] = "aggregation",
	NULL,
};

const char *const ccp_mask_words[] = {
	[CCP_MASK_NONE] = "none",
	[CCP_MASK_ALL] = "all",
	[CCP_MASK_CA_PORTS] = "ca_ports",
	NULL,
};

const char *const ccp_level_words[] = {[CCP_LEVEL_QP] = "qp", [CCP_LEVEL_SL] = "sl", NULL};

const char *const ccp_limit_mode_words[] = {[CCP_LIMIT_FINAL] = "final", [CCP_LIMIT_PER_BLOCK] = "per_block", NULL};

const char *const ccp_port_match_words[] = {
	[CCP_PORTS_ANY] = "", [CCP_PORTS_LISTED] = "", [CCP_PORTS_CA] = "ca_ports", [CCP_PORTS_SWITCH] = "switch_ports", NULL,
};
