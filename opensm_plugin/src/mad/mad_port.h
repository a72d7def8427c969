/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mad_port.h: a local port that sends MADs of the classes of cc_mad.h and receives their answers.
 *
 * There are two implementations: umad_port.h on the kernel's interface, and the fabrics of the tests.
 */
#ifndef IBCC_MAD_PORT_H
#define IBCC_MAD_PORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAD_BYTES 256u

struct ibcc_mad_port {
	/*
	 * Sends a request. The low 32 bits of its transaction ID are the caller's; libraries below may set the others. An answer,
	 * or the time-out after `timeout_ms`, comes to the listener that the port was opened with. Returns 0, or a negative
	 * errno: nothing was sent.
	 */
	int (*send)(struct ibcc_mad_port *port, uint16_t lid, uint8_t sl, const uint8_t mad[IBCC_MAD_BYTES], uint32_t timeout_ms);
	/* True if the adapter was reset or its driver reloaded, so that the port must be opened again. Cheap. NULL: never. */
	bool (*has_ended)(const struct ibcc_mad_port *port);
	/* Looks up the index of the P_Key, which OpenSM may change in a sweep. NULL: nothing to look up. */
	void (*refresh)(struct ibcc_mad_port *port);
	void (*close)(struct ibcc_mad_port *port); /* closes and frees it, without a word about requests in flight */
};

/* An answer; or, if `timed_out`, the request that had none. */
struct ibcc_answer {
	bool timed_out;
	uint16_t lid; /* of the sender */
	uint8_t mad[IBCC_MAD_BYTES];
};

#ifdef __cplusplus
}
#endif
#endif
