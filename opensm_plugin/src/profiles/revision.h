/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* revision.h: one profile with its text and number, in memory and as it stands in the state file. */
#ifndef IBCC_REVISION_H
#define IBCC_REVISION_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/error.h"
#include "ccpolicy/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_HISTORY 16u /* former bases that are kept */

enum ibcc_source {
	IBCC_SOURCE_FILE,     /* the file that opensm.conf names */
	IBCC_SOURCE_APPLY,    /* applied without an end of time */
	IBCC_SOURCE_COMMIT,   /* an experiment that was committed */
	IBCC_SOURCE_ROLLBACK, /* a former base */
	IBCC_SOURCE_TAKEOVER, /* the base of the OpenSM that was master before */
	IBCC_NUM_SOURCES,
};
extern const char *const ibcc_source_names[IBCC_NUM_SOURCES]; /* "file", "apply", ... */

struct ibcc_revision {
	uint64_t number; /* from 1 */
	enum ibcc_source source;
	int64_t since_s; /* wall clock */
	char *text;      /* the document, UTF-8; one in UTF-16 is kept as ccp_profile_write writes it */
	struct ccp_profile *profile;
};

/*
 * Makes a revision of a document that must be a profile; it begins now. `profile`: what was read of it already, stolen also where
 * that fails; NULL: it is read. Returns NULL with `error` filled.
 */
struct ibcc_revision *ibcc_revision_of(struct ccp_profile *profile, const char *text, size_t length, uint64_t number,
				       enum ibcc_source source, struct ccp_error *error);
/* The same of a document that nobody has read. */
struct ibcc_revision *ibcc_revision_create(const char *text, size_t length, uint64_t number, enum ibcc_source source,
					   struct ccp_error *error);
/*
 * Makes another revision of the same document, which begins now and has the same profile: whichever of the two stays keeps it, and
 * the other's `profile` is set to NULL before that is destroyed. Returns NULL with `error` filled: out of memory.
 */
struct ibcc_revision *ibcc_revision_again(const struct ibcc_revision *revision, uint64_t number, enum ibcc_source source,
					  struct ccp_error *error);
void ibcc_revision_destroy(struct ibcc_revision *revision); /* NULL is fine */

json_t *ibcc_revision_to_json(const struct ibcc_revision *revision); /* JSON's null for NULL; NULL: out of memory */

/* NULL with `error` filled: it is no revision, or its text no profile. */
struct ibcc_revision *ibcc_revision_from_json(json_t *json, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
