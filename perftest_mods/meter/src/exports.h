/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Functions that take the places of those of libmlx5, whose headers need not be there. Those of libibverbs are in its own. */
#ifndef IBCC_METER_EXPORTS_H
#define IBCC_METER_EXPORTS_H

#include <infiniband/verbs.h>

struct mlx5dv_context_attr;
struct mlx5dv_qp_init_attr;

struct ibv_context *mlx5dv_open_device(struct ibv_device *device, struct mlx5dv_context_attr *attr);
struct ibv_qp *mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				struct mlx5dv_qp_init_attr *mlx5_attr);

#endif
