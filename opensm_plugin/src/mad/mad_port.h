/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mad_port.h: the way of MADs of class 0x21 out of this host, and of the answers back.
 *
 * Two implementations: umad_port.h on the kernel's interface, and the fabrics that tests make up.
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
	 * Sends a request. The low 32 bits of its transaction ID are the caller's; whoever sends in between may set the others. An
	 * answer, or that none has come in `timeout_ms`, is told by ibcc_mad_port's listener. 0, or a negative errno: nothing was sent.
	 */
	int (*send)(struct ibcc_mad_port *port, uint16_t lid, uint8_t sl, const uint8_t mad[IBCC_MAD_BYTES], uint32_t timeout_ms);
	/* The adapter was reset, or its driver loaded anew: the port is of no use any more, and has to be opened again. Cheap. NULL: never. */
	bool (*has_ended)(const struct ibcc_mad_port *port);
	/* After a sweep: looks up again what OpenSM may have changed, the place of the P_Key. NULL: nothing. */
	void (*refresh)(struct ibcc_mad_port *port);
	void (*close)(struct ibcc_mad_port *port); /* ends and frees it; nobody is told of what was outstanding */
};

/* What came back; or, if `timed_out`, the request that nobody answered. */
struct ibcc_answer {
	bool timed_out;
	uint16_t lid; /* who answered */
	uint8_t mad[IBCC_MAD_BYTES];
};

#ifdef __cplusplus
}
#endif
#endif
