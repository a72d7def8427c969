/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "worker/worker.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/ns.h"
#include "ccpolicy/error_format.h"
#include "devices/throttle_reports.h"
#include "manager/manager.h"
#include "rpc/server.h"
#include "worker/loop.h"

#define EVENTS_AT_ONCE 32
#define SERVER_RETRY_NS (60 * NS_PER_S)

struct ibcc_worker {
	struct ibcc_worker_settings settings;
	struct ibcc_manager_env env;
	struct ibcc_server_settings server_settings;
	struct ibcc_loop loop;
	struct ibcc_server *server; /* NULL: could not be opened */
	int64_t server_retry_ns;    /* INT64_MAX: it is open, or is not to be opened any more */
	struct ccp_error complaint; /* the last logged error of the socket: one line for each error, not for each try */
	int epoll_fd, timer_fd;
	int64_t armed_ns; /* what the timer is set to; INT64_MAX: not set */
	pthread_t thread;
};

/* Their addresses stand for the worker's descriptors in epoll's events. */
static char inbox_tag, timer_tag, file_tag;

static int64_t now_ns(void *owner)
{
	struct timespec now;

	(void)owner;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static struct ibcc_snapshot *take_snapshot(void *owner)
{
	struct ibcc_worker *worker = owner;

	return worker->settings.snapshot(worker->settings.owner);
}

static enum ibcc_sm_state sm_state(void *owner)
{
	struct ibcc_worker *worker = owner;

	return worker->settings.sm_state(worker->settings.owner);
}

static void other_sms(void *owner, struct ibcc_other_sms *others)
{
	struct ibcc_worker *worker = owner;

	worker->settings.other_sms(worker->settings.owner, others);
}

static struct ibcc_mad_port *open_port(void *owner, uint64_t port_guid)
{
	struct ibcc_worker *worker = owner;

	return worker->settings.open_port(worker->settings.owner, port_guid);
}

static bool is_sweeping(void *owner)
{
	struct ibcc_worker *worker = owner;

	return ibcc_loop_is_sweeping(&worker->loop);
}

static uint32_t num_sweeps_begun(void *owner)
{
	struct ibcc_worker *worker = owner;

	return ibcc_inbox_num_sweeps_begun(worker->settings.inbox);
}

static void on_event(void *owner, const char *event, void *params)
{
	struct ibcc_worker *worker = owner;

	if (worker->server)
		ibcc_server_publish(worker->server, event, params);
	else
		json_decref(params);
}

static void open_server(struct ibcc_worker *worker)
{
	struct ibcc_log *log = worker->settings.log;
	struct ccp_error error;

	worker->server = ibcc_server_open(&worker->server_settings, worker->loop.manager, worker->epoll_fd, log, &error);
	if (worker->server) {
		worker->server_retry_ns = INT64_MAX;
		worker->complaint.message[0] = '\0';
		ibcc_log(log, IBCC_LOG_INFO, "control socket %s", worker->server_settings.path);
		return;
	}
	worker->server_retry_ns = now_ns(worker) + SERVER_RETRY_NS;
	if (strcmp(worker->complaint.message, error.message) != 0)
		ibcc_log(log, IBCC_LOG_ERROR, "IBCC0101: no control socket: %s; trying again every minute", error.message);
	worker->complaint = error;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t next_ns(const struct ibcc_worker *worker)
{
	return earlier(ibcc_loop_next_ns(&worker->loop),
		       worker->server ? ibcc_server_next_ns(worker->server) : worker->server_retry_ns);
}

/* Has the timer wake epoll_wait at this time. */
static void arm_timer(struct ibcc_worker *worker, int64_t at_ns)
{
	struct itimerspec when = {0};

	if (at_ns == worker->armed_ns)
		return;
	if (at_ns != INT64_MAX) {
		if (at_ns < 1)
			at_ns = 1; /* zero would be never */
		when.it_value.tv_sec = at_ns / NS_PER_S;
		when.it_value.tv_nsec = at_ns % NS_PER_S;
	}
	(void)timerfd_settime(worker->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
	worker->armed_ns = at_ns;
}

static void take_event(struct ibcc_worker *worker, const struct epoll_event *event)
{
	if (event->data.ptr == &inbox_tag) {
		ibcc_loop_take_inbox(&worker->loop);
	} else if (event->data.ptr == &timer_tag) {
		uint64_t times;
		(void)!read(worker->timer_fd, &times, sizeof(times));
		worker->armed_ns = INT64_MAX;
	} else if (event->data.ptr == &file_tag) {
		ibcc_loop_check_profile_file(&worker->loop);
	} else if (worker->server) {
		(void)ibcc_server_handle(worker->server, event->data.ptr, event->events, now_ns(worker));
	}
}

/* Sleeps until something happens, but at most until `until_ns`, and handles it. */
static void run_once(struct ibcc_worker *worker, int64_t until_ns)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	arm_timer(worker, earlier(next_ns(worker), until_ns));
	int count = epoll_wait(worker->epoll_fd, events, EVENTS_AT_ONCE, -1);
	for (int i = 0; i < count; i++)
		take_event(worker, &events[i]);
	int64_t now = now_ns(worker);
	if (worker->server)
		ibcc_server_tick(worker->server, now);
	else if (worker->server_retry_ns <= now)
		open_server(worker);
	ibcc_loop_tick(&worker->loop);
}

static void close_server(struct ibcc_worker *worker)
{
	if (worker->server)
		ibcc_server_close(worker->server);
	worker->server = NULL;
	worker->server_retry_ns = INT64_MAX;
}

static void *run(void *argument)
{
	struct ibcc_worker *worker = argument;

	struct ibcc_restore_on_exit act;

	while (!worker->loop.stopping)
		run_once(worker, INT64_MAX);
	close_server(worker); /* so that no other trial run begins */
	if (ibcc_loop_begin_restore_on_exit(&worker->loop, &act)) {
		while (ibcc_loop_is_restoring(&worker->loop, &act))
			run_once(worker, act.until_ns);
		ibcc_loop_end_restore_on_exit(&worker->loop, &act);
	}
	ibcc_manager_end_job(worker->loop.manager, "OpenSM ended"); /* so that what it has sent is in the log of changes */
	return NULL;
}

static int watch(struct ibcc_worker *worker, int fd, char *tag)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = tag};

	return epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int open_descriptors(struct ibcc_worker *worker)
{
	int file_fd = ibcc_profiles_watch_fd(worker->settings.profiles);

	worker->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	worker->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (worker->epoll_fd < 0 || worker->timer_fd < 0 || watch(worker, ibcc_inbox_fd(worker->settings.inbox), &inbox_tag) ||
	    watch(worker, worker->timer_fd, &timer_tag) || (file_fd >= 0 && watch(worker, file_fd, &file_tag)))
		return -errno;
	return 0;
}

/* A thread inherits its creator's signal mask. */
static int start_thread(struct ibcc_worker *worker)
{
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int fault = pthread_create(&worker->thread, NULL, run, worker);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fault)
		return -fault;
	(void)pthread_setname_np(worker->thread, "ibcc");
	return 0;
}

