/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * device.h: one device (a switch, or a port of a channel adapter), what it should hold, and what it is known to hold.
 *
 * A device's tables are items, one for each MAD that sets them: an attribute and its block. An item that is to be cleared is an
 * item like any other. The next request follows from the items alone, so a pass over devices can stop and start at any moment.
 */
#ifndef IBCC_DEVICE_H
#define IBCC_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/canonical.h"
#include "devices/congestion.h"
#include "devices/device_states.h"
#include "devices/firmware.h"
#include "devices/found.h"
#include "devices/nvidia.h"
#include "devices/nvidia_reading.h"
#include "devices/payload.h"
#include "devices/snapshot.h"
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
	IBCC_SILENT,      /* is not responding to this class */
};

/* Which attributes a device has. */
enum ibcc_dialect {
	IBCC_DIALECT_UNKNOWN, /* it was not asked for both kinds, or has not answered yet */
	IBCC_DIALECT_NONE,
	IBCC_DIALECT_A10,
	IBCC_DIALECT_NVIDIA,
	IBCC_DIALECT_BOTH,
	IBCC_NUM_DIALECTS,
};
extern const char *const ibcc_dialect_names[IBCC_NUM_DIALECTS]; /* "unknown", "none", "a10", "nvidia", "both" */

struct ibcc_item {
	uint16_t attribute;                  /* enum ccp_attribute_id */
	uint32_t block;                      /* attribute modifier */
	uint16_t scope;                      /* VLs of 0xFF09, SLs of 0xFF24 that it is about; 0: it has no such mask */
	struct ccp_ppcc_algorithm algorithm; /* of 0xFF24 and 0xFF25: the one in the slot, by the device's list */
	uint8_t turn;                        /* of 0xFF24: the SL that the next Get asks about, by its place in `scope` */
	uint8_t rewrites;                    /* of NVIDIA's attributes: drifts in a row, each found after a repair */
	uint64_t given;                      /* of 0xFF25: the parameters that are wanted, by index */
	uint64_t undone;                   /* those of `given` that no profile gives any more: wanted is what they were before */
	bool withheld;                     /* it is read and never set */
	bool optional;                     /* `wanted` is all zeros: a device without the attribute holds that too */
	bool was_found;                    /* `wanted` is what the device was found with, whatever its Control_Map is */
	bool drifted;                      /* when read it differed from `held` */
	bool to_be_read;                   /* it was repaired, or is new: it is read to see what is held now */
	bool read;                         /* `held` was read after it was last set */
	uint16_t refusal;                  /* status with which `asked` was refused; 0: it was not */
	bool unreadable;                   /* a Get was refused: there is no reading it before it is set */
	uint32_t read_pass;                /* the pass in which it was last read */
	uint32_t tried_pass;               /* the pass in which it was last set */
	int64_t seen_ns;                   /* when the device last reported it; 0: never */
	const struct ibcc_payload *wanted; /* never NULL */
	const struct ibcc_payload *asked;  /* the last Set that the device has answered; NULL: none since it came */
	const struct ibcc_payload *held;   /* what the device last reported; NULL: unknown */
	const struct ibcc_payload *whole;  /* of 0xFF25: all parameters, as last reported; NULL: unknown */
};

struct ibcc_device {
	uint64_t node_guid;
	uint8_t port; /* 0 of a switch */
	enum ibcc_device_kind kind;
	uint64_t port_guid;
	char description[65]; /* UTF-8 as the snapshot has it */
	uint16_t lid;
	uint8_t sl;
	uint32_t num_ports;  /* of a switch, external */
	bool present;        /* in the last snapshot, and ready */
	bool not_ready;      /* in the last snapshot, and OpenSM has not brought its port up; not present, then */
	bool moved;          /* the last snapshot has another LID, SL or port: a request in flight goes to the old one */
	bool read_first;     /* a former process or another OpenSM may have set it already: it is read before it is set */
	bool suspect;        /* OpenSM has written to it, so it may have been reset: the next audit reads it */
	bool reported_drift; /* subscribers know that it has drifted, and not yet that it is repaired */
	bool to_repair;      /* an audit has found a difference, and is repairing it */
	bool unnoted;        /* its last Set was not sent, as what has to be noted before could not be */
	bool in_flight; /* a request to it is in flight; there is at most one, which keeps their order and spares weak agents */
	int64_t answered_ns; /* when an answer to a request to it came last; 0: never */
	uint16_t epoch;      /* counts calls of ibcc_device_forget: results of earlier requests are ignored */

