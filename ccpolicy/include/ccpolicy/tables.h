/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tables.h: the values that each device holds once a profile has been resolved against a fabric.
 *
 * They are raw IBA values (annex A10), one struct for each attribute that a congestion-control manager sets. The simulator, the
 * emulator and the OpenSM plugin all start from a struct ccp_tables.
 */
#ifndef CCPOLICY_TABLES_H
#define CCPOLICY_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_NUM_SLS 16u
#define CCP_ALL_SLS 0xFFFFu
#define CCP_CCT_ENTRIES_PER_BLOCK 64u
#define CCP_PORT_MASK_BYTES 32u       /* 256 ports; port 0 is the least significant bit of the last byte */
#define CCP_PACKET_OVERHEAD_BYTES 26u /* around a payload: LRH 8, BTH 12, ICRC 4, VCRC 2 */
#define CCP_TIMER_UNIT_NS 1024u       /* CCTI_Timer and the class's time stamps count units of 1.024 us */

/*
 * Control_Map of SwitchCongestionSetting: the fields that a Set changes. Sources disagree on the order of the bits. This is the
 * order of OpenSM and of Intel's headers for Omni-Path, which inherited the attribute; Mellanox' ibis of 2011 has the opposite.
 */
#define CCP_CONTROL_MAP_VICTIM_MASK (1u << 0)
#define CCP_CONTROL_MAP_CREDIT_MASK (1u << 1)
#define CCP_CONTROL_MAP_THRESHOLD (1u << 2)  /* Threshold and Packet_Size */
#define CCP_CONTROL_MAP_STARVATION (1u << 3) /* CS_Threshold and CS_ReturnDelay */
#define CCP_CONTROL_MAP_MARKING_RATE (1u << 4)
#define CCP_CONTROL_MAP_ALL 0x1Fu

/* CongestionControlTableEntry: IRD = (packet time >> shift) * multiplier. shift 0..3, multiplier 0..16383. */
struct ccp_cct_entry {
	uint8_t shift;
	uint16_t multiplier;
};

/* SwitchCongestionSetting. Attribute numbers are those of enum ccp_attribute_id (wire.h). */
struct ccp_switch_setting {
	/*
	 * CCP_CONTROL_MAP_ALL always, also to clear: a device that applies only the fields whose bits are set would keep its old
	 * values if a clearing Set had none.
	 */
	uint32_t control_map;
	uint8_t victim_mask[CCP_PORT_MASK_BYTES];
	uint8_t credit_mask[CCP_PORT_MASK_BYTES];
	uint8_t threshold;   /* 0 never marks; 1 late ... 15 early */
	uint8_t packet_size; /* units of 64 bytes; smaller packets are not marked */
	uint8_t cs_threshold;
	struct ccp_cct_entry cs_return_delay;
	uint16_t marking_rate; /* mean packets between marks: mark with probability 1/(n+1) */
};

/* One element of SwitchPortCongestionSetting. */
struct ccp_switch_port_setting {
	bool valid;           /* false: the port follows the switch's own setting */
	uint8_t control_type; /* 0: congestion control, 1: credit starvation */
	uint8_t threshold;
	uint8_t packet_size;
	uint16_t marking_rate; /* Cong_Parm / Marking_Rate */
};

struct ccp_nvidia_switch_tables;
struct ccp_nvidia_ca_tables;

/* One SL's element of CACongestionSetting. */
struct ccp_ca_sl_setting {
	uint16_t ccti_timer; /* units of CCP_TIMER_UNIT_NS */
	uint8_t ccti_increase;
	uint8_t trigger_threshold;
	uint8_t ccti_min;
};

/* CACongestionSetting. */
struct ccp_ca_setting {
	uint16_t port_control; /* 0: QP level, bit 0 set: SL level */
	uint16_t control_map;  /* bit n: SL n is under congestion control; CCP_ALL_SLS, with all values 0, to clear */
	struct ccp_ca_sl_setting sls[CCP_NUM_SLS];
};

enum ccp_limit_mode {
	CCP_LIMIT_FINAL,     /* the final CCTI_Limit goes in every block */
	CCP_LIMIT_PER_BLOCK, /* each block carries the limit reached with it */
};

/* CongestionControlTable, all blocks together. */
struct ccp_cct {
	uint16_t ccti_limit; /* the largest valid index */
	enum ccp_limit_mode limit_mode;
	const struct ccp_cct_entry *entries; /* ccti_limit + 1 of them; shared by all that hold the same table */
};

struct ccp_switch_tables {
	uint32_t node; /* index into the fabric that was resolved against */
	uint64_t guid;
	struct ccp_switch_setting setting;
	uint32_t num_ports;                    /* external ports; ports[] has num_ports + 1 elements */
	struct ccp_switch_port_setting *ports; /* by port number; element 0 is the management port */
	/* num_ports + 1 elements of Control_Type 1, where ports can hold one of each type; NULL: there are none. */
	const struct ccp_switch_port_setting *starvation_ports;
	struct ccp_nvidia_switch_tables *nvidia; /* nvidia.h; NULL: the profile has no nvidia.switch */
};

struct ccp_ca_tables {
	uint32_t node;
	uint64_t guid;
	uint32_t port;
	struct ccp_ca_setting setting;
	struct ccp_cct cct;
	struct ccp_nvidia_ca_tables *nvidia; /* NULL: the profile has no nvidia.adapter */
};

/*
 * The wanted values of a whole fabric: one element for each switch and for each connected port of a channel adapter (hosts and
 * aggregation nodes; a router gets none). ccp_resolve() makes them, ccp_tables_destroy() frees them.
 */
struct ccp_tables {
	bool enable;     /* false: every table clears its device: Threshold 0, no masks, a CCT of one entry 0:0 */
	bool has_nvidia; /* the profile has the section `nvidia`; if it lacks switch, ca and cct, their tables clear */
	uint32_t num_switches;
	struct ccp_switch_tables *switches; /* ascending node index */
	uint32_t num_cas;
	struct ccp_ca_tables *cas; /* ascending (node, port) */
	uint32_t num_warnings;
	char **warnings; /* sentences about parts of the profile that have no effect on this fabric */
	uint32_t num_cct_pool;
	struct ccp_cct_entry **cct_pool; /* storage of the entries that cas[].cct point to */
	uint32_t num_nvidia_pool;
	void **nvidia_pool; /* storage of the profiles and slots that `nvidia` of the devices point to */
};

/* True if `port` (0..255) is set in a Victim_Mask or Credit_Mask. */
static inline bool ccp_port_mask_test(const uint8_t mask[CCP_PORT_MASK_BYTES], unsigned port)
{
	return (mask[CCP_PORT_MASK_BYTES - 1u - port / 8u] >> (port % 8u)) & 1u;
}

static inline void ccp_port_mask_set(uint8_t mask[CCP_PORT_MASK_BYTES], unsigned port)
{
	uint8_t *byte = &mask[CCP_PORT_MASK_BYTES - 1u - port / 8u];

	*byte = (uint8_t)(*byte | 1u << (port % 8u));
}

void ccp_tables_destroy(struct ccp_tables *tables); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
