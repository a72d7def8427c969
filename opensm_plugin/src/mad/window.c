/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "mad/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ns.h"
#include "mad/back_off.h"
#include "mad/deadlines.h"
#include "mad/pacer.h"

/*
 * The time that the window gives the port, beyond the time-out, to report it: kernels count in ticks, and threads wait for their
 * turn.
 */
#define GRACE_NS (20 * NS_PER_MS)
#define GRACE_SHARE 4

/*
 * An answer comes within PATIENCE_TIMES the longest that an answer has taken of late, or PATIENCE_NS, if that is more: agents answer
 * in less than a millisecond, but threads wait for their turn. The memory of a slow answer fades by a part with each other answer.
 */
#define PATIENCE_NS (5 * NS_PER_MS)
#define PATIENCE_TIMES 2
#define FADING 64

/* A try's transaction ID: the request's slot, and above it a number that the slot uses once in half a million tries. */
#define SLOT_BITS 12u
#define SLOT_MASK ((1u << SLOT_BITS) - 1)
#define GENERATION_MASK (~IBCC_TID_MARK >> SLOT_BITS)
#define MAX_SLOTS (1u << SLOT_BITS)

struct slot {
	struct ibcc_request request;
	uint64_t serial;     /* of the request, ascending; 0: the slot is free */
	uint32_t generation; /* of the last try */
	uint32_t tries;      /* of this request, those that the port refused included */
	uint32_t spent;      /* of them, those that count against the retries */
	bool out;            /* the last try has not been ended, by the port or an answer */
	bool sent;           /* the port has taken a try */
	int64_t jitter_ns;   /* of the last try */
	int64_t retry_ns;    /* the earliest time of the next try */
	int64_t first_ns;    /* when the first try that counts went out */
	uint32_t next_free;
};

struct ibcc_window {
	const struct ibcc_mad_class *mad_class;
	struct ibcc_mad_port *port;
	ibcc_on_result *on_result;
	void (*before_retry)(void *owner);
	ibcc_is_current *is_current;
	void *owner;
	bool paused;
	uint32_t retries_allowed;
	uint32_t max_outstanding, max_late;
	uint32_t num_slots; /* the sum of both */
	uint32_t outstanding, late;
	int64_t answered_ns; /* when the last answer came */
	int64_t slowest_ns;  /* of the first tries of late, the longest that an answer took */
	uint32_t first_free;
	uint64_t last_serial;
	struct slot *slots;
	struct ibcc_back_off back_off;
	struct ibcc_pacer own_pacer;
	struct ibcc_pacer *pacer; /* that of another window, if they share a rate */
	/*
	 * A request is in one of them: in `retries` if there is another try, else in `ends` until the request or its last try
	 * ends.
	 */
	struct ibcc_deadlines retries, ends;
	struct ibcc_window_counts counts;
};

struct ibcc_window *ibcc_window_create(const struct ibcc_window_settings *settings, struct ibcc_mad_port *port,
				       ibcc_on_result *on_result, void *owner)
{
	struct ibcc_window *window = calloc(1, sizeof(*window));

	if (!window)
		return NULL;
	window->max_outstanding = settings->max_outstanding < MAX_SLOTS ? settings->max_outstanding : MAX_SLOTS;
	if (window->max_outstanding == 0)
		window->max_outstanding = 1;
	window->max_late = settings->max_late;
	if (window->max_late > MAX_SLOTS - window->max_outstanding)
		window->max_late = MAX_SLOTS - window->max_outstanding;
	window->num_slots = window->max_outstanding + window->max_late;
	window->answered_ns = INT64_MIN;
	window->retries_allowed = settings->retries;
	window->port = port;
	window->on_result = on_result;
	window->owner = owner;
	ibcc_back_off_init(&window->back_off, settings->timeout_ms, settings->max_timeout_ms);
	ibcc_pacer_init(&window->own_pacer, settings->max_mads_per_s);
	window->pacer = settings->shares_rate_of ? settings->shares_rate_of->pacer : &window->own_pacer;
	window->mad_class = settings->mad_class ? settings->mad_class : &ibcc_cc_class;

	window->slots = calloc(window->num_slots, sizeof(*window->slots));
	if (!window->slots)
		goto free_window;
	if (ibcc_deadlines_init(&window->retries, window->num_slots) < 0)
		goto free_slots;
	if (ibcc_deadlines_init(&window->ends, window->num_slots) < 0)
		goto destroy_retries;
	for (uint32_t i = 0; i < window->num_slots; i++)
		window->slots[i].next_free = i + 1;
	return window;

destroy_retries:
	ibcc_deadlines_destroy(&window->retries);
free_slots:
	free(window->slots);
free_window:
	free(window);
	return NULL;
}

