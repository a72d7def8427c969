/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE /* names of threads, words for errno */

#include "mad/umad_port.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/ns.h"
#include "ccpolicy/wire.h"
#include "mad/cc_mad.h"
#include "mad/pending_replies.h"

#define GSI_QP 1
#define GSI_QKEY 0x80010000u
#define FULL_DEFAULT_PKEY 0xFFFF /* member of the default partition, which every port is in: full, and */
#define LIMITED_DEFAULT_PKEY 0x7FFF

#define LOG_INTERVAL_NS (60 * NS_PER_S)
#define RECEIVE_PAUSE_MS 1000 /* after a failure to receive */
#define EMULATED_POLL_MS 100  /* an emulated descriptor is the only one that poll looks at: nothing wakes it */
#define EMULATED_DRAIN_MS 1000
#define EMULATED_MAD_BYTES 224u /* that libumad2sim hands on; the rest of its buffer is whatever was there */

struct ibcc_umad_port {
	struct ibcc_mad_port base;
	ibcc_on_answer *on_answer;
	void *owner;
	struct ibcc_log *log;
	int fd;
	bool emulated;           /* by libumad2sim */
	int agent, vendor_agent; /* the latter -1: requests of the vendor's class cannot be sent */
	char ca_name[UMAD_CA_NAME_LEN];
	int number;
	atomic_int pkey_index; /* OpenSM may rewrite the table */
	atomic_bool ended;     /* the adapter is gone, or was reset: the descriptor is of no use any more */
	int wake_fd;
	pthread_t receiver;
	atomic_bool closing;  /* no answer is reported any more */
	atomic_bool stopping; /* the receiver ends */

	/* The receiver's own. */
	int64_t logged_ns;
	uint64_t not_logged;

	struct ibcc_pending_replies pending_replies;
};

/* The kernel's header and a MAD behind it. */
struct ibcc_umad_buffer {
	_Alignas(struct ib_user_mad) uint8_t bytes[sizeof(struct ib_user_mad) + IBCC_MAD_BYTES];
};

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static const char *describe(int error)
{
	const char *description = strerrordesc_np(error);

	return description ? description : "unknown";
}

/* libibumad's results say little, but it leaves the cause in errno, if that was 0 before. */
static int cause(int result)
{
	return errno > 0 ? errno : -result;
}

static void note_end(struct ibcc_umad_port *port, int error)
{
	if (error == EIO || error == ENODEV)
		atomic_store(&port->ended, true);
}

static int send_request(struct ibcc_mad_port *base, uint16_t lid, uint8_t sl, const uint8_t mad[IBCC_MAD_BYTES],
			uint32_t timeout_ms)
{
	struct ibcc_umad_port *port = (struct ibcc_umad_port *)base;
	struct ibcc_umad_buffer buffer = {0};
	const int agent = ibcc_cc_mad_is_of(mad, &ibcc_vendor_class) ? port->vendor_agent : port->agent;
	int result;

	if (agent < 0)
		return -ENOTSUP;
	(void)umad_set_addr(buffer.bytes, lid, GSI_QP, sl, (int)GSI_QKEY);
	(void)umad_set_pkey(buffer.bytes, atomic_load(&port->pkey_index));
	memcpy(umad_get_mad(buffer.bytes), mad, IBCC_MAD_BYTES);
	ibcc_pending_replies_add(&port->pending_replies, ibcc_cc_mad_tid(mad)); /* before the answer can be there */
	/* Retries are the window's: a kernel's would come without back-off and beside the rate. */
	errno = 0;
	result = umad_send(port->fd, agent, buffer.bytes, IBCC_MAD_BYTES, timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms, 0);
	result = result ? -cause(result) : 0;
	explicit_bzero(&buffer, sizeof(buffer)); /* it has a CC_Key */
	if (result == 0)
		return 0;
	note_end(port, -result);
	ibcc_pending_replies_done(&port->pending_replies, ibcc_cc_mad_tid(mad));
	return result;
}

/* The receiver's failures, one line a minute at most. */
static void complain(struct ibcc_umad_port *port, const char *what, int error)
{
	const int64_t now = now_ns();

	if (port->logged_ns && now - port->logged_ns < LOG_INTERVAL_NS) {
		port->not_logged++;
		return;
	}
	ibcc_log(port->log, IBCC_LOG_ERROR, "IBCC0201: umad: %s: %s (error %d; %" PRIu64 " more since the last line)", what,
		 describe(error), error, port->not_logged);
	port->logged_ns = now;
	port->not_logged = 0;
}

