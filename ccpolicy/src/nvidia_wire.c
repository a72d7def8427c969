/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* nvidia_wire.c: rows of NVIDIA's attributes; wire.c packs and unpacks by them. */
#include "ccpolicy/nvidia_wire.h"

#include "wire_rows.h"

static const struct ccp_wire_field enhanced_info_fields[] = {
	READ_ONLY(struct ccp_enhanced_congestion_info, ver0, "ver0Supported", 0, 1),
	READ_ONLY(struct ccp_enhanced_congestion_info, ver1, "ver1Supported", 1, 1),
	READ_ONLY(struct ccp_enhanced_congestion_info, cc_capability_mask, "CC_Capability_Mask", 64, 64),
};

/* The header's comment puts `en` at bit 2; its mask, which its code uses, is the least significant bit. */
static const struct ccp_wire_field switch_general_fields[] = {
	ONE(struct ccp_congestion_switch_general_settings, en, "en", 7, 1),
	ONE(struct ccp_congestion_switch_general_settings, aqs_weight, "aqs_weight", 20, 4),
	ONE(struct ccp_congestion_switch_general_settings, aqs_time, "aqs_time", 24, 8),
	READ_ONLY(struct ccp_congestion_switch_general_settings, cap_total_buffer_size, "cap_total_buffer_size", 32, 32),
	READ_ONLY(struct ccp_congestion_switch_general_settings, cap_cc_profile_step_size, "cap_cc_profile_step_size", 88, 8),
};

/* Percent and max of a profile share a word. */
#define THRESHOLDS(index, number, offset)                                                                                        \
	ONE(struct ccp_congestion_port_profile_settings, profiles[index].min, "profile" number "_min", (offset) + 12, 20),       \
		ONE(struct ccp_congestion_port_profile_settings, profiles[index].percent, "profile" number "_percent",           \
		    (offset) + 33, 7),                                                                                           \
		ONE(struct ccp_congestion_port_profile_settings, profiles[index].max, "profile" number "_max", (offset) + 44,    \
		    20)

static const struct ccp_wire_field port_profile_fields[] = {
	ONE(struct ccp_congestion_port_profile_settings, mode, "mode", 0, 1),
	ONE(struct ccp_congestion_port_profile_settings, granularity, "granularity", 1, 1),
	ONE(struct ccp_congestion_port_profile_settings, vl_mask, "vl_mask", 16, 16),
	THRESHOLDS(0, "1", 32),
	THRESHOLDS(1, "2", 96),
	THRESHOLDS(2, "3", 160),
};

/* SL 0 has the two most significant bits. */
static const struct ccp_wire_field sl_mapping_fields[] = {
	ELEMENTS(struct ccp_congestion_sl_mapping_settings, sl_profile, "sl_profile", 0, 2, 2),
};

static const struct ccp_wire_field hca_general_fields[] = {
	ONE(struct ccp_congestion_hca_general_settings, en_notify, "en_notify", 0, 1),
	ONE(struct ccp_congestion_hca_general_settings, en_react, "en_react", 1, 1),
	ONE(struct ccp_congestion_hca_general_settings, en_cc_per_plane, "en_cc_per_plane", 2, 1),
};

static const struct ccp_wire_field hca_rp_fields[] = {
	ONE(struct ccp_congestion_hca_rp_parameters, clamp_tgt_rate, "clamp_tgt_rate", 0, 1),
	ONE(struct ccp_congestion_hca_rp_parameters, clamp_tgt_rate_after_time_inc, "clamp_tgt_rate_after_time_inc", 1, 1),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_time_reset, "rpg_time_reset", 47, 17),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_byte_reset, "rpg_byte_reset", 77, 19),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_threshold, "rpg_threshold", 123, 5),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_max_rate, "rpg_max_rate", 141, 19),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_ai_rate, "rpg_ai_rate", 176, 16),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_hai_rate, "rpg_hai_rate", 208, 16),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_gd, "rpg_gd", 252, 4),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_min_dec_fac, "rpg_min_dec_fac", 281, 7),
	ONE(struct ccp_congestion_hca_rp_parameters, rpg_min_rate, "rpg_min_rate", 301, 19),
	ONE(struct ccp_congestion_hca_rp_parameters, rate_to_set_on_first_cnp, "rate_to_set_on_first_cnp", 320, 32),
	ONE(struct ccp_congestion_hca_rp_parameters, dce_tcp_g, "dce_tcp_g", 374, 10),
	ONE(struct ccp_congestion_hca_rp_parameters, dce_tcp_rtt, "dce_tcp_rtt", 399, 17),
	ONE(struct ccp_congestion_hca_rp_parameters, rate_reduce_monitor_period, "rate_reduce_monitor_period", 416, 32),
	ONE(struct ccp_congestion_hca_rp_parameters, initial_alpha_value, "initial_alpha_value", 470, 10),
};

