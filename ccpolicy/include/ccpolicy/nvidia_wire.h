/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia_wire.h: the attributes of class 0x21 that NVIDIA's switches and adapters have beside those of annex A10.
 *
 * Switches mark by an averaged queue between two thresholds; adapters run DCQCN or an algorithm of their firmware (PPCC). The layouts
 * are those of NVIDIA's OpenSM 5.24 (infiniband/iba/ib_types.h) and of ibis (ibis_types.h); members have the names there. No public
 * source states the attribute modifiers, nor the layouts of 0xFF23 (statistics) and 0xFF26 (counters), which are left out. The same
 * numbers mean other things in class 0x01 and 0x81, so the class always belongs to the number.
 */
#ifndef CCPOLICY_NVIDIA_WIRE_H
#define CCPOLICY_NVIDIA_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_NVIDIA_NUM_VLS 16u
#define CCP_NVIDIA_ALL_VLS 0xFFFFu
#define CCP_NVIDIA_NUM_PROFILES 3u
#define CCP_NVIDIA_AQS_TIME_MAX 24u
#define CCP_PPCC_SLOTS 16u
#define CCP_PPCC_PARAMETERS_MAX 44u
#define CCP_PPCC_ENCAPSULATION_BYTES 176u

/* EnhancedCongestionInfo, 0xFF00: what a device supports. */
#define CCP_ENHANCED_CAP_STATISTICS (1ull << 1)
#define CCP_ENHANCED_CAP_PPCC (1ull << 2)
#define CCP_ENHANCED_CAP_GRANULARITY (1ull << 3)
#define CCP_ENHANCED_CAP_RTT_SL_MODE (1ull << 4)
#define CCP_ENHANCED_CAP_DUAL_KEY (1ull << 5)
#define CCP_ENHANCED_CAP_PER_PLANE (1ull << 6)

struct ccp_enhanced_congestion_info {
	bool ver0; /* RP and NP parameters: DCQCN */
	bool ver1; /* slots of algorithms: PPCC */
	uint64_t cc_capability_mask;
};

/* CongestionSwitchGeneralSettings, 0xFF08. The average is avg := queue * 2^-aqs_weight + avg * (1 - 2^-aqs_weight). */
struct ccp_congestion_switch_general_settings {
	bool en;
	uint8_t aqs_weight;               /* 0..15 */
	uint8_t aqs_time;                 /* 0..CCP_NVIDIA_AQS_TIME_MAX: a sample each 2^aqs_time * 64 ns */
	uint32_t cap_total_buffer_size;   /* bytes; read-only */
	uint8_t cap_cc_profile_step_size; /* KB; the switch rounds min and max to it; read-only */
};

/* Units of min and max; both members of the struct below make the choice. */
enum ccp_threshold_mode {
	CCP_THRESHOLD_FIXED,
	CCP_THRESHOLD_PERCENTAGE, /* of the port's share of the buffer */
};

struct ccp_congestion_threshold_profile {
	uint32_t min;    /* average queue below which no packet is marked; 20 bits */
	uint8_t percent; /* 0..100: share of packets marked at `max` */
	uint32_t max;    /* 20 bits */
};

/* CongestionPortProfileSettings, 0xFF09: of one port and the VLs of vl_mask. */
struct ccp_congestion_port_profile_settings {
	uint8_t mode;        /* enum ccp_threshold_mode */
	uint8_t granularity; /* of fixed mode: 0 bytes, 1 KB (needs CCP_ENHANCED_CAP_GRANULARITY) */
	uint16_t vl_mask;    /* bit n: VL n; CCP_NVIDIA_ALL_VLS: all */
	struct ccp_congestion_threshold_profile profiles[CCP_NVIDIA_NUM_PROFILES];
};

/* CongestionSLMappingSettings, 0xFF10: of one port. */
struct ccp_congestion_sl_mapping_settings {
	uint8_t sl_profile[16]; /* by SL: 1..3, the number of a threshold profile; 0 is reserved */
};

