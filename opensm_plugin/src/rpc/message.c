/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/message.h"

#include <stdbool.h>
#include <string.h>

#include "rpc/text.h"

#define PART_BYTES 120000u /* at most: a byte of JSON text takes up to two as a text in JSON, and 6 is what anything may take */

static int no_memory(struct ibcc_rpc_error *error)
{
	ibcc_rpc_fail(error, IBCC_RPC_INTERNAL_ERROR, "IBCC0506: out of memory");
	return -1;
}

static bool may_be_id(const json_t *id)
{
	return json_is_null(id) || json_is_number(id) || (json_is_string(id) && json_string_length(id) <= IBCC_MAX_ID_BYTES);
}

int ibcc_message_read(struct ibcc_message *message, const char *line, size_t length, struct ibcc_rpc_error *error)
{
	json_error_t fault;

	memset(message, 0, sizeof(*message));
	message->json = json_loadb(line, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &fault);
	if (!message->json && json_error_code(&fault) == json_error_out_of_memory)
		return no_memory(error);
	if (!message->json) {
		ibcc_rpc_fail(error, IBCC_RPC_PARSE_ERROR, "IBCC0501: not JSON: %s, at byte %d", fault.text, fault.position);
		return -1;
	}
	const json_t *id = json_object_get(message->json, "id");
	if (may_be_id(id))
		message->id = id;
	if (json_is_array(message->json)) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_REQUEST, "IBCC0501: batches are not supported; send one message a line");
		return -1;
	}
	const char *version = json_string_value(json_object_get(message->json, "jsonrpc"));
	const char *method = json_string_value(json_object_get(message->json, "method"));
	if (!version || strcmp(version, "2.0") || !method) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_REQUEST,
			      "IBCC0501: not a request of JSON-RPC 2.0, such as {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": "
			      "\"status\"}");
		return -1;
	}
	if (id && !message->id) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_REQUEST,
			      "IBCC0501: the id of a message must be a number or a text of at most %u bytes", IBCC_MAX_ID_BYTES);
		return -1;
	}
	message->method = method;
	message->params = json_object_get(message->json, "params");
	if (message->params && !json_is_object(message->params)) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0501: params must be an object: parameters are given by name");
		return -1;
	}
	return 0;
}

void ibcc_message_clear(struct ibcc_message *message)
{
	json_decref(message->json);
	memset(message, 0, sizeof(*message));
}

struct sink {
	struct ibcc_output *output;
	bool failed;
};

static int add_to_sink(const char *bytes, size_t length, void *data)
{
	struct sink *sink = data;

	if (sink->failed || ibcc_output_add(sink->output, bytes, length))
		sink->failed = true;
	return sink->failed ? -1 : 0;
}

/* -1: out of memory. jansson 2.14 overlooks a failure in the middle of a key and goes on, so one failure here is for good. */
static int dump(struct ibcc_output *output, const json_t *json)
{
	struct sink sink = {.output = output};

	return json_dump_callback(json, add_to_sink, &sink, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) ||
			       sink.failed
		       ? -1
		       : 0;
}

static void take_back(struct ibcc_output *output, size_t waiting)
{
	output->end = output->begin + waiting;
}

/* Adds a whole message as a line; steals it. NULL is memory refused before. */
static int write_line(struct ibcc_output *output, json_t *message)
{
	size_t before = ibcc_output_waiting(output);
	int failed = !message || dump(output, message) || ibcc_output_add(output, "\n", 1) ? -1 : 0;

	if (failed)
		take_back(output, before);
	json_decref(message);
	return failed;
}

static json_t *id_or_null(const json_t *id)
{
	return id ? json_deep_copy(id) : json_null();
}

/* "o?" would turn memory refused into null: what may be NULL for that reason goes in as "o". */
int ibcc_write_error(struct ibcc_output *output, const json_t *id, const struct ibcc_rpc_error *error)
{
	json_t *data = json_pack("{s:o, s:o, s:s?, s:o}", "guid", error->guid ? ibcc_json_guid(error->guid) : json_null(), "port",
				 error->port >= 0 ? json_integer(error->port) : json_null(), "attribute", error->attribute,
				 "status", error->status >= 0 ? json_integer(error->status) : json_null());

	return write_line(output, json_pack("{s:s, s:o, s:{s:i, s:o, s:o}}", "jsonrpc", "2.0", "id", id_or_null(id), "error",
					    "code", error->code, "message",
					    ibcc_json_text(error->message, strlen(error->message)), "data", data));
}

int ibcc_write_notification(struct ibcc_output *output, const char *method, const json_t *params)
{
	return write_line(output, json_pack("{s:s, s:s, s:O}", "jsonrpc", "2.0", "method", method, "params", params));
}

static int write_parts(struct ibcc_output *output, const json_t *id, const char *text, size_t length)
{
	json_int_t parts = 0;

	for (size_t at = 0; at < length; parts++) {
		size_t size = length - at < PART_BYTES ? length - at : PART_BYTES;
		while (at + size < length && ((unsigned char)text[at + size] & 0xC0) == 0x80)
			size--; /* not within a character */
		if (write_line(output, json_pack("{s:s, s:s, s:{s:o, s:o}}", "jsonrpc", "2.0", "method", "part", "params", "id",
						 id_or_null(id), "text", json_stringn(text + at, size))))
			return -1;
		at += size;
	}
	return write_line(output,
			  json_pack("{s:s, s:o, s:{s:I}}", "jsonrpc", "2.0", "id", id_or_null(id), "result", "$parts", parts));
}

static int write_whole(struct ibcc_output *output, const json_t *id, const struct ibcc_output *text)
{
	static const char before[] = "{\"jsonrpc\":\"2.0\",\"id\":", between[] = ",\"result\":";

	return ibcc_output_add(output, before, strlen(before)) || dump(output, id ? id : json_null()) ||
			       ibcc_output_add(output, between, strlen(between)) ||
			       ibcc_output_add(output, text->bytes, text->end) || ibcc_output_add(output, "}\n", 2)
		       ? -1
		       : 0;
}

int ibcc_write_result(struct ibcc_output *output, const json_t *id, const json_t *result, struct ibcc_rpc_error *error)
{
	size_t before = ibcc_output_waiting(output);
	struct ibcc_output text = {0};
	int failed = dump(&text, result);

	if (failed)
		goto done;
	if (text.end > IBCC_MAX_RESULT_BYTES) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS,
			      "IBCC0507: the result would be %zu bytes long, more than %u; ask for less at once", text.end,
			      IBCC_MAX_RESULT_BYTES);
		failed = 1;
		goto done;
	}
	failed = write_whole(output, id, &text);
	if (!failed && ibcc_output_waiting(output) - before > IBCC_MAX_LINE_BYTES) {
		take_back(output, before);
		failed = write_parts(output, id, text.bytes, text.end);
	}
	if (failed)
		take_back(output, before);
done:
	ibcc_output_clear(&text);
	return failed;
}
