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
	static const struct meter_operations counted = {
		.post_send = meter_post_send,
		.poll_cq = meter_poll_cq,
		.create_cq_ex = meter_create_cq_ex,
		.create_qp_ex = meter_create_qp_ex,
		.open_qp = meter_open_qp,
	};

	if (context && !meter_context_add(context, &counted))
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
	if (!meter_registry_add(context, qp, type, all_signalled, depth))
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
	const int result = ((int (*)(struct ibv_qp *))meter_real(METER_DESTROY_QP))(qp);

	/* Until now another thread may have polled its completions. A new one that has its memory or its number already is found first. */
	if (meter && !result) {
		meter_forget_send_calls(meter);
		meter_registry_destroyed(meter);
	}
	return result;
}

EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
	/* The record is found first: once the queue is destroyed, another thread's new one may have its memory. */
	struct meter_cq *record = meter_cq_of(cq);
	const int result = ((int (*)(struct ibv_cq *))meter_real(METER_DESTROY_CQ))(cq);

	if (record && !result)
		meter_cq_forget(record);
	return result;
}

/* Kinds of posted work requests, by opcode. */
#define OTHER UINT8_MAX
static const uint8_t kinds[] = {
	[IBV_WR_RDMA_WRITE] = METER_POSTED_MESSAGE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = METER_POSTED_MESSAGE,
	[IBV_WR_SEND] = METER_POSTED_MESSAGE,
	[IBV_WR_SEND_WITH_IMM] = METER_POSTED_MESSAGE,
	[IBV_WR_RDMA_READ] = METER_POSTED_MESSAGE | METER_POSTED_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = OTHER,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = OTHER,
	[IBV_WR_LOCAL_INV] = OTHER,
	[IBV_WR_BIND_MW] = OTHER,
	[IBV_WR_SEND_WITH_INV] = METER_POSTED_MESSAGE,
	[IBV_WR_TSO] = METER_POSTED_MESSAGE,
};

static inline unsigned int kind_of(const struct ibv_send_wr *wr)
{
	return __builtin_expect(wr->opcode < sizeof kinds, 1) ? kinds[wr->opcode] : OTHER;
}

static inline unsigned int signalled(const struct meter_qp *meter, const struct ibv_send_wr *wr)
{
	return meter->signalled | (wr->send_flags & IBV_SEND_SIGNALED ? METER_POSTED_SIGNALLED : 0);
}

/* Binds, invalidations and flushes move nothing. */
static uint64_t posted_other(const struct meter_qp *meter, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
#ifdef IBCC_HAVE_ATOMIC_WRITE
	case IBV_WR_ATOMIC_WRITE:
#endif
		return meter_posted(METER_ATOMIC_BYTES, METER_POSTED_MESSAGE | signalled(meter, wr));
	default:
		return meter_posted(0, signalled(meter, wr));
	}
}

static uint64_t bytes_of(const struct ibv_sge *list, int count)
{
	uint64_t bytes = 0;

	for (int i = 0; i < count; i++)
		bytes += list[i].length;
	return bytes;
}

/* A work request as it waits in the ring. */
static inline uint64_t posted(const struct meter_qp *meter, const struct ibv_send_wr *wr)
{
	const unsigned int kind = kind_of(wr);

	if (__builtin_expect(kind == OTHER, 0))
		return posted_other(meter, wr);
	return meter_posted(bytes_of(wr->sg_list, wr->num_sge), kind | signalled(meter, wr));
}

static bool make_room(struct meter_qp *meter, uint64_t count)
{
	meter->pending = (uint32_t)count; /* those come along into the larger ring */
	const bool room = meter_qp_make_room(meter, 1);
	meter->pending = 0;
	if (!room)
		meter_report_error("Memory ran out: work requests were not counted.");
	return room;
}