/* CongestionHCAGeneralSettings, 0xFF20. */
struct ccp_congestion_hca_general_settings {
	bool en_notify;       /* answers marked packets with CNPs */
	bool en_react;        /* slows down at CNPs */
	bool en_cc_per_plane; /* needs CCP_ENHANCED_CAP_PER_PLANE */
};

/* CongestionHCARPParameters, 0xFF21: the reaction point of DCQCN, which sends. */
struct ccp_congestion_hca_rp_parameters {
	bool clamp_tgt_rate;
	bool clamp_tgt_rate_after_time_inc;
	uint32_t rpg_time_reset;             /* us; 17 bits */
	uint32_t rpg_byte_reset;             /* 19 bits */
	uint8_t rpg_threshold;               /* 5 bits */
	uint32_t rpg_max_rate;               /* Mb/s; 19 bits */
	uint16_t rpg_ai_rate;                /* Mb/s */
	uint16_t rpg_hai_rate;               /* Mb/s */
	uint8_t rpg_gd;                      /* 4 bits */
	uint8_t rpg_min_dec_fac;             /* percent; 7 bits */
	uint32_t rpg_min_rate;               /* Mb/s; 19 bits */
	uint32_t rate_to_set_on_first_cnp;   /* Mb/s */
	uint16_t dce_tcp_g;                  /* 1/1024; 10 bits */
	uint32_t dce_tcp_rtt;                /* us; 17 bits */
	uint32_t rate_reduce_monitor_period; /* us */
	uint16_t initial_alpha_value;        /* 1/1024; 10 bits */
};

/* CongestionHCANPParameters, 0xFF22: the notification point, which receives. */
struct ccp_congestion_hca_np_parameters {
	uint16_t min_time_between_cnps; /* us */
	bool cnp_sl_mode;               /* false: a CNP has the SL of the received packet; true: cnp_sl */
	bool rtt_sl_mode;    /* false: the SL of the RTT packet; true: rtt_resp_sl (needs CCP_ENHANCED_CAP_RTT_SL_MODE) */
	uint8_t rtt_resp_sl; /* 0..15 */
	uint8_t cnp_sl;      /* 0..15 */
};

enum ccp_ppcc_encap_type {
	CCP_PPCC_ENCAP_NONE = 0,
	CCP_PPCC_ENCAP_TEXT = 1,
	CCP_PPCC_ENCAP_ALGORITHMS = 2, /* of CongestionHCAAlgoConfig */
	CCP_PPCC_ENCAP_PARAMETERS = 2, /* of CongestionHCAAlgoConfigParams */
};

/* CongestionHCAAlgoConfig, 0xFF24: of one slot. The two structs differ in the form of the encapsulation alone. */
struct ccp_congestion_hca_algo_config {
	bool algo_en;
	bool algo_status; /* read-only */
	bool trace_en;
	bool counters_en;
	uint16_t sl_bitmask; /* bit n: SL n */
	uint8_t encap_len;   /* bytes */
	uint8_t encap_type;  /* enum ccp_ppcc_encap_type */
	uint8_t encapsulation[CCP_PPCC_ENCAPSULATION_BYTES];
};

struct ccp_ppcc_algorithm {
	uint16_t algo_id;
	uint8_t major;
	uint8_t minor;
};

struct ccp_congestion_hca_algo_config_support {
	bool algo_en;
	bool algo_status; /* read-only */
	bool trace_en;
	bool counters_en;
	uint16_t sl_bitmask;
	uint8_t encap_len; /* 4 bytes an algorithm */
	uint8_t encap_type;
	struct ccp_ppcc_algorithm algorithms[CCP_PPCC_SLOTS]; /* by slot */
};

/* CongestionHCAAlgoConfigParams, 0xFF25: of one slot. */
struct ccp_congestion_hca_algo_config_params {
	uint16_t sl_bitmask; /* read-only */
	uint8_t encap_len;   /* 4 bytes a parameter */
	uint8_t encap_type;
	uint32_t parameters[CCP_PPCC_PARAMETERS_MAX];
};

#ifdef __cplusplus
}
#endif
#endif
