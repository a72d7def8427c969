/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ppcc_names.h: names of PPCC algorithms and of their parameters, from a JSON file on the subnet manager's node:
 *
 *     {"ibcc_ppcc_algorithms": 1, "algorithms": [
 *       {"name": "ZTR_RTTCC", "algo_id": 1, "major": 1, "minor": 0, "parameters": ["BW_G", "ALPHA"]}]}
 *
 * Adapters list their algorithms by three numbers and take parameters by index: only such a file has names. A parameter's place in its
 * list is its index.
 */
#ifndef IBCC_PPCC_NAMES_H
#define IBCC_PPCC_NAMES_H

#include <stdint.h>

#include "ccpolicy/error.h"
#include "ccpolicy/nvidia.h"
#include "ccpolicy/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_ppcc_names;

/* Reads the file. NULL with `error` filled: it cannot be read, is not of this form, or memory is refused. */
struct ibcc_ppcc_names *ibcc_ppcc_names_read(const char *path, struct ccp_error *error);
void ibcc_ppcc_names_destroy(struct ibcc_ppcc_names *names); /* NULL is fine */

/*
 * Fills the algorithm's three numbers, and for each parameter of the slot its index; `names` may be NULL. -1 with `error` filled: a
 * name is in no file, or a parameter is given by name and by index.
 */
int ibcc_ppcc_resolve(const struct ibcc_ppcc_names *names, const struct ccp_ppcc_slot *slot, struct ccp_ppcc_algorithm *algorithm,
		      uint8_t index[CCP_PPCC_PARAMETERS_MAX], struct ccp_error *error);

/* Resolves all slots of a profile. -1 with `error` filled: as above, or two slots are one algorithm. */
int ibcc_ppcc_check_profile(const struct ibcc_ppcc_names *names, const struct ccp_profile *profile, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