	enum ibcc_support support;
	uint16_t refusal;     /* status of the probe: it lacks the class, or annex A10's attributes */
	bool refusal_doubted; /* it is asked again, as its firmware may have been updated; until then `refusal` holds */
	bool silent;          /* the last request had no answer */
	bool left_out;        /* late, and the pass has ended without it */
	bool late;            /* a request to it is in flight that no pass waits for */
	bool asked_beside;    /* by manager_silent.c */
	uint32_t missed_pass; /* the pass that did not wait for it: it makes up for the phases that it has missed; 0: none */
	int64_t pause_ns, again_ns; /* the pause after no answer or a refusal, and its end; 0: there is none */
	uint32_t fell_silent_pass;  /* the pass in which a request had no answer though the one before had; 0: none */
	uint32_t failed_pass;       /* the pass in which a request had no answer, and which sends it no more; 0: none */
	bool has_congestion_info, asked_class_port_info;
	uint16_t congestion_info;
	uint8_t control_table_cap; /* blocks of 64 entries; 0: not reported */
	uint16_t capability_mask;

	bool cut; /* the CCT was cut to what the device has room for */
	uint32_t num_items;
	struct ibcc_item *items; /* in the order in which they are set */

	uint64_t sent_experiment; /* the last trial run of which it was sent anything; 0: none since it was settled with a base */
	uint64_t drifts, timeouts;
	int64_t applied_at_s; /* wall clock: when it was last brought to all that is wanted; 0: never */

	struct ibcc_key_state key;     /* for manager_keys.c */
	struct ibcc_key_step key_step; /* the present step; it holds keys, and is wiped */

	bool keeps_found;               /* what it was found with is kept: it is read before it is set */
	bool found_is_news;             /* it was read a moment ago, and holds that still */
	bool nvidia_found_is_news;      /* the same of NVIDIA's attributes */
	bool is_watched;                /* no profile was in force since it was found: it is read, and never set */
	const struct ibcc_found *found; /* of as_found.h; NULL: it was not read yet */
	struct ibcc_found_reading found_reading;
	struct ibcc_nvidia_reading nvidia_reading; /* what it holds of NVIDIA's attributes before they are set */

	struct ibcc_nvidia nvidia;
	const struct ibcc_nvidia_rules *rules; /* of nvidia_items.h; NULL: nothing of NVIDIA's is written */

	struct ibcc_node_identity identity;
	struct ibcc_device_firmware firmware; /* for manager_firmware.c */

	bool has_no_log;                    /* CongestionLog is not supported */
	struct ibcc_congestion *congestion; /* readings of its logs; NULL: none yet */

	bool queued; /* for the manager: it waits for room in the window */
	struct ibcc_device *next_queued;
};

/* The kinds of requests. */
enum ibcc_work {
	IBCC_WORK_PROBE,       /* what the device supports; and whether it holds port settings that should be clear */
	IBCC_WORK_SET,         /* what differs or was refused; and reading what was repaired */
	IBCC_WORK_SET_CLAMPED, /* the same, and what was clamped */
	IBCC_WORK_CLEAR,       /* the same as IBCC_WORK_SET of NVIDIA's attributes alone */
	IBCC_WORK_READ,        /* reading all items, once a pass */
};

/* The `purpose` of a request: the answer to a test is not one of an item. */
enum ibcc_purpose {
	IBCC_PURPOSE_ITEM,
	IBCC_PURPOSE_TEST,
	IBCC_PURPOSE_FOUND, /* what it holds before anything is set */
};
#define IBCC_TAG_SCOPE_SHIFT 16u /* the `tag` has the device's epoch, and above it the item's scope */

/* True if it is known what the device has, as far as the profile needs it: only then its items are read and set. */
bool ibcc_device_is_known(const struct ibcc_device *device);
bool ibcc_device_is_left_out(const struct ibcc_device *device); /* nothing is asked of it: it has no congestion control */
/*
 * Fills the device's next request of this kind in `pass` (from 1, ascending), all but its context and key;
 * ibcc_device_handle_result needs the tag and the purpose.
 * False: there is none in this pass, or, if `in_flight`, none for now.
 */
bool ibcc_device_next(const struct ibcc_device *device, enum ibcc_work work, uint32_t pass, struct ibcc_request *request);

/* Returns the item that a request of ibcc_device_next is about; NULL: the device has it no more, or the request is of none. */
struct ibcc_item *ibcc_device_item_of(const struct ibcc_device *device, const struct ibcc_request *request);