static void destroy(struct ibcc_worker *worker)
{
	close_server(worker);
	ibcc_throttle_reports_close(worker->server_settings.throttle_reports);
	if (worker->loop.manager)
		ibcc_manager_destroy(worker->loop.manager);
	if (worker->timer_fd >= 0)
		(void)close(worker->timer_fd);
	if (worker->epoll_fd >= 0)
		(void)close(worker->epoll_fd);
	free(worker);
}

struct ibcc_worker *ibcc_worker_start(const struct ibcc_worker_settings *settings, struct ccp_error *error)
{
	struct ibcc_worker *worker = calloc(1, sizeof(*worker));

	if (!worker) {
		ccp_set_error(error, 0, 0, "out of memory");
		return NULL;
	}
	*worker = (struct ibcc_worker){
		.settings = *settings,
		.server_settings = {.path = settings->options->socket,
				    .group = settings->options->group,
				    .version = settings->version,
				    .opensm_version = settings->opensm_version,
				    .subnet = settings->subnet},
		.env = {.owner = worker,
			.version = settings->version,
			.snapshot = take_snapshot,
			.sm_state = sm_state,
			.other_sms = settings->other_sms ? other_sms : NULL,
			.open_port = open_port,
			.on_event = on_event,
			.now_ns = now_ns,
			.is_sweeping = is_sweeping,
			.num_sweeps_begun = num_sweeps_begun},
		.loop = {.options = settings->options,
			 .profiles = settings->profiles,
			 .inbox = settings->inbox,
			 .log = settings->log},
		.server_retry_ns = INT64_MAX,
		.epoll_fd = -1,
		.timer_fd = -1,
		.armed_ns = INT64_MAX,
	};
	int fault = open_descriptors(worker);
	if (fault) {
		ccp_set_error(error, 0, 0, "no descriptors for the plugin's thread: %s", strerrordesc_np(-fault));
		goto failed;
	}
	worker->loop.manager = ibcc_manager_create(settings->options, &worker->env, settings->profiles, settings->log);
	if (!worker->loop.manager) {
		ccp_set_error(error, 0, 0, "out of memory");
		goto failed;
	}
	ibcc_manager_set_keys(worker->loop.manager, settings->keys);
	worker->server_settings.throttle_reports =
		ibcc_throttle_reports_open(ibcc_profiles_folder(settings->profiles), settings->log, error);
	if (!worker->server_settings.throttle_reports) /* not needed for the fabric: the plugin runs without */
		ibcc_log(settings->log, IBCC_LOG_ERROR, "IBCC0102: reports on adapters that throttle cannot be kept: %s",
			 error->message);
	open_server(worker);
	fault = start_thread(worker);
	if (fault) {
		ccp_set_error(error, 0, 0, "the plugin's thread cannot be started: %s", strerrordesc_np(-fault));
		goto failed;
	}
	return worker;
failed:
	destroy(worker);
	return NULL;
}

void ibcc_worker_stop(struct ibcc_worker *worker)
{
	if (!worker)
		return;
	ibcc_inbox_post(worker->settings.inbox, IBCC_NOTICE_STOP);
	(void)pthread_join(worker->thread, NULL);
	destroy(worker);
}
