/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cct.h: encodes the injection rate delays (IRDs) of a curve as the entries of a CongestionControlTable.
 *
 * An entry is a 2-bit shift and a 14-bit multiplier. Its delay is (packet time >> shift) * multiplier: from 1/8 of a packet time to
 * 16383 packet times. The packet time is the time that a full packet, MTU and CCP_PACKET_OVERHEAD_BYTES, takes at the link's data
 * rate. All delays here are in packet times unless a name has another unit.
 */
#ifndef CCPOLICY_CCT_H
#define CCPOLICY_CCT_H

#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/error.h"
#include "ccpolicy/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds that a full packet takes; e.g. 1037 at 16 Gb/s and an MTU of 2048. `rate_gbps` is above 0. */
double ccp_packet_time_ns(double rate_gbps, uint32_t mtu_bytes);

/* An entry's delay in packet times: multiplier / 2^shift. */
double ccp_cct_entry_packet_times(struct ccp_cct_entry entry);

/* An entry's delay in ns after a packet that takes `packet_time_ns`. */
double ccp_cct_entry_ird_ns(struct ccp_cct_entry entry, double packet_time_ns);

/*
 * The entry whose delay is nearest to `packet_times` (0..CCP_MULTIPLIER_MAX). Among equally near ones the smallest shift
 * wins, then the smaller delay; so a delay that an entry can hold has one encoding, and below half of the finest step
 * (1/16 packet time) and at it the entry is 0:0. A larger delay never gets an entry with a smaller one.
 */
struct ccp_cct_entry ccp_cct_encode(double packet_times);

/* One row of a table that has been encoded. */
struct ccp_cct_row {
	struct ccp_cct_entry entry;
	double wanted; /* packet times that the curve asks for; for given entries, their own delay */
	double ird;    /* packet times that the entry holds */
};

/*
 * Fills `rows` (ccti_limit + 1 of them) for a section that holds a table. `packet_time_ns` is needed by a curve in
 * microseconds only; 0: unknown. Returns 0, or -1 with `error` filled: a delay is larger than an entry can hold, or the
 * packet time is needed and unknown. Wanted delays never fall from one row to the next, whatever the curve.
 */
int ccp_cct_evaluate(const struct ccp_profile_cct *cct, double packet_time_ns, struct ccp_cct_row *rows, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
