/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * notices.h: the letter box of the manager's thread. OpenSM's threads and the receiver put something in and go; the manager's
 * loop is woken through a descriptor and takes everything out at once.
 *
 * Posting takes one short mutex and never waits for anything else. The box is bounded: of ports that came or went only so many
 * are told one by one, each once, and beyond that `all_ports` stands for them (of switches `all_switches`); answers beyond the
 * bound are dropped, as a network would.
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
	IBCC_NOTICE_SWEEP_BEGINS = 1u << 0, /* OpenSM walks the fabric: no MADs now */
	IBCC_NOTICE_SUBNET_UP = 1u << 1,    /* a heavy sweep is over, well or not */
	IBCC_NOTICE_STATE_CHANGE = 1u << 2, /* perhaps no longer master */
	IBCC_NOTICE_STOP = 1u << 3,         /* OpenSM is about to unload the plugin */
};

#define IBCC_MAX_INBOX_PORTS 256u
#define IBCC_MAX_INBOX_ANSWERS 8192u

struct ibcc_inbox;

/* What was in the box. Arrays belong to the box, and last until it is emptied again. */
struct ibcc_inbox_content {
	uint32_t notices;          /* enum ibcc_notice, in no order; a sweep that began and ended meanwhile shows both */
	bool sweeping;             /* the last notice of all was SWEEP_BEGINS: stays so from mail to mail */
	uint32_t num_sweeps_ended; /* heavy sweeps: one notice may stand for several */
	bool all_ports;            /* more ports than could be told */
	bool all_switches;         /* more switches than could be told */
	uint32_t num_ports;
	const uint64_t *port_guids; /* ports that came or returned (trap 64) */
	uint32_t num_switches;
	const uint64_t *switch_guids; /* node GUIDs of switches whose forwarding tables OpenSM has written */
	uint32_t num_answers;
	const struct ibcc_answer *answers;
};

struct ibcc_inbox *ibcc_inbox_create(void); /* NULL: out of memory or descriptors */
void ibcc_inbox_destroy(struct ibcc_inbox *inbox);
int ibcc_inbox_fd(const struct ibcc_inbox *inbox); /* readable while there is mail */

/* From any thread. */
void ibcc_inbox_post(struct ibcc_inbox *inbox, enum ibcc_notice notice);
void ibcc_inbox_post_port(struct ibcc_inbox *inbox, uint64_t port_guid);
void ibcc_inbox_post_switch(struct ibcc_inbox *inbox, uint64_t node_guid);
void ibcc_inbox_post_answer(struct ibcc_inbox *inbox, const struct ibcc_answer *answer);

/* Whether the last notice of all was SWEEP_BEGINS, be it taken or not. For who is about to send; any thread. */
bool ibcc_inbox_is_sweeping(const struct ibcc_inbox *inbox);

/* From the one thread that reads. */
void ibcc_inbox_take(struct ibcc_inbox *inbox, struct ibcc_inbox_content *content);

#ifdef __cplusplus
}
#endif
#endif
