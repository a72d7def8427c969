/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile_calls.h: functions that the methods profile.… share. */
#ifndef IBCC_METHODS_PROFILE_CALLS_H
#define IBCC_METHODS_PROFILE_CALLS_H

#include <stddef.h>

#include "rpc/method.h"

/* A profile's document: the text in the call, or that of the JSON object there, which is YAML. */
struct ibcc_document {
	const char *text;
	size_t length;
	char *own; /* NULL: the text is the call's */
};
int ibcc_param_document(const struct ibcc_call *call, struct ibcc_document *document, struct ibcc_rpc_error *error);
void ibcc_document_clear(struct ibcc_document *document);

/* Parses the document, and resolves it if the fabric is known. NULL with `error` filled. */
struct ccp_profile *ibcc_document_read(const struct ibcc_call *call, const struct ibcc_document *document,
				       struct ibcc_rpc_error *error);

/* -1 with `error` filled: in its present role this OpenSM may change nothing. */
int ibcc_check_role(const struct ibcc_call *call, struct ibcc_rpc_error *error);

/* Turns a refusal of profiles.h into an error for the client. */
void ibcc_profiles_fail(struct ibcc_rpc_error *error, enum ibcc_profiles_fault fault, const struct ccp_error *why);

/*
 * Makes {revision, job}, the result of a call that changes the wanted profile, before the change, so that refused memory changes
 * nothing. NULL: out of memory. After the change ibcc_change_done begins a job of that kind and fills the result, which takes no
 * memory.
 */
json_t *ibcc_change_result(void);
void ibcc_change_done(const struct ibcc_call *call, json_t *result, const char *kind);

/* {revision, name, enable, source, since_s}; NULL: out of memory. */
json_t *ibcc_revision_json(const struct ibcc_revision *revision);

/*
 * Checks that the parameter `revision`, which is required, is that of `meant`: the trial run, or the base. -1 with `error`
 * filled: it is another, as somebody else has changed it first.
 */
int ibcc_check_revision(const struct ibcc_call *call, const struct ibcc_revision *meant, struct ibcc_rpc_error *error);

#endif