void ibcc_window_destroy(struct ibcc_window *window)
{
	if (!window)
		return;
	ibcc_deadlines_destroy(&window->ends);
	ibcc_deadlines_destroy(&window->retries);
	explicit_bzero(window->slots, window->num_slots * sizeof(*window->slots));
	free(window->slots);
	free(window);
}

/* Ends the request. Its slot is free before on_result is called, which may use it at once. It is wiped, as it has a CC_Key. */
static void finish(struct ibcc_window *window, uint32_t index, const struct ibcc_result *result)
{
	struct slot *slot = &window->slots[index];
	struct ibcc_request request = slot->request;

	ibcc_deadlines_remove(&window->retries, index);
	ibcc_deadlines_remove(&window->ends, index);
	explicit_bzero(&slot->request, sizeof(slot->request));
	slot->serial = 0;
	slot->next_free = window->first_free;
	window->first_free = index;
	if (request.late)
		window->late--;
	else
		window->outstanding--;
	window->counts.answered += result->outcome == IBCC_ANSWERED;
	window->counts.timed_out += result->outcome == IBCC_TIMED_OUT;
	window->on_result(window->owner, &request, result);
	explicit_bzero(&request, sizeof(request));
}

/* The last try has ended, and there is no other. */
static void give_up(struct ibcc_window *window, uint32_t index)
{
	const struct slot *slot = &window->slots[index];

	finish(window, index,
	       &(struct ibcc_result){.outcome = slot->sent ? IBCC_TIMED_OUT : IBCC_NOT_SENT, .tries = slot->tries});
}

static bool may_retry(const struct ibcc_window *window, const struct slot *slot)
{
	const uint32_t tries = slot->request.tries;

	return tries ? slot->spent < tries : slot->spent <= window->retries_allowed;
}

/* The last try has ended; the retry or the end of the request waits for the back-off. */
static void back_off(struct ibcc_window *window, uint32_t index)
{
	struct slot *slot = &window->slots[index];

	slot->out = false;
	ibcc_deadlines_remove(&window->ends, index);
	ibcc_deadlines_set(may_retry(window, slot) ? &window->retries : &window->ends, index, slot->retry_ns);
}

void ibcc_window_set_port(struct ibcc_window *window, struct ibcc_mad_port *port)
{
	window->port = port;
	for (uint32_t index = 0; index < window->num_slots && !port; index++) {
		struct slot *slot = &window->slots[index];

		if (!slot->serial || !slot->out)
			continue;
		slot->spent--; /* that try was lost here */
		back_off(window, index);
	}
}

void ibcc_window_before_retry(struct ibcc_window *window, void (*before_retry)(void *owner))
{
	window->before_retry = before_retry;
}

void ibcc_window_repeat_if(struct ibcc_window *window, ibcc_is_current *is_current)
{
	window->is_current = is_current;
}

static int64_t timeout_ns(const struct ibcc_window *window, const struct slot *slot)
{
	return ibcc_back_off_timeout_ms(&window->back_off, slot->spent) * NS_PER_MS;
}

/* The clock of the last try starts now. */
static void wind(struct ibcc_window *window, struct slot *slot, int64_t now_ns)
{
	slot->retry_ns = now_ns + timeout_ns(window, slot) + slot->jitter_ns;
}

static int64_t end_ns(const struct ibcc_window *window, const struct slot *slot)
{
	return slot->retry_ns + timeout_ns(window, slot) / GRACE_SHARE + GRACE_NS;
}

static void transmit(struct ibcc_window *window, uint32_t index, int64_t now_ns)
{
	struct slot *slot = &window->slots[index];
	const struct ibcc_request *request = &slot->request;
	uint8_t mad[IBCC_MAD_BYTES];
	uint32_t tid;

	slot->generation = (slot->generation + 1) & GENERATION_MASK;
	slot->tries++;
	slot->spent++;
	tid = window->mad_class->tid_mark | slot->generation << SLOT_BITS | index;
	slot->jitter_ns = ibcc_back_off_jitter_ns(&window->back_off, slot->spent, tid);
	wind(window, slot, now_ns);
	if (slot->spent == 1)
		slot->first_ns = now_ns;

	ibcc_cc_mad_request(mad, window->mad_class, request->method, tid, request->attribute, request->modifier, request->cc_key);
	if (window->mad_class == &ibcc_cc_class)
		memcpy(mad + IBCC_DATA_OFFSET, request->data, sizeof(request->data));
	ibcc_pacer_take(window->pacer, now_ns);
	const bool is_out = window->port && window->port->send(window->port, request->lid, request->sl, mad,
							       ibcc_back_off_timeout_ms(&window->back_off, slot->spent)) >= 0;
	explicit_bzero(mad, sizeof(mad));
	if (!is_out) {
		back_off(window, index);
		return;
	}
	slot->out = true;
	slot->sent = true;
	window->counts.sent++;
	window->counts.retried += slot->tries > 1;
	ibcc_deadlines_set(&window->ends, index, end_ns(window, slot));
}

