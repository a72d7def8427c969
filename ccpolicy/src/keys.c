/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/keys.h"

#include <assert.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A key has the same name in the profile and in the tables. */
#define SWITCH(member) {offsetof(struct ccp_profile_switch, member), offsetof(struct ccp_switch_setting, member), CCP_NO_PLACE}
#define SWITCH_AND_PORT(member)                                                                                                  \
	{offsetof(struct ccp_profile_switch, member), offsetof(struct ccp_switch_setting, member),                               \
	 offsetof(struct ccp_switch_port_setting, member)}
#define CA(member) {offsetof(struct ccp_profile_ca, member), offsetof(struct ccp_ca_sl_setting, member), CCP_NO_PLACE}
#define CA_PORT(member) {offsetof(struct ccp_profile_ca, member), CCP_NO_PLACE, CCP_NO_PLACE}

static const char mask_right[] = "none, all, ca_ports (the ports that face channel adapters) or a list of ports, each 1 to 254";
static const char packet_times_right[] = "a number of packet times above 0, at most 16383";

const struct ccp_key ccp_enable_key = {
	.name = "enable",
	.type = CCP_KEY_BOOL,
	.default_value = true,
	.right = "true or false (YAML 1.2 reads on, off, yes and no as strings)",
	.meaning = "whether devices do congestion control; false clears their settings",
};

const struct ccp_key ccp_link_keys[CCP_NUM_LINK_KEYS] = {
	[CCP_LINK_RATE_GBPS] =
		{
			.name = "rate_gbps",
			.type = CCP_KEY_REAL,
			.max = CCP_RATE_GBPS_MAX,
			.above_min = true,
			.required = true,
			.default_value = CCP_NO_DEFAULT,
			.unit = "Gb/s",
			.right = "a data rate in Gb/s above 0, at most 100000 (16 for 4xDDR)",
			.meaning = "data rate after line encoding of the link that microseconds refer to",
		},
	[CCP_LINK_MTU_BYTES] =
		{
			.name = "mtu_bytes",
			.type = CCP_KEY_MTU,
			.min = 256,
			.max = 4096,
			.required = true,
			.default_value = CCP_NO_DEFAULT,
			.unit = "bytes",
			.right = "256, 512, 1024, 2048 or 4096",
			.meaning = "MTU of the link that microseconds refer to",
		},
};

static const struct ccp_key switch_keys[] = {
	{
		.name = "threshold",
		.type = CCP_KEY_UINT8,
		.place = SWITCH_AND_PORT(threshold),
		.max = 15,
		.required = true,
		.default_value = CCP_NO_DEFAULT,
		.field = "Threshold",
		.right = "0 (never marks) or 1 (marks late) to 15 (marks early)",
		.meaning = "how early a queue counts as congested: 0 never, 1 late … 15 early",
	},
	{
		.name = "marking_rate",
		.type = CCP_KEY_UINT16,
		.place = SWITCH_AND_PORT(marking_rate),
		.max = 65535,
		.unit = "packets",
		.field = "Marking_Rate",
		.right = "0 (marks each eligible packet) to 65535, the mean number of packets between two marks",
		.meaning = "mean number n of packets between two marks: each is marked with probability 1/(n+1)",
	},
	{
		.name = "packet_size",
		.type = CCP_KEY_UINT8,
		.place = SWITCH_AND_PORT(packet_size),
		.max = 255,
		.unit = "64 bytes",
		.field = "Packet_Size",
		.right = "0 (packets of any size are marked) to 255, in units of 64 bytes",
		.meaning = "size below which packets are not marked",
	},
	{
		.name = "victim_mask",
		.type = CCP_KEY_MASK,
		.place = SWITCH(victim_mask),
		.default_value = CCP_MASK_NONE,
		.field = "Victim_Mask",
		.right = mask_right,
		.meaning = "ports that mark packets even while they lack credits themselves",
	},
	{
		.name = "credit_mask",
		.type = CCP_KEY_MASK,
		.place = SWITCH(credit_mask),
		.default_value = CCP_MASK_NONE,
		.field = "Credit_Mask",
		.right = mask_right,
		.meaning = "ports that apply credit starvation",
	},
	{
		.name = "cs_threshold",
		.type = CCP_KEY_UINT8,
		.place = SWITCH(cs_threshold),
		.max = 15,
		.field = "CS_Threshold",
		.right = "0 (off) to 15, the Threshold of credit starvation",
		.meaning = "threshold of credit starvation, for the ports of credit_mask",
	},
	{
		.name = "cs_return_delay",
		.type = CCP_KEY_ENTRY,
		.place = SWITCH(cs_return_delay),
		.field = "CS_ReturnDelay",
		.right = "{shift: 0 to 3, multiplier: 0 to 16383}",
		.meaning = "time for which credit starvation holds credits back, in the form of a CCT entry",
	},
};

