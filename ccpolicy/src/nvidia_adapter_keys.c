/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia_adapter_keys.c: the keys of `nvidia.adapter`, one row each.
 *
 * Ranges are those of the fields (nvidia_wire.c), but where zero or more than 100 % makes no sense; units and meanings are those of
 * NVIDIA's OpenSM. Defaults of RP and NP parameters are those that ConnectX documents for RoCE under the same names: the page "DCQCN
 * Parameters" (DOC-2790), the DOCA guide's page of the same name, and mlx5's cc_params.
 */
#include <assert.h>

#include "ccpolicy/keys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(type, member) {offsetof(type, member), CCP_NO_PLACE, CCP_NO_PLACE}
#define ADAPTER(member) AT(struct ccp_profile_nvidia_adapter, member)
#define RP(member) AT(struct ccp_congestion_hca_rp_parameters, member)
#define NP(member) AT(struct ccp_congestion_hca_np_parameters, member)
#define SLOT(member) AT(struct ccp_ppcc_slot, member)

static const char truth_right[] = "true or false (YAML 1.2 reads on, off, yes and no as strings)";
static const char sl_right[] = "an SL, 0 to 15";

static const struct ccp_key adapter_keys[] = {
	{
		.name = "notify",
		.type = CCP_KEY_BOOL,
		.place = ADAPTER(general.en_notify),
		.default_value = true,
		.field = "en_notify",
		.right = truth_right,
		.meaning = "whether an adapter answers marked packets with CNPs",
	},
	{
		.name = "react",
		.type = CCP_KEY_BOOL,
		.place = ADAPTER(general.en_react),
		.default_value = true,
		.field = "en_react",
		.right = truth_right,
		.meaning = "whether an adapter slows down",
	},
	{
		.name = "per_plane",
		.type = CCP_KEY_BOOL,
		.place = ADAPTER(general.en_cc_per_plane),
		.field = "en_cc_per_plane",
		.right = truth_right,
		.meaning = "whether an adapter with several planes treats each by itself",
	},
	{
		.name = "type",
		.type = CCP_KEY_WORD,
		.place = ADAPTER(type),
		.required = true,
		.default_value = CCP_NO_DEFAULT,
		.words = ccp_nvidia_type_words,
		.right = "dcqcn (by rp and np) or ppcc (by algorithms of the firmware)",
		.meaning = "dcqcn: by the values of rp and np; ppcc: by algorithms of the firmware",
	},
};