static bool may_transmit(const struct ibcc_window *window, int64_t now_ns)
{
	/* Retries go first. */
	return !window->paused && window->port && ibcc_pacer_next_ns(window->pacer) <= now_ns &&
	       ibcc_deadlines_next_ns(&window->retries) > now_ns;
}

bool ibcc_window_has_room(const struct ibcc_window *window, int64_t now_ns)
{
	return window->outstanding < window->max_outstanding && may_transmit(window, now_ns);
}

bool ibcc_window_has_late_room(const struct ibcc_window *window, int64_t now_ns)
{
	return window->late < window->max_late && may_transmit(window, now_ns);
}

void ibcc_window_send(struct ibcc_window *window, const struct ibcc_request *request, int64_t now_ns)
{
	const uint32_t index = window->first_free;
	struct slot *slot = &window->slots[index];

	assert(request->late ? window->late < window->max_late : window->outstanding < window->max_outstanding);
	window->first_free = slot->next_free;
	if (request->late)
		window->late++;
	else
		window->outstanding++;
	window->counts.gets += request->method == IBCC_GET;
	window->counts.sets += request->method == IBCC_SET;
	slot->request = *request;
	slot->serial = ++window->last_serial;
	slot->tries = 0;
	slot->spent = 0;
	slot->sent = false;
	slot->first_ns = now_ns;
	transmit(window, index, now_ns);
}

/* The port reports that this try had no answer. */
static void take_timeout(struct ibcc_window *window, uint32_t index)
{
	struct slot *slot = &window->slots[index];

	/* A pause is for times when answers are likely to be lost; they do not count against the device. */
	if (window->paused && slot->spent > 0)
		slot->spent--;
	if (may_retry(window, slot))
		back_off(window, index);
	else
		give_up(window, index);
}

void ibcc_window_handle_answer(struct ibcc_window *window, const struct ibcc_answer *answer, int64_t now_ns)
{
	const uint32_t tid = ibcc_cc_mad_tid(answer->mad) & ~IBCC_TID_MARK, index = tid & SLOT_MASK;
	struct slot *slot = index < window->num_slots ? &window->slots[index] : NULL;
	const bool is_outstanding = slot && slot->serial;
	/* Number of tries of the slot since the answered one; the request's own are the last `tries`. */
	const uint32_t age = is_outstanding ? (slot->generation - (tid >> SLOT_BITS)) & GENERATION_MASK : UINT32_MAX;
	const bool is_last_try = age == 0 && slot->out;
	uint16_t status;

	if (answer->timed_out) {
		/* The window's own clock has ended an earlier try before. */
		if (is_outstanding && is_last_try)
			take_timeout(window, index);
		return;
	}
	if (!is_outstanding || age >= slot->tries ||
	    (ibcc_cc_mad_tid(answer->mad) & IBCC_TID_MARK) != window->mad_class->tid_mark ||
	    !ibcc_cc_mad_is_of(answer->mad, window->mad_class) || ibcc_cc_mad_method(answer->mad) != IBCC_GET_RESP ||
	    answer->lid != slot->request.lid || ibcc_cc_mad_attribute(answer->mad) != slot->request.attribute ||
	    ibcc_cc_mad_modifier(answer->mad) != slot->request.modifier) {
		window->counts.unexpected++;
		return;
	}
	status = ibcc_cc_mad_status(answer->mad);
	if (status & IBCC_STATUS_BUSY) {
		if (is_last_try)
			back_off(window, index);
		return;
	}
	window->answered_ns = now_ns;
	window->slowest_ns -= window->slowest_ns / FADING;
	if (slot->tries == 1 && now_ns - slot->first_ns > window->slowest_ns)
		window->slowest_ns = now_ns - slot->first_ns;
	finish(window, index,
	       &(struct ibcc_result){
		       .outcome = IBCC_ANSWERED, .status = status, .data = ibcc_cc_mad_data(answer->mad), .tries = slot->tries});
}

static bool retry_is_due(const struct ibcc_window *window, int64_t now_ns)
{
	return ibcc_pacer_next_ns(window->pacer) <= now_ns && ibcc_deadlines_next_ns(&window->retries) <= now_ns;
}

static void retry(struct ibcc_window *window, uint32_t index, int64_t now_ns)
{
	const struct slot *slot = &window->slots[index];

	if (!window->is_current || window->is_current(window->owner, &slot->request))
		transmit(window, index, now_ns);
	else
		finish(window, index, &(struct ibcc_result){.outcome = IBCC_CANCELLED, .tries = slot->tries});
}

