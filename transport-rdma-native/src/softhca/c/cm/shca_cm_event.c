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

/*
 * Event channels and events. An event is counted for its id when it is fetched, under the queue's lock, and when it is
 * acknowledged, under the id's mutex. An id is freed when both counts are equal and the queue has none of its events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/shca_export.h"
#include "base/shca_say.h"
#include "cm/shca_cm_kernel.h"
#include "cm/shca_cm_library.h"

SHCA_EXPORT struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct shca_cm_channel *channel = calloc(1, sizeof(*channel));
	int result;

	if (!channel)
		return NULL;
	result = shca_event_queue_open(&channel->queue);
	if (result) {
		free(channel);
		errno = -result;
		return NULL;
	}
	channel->channel.fd = channel->queue.fd;
	return &channel->channel;
}

static bool is_any(void *event, void *what)
{
	(void)event, (void)what;
	return true;
}

/* By contract all ids of the channel are gone, so the events that are left are not missed. */
SHCA_EXPORT void rdma_destroy_event_channel(struct rdma_event_channel *rdma)
{
	struct shca_cm_channel *channel = to_shca_cm_channel(rdma);

	shca_event_queue_remove(&channel->queue, is_any, NULL, free);
	shca_event_queue_close(&channel->queue);
	free(channel);
}

/* ---- putting; with shca_cm_lock ---- */

struct shca_cm_event *shca_cm_event_new(struct shca_cm_id *id, enum rdma_cm_event_type type, int status,
					const struct shca_cm_message *message, uint8_t room)
{
	static _Atomic uint64_t count;
	struct shca_cm_event *event;

	if (id->is_silent)
		return NULL;
	event = calloc(1, sizeof(*event));
	if (!event || shca_event_queue_reserve(&to_shca_cm_channel(id->id.channel)->queue)) {
		shca_say_seldom(&count, "no memory for %s: it is lost", rdma_event_str(type));
		free(event);
		return NULL;
	}
	event->id = id;
	event->event.id = &id->id;
	event->event.event = type;
	event->event.status = status;
	if (message) {
		memcpy(event->data, message->data, message->data_size < room ? message->data_size : room);
		/* At the same offset in param.ud. */
		event->event.param.conn.private_data = event->data;
		event->event.param.conn.private_data_len = room;
	}
	return event;
}

_Static_assert(offsetof(struct rdma_cm_event, param.conn.private_data_len) ==
	       offsetof(struct rdma_cm_event, param.ud.private_data_len), "private data of both kinds");

void shca_cm_event_put(struct shca_cm_event *event)
{
	shca_event_queue_put(&to_shca_cm_channel(event->id->id.channel)->queue, event);
}

void shca_cm_raise(struct shca_cm_id *id, enum rdma_cm_event_type type, int status)
{
	struct shca_cm_event *event = shca_cm_event_new(id, type, status, NULL, 0);

	if (event)
		shca_cm_event_put(event);
}

/* ---- removing and moving; with shca_cm_lock ---- */

struct removal {
	struct shca_cm_id *id;
	struct shca_cm_event *first;
	struct shca_cm_event **end;
};

/* Called under the queue's lock. The callback removed has no argument, so this one collects the events. */
static bool collect(void *match, void *what)
{
	struct removal *removal = what;
	struct shca_cm_event *event = match;

	if (event->id != removal->id)
		return false;
	event->next = NULL;
	*removal->end = event;
	removal->end = &event->next;
	return true;
}

static struct shca_cm_event *remove_events(struct shca_cm_id *id)
{
	struct removal removal = { .id = id, .end = &removal.first };

	shca_event_queue_remove(&to_shca_cm_channel(id->id.channel)->queue, collect, &removal, NULL);
	return removal.first;
}

