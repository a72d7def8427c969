/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "gate.h"
#include "guard.h"
#include "lines.h"
#include "registry.h"

/* Longest wait of a line for a slow reader; then the next line has its bytes, but the final line has no next one. */
#define PATIENCE_MS 100
#define LAST_PATIENCE_MS 1000

static const struct meter_settings *settings;
static int output = -1;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all down to `error` */
static _Atomic bool begun;
static bool finished;
static int64_t begin_ns, start_ns; /* CLOCK_MONOTONIC */
static int64_t deadline_ns;
static int64_t reported_until_ns;
static struct meter_tally reported, orphans_reported;
static bool lines_lost;

static _Atomic(const char *) error;
static char failed_text[160];
static _Atomic bool have_failed;

static int wake = -1; /* an eventfd: what a signal handler may write to */
static _Atomic int caught;

static struct meter_moment now(void)
{
	return (struct meter_moment){.wall_ns = meter_now_ns(CLOCK_REALTIME), .mono_ns = meter_now_ns(CLOCK_MONOTONIC)};
}

static const char *id(void)
{
	return settings->id[0] ? settings->id : NULL;
}

void meter_report_configure(const struct meter_settings *new_settings, int fd)
{
	settings = new_settings;
	output = fd;
	meter_guard_prepare();
}

void meter_report_error(const char *text)
{
	const char *none = NULL;
	atomic_compare_exchange_strong(&error, &none, text);
}

void meter_report_failed(const char *status, uint32_t qp)
{
	if (atomic_exchange(&have_failed, true))
		return;
	snprintf(failed_text, sizeof failed_text, "A work request of queue pair %u failed: %s.", qp, status);
	meter_report_error(failed_text);
}

/* The interval that ends now, from when the last one that was written ended. */
struct tick {
	struct meter_interval interval;
	int patience_ms;
	unsigned int written;
	bool lost;
};

static void write_interval(struct tick *tick)
{
	char line[METER_LINE_MAX];
	const int length = meter_line_interval(line, &tick->interval);

	if (meter_line_write(output, line, length, tick->lost ? 0 : tick->patience_ms))
		tick->written++;
	else
		tick->lost = true;
}

/*
 * Keeps the totals of posted work requests from falling below those of the line before: work requests that the provider refuses
 * were counted as posted for a moment. Later lines grow by that much less.
 */
static void not_less(struct meter_tally *total, const struct meter_tally *before)
{
	if (total->posted_bytes < before->posted_bytes)
		total->posted_bytes = before->posted_bytes;
	if (total->posted_messages < before->posted_messages)
		total->posted_messages = before->posted_messages;
}

static bool write_queue_pair(void *arg, struct meter_qp *meter)
{
	struct tick *tick = arg;
	struct meter_interval *interval = &tick->interval;

	interval->has_qp = true;
	interval->qp = meter_qp_number(meter);
	interval->transport = meter_transport(meter);
	interval->total = meter_qp_tally(meter);
	not_less(&interval->total, &meter->reported);
	interval->more = meter_tally_less(&interval->total, &meter->reported);
	interval->length_ns = interval->at.mono_ns - (meter->reported_until_ns ? meter->reported_until_ns : reported_until_ns);
	write_interval(tick);
	if (tick->lost)
		return false;
	meter->reported = interval->total;
	meter->reported_until_ns = interval->at.mono_ns;
	meter_tally_add(&reported, &interval->more);
	interval->counters_count = 0; /* of ports, not of queue pairs: in the first line alone */
	return true;
}

/* Completions of other processes' queue pairs, if there are any: a line of their own. */
static void write_orphans(struct tick *tick)
{
	struct meter_interval *interval = &tick->interval;

	interval->has_qp = false;
	interval->transport = NULL;
	interval->total = meter_registry_orphans();
	interval->more = meter_tally_less(&interval->total, &orphans_reported);
	interval->length_ns = interval->at.mono_ns - reported_until_ns;
	if (tick->lost || !interval->more.received_messages)
		return;
	write_interval(tick);
	if (tick->lost)
		return;
	orphans_reported = interval->total;
	meter_tally_add(&reported, &interval->more);
}