static const struct ccp_key ca_keys[] = {
	{
		.name = "level",
		.type = CCP_KEY_WORD,
		.place = CA_PORT(level),
		.default_value = CCP_LEVEL_QP,
		.words = ccp_level_words,
		.field = "Port_Control",
		.right = "qp (throttles queue pairs) or sl (throttles SLs)",
		.meaning = "what a BECN throttles: qp, its queue pair; sl, all flows of its port and SL",
	},
	{
		.name = "sls",
		.type = CCP_KEY_SLS,
		.place = CA_PORT(sls),
		.max = CCP_NUM_SLS - 1,
		.default_value = CCP_ALL_SLS,
		.field = "Control_Map",
		.right = "all or a list of SLs, each 0 to 15",
		.meaning = "SLs under congestion control",
	},
	{
		.name = "ccti_timer",
		.type = CCP_KEY_UINT16,
		.place = CA(ccti_timer),
		.max = 65535,
		.required = true,
		.default_value = CCP_NO_DEFAULT,
		.unit = "1.024 µs",
		.field = "CCTI_Timer",
		.right = "0 to 65535, in units of 1.024 microseconds",
		.meaning = "time after which a flow's CCTI falls by 1",
	},
	{
		.name = "ccti_increase",
		.type = CCP_KEY_UINT8,
		.place = CA(ccti_increase),
		.max = 255,
		.required = true,
		.default_value = CCP_NO_DEFAULT,
		.field = "CCTI_Increase",
		.right = "0 to 255, added to the CCTI by a BECN",
		.meaning = "number that each BECN adds to a flow's CCTI; 0 never throttles",
	},
	{
		.name = "ccti_min",
		.type = CCP_KEY_UINT8,
		.place = CA(ccti_min),
		.max = 255,
		.field = "CCTI_Min",
		.right = "0 to 255, and at most the CCTI_Limit",
		.meaning = "lowest CCTI; above 0, flows are always throttled",
	},
	{
		.name = "trigger_threshold",
		.type = CCP_KEY_UINT8,
		.place = CA(trigger_threshold),
		.max = 255,
		.field = "Trigger_Threshold",
		.right = "0 (never logs) to 255, the CCTI at which an event is logged",
		.meaning = "CCTI at which an adapter logs an event; 0 logs none",
	},
};

const struct ccp_key ccp_cct_keys[CCP_NUM_CCT_KEYS] = {
	[CCP_CCT_CCTI_LIMIT] =
		{
			.name = "ccti_limit",
			.type = CCP_KEY_UINT16,
			.max = CCP_CCTI_LIMIT_MAX,
			.default_value = CCP_NO_DEFAULT,
			.field = "CCTI_Limit",
			.right = "0 to 16319 (255 blocks of 64 entries, less one), the largest index of the table",
			.meaning = "largest index of the table; with entries, their number less one",
		},
	[CCP_CCT_ENTRY_LIST] =
		{
			.name = "entries",
			.type = CCP_KEY_ENTRIES,
			.default_value = CCP_NO_DEFAULT,
			.right = "a list of 1 to 16320 entries {shift: 0 to 3, multiplier: 0 to 16383}",
			.meaning = "the table itself, from index 0",
		},
	[CCP_CCT_LIMIT_MODE] =
		{
			.name = "limit_mode",
			.type = CCP_KEY_WORD,
			.default_value = CCP_LIMIT_FINAL,
			.words = ccp_limit_mode_words,
			.right = "final (the last CCTI_Limit in each block) or per_block (the limit reached with the block)",
			.meaning = "CCTI_Limit in each block of the table: final, the table's; per_block, the one reached with "
				   "the block",
		},
};

