/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* libibverbs's functions of the same names, and the operations that its inline functions call through the context. */
#include <errno.h>

#include "contexts.h"
#include "exports.h"
#include "gate.h"
#include "port_counters.h"
#include "real.h"
#include "registry.h"
#include "report.h"
#include "wrap.h"

#define EXPORT __attribute__((visibility("default")))

static struct ibv_context *opened(struct ibv_context *context)
{
	if (context && !meter_context_add(context))
		meter_report_error("More devices are open than the meter has places for.");
	return context;
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	return opened(((struct ibv_context * (*)(struct ibv_device *)) meter_real(METER_OPEN_DEVICE))(device));
}

EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	return opened(((struct ibv_context * (*)(int)) meter_real(METER_IMPORT_DEVICE))(cmd_fd));
}

EXPORT struct ibv_context *mlx5dv_open_device(struct ibv_device *device, struct mlx5dv_context_attr *attr)
{
	meter_function *real = meter_real(METER_MLX5_OPEN_DEVICE);
	return opened(((struct ibv_context * (*)(struct ibv_device *, struct mlx5dv_context_attr *)) real)(device, attr));
}

EXPORT int ibv_close_device(struct ibv_context *context)
{
	/* First: the provider frees it, and the next one may lie where it was. */
	meter_context_remove(context);
	return ((int (*)(struct ibv_context *))meter_real(METER_CLOSE_DEVICE))(context);
}

struct ibv_qp *meter_made_qp(struct ibv_qp *qp, uint8_t type, bool all_signalled, uint32_t depth)
{
	const struct meter_context *context = qp ? meter_context_find(qp->context) : NULL;

	if (!context)
		return qp;
	meter_report_begin(qp->context->device->name);
	/* Nothing is posted to a receiver of XRC, so programs may leave anything in its depth. */
	if (type == IBV_QPT_XRC_RECV)
		depth = 0;
	struct meter_qp *meter = meter_registry_add(qp->context, qp, type, all_signalled, depth);
	if (meter)
		meter->post_send = context->post_send;
	else
		meter_report_error("Memory ran out: a queue pair was not counted.");
	return qp;
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *qp =
		((struct ibv_qp * (*)(struct ibv_pd *, struct ibv_qp_init_attr *)) meter_real(METER_CREATE_QP))(pd, attr);
	return meter_made_qp(qp, (uint8_t)attr->qp_type, attr->sq_sig_all, attr->cap.max_send_wr);
}

EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const int result = ((int (*)(struct ibv_qp *, struct ibv_qp_attr *, int))meter_real(METER_MODIFY_QP))(qp, attr, mask);
	struct meter_qp *meter = result ? NULL : meter_find(qp);

	if (!meter)
		return result;
	/* After an error, the send queue of an unreliable transport goes on from SQE without what was flushed. */
	if (mask & IBV_QP_STATE && (attr->qp_state == IBV_QPS_RESET || (attr->qp_state == IBV_QPS_RTS && meter->failed)))
		meter_qp_forget_posted(meter);
	if (mask & IBV_QP_PORT)
		meter_port_counters_add(qp->context->device->name, attr->port_num);
	return result;
}

EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct meter_qp *meter = meter_find(qp);

	/* First: once it is destroyed, another thread's new one may have its memory and its number. */
	if (meter)
		meter_registry_hide(meter);
	const int result = ((int (*)(struct ibv_qp *))meter_real(METER_DESTROY_QP))(qp);
	if (meter && result) {
		meter_registry_show(meter);
	} else if (meter) {
		meter_forget_send_calls(meter);
		meter_registry_destroyed(meter);
	}
	return result;
}

EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
	const int result = ((int (*)(struct ibv_cq *))meter_real(METER_DESTROY_CQ))(cq);
	if (!result)
		meter_forget_cq(cq);
	return result;
}

#define BIT(opcode) (UINT64_C(1) << (opcode))
#define MOVES_ITS_PIECES                                                                                                         \
	(BIT(IBV_WR_RDMA_WRITE) | BIT(IBV_WR_RDMA_WRITE_WITH_IMM) | BIT(IBV_WR_SEND) | BIT(IBV_WR_SEND_WITH_IMM) |               \
	 BIT(IBV_WR_SEND_WITH_INV) | BIT(IBV_WR_TSO) | BIT(IBV_WR_RDMA_READ))

/* All others: binds, invalidations and flushes move nothing. */
static uint64_t posted_rarely(const struct ibv_send_wr *wr, unsigned int signalled)
{
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
#ifdef IBCC_HAVE_ATOMIC_WRITE
	case IBV_WR_ATOMIC_WRITE:
#endif
		return meter_posted(METER_ATOMIC_BYTES, METER_POSTED_MESSAGE | signalled);
	default:
		return meter_posted(0, signalled);
	}
}

