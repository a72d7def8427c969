/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_takeover_content.h: what stands in the base file, for manager_takeover.c. */
#ifndef IBCC_MANAGER_TAKEOVER_CONTENT_H
#define IBCC_MANAGER_TAKEOVER_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "ccpolicy/error.h"
#include "devices/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_manager;

/* One file as another OpenSM has left it. Texts and values are the document's. */
struct base_left {
	json_int_t number, epoch, written_s, ends_s;
	const char *writer, *plugin, *text, *trial, *owner; /* `text`, `trial` NULL: there was no base, no trial run */
	size_t length;                                      /* of `text` */
	json_t *fabric, *devices, *parameters;
	json_t *found, *nvidia_found; /* NULL: the file does not say */
	bool has_end;                 /* of the trial run: `ends_s` */
};

/* Returns what the file with this number has to say now. NULL: out of memory. REQUIRES: a snapshot. */
json_t *manager_takeover_content(const struct ibcc_manager *manager, uint64_t number);
/* -1 with `error` filled: it makes no sense. */
int manager_takeover_read(json_t *root, struct base_left *left, struct ccp_error *error);
/* False with `error` filled: the file is of another fabric than the snapshot. */
bool manager_takeover_is_same_fabric(json_t *fabric, const struct ibcc_snapshot *snapshot, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
