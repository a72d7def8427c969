/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* object.h: JSON objects made of a table of members. */
#ifndef IBCC_RPC_OBJECT_H
#define IBCC_RPC_OBJECT_H

#include <jansson.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_json_member {
	const char *key;
	json_t *value; /* NULL: its maker was refused memory */
};

/* An object of all these, whose values it takes in any case. NULL: out of memory, or a value is NULL. */
json_t *ibcc_json_object(const struct ibcc_json_member *members, size_t count);

#ifdef __cplusplus
}
#endif
#endif
