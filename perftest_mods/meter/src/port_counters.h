/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's counters of congestion at the ports in use, below /sys/class/infiniband. */
#ifndef IBCC_METER_PORT_COUNTERS_H
#define IBCC_METER_PORT_COUNTERS_H

#include <stdint.h>

#define METER_COUNTERS_MAX 32

#ifdef __cplusplus
extern "C" {
#endif

/* `device` is a name as the kernel has it. The same port again, and one that has no counters, change nothing. */
void meter_port_counters_add(const char *device, unsigned int port);

/* Growth of each counter since the last commit, added up over ports. Returns the number of different names. */
struct meter_counter {
	const char *name;
	uint64_t more;
};
unsigned int meter_port_counters_read(struct meter_counter counters[METER_COUNTERS_MAX]);

/* Marks the values read last as reported: growth counts from there. */
void meter_port_counters_commit(void);

/* For tests, and in a child after fork: no ports. */
void meter_port_counters_clear(const char *folder);

#ifdef __cplusplus
}
#endif

#endif
