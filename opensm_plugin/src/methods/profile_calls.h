/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile_calls.h: what the methods profile.… share. */
#ifndef IBCC_METHODS_PROFILE_CALLS_H
#define IBCC_METHODS_PROFILE_CALLS_H

#include <stddef.h>

#include "rpc/method.h"

/* A profile's document as it was given: a text, or a JSON object, which is YAML. */
struct ibcc_document {
	const char *text;
	size_t length;
	char *own; /* NULL: the text is the call's */
};
int ibcc_param_document(const struct ibcc_call *call, struct ibcc_document *document, struct ibcc_rpc_error *error);
void ibcc_document_clear(struct ibcc_document *document);

/* The profile in it, which contradicts neither itself nor, if the fabric is known, that; NULL with `error` filled. */
struct ccp_profile *ibcc_document_read(const struct ibcc_call *call, const struct ibcc_document *document,
				       struct ibcc_rpc_error *error);

/* -1 with `error` filled: it is another OpenSM that has to be asked, or this one may not act. */
int ibcc_check_role(const struct ibcc_call *call, struct ibcc_rpc_error *error);

/* What a refusal of profiles.h means to a client. */
void ibcc_profiles_fail(struct ibcc_rpc_error *error, enum ibcc_profiles_fault fault, const struct ccp_error *why);

/*
 * {revision, job}, as the result of a call that changes what is wanted. Made before the change, so that memory refused for it changes nothing;
 * NULL: out of memory. After the change ibcc_change_done begins a job of that kind and fills it in, which takes no memory.
 */
json_t *ibcc_change_result(void);
void ibcc_change_done(const struct ibcc_call *call, json_t *result, const char *kind);

/* {revision, name, enable, source, since_s}; NULL: out of memory. */
json_t *ibcc_revision_json(const struct ibcc_revision *revision);

/*
 * Whether the parameter `revision`, which must be there, is that of what is meant: the experiment's, or the base's. -1 with `error` filled: it
 * is another's, who was faster, and nothing changes.
 */
int ibcc_check_revision(const struct ibcc_call *call, const struct ibcc_revision *meant, struct ibcc_rpc_error *error);

#endif