void shca_cm_events_forget(struct shca_cm_id *id)
{
	struct shca_cm_event *event = remove_events(id);

	while (event) {
		struct shca_cm_event *next = event->next;

		if (event->event.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			shca_cm_id_discard(to_shca_cm_id(event->event.id));
		free(event);
		event = next;
	}
}

static bool reserve(struct shca_cm_channel *channel, const struct shca_cm_event *events)
{
	const struct shca_cm_event *event;

	for (event = events; event; event = event->next) {
		if (shca_event_queue_reserve(&channel->queue)) {
			for (; events != event; events = events->next)
				shca_event_queue_unreserve(&channel->queue);
			return false;
		}
	}
	return true;
}

/* The put wakes a thread that waits on the new channel. The kernel does not: its moved events wait to be asked for. */
int shca_cm_events_move(struct shca_cm_id *id, struct shca_cm_channel *to, int *fetched)
{
	struct shca_cm_event *event = remove_events(id);
	struct shca_cm_channel *from = to_shca_cm_channel(id->id.channel);
	struct shca_cm_channel *target = to;

	*fetched = atomic_load(&id->events_fetched);
	/* There was room in the channel that they came from. */
	if (!reserve(to, event))
		target = reserve(from, event) ? from : NULL;
	while (event && target) {
		struct shca_cm_event *next = event->next;

		shca_event_queue_put(&target->queue, event);
		event = next;
	}
	return target == to ? 0 : -ENOMEM;
}

void shca_cm_events_await(struct shca_cm_id *id, int fetched)
{
	pthread_mutex_lock(&id->mutex);
	while (id->events_completed < fetched)
		pthread_cond_wait(&id->cond, &id->mutex);
	pthread_mutex_unlock(&id->mutex);
}

/* ---- taking and acknowledging ---- */

static void complete_event(struct shca_cm_id *id)
{
	pthread_mutex_lock(&id->mutex);
	id->events_completed++;
	pthread_cond_signal(&id->cond);
	pthread_mutex_unlock(&id->mutex);
}

SHCA_EXPORT int rdma_ack_cm_event(struct rdma_cm_event *rdma)
{
	struct shca_cm_event *event;

	if (!rdma)
		return shca_cm_result(-EINVAL);
	event = shca_container_of(rdma, struct shca_cm_event, event);
	complete_event(event->id);
	free(event);
	return 0;
}

/* A fetched request makes room in the backlog for another. */
static void count_fetched(void *argument)
{
	struct shca_cm_event *event = argument;

	atomic_fetch_add(&event->id->events_fetched, 1);
	if (event->event.event == RDMA_CM_EVENT_CONNECT_REQUEST)
		atomic_fetch_add(&event->id->backlog, 1);
}

/*
 * Gives the child its listener's current channel and context. Returns false if that fails: the child is destroyed,
 * which refuses its peer.
 */
static bool adopt_child(struct shca_cm_event *event)
{
	struct shca_cm_id *listener = event->id;
	struct shca_cm_id *child = to_shca_cm_id(event->event.id);
	int result;

	pthread_mutex_lock(&shca_cm_lock);
	child->id.channel = listener->id.channel;
	child->id.context = listener->id.context;
	pthread_mutex_unlock(&shca_cm_lock);
	result = shca_cm_id_publish(child);
	/* The device may have been removed since the request came. */
	if (!result && !child->device)
		result = -ENODEV;
	if (!result)
		result = shca_cm_id_publish_path(child);
	if (!result && listener->sync)
		result = rdma_migrate_id(&child->id, NULL) ? -errno : 0;
	if (!result)
		return true;
	rdma_destroy_id(&child->id);
	return false;
}

/* The peer has accepted. Makes the queue pair that was created with the id ready, and notifies the peer. */
static void complete_response(struct shca_cm_event *event)
{
	struct shca_cm_id *id = event->id;
	int result = shca_cm_modify_rtr(id, RDMA_MAX_RESP_RES);
	int error;

	if (!result)
		result = shca_cm_modify_rts(id, RDMA_MAX_INIT_DEPTH);
	if (!result) {
		pthread_mutex_lock(&shca_cm_lock);
		result = shca_cm_result(shca_cm_establish(id));
		pthread_mutex_unlock(&shca_cm_lock);
	}
	event->event.status = result;
	event->event.event = result ? RDMA_CM_EVENT_CONNECT_ERROR : RDMA_CM_EVENT_ESTABLISHED;
	if (!result)
		return;
	/* The status is -1, and errno still has the reason. */
	error = errno;
	id->connect_error = 1;
	shca_cm_modify_err(id);
	errno = error;
}

static void publish_resolved(struct shca_cm_event *event, bool route)
{
	int result = route ? shca_cm_id_publish_path(event->id) : shca_cm_id_publish(event->id);

	/* The device may have been removed since. */
	if (!result && !event->id->device)
		result = -ENODEV;
	if (!result)
		return;
	/* As in librdmacm: the status is -1, and errno has the reason. */
	event->event.status = shca_cm_result(result);
	event->event.event = route ? RDMA_CM_EVENT_ROUTE_ERROR : RDMA_CM_EVENT_ADDR_ERROR;
}

/* What librdmacm does with an event before it returns it. Returns false if the application must not see the event. */
static bool prepare(struct shca_cm_event *event)
{
	switch (event->event.event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		publish_resolved(event, false);
		return true;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		publish_resolved(event, true);
		return true;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return adopt_child(event);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		if (event->event.id->qp)
			complete_response(event);
		return true;
	case RDMA_CM_EVENT_REJECTED:
		if (event->id->connect_error)
			return false;
		shca_cm_modify_err(event->id);
		return true;
	case RDMA_CM_EVENT_DISCONNECTED:
		return !event->id->connect_error;
	default:
		return true;
	}
}

SHCA_EXPORT int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **result)
{
	struct shca_cm_event *event;

	if (!result)
		return shca_cm_result(-EINVAL);
	for (;;) {
		event = shca_event_queue_get(&to_shca_cm_channel(channel)->queue, count_fetched);
		if (!event)
			return -1;
		if (prepare(event))
			break;
		rdma_ack_cm_event(&event->event);
	}
	*result = &event->event;
	return 0;
}

