/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/object.h"

json_t *ibcc_json_object(const struct ibcc_json_member *members, size_t count)
{
	json_t *object = json_object();
	int failed = 0;

	/* Not only up to the first failure: the values behind it are to go too. */
	for (size_t i = 0; i < count; i++)
		failed |= json_object_set_new(object, members[i].key, members[i].value);
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}