__attribute__((noinline)) static int post_list(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct meter_qp *meter = meter_find(qp);
	struct meter_list list = {0};

	if (__builtin_expect(!meter, 0)) {
		const struct meter_context *context = meter_context_find(qp->context);
		return context ? context->real.post_send(qp, wr, bad_wr) : EINVAL;
	}
	meter_gate_before();
	const bool owned = meter_guard_enter(&meter->post_guard);
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	for (const struct ibv_send_wr *each = wr; each; each = each->next) {
		const uint64_t entry = posted(meter, each);
		if (!meter_qp_has_room(meter, head + list.count) && !make_room(meter, list.count))
			break;
		meter->ring[(head + list.count) & meter->ring_mask] = entry;
		meter_list_add(&list, entry);
	}
	/* Before it is posted: another thread may poll its completion before we are back. */
	meter_qp_post(meter, list);
	const int result = meter->post_send(qp, wr, bad_wr);
	if (__builtin_expect(result, 0)) {
		uint64_t refused = list.count;
		for (const struct ibv_send_wr *each = wr; each && bad_wr && each != *bad_wr && refused; each = each->next)
			refused--;
		list.bytes -= meter_qp_last_posted(meter, refused).bytes;
		meter_qp_take_back(meter, refused);
	}
	meter_guard_leave(&meter->post_guard, owned);
	meter_gate_after(list.bytes);
	return result;
}

/*
 * A single work request of one piece, which nothing holds back. It goes here, and all others by post_list, so that there is little
 * to be saved for after the call of the provider: that would take as much time as the counting.
 */
int meter_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct meter_qp *meter = meter_likely(qp);

	if (!meter || !wr || wr->next || wr->num_sge != 1)
		return post_list(qp, wr, bad_wr);
	const unsigned int kind = kind_of(wr);
	if (kind == OTHER || meter_gate_is_closed())
		return post_list(qp, wr, bad_wr);
	const uint64_t bytes = wr->sg_list->length;
	const uint64_t entry = meter_posted(bytes, kind | signalled(meter, wr));
	if (!meter_guard_enter_own(&meter->post_guard))
		return post_list(qp, wr, bad_wr);
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	if (!meter_qp_has_room(meter, head)) {
		meter_guard_leave_own(&meter->post_guard);
		return post_list(qp, wr, bad_wr);
	}
	meter->ring[head & meter->ring_mask] = entry;
	meter_qp_post(meter, (struct meter_list){1, bytes, 1});
	const int result = meter->post_send(qp, wr, bad_wr);
	/* Some providers have posted all of a list when they fail: then none is bad. */
	if (__builtin_expect(result && (!bad_wr || *bad_wr == wr), 0))
		meter_qp_take_back(meter, 1);
	meter_qp_leave_single(meter, result);
	return result;
}

/* Counts the first of `count` completions and those behind it of the same queue pair. Returns how many. */
static inline int complete(const struct meter_context *context, const struct ibv_wc *wc, int count)
{
	const uint32_t number = wc->qp_num;
	struct meter_done done = {0};
	bool owned;
	struct meter_qp *meter = meter_completion_of(meter_key(context, number), &owned);
	int i = 0;

	do {
		if (__builtin_expect(meter != NULL, 1))
			meter_qp_complete(meter, &done, wc[i].status, wc[i].opcode, wc[i].byte_len);
		else
			meter_registry_orphan(wc[i].status, wc[i].opcode, wc[i].byte_len);
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS && wc[i].status != IBV_WC_WR_FLUSH_ERR, 0))
			meter_completion_failed(wc[i].status, number);
		i++;
	} while (i < count && wc[i].qp_num == number);
	if (__builtin_expect(meter != NULL, 1)) {
		meter_qp_count(meter, &done);
		meter_guard_leave(&meter->poll_guard, owned);
	}
	return i;
}

__attribute__((noinline)) static int complete_all(const struct meter_context *context, const struct ibv_wc *wc, int count)
{
	for (int i = 0; i < count;)
		i += complete(context, wc + i, count - i);
	return count;
}

int meter_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	const struct meter_context *context = meter_context_find(cq->context);
	if (__builtin_expect(!context, 0))
		return -1; /* cannot be: this function stands in its operations */

	const int count = context->real.poll_cq(cq, num_entries, wc);
	if (count == 0)
		return 0;
	if (count == 1 && wc->status == IBV_WC_SUCCESS && meter_complete_single(meter_key(context, wc->qp_num), wc->opcode))
		return 1;
	return complete_all(context, wc, count);
}

void meter_completion_failed(enum ibv_wc_status status, uint32_t number)
{
	meter_report_failed(((const char *(*)(enum ibv_wc_status))meter_real(METER_WC_STATUS_STR))(status), number);
}