/* False of a Set whose values are not wanted any more: sent again, it would bring back what another profile has replaced. */
bool ibcc_device_is_current(const struct ibcc_device *device, const struct ibcc_request *request);

/* Changes that a result has brought. */
struct ibcc_device_findings {
	bool probed;       /* its capabilities are known now: its tables may have to be cut */
	bool applied;      /* it holds all that is wanted now, or clamped values */
	bool drifted;      /* an item was read that differs from what the device held */
	bool failed;       /* no answer from a device that has answered before, or out of memory */
	bool contested;    /* somebody else writes NVIDIA's attributes again and again */
	bool learned;      /* what it has of NVIDIA's attributes is known now */
	bool found;        /* all that it holds was read: `found_reading` has it */
	bool found_nvidia; /* the same of NVIDIA's attributes: `nvidia_reading` has it */
};

/* Handles the result of a request of ibcc_device_next; `in_flight` ends. */
void ibcc_device_handle_result(struct ibcc_device *device, struct ibcc_payload_pool *pool, uint32_t pass,
			       const struct ibcc_request *request, const struct ibcc_result *result, int64_t now_ns,
			       struct ibcc_device_findings *findings);

/*
 * Forgets all that is known of a device that was away, was reset, or may have been written by others. What it should hold stays, and
 * so does its firmware until it has been asked again.
 */
void ibcc_device_forget(struct ibcc_device *device, struct ibcc_payload_pool *pool);

/* True if it is to be read before it is set, as nobody knows yet what it was found with. */
bool ibcc_device_is_to_be_found(const struct ibcc_device *device);
struct ibcc_found_extent ibcc_device_found_extent(const struct ibcc_device *device);
/* The same of NVIDIA's attributes, where a profile has values for them, or others have switched them on. */
bool ibcc_device_is_nvidia_to_be_found(const struct ibcc_device *device);
unsigned ibcc_device_nvidia_ports(const struct ibcc_device *device); /* external ports of a switch; 0 of an adapter */

/* True if it holds all that is wanted, as far as it accepts that. */
bool ibcc_device_is_settled(const struct ibcc_device *device);
bool ibcc_device_refuses(const struct ibcc_device *device); /* a value that is wanted */

bool ibcc_device_gets_nvidia(const struct ibcc_device *device); /* Sets of NVIDIA's attributes may go to it */
/* True if it was found to hold all that is wanted of it, NVIDIA's attributes among it, and is not noted as one that was written to. */
bool ibcc_device_holds_unowned(const struct ibcc_device *device);

bool ibcc_device_is_repaired(const struct ibcc_device *device); /* it holds all that is wanted, and has said so */

/* Returns a time since when it is as ibcc_device_state says, by the device's own reports; 0: it has reported nothing. */
int64_t ibcc_device_seen_ns(const struct ibcc_device *device);
bool ibcc_item_is_settled(const struct ibcc_item *item);
enum ibcc_device_state ibcc_device_state(const struct ibcc_device *device);
enum ibcc_device_state
ibcc_device_last_state(const struct ibcc_device *device); /* by its last answers, whether it responds now or not */

enum ibcc_dialect ibcc_device_dialect(const struct ibcc_device *device);

/* Sets whether the device is asked for NVIDIA's attributes. */
void ibcc_device_ask_nvidia(struct ibcc_device *device, bool to_ask);

/* Ends a dispute over the device: it is set again. */
void ibcc_device_end_contest(struct ibcc_device *device);

/* Which answers of a device the plugin forgets, so that it asks the device anew. */
enum ibcc_doubt {
	IBCC_DOUBT_SILENCE, /* that EnhancedCongestionInfo had no answer */
	IBCC_DOUBT_FAULT,   /* that, and that a test has failed */
	IBCC_DOUBT_ALL,
};
void ibcc_device_doubt_nvidia(struct ibcc_device *device, struct ibcc_payload_pool *pool, enum ibcc_doubt doubt);

/* Has the next probe ask for facts that may have changed. Nothing else of the device is forgotten. */
void ibcc_device_ask_facts(struct ibcc_device *device);
/* The same of a device that is asked whether others have switched it on. */
void ibcc_device_look_again(struct ibcc_device *device);
/* Has the next probe ask whether a device that was silent has these attributes. */
void ibcc_device_ask_silent(struct ibcc_device *device);

/* Trusts a device no more whose own tests have found nothing. */
void ibcc_device_distrust_nvidia(struct ibcc_device *device, const struct ibcc_nvidia_trust *trust);

#ifdef __cplusplus
}
#endif
#endif
