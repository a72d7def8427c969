/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Queue pairs of the extended send interface: ibv_wr_start, ibv_wr_send and so on call through pointers in the queue pair itself,
 * and ibv_create_qp_ex through one in the context.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "contexts.h"
#include "exports.h"
#include "gate.h"
#include "real.h"
#include "registry.h"
#include "report.h"
#include "wrap.h"

/* What the provider had put into struct ibv_qp_ex. */
struct meter_send_calls {
	struct ibv_qp_ex was;
};

static void push(struct ibv_qp_ex *qp, struct meter_qp *meter, unsigned int kind, uint64_t bytes)
{
	if (__builtin_expect(!meter_qp_has_room(meter, 1), 0) && !meter_qp_make_room(meter, 1)) {
		meter_report_error("Memory ran out: work requests were not counted.");
		return;
	}
	if (meter->all_signalled || qp->wr_flags & IBV_SEND_SIGNALED)
		kind |= METER_POSTED_SIGNALLED;
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	meter->ring[(head + meter->pending++) & meter->ring_mask] = meter_posted(bytes, kind);
	meter->pending_messages += (kind & METER_POSTED_MESSAGE) != 0;
	meter->pending_bytes += bytes;
}

static void add_bytes(struct meter_qp *meter, uint64_t bytes)
{
	if (!meter->pending)
		return;
	const uint64_t last = atomic_load_explicit(&meter->head, memory_order_relaxed) + meter->pending - 1;
	meter->ring[last & meter->ring_mask] += meter_posted(bytes, 0);
	meter->pending_bytes += bytes;
}

/* What this thread has begun: of the calls from wr_start to wr_complete only the first looks the queue pair up. */
static __thread struct {
	struct ibv_qp_ex *qp;
	struct meter_qp *meter;
} begun __attribute__((tls_model("initial-exec")));

static inline struct meter_qp *of(struct ibv_qp_ex *qp)
{
	return __builtin_expect(begun.qp == qp, 1) ? begun.meter : meter_find(&qp->qp_base);
}

static void wr_start(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = meter_find(&qp->qp_base);

	begun.qp = qp;
	begun.meter = meter;
	meter_gate_before();
	meter->post_owned = meter_guard_enter(&meter->post_guard);
	meter->pending = 0;
	meter->pending_bytes = meter->pending_messages = 0;
	meter->calls->was.wr_start(qp);
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = of(qp);
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	const uint64_t bytes = meter->pending_bytes;
	const uint64_t messages = meter->pending_messages;

	meter_count_add(&meter->posted_bytes, bytes);
	meter_count_add(&meter->posted_messages, messages);
	atomic_store_explicit(&meter->head, head + meter->pending, memory_order_release);
	meter->pending = 0;
	const int result = meter->calls->was.wr_complete(qp);
	if (__builtin_expect(result, 0)) { /* then none of them was posted */
		meter_count_add(&meter->posted_bytes, -bytes);
		meter_count_add(&meter->posted_messages, -messages);
		atomic_store_explicit(&meter->head, head, memory_order_release);
	}
	meter_guard_leave(&meter->post_guard, meter->post_owned);
	if (!result)
		meter_gate_after(bytes);
	return result;
}

static void wr_abort(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = of(qp);

	meter->calls->was.wr_abort(qp);
	meter->pending = 0;
	meter_guard_leave(&meter->post_guard, meter->post_owned);
}

/* clang-format off */
#define CALL(name, kind, bytes, parameters, arguments) \
	static void name parameters \
	{ \
		struct meter_qp *meter = of(qp); \
		push(qp, meter, kind, bytes); \
		meter->calls->was.name arguments; \
	}
/* clang-format on */

CALL(wr_send, METER_POSTED_MESSAGE, 0, (struct ibv_qp_ex * qp), (qp))
CALL(wr_send_imm, METER_POSTED_MESSAGE, 0, (struct ibv_qp_ex * qp, __be32 imm), (qp, imm))
CALL(wr_send_inv, METER_POSTED_MESSAGE, 0, (struct ibv_qp_ex * qp, uint32_t rkey), (qp, rkey))
CALL(wr_send_tso, METER_POSTED_MESSAGE, 0, (struct ibv_qp_ex * qp, void *header, uint16_t size, uint16_t mss),
     (qp, header, size, mss))
CALL(wr_rdma_write, METER_POSTED_MESSAGE, 0, (struct ibv_qp_ex * qp, uint32_t rkey, uint64_t addr), (qp, rkey, addr))
CALL(wr_rdma_write_imm, METER_POSTED_MESSAGE, 0, (struct ibv_qp_ex * qp, uint32_t rkey, uint64_t addr, __be32 imm),
     (qp, rkey, addr, imm))
CALL(wr_rdma_read, METER_POSTED_MESSAGE | METER_POSTED_READ, 0, (struct ibv_qp_ex * qp, uint32_t rkey, uint64_t addr),
     (qp, rkey, addr))
/* The 8 bytes come with wr_set_sge. */
CALL(wr_atomic_cmp_swp, METER_POSTED_MESSAGE, 0,
     (struct ibv_qp_ex * qp, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap), (qp, rkey, addr, compare, swap))
