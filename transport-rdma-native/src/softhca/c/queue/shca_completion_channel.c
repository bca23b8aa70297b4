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

#include <errno.h>
#include <stdlib.h>

#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_upcalls.h"
#include "device/shca_context.h"
#include "queue/shca_completion_queue.h"
#include "wire/shca_waker.h"

SHCA_EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct shca_channel *channel;
	int ret;

	if (atomic_load(&to_shca_context(context)->removed))
		return shca_null(EIO);
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return NULL;
	ret = shca_event_queue_open(&channel->queue);
	if (ret) {
		free(channel);
		errno = -ret;
		return NULL;
	}
	channel->ibv.context = context;
	channel->ibv.fd = channel->queue.fd;
	atomic_fetch_add(&to_shca_context(context)->objects, 1);
	return &channel->ibv;
}

static struct shca_link_set *links_of(const struct shca_channel *channel)
{
	return to_shca_context(channel->ibv.context)->links;
}

SHCA_EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *ibv)
{
	struct shca_channel *channel = to_shca_channel(ibv);

	if (atomic_load(&channel->users))
		return shca_error(EBUSY);
	atomic_fetch_sub(&to_shca_context(ibv->context)->objects, 1);
	if (atomic_load(&channel->waker))
		shca_waker_remove(links_of(channel), atomic_load(&channel->waker));
	shca_event_queue_close(&channel->queue);
	free(channel);
	return 0;
}

static void count_event(void *cq)
{
	((struct shca_cq *)cq)->channel_events++;
}

/* Handles what was sent, for a thread that a sender may have woken, and takes an event if that makes one. */
static struct shca_cq *drain_and_take(struct shca_channel *channel, uint32_t waker)
{
	struct shca_event_queue *queue = &channel->queue;
	struct shca_cq *announced;

	shca_event_queue_hold_signal(queue);
	shca_engine_progress(links_of(channel));
	announced = shca_event_queue_try(queue, count_event);
	if (!announced && shca_event_queue_is_reserved(queue)) {
		shca_engine_arm(links_of(channel), waker);
		announced = shca_event_queue_try(queue, count_event);
	}
	shca_event_queue_release_signal(queue);
	return announced;
}

/* The program has got EAGAIN once, so it does not block here: from now on senders may wake it without an event. */
static void add_waker(struct shca_channel *channel)
{
	pthread_mutex_lock(&channel->queue.lock);
	if (!channel->waker)
		channel->waker = shca_waker_add(links_of(channel), channel->queue.fd);
	pthread_mutex_unlock(&channel->queue.lock);
}

static struct shca_cq *next_event(struct shca_channel *channel)
{
	for (;;) {
		struct shca_cq *announced = shca_event_queue_try(&channel->queue, count_event);
		uint32_t waker = atomic_load_explicit(&channel->waker, memory_order_relaxed);

		if (!announced && waker)
			announced = drain_and_take(channel, waker);
		if (announced) {
			/* Another queue of the channel is armed, and the sender has cleared the waker's bit. */
			if (waker && shca_event_queue_is_reserved(&channel->queue))
				shca_engine_arm(links_of(channel), waker);
			return announced;
		}
		if (!shca_event_queue_wait(&channel->queue)) {
			if (errno == EAGAIN && !waker)
				add_waker(channel);
			return NULL;
		}
	}
}

SHCA_EXPORT int ibv_get_cq_event(struct ibv_comp_channel *ibv, struct ibv_cq **cq, void **cq_context)
{
	struct shca_cq *announced = next_event(to_shca_channel(ibv));

	if (!announced)
		return -1;
	*cq = &announced->ibv;
	*cq_context = announced->ibv.cq_context;
	return 0;
}

SHCA_EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int events)
{
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += events;
	pthread_cond_signal(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}
