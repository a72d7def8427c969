/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* admission.h: limits the number of clients, and the time that one may be idle. */
#ifndef IBCC_RPC_ADMISSION_H
#define IBCC_RPC_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_CLIENTS 32u
#define IBCC_MAX_CLIENTS_OF_A_USER 8u
#define IBCC_CLIENTS_KEPT_FOR_ROOT 4u /* the last places are root's */
#define IBCC_HELLO_S 5
#define IBCC_IDLE_S 600

/*
 * Returns why a client of user `uid` is turned away, if there are `count` clients of the users `uids`; NULL: it is admitted.
 */
const char *ibcc_admission_refusal(const uid_t *uids, unsigned count, uid_t uid);

/*
 * Returns until when a client may stay that came at `came_ns` and last sent something at `heard_ns`; INT64_MAX: for ever, as it
 * is subscribed to events. What it sends before hello does not count.
 */
int64_t ibcc_admission_until_ns(int64_t came_ns, int64_t heard_ns, bool greeted, bool subscribed);

#ifdef __cplusplus
}
#endif
#endif