const struct ccp_key ccp_curve_keys[CCP_NUM_CURVE_KEYS] = {
	[CCP_CURVE_KIND] =
		{
			.name = "kind",
			.type = CCP_KEY_WORD,
			.required = true,
			.default_value = CCP_NO_DEFAULT,
			.words = ccp_curve_kind_words,
			.right = "power or geometric",
			.meaning = "power: delay = full scale · (index/at_index)^exponent; geometric: equal ratios from first to "
				   "last",
		},
	[CCP_CURVE_FIRST] =
		{
			.name = "first",
			.type = CCP_KEY_REAL,
			.max = CCP_MULTIPLIER_MAX,
			.above_min = true,
			.default_value = CCP_NO_DEFAULT,
			.unit = "packet times",
			.right = packet_times_right,
			.meaning = "delay at index 1",
		},
	[CCP_CURVE_LAST] =
		{
			.name = "last",
			.type = CCP_KEY_REAL,
			.max = CCP_MULTIPLIER_MAX,
			.above_min = true,
			.default_value = CCP_NO_DEFAULT,
			.unit = "packet times",
			.right = packet_times_right,
			.meaning = "delay at the CCTI_Limit",
		},
	[CCP_CURVE_FULL_SCALE_US] =
		{
			.name = "full_scale_us",
			.type = CCP_KEY_REAL,
			.max = CCP_FULL_SCALE_US_MAX,
			.above_min = true,
			.default_value = CCP_NO_DEFAULT,
			.unit = "µs",
			.right = "a number of microseconds above 0, at most 1000000",
			.meaning = "delay between packets at at_index",
		},
	[CCP_CURVE_FULL_SCALE_PACKET_TIMES] =
		{
			.name = "full_scale_packet_times",
			.type = CCP_KEY_REAL,
			.max = CCP_FULL_SCALE_PACKET_TIMES_MAX,
			.above_min = true,
			.default_value = CCP_NO_DEFAULT,
			.unit = "packet times",
			.right = "a number of packet times above 0, at most 1000000",
			.meaning = "delay between packets at at_index",
		},
	[CCP_CURVE_AT_INDEX] =
		{
			.name = "at_index",
			.type = CCP_KEY_UINT16,
			.min = 1,
			.max = CCP_CCTI_LIMIT_MAX,
			.default_value = CCP_NO_DEFAULT,
			.right = "the index, 1 to 16319, at which the curve is at full scale",
			.meaning = "index at which the curve reaches its full scale; without it, the CCTI_Limit",
		},
	[CCP_CURVE_EXPONENT] =
		{
			.name = "exponent",
			.type = CCP_KEY_REAL,
			.max = CCP_EXPONENT_MAX,
			.above_min = true,
			.default_value = CCP_NO_DEFAULT,
			.right = "a number above 0, at most 16",
			.meaning = "how steeply the delays rise",
		},
	[CCP_CURVE_KNEE_AT] =
		{
			.name = "knee_at",
			.type = CCP_KEY_REAL,
			.max = 1,
			.above_min = true,
			.default_value = CCP_NO_DEFAULT,
			.right = "a part of at_index, above 0, at most 1",
			.meaning = "part of at_index from which on end_exponent holds; without it, 0.5",
		},
	[CCP_CURVE_END_EXPONENT] =
		{
			.name = "end_exponent",
			.type = CCP_KEY_REAL,
			.max = CCP_EXPONENT_MAX,
			.above_min = true,
			.default_value = CCP_NO_DEFAULT,
			.right = "a number above 0, at most 16",
			.meaning = "how steeply the delays rise from the knee on; without it, as exponent says",
		},
};

static_assert(COUNT(switch_keys) <= CCP_SECTION_KEYS_MAX && COUNT(ca_keys) <= CCP_SECTION_KEYS_MAX, "bits of `present`");

static const struct ccp_key_part document_part = {"", NULL, &ccp_enable_key, 1, NULL, 0};
static const struct ccp_key_part link_part = {"link", NULL, ccp_link_keys, CCP_NUM_LINK_KEYS, NULL, 0};
const struct ccp_key_part ccp_switch_keys = {"switch", "SwitchCongestionSetting", switch_keys, COUNT(switch_keys), NULL, 0};
const struct ccp_key_part ccp_ca_keys = {"ca", "CACongestionSetting", ca_keys, COUNT(ca_keys), NULL, 0};
static const struct ccp_key_part cct_part = {"cct", "CongestionControlTable", ccp_cct_keys, CCP_CCT_LIMIT_MODE, NULL, 0};
static const struct ccp_key_part curve_part = {"cct.curve", NULL, ccp_curve_keys, CCP_NUM_CURVE_KEYS, NULL, 0};
static const struct ccp_key_part rest_of_cct_part = {"cct", "CongestionControlTable", &ccp_cct_keys[CCP_CCT_LIMIT_MODE], 1, NULL,
						     0};

const struct ccp_key_part *const ccp_key_parts[] = {
	&document_part,
	&link_part,
	&ccp_switch_keys,
	&ccp_ca_keys,
	&cct_part,
	&curve_part,
	&rest_of_cct_part,
	&ccp_nvidia_switch_keys,
	&ccp_nvidia_threshold_keys,
	&ccp_nvidia_adapter_keys,
	&ccp_nvidia_rp_keys,
	&ccp_nvidia_np_keys,
	&ccp_nvidia_ppcc_keys,
	NULL,
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

const char *const ccp_curve_kind_words[] = {[CCP_CURVE_POWER] = "power", [CCP_CURVE_GEOMETRIC] = "geometric", NULL};

const char *const ccp_port_match_words[] = {
	[CCP_PORTS_ANY] = "", [CCP_PORTS_LISTED] = "", [CCP_PORTS_CA] = "ca_ports", [CCP_PORTS_SWITCH] = "switch_ports", NULL,
};
