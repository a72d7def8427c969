/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "contexts.h"

#include <pthread.h>
#include <stdbool.h>

struct meter_context meter_contexts[METER_CONTEXTS_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct meter_context *meter_context_search(const struct ibv_context *context)
{
	for (unsigned int i = 0; i < METER_CONTEXTS_MAX; i++)
		if (atomic_load_explicit(&meter_contexts[i].context, memory_order_acquire) == context)
			return &meter_contexts[i];
	return NULL;
}

struct meter_context *meter_context_add(struct ibv_context *context, const struct meter_operations *counted)
{
	pthread_mutex_lock(&mutex);
	struct meter_context *ours = meter_context_find(context);
	const bool known = ours != NULL;
	if (!known)
		ours = meter_context_find(NULL);
	if (!known && ours) {
		struct verbs_context *extended = verbs_get_ctx(context);
		ours->key = (uint64_t)(ours - meter_contexts) << 32;
		ours->real.post_send = context->ops.post_send;
		ours->real.poll_cq = context->ops.poll_cq;
		context->ops.post_send = counted->post_send;
		context->ops.poll_cq = counted->poll_cq;
		if (verbs_get_ctx_op(context, create_cq_ex)) {
			ours->real.create_cq_ex = extended->create_cq_ex;
			extended->create_cq_ex = counted->create_cq_ex;
		}
		if (verbs_get_ctx_op(context, create_qp_ex)) {
			ours->real.create_qp_ex = extended->create_qp_ex;
			extended->create_qp_ex = counted->create_qp_ex;
		}
		if (verbs_get_ctx_op(context, open_qp)) {
			ours->real.open_qp = extended->open_qp;
			extended->open_qp = counted->open_qp;
		}
		atomic_store_explicit(&ours->context, context, memory_order_release);
	}
	pthread_mutex_unlock(&mutex);
	return ours;
}

void meter_context_remove(struct ibv_context *context)
{
	pthread_mutex_lock(&mutex);
	struct meter_context *ours = meter_context_find(context);
	if (ours)
		atomic_store_explicit(&ours->context, NULL, memory_order_release);
	pthread_mutex_unlock(&mutex);
}

void meter_contexts_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void meter_contexts_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}