static const struct ccp_key rp_keys[] = {
	{
		.name = "clamp_tgt_rate",
		.type = CCP_KEY_BOOL,
		.place = RP(clamp_tgt_rate),
		.field = "clamp_tgt_rate",
		.right = truth_right,
		.meaning = "whether each reduction sets the target rate to the current one",
	},
	{
		.name = "clamp_tgt_rate_after_time_inc",
		.type = CCP_KEY_BOOL,
		.place = RP(clamp_tgt_rate_after_time_inc),
		.default_value = true,
		.field = "clamp_tgt_rate_after_time_inc",
		.right = truth_right,
		.meaning = "whether the first reduction after an increase by the timer does so",
	},
	{
		.name = "rpg_time_reset",
		.type = CCP_KEY_UINT32,
		.place = RP(rpg_time_reset),
		.min = 1,
		.max = 0x1FFFF,
		.default_value = 300,
		.unit = "µs",
		.field = "rpg_time_reset",
		.right = "1 to 131071 microseconds (17 bits)",
		.meaning = "time between two increases",
	},
	{
		.name = "rpg_byte_reset",
		.type = CCP_KEY_UINT32,
		.place = RP(rpg_byte_reset),
		.max = 0x7FFFF,
		.default_value = 32767,
		.field = "rpg_byte_reset",
		.right = "0 (no increase by bytes) to 524287 (19 bits)",
		.meaning = "data between two increases, in bytes or in units of 64 (sources disagree); 0: none by data",
	},
	{
		.name = "rpg_threshold",
		.type = CCP_KEY_UINT8,
		.place = RP(rpg_threshold),
		.min = 1,
		.max = 31,
		.default_value = 1,
		.field = "rpg_threshold",
		.right = "1 to 31 increases (5 bits)",
		.meaning = "number of increases until the next phase",
	},
	{
		.name = "rpg_max_rate",
		.type = CCP_KEY_UINT32,
		.place = RP(rpg_max_rate),
		.max = 0x7FFFF,
		.unit = "Mb/s",
		.field = "rpg_max_rate",
		.right = "0 (no limit) to 524287 Mb/s (19 bits)",
		.meaning = "highest rate; 0: no limit",
	},
	{
		.name = "rpg_ai_rate",
		.type = CCP_KEY_UINT16,
		.place = RP(rpg_ai_rate),
		.min = 1,
		.max = 65535,
		.default_value = 5,
		.unit = "Mb/s",
		.field = "rpg_ai_rate",
		.right = "1 to 65535 Mb/s (16 bits)",
		.meaning = "step of an additive increase",
	},
	{
		.name = "rpg_hai_rate",
		.type = CCP_KEY_UINT16,
		.place = RP(rpg_hai_rate),
		.min = 1,
		.max = 65535,
		.default_value = 50,
		.unit = "Mb/s",
		.field = "rpg_hai_rate",
		.right = "1 to 65535 Mb/s (16 bits)",
		.meaning = "step of a hyper increase",
	},
	{
		.name = "rpg_gd",
		.type = CCP_KEY_UINT8,
		.place = RP(rpg_gd),
		.max = 15,
		.default_value = 11,
		.field = "rpg_gd",
		.right = "0 to 15 (4 bits; adapters document 10 and 11)",
		.meaning = "log2 of the divisor of alpha: a reduction takes alpha/2^rpg_gd of the rate, alpha being 1023 at most",
	},
	{
		.name = "rpg_min_dec_fac",
		.type = CCP_KEY_UINT8,
		.place = RP(rpg_min_dec_fac),
		.max = 100,
		.default_value = 50,
		.unit = "%",
		.field = "rpg_min_dec_fac",
		.right = "0 to 100 percent of the rate before",
		.meaning = "share of its rate that a reduction leaves at least",
	},
	{
		.name = "rpg_min_rate",
		.type = CCP_KEY_UINT32,
		.place = RP(rpg_min_rate),
		.min = 1,
		.max = 0x7FFFF,
		.default_value = 1,
		.unit = "Mb/s",
		.field = "rpg_min_rate",
		.right = "1 to 524287 Mb/s (19 bits)",
		.meaning = "lowest rate",
	},
	{
		.name = "rate_to_set_on_first_cnp",
		.type = CCP_KEY_UINT32,
		.place = RP(rate_to_set_on_first_cnp),
		.max = UINT32_MAX,
		.unit = "Mb/s",
		.field = "rate_to_set_on_first_cnp",
		.right = "0 (the port's speed) to 4294967295 Mb/s",
		.meaning = "rate of a flow after its first CNP; 0: the port's speed",
	},
	{
		.name = "dce_tcp_g",
		.type = CCP_KEY_UINT16,
		.place = RP(dce_tcp_g),
		.max = 1023,
		.default_value = 1019,
		.unit = "1/1024",
		.field = "dce_tcp_g",
		.right = "0 to 1023, in units of 1/1024",
		.meaning = "share of alpha that an update keeps; the g of the DCQCN paper is 1 less this",
	},
	{
		.name = "dce_tcp_rtt",
		.type = CCP_KEY_UINT32,
		.place = RP(dce_tcp_rtt),
		.min = 1,
		.max = 0x1FFFF,
		.default_value = 1,
		.unit = "µs",
		.field = "dce_tcp_rtt",
		.right = "1 to 131071 microseconds (17 bits)",
		.meaning = "time between two updates of alpha",
	},
	{
		.name = "rate_reduce_monitor_period",
		.type = CCP_KEY_UINT32,
		.place = RP(rate_reduce_monitor_period),
		.max = UINT32_MAX,
		.default_value = 4,
		.unit = "µs",
		.field = "rate_reduce_monitor_period",
		.right = "0 to 4294967295 microseconds",
		.meaning = "time in which a flow's rate is reduced once at most",
	},
	{
		.name = "initial_alpha_value",
		.type = CCP_KEY_UINT16,
		.place = RP(initial_alpha_value),
		.max = 1023,
		.default_value = 1023,
		.unit = "1/1024",
		.field = "initial_alpha_value",
		.right = "0 to 1023, in units of 1/1024",
		.meaning = "alpha of a flow at its first CNP",
	},
};

/* Rates in Gb/s beside the raw ones. */
enum { RPG_MAX_RATE = 5, RPG_AI_RATE = 6, RPG_HAI_RATE = 7, RPG_MIN_RATE = 10, RATE_TO_SET_ON_FIRST_CNP = 11 };
static const struct ccp_key_alias rp_aliases[] = {
	{"rpg_max_rate_gbps", RPG_MAX_RATE, 1000.0, "Gb/s"},
	{"rpg_ai_rate_gbps", RPG_AI_RATE, 1000.0, "Gb/s"},
	{"rpg_hai_rate_gbps", RPG_HAI_RATE, 1000.0, "Gb/s"},
	{"rpg_min_rate_gbps", RPG_MIN_RATE, 1000.0, "Gb/s"},
	{"rate_to_set_on_first_cnp_gbps", RATE_TO_SET_ON_FIRST_CNP, 1000.0, "Gb/s"},
};