int shca_cm_complete(struct shca_cm_id *id)
{
	int status;

	if (!id->sync)
		return 0;
	if (id->id.event)
		rdma_ack_cm_event(id->id.event);
	id->id.event = NULL;
	if (rdma_get_cm_event(id->id.channel, &id->id.event))
		return -1;
	status = id->id.event->status;
	if (!status)
		return 0;
	if (id->id.event->event == RDMA_CM_EVENT_REJECTED)
		status = ECONNREFUSED;
	return shca_cm_result(status < 0 ? status : -status);
}

SHCA_EXPORT const char *rdma_event_str(enum rdma_cm_event_type event)
{
	static const char *const names[] = {
		[RDMA_CM_EVENT_ADDR_RESOLVED] = "RDMA_CM_EVENT_ADDR_RESOLVED",
		[RDMA_CM_EVENT_ADDR_ERROR] = "RDMA_CM_EVENT_ADDR_ERROR",
		[RDMA_CM_EVENT_ROUTE_RESOLVED] = "RDMA_CM_EVENT_ROUTE_RESOLVED",
		[RDMA_CM_EVENT_ROUTE_ERROR] = "RDMA_CM_EVENT_ROUTE_ERROR",
		[RDMA_CM_EVENT_CONNECT_REQUEST] = "RDMA_CM_EVENT_CONNECT_REQUEST",
		[RDMA_CM_EVENT_CONNECT_RESPONSE] = "RDMA_CM_EVENT_CONNECT_RESPONSE",
		[RDMA_CM_EVENT_CONNECT_ERROR] = "RDMA_CM_EVENT_CONNECT_ERROR",
		[RDMA_CM_EVENT_UNREACHABLE] = "RDMA_CM_EVENT_UNREACHABLE",
		[RDMA_CM_EVENT_REJECTED] = "RDMA_CM_EVENT_REJECTED",
		[RDMA_CM_EVENT_ESTABLISHED] = "RDMA_CM_EVENT_ESTABLISHED",
		[RDMA_CM_EVENT_DISCONNECTED] = "RDMA_CM_EVENT_DISCONNECTED",
		[RDMA_CM_EVENT_DEVICE_REMOVAL] = "RDMA_CM_EVENT_DEVICE_REMOVAL",
		[RDMA_CM_EVENT_MULTICAST_JOIN] = "RDMA_CM_EVENT_MULTICAST_JOIN",
		[RDMA_CM_EVENT_MULTICAST_ERROR] = "RDMA_CM_EVENT_MULTICAST_ERROR",
		[RDMA_CM_EVENT_ADDR_CHANGE] = "RDMA_CM_EVENT_ADDR_CHANGE",
		[RDMA_CM_EVENT_TIMEWAIT_EXIT] = "RDMA_CM_EVENT_TIMEWAIT_EXIT",
	};

	return (unsigned int)event < sizeof(names) / sizeof(names[0]) ? names[event] : "UNKNOWN EVENT";
}
