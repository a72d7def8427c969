/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE /* accept4 */
#include "rpc/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ns.h"
#include "ccpolicy/error_format.h"
#include "changes/peer.h"
#include "rpc/admission.h"
#include "rpc/client.h"
#include "rpc/events.h"
#include "rpc/listener.h"
#include "rpc/message.h"

#define READ_BYTES 65536u

/* A place for a client, taken or not. Places never move: epoll hands back pointers to them. */
struct place {
	int fd;            /* -1: free */
	uint32_t watching; /* the events that epoll waits for */
	int64_t came_ns, heard_ns;
	struct ibcc_client client;
};

struct ibcc_server {
	struct ibcc_server_settings settings;
	struct ibcc_service service;
	struct ibcc_listener listener;
	struct ibcc_log *log;
	int epoll_fd;
	int spare_fd;      /* given up to accept and turn away a client when the process has no descriptors left */
	bool calling;      /* a method runs: places are not freed under it */
	int64_t logged_ns; /* when the last line about a client turned away was logged */
	bool not_logged;   /* others were turned away since, without a line */
	char bytes[READ_BYTES];
	struct place places[IBCC_MAX_CLIENTS];
};

static void free_place(struct ibcc_server *server, struct place *place)
{
	if (place->client.gone && *place->client.gone)
		ibcc_log(server->log, IBCC_LOG_INFO, "IBCC0512: control socket: process %d of user %u was dropped: it %s",
			 (int)place->client.peer.pid, (unsigned)place->client.peer.uid, place->client.gone);
	epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, place->fd, NULL); /* close alone is not enough if the process has forked */
	close(place->fd);
	place->fd = -1;
	ibcc_client_clear(&place->client);
}

static void send_waiting(struct place *place)
{
	struct ibcc_output *output = &place->client.output;

	while (!place->client.gone && ibcc_output_waiting(output)) {
		ssize_t sent =
			send(place->fd, output->bytes + output->begin, ibcc_output_waiting(output), MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0)
			ibcc_output_sent(output, (size_t)sent);
		else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		else if (sent == 0 || errno != EINTR)
			place->client.gone = ""; /* it has left, which needs no line */
	}
}

/* Sends what waits, sets the events that epoll waits for, and frees the places of clients that are done. */
static void settle(struct ibcc_server *server)
{
	for (struct place *place = server->places; place < server->places + IBCC_MAX_CLIENTS; place++) {
		if (place->fd < 0)
			continue;
		send_waiting(place);
		struct ibcc_client *client = &place->client;
		bool waiting = ibcc_output_waiting(&client->output) > 0;
		uint32_t wanted = (client->over ? 0u : (uint32_t)EPOLLIN) | (waiting ? (uint32_t)EPOLLOUT : 0u);
		struct epoll_event event = {.events = wanted, .data.ptr = place};
		if (wanted != place->watching && !client->gone) {
			if (epoll_ctl(server->epoll_fd, EPOLL_CTL_MOD, place->fd, &event))
				client->gone = "cannot be waited for";
			place->watching = wanted;
		}
		if (!server->calling && (client->gone || (client->over && !waiting)))
			free_place(server, place);
	}
}

static void turn_away(int fd, int code, const char *sentence)
{
	struct ibcc_output output = {0};
	struct ibcc_rpc_error error = {.port = -1, .status = -1};

	ibcc_rpc_fail(&error, code, "%s", sentence);
	if (!ibcc_write_error(&output, NULL, &error))
		(void)!send(fd, output.bytes, output.end, MSG_NOSIGNAL | MSG_DONTWAIT);
	ibcc_output_clear(&output);
	close(fd);
}

/* At most one line a second, so that a client that connects in a loop does not fill OpenSM's log. */
static void log_turned_away(struct ibcc_server *server, const struct ibcc_peer *peer, const char *why, int64_t now_ns)
{
	if (server->logged_ns && now_ns - server->logged_ns < NS_PER_S) {
		server->not_logged = true;
		return;
	}
	ibcc_log(server->log, IBCC_LOG_INFO, "control socket: process %d of user %u was turned away: %s%s", (int)peer->pid,
		 (unsigned)peer->uid, why, server->not_logged ? "; others were turned away before" : "");
	server->logged_ns = now_ns;
	server->not_logged = false;
}

static int accept_client(struct ibcc_server *server)
{
	if (server->spare_fd < 0) /* another thread took the descriptor when one was free again */
		server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int fd = accept4(server->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || server->spare_fd < 0)
		return fd;
	close(server->spare_fd);
	fd = accept4(server->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		turn_away(fd, IBCC_RPC_BUSY, "IBCC0508: OpenSM has no descriptors left");
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return -1;
}

/* Returns why there is no place for this client; NULL: there is one, `*free_place`. */
static const char *find_place(struct ibcc_server *server, const struct ibcc_peer *peer, struct place **free_place)
{
	uid_t uids[IBCC_MAX_CLIENTS];
	unsigned count = 0;

	for (struct place *place = server->places; place < server->places + IBCC_MAX_CLIENTS; place++) {
		if (place->fd >= 0)
			uids[count++] = place->client.peer.uid;
		else
			*free_place = place;
	}
	return ibcc_admission_refusal(uids, count, peer->uid);
}

/* Admits one client: epoll reports again if there are more. */
static void admit(struct ibcc_server *server, int64_t now_ns)
{
	struct place *place = NULL;
	struct ibcc_peer peer = {0};
	int fd = accept_client(server);

	if (fd < 0)
		return;
	if (ibcc_peer_of(fd, server->listener.group, &peer) || !ibcc_peer_is_allowed(&peer, geteuid())) {
		log_turned_away(server, &peer, "IBCC0509: neither root nor of the group", now_ns);
		turn_away(fd, IBCC_RPC_NOT_ALLOWED,
			  "IBCC0509: only root, OpenSM's own user and the group that --group names may use this socket");
		return;
	}
	const char *refusal = find_place(server, &peer, &place);
	if (refusal) {
		log_turned_away(server, &peer, refusal, now_ns);
		turn_away(fd, IBCC_RPC_BUSY, refusal);
		return;
	}
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = place};
	if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event)) {
		turn_away(fd, IBCC_RPC_INTERNAL_ERROR, "IBCC0506: out of memory");
		return;
	}
	place->fd = fd;
	place->watching = EPOLLIN;
	place->client.peer = peer;
	place->came_ns = place->heard_ns = now_ns;
}

