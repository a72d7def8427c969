/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "manager/inbox.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* All that was posted since the last ibcc_inbox_take. */
struct box {
	uint32_t notices;
	bool more_ports, more_switches;
	uint32_t num_sweeps_ended, num_ports, num_switches, num_answers;
	uint64_t ports[IBCC_MAX_INBOX_PORTS];
	uint64_t switches[IBCC_MAX_INBOX_PORTS];
	struct ibcc_answer *answers; /* IBCC_MAX_INBOX_ANSWERS; memory that is never written to is never taken from the system */
};

/* Two boxes: one is filled while the other is read. */
struct ibcc_inbox {
	pthread_mutex_t mutex; /* of what follows, but `boxes[!filling]`, which is the reader's */
	struct box boxes[2];
	unsigned filling;
	bool rung;            /* the descriptor is readable */
	atomic_bool sweeping; /* written under the mutex, as the next one is */
	atomic_uint num_sweeps_begun;
	int fd;
};

struct ibcc_inbox *ibcc_inbox_create(void)
{
	struct ibcc_inbox *inbox = calloc(1, sizeof(*inbox));

	if (!inbox)
		return NULL;
	inbox->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (inbox->fd < 0)
		goto free_notices;
	if (pthread_mutex_init(&inbox->mutex, NULL) != 0)
		goto close_fd;
	for (unsigned i = 0; i < 2; i++) {
		inbox->boxes[i].answers = malloc(IBCC_MAX_INBOX_ANSWERS * sizeof(*inbox->boxes[i].answers));
		if (!inbox->boxes[i].answers)
			goto free_answers;
	}
	return inbox;

free_answers:
	free(inbox->boxes[1].answers);
	free(inbox->boxes[0].answers);
	(void)pthread_mutex_destroy(&inbox->mutex);
close_fd:
	(void)close(inbox->fd);
free_notices:
	free(inbox);
	return NULL;
}

void ibcc_inbox_destroy(struct ibcc_inbox *inbox)
{
	if (!inbox)
		return;
	free(inbox->boxes[1].answers);
	free(inbox->boxes[0].answers);
	(void)pthread_mutex_destroy(&inbox->mutex);
	(void)close(inbox->fd);
	free(inbox);
}

int ibcc_inbox_fd(const struct ibcc_inbox *inbox)
{
	return inbox->fd;
}

static struct box *open_box(struct ibcc_inbox *inbox)
{
	(void)pthread_mutex_lock(&inbox->mutex);
	return &inbox->boxes[inbox->filling];
}

/* Something was put in. Rings once for all that is in the box; writing 1 to a counter that is 0 can neither wait nor fail. */
static void close_box(struct ibcc_inbox *inbox)
{
	if (!inbox->rung) {
		inbox->rung = true;
		(void)eventfd_write(inbox->fd, 1);
	}
	(void)pthread_mutex_unlock(&inbox->mutex);
}

void ibcc_inbox_post(struct ibcc_inbox *inbox, enum ibcc_notice notice)
{
	struct box *box = open_box(inbox);

	box->notices |= notice;
	box->num_sweeps_ended += notice == IBCC_NOTICE_SUBNET_UP;
	atomic_store(&inbox->sweeping, notice == IBCC_NOTICE_SWEEP_BEGINS);
	atomic_fetch_add(&inbox->num_sweeps_begun, notice == IBCC_NOTICE_SWEEP_BEGINS);
	close_box(inbox);
}

/* Adds a GUID that is not there yet; the same one often comes several times in a row. False: no room. */
static bool add_guid(uint64_t guids[IBCC_MAX_INBOX_PORTS], uint32_t *num_guids, uint64_t guid)
{
	for (uint32_t i = *num_guids; i-- > 0;) {
		if (guids[i] == guid)
			return true;
	}
	if (*num_guids == IBCC_MAX_INBOX_PORTS)
		return false;
	guids[(*num_guids)++] = guid;
	return true;
}

void ibcc_inbox_post_port(struct ibcc_inbox *inbox, uint64_t port_guid)
{
	struct box *box = open_box(inbox);

	if (!box->more_ports)
		box->more_ports = !add_guid(box->ports, &box->num_ports, port_guid);
	close_box(inbox);
}

void ibcc_inbox_post_switch(struct ibcc_inbox *inbox, uint64_t node_guid)
{
	struct box *box = open_box(inbox);

	if (!box->more_switches)
		box->more_switches = !add_guid(box->switches, &box->num_switches, node_guid);
	close_box(inbox);
}

void ibcc_inbox_post_answer(struct ibcc_inbox *inbox, const struct ibcc_answer *answer)
{
	struct box *box = open_box(inbox);

	if (box->num_answers < IBCC_MAX_INBOX_ANSWERS)
		box->answers[box->num_answers++] = *answer;
	close_box(inbox);
}

bool ibcc_inbox_is_sweeping(const struct ibcc_inbox *inbox)
{
	return atomic_load(&inbox->sweeping);
}

uint32_t ibcc_inbox_num_sweeps_begun(const struct ibcc_inbox *inbox)
{
	return atomic_load(&inbox->num_sweeps_begun);
}

void ibcc_inbox_take(struct ibcc_inbox *inbox, struct ibcc_inbox_content *content)
{
	struct box *empty, *full;
	eventfd_t rings;

	/* Clears the answers read the last time, which repeat the CC_Key. The box is the reader's until it is filled again. */
	empty = &inbox->boxes[!inbox->filling];
	explicit_bzero(empty->answers, empty->num_answers * sizeof(*empty->answers));
	(void)pthread_mutex_lock(&inbox->mutex);
	if (inbox->rung)
		(void)eventfd_read(inbox->fd, &rings);
	inbox->rung = false;
	full = &inbox->boxes[inbox->filling];
	inbox->filling = !inbox->filling;
	empty = &inbox->boxes[inbox->filling];
	empty->notices = 0;
	empty->num_sweeps_ended = 0;
	empty->more_ports = false;
	empty->more_switches = false;
	empty->num_ports = 0;
	empty->num_switches = 0;
	empty->num_answers = 0;
	content->sweeping = atomic_load(&inbox->sweeping);
	content->num_sweeps_begun = atomic_load(&inbox->num_sweeps_begun);
	(void)pthread_mutex_unlock(&inbox->mutex);

	content->notices = full->notices;
	content->num_sweeps_ended = full->num_sweeps_ended;
	content->all_ports = full->more_ports;
	content->all_switches = full->more_switches;
	content->num_ports = full->num_ports;
	content->port_guids = full->ports;
	content->num_switches = full->num_switches;
	content->switch_guids = full->switches;
	content->num_answers = full->num_answers;
	content->answers = full->answers;
}