static const struct ccp_key np_keys[] = {
	{
		.name = "min_time_between_cnps",
		.type = CCP_KEY_UINT16,
		.place = NP(min_time_between_cnps),
		.max = 65535,
		.default_value = 4,
		.unit = "µs",
		.field = "min_time_between_cnps",
		.right = "0 to 65535 microseconds",
		.meaning = "time between two CNPs to a flow at least",
	},
	{
		.name = "cnp_sl_mode",
		.type = CCP_KEY_BOOL,
		.place = NP(cnp_sl_mode),
		.field = "cnp_sl_mode",
		.right = truth_right,
		.meaning = "whether CNPs have the SL cnp_sl instead of the marked packet's",
	},
	{
		.name = "cnp_sl",
		.type = CCP_KEY_UINT8,
		.place = NP(cnp_sl),
		.max = 15,
		.field = "cnp_sl",
		.right = sl_right,
		.meaning = "SL of CNPs, with cnp_sl_mode",
	},
	{
		.name = "rtt_sl_mode",
		.type = CCP_KEY_BOOL,
		.place = NP(rtt_sl_mode),
		.field = "rtt_sl_mode",
		.right = truth_right,
		.meaning = "whether answers to RTT packets have the SL rtt_resp_sl instead of the packet's",
	},
	{
		.name = "rtt_resp_sl",
		.type = CCP_KEY_UINT8,
		.place = NP(rtt_resp_sl),
		.max = 15,
		.field = "rtt_resp_sl",
		.right = sl_right,
		.meaning = "SL of answers to RTT packets, with rtt_sl_mode",
	},
};

static const struct ccp_key ppcc_keys[] = {
	{
		.name = "algo_id",
		.type = CCP_KEY_UINT16,
		.place = SLOT(id.algo_id),
		.min = 1,
		.max = 65535,
		.default_value = CCP_NO_DEFAULT,
		.field = "algo_id",
		.right = "1 to 65535, the number of an algorithm",
		.meaning = "number of the algorithm; with major and minor",
	},
	{
		.name = "major",
		.type = CCP_KEY_UINT8,
		.place = SLOT(id.major),
		.max = 255,
		.default_value = CCP_NO_DEFAULT,
		.field = "algo_major_version",
		.right = "0 to 255, the first part of the algorithm's version",
		.meaning = "first part of the algorithm's version",
	},
	{
		.name = "minor",
		.type = CCP_KEY_UINT8,
		.place = SLOT(id.minor),
		.max = 255,
		.default_value = CCP_NO_DEFAULT,
		.field = "algo_minor_version",
		.right = "0 to 255, the second part of the algorithm's version",
		.meaning = "second part of the algorithm's version",
	},
	{
		.name = "algorithm",
		.type = CCP_KEY_NAME,
		.place = SLOT(algorithm),
		.default_value = CCP_NO_DEFAULT,
		.right = "a name of 1 to 31 letters, digits and underscores that begins with no digit",
		.meaning = "name of the algorithm instead, from an algorithm file on the subnet manager's node",
	},
	{
		.name = "sls",
		.type = CCP_KEY_SLS,
		.place = SLOT(sls),
		.max = 15,
		.default_value = 0xFFFF,
		.field = "sl_bitmask",
		.right = "all or a list of SLs, each 0 to 15",
		.meaning = "SLs that the algorithm serves; each SL has one algorithm at most",
	},
	{
		.name = "parameters",
		.type = CCP_KEY_PARAMETERS,
		.place = SLOT(parameters),
		.default_value = CCP_NO_DEFAULT,
		.attribute = "CongestionHCAAlgoConfigParams",
		.field = "parameter",
		.right = "a map of at most 44 parameters, each by its index from 0 to 43 or by its name, to 0 to 4294967295",
		.meaning = "values of the algorithm's parameters, by index or by name; others stay as they are",
	},
};

static_assert(COUNT(rp_keys) <= CCP_SECTION_KEYS_MAX, "bits of `present`");

const struct ccp_key_part ccp_nvidia_adapter_keys = {
	"nvidia.adapter", "CongestionHCAGeneralSettings", adapter_keys, COUNT(adapter_keys), NULL, 0};
const struct ccp_key_part ccp_nvidia_rp_keys = {
	"nvidia.adapter.rp", "CongestionHCARPParameters", rp_keys, COUNT(rp_keys), rp_aliases, COUNT(rp_aliases)};
const struct ccp_key_part ccp_nvidia_np_keys = {
	"nvidia.adapter.np", "CongestionHCANPParameters", np_keys, COUNT(np_keys), NULL, 0};
const struct ccp_key_part ccp_nvidia_ppcc_keys = {
	"nvidia.adapter.ppcc[]", "CongestionHCAAlgoConfig (algorithms)", ppcc_keys, COUNT(ppcc_keys), NULL, 0};

const char *const ccp_nvidia_type_words[] = {[CCP_NVIDIA_DCQCN] = "dcqcn", [CCP_NVIDIA_PPCC] = "ppcc", NULL};