static void handle(struct ibcc_umad_port *port, void *umad)
{
	const uint8_t *mad = umad_get_mad(umad);
	const int status = umad_status(umad);
	struct ibcc_answer answer;

	if (status != 0 || ibcc_cc_mad_method(mad) == IBCC_GET_RESP)
		ibcc_pending_replies_done(&port->pending_replies, ibcc_cc_mad_tid(mad));
	if (status != 0 && status != ETIMEDOUT)
		complain(port, "a request could not be sent", status);
	if (atomic_load(&port->closing))
		return;
	answer.timed_out = status != 0;
	answer.lid = be16toh(umad_get_mad_addr(umad)->lid);
	memcpy(answer.mad, mad, IBCC_MAD_BYTES);
	if (port->emulated)
		memset(answer.mad + EMULATED_MAD_BYTES, 0, IBCC_MAD_BYTES - EMULATED_MAD_BYTES);
	port->on_answer(port->owner, &answer);
}

/* Until there is something to receive, or the port is closed. */
static void wait_for_mads(struct ibcc_umad_port *port)
{
	struct pollfd waited[2] = {{.fd = port->fd, .events = POLLIN}, {.fd = port->wake_fd, .events = POLLIN}};

	(void)poll(waited, 2, port->emulated ? EMULATED_POLL_MS : -1);
}

/* Waits a while, so that a broken descriptor does not keep this thread busy. */
static void pause_receiving(struct ibcc_umad_port *port)
{
	struct pollfd waited = {.fd = port->wake_fd, .events = POLLIN};

	(void)poll(&waited, 1, RECEIVE_PAUSE_MS);
}

static void *receive(void *argument)
{
	struct ibcc_umad_port *port = argument;

	(void)pthread_setname_np(pthread_self(), "ibcc-recv");
	for (;;) {
		/* When a request comes back, the kernel gives the MAD's header alone: what follows is zeros. */
		struct ibcc_umad_buffer buffer = {0};
		int length = IBCC_MAD_BYTES;
		int result;

		wait_for_mads(port);
		if (atomic_load(&port->stopping))
			return NULL;
		result = umad_recv(port->fd, buffer.bytes, &length, 0);
		if (result >= 0) {
			handle(port, buffer.bytes);
			explicit_bzero(&buffer, sizeof(buffer)); /* answers repeat the CC_Key */
		} else if (result != -EAGAIN && result != -EINTR) {
			complain(port, "cannot receive", -result);
			note_end(port, -result);
			pause_receiving(port);
		}
	}
}

static void destroy(struct ibcc_umad_port *port)
{
	ibcc_pending_replies_destroy(&port->pending_replies);
	free(port);
}

/*
 * An emulated client library ends its process, which is OpenSM, when an answer comes for a class that no agent holds any more. So
 * pending replies are waited for; if they do not come, agent and descriptor stay until the process ends. A kernel drops such
 * answers.
 */
static void close_port(struct ibcc_mad_port *base)
{
	struct ibcc_umad_port *port = (struct ibcc_umad_port *)base;
	bool is_safe = true;

	atomic_store(&port->closing, true);
	if (port->emulated)
		is_safe = ibcc_pending_replies_wait_empty(&port->pending_replies, EMULATED_DRAIN_MS);
	atomic_store(&port->stopping, true);
	(void)eventfd_write(port->wake_fd, 1);
	(void)pthread_join(port->receiver, NULL);
	(void)close(port->wake_fd);
	if (is_safe) {
		if (port->vendor_agent >= 0)
			(void)umad_unregister(port->fd, port->vendor_agent);
		(void)umad_unregister(port->fd, port->agent);
		(void)umad_close_port(port->fd);
	} else {
		ibcc_log(port->log, IBCC_LOG_INFO,
			 "umad: left open, because this port is emulated and replies are still pending");
	}
	destroy(port);
}

/* Returns the index of the default P_Key in the port's table, or 0, where it should be (IBA 10.9.2), if the table lacks it. */
static int find_pkey(const umad_port_t *found, struct ibcc_log *log)
{
	static const uint16_t wanted[] = {FULL_DEFAULT_PKEY, LIMITED_DEFAULT_PKEY};

	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		for (unsigned index = 0; index < found->pkeys_size; index++) {
			if (found->pkeys[index] == wanted[i])
				return (int)index;
		}
	}
	if (log)
		ibcc_log(log, IBCC_LOG_INFO, "%s port %d is not in the default partition: MADs use its first P_Key",
			 found->ca_name, found->portnum);
	return 0;
}

static bool has_ended(const struct ibcc_mad_port *base)
{
	return atomic_load(&((const struct ibcc_umad_port *)base)->ended);
}

