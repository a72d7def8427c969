/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes/change_log.h"
#include "devices/device_states.h"
#include "rpc/message.h"
#include "rpc/method.h"
#include "rpc/server_settings.h"

#define KEPT_BYTES 65536u /* of a buffer for lines: a larger one is freed after the line */
#define NAMES_BYTES 512u

static void error_init(struct ibcc_rpc_error *error)
{
	memset(error, 0, sizeof(*error));
	error->port = error->status = -1;
	ibcc_rpc_fail(error, IBCC_RPC_INTERNAL_ERROR, "IBCC0506: out of memory");
}

/* There is one limit for all that waits: a client that does not read is dropped. */
static void check_waiting(struct ibcc_client *client)
{
	if (!client->gone && ibcc_output_waiting(&client->output) > IBCC_MAX_UNSENT_BYTES)
		client->gone = "does not read what it is sent";
}

static void answer_error(struct ibcc_client *client, const json_t *id, const struct ibcc_rpc_error *error)
{
	if (ibcc_write_error(&client->output, id, error))
		client->gone = "no memory for an answer";
	check_waiting(client); /* errors count as well */
}

/* A call that has succeeded is never answered as if it had failed: without memory for its result, the client is dropped. */
static void answer(struct ibcc_client *client, const json_t *id, const json_t *result)
{
	struct ibcc_rpc_error error;

	error_init(&error);
	int failed = ibcc_write_result(&client->output, id, result, &error);
	if (failed > 0)
		answer_error(client, id, &error);
	else if (failed)
		client->gone = "no memory for an answer";
}

/* Appends a name, after a comma if there is one before it, as far as there is room. */
static void list_name(char list[NAMES_BYTES], const char *name)
{
	size_t length = strlen(list);

	snprintf(list + length, NAMES_BYTES - length, "%s%s", length ? ", " : "", name);
}

/* False with `error` filled: the method does not know one of the parameters. */
static bool knows_params(const char *method, const char *const *known, const json_t *params, struct ibcc_rpc_error *error)
{
	const char *name;
	const json_t *value;
	char names[NAMES_BYTES] = "";

	for (size_t i = 0; known[i]; i++)
		list_name(names, known[i]);
	json_object_foreach((json_t *)params, name, value)
	{
		size_t i = 0;
		while (known[i] && strcmp(known[i], name))
			i++;
		if (known[i])
			continue;
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0502: %s: there is no parameter '%.64s'; it takes %s", method,
			      name, names[0] ? names : "none");
		return false;
	}
	return true;
}

/* What the states in `devices` mean, so that a client needs no list of its own. NULL: no memory. */
static json_t *device_states(void)
{
	json_t *rows = json_array();
	int failed = rows ? 0 : -1;

	for (int i = 0; i < IBCC_NUM_STATES; i++) {
		const struct ibcc_device_state_row *row = &ibcc_device_states[i];
		failed |= json_array_append_new(rows,
						json_pack("{s:s, s:s, s:b, s:b, s:b, s:b}", "name", row->name, "meaning",
							  row->meaning, "apply", (int)row->apply, "campaign", (int)row->campaign,
							  "check", (int)row->check, "read", (int)row->read));
	}
	if (failed) {
		json_decref(rows);
		return NULL;
	}
	return rows;
}

static json_t *hello(struct ibcc_client *client, const struct ibcc_service *service, const json_t *params,
		     struct ibcc_rpc_error *error)
{
	static const char *const known[] = {"protocol", NULL};
	const json_t *protocol = json_object_get(params, "protocol");

	if (!knows_params("hello", known, params, error))
		return NULL;
	if (!json_is_integer(protocol)) {
		ibcc_rpc_fail(error, IBCC_RPC_PROTOCOL_UNKNOWN,
			      "IBCC0503: hello: protocol must be a number; this plugin speaks %d", IBCC_PROTOCOL);
		return NULL;
	}
	if (json_integer_value(protocol) != IBCC_PROTOCOL) {
		ibcc_rpc_fail(error, IBCC_RPC_PROTOCOL_UNKNOWN,
			      "IBCC0503: protocol %" JSON_INTEGER_FORMAT " is not supported; this plugin speaks %d",
			      json_integer_value(protocol), IBCC_PROTOCOL);
		return NULL;
	}
	json_t *methods = json_array();
	int failed = methods ? 0 : -1;
	for (const struct ibcc_rpc_method *method = ibcc_rpc_method_first(); method; method = method->next)
		failed |= json_array_append_new(methods, json_string(method->name));
	json_t *result = json_pack("{s:i, s:s, s:s?, s:s?, s:o, s:o}", "protocol", IBCC_PROTOCOL, "server", "ibcc-opensm-plugin",
				   "version", service->settings->version, "opensm", service->settings->opensm_version, "methods",
				   methods, "device_states", device_states());
	if (failed || !result) {
		json_decref(result);
		return NULL;
	}
	client->greeted = true;
	return result;
}

