/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* one_device.h: finds the device of a call. */
#ifndef IBCC_METHODS_ONE_DEVICE_H
#define IBCC_METHODS_ONE_DEVICE_H

#include "rpc/method.h"

/* Finds it by `guid` of the node, and `port`, which a node with one device does not need. NULL with `error` filled. */
struct ibcc_device *ibcc_param_device(const struct ibcc_call *call, struct ibcc_rpc_error *error);

#endif
