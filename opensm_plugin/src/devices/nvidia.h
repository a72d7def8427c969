/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia.h: what a device says of NVIDIA's attributes (0xFF00 to 0xFF25 of class 0x21), and whether its answers can be trusted.
 *
 * No public source states the attribute modifiers, nor which VL a Get of CongestionPortProfileSettings is about. So a device is tested
 * by Gets before the first write: what is there is answered twice alike and within its ranges, and what is not there is refused.
 * docs/research/nvidia-dialect.md has the reading that is tested. Where a device's model has passed these tests before, only
 * facts are asked.
 */
#ifndef IBCC_NVIDIA_H
#define IBCC_NVIDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/nvidia_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_payload;

#define IBCC_NVIDIA_FIRST_ATTRIBUTE 0xFF00u
#define IBCC_NVIDIA_TRIES 2u /* of EnhancedCongestionInfo, which a device may not answer at all */
#define IBCC_NVIDIA_REWRITES                                                                                                     \
	3u /* of one attribute by somebody else, each after it was repaired, beyond which the device is left alone */
#define IBCC_WITHHELD_BYTES 192u
#define IBCC_NVIDIA_FAULT_BYTES 96u

enum ibcc_nvidia_state {
	IBCC_NVIDIA_UNKNOWN,
	IBCC_NVIDIA_SILENT,    /* no answer to EnhancedCongestionInfo; the device is asked next whether it answers at all */
	IBCC_NVIDIA_ABSENT,    /* it has none of these attributes */
	IBCC_NVIDIA_TESTING,   /* it has them, and its answers are being tested */
	IBCC_NVIDIA_TESTED,    /* they have passed all tests */
	IBCC_NVIDIA_UNTRUSTED, /* `facts.fault` was found: it is read and never written */
	IBCC_NUM_NVIDIA_STATES,
};

/* What a test has found. */
enum ibcc_nvidia_fault {
	IBCC_NVIDIA_FINE,
	IBCC_NVIDIA_REFUSED,   /* a Get of what should be there */
	IBCC_NVIDIA_RESERVED,  /* reserved bits are not zero */
	IBCC_NVIDIA_RANGE,     /* a value is out of its range */
	IBCC_NVIDIA_NO_SUCH,   /* what is not there was answered: a port, a slot, an attribute of another kind of device */
	IBCC_NVIDIA_DIFFERENT, /* two Gets in a row had different answers */
	IBCC_NVIDIA_WHICH_VL,  /* the answer does not say which VL it is about */
	IBCC_NUM_NVIDIA_FAULTS,
};

/* What one device has answered. Another one of its model and firmware may answer otherwise. */
struct ibcc_nvidia_facts {
	bool ver0, ver1;       /* of an adapter: DCQCN, PPCC */
	uint64_t capabilities; /* CCP_ENHANCED_CAP_... */
	bool by_modifier;      /* of a switch: 0xFF09's VL stands in the modifier, and not in vl_mask */
	uint8_t num_vls;       /* data VLs of a switch: 1, 2, 4, 8 or 15 */
	uint32_t buffer_bytes; /* of a switch: cap_total_buffer_size */
	struct ccp_ppcc_algorithm algorithms[CCP_PPCC_SLOTS]; /* of an adapter, by slot; algo_id 0: none */
	bool knows_on, is_on; /* it has said whether it marks or reacts by these attributes, and that it does */
	enum ibcc_nvidia_fault fault;
	uint16_t fault_attribute;
};

/* The trust that a device's answers have before it is asked. */
struct ibcc_nvidia_trust {
	bool tested;                  /* its model has passed the tests, or the device itself: only facts are asked */
	enum ibcc_nvidia_fault fault; /* it was found in the device before, or in its model: no test is made */
	uint16_t fault_attribute;
};

