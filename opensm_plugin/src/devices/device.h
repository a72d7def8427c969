/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * device.h: one device (a switch, or a port of a channel adapter), what it should hold, and what is known of what it holds.
 *
 * A device's tables are items, one for each MAD that would set them: an attribute and its block. An item that is to be cleared is
 * wanted like any other. What is sent next follows from the items alone, so a pass over devices can stop and start at any moment.
 */
#ifndef IBCC_DEVICE_H
#define IBCC_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/congestion.h"
#include "devices/payload.h"
#include "keys/keys.h"
#include "mad/window.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_device_kind {
	IBCC_SWITCH,
	IBCC_CA,
};

enum ibcc_support {
	IBCC_SUPPORT_UNKNOWN,
	IBCC_SUPPORTED,
	IBCC_UNSUPPORTED, /* `refusal` has the status */
	IBCC_SILENT,      /* does not answer this class */
};

/* What people are shown; the first that holds. */
enum ibcc_device_state {
	IBCC_STATE_UNSUPPORTED,
	IBCC_STATE_TIMING_OUT, /* the last request had no answer */
	IBCC_STATE_REFUSED,    /* supports the class, but has refused a value */
	IBCC_STATE_DRIFTED,    /* held something else when last read, and is not repaired yet */
	IBCC_STATE_UNKNOWN,    /* not asked or told yet */
	IBCC_STATE_CLAMPED,    /* took other values than it was sent, or has no room for all */
	IBCC_STATE_APPLIED,
	IBCC_NUM_STATES,
};
extern const char *const ibcc_state_names[IBCC_NUM_STATES]; /* "unsupported", "timing-out", ... */

struct ibcc_item {
	uint16_t attribute;                /* enum ccp_attribute_id */
	uint16_t block;                    /* attribute modifier */
	bool optional;                     /* wanted is "nothing": a device without the attribute holds that too */
	bool drifted;                      /* read, and other than it was */
	bool to_be_read;                   /* it was repaired: does it hold now? */
	bool read;                         /* `held` was read after it was last set */
	uint16_t refusal;                  /* status with which `asked` was refused; 0: it was not */
	bool unreadable;                   /* a Get was refused: there is no reading it before it is set */
	uint32_t read_pass;                /* the pass in which it was last read */
	uint32_t tried_pass;               /* the pass in which it was last set */
	int64_t seen_ns;                   /* when the device last told what it holds of it; 0: not */
	const struct ibcc_payload *wanted; /* never NULL */
	const struct ibcc_payload *asked;  /* what it was last set to and answered; NULL: not set since it came */
	const struct ibcc_payload *held;   /* what it last said that it holds; NULL: unknown */
};

struct ibcc_device {
	uint64_t node_guid;
	uint8_t port; /* 0 of a switch */
	enum ibcc_device_kind kind;
	uint64_t port_guid;
	char description[65]; /* UTF-8 as the snapshot has it */
	uint16_t lid;
	uint8_t sl;
	uint32_t num_ports; /* of a switch, external */
	bool present;       /* in the last snapshot, and ready */
	bool not_ready;     /* in the last snapshot, and OpenSM has not brought its port up; not present, then */
	bool moved;         /* by the last snapshot it has another LID, SL or port: what is in flight goes to the old one */
	bool read_first;    /* it may hold what is wanted, of a former process or another OpenSM: it is read before it is set */
	bool suspect;       /* OpenSM has written to it: it may have been reset, and is looked at in the next audit */
	bool to_repair;     /* an audit has found it to hold something else, and is putting that right */
	bool in_flight;     /* one request at a time: its order is kept, and a weak agent is spared */
	uint16_t epoch;     /* of what is known: results of requests from before ibcc_device_forget do not count */

