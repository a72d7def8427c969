/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* congestion.c: adds the counters of CongestionLogs. */
#include "devices/congestion.h"

static void add_flow(struct ibcc_congestion *congestion, uint16_t slid, uint16_t dlid, uint8_t sl)
{
	if (!slid && !dlid) /* an empty entry */
		return;
	congestion->flows[congestion->num_flows++] = (struct ibcc_congestion_flow){.slid = slid, .dlid = dlid, .sl = sl};
}

static void begin(struct ibcc_congestion *congestion, uint32_t events, int64_t now_s)
{
	congestion->readings++;
	congestion->events += events;
	if (!events)
		return;
	congestion->congested++;
	congestion->last_events_s = now_s;
	congestion->num_flows = 0;
}

static void add_switch(struct ibcc_congestion *congestion, const struct ccp_congestion_log_switch *log, int64_t now_s)
{
	begin(congestion, log->log_events_counter, now_s);
	for (unsigned port = 0; port < 256; port++)
		congestion->ports[port] += ccp_port_mask_test(log->port_map, port);
	for (unsigned i = 0; log->log_events_counter && i < sizeof(log->events) / sizeof(log->events[0]); i++)
		add_flow(congestion, log->events[i].slid, log->events[i].dlid, log->events[i].sl);
}

static void add_ca(struct ibcc_congestion *congestion, const struct ccp_congestion_log_ca *log, int64_t now_s)
{
	begin(congestion, log->threshold_event_counter, now_s);
	for (unsigned sl = 0; sl < CCP_NUM_SLS; sl++)
		congestion->sls[sl] += log->threshold_congestion_event_map >> sl & 1u;
	for (unsigned i = 0; log->threshold_event_counter && i < sizeof(log->events) / sizeof(log->events[0]); i++)
		add_flow(congestion, 0, log->events[i].remote_lid, log->events[i].sl);
}

bool ibcc_congestion_add(struct ibcc_congestion *congestion, const uint8_t *data, int64_t now_s)
{
	union {
		struct ccp_congestion_log_switch sw;
		struct ccp_congestion_log_ca ca;
	} log = {0};

	switch (data[0]) {
	case CCP_LOG_TYPE_SWITCH:
		if (ccp_unpack(CCP_CONGESTION_LOG_SWITCH, data, &log))
			return false;
		add_switch(congestion, &log.sw, now_s);
		return true;
	case CCP_LOG_TYPE_CA:
		if (ccp_unpack(CCP_CONGESTION_LOG_CA, data, &log))
			return false;
		add_ca(congestion, &log.ca, now_s);
		return true;
	default:
		return false;
	}
}