/* A work request as it waits in the ring. */
static inline uint64_t posted(const struct meter_qp *meter, const struct ibv_send_wr *wr)
{
	const unsigned int signalled = meter->all_signalled || wr->send_flags & IBV_SEND_SIGNALED ? METER_POSTED_SIGNALLED : 0;
	const unsigned int read = wr->opcode == IBV_WR_RDMA_READ ? METER_POSTED_READ : 0;
	uint64_t bytes = 0;

	if (__builtin_expect(wr->opcode > IBV_WR_TSO || !(BIT(wr->opcode) & MOVES_ITS_PIECES), 0))
		return posted_rarely(wr, signalled);
	for (int i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return meter_posted(bytes, METER_POSTED_MESSAGE | read | signalled);
}

struct list {
	uint64_t count, bytes, messages;
};

static void account(struct meter_qp *meter, struct list list, bool back)
{
	const uint64_t sign = back ? UINT64_MAX : 1; /* -1, as unsigned numbers wrap */

	meter_count_add(&meter->posted_bytes, sign * list.bytes);
	meter_count_add(&meter->posted_messages, sign * list.messages);
	atomic_store_explicit(&meter->head, atomic_load_explicit(&meter->head, memory_order_relaxed) + sign * list.count,
			      memory_order_release);
}

int meter_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct meter_qp *meter = meter_find(qp);
	struct list list = {0};

	if (__builtin_expect(!meter, 0)) {
		const struct meter_context *context = meter_context_find(qp->context);
		return context ? context->post_send(qp, wr, bad_wr) : EINVAL;
	}
	meter_gate_before();
	const bool owned = meter_guard_enter(&meter->post_guard);
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	for (const struct ibv_send_wr *each = wr; each; each = each->next) {
		const uint64_t entry = posted(meter, each);
		if (__builtin_expect(!meter_qp_has_room(meter, (uint32_t)list.count + 1), 0)) {
			meter->pending = (uint32_t)list.count; /* those come along into the larger ring */
			const bool room = meter_qp_make_room(meter, 1);
			meter->pending = 0;
			if (!room) {
				meter_report_error("Memory ran out: work requests were not counted.");
				break;
			}
		}
		meter->ring[(head + list.count) & meter->ring_mask] = entry;
		list.count++;
		list.bytes += entry >> METER_POSTED_SHIFT;
		list.messages += (entry & METER_POSTED_MESSAGE) != 0;
	}
	/* Before it is posted: another thread may poll its completion before we are back. */
	account(meter, list, false);
	const int result = meter->post_send(qp, wr, bad_wr);
	if (__builtin_expect(result, 0)) {
		struct list refused = list;
		for (const struct ibv_send_wr *each = wr; each && each != *bad_wr && refused.count; each = each->next) {
			const uint64_t entry = meter->ring[(head + list.count - refused.count) & meter->ring_mask];
			refused.count--;
			refused.bytes -= entry >> METER_POSTED_SHIFT;
			refused.messages -= (entry & METER_POSTED_MESSAGE) != 0;
		}
		account(meter, refused, true);
		list.bytes -= refused.bytes;
	}
	meter_guard_leave(&meter->post_guard, owned);
	meter_gate_after(list.bytes);
	return result;
}

int meter_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	const struct meter_context *context = meter_context_find(cq->context);
	if (!context)
		return -1; /* cannot be: this function stands in its operations */
	const int count = context->poll_cq(cq, num_entries, wc);
	struct meter_qp *meter = NULL;
	struct meter_done done = {0};
	bool owned = false;

	for (int i = 0; i < count; i++) {
		if (!meter || meter->number != wc[i].qp_num) {
			if (meter) {
				meter_qp_count(meter, &done);
				meter_guard_leave(&meter->poll_guard, owned);
			}
			meter = meter_completion_of(cq->context, wc[i].qp_num, &owned);
		}
		if (meter)
			meter_qp_complete(meter, &done, wc[i].status, wc[i].opcode, wc[i].byte_len);
		else
			meter_registry_orphan(wc[i].status, wc[i].opcode, wc[i].byte_len);
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS && wc[i].status != IBV_WC_WR_FLUSH_ERR, 0))
			meter_completion_failed(wc[i].status, wc[i].qp_num);
	}
	if (meter) {
		meter_qp_count(meter, &done);
		meter_guard_leave(&meter->poll_guard, owned);
	}
	return count;
}

void meter_completion_failed(enum ibv_wc_status status, uint32_t number)
{
	meter_report_failed(((const char *(*)(enum ibv_wc_status))meter_real(METER_WC_STATUS_STR))(status), number);
}
