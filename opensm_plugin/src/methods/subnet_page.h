/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* subnet_page.h: returns nodes of OpenSM's subnet database a page at a time. */
#ifndef IBCC_METHODS_SUBNET_PAGE_H
#define IBCC_METHODS_SUBNET_PAGE_H

#include <stddef.h>

#include "devices/subnet.h"
#include "rpc/method.h"

/* Adds a node's rows to the page. The bytes of text that they take, about; -1: out of memory. */
typedef ptrdiff_t ibcc_add_node(const struct ibcc_subnet_node *node, json_t *list);

/*
 * {KEY: [...], next, sweep, sweep_ok, engine, sl_by_path}. Parameters: `guid` (of the one node that is asked for), `limit` (nodes of the page) and
 * `after` (a former page's `next`). A page ends behind the node with which it has 900,000 bytes.
 *
 * It is refused while OpenSM sweeps, as its database is incomplete then; a sweep that begins meanwhile makes it an error too. Between
 * pages a sweep shows in `sweep`.
 */
json_t *ibcc_subnet_page(const struct ibcc_call *call, enum ibcc_subnet_part part, const char *key, ibcc_add_node *add,
			 struct ibcc_rpc_error *error);

#endif
