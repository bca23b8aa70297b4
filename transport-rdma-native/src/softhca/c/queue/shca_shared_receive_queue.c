/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */

#include "queue/shca_shared_receive_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_handle.h"
#include "device/shca_async_event.h"
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "memory/shca_protection_domain.h"
#include "memory/shca_scribble.h"
#include "personality/shca_personality.h"

SHCA_EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
	const struct shca_personality *personality = shca_personality();
	struct shca_srq *srq;

	if (!shca_handle_is_valid(pd))
		return shca_null(EINVAL);
	if (atomic_load(&to_shca_context(pd->context)->removed))
		return shca_null(EIO);
	if (!personality->shared_receive_queue)
		return shca_null(EOPNOTSUPP);
	if (!init->attr.max_wr || init->attr.max_wr > personality->max_srq_wr ||
	    init->attr.max_sge > personality->max_srq_sge)
		return shca_null(EINVAL);
	if (!shca_limit_acquire(SHCA_LIMITED_SRQ))
		return shca_null(ENOMEM);
	srq = calloc(1, sizeof(*srq));
	if (!srq || shca_receive_queue_init(&srq->receives, init->attr.max_wr, init->attr.max_sge)) {
		free(srq);
		shca_limit_release(SHCA_LIMITED_SRQ);
		return shca_null(ENOMEM);
	}
	srq->ibv.context = pd->context;
	srq->ibv.srq_context = init->srq_context;
	srq->ibv.pd = pd;
	shca_handle_set(&srq->ibv);
	srq->pd = to_shca_pd(pd)->number;
	pthread_mutex_init(&srq->ibv.mutex, NULL);
	pthread_cond_init(&srq->ibv.cond, NULL);
	pthread_mutex_init(&srq->lock, NULL);
	atomic_fetch_add(&to_shca_pd(pd)->users, 1);
	return &srq->ibv;
}

/* Changes only the limit: the queue cannot be resized. */
SHCA_EXPORT int ibv_modify_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr, int mask)
{
	struct shca_srq *srq = to_shca_srq(ibv);

	if (!shca_handle_is_valid(ibv) || mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
		return shca_error(EINVAL);
	if (mask & IBV_SRQ_MAX_WR)
		return shca_error(EOPNOTSUPP);
	if (mask & IBV_SRQ_LIMIT) {
		if (attr->srq_limit > srq->receives.depth)
			return shca_error(EINVAL);
		pthread_mutex_lock(&srq->lock);
		srq->limit = attr->srq_limit;
		pthread_mutex_unlock(&srq->lock);
	}
	return 0;
}

SHCA_EXPORT int ibv_query_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr)
{
	struct shca_srq *srq = to_shca_srq(ibv);

	if (!shca_handle_is_valid(ibv))
		return shca_error(EINVAL);
	pthread_mutex_lock(&srq->lock);
	attr->max_wr = srq->receives.depth;
	attr->max_sge = srq->receives.max_sge;
	attr->srq_limit = srq->limit;
	pthread_mutex_unlock(&srq->lock);
	return 0;
}

SHCA_EXPORT int ibv_destroy_srq(struct ibv_srq *ibv)
{
	struct shca_srq *srq = to_shca_srq(ibv);

	if (!shca_handle_is_valid(ibv))
		return shca_error(ENOENT);
	if (atomic_load(&srq->users))
		return shca_error(EBUSY);
	shca_async_forget(ibv->context, &srq->async_events, &ibv->mutex, &ibv->cond, &ibv->events_completed);
	atomic_fetch_sub(&to_shca_pd(ibv->pd)->users, 1);
	shca_receive_queue_destroy(&srq->receives);
	pthread_mutex_destroy(&srq->lock);
	pthread_cond_destroy(&ibv->cond);
	pthread_mutex_destroy(&ibv->mutex);
	free(srq);
	shca_limit_release(SHCA_LIMITED_SRQ);
	return 0;
}

int shca_post_srq_recv(struct ibv_srq *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct shca_srq *srq = to_shca_srq(ibv);
	int ret = 0;

	if (atomic_load_explicit(&to_shca_context(ibv->context)->removed, memory_order_relaxed)) {
		*bad_wr = wr;
		return shca_post_error(EIO);
	}
	pthread_mutex_lock(&srq->lock);
	for (; wr && !ret; wr = wr->next) {
		ret = shca_receive_queue_post(&srq->receives, wr);
		if (ret)
			*bad_wr = wr;
		else
			shca_maybe_scribble(srq->pd, wr->sg_list, (uint32_t)wr->num_sge);
	}
	pthread_mutex_unlock(&srq->lock);
	return shca_post_error(ret);
}

static void raise_limit(struct shca_srq *srq)
{
	struct ibv_async_event event = { .element.srq = &srq->ibv, .event_type = IBV_EVENT_SRQ_LIMIT_REACHED };

	shca_async_raise(srq->ibv.context, event, &srq->async_events);
}

bool shca_srq_take(struct shca_srq *srq, uint32_t least, struct shca_receive *into)
{
	bool is_taken;
	bool is_low = false;

	pthread_mutex_lock(&srq->lock);
	is_taken = shca_receive_queue_take_into(&srq->receives, least, into);
	/* The event is raised once; the program arms it again by ibv_modify_srq. */
	if (srq->limit && srq->receives.posted - srq->receives.taken < srq->limit) {
		srq->limit = 0;
		is_low = true;
	}
	pthread_mutex_unlock(&srq->lock);
	if (is_low)
		raise_limit(srq);
	return is_taken;
}
