/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * window.h: requests under way: so many at once and so many a second, tried again with back-off, each with one outcome.
 *
 * One thread only; time comes in from outside (ns of a monotonic clock), so that tests need not wait. An answer that says "busy" is
 * waited for as if it had not come. While paused nothing is sent, also no retry; answers are taken.
 */
#ifndef IBCC_WINDOW_H
#define IBCC_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/wire.h"
#include "mad/cc_mad.h"
#include "mad/mad_port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_window;

struct ibcc_window_settings {
	uint32_t max_outstanding; /* 1..4096 */
	uint32_t max_mads_per_s;  /* 0: no limit */
	uint32_t timeout_ms;      /* of the first try; each further one waits twice as long, at most max_timeout_ms */
	uint32_t max_timeout_ms;
	uint32_t retries; /* tries after the first */
};

struct ibcc_request {
	uint16_t lid;
	uint8_t sl;
	enum ibcc_method method;
	uint16_t attribute;
	uint32_t modifier;
	uint64_t cc_key;
	uint8_t data[CCP_ATTRIBUTE_BYTES]; /* of a Set */
	void *context;                     /* the caller's */
	uint32_t tag;                      /* the caller's */
};

enum ibcc_outcome {
	IBCC_ANSWERED,  /* `status` and `data` are the device's */
	IBCC_TIMED_OUT, /* no answer to any try */
	IBCC_NOT_SENT,  /* this host's port has refused it, every time */
	IBCC_CANCELLED, /* by ibcc_window_cancel */
};

struct ibcc_result {
	enum ibcc_outcome outcome;
	uint16_t status;
	const uint8_t *data; /* CCP_ATTRIBUTE_BYTES, of CongestionLog CCP_CONGESTION_LOG_BYTES; NULL unless answered */
	uint32_t tries;
};

/* Told the outcome of each request, never from inside ibcc_window_send. May send further ones. */
typedef void ibcc_on_result(void *owner, const struct ibcc_request *request, const struct ibcc_result *result);

struct ibcc_window_counts {
	uint64_t sent;       /* MADs, retries included */
	uint64_t gets, sets; /* requests, each counted once */
	uint64_t answered;
	uint64_t retried;
	uint64_t timed_out;
	uint64_t unexpected; /* answers to nothing that is outstanding, or that do not fit what was asked */
};

/* NULL: out of memory. `port` is borrowed, and may come later or be another (ibcc_window_set_port). */
struct ibcc_window *ibcc_window_create(const struct ibcc_window_settings *settings, struct ibcc_mad_port *port,
				       ibcc_on_result *on_result, void *owner);
void ibcc_window_destroy(struct ibcc_window *window); /* tells nobody */
/* NULL: it has ended, and with it what was under way, which is not the devices' fault: all waits for another port, and is tried again. */
void ibcc_window_set_port(struct ibcc_window *window, struct ibcc_mad_port *port);

/* True if a request may go out now. */
bool ibcc_window_has_room(const struct ibcc_window *window, int64_t now_ns);

/* REQUIRES: has room. The request is copied. */
void ibcc_window_send(struct ibcc_window *window, const struct ibcc_request *request, int64_t now_ns);

void ibcc_window_handle_answer(struct ibcc_window *window, const struct ibcc_answer *answer, int64_t now_ns);

/* Called before each further try of a request: it may pause the window, and the try waits. NULL, as at first: nobody. */
void ibcc_window_before_retry(struct ibcc_window *window, void (*before_retry)(void *owner));

/* Does what has come due: retries and time-outs. */
void ibcc_window_tick(struct ibcc_window *window, int64_t now_ns);

/* When ibcc_window_tick has something to do, or room comes for those who had none; INT64_MAX: not by time alone. */
int64_t ibcc_window_next_ns(const struct ibcc_window *window, int64_t now_ns);

void ibcc_window_pause(struct ibcc_window *window);
void ibcc_window_resume(struct ibcc_window *window, int64_t now_ns); /* time-outs begin anew */

/* Gives up the requests with this context, or all (NULL); their owner is told. */
void ibcc_window_cancel(struct ibcc_window *window, const void *context);

uint32_t ibcc_window_outstanding(const struct ibcc_window *window);
struct ibcc_window_counts ibcc_window_get_counts(const struct ibcc_window *window);

#ifdef __cplusplus
}
#endif
#endif
