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

#include "device/shca_async_event.h"

#include <errno.h>
#include <stdlib.h>

#include "base/shca_export.h"
#include "device/shca_context.h"

struct async_event {
	struct ibv_async_event event;
	uint32_t *fetched;
};

/* The event is lost if there is no memory for it; the program can query the state that it reports. */
void shca_async_raise(struct ibv_context *context, struct ibv_async_event event, uint32_t *fetched)
{
	struct shca_event_queue *queue = &to_shca_context(context)->events;
	struct async_event *entry;

	if (shca_event_queue_reserve(queue))
		return;
	entry = malloc(sizeof(*entry));
	if (!entry) {
		shca_event_queue_unreserve(queue);
		return;
	}
	entry->event = event;
	entry->fetched = fetched;
	shca_event_queue_put(queue, entry);
}

static void count_event(void *event)
{
	struct async_event *entry = event;

	if (entry->fetched)
		++*entry->fetched;
}

SHCA_EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct async_event *next = shca_event_queue_get(&to_shca_context(context)->events, count_event);

	if (!next)
		return -1;
	*event = next->event;
	free(next);
	return 0;
}

static void acknowledge(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *completed)
{
	pthread_mutex_lock(mutex);
	++*completed;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(mutex);
}

SHCA_EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct ibv_cq *cq = event->element.cq;
	struct ibv_srq *srq = event->element.srq;
	struct ibv_qp *qp = event->element.qp;

	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		acknowledge(&cq->mutex, &cq->cond, &cq->async_events_completed);
		break;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		acknowledge(&srq->mutex, &srq->cond, &srq->events_completed);
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_COMM_EST:
		acknowledge(&qp->mutex, &qp->cond, &qp->events_completed);
		break;
	default:
		break;
	}
}

/* ---- before an object is destroyed ---- */

static bool is_about(void *event, void *fetched)
{
	return ((struct async_event *)event)->fetched == fetched;
}

void shca_async_forget(struct ibv_context *context, const uint32_t *fetched, pthread_mutex_t *mutex,
		       pthread_cond_t *cond, const uint32_t *completed)
{
	struct shca_event_queue *queue = &to_shca_context(context)->events;
	uint32_t count;

	shca_event_queue_remove(queue, is_about, (void *)fetched, free);
	pthread_mutex_lock(&queue->lock);
	count = *fetched;
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_lock(mutex);
	while (*completed != count)
		pthread_cond_wait(cond, mutex);
	pthread_mutex_unlock(mutex);
}
