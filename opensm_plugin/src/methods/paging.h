/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* paging.h: returns devices a page at a time; a page begins at the same device when others come and go. */
#ifndef IBCC_METHODS_PAGING_H
#define IBCC_METHODS_PAGING_H

#include <stdint.h>

#include "rpc/method.h"

/* Adds one device to the page; 0: it is not wanted, 1: it was added, -1: out of memory. `asked`: for the method. */
typedef int ibcc_add_device(const struct ibcc_device *device, const void *asked, json_t *list);

/*
 * {devices: [...], next: "0x…/1" | null}. Parameters: `limit` (1..100000; all without it) and `after`, a former page's `next`.
 */
json_t *ibcc_page(const struct ibcc_call *call, ibcc_add_device *add, const void *asked, struct ibcc_rpc_error *error);

#endif