static json_t *call_method(struct ibcc_client *client, const struct ibcc_service *service, const char *name, const json_t *params,
			   struct ibcc_rpc_error *error)
{
	const struct ibcc_rpc_method *method = ibcc_rpc_method_find(name);

	if (!client->greeted) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_REQUEST,
			      "IBCC0504: '%.64s' comes before hello; the first message is hello {protocol: %d}", name,
			      IBCC_PROTOCOL);
		return NULL;
	}
	if (!method) {
		char names[NAMES_BYTES] = "hello";
		for (method = ibcc_rpc_method_first(); method; method = method->next)
			list_name(names, method->name);
		ibcc_rpc_fail(error, IBCC_RPC_METHOD_NOT_FOUND, "IBCC0505: there is no method '%.64s'; there are %s", name,
			      names);
		return NULL;
	}
	if (!knows_params(name, method->params, params, error))
		return NULL;
	struct ibcc_call call = {
		.manager = service->manager,
		.client = client,
		.settings = service->settings,
		.params = params,
		.now_ns = service->manager ? ibcc_manager_now_ns(service->manager) : 0,
	};
	struct ibcc_change_log *changes =
		service->manager ? ibcc_profiles_changes(ibcc_manager_profiles(service->manager)) : NULL;
	ibcc_change_log_attribute(changes, &client->peer, NULL);
	json_t *result = method->call(&call, error);
	if (!result && method->changes)
		ibcc_change_log_refuse(changes, name, error->message, call.now_ns);
	ibcc_change_log_attribute(changes, NULL, NULL);
	return result;
}

static void take_line(struct ibcc_client *client, const struct ibcc_service *service, const char *line, size_t length)
{
	struct ibcc_message message;
	struct ibcc_rpc_error error;

	error_init(&error);
	int failed = ibcc_message_read(&message, line, length, &error);
	if (failed) {
		if (message.id || !message.method) /* only a notification expects no answer */
			answer_error(client, message.id, &error);
		ibcc_message_clear(&message);
		return;
	}
	json_t *none = message.params ? NULL : json_object();
	const json_t *params = message.params ? message.params : none;
	json_t *result = NULL;
	if (params && !strcmp(message.method, "hello"))
		result = hello(client, service, params, &error);
	else if (params)
		result = call_method(client, service, message.method, params, &error);
	if (message.id && result)
		answer(client, message.id, result);
	else if (message.id || (!result && error.code == IBCC_RPC_INVALID_REQUEST))
		answer_error(client, message.id, &error);
	json_decref(result);
	json_decref(none);
	ibcc_message_clear(&message);
	check_waiting(client);
}

/* Keeps the beginning of a line. -1: out of memory. */
static int keep(struct ibcc_client *client, const char *bytes, size_t length)
{
	size_t capacity = client->capacity ? client->capacity : 1024;

	while (capacity < client->length + length)
		capacity *= 2;
	if (capacity > client->capacity) {
		char *bigger = realloc(client->line, capacity);
		if (!bigger)
			return -1;
		client->line = bigger;
		client->capacity = capacity;
	}
	if (length)
		memcpy(client->line + client->length, bytes, length);
	client->length += length;
	return 0;
}

static void forget_line(struct ibcc_client *client)
{
	client->length = 0;
	if (client->capacity <= KEPT_BYTES)
		return;
	free(client->line);
	client->line = NULL;
	client->capacity = 0;
}

void ibcc_client_receive(struct ibcc_client *client, const struct ibcc_service *service, const char *bytes, size_t length)
{
	while (length && !client->over && !client->gone) {
		const char *end = memchr(bytes, '\n', length);
		size_t part = end ? (size_t)(end - bytes) : length;

		if (client->length + part >= IBCC_MAX_LINE_BYTES) {
			struct ibcc_rpc_error error;
			error_init(&error);
			ibcc_rpc_fail(&error, IBCC_RPC_INVALID_REQUEST, "IBCC0501: a message is longer than %u bytes",
				      IBCC_MAX_LINE_BYTES);
			answer_error(client, NULL, &error);
			forget_line(client);
			client->over = true;
			return;
		}
		if ((client->length || !end) && keep(client, bytes, part)) {
			client->gone = "no memory for its message";
			return;
		}
		if (!end)
			return;
		take_line(client, service, client->length ? client->line : bytes, client->length ? client->length : part);
		forget_line(client);
		bytes += part + 1;
		length -= part + 1;
	}
}

void ibcc_client_notify(struct ibcc_client *client, const char *method, const json_t *params)
{
	if (client->gone)
		return;
	if (ibcc_write_notification(&client->output, method, params))
		client->gone = "no memory for an event";
	check_waiting(client);
}

void ibcc_client_clear(struct ibcc_client *client)
{
	free(client->line);
	ibcc_output_clear(&client->output);
	memset(client, 0, sizeof(*client));
}
