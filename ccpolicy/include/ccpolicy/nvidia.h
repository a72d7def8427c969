/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia.h: the section `nvidia` of a profile, and the tables that devices get from it.
 *
 * The section stands beside switch, ca and cct, which are annex A10's: switches that mark by an averaged queue, adapters that run DCQCN
 * or an algorithm of their firmware (PPCC). Rows of keys.h describe the members; bit i of a `present` stands for row i.
 */
#ifndef CCPOLICY_NVIDIA_H
#define CCPOLICY_NVIDIA_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/nvidia_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_PPCC_NAME_BYTES 32u /* of the name of an algorithm or a parameter, with the NUL */

enum ccp_threshold_unit {
	CCP_THRESHOLD_BYTES,
	CCP_THRESHOLD_KILOBYTES,
	CCP_THRESHOLD_PERCENT,
};

/* Thresholds of some VLs. */
struct ccp_nvidia_thresholds {
	uint32_t present;
	enum ccp_threshold_unit unit;
	struct ccp_congestion_port_profile_settings values; /* mode and granularity follow from `unit` in the tables only */
};

struct ccp_profile_nvidia_switch {
	uint32_t present; /* 0: no such section */
	struct ccp_congestion_switch_general_settings general;
	struct ccp_congestion_sl_mapping_settings sl_mapping;
	uint32_t num_thresholds;                  /* 0 in an override: it leaves them as they are */
	struct ccp_nvidia_thresholds *thresholds; /* owned; each VL is in one of them at most */
};

enum ccp_nvidia_type {
	CCP_NVIDIA_DCQCN, /* by RP and NP parameters */
	CCP_NVIDIA_PPCC,  /* by algorithms of the firmware */
};

struct ccp_ppcc_parameter {
	char name[CCP_PPCC_NAME_BYTES]; /* "": by index */
	uint8_t index;                  /* 0..CCP_PPCC_PARAMETERS_MAX - 1; 0 if there is a name */
	uint32_t value;
};

struct ccp_ppcc_parameters {
	uint32_t count;
	struct ccp_ppcc_parameter list[CCP_PPCC_PARAMETERS_MAX];
};

/* One algorithm and the SLs that it serves. */
struct ccp_ppcc_slot {
	uint32_t present;
	char algorithm[CCP_PPCC_NAME_BYTES]; /* by name, which an algorithm file maps; "": by the three numbers */
	struct ccp_ppcc_algorithm id;
	uint16_t sls; /* bit n: SL n; each SL is in one slot at most */
	struct ccp_ppcc_parameters parameters;
};

struct ccp_profile_nvidia_adapter {
	uint32_t present; /* 0: no such section */
	enum ccp_nvidia_type type;
	struct ccp_congestion_hca_general_settings general;
	uint32_t rp_present; /* the profile's own: all bits with `type: dcqcn`, else 0 with the values at their defaults */
	struct ccp_congestion_hca_rp_parameters rp;
	uint32_t np_present;
	struct ccp_congestion_hca_np_parameters np;
	uint32_t num_slots;          /* 0 in an override: it leaves them as they are */
	struct ccp_ppcc_slot *slots; /* owned */
};

struct ccp_profile_nvidia {
	struct ccp_profile_nvidia_switch sw;
	struct ccp_profile_nvidia_adapter adapter;
};

/* True if the profile's own section or an override's has such a part; `nvidia` may be NULL. */
bool ccp_has_nvidia_switch(const struct ccp_profile_nvidia *nvidia);
bool ccp_has_nvidia_adapter(const struct ccp_profile_nvidia *nvidia);

void ccp_nvidia_destroy(struct ccp_profile_nvidia *nvidia); /* NULL is fine */

/* True if both give the same values, or are both NULL. */
bool ccp_nvidia_equal(const struct ccp_profile_nvidia *a, const struct ccp_profile_nvidia *b);

/* What one port of a switch gets. */
struct ccp_nvidia_switch_port {
	uint32_t num_profiles;                                       /* VLs that no element names are not marked */
	const struct ccp_congestion_port_profile_settings *profiles; /* shared by all that hold the same */
	struct ccp_congestion_sl_mapping_settings sl_mapping;
};

/* Where congestion control is cleared, `en` is false and ports have no profiles. */
struct ccp_nvidia_switch_tables {
	struct ccp_congestion_switch_general_settings general;
	struct ccp_nvidia_switch_port ports[]; /* by port number, num_ports + 1 of them; element 0 is empty */
};

/* Where congestion control is cleared, en_notify and en_react are false and there are no slots. */
struct ccp_nvidia_ca_tables {
	enum ccp_nvidia_type type;
	struct ccp_congestion_hca_general_settings general;
	struct ccp_congestion_hca_rp_parameters rp; /* CCP_NVIDIA_DCQCN only */
	struct ccp_congestion_hca_np_parameters np;
	uint32_t num_slots; /* CCP_NVIDIA_PPCC only */
	const struct ccp_ppcc_slot *slots;
};

#ifdef __cplusplus
}
#endif
#endif