static const struct ccp_wire_field hca_np_fields[] = {
	ONE(struct ccp_congestion_hca_np_parameters, min_time_between_cnps, "min_time_between_cnps", 16, 16),
	ONE(struct ccp_congestion_hca_np_parameters, rtt_sl_mode, "rtt_sl_mode", 46, 1),
	ONE(struct ccp_congestion_hca_np_parameters, cnp_sl_mode, "cnp_sl_mode", 47, 1),
	ONE(struct ccp_congestion_hca_np_parameters, rtt_resp_sl, "rtt_resp_sl", 52, 4),
	ONE(struct ccp_congestion_hca_np_parameters, cnp_sl, "cnp_sl", 60, 4),
};

#define ALGO_HEAD(type)                                                                                                          \
	ONE(type, algo_en, "algo_en", 0, 1), READ_ONLY(type, algo_status, "algo_status", 1, 1),                                  \
		ONE(type, trace_en, "trace_en", 2, 1), ONE(type, counters_en, "counters_en", 3, 1),                              \
		ONE(type, sl_bitmask, "sl_bitmask", 32, 16), ONE(type, encap_len, "encap_len", 48, 8),                           \
		ONE(type, encap_type, "encap_type", 60, 4)

static const struct ccp_wire_field algo_config_fields[] = {
	ALGO_HEAD(struct ccp_congestion_hca_algo_config),
	ONE(struct ccp_congestion_hca_algo_config, encapsulation, "encapsulation", 128, 8 * CCP_PPCC_ENCAPSULATION_BYTES),
};

static const struct ccp_wire_field algo_support_fields[] = {
	ALGO_HEAD(struct ccp_congestion_hca_algo_config_support),
	EACH(struct ccp_congestion_hca_algo_config_support, algorithms, algo_id, "algo_id", 128, 16, 32),
	EACH(struct ccp_congestion_hca_algo_config_support, algorithms, major, "algo_major_version", 144, 8, 32),
	EACH(struct ccp_congestion_hca_algo_config_support, algorithms, minor, "algo_minor_version", 152, 8, 32),
};

static const struct ccp_wire_field algo_params_fields[] = {
	READ_ONLY(struct ccp_congestion_hca_algo_config_params, sl_bitmask, "sl_bitmask", 32, 16),
	ONE(struct ccp_congestion_hca_algo_config_params, encap_len, "encap_len", 48, 8),
	ONE(struct ccp_congestion_hca_algo_config_params, encap_type, "encap_type", 60, 4),
	ELEMENTS(struct ccp_congestion_hca_algo_config_params, parameters, "parameter", 128, 32, 32),
};

const struct ccp_wire_attribute ccp_nvidia_attributes[] = {
	ATTRIBUTE(CCP_ENHANCED_CONGESTION_INFO, "EnhancedCongestionInfo", enhanced_info_fields),
	ATTRIBUTE(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, "CongestionSwitchGeneralSettings", switch_general_fields),
	ATTRIBUTE(CCP_CONGESTION_PORT_PROFILE_SETTINGS, "CongestionPortProfileSettings", port_profile_fields),
	ATTRIBUTE(CCP_CONGESTION_SL_MAPPING_SETTINGS, "CongestionSLMappingSettings", sl_mapping_fields),
	ATTRIBUTE(CCP_CONGESTION_HCA_GENERAL_SETTINGS, "CongestionHCAGeneralSettings", hca_general_fields),
	ATTRIBUTE(CCP_CONGESTION_HCA_RP_PARAMETERS, "CongestionHCARPParameters", hca_rp_fields),
	ATTRIBUTE(CCP_CONGESTION_HCA_NP_PARAMETERS, "CongestionHCANPParameters", hca_np_fields),
	ATTRIBUTE(CCP_CONGESTION_HCA_ALGO_CONFIG, "CongestionHCAAlgoConfig", algo_config_fields),
	ATTRIBUTE(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, "CongestionHCAAlgoConfig (algorithms)", algo_support_fields),
	ATTRIBUTE(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, "CongestionHCAAlgoConfigParams", algo_params_fields),
};
const unsigned ccp_num_nvidia_attributes = sizeof(ccp_nvidia_attributes) / sizeof(ccp_nvidia_attributes[0]);