static bool forget(void *arg, struct meter_qp *meter)
{
	(void)arg;
	(void)meter;
	return true;
}

/* False if a line found no reader: what it held is in the next one. */
static bool report_interval(struct meter_moment at, int64_t late_ns, int patience_ms)
{
	struct tick tick = {.patience_ms = patience_ms};
	struct meter_interval *interval = &tick.interval;

	interval->id = id();
	interval->at = at;
	interval->late_ns = late_ns;
	interval->counters_count = meter_port_counters_read(interval->counters);
	if (settings->per == METER_PER_QP) {
		meter_registry_each(write_queue_pair, &tick);
		write_orphans(&tick);
	} else {
		interval->total = meter_registry_sum(&interval->transport);
		not_less(&interval->total, &reported);
		interval->more = meter_tally_less(&interval->total, &reported);
		interval->length_ns = at.mono_ns - reported_until_ns;
		write_interval(&tick);
		if (!tick.lost) {
			reported = interval->total;
			meter_registry_each(forget, NULL);
		}
	}
	if (tick.written)
		meter_port_counters_commit();
	if (tick.lost)
		lines_lost = true;
	else
		reported_until_ns = at.mono_ns;
	return !tick.lost;
}

static void finish(const char *reason)
{
	char line[METER_LINE_MAX];
	const char *transport;

	if (finished)
		return;
	finished = true;
	/* Traffic from here on is in no line: totals are the sums of the intervals, unless the last of them was lost. */
	const struct meter_moment at = now();
	if (at.mono_ns < start_ns)
		reported_until_ns = begin_ns;
	const bool whole = report_interval(at, 0, LAST_PATIENCE_MS);
	const struct meter_tally totals = whole ? reported : meter_registry_sum(&transport);
	if (lines_lost)
		meter_report_error("Lines were lost: nobody read them in time.");
	const int length = meter_line_final(line, id(), reason, at, &totals, error);
	meter_line_write(output, line, length, LAST_PATIENCE_MS);
}

/* The first deadline after `ns`: those that passed meanwhile have no line of their own. */
static int64_t deadline_after(int64_t ns)
{
	if (ns < start_ns)
		return start_ns + settings->interval_ns;
	return start_ns + ((ns - start_ns) / settings->interval_ns + 1) * settings->interval_ns;
}

/* Does what is due. When to come again. */
static int64_t turn(void)
{
	const struct meter_moment at = now();
	int64_t next_ns = meter_gate_turn(at.mono_ns);
	const int64_t stop_ns = settings->has_stop ? start_ns + settings->stop_ns : METER_NEVER;

	if (at.mono_ns >= stop_ns) {
		finish("stop");
		_exit(0);
	}
	if (at.mono_ns >= deadline_ns) {
		report_interval(at, at.mono_ns - deadline_ns, PATIENCE_MS);
		deadline_ns = deadline_after(at.mono_ns);
	}
	next_ns = next_ns < deadline_ns ? next_ns : deadline_ns;
	return next_ns < stop_ns ? next_ns : stop_ns;
}

static void die_of(int signal_number)
{
	sigset_t only;

	signal(signal_number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, signal_number);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
	kill(getpid(), signal_number);
	for (;;)
		pause();
}

static void *keep_time(void *nothing)
{
	struct pollfd woken = {.fd = wake, .events = POLLIN};

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	prctl(PR_SET_NAME, "ibcc_meter", 0UL, 0UL, 0UL);
	for (;;) {
		const int signal_number = atomic_load(&caught);

		pthread_mutex_lock(&mutex);
		if (finished) { /* main has returned */
			pthread_mutex_unlock(&mutex);
			return nothing;
		}
		if (signal_number) {
			finish(signal_number == SIGTERM ? "SIGTERM" : "SIGINT");
			die_of(signal_number);
		}
		const int64_t next_ns = turn();
		pthread_mutex_unlock(&mutex);

		const int64_t wait_ns = next_ns - meter_now_ns(CLOCK_MONOTONIC);
		const struct timespec wait = meter_timespec(wait_ns > 0 ? wait_ns : 0);
		ppoll(&woken, 1, &wait, NULL);
	}
}