CALL(wr_atomic_fetch_add, METER_POSTED_MESSAGE, 0, (struct ibv_qp_ex * qp, uint32_t rkey, uint64_t addr, uint64_t add),
     (qp, rkey, addr, add))
CALL(wr_bind_mw, 0, 0, (struct ibv_qp_ex * qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info),
     (qp, mw, rkey, info))
CALL(wr_local_inv, 0, 0, (struct ibv_qp_ex * qp, uint32_t rkey), (qp, rkey))
#ifdef IBCC_HAVE_ATOMIC_WRITE
CALL(wr_atomic_write, METER_POSTED_MESSAGE, METER_ATOMIC_BYTES,
     (struct ibv_qp_ex * qp, uint32_t rkey, uint64_t addr, const void *value), (qp, rkey, addr, value))
#endif

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct meter_qp *meter = of(qp);

	add_bytes(meter, length);
	meter->calls->was.wr_set_sge(qp, lkey, addr, length);
}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_sge *list)
{
	struct meter_qp *meter = of(qp);

	for (size_t i = 0; i < count; i++)
		add_bytes(meter, list[i].length);
	meter->calls->was.wr_set_sge_list(qp, count, list);
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	struct meter_qp *meter = of(qp);

	add_bytes(meter, length);
	meter->calls->was.wr_set_inline_data(qp, addr, length);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_data_buf *list)
{
	struct meter_qp *meter = of(qp);

	for (size_t i = 0; i < count; i++)
		add_bytes(meter, list[i].length);
	meter->calls->was.wr_set_inline_data_list(qp, count, list);
}

#define REPLACE(call)                                                                                                            \
	if (qp->call)                                                                                                            \
		qp->call = call;

void meter_wrap_send_calls(struct meter_qp *meter, struct ibv_qp_ex *qp, uint64_t asked_for)
{
	meter->calls = calloc(1, sizeof *meter->calls);
	if (!meter->calls) {
		meter_report_error("Memory ran out: a queue pair was not counted.");
		return;
	}
	/* A library older than our header has a shorter structure: only up to what is in every version. */
	memcpy(&meter->calls->was, qp, offsetof(struct ibv_qp_ex, wr_abort) + sizeof qp->wr_abort);
	REPLACE(wr_start)
	REPLACE(wr_complete)
	REPLACE(wr_abort)
	REPLACE(wr_send)
	REPLACE(wr_send_imm)
	REPLACE(wr_send_inv)
	REPLACE(wr_send_tso)
	REPLACE(wr_rdma_write)
	REPLACE(wr_rdma_write_imm)
	REPLACE(wr_rdma_read)
	REPLACE(wr_atomic_cmp_swp)
	REPLACE(wr_atomic_fetch_add)
	REPLACE(wr_bind_mw)
	REPLACE(wr_local_inv)
	REPLACE(wr_set_sge)
	REPLACE(wr_set_sge_list)
	REPLACE(wr_set_inline_data)
	REPLACE(wr_set_inline_data_list)
#ifdef IBCC_HAVE_ATOMIC_WRITE
	/* Granted, so the structure has it. */
	if (asked_for & IBV_QP_EX_WITH_ATOMIC_WRITE) {
		meter->calls->was.wr_atomic_write = qp->wr_atomic_write;
		REPLACE(wr_atomic_write)
	}
#else
	(void)asked_for;
#endif
}

void meter_forget_send_calls(struct meter_qp *meter)
{
	free(meter->calls);
	meter->calls = NULL;
}

struct ibv_qp *meter_made_qp_ex(struct ibv_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	struct meter_qp *meter = NULL;

	if (meter_made_qp(qp, (uint8_t)attr->qp_type, attr->sq_sig_all, attr->cap.max_send_wr))
		meter = meter_find(qp);
	if (meter && attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		struct ibv_qp_ex *extended = ((struct ibv_qp_ex * (*)(struct ibv_qp *)) meter_real(METER_QP_TO_QP_EX))(qp);
		if (extended)
			meter_wrap_send_calls(meter, extended, attr->send_ops_flags);
	}
	return qp;
}

struct ibv_qp *meter_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	return meter_made_qp_ex(meter_context_find(context)->create_qp_ex(context, attr), attr);
}

struct ibv_qp *meter_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	/* Shared receivers of XRC: nothing is posted to them. */
	const uint8_t type = attr->comp_mask & IBV_QP_OPEN_ATTR_TYPE ? (uint8_t)attr->qp_type : IBV_QPT_XRC_RECV;
	return meter_made_qp(meter_context_find(context)->open_qp(context, attr), type, false, 0);
}

__attribute__((visibility("default"))) struct ibv_qp *
mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct mlx5dv_qp_init_attr *mlx5_attr)
{
	typedef struct ibv_qp *function(struct ibv_context *, struct ibv_qp_init_attr_ex *, struct mlx5dv_qp_init_attr *);
	return meter_made_qp_ex(((function *)meter_real(METER_MLX5_CREATE_QP))(context, attr, mlx5_attr), attr);
}