void ibcc_window_tick(struct ibcc_window *window, int64_t now_ns)
{
	uint32_t index;

	/* on_result may pause the window, cancel, or send more: nothing is remembered from one round to the next. */
	while (!window->paused && window->port) {
		if (ibcc_deadlines_pop(&window->ends, now_ns, &index)) {
			if (may_retry(window, &window->slots[index]))
				back_off(window, index);
			else
				give_up(window, index);
		} else if (retry_is_due(window, now_ns)) {
			if (window->before_retry)
				window->before_retry(window->owner);
			if (!window->paused && ibcc_deadlines_pop(&window->retries, now_ns, &index))
				retry(window, index, now_ns);
		} else {
			break;
		}
	}
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

int64_t ibcc_window_next_ns(const struct ibcc_window *window, int64_t now_ns)
{
	const int64_t retry_ns = ibcc_deadlines_next_ns(&window->retries), turn_ns = ibcc_pacer_next_ns(window->pacer);
	int64_t next_ns;

	if (window->paused || !window->port)
		return INT64_MAX;
	next_ns = earlier(ibcc_deadlines_next_ns(&window->ends), retry_ns > turn_ns ? retry_ns : turn_ns);
	if ((window->outstanding < window->max_outstanding || window->late < window->max_late) && turn_ns > now_ns)
		next_ns = earlier(next_ns, turn_ns);
	return next_ns;
}

void ibcc_window_pause(struct ibcc_window *window)
{
	window->paused = true;
}

void ibcc_window_resume(struct ibcc_window *window, int64_t now_ns)
{
	if (!window->paused)
		return;
	window->paused = false;
	for (uint32_t index = 0; index < window->num_slots; index++) {
		struct slot *slot = &window->slots[index];

		if (!slot->serial)
			continue;
		if (slot->out) {
			wind(window, slot, now_ns);
			ibcc_deadlines_set(&window->ends, index, end_ns(window, slot));
		} else {
			slot->retry_ns = now_ns + slot->jitter_ns;
			back_off(window, index);
		}
		slot->first_ns = now_ns;
	}
}

void ibcc_window_cancel(struct ibcc_window *window, const void *context)
{
	const uint64_t last_serial = window->last_serial;

	/* Requests that on_result sends are later ones, and stay. */
	for (uint32_t index = 0; index < window->num_slots; index++) {
		const struct slot *slot = &window->slots[index];

		if (slot->serial && slot->serial <= last_serial && (!context || slot->request.context == context))
			finish(window, index, &(struct ibcc_result){.outcome = IBCC_CANCELLED, .tries = slot->tries});
	}
}

/* When the request becomes overdue; INT64_MAX: it is late, or no try has left this host. */
static int64_t overdue_ns(const struct ibcc_window *window, const struct slot *slot)
{
	const int64_t first_timeout_ns = ibcc_back_off_timeout_ms(&window->back_off, 1) * NS_PER_MS;
	int64_t patience_ns = PATIENCE_TIMES * window->slowest_ns;

	if (!slot->serial || slot->request.late || !slot->sent)
		return INT64_MAX;
	if (patience_ns < PATIENCE_NS)
		patience_ns = PATIENCE_NS;
	if (window->answered_ns <= slot->first_ns || patience_ns > first_timeout_ns)
		patience_ns = first_timeout_ns;
	return slot->first_ns + patience_ns;
}

uint32_t ibcc_window_take_overdue(struct ibcc_window *window, int64_t now_ns, ibcc_on_overdue *each)
{
	uint32_t taken = 0;

	for (uint32_t index = 0; index < window->num_slots && !window->paused && window->port; index++) {
		struct slot *slot = &window->slots[index];

		if (overdue_ns(window, slot) > now_ns || !each(window->owner, &slot->request) || window->late == window->max_late)
			continue;
		slot->request.late = true;
		window->outstanding--;
		window->late++;
		taken++;
	}
	return taken;
}

int64_t ibcc_window_overdue_ns(const struct ibcc_window *window, int64_t now_ns)
{
	int64_t next_ns = INT64_MAX;

	for (uint32_t index = 0; index < window->num_slots && !window->paused && window->port; index++) {
		const int64_t due_ns = overdue_ns(window, &window->slots[index]);

		if (due_ns > now_ns)
			next_ns = earlier(next_ns, due_ns);
	}
	return next_ns;
}

uint32_t ibcc_window_late(const struct ibcc_window *window)
{
	return window->late;
}

uint32_t ibcc_window_in_flight(const struct ibcc_window *window)
{
	return window->outstanding;
}

struct ibcc_window_counts ibcc_window_get_counts(const struct ibcc_window *window)
{
	return window->counts;
}