static void on_signal(int signal_number)
{
	const int saved = errno;
	const uint64_t one = 1;

	atomic_store(&caught, signal_number);
	if (write(wake, &one, sizeof one) < 0)
		_exit(128 + signal_number); /* cannot be: nobody else has this descriptor */
	errno = saved;
}

static void catch_signal(int signal_number)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigaction before;

	/* A program that has its own handler, or ignores it, knows what it does. */
	if (!sigaction(signal_number, NULL, &before) && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
		sigaction(signal_number, &action, NULL);
}

static void leave_signals(void)
{
	struct sigaction action;

	for (const int *each = (const int[]){SIGTERM, SIGINT, 0}; *each; each++)
		if (!sigaction(*each, NULL, &action) && action.sa_handler == on_signal)
			signal(*each, SIG_DFL);
}

static void before_fork(void)
{
	pthread_mutex_lock(&mutex);
	meter_contexts_lock();
	meter_cq_lock();
	meter_registry_lock();
}

static void after_fork(void)
{
	meter_registry_unlock();
	meter_cq_unlock();
	meter_contexts_unlock();
	pthread_mutex_unlock(&mutex);
}

/* A child has no thread of ours and no queue pairs. If it makes some, it is a program of its own. */
static void in_child(void)
{
	meter_registry_clear();
	meter_cq_unlock();
	meter_contexts_unlock();
	meter_port_counters_clear(NULL);
	pthread_mutex_init(&mutex, NULL);
	if (wake >= 0)
		close(wake);
	if (begun)
		leave_signals();
	begun = finished = lines_lost = false;
	reported = orphans_reported = (struct meter_tally){0};
	error = NULL;
	have_failed = false;
	wake = -1;
}

static void first(const char *device)
{
	static bool forks;
	char line[METER_LINE_MAX];
	sigset_t all;
	sigset_t before;
	pthread_t thread;

	const struct meter_moment at = now();
	const int64_t start_wall_ns = settings->has_start ? settings->start_wall_ns : at.wall_ns;
	begin_ns = at.mono_ns;
	start_ns = at.mono_ns + (start_wall_ns - at.wall_ns);
	deadline_ns = deadline_after(begin_ns);
	reported_until_ns = begin_ns > start_ns ? begin_ns : start_ns;
	meter_gate_set(&settings->schedule, start_ns);

	wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* Signals are for the program's own threads; and a reader that is gone must not end them with SIGPIPE. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int failed = wake < 0 || pthread_create(&thread, NULL, keep_time, NULL);
	if (!failed)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		dprintf(STDERR_FILENO, "libibcc_meter: no thread could be started: there will be no lines per interval\n");
		meter_report_error("No thread could be started.");
	} else {
		catch_signal(SIGTERM);
		catch_signal(SIGINT);
	}
	/* Whoever has seen this line sees the final one: signals are caught by now, and the thread waits for the mutex that we hold. */
	meter_line_write(output, line, meter_line_start(line, id(), device, settings->interval_ns, at, start_wall_ns),
			 LAST_PATIENCE_MS);
	if (!forks)
		pthread_atfork(before_fork, after_fork, in_child);
	forks = true;
}

void meter_report_begin(const char *device)
{
	if (atomic_load_explicit(&begun, memory_order_acquire))
		return;
	pthread_mutex_lock(&mutex);
	if (!begun && settings)
		first(device);
	atomic_store_explicit(&begun, true, memory_order_release);
	pthread_mutex_unlock(&mutex);
}

void meter_report_exit(void)
{
	struct timespec patience;

	if (!begun || !settings)
		return;
	/* exit() may be called by a signal handler in the midst of us: rather no last line than a program that does not end. */
	clock_gettime(CLOCK_REALTIME, &patience);
	patience.tv_sec += 3;
	if (pthread_mutex_timedlock(&mutex, &patience))
		return;
	const int signal_number = atomic_load(&caught);
	finish(signal_number == SIGTERM ? "SIGTERM" : signal_number == SIGINT ? "SIGINT" : "exit");
	leave_signals(); /* our thread ends, and would not hear of another */
	pthread_mutex_unlock(&mutex);
}
