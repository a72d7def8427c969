/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "state/state_json.h"

#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"

/*
 * jansson 2.14 does not notice all refused allocations: it takes some for wrong syntax, and after some a string lacks its end. So
 * the text is parsed twice: it is right if both results are the same, and wrong only if both parses fail.
 */
static json_t *parse(const char *text, size_t length, struct ccp_error *error)
{
	json_error_t json_error;
	json_t *first = json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);
	json_t *second = json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);

	if (!first && !second) {
		(void)ibcc_fail_json(error, "the JSON", &json_error);
	} else if (!json_equal(first, second)) {
		(void)ccp_fail_no_memory(error);
		json_decref(first);
		first = NULL;
	}
	json_decref(second);
	return first;
}

enum ibcc_state_found ibcc_state_json_load(const struct ibcc_state_folder *folder, const struct ibcc_state_form *form,
					   json_t **root, struct ccp_error *error)
{
	char *text = NULL;
	size_t length;

	*root = NULL;
	int got = ibcc_state_file_read(folder, form->name, form->max_bytes, &text, &length, error);
	if (got <= 0)
		return got ? IBCC_STATE_FAILED : IBCC_STATE_ABSENT;
	json_t *parsed = parse(text, length, error);
	free(text);
	if (!parsed)
		return ibcc_error_is_no_memory(error) ? IBCC_STATE_FAILED : IBCC_STATE_BROKEN;
	json_int_t version = json_integer_value(json_object_get(parsed, form->version_key));
	if (version >= 1 && version <= form->version) {
		*root = parsed;
		return IBCC_STATE_READ;
	}
	json_decref(parsed);
	if (version < 1) {
		(void)ccp_fail(error, "%s, the version, is missing or wrong", form->version_key);
		return IBCC_STATE_BROKEN;
	}
	(void)ccp_fail(
		error,
		"%s in the state folder '%.200s' is of version %lld, but this plugin reads up to version %d: use a newer plugin, "
		"or move the file away to start over",
		form->name, ibcc_state_folder_path(folder), (long long)version, form->version);
	return IBCC_STATE_FAILED;
}

/*
 * Returns a text to be freed; NULL: out of memory. It is printed into a buffer of the right size, because json_dumps continues
 * when it is refused a larger one, and its text lacks a part.
 */
static char *print(const json_t *root, size_t *length)
{
	size_t needed = json_dumpb(root, NULL, 0, JSON_INDENT(1)); /* 0: out of memory */
	char *text = needed ? malloc(needed) : NULL;

	if (text && json_dumpb(root, text, needed, JSON_INDENT(1)) != needed) {
		free(text);
		return NULL;
	}
	*length = needed;
	return text;
}

int ibcc_state_json_save(const struct ibcc_state_folder *folder, const struct ibcc_state_form *form, json_t *root,
			 struct ccp_error *error)
{
	char *text = NULL;
	size_t length = 0;
	int result;

	if (root && !json_object_set_new(root, form->version_key, json_integer(form->version)))
		text = print(root, &length);
	if (text)
		result = ibcc_state_file_write(folder, form->name, text, length, error);
	else
		result = ccp_fail_no_memory(error);
	free(text);
	json_decref(root);
	return result;
}

int ibcc_state_json_set_aside(const struct ibcc_state_folder *folder, const struct ibcc_state_form *form, const char *why,
			      const char *consequence, struct ibcc_log *log, struct ccp_error *error)
{
	char reason[CCP_ERROR_MESSAGE_BYTES];
	unsigned number;

	strncpy(reason, why, sizeof(reason) - 1); /* `why` may lie in `error` */
	reason[sizeof(reason) - 1] = '\0';
	if (ibcc_state_file_set_aside(folder, form->name, &number, error))
		return -1;
	ibcc_log(log, IBCC_LOG_ERROR, "IBCC0104: %s in the state folder %.200s is damaged (%s): set aside as %s.broken-%u; %s",
		 form->name, ibcc_state_folder_path(folder), reason, form->name, number, consequence);
	return 0;
}

int ibcc_fail_json(struct ccp_error *error, const char *what, const json_error_t *json_error)
{
	if (json_error_code(json_error) == json_error_out_of_memory)
		return ccp_fail_no_memory(error);
	return ccp_fail(error, "%s is wrong: %s", what, json_error->text);
}

bool ibcc_error_is_no_memory(const struct ccp_error *error)
{
	struct ccp_error no_memory;

	(void)ccp_fail_no_memory(&no_memory);
	return !strcmp(error->message, no_memory.message);
}
