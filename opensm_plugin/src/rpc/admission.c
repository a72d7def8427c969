/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/admission.h"

#include <stddef.h>

#include "base/ns.h"

const char *ibcc_admission_refusal(const uid_t *uids, unsigned count, uid_t uid)
{
	const unsigned limit = uid == 0 ? IBCC_MAX_CLIENTS : IBCC_MAX_CLIENTS - IBCC_CLIENTS_KEPT_FOR_ROOT;
	unsigned own = 0;

	for (unsigned i = 0; i < count; i++)
		own += uids[i] == uid;
	if (own >= IBCC_MAX_CLIENTS_OF_A_USER)
		return "IBCC0510: your user has 8 connections, the most that a user may have";
	if (count >= limit)
		return "IBCC0510: there are as many clients as the socket allows";
	return NULL;
}

int64_t ibcc_admission_until_ns(int64_t came_ns, int64_t heard_ns, bool greeted, bool subscribed)
{
	if (!greeted)
		return came_ns + IBCC_HELLO_S * NS_PER_S;
	return subscribed ? INT64_MAX : heard_ns + IBCC_IDLE_S * NS_PER_S;
}
