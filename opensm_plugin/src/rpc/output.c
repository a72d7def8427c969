/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/output.h"

#include <stdlib.h>
#include <string.h>

int ibcc_output_add(struct ibcc_output *output, const char *bytes, size_t length)
{
	size_t waiting = ibcc_output_waiting(output);

	if (!length)
		return 0;
	if (output->end + length > output->capacity) {
		size_t capacity = output->capacity ? output->capacity : 4096;
		while (capacity < waiting + length)
			capacity *= 2;
		if (capacity > output->capacity) {
			char *bigger = realloc(output->bytes, capacity);
			if (!bigger)
				return -1;
			output->bytes = bigger;
			output->capacity = capacity;
		}
		memmove(output->bytes, output->bytes + output->begin, waiting);
		output->begin = 0;
		output->end = waiting;
	}
	memcpy(output->bytes + output->end, bytes, length);
	output->end += length;
	return 0;
}

size_t ibcc_output_waiting(const struct ibcc_output *output)
{
	return output->end - output->begin;
}

void ibcc_output_sent(struct ibcc_output *output, size_t length)
{
	output->begin += length;
	if (output->begin == output->end)
		ibcc_output_clear(output);
}

void ibcc_output_clear(struct ibcc_output *output)
{
	free(output->bytes);
	memset(output, 0, sizeof(*output));
}
