/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* topology_json.h: links and subnet managers as events and the method `topology` have them. NULL: out of memory. */
#ifndef IBCC_TOPOLOGY_JSON_H
#define IBCC_TOPOLOGY_JSON_H

#include <jansson.h>

#include "devices/firmware.h"
#include "devices/snapshot_links.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_GUID_TEXT_BYTES 19u

/* Writes "0x0002c90300000001", and returns it. */
const char *ibcc_guid_text(char text[IBCC_GUID_TEXT_BYTES], uint64_t guid);

json_t *ibcc_hexadecimal_json(unsigned digits, uint32_t number);  /* "0x0002c9"; null: 0 */
json_t *ibcc_firmware_json(const struct ibcc_firmware *firmware); /* "31.2012.1024"; null: not known */

/* `object` with one member more, both of which it takes; NULL if either is NULL. */
json_t *ibcc_json_with(json_t *object, const char *key, json_t *value);

json_t *ibcc_link_json(const struct ibcc_snapshot *snapshot, const struct ibcc_link *link);
json_t *ibcc_link_values_json(const struct ibcc_link *link); /* without its ends */
json_t *ibcc_other_sms_json(const struct ibcc_other_sms *others);

/* Where a node is connected: its links by `port`, with the other ends. */
json_t *ibcc_node_links_json(const struct ibcc_snapshot *snapshot, uint32_t node);

#ifdef __cplusplus
}
#endif
#endif
