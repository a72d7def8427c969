/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* one_device.h: the device that a call means. */
#ifndef IBCC_METHODS_ONE_DEVICE_H
#define IBCC_METHODS_ONE_DEVICE_H

#include "rpc/method.h"

/* By `guid`, of the node, and `port`, which may be left out of a node that is one device. NULL with `error` filled. */
struct ibcc_device *ibcc_param_device(const struct ibcc_call *call, struct ibcc_rpc_error *error);

#endif
