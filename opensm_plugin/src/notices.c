/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "notices.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* What was posted since the box was last emptied. */
struct box {
	uint32_t notices;
	bool more_ports, more_switches;
	uint32_t num_sweeps_ended, num_ports, num_switches, num_answers;
	uint64_t ports[IBCC_MAX_NOTICED_PORTS];
	uint64_t switches[IBCC_MAX_NOTICED_PORTS];
	struct ibcc_answer *answers; /* IBCC_MAX_HELD_ANSWERS; memory that is never written to is never taken from the system */
};

/* Two boxes: one is filled while the other is read. */
struct ibcc_notices {
	pthread_mutex_t mutex; /* of what follows, but `boxes[!filling]`, which is the reader's */
	struct box boxes[2];
	unsigned filling;
	bool rung;            /* the descriptor is readable */
	atomic_bool sweeping; /* written under the mutex */
	int fd;
};

struct ibcc_notices *ibcc_notices_create(void)
{
	struct ibcc_notices *notices = calloc(1, sizeof(*notices));

	if (!notices)
		return NULL;
	notices->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (notices->fd < 0)
		goto free_notices;
	if (pthread_mutex_init(&notices->mutex, NULL) != 0)
		goto close_fd;
	for (unsigned i = 0; i < 2; i++) {
		notices->boxes[i].answers = malloc(IBCC_MAX_HELD_ANSWERS * sizeof(*notices->boxes[i].answers));
		if (!notices->boxes[i].answers)
			goto free_answers;
	}
	return notices;

free_answers:
	free(notices->boxes[1].answers);
	free(notices->boxes[0].answers);
	(void)pthread_mutex_destroy(&notices->mutex);
close_fd:
	(void)close(notices->fd);
free_notices:
	free(notices);
	return NULL;
}

void ibcc_notices_destroy(struct ibcc_notices *notices)
{
	if (!notices)
		return;
	free(notices->boxes[1].answers);
	free(notices->boxes[0].answers);
	(void)pthread_mutex_destroy(&notices->mutex);
	(void)close(notices->fd);
	free(notices);
}

int ibcc_notices_fd(const struct ibcc_notices *notices)
{
	return notices->fd;
}

static struct box *open_box(struct ibcc_notices *notices)
{
	(void)pthread_mutex_lock(&notices->mutex);
	return &notices->boxes[notices->filling];
}

/* Something was put in. Rings once for all that is in the box; writing 1 to a counter that is 0 can neither wait nor fail. */
static void close_box(struct ibcc_notices *notices)
{
	if (!notices->rung) {
		notices->rung = true;
		(void)eventfd_write(notices->fd, 1);
	}
	(void)pthread_mutex_unlock(&notices->mutex);
}

void ibcc_notices_post(struct ibcc_notices *notices, enum ibcc_notice notice)
{
	struct box *box = open_box(notices);

	box->notices |= notice;
	box->num_sweeps_ended += notice == IBCC_NOTICE_SUBNET_UP;
	atomic_store(&notices->sweeping, notice == IBCC_NOTICE_SWEEP_BEGINS);
	close_box(notices);
}

/* Adds a GUID that is not there yet; the same one often comes several times in a row. False: no room. */
static bool add_guid(uint64_t guids[IBCC_MAX_NOTICED_PORTS], uint32_t *num_guids, uint64_t guid)
{
	for (uint32_t i = *num_guids; i-- > 0;) {
		if (guids[i] == guid)
			return true;
	}
	if (*num_guids == IBCC_MAX_NOTICED_PORTS)
		return false;
	guids[(*num_guids)++] = guid;
	return true;
}

void ibcc_notices_post_port(struct ibcc_notices *notices, uint64_t port_guid)
{
	struct box *box = open_box(notices);

	if (!box->more_ports)
		box->more_ports = !add_guid(box->ports, &box->num_ports, port_guid);
	close_box(notices);
}

void ibcc_notices_post_switch(struct ibcc_notices *notices, uint64_t node_guid)
{
	struct box *box = open_box(notices);

	if (!box->more_switches)
		box->more_switches = !add_guid(box->switches, &box->num_switches, node_guid);
	close_box(notices);
}

void ibcc_notices_post_answer(struct ibcc_notices *notices, const struct ibcc_answer *answer)
{
	struct box *box = open_box(notices);

	if (box->num_answers < IBCC_MAX_HELD_ANSWERS)
		box->answers[box->num_answers++] = *answer;
	close_box(notices);
}

bool ibcc_notices_is_sweeping(const struct ibcc_notices *notices)
{
	return atomic_load(&notices->sweeping);
}

void ibcc_notices_take(struct ibcc_notices *notices, struct ibcc_mail *mail)
{
	struct box *empty, *full;
	eventfd_t rings;

	/* What was read the last time: answers repeat the CC_Key. The box is the reader's until it is filled again. */
	empty = &notices->boxes[!notices->filling];
	explicit_bzero(empty->answers, empty->num_answers * sizeof(*empty->answers));
	(void)pthread_mutex_lock(&notices->mutex);
	if (notices->rung)
		(void)eventfd_read(notices->fd, &rings);
	notices->rung = false;
	full = &notices->boxes[notices->filling];
	notices->filling = !notices->filling;
	empty = &notices->boxes[notices->filling];
	empty->notices = 0;
	empty->num_sweeps_ended = 0;
	empty->more_ports = false;
	empty->more_switches = false;
	empty->num_ports = 0;
	empty->num_switches = 0;
	empty->num_answers = 0;
	mail->sweeping = atomic_load(&notices->sweeping);
	(void)pthread_mutex_unlock(&notices->mutex);

	mail->notices = full->notices;
	mail->num_sweeps_ended = full->num_sweeps_ended;
	mail->all_ports = full->more_ports;
	mail->all_switches = full->more_switches;
	mail->num_ports = full->num_ports;
	mail->port_guids = full->ports;
	mail->num_switches = full->num_switches;
	mail->switch_guids = full->switches;
	mail->num_answers = full->num_answers;
	mail->answers = full->answers;
}
