/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * window.h: the requests in flight: limits their number and their rate, retries them with back-off, and reports one outcome for
 * each.
 *
 * A late request is one that nobody waits for: its device is not responding. It has room of its own, so that devices that answer
 * never wait for a place in the window.
 *
 * One thread only. Callers pass the time (ns of a monotonic clock), so that tests need not wait. An answer "busy" counts as no
 * answer. While the window is paused nothing is sent, not even a retry; answers are handled.
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
	uint32_t max_late;        /* late requests, which come on top; 4096 in all */
	uint32_t max_mads_per_s;  /* 0: no limit */
	uint32_t timeout_ms;      /* of the first try; each further one waits twice as long, at most max_timeout_ms */
	uint32_t max_timeout_ms;
	uint32_t retries;                       /* tries after the first */
	const struct ibcc_mad_class *mad_class; /* NULL: congestion control */
	struct ibcc_window *shares_rate_of; /* a window whose rate this one's MADs count in, and that outlives it; NULL: none */
};

struct ibcc_request {
	uint16_t lid;
	uint8_t sl;
	enum ibcc_method method;
	uint16_t attribute;
	uint32_t modifier;
	uint64_t cc_key;
	uint8_t data[CCP_ATTRIBUTE_BYTES]; /* of a Set; of a Get most often zeros */
	uint32_t tries;                    /* at most, the first one included; 0: as many as the window allows */
	bool late;                         /* from its beginning */
	void *context;                     /* the caller's */
	uint32_t tag;                      /* the caller's */
	uint8_t purpose;                   /* the caller's */
};

enum ibcc_outcome {
	IBCC_ANSWERED,  /* `status` and `data` are the device's */
	IBCC_TIMED_OUT, /* no answer to any try */
	IBCC_NOT_SENT,  /* this host's port has refused it, every time */
	IBCC_CANCELLED, /* by ibcc_window_cancel, or before a retry that makes no sense any more */
};

struct ibcc_result {
	enum ibcc_outcome outcome;
	uint16_t status;
	const uint8_t *data; /* CCP_ATTRIBUTE_BYTES, of CongestionLog and the vendor's class
				  CCP_CONGESTION_LOG_BYTES; NULL unless answered */
	uint32_t tries;
};

/* Called with the outcome of each request, but never from inside ibcc_window_send. May send further requests. */
typedef void ibcc_on_result(void *owner, const struct ibcc_request *request, const struct ibcc_result *result);

struct ibcc_window_counts {
	uint64_t sent;       /* MADs, retries included */
	uint64_t gets, sets; /* requests, each counted once */
	uint64_t answered;
	uint64_t retried;
	uint64_t timed_out;
	uint64_t unexpected; /* answers to no request in flight, or that do not fit their request */
};

/* NULL: out of memory. `port` is borrowed; ibcc_window_set_port replaces it, and NULL is fine until then. */
struct ibcc_window *ibcc_window_create(const struct ibcc_window_settings *settings, struct ibcc_mad_port *port,
				       ibcc_on_result *on_result, void *owner);
void ibcc_window_destroy(struct ibcc_window *window); /* reports no outcomes */
/* NULL: the port has ended. Requests in flight, whose devices are not to blame, wait for the next port and are sent again. */
void ibcc_window_set_port(struct ibcc_window *window, struct ibcc_mad_port *port);

/* True if a request may go out now. */
bool ibcc_window_has_room(const struct ibcc_window *window, int64_t now_ns);

bool ibcc_window_has_late_room(const struct ibcc_window *window, int64_t now_ns); /* the same for a late one */

/* REQUIRES: has room. The request is copied. */
void ibcc_window_send(struct ibcc_window *window, const struct ibcc_request *request, int64_t now_ns);

void ibcc_window_handle_answer(struct ibcc_window *window, const struct ibcc_answer *answer, int64_t now_ns);

/* Sets a function that is called before each retry, and may pause the window: then the retry waits. NULL, as at first: none. */
void ibcc_window_before_retry(struct ibcc_window *window, void (*before_retry)(void *owner));

/*
 * Sets a function that says whether a request still makes sense. It is called before each retry; a request for which it returns false
 * is not sent again, and ends as if it was cancelled. NULL, as at first: all do.
 */
typedef bool ibcc_is_current(void *owner, const struct ibcc_request *request);
void ibcc_window_repeat_if(struct ibcc_window *window, ibcc_is_current *is_current);

/* Does what is due: retries and time-outs. */
void ibcc_window_tick(struct ibcc_window *window, int64_t now_ns);

/* Returns when ibcc_window_tick has something to do, or there will be room again; INT64_MAX: not by time alone. */
int64_t ibcc_window_next_ns(const struct ibcc_window *window, int64_t now_ns);

void ibcc_window_pause(struct ibcc_window *window);
void ibcc_window_resume(struct ibcc_window *window, int64_t now_ns); /* time-outs start over */

/* Cancels the requests with this context, or all (NULL), and reports that as their outcome. */
void ibcc_window_cancel(struct ibcc_window *window, const void *context);

/*
 * A request is overdue when it is unanswered for longer than answers take of late, though some have come meanwhile; or for its
 * first time-out. `each` is called with each that is and is not late; from then on those for which it returns true are late, as far
 * as there is room for late ones. It must not change the window. Returns the number of those that have become late.
 */
typedef bool ibcc_on_overdue(void *owner, const struct ibcc_request *request);
uint32_t ibcc_window_take_overdue(struct ibcc_window *window, int64_t now_ns, ibcc_on_overdue *each);

/* Returns when the next request will be overdue that is not yet at `now_ns`, if no more answers come; INT64_MAX: none. */
int64_t ibcc_window_overdue_ns(const struct ibcc_window *window, int64_t now_ns);

uint32_t ibcc_window_in_flight(const struct ibcc_window *window); /* late ones apart */
uint32_t ibcc_window_late(const struct ibcc_window *window);
struct ibcc_window_counts ibcc_window_get_counts(const struct ibcc_window *window);

#ifdef __cplusplus
}
#endif
#endif