/* One device. */
struct ibcc_nvidia {
	bool to_ask;    /* a profile with `nvidia`, its end, or somebody's request needs to know it */
	bool is_wanted; /* the profile has values for it, and the plugin may write */
	bool reads;     /* somebody wants to know what it holds, whatever the profile says */
	bool looks;     /* it is asked whether it is on by these attributes, as others may have switched it on */
	bool is_met;    /* for that alone, as no profile was in force before */
	bool foreign;   /* it is, nobody here has done that, and the profile has nothing for it: nothing is sent to it */
	bool noted;     /* as to be written, in memory and not on the disk yet */
	bool written;   /* it was sent Sets of these attributes, by this process or a former one, and not cleared since */
	bool clears;    /* what was written before is cleared: the profile has no such part, or one that is withheld */
	bool contested; /* somebody else writes to it again and again, and it is left alone */
	enum ibcc_nvidia_state state;
	uint16_t refusal;                 /* status of EnhancedCongestionInfo; 0: no answer, or none is needed */
	uint8_t step;                     /* of the tests */
	const struct ibcc_payload *first; /* the answer that the next is compared with; NULL: none */
	struct ibcc_nvidia_facts facts;
	struct ibcc_nvidia_trust trust;
	bool again;                         /* it is asked for its facts once more, and until then the former ones hold */
	bool has_former;                    /* `former` is what it answered before it was asked again */
	bool said_untrusted;                /* the log has it */
	struct ibcc_nvidia_facts former;    /* of a device whose state was TESTED */
	char withheld[IBCC_WITHHELD_BYTES]; /* why it is not sent what the profile's `nvidia` says; "": it is, or there is none */
};

/* True if nothing need be asked, or all that was asked is known. */
bool ibcc_nvidia_is_known(const struct ibcc_nvidia *nvidia);
bool ibcc_nvidia_is_spoken(const struct ibcc_nvidia *nvidia); /* the device has these attributes, be it trusted or not */
/* True if the state follows from what the device has answered, and not from silence or a refusal of the class. */
bool ibcc_nvidia_is_answered(const struct ibcc_nvidia *nvidia);
bool ibcc_nvidia_is_same_algorithm(const struct ccp_ppcc_algorithm *a, const struct ccp_ppcc_algorithm *b);
static inline bool ibcc_nvidia_is_attribute(uint16_t attribute)
{
	return attribute >= IBCC_NVIDIA_FIRST_ATTRIBUTE;
}

uint16_t ibcc_nvidia_vls(const struct ibcc_nvidia_facts *facts); /* mask of the data VLs of a switch */

/* Writes "CongestionSLMappingSettings: a port that does not exist is answered", or "", and returns the buffer. */
const char *ibcc_nvidia_fault_text(char text[IBCC_NVIDIA_FAULT_BYTES], const struct ibcc_nvidia_facts *facts);

/* One request of the tests. */
struct ibcc_nvidia_test {
	uint16_t attribute;
	uint32_t modifier;
	uint8_t data[192]; /* what the Get carries */
};

/*
 * Fills the Get of the present step; a step that this device does not need is passed over. False: all steps are done.
 * `num_ports`: external ports of a switch; 0 of an adapter.
 */
bool ibcc_nvidia_next_test(const struct ibcc_nvidia *nvidia, unsigned num_ports, struct ibcc_nvidia_test *test);

/*
 * Judges the answer to the present step and goes to the next; after the last one the state is TESTED, and after a fault UNTRUSTED.
 * `repeats`: the payload is the same as `first`. Returns true if `first` is to be replaced by this answer.
 */
bool ibcc_nvidia_judge(struct ibcc_nvidia *nvidia, unsigned num_ports, uint16_t status, const uint8_t *data, bool repeats);

/* Handles the answer to EnhancedCongestionInfo. A device that `trust` finds fault with is UNTRUSTED at once. */
void ibcc_nvidia_take_info(struct ibcc_nvidia *nvidia, bool is_switch, uint16_t status, const uint8_t *data);

#ifdef __cplusplus
}
#endif
#endif
