/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ppcc_before.h: what parameters of PPCC were before the plugin set them, by device and algorithm.
 *
 * An adapter has no command that takes a parameter back to its default. So the value that it had is kept until no profile gives the
 * parameter any more, and is written back then.
 */
#ifndef IBCC_PPCC_BEFORE_H
#define IBCC_PPCC_BEFORE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "ccpolicy/error.h"
#include "ccpolicy/nvidia_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_PPCC_BEFORE 65536u /* algorithms of devices */

/* Keeps the parameters that one algorithm had on one port of an adapter before the plugin set them. */
struct ibcc_ppcc_before {
	uint64_t node_guid;
	uint8_t port;
	struct ccp_ppcc_algorithm algorithm;
	uint64_t known; /* bit n: values[n] is what parameter n was */
	uint32_t values[CCP_PPCC_PARAMETERS_MAX];
};

/* Zeros: nothing is kept. */
struct ibcc_ppcc_befores {
	uint32_t count, room;
	struct ibcc_ppcc_before *list; /* ascending */
};

void ibcc_ppcc_before_clear(struct ibcc_ppcc_befores *befores);

/* NULL: nothing is kept of it. */
const struct ibcc_ppcc_before *ibcc_ppcc_before_find(const struct ibcc_ppcc_befores *befores, uint64_t node_guid, uint8_t port,
						     const struct ccp_ppcc_algorithm *algorithm);

/* Keeps those of `known` that are not kept yet. 1: there were some; 0: none; -1: no room, or out of memory. */
int ibcc_ppcc_before_keep(struct ibcc_ppcc_befores *befores, const struct ibcc_ppcc_before *one);

/* Forgets all parameters but those of `known`. True: there were some. */
bool ibcc_ppcc_before_forget(struct ibcc_ppcc_befores *befores, uint64_t node_guid, uint8_t port,
			     const struct ccp_ppcc_algorithm *algorithm, uint64_t known);

/* [["0x…/1", 2, 1, 0, {"1": 101}], …]: device, algorithm, parameters by index. NULL: out of memory. */
json_t *ibcc_ppcc_before_to_json(const struct ibcc_ppcc_befores *befores);
int ibcc_ppcc_before_from_json(struct ibcc_ppcc_befores *befores, json_t *json, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
