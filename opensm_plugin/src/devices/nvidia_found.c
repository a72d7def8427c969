/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/nvidia_found.h"

#include <stdlib.h>
#include <time.h>

#include "ccpolicy/error_format.h"
#include "devices/found_rows.h"

static const struct ibcc_state_form form = {
	.name = "nvidia_found.json", .version_key = "ibcc_opensm_nvidia_found", .version = 1, .max_bytes = 256u << 20};

/* A switch with 254 ports of 16 VLs each has fewer items. */
static const struct ibcc_found_format format = {
	.form = &form, .has_scope = true, .max_items = 8192, .example = "65289.1.15:0 65316.0.3/2.1.0:1"};

struct ibcc_nvidia_founds {
	struct ibcc_found_rows rows;
};

bool ibcc_nvidia_found_is_on(const struct ibcc_found *found)
{
	for (uint32_t i = 0; i < found->num_items; i++) {
		const struct ibcc_found_item *item = &found->items[i];
		union {
			struct ccp_congestion_switch_general_settings sw;
			struct ccp_congestion_hca_general_settings ca;
		} value = {0};

		if (item->attribute == CCP_CONGESTION_SWITCH_GENERAL_SETTINGS)
			return !ccp_unpack(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, item->payload->bytes, &value) && value.sw.en;
		if (item->attribute == CCP_CONGESTION_HCA_GENERAL_SETTINGS)
			return !ccp_unpack(CCP_CONGESTION_HCA_GENERAL_SETTINGS, item->payload->bytes, &value) &&
			       (value.ca.en_notify || value.ca.en_react);
	}
	return false;
}

const struct ibcc_found *ibcc_nvidia_founds_find(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port)
{
	return founds ? ibcc_found_rows_find(&founds->rows, node_guid, port) : NULL;
}

const struct ibcc_found *ibcc_nvidia_founds_kept(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port)
{
	const struct ibcc_found *found = ibcc_nvidia_founds_find(founds, node_guid, port);

	return found && found->frozen ? found : NULL;
}

int ibcc_nvidia_founds_put(struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port, struct ibcc_found_item *items,
			   uint32_t num_items)
{
	struct ibcc_found *found = ibcc_found_rows_find(&founds->rows, node_guid, port);

	if (!found)
		found = ibcc_found_rows_add(&founds->rows, node_guid, port);
	if (!found)
		return -1;
	ibcc_found_rows_replace(&founds->rows, found, items, num_items, (int64_t)time(NULL));
	return 0;
}

void ibcc_nvidia_founds_keep(struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port, bool kept)
{
	struct ibcc_found *found = ibcc_found_rows_find(&founds->rows, node_guid, port);

	if (!found || found->frozen == kept)
		return;
	found->frozen = kept;
	ibcc_found_rows_touch(&founds->rows, found);
	founds->rows.changes++;
}

uint64_t ibcc_nvidia_founds_changes(const struct ibcc_nvidia_founds *founds)
{
	return founds->rows.changes;
}

json_t *ibcc_nvidia_founds_json(const struct ibcc_nvidia_founds *founds)
{
	return ibcc_found_rows_json(&founds->rows);
}

int ibcc_nvidia_founds_save(struct ibcc_nvidia_founds *founds, struct ccp_error *error)
{
	return ibcc_found_rows_save(&founds->rows, error);
}

int ibcc_nvidia_founds_merge(struct ibcc_nvidia_founds *founds, json_t *root, struct ccp_error *error)
{
	return ibcc_found_rows_merge(&founds->rows, root, error);
}

struct ibcc_nvidia_founds *ibcc_nvidia_founds_open(const struct ibcc_state_folder *folder, struct ibcc_payload_pool *pool,
						   struct ibcc_log *log, struct ccp_error *error)
{
	struct ibcc_nvidia_founds *founds = calloc(1, sizeof(*founds));
	enum ibcc_state_found state;

	if (!founds) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	founds->rows = (struct ibcc_found_rows){.format = &format, .folder = folder, .pool = pool};
	state = ibcc_found_rows_load(&founds->rows, error);
	if (state == IBCC_STATE_FAILED ||
	    (state == IBCC_STATE_BROKEN &&
	     ibcc_state_json_set_aside(folder, &form, error->message,
				       "devices whose settings of nvidia ibcc has set are cleared, and not brought back to what "
				       "they held before",
				       log, error))) {
		ibcc_nvidia_founds_close(founds);
		return NULL;
	}
	return founds;
}

void ibcc_nvidia_founds_close(struct ibcc_nvidia_founds *founds)
{
	if (!founds)
		return;
	ibcc_found_rows_free(&founds->rows);
	free(founds);
}
