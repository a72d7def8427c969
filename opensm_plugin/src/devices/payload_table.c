/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/payload_table.h"

#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"

#define FIRST_ROOM 64u

static const char digits[] = "0123456789abcdef";

int ibcc_payload_table_add(struct ibcc_payload_table *table, const struct ibcc_payload *payload)
{
	const uint32_t room = table->room ? 2 * table->room : FIRST_ROOM;

	if (payload && table->count == table->room) {
		const struct ibcc_payload **list = realloc(table->list, room * sizeof(struct ibcc_payload *));

		if (!list)
			return -1;
		table->list = list;
		table->room = room;
	}
	if (payload)
		table->list[table->count++] = payload;
	return 0;
}

static int compare_addresses(const void *left, const void *right)
{
	const struct ibcc_payload *const *a = left, *const *b = right;

	return (*a > *b) - (*a < *b);
}

void ibcc_payload_table_sort(struct ibcc_payload_table *table)
{
	uint32_t kept = 0;

	if (table->count)
		qsort(table->list, table->count, sizeof(struct ibcc_payload *), compare_addresses);
	for (uint32_t i = 0; i < table->count; i++) {
		if (!kept || table->list[kept - 1] != table->list[i])
			table->list[kept++] = table->list[i];
	}
	table->count = kept;
}

uint32_t ibcc_payload_table_number(const struct ibcc_payload_table *table, const struct ibcc_payload *payload)
{
	const struct ibcc_payload **found =
		bsearch(&payload, table->list, table->count, sizeof(struct ibcc_payload *), compare_addresses);

	return (uint32_t)(found - table->list);
}

json_t *ibcc_payload_table_to_json(const struct ibcc_payload_table *table)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < table->count && !failed; i++) {
		const uint8_t *bytes = table->list[i]->bytes;
		char text[2 * CCP_ATTRIBUTE_BYTES + 1] = "";
		size_t length = CCP_ATTRIBUTE_BYTES;

		while (length && !bytes[length - 1])
			length--;
		for (size_t k = 0; k < length; k++) {
			text[2 * k] = digits[bytes[k] >> 4];
			text[2 * k + 1] = digits[bytes[k] & 15u];
		}
		failed = json_array_append_new(list, json_string(text));
	}
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static int digit_of(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static const struct ibcc_payload *read_payload(struct ibcc_payload_pool *pool, const char *text, struct ccp_error *error)
{
	uint8_t bytes[CCP_ATTRIBUTE_BYTES] = {0};
	const struct ibcc_payload *payload;
	const size_t length = text ? strlen(text) : 1;

	for (size_t i = 0; i < length; i++) {
		const int digit = text && length % 2 == 0 && length <= 2 * sizeof(bytes) ? digit_of(text[i]) : -1;

		if (digit < 0) {
			(void)ccp_fail(error, "a payload is '%.40s', and must be at most %zu bytes as hexadecimal numbers",
				       text ? text : "none", sizeof(bytes));
			return NULL;
		}
		bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
	}
	payload = ibcc_payload_intern(pool, bytes);
	if (!payload)
		(void)ccp_fail_no_memory(error);
	return payload;
}

int ibcc_payload_table_from_json(struct ibcc_payload_table *table, json_t *json, struct ibcc_payload_pool *pool,
				 struct ccp_error *error)
{
	for (size_t i = 0; i < json_array_size(json); i++) {
		const struct ibcc_payload *payload = read_payload(pool, json_string_value(json_array_get(json, i)), error);

		if (!payload)
			return -1;
		if (ibcc_payload_table_add(table, payload)) {
			ibcc_payload_release(pool, payload);
			return ccp_fail_no_memory(error);
		}
	}
	return 0;
}

void ibcc_payload_table_free(struct ibcc_payload_table *table, struct ibcc_payload_pool *pool)
{
	for (uint32_t i = 0; pool && i < table->count; i++)
		ibcc_payload_release(pool, table->list[i]);
	free(table->list);
	memset(table, 0, sizeof(*table));
}
