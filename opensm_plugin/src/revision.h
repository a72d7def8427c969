/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* revision.h: one profile with its text and number, in memory and as it stands in the state file. */
#ifndef IBCC_REVISION_H
#define IBCC_REVISION_H

#include <jansson.h>
#include <stddef.h>

#include "profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a document that must be a profile; since now. NULL with `error` filled. */
struct ibcc_revision *ibcc_revision_create(const char *text, size_t length, uint64_t number, enum ibcc_source source,
					   struct ccp_error *error);
void ibcc_revision_destroy(struct ibcc_revision *revision); /* NULL is fine */

json_t *ibcc_revision_to_json(const struct ibcc_revision *revision); /* JSON's null for NULL; NULL: out of memory */

/* NULL with `error` filled: it is no revision, or its text no profile. */
struct ibcc_revision *ibcc_revision_from_json(json_t *json, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
