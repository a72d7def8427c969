/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * umad_port.h: sends MADs through the kernel's umad interface, by an agent for class 0x21, and receives answers in a thread.
 *
 * It is opened at the first SUBNET_UP and not before: where umad is emulated (libumad2sim), answers of a class go to the agent
 * that registered last.
 */
#ifndef IBCC_UMAD_PORT_H
#define IBCC_UMAD_PORT_H

#include "base/log.h"
#include "mad/mad_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called from the receiving thread. */
typedef void ibcc_on_answer(void *owner, const struct ibcc_answer *answer);

/* Opens the local port with this GUID (host order). NULL: it cannot be opened, and `log` has a line that says why. */
struct ibcc_mad_port *ibcc_umad_port_open(uint64_t port_guid, ibcc_on_answer *on_answer, void *owner, struct ibcc_log *log);

#ifdef __cplusplus
}
#endif
#endif