/*
 * An event of epoll may be of a client that had this place before, so only recv says what has come. A client that has closed its
 * sending side still gets the answers to its calls.
 */
static void read_from(struct ibcc_server *server, struct place *place, int64_t now_ns)
{
	struct ibcc_client *client = &place->client;

	if (client->over || client->gone)
		return;
	ssize_t length = recv(place->fd, server->bytes, sizeof(server->bytes), MSG_DONTWAIT);
	if (length == 0) {
		client->over = true;
	} else if (length > 0) {
		place->heard_ns = now_ns;
		server->calling = true;
		ibcc_client_receive(client, &server->service, server->bytes, (size_t)length);
		server->calling = false;
	} else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
		client->gone = "";
	}
}

bool ibcc_server_handle(struct ibcc_server *server, void *data, unsigned events, int64_t now_ns)
{
	(void)events;
	if (data == server) {
		admit(server, now_ns);
		return true;
	}
	struct place *place = data;
	if ((uintptr_t)data < (uintptr_t)server->places || (uintptr_t)data >= (uintptr_t)(server->places + IBCC_MAX_CLIENTS))
		return false;
	if (place->fd < 0)
		return true;
	read_from(server, place, now_ns);
	settle(server);
	return true;
}

static int64_t until_ns(const struct place *place)
{
	return ibcc_admission_until_ns(place->came_ns, place->heard_ns, place->client.greeted, place->client.events != 0);
}

void ibcc_server_tick(struct ibcc_server *server, int64_t now_ns)
{
	for (struct place *place = server->places; place < server->places + IBCC_MAX_CLIENTS; place++) {
		struct ibcc_rpc_error error = {.port = -1, .status = -1};

		if (place->fd < 0 || until_ns(place) > now_ns)
			continue;
		ibcc_rpc_fail(&error, IBCC_RPC_BUSY, "IBCC0511: this connection is closed: %s",
			      place->client.greeted ? "it sent no request for 600 s and has subscribed to no event"
						    : "hello did not come within 5 s");
		if (!ibcc_write_error(&place->client.output, NULL, &error))
			send_waiting(place);
		if (!place->client.gone)
			place->client.gone = place->client.greeted ? "sent nothing for 600 s" : "did not send hello within 5 s";
	}
	settle(server);
}

int64_t ibcc_server_next_ns(const struct ibcc_server *server)
{
	int64_t next = INT64_MAX;

	for (const struct place *place = server->places; place < server->places + IBCC_MAX_CLIENTS; place++)
		if (place->fd >= 0 && until_ns(place) < next)
			next = until_ns(place);
	return next;
}

void ibcc_server_publish(struct ibcc_server *server, const char *event, json_t *params)
{
	int number = ibcc_event_find(event);

	if (!params || number < 0 || json_object_set_new(params, "event", json_string(event))) {
		ibcc_log(server->log, IBCC_LOG_ERROR, "IBCC0103: control socket: the event '%s' was not sent: %s", event,
			 number < 0 ? "it is not an event of this socket" : "out of memory");
	} else {
		for (struct place *place = server->places; place < server->places + IBCC_MAX_CLIENTS; place++)
			if (place->fd >= 0 && place->client.events & 1u << number && !place->client.over)
				ibcc_client_notify(&place->client, "event", params);
		settle(server);
	}
	json_decref(params);
}

struct ibcc_server *ibcc_server_open(const struct ibcc_server_settings *settings, struct ibcc_manager *manager, int epoll_fd,
				     struct ibcc_log *log, struct ccp_error *error)
{
	struct ibcc_server *server = calloc(1, sizeof(*server));

	if (!server) {
		ccp_set_error(error, 0, 0, "out of memory");
		return NULL;
	}
	server->settings = *settings;
	server->service.settings = &server->settings;
	server->service.manager = manager;
	server->log = log;
	server->epoll_fd = epoll_fd;
	for (unsigned i = 0; i < IBCC_MAX_CLIENTS; i++)
		server->places[i].fd = -1;
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (server->spare_fd < 0) {
		ccp_set_error(error, 0, 0, "cannot open /dev/null: %m");
		goto no_spare;
	}
	if (ibcc_listener_open(&server->listener, settings->path, settings->group, error))
		goto no_listener;
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = server};
	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, server->listener.fd, &event)) {
		ccp_set_error(error, 0, 0, "cannot wait for clients: %m");
		goto not_watched;
	}
	return server;

not_watched:
	ibcc_listener_close(&server->listener, settings->path);
no_listener:
	close(server->spare_fd);
no_spare:
	free(server);
	return NULL;
}

void ibcc_server_close(struct ibcc_server *server)
{
	if (!server)
		return;
	for (struct place *place = server->places; place < server->places + IBCC_MAX_CLIENTS; place++)
		if (place->fd >= 0)
			free_place(server, place);
	epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, server->listener.fd, NULL);
	ibcc_listener_close(&server->listener, server->settings.path);
	if (server->spare_fd >= 0)
		close(server->spare_fd);
	free(server);
}
