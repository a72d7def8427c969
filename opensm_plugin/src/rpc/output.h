/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* output.h: bytes that wait to be sent; all zeros is empty. */
#ifndef IBCC_RPC_OUTPUT_H
#define IBCC_RPC_OUTPUT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_output {
	char *bytes;
	size_t begin, end, capacity; /* what waits: bytes[begin] to bytes[end - 1] */
};

int ibcc_output_add(struct ibcc_output *output, const char *bytes, size_t length); /* -1: out of memory, nothing was added */
size_t ibcc_output_waiting(const struct ibcc_output *output);
void ibcc_output_sent(struct ibcc_output *output, size_t length); /* gives memory back with the last byte */
void ibcc_output_clear(struct ibcc_output *output);

#ifdef __cplusplus
}
#endif
#endif
