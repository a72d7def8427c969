/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MAX_FIELD_BYTES CCP_ATTRIBUTE_BYTES

/* Making JSON takes longer than this: reading bits one by one is fast enough. */
static uint64_t bits(const uint8_t *data, unsigned offset, unsigned width)
{
	uint64_t value = 0;

	for (unsigned bit = offset; bit < offset + width; bit++)
		value = value << 1 | (data[bit / 8] >> (7 - bit % 8) & 1u);
	return value;
}

static json_t *element_json(const struct ccp_wire_field *field, unsigned index, const uint8_t *data)
{
	const unsigned offset = field->offset + index * field->stride;
	char text[2 * MAX_FIELD_BYTES + 3] = "0x";

	if (field->width <= 32)
		return json_integer((json_int_t)bits(data, offset, field->width));
	for (unsigned i = 0; i < field->width / 8u && i < MAX_FIELD_BYTES; i++)
		snprintf(text + 2 + 2 * (size_t)i, 3, "%02x", data[offset / 8 + i]);
	return json_string(text);
}

static const struct ccp_wire_attribute *find(uint16_t attribute)
{
	return attribute == CCP_CONGESTION_KEY_INFO ? NULL : ccp_find_attribute(attribute);
}

const char *ibcc_attribute_name(uint16_t attribute)
{
	const struct ccp_wire_attribute *found = ccp_find_attribute(attribute);

	return found ? found->name : "unknown";
}

json_t *ibcc_fields_json(uint16_t attribute, const uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	const struct ccp_wire_attribute *found = find(attribute);
	json_t *fields = json_object();
	int failed = fields ? 0 : -1;

	for (unsigned i = 0; found && i < found->num_fields && !failed; i++) {
		const struct ccp_wire_field *field = &found->fields[i];
		json_t *value = field->count > 1 ? json_array() : element_json(field, 0, data);

		for (unsigned k = 0; field->count > 1 && k < field->count && !failed; k++)
			failed |= json_array_append_new(value, element_json(field, k, data));
		failed |= json_object_set_new(fields, field->name, value);
	}
	if (!failed)
		return fields;
	json_decref(fields);
	return NULL;
}

int ibcc_fields_differences(json_t *list, size_t most, uint16_t attribute, uint32_t block, uint16_t scope,
			    const uint8_t wanted[CCP_ATTRIBUTE_BYTES], const uint8_t held[CCP_ATTRIBUTE_BYTES])
{
	const struct ccp_wire_attribute *found = find(attribute);

	for (unsigned i = 0; found && i < found->num_fields; i++) {
		const struct ccp_wire_field *field = &found->fields[i];

		for (unsigned k = 0; k < field->count && json_array_size(list) < most; k++) {
			json_t *one = element_json(field, k, wanted), *other = element_json(field, k, held);
			const bool same = one && other && json_equal(one, other);

			if (same) {
				json_decref(one);
				json_decref(other);
				continue;
			}
			if (json_array_append_new(list, json_pack("{s:s, s:i, s:o, s:s, s:o, s:o, s:o}", "attribute", found->name,
								  "block", (int)block, "scope",
								  scope ? json_integer(scope) : json_null(), "field", field->name,
								  "index", field->count > 1 ? json_integer(k) : json_null(),
								  "wanted", one, "held", other)))
				return -1;
		}
	}
	return 0;
}
