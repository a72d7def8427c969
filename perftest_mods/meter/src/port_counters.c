/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "port_counters.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORTS_MAX 16

/*
 * Names that speak of congestion: marks, notification packets and what they do to rates; waiting and loss at ports; and the
 * repetitions that loss leads to. Of mlx5 (np_… to roce_…), bnxt_re, irdma and rxe, and of any InfiniBand port.
 */
static const char *const names[METER_COUNTERS_MAX] = {
	"hw_counters/np_cnp_sent",
	"hw_counters/np_ecn_marked_roce_packets",
	"hw_counters/rp_cnp_handled",
	"hw_counters/rp_cnp_ignored",
	"hw_counters/out_of_sequence",
	"hw_counters/packet_seq_err",
	"hw_counters/local_ack_timeout_err",
	"hw_counters/rnr_nak_retry_err",
	"hw_counters/roce_adp_retrans",
	"hw_counters/roce_adp_retrans_to",
	"hw_counters/roce_slow_restart",
	"hw_counters/roce_slow_restart_cnps",
	"hw_counters/rx_ecn_marked_pkts",
	"hw_counters/rx_cnp_pkts",
	"hw_counters/tx_cnp_pkts",
	"hw_counters/cnpSent",
	"hw_counters/cnpHandled",
	"hw_counters/cnpIgnored",
	"hw_counters/RxECNMrkd",
	"hw_counters/duplicate_request",
	"hw_counters/out_of_seq_request",
	"hw_counters/rcvd_rnr_err",
	"hw_counters/rcvd_seq_err",
	"hw_counters/send_rnr_err",
	"hw_counters/completer_retry_err",
	"counters/port_xmit_wait",
	"counters/port_xmit_discards",
};

struct port {
	char device[64];
	unsigned int number;
	int files[METER_COUNTERS_MAX]; /* -1: this port has no such counter */
	uint64_t last[METER_COUNTERS_MAX], reported[METER_COUNTERS_MAX];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct port ports[PORTS_MAX];
static unsigned int ports_count;
static const char *folder = "/sys/class/infiniband";

static bool value_read(int file, uint64_t *value)
{
	char text[32];
	char *end;
	const ssize_t got = pread(file, text, sizeof text - 1, 0);

	if (got <= 0)
		return false;
	text[got] = '\0';
	errno = 0;
	*value = strtoull(text, &end, 10);
	return end != text && !errno && (*end == '\n' || !*end);
}

static void open_all(struct port *port)
{
	for (int i = 0; i < METER_COUNTERS_MAX; i++) {
		char path[320];
		port->files[i] = -1;
		if (!names[i])
			continue;
		snprintf(path, sizeof path, "%s/%s/ports/%u/%s", folder, port->device, port->number, names[i]);
		port->files[i] = open(path, O_RDONLY | O_CLOEXEC);
		/* Some kernels show files of what a device cannot count; reading them fails. */
		if (port->files[i] >= 0 && !value_read(port->files[i], &port->last[i])) {
			close(port->files[i]);
			port->files[i] = -1;
		}
		port->reported[i] = port->last[i];
	}
}

void meter_port_counters_add(const char *device, unsigned int port)
{
	unsigned int i = 0;

	if (strchr(device, '/') || strlen(device) >= sizeof ports[0].device)
		return;
	pthread_mutex_lock(&mutex);
	while (i < ports_count && (ports[i].number != port || strcmp(ports[i].device, device)))
		i++;
	if (i == ports_count && i < PORTS_MAX) {
		memset(&ports[i], 0, sizeof ports[i]);
		memcpy(ports[i].device, device, strlen(device) + 1);
		ports[i].number = port;
		open_all(&ports[i]);
		ports_count++;
	}
	pthread_mutex_unlock(&mutex);
}

unsigned int meter_port_counters_read(struct meter_counter counters[METER_COUNTERS_MAX])
{
	unsigned int count = 0;

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < METER_COUNTERS_MAX; i++) {
		bool there = false;
		uint64_t more = 0;
		for (unsigned int p = 0; p < ports_count; p++) {
			struct port *port = &ports[p];
			if (port->files[i] < 0 || !value_read(port->files[i], &port->last[i]))
				continue;
			there = true;
			/* Less than before: somebody reset it. */
			more += port->last[i] < port->reported[i] ? port->last[i] : port->last[i] - port->reported[i];
		}
		if (there)
			counters[count++] = (struct meter_counter){strchr(names[i], '/') + 1, more};
	}
	pthread_mutex_unlock(&mutex);
	return count;
}

void meter_port_counters_commit(void)
{
	pthread_mutex_lock(&mutex);
	for (unsigned int p = 0; p < ports_count; p++)
		memcpy(ports[p].reported, ports[p].last, sizeof ports[p].reported);
	pthread_mutex_unlock(&mutex);
}

void meter_port_counters_clear(const char *new_folder)
{
	pthread_mutex_init(&mutex, NULL);
	for (unsigned int p = 0; p < ports_count; p++)
		for (int i = 0; i < METER_COUNTERS_MAX; i++)
			if (ports[p].files[i] >= 0)
				close(ports[p].files[i]);
	ports_count = 0;
	if (new_folder)
		folder = new_folder;
}