static void refresh(struct ibcc_mad_port *base)
{
	struct ibcc_umad_port *port = (struct ibcc_umad_port *)base;
	umad_port_t now;

	if (umad_get_port(port->ca_name, port->number, &now) < 0)
		return; /* what was last known stays */
	atomic_store(&port->pkey_index, find_pkey(&now, NULL));
	(void)umad_release_port(&now);
}

/* Opens the local port with this GUID. A descriptor, or -1 if there is none or it cannot be opened. */
static int open_by_guid(struct ibcc_umad_port *port, uint64_t port_guid, struct ibcc_log *log)
{
	char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	const int num_names = umad_get_cas_names(names, UMAD_MAX_DEVICES);

	for (int i = 0; i < num_names; i++) {
		umad_ca_t ca;
		bool is_found = false;
		int fd = -1;

		if (umad_get_ca(names[i], &ca) < 0)
			continue;
		for (unsigned number = 0; number < UMAD_CA_MAX_PORTS && !is_found; number++) {
			const umad_port_t *found = ca.ports[number];

			if (!found || be64toh(found->port_guid) != port_guid)
				continue;
			is_found = true;
			atomic_store(&port->pkey_index, find_pkey(found, log));
			memcpy(port->ca_name, found->ca_name, sizeof(port->ca_name));
			port->number = found->portnum;
			errno = 0;
			fd = umad_open_port(found->ca_name, found->portnum);
			if (fd < 0)
				ibcc_log(log, IBCC_LOG_ERROR, "IBCC0202: cannot open umad of %s port %d: %s (error %d)",
					 found->ca_name, found->portnum, describe(cause(fd)), cause(fd));
		}
		(void)umad_release_ca(&ca);
		if (is_found)
			return fd < 0 ? -1 : fd;
	}
	ibcc_log(log, IBCC_LOG_ERROR, "IBCC0203: no port of this host has GUID 0x%016" PRIx64, port_guid);
	return -1;
}

/* A thread without signals: they are OpenSM's. */
static int start_receiver(struct ibcc_umad_port *port)
{
	sigset_t all, before;
	int result;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&port->receiver, NULL, receive, port);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

static struct ibcc_umad_port *create(void)
{
	struct ibcc_umad_port *port = calloc(1, sizeof(*port));

	if (port && ibcc_pending_replies_init(&port->pending_replies) < 0) {
		free(port);
		return NULL;
	}
	return port;
}

struct ibcc_mad_port *ibcc_umad_port_open(uint64_t port_guid, ibcc_on_answer *on_answer, void *owner, struct ibcc_log *log)
{
	struct ibcc_umad_port *port = create();

	if (!port) {
		ibcc_log(log, IBCC_LOG_ERROR, "IBCC0204: cannot open umad: out of memory");
		return NULL;
	}
	port->base.send = send_request;
	port->base.has_ended = has_ended;
	port->base.refresh = refresh;
	port->base.close = close_port;
	port->on_answer = on_answer;
	port->owner = owner;
	port->log = log;
	port->fd = open_by_guid(port, port_guid, log);
	if (port->fd < 0)
		goto destroy_port;
	/* An emulated descriptor is a number that the system does not know. */
	port->emulated = fcntl(port->fd, F_SETFD, FD_CLOEXEC) < 0;
	errno = 0;
	port->agent = umad_register(port->fd, CCP_MGMT_CLASS, CCP_MGMT_CLASS_VERSION, 0, NULL);
	if (port->agent < 0) {
		ibcc_log(log, IBCC_LOG_ERROR, "IBCC0205: cannot register with umad for class 0x%02x: %s (error %d)",
			 CCP_MGMT_CLASS, describe(cause(port->agent)), cause(port->agent));
		goto close_fd;
	}
	errno = 0;
	port->vendor_agent = umad_register(port->fd, ibcc_vendor_class.number, ibcc_vendor_class.version, 0, NULL);
	if (port->vendor_agent < 0)
		ibcc_log(log, IBCC_LOG_INFO,
			 "IBCC0212: cannot register with umad for class 0x%02x, so no firmware is read: %s (error %d)",
			 ibcc_vendor_class.number, describe(cause(port->vendor_agent)), cause(port->vendor_agent));
	port->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (port->wake_fd < 0)
		goto no_receiver;
	if (start_receiver(port) != 0)
		goto close_wake_fd;
	return &port->base;

close_wake_fd:
	(void)close(port->wake_fd);
no_receiver:
	ibcc_log(log, IBCC_LOG_ERROR, "IBCC0204: cannot receive MADs: no more descriptors or threads");
	if (port->vendor_agent >= 0)
		(void)umad_unregister(port->fd, port->vendor_agent);
	(void)umad_unregister(port->fd, port->agent);
close_fd:
	(void)umad_close_port(port->fd);
destroy_port:
	destroy(port);
	return NULL;
}
