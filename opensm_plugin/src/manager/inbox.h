/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inbox.h: the inbox of the manager's thread. OpenSM's threads and the receiver post to it and return; a descriptor wakes the
 * manager's loop, which takes out everything at once.
 *
 * Posting takes one short mutex and never waits for anything else. The inbox is bounded: each port that came or returned is in it
 * once, and beyond IBCC_MAX_INBOX_PORTS of them `all_ports` stands for all (`all_switches` for switches); answers beyond
 * IBCC_MAX_INBOX_ANSWERS are dropped, as a network would.
 */
#ifndef IBCC_INBOX_H
#define IBCC_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "mad/mad_port.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_notice {
	IBCC_NOTICE_SWEEP_BEGINS = 1u << 0, /* OpenSM begins a heavy sweep: nothing may be sent */
	IBCC_NOTICE_SUBNET_UP = 1u << 1,    /* a heavy sweep has ended, with or without errors */
	IBCC_NOTICE_STATE_CHANGE = 1u << 2, /* OpenSM may not be MASTER any more */
	IBCC_NOTICE_STOP = 1u << 3,         /* OpenSM is about to unload the plugin */
};

#define IBCC_MAX_INBOX_PORTS 256u
#define IBCC_MAX_INBOX_ANSWERS 8192u

struct ibcc_inbox;

/* The content of the inbox. Its arrays belong to the inbox, and last until the next ibcc_inbox_take. */
struct ibcc_inbox_content {
	uint32_t notices;          /* enum ibcc_notice, in no order; a sweep that began and ended meanwhile shows both */
	bool sweeping;             /* the last notice of all was SWEEP_BEGINS, whether taken now or earlier */
	uint32_t num_sweeps_ended; /* heavy sweeps: one notice may stand for several */
	uint32_t num_sweeps_begun; /* of all so far, as ibcc_inbox_num_sweeps_begun() counts */
	bool all_ports;            /* more ports than there was room for */
	bool all_switches;         /* more switches than there was room for */
	uint32_t num_ports;
	const uint64_t *port_guids; /* ports that came or returned (trap 64) */
	uint32_t num_switches;
	const uint64_t *switch_guids; /* node GUIDs of switches whose forwarding tables OpenSM has written */
	uint32_t num_answers;
	const struct ibcc_answer *answers;
};

struct ibcc_inbox *ibcc_inbox_create(void); /* NULL: out of memory or descriptors */
void ibcc_inbox_destroy(struct ibcc_inbox *inbox);
int ibcc_inbox_fd(const struct ibcc_inbox *inbox); /* readable while there is something in it */

/* From any thread. */
void ibcc_inbox_post(struct ibcc_inbox *inbox, enum ibcc_notice notice);
void ibcc_inbox_post_port(struct ibcc_inbox *inbox, uint64_t port_guid);
void ibcc_inbox_post_switch(struct ibcc_inbox *inbox, uint64_t node_guid);
void ibcc_inbox_post_answer(struct ibcc_inbox *inbox, const struct ibcc_answer *answer);

/* True if the last notice of all was SWEEP_BEGINS, even if it is not taken yet. Call it before sending. From any thread. */
bool ibcc_inbox_is_sweeping(const struct ibcc_inbox *inbox);

/* Returns the number of heavy sweeps that have begun, even if the notice is not taken yet; it wraps around. From any thread. */
uint32_t ibcc_inbox_num_sweeps_begun(const struct ibcc_inbox *inbox);

/* From the manager's thread only. */
void ibcc_inbox_take(struct ibcc_inbox *inbox, struct ibcc_inbox_content *content);

#ifdef __cplusplus
}
#endif
#endif
