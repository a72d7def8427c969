/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* nvidia_json.h: a device model as it stands in the state folder, and a device's facts for people. */
#ifndef IBCC_NVIDIA_JSON_H
#define IBCC_NVIDIA_JSON_H

#include <jansson.h>

#include "ccpolicy/error.h"
#include "devices/nvidia_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

json_t *ibcc_nvidia_model_to_json(const struct ibcc_nvidia_model *model); /* NULL: out of memory */
/* -1 with `error` filled: it is none, or memory was refused. */
int ibcc_nvidia_model_from_json(json_t *json, struct ibcc_nvidia_model *model, struct ccp_error *error);
/* As a file of version 1 has it: facts of a device stand there for its model, and are dropped. Trust is kept. */
int ibcc_nvidia_model_from_former_json(json_t *json, struct ibcc_nvidia_model *model, struct ccp_error *error);

/* {"versions": [0, 1], "capabilities": "0x…", …}; NULL: out of memory. REQUIRES: the device has these attributes. */
json_t *ibcc_nvidia_facts_to_json(const struct ibcc_nvidia_facts *facts, bool is_switch);

#ifdef __cplusplus
}
#endif
#endif
