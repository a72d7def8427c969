/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * congestion.h: sums the readings of a device's CongestionLogs.
 *
 * Reading a log empties it, so events that another program reads (ibccquery CL) are missing here.
 */
#ifndef IBCC_CONGESTION_H
#define IBCC_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_NUM_FLOWS 15u

struct ibcc_congestion_flow {
	uint16_t slid, dlid; /* of an adapter's log: dlid is the remote LID, slid 0 */
	uint8_t sl;
};

struct ibcc_congestion {
	uint64_t readings;         /* logs that were read */
	uint64_t congested;        /* those of them that had events */
	uint64_t events;           /* LogEventsCounter of a switch, ThresholdEventCounter of an adapter */
	uint32_t ports[256];       /* of a switch: readings in which the port had marked packets */
	uint32_t sls[CCP_NUM_SLS]; /* of an adapter: readings in which the SL had reached its Trigger_Threshold */
	int64_t last_events_s;     /* wall clock of the last reading with events; 0: never */
	uint32_t num_flows;        /* of that reading, newest first as the device has them */
	struct ibcc_congestion_flow flows[IBCC_NUM_FLOWS];
};

/*
 * Adds a log (CCP_CONGESTION_LOG_BYTES at `data`) that was read at `now_s`, wall clock. False: it is neither a switch's nor an
 * adapter's.
 */
bool ibcc_congestion_add(struct ibcc_congestion *congestion, const uint8_t *data, int64_t now_s);

#ifdef __cplusplus
}
#endif
#endif
