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

/* Functions that the provider had put into struct ibv_qp_ex. */
struct meter_send_calls {
	struct ibv_qp_ex was;
};

/*
 * The usual calls of programs go by functions that call none but the provider's, as their last act where possible: nothing has to be
 * saved for after a call then, which would take as much time as the counting. All else goes by a second function of each, `..._slowly`:
 * several work requests between wr_start and wr_complete, a queue pair that two threads post to, a schedule.
 */

/* Queue pair that this thread posts to: of the calls from wr_start to wr_complete only the first looks it up. */
static __thread struct {
	struct ibv_qp_ex *qp;
	struct meter_qp *meter;
} begun __attribute__((tls_model("initial-exec")));

static struct meter_qp *of(struct ibv_qp_ex *qp)
{
	return begun.qp == qp ? begun.meter : meter_find(&qp->qp_base);
}

static inline void begin(const struct ibv_qp_ex *qp, struct meter_qp *meter, unsigned int kind, uint64_t bytes)
{
	kind |= meter->signalled | (qp->wr_flags & IBV_SEND_SIGNALED ? METER_POSTED_SIGNALLED : 0);
	meter->last = meter_posted(bytes, kind);
	meter->pending++;
}

/* Puts the last work request into the ring. */
static void put_last(struct meter_qp *meter)
{
	if (!meter->pending)
		return;
	const uint64_t at = atomic_load_explicit(&meter->head, memory_order_relaxed) + meter->pending - 1;
	if (meter_qp_has_room(meter, at) || meter_qp_make_room(meter, 0)) {
		meter->ring[at & meter->ring_mask] = meter->last;
	} else {
		meter->pending--;
		meter_report_error("Memory ran out: work requests were not counted.");
	}
}

static void begin_next(const struct ibv_qp_ex *qp, struct meter_qp *meter, unsigned int kind, uint64_t bytes)
{
	put_last(meter);
	begin(qp, meter, kind, bytes);
}

static inline void add_bytes(struct meter_qp *meter, uint64_t bytes)
{
	meter->last += meter_posted(bytes, 0);
}

static inline void start(struct ibv_qp_ex *qp, struct meter_qp *meter, bool owned)
{
	begun.qp = qp;
	begun.meter = meter;
	meter->post_owned = owned;
	meter->pending = 0;
	meter->calls->was.wr_start(qp);
}

__attribute__((noinline)) static void wr_start_slowly(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = meter_find(&qp->qp_base);

	if (!meter)
		meter = meter_registry_abandoned(&qp->qp_base);
	meter_gate_before();
	start(qp, meter, meter_guard_enter(&meter->post_guard));
}

static void wr_start(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = meter_likely(&qp->qp_base);

	if (meter && !meter_gate_is_closed() && meter_guard_enter_own(&meter->post_guard))
		start(qp, meter, true);
	else
		wr_start_slowly(qp);
}

__attribute__((noinline)) static int wr_complete_slowly(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = of(qp);
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	struct meter_list list = {0};

	put_last(meter);
	while (list.count < meter->pending)
		meter_list_add(&list, meter->ring[(head + list.count) & meter->ring_mask]);
	meter_qp_post(meter, list);
	const int result = meter->calls->was.wr_complete(qp);
	if (result) { /* then none of them was posted */
		meter_qp_take_back(meter, list.count);
		list.bytes = 0;
	}
	meter_guard_leave(&meter->post_guard, meter->post_owned);
	meter_gate_after(list.bytes);
	return result;
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = begun.meter;

	if (begun.qp != qp || meter->pending != 1 || !meter->post_owned || meter_gate_is_closed())
		return wr_complete_slowly(qp);
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	if (!meter_qp_has_room(meter, head))
		return wr_complete_slowly(qp);
	const uint64_t last = meter->last;
	meter->ring[head & meter->ring_mask] = last;
	meter_qp_post(meter, (struct meter_list){1, last >> METER_POSTED_SHIFT, (last & METER_POSTED_MESSAGE) != 0});
	const int result = meter->calls->was.wr_complete(qp);
	if (__builtin_expect(result, 0))
		meter_qp_take_back(meter, 1);
	meter_qp_leave_single(meter, result);
	return result;
}

static void wr_abort(struct ibv_qp_ex *qp)
{
	struct meter_qp *meter = of(qp);

	meter->calls->was.wr_abort(qp);
	meter_guard_leave(&meter->post_guard, meter->post_owned);
}

/* clang-format off */
#define TWICE(name, parameters, arguments, ready, act, act_slowly) \
	__attribute__((noinline)) static void name##_slowly parameters \
	{ \
		struct meter_qp *meter = of(qp); \
		act_slowly; \
		meter->calls->was.name arguments; \
	} \
	static void name parameters \
	{ \
		struct meter_qp *meter = begun.meter; \
		if (__builtin_expect(begun.qp == qp && (ready), 1)) { \
			act; \
			meter->calls->was.name arguments; \
		} else { \
			name##_slowly arguments; \
		} \
	}
#define CALL(name, kind, bytes, parameters, arguments) \
	TWICE(name, parameters, arguments, meter->pending == 0, begin(qp, meter, kind, bytes), begin_next(qp, meter, kind, bytes))
#define DATA(name, bytes, parameters, arguments) \
	TWICE(name, parameters, arguments, true, add_bytes(meter, bytes), add_bytes(meter, bytes))
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

DATA(wr_set_sge, length, (struct ibv_qp_ex * qp, uint32_t lkey, uint64_t addr, uint32_t length), (qp, lkey, addr, length))
DATA(wr_set_inline_data, length, (struct ibv_qp_ex * qp, void *addr, size_t length), (qp, addr, length))

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_sge *list)
{
	struct meter_qp *meter = of(qp);

	for (size_t i = 0; i < count; i++)
		add_bytes(meter, list[i].length);
	meter->calls->was.wr_set_sge_list(qp, count, list);
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
	return meter_made_qp_ex(meter_context_find(context)->real.create_qp_ex(context, attr), attr);
}

struct ibv_qp *meter_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	/* Shared receivers of XRC: nothing is posted to them. */
	const uint8_t type = attr->comp_mask & IBV_QP_OPEN_ATTR_TYPE ? (uint8_t)attr->qp_type : IBV_QPT_XRC_RECV;
	return meter_made_qp(meter_context_find(context)->real.open_qp(context, attr), type, false, 0);
}

__attribute__((visibility("default"))) struct ibv_qp *
mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct mlx5dv_qp_init_attr *mlx5_attr)
{
	typedef struct ibv_qp *function(struct ibv_context *, struct ibv_qp_init_attr_ex *, struct mlx5dv_qp_init_attr *);
	return meter_made_qp_ex(((function *)meter_real(METER_MLX5_CREATE_QP))(context, attr, mlx5_attr), attr);
}