	enum ibcc_support support;
	uint16_t refusal;           /* status of the probe */
	bool silent;                /* the last request had no answer */
	int64_t pause_ns, again_ns; /* it did not answer, or refused: how long it is left alone, and until when; 0: it is not */
	uint32_t failed_pass;       /* the pass in which a request had no answer: no more of them in it; 0: none */
	bool has_congestion_info, asked_class_port_info;
	uint16_t congestion_info;
	uint8_t control_table_cap; /* blocks of 64 entries; 0: not said */
	uint16_t capability_mask;

	bool cut; /* the CCT was cut to what the device has room for */
	uint32_t num_items;
	struct ibcc_item *items; /* in the order in which they are set */

	uint64_t sent_experiment; /* the last experiment that it was sent anything of; 0: none since it was settled with a base */
	uint64_t drifts, timeouts;
	int64_t applied_at_s; /* wall clock: when it last came to hold all that is wanted; 0: never */

	struct ibcc_key_state key;     /* the manager's, with manager_keys.c */
	struct ibcc_key_step key_step; /* under way; holds keys, and is wiped */

	bool has_no_log;                    /* CongestionLog is not supported */
	struct ibcc_congestion *congestion; /* what its logs have told; NULL: none was read yet */

	bool queued; /* the manager's: it waits for room in the window */
	struct ibcc_device *next_queued;
};

/* Which requests are looked for. */
enum ibcc_work {
	IBCC_WORK_PROBE,       /* what the device is; and whether it holds port settings that nobody wants */
	IBCC_WORK_SET,         /* differences, and what was refused; and whether a repair has held */
	IBCC_WORK_SET_CLAMPED, /* the same, and what was taken in other values */
	IBCC_WORK_READ,        /* all items, once a pass */
};

/*
 * The device's next request of this kind in `pass` (from 1, ascending): fills all of `request` but its context and key, the tag being
 * what ibcc_device_handle_result needs. False: there is none (any more), for now or in this pass; `in_flight` means for now.
 */
bool ibcc_device_next(const struct ibcc_device *device, enum ibcc_work work, uint32_t pass, struct ibcc_request *request);

/* What a result has shown. */
struct ibcc_device_findings {
	bool probed;  /* its capabilities are known now: what is wanted of it may have to be cut */
	bool applied; /* it has come to hold all that is wanted (clamped counts) */
	bool drifted; /* an item was read that differs from what was held */
	bool failed;  /* no answer from a device that has answered before, or out of memory */
};

/* Takes the result of a request that ibcc_device_next gave; `in_flight` ends. */
void ibcc_device_handle_result(struct ibcc_device *device, struct ibcc_payload_pool *pool, uint32_t pass,
			       const struct ibcc_request *request, const struct ibcc_result *result, int64_t now_ns,
			       struct ibcc_device_findings *findings);

/* It has been away, or was reset, or is to be asked again: nothing that is known of it counts any more, but what it should hold. */
void ibcc_device_forget(struct ibcc_device *device, struct ibcc_payload_pool *pool);

/* Everything wanted is held, as far as the device goes along. */
bool ibcc_device_is_settled(const struct ibcc_device *device);
bool ibcc_device_refuses(const struct ibcc_device *device); /* a value that is wanted */

/* Since when at least it is as ibcc_device_state says, by what the device itself has told last; 0: it has told nothing. */
int64_t ibcc_device_seen_ns(const struct ibcc_device *device);
bool ibcc_item_is_settled(const struct ibcc_item *item);
enum ibcc_device_state ibcc_device_state(const struct ibcc_device *device);
enum ibcc_device_state
ibcc_device_last_state(const struct ibcc_device *device); /* by its last answers, whether it answers now or not */

/*
 * What an attribute's data say, without what does not count: reserved bits, CCT entries above the CCTI_Limit, ports that are not
 * valid, SLs outside the Control_Map. So equal settings are equal bytes.
 */
void ibcc_canonical(uint16_t attribute, uint32_t block, const uint8_t data[CCP_ATTRIBUTE_BYTES],
		    uint8_t out[CCP_ATTRIBUTE_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
