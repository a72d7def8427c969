/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia_keys.c: the keys of `nvidia.switch`, one row each.
 *
 * Ranges are those of the fields (nvidia_wire.c), but where NVIDIA's OpenSM states a smaller one; units and meanings are from there
 * (infiniband/iba/ib_types.h of 5.24). No defaults of switches are public.
 */
#include "ccpolicy/keys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(type, member) {offsetof(type, member), CCP_NO_PLACE, CCP_NO_PLACE}
#define SWITCH(member) AT(struct ccp_profile_nvidia_switch, member)
#define THRESHOLDS(member) AT(struct ccp_nvidia_thresholds, member)

static const char truth_right[] = "true or false (YAML 1.2 reads on, off, yes and no as strings)";

static const struct ccp_key switch_keys[] = {
	{
		.name = "enable",
		.type = CCP_KEY_BOOL,
		.place = SWITCH(general.en),
		.default_value = true,
		.field = "en",
		.right = truth_right,
		.meaning = "whether switches mark packets",
	},
	{
		.name = "aqs_time",
		.type = CCP_KEY_UINT8,
		.place = SWITCH(general.aqs_time),
		.max = CCP_NVIDIA_AQS_TIME_MAX,
		.required = true,
		.default_value = CCP_NO_DEFAULT,
		.field = "aqs_time",
		.right = "0 to 24: a queue is sampled each 2^aqs_time times 64 ns",
		.meaning = "time between two samples of a queue is 2^aqs_time · 64 ns",
	},
	{
		.name = "aqs_weight",
		.type = CCP_KEY_UINT8,
		.place = SWITCH(general.aqs_weight),
		.max = 15,
		.required = true,
		.default_value = CCP_NO_DEFAULT,
		.field = "aqs_weight",
		.right = "0 (the average is the last sample) to 15: a sample counts 2^-aqs_weight",
		.meaning = "weight of a sample in the average is 2^-aqs_weight",
	},
	{
		.name = "sl_profile",
		.type = CCP_KEY_SL_PROFILES,
		.place = SWITCH(sl_mapping),
		.min = 1,
		.max = CCP_NVIDIA_NUM_PROFILES,
		.default_value = 1,
		.attribute = "CongestionSLMappingSettings",
		.field = "sl_profile",
		.right = "1 to 3, the profile of all SLs, or a list of 16 such numbers, one for each SL",
		.meaning = "threshold profile of all SLs, or of each of the 16",
	},
};

#define PROFILE(index, number)                                                                                                   \
	{                                                                                                                        \
		.name = "profile" number "_min",                                                                                 \
		.type = CCP_KEY_UINT32,                                                                                          \
		.place = THRESHOLDS(values.profiles[index].min),                                                                 \
		.max = 0xFFFFF,                                                                                                  \
		.field = "profile" number "_min",                                                                                \
		.right = "0 to 1048575 units (20 bits), or to 100 in percent",                                                   \
		.meaning = "average queue up to which profile " number " marks no packet",                                       \
	},                                                                                                                       \
		{                                                                                                                \
			.name = "profile" number "_max",                                                                         \
			.type = CCP_KEY_UINT32,                                                                                  \
			.place = THRESHOLDS(values.profiles[index].max),                                                         \
			.max = 0xFFFFF,                                                                                          \
			.field = "profile" number "_max",                                                                        \
			.right = "0 to 1048575 units (20 bits), or to 100 in percent",                                           \
			.meaning = "average queue at which profile " number " marks the share profile" number "_percent",        \
		},                                                                                                               \
	{                                                                                                                        \
		.name = "profile" number "_percent", .type = CCP_KEY_UINT8, .place = THRESHOLDS(values.profiles[index].percent), \
		.max = 100, .unit = "%", .field = "profile" number "_percent",                                                   \
		.right = "0 (marks none) to 100, in percent of the packets",                                                     \
		.meaning = "share of packets that profile " number " marks at profile" number "_max",                            \
	}

static const struct ccp_key threshold_keys[] = {
	{
		.name = "vls",
		.type = CCP_KEY_SLS,
		.place = THRESHOLDS(values.vl_mask),
		.max = 14,
		.default_value = CCP_NVIDIA_ALL_VLS,
		.field = "vl_mask",
		.right = "all or a list of data VLs, each 0 to 14",
		.meaning = "VLs that have these thresholds",
	},
	{
		.name = "unit",
		.type = CCP_KEY_WORD,
		.place = THRESHOLDS(unit),
		.required = true,
		.default_value = CCP_NO_DEFAULT,
		.words = ccp_threshold_unit_words,
		.field = "mode",
		.right = "bytes, kilobytes (which not all switches have) or percent (of the port's share of the buffer)",
		.meaning = "unit of each min and max: bytes, kilobytes, or percent of the port's share of the buffer",
	},
	PROFILE(0, "1"),
	PROFILE(1, "2"),
	PROFILE(2, "3"),
};

const struct ccp_key_part ccp_nvidia_switch_keys = {
	"nvidia.switch", "CongestionSwitchGeneralSettings", switch_keys, COUNT(switch_keys), NULL, 0};
const struct ccp_key_part ccp_nvidia_threshold_keys = {
	"nvidia.switch.thresholds[]", "CongestionPortProfileSettings", threshold_keys, COUNT(threshold_keys), NULL, 0};
const char *const ccp_threshold_unit_words[] = {
	[CCP_THRESHOLD_BYTES] = "bytes",
	[CCP_THRESHOLD_KILOBYTES] = "kilobytes",
	[CCP_THRESHOLD_PERCENT] = "percent",
	NULL,
};
