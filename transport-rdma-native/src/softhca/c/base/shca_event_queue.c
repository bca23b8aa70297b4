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

#include "base/shca_event_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#define FIRST_CAPACITY	16u

int shca_event_queue_open(struct shca_event_queue *queue)
{
	queue->fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (queue->fd < 0)
		return -errno;
	queue->events = malloc(FIRST_CAPACITY * sizeof(*queue->events));
	if (!queue->events) {
		close(queue->fd);
		return -ENOMEM;
	}
	queue->capacity = FIRST_CAPACITY;
	queue->head = 0;
	queue->tail = 0;
	queue->promised = 0;
	queue->strays = 0;
	pthread_mutex_init(&queue->lock, NULL);
	return 0;
}

void shca_event_queue_close(struct shca_event_queue *queue)
{
	close(queue->fd);
	free(queue->events);
	pthread_mutex_destroy(&queue->lock);
}

static void **event_at(const struct shca_event_queue *queue, uint32_t position)
{
	return &queue->events[position & (queue->capacity - 1)];
}

static int grow(struct shca_event_queue *queue)
{
	void **events = malloc(2 * (size_t)queue->capacity * sizeof(*events));
	uint32_t i, count = queue->tail - queue->head;

	if (!events)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		events[i] = *event_at(queue, queue->head + i);
	free(queue->events);
	queue->events = events;
	queue->capacity *= 2;
	queue->head = 0;
	queue->tail = count;
	return 0;
}

int shca_event_queue_promise(struct shca_event_queue *queue)
{
	int ret = 0;

	pthread_mutex_lock(&queue->lock);
	if (queue->tail - queue->head + queue->promised == queue->capacity)
		ret = grow(queue);
	if (!ret)
		queue->promised++;
	pthread_mutex_unlock(&queue->lock);
	return ret;
}

void shca_event_queue_unpromise(struct shca_event_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->promised--;
	pthread_mutex_unlock(&queue->lock);
}

void shca_event_queue_put(struct shca_event_queue *queue, void *event)
{
	pthread_mutex_lock(&queue->lock);
	queue->promised--;
	*event_at(queue, queue->tail++) = event;
	if (queue->strays)
		queue->strays--;
	else
		/* Cannot fail: a semaphore's count never gets near its limit. */
		eventfd_write(queue->fd, 1);
	pthread_mutex_unlock(&queue->lock);
}

void *shca_event_queue_get(struct shca_event_queue *queue, void (*taken)(void *event))
{
	for (;;) {
		void *event = NULL;
		eventfd_t one;

		/* A count entitles its reader to one event, but another thread may have removed that event since. */
		if (eventfd_read(queue->fd, &one))
			return NULL;
		pthread_mutex_lock(&queue->lock);
		if (queue->head != queue->tail)
			event = *event_at(queue, queue->head++);
		else
			queue->strays--;
		if (event && taken)
			taken(event);
		pthread_mutex_unlock(&queue->lock);
		if (event)
			return event;
	}
}

/*
 * Takes one count without blocking, whatever the descriptor's mode. If there is none, a faster reader has it and is
 * about to find no event for it. That reader gets the next event, which must then be put without a count. Otherwise the
 * count would stay, and the descriptor would be readable without an event:
 *
 *	reader			remove			put
 *	takes the count
 *				removes the event,
 *				finds no count
 *							puts an event, a count
 *	gets that event							the count is left
 */
static void take_count(struct shca_event_queue *queue)
{
	eventfd_t one;
	struct iovec into = { .iov_base = &one, .iov_len = sizeof(one) };

	if (preadv2(queue->fd, &into, 1, -1, RWF_NOWAIT) != (ssize_t)sizeof(one))
		queue->strays++;
}

uint32_t shca_event_queue_remove(struct shca_event_queue *queue, bool (*matches)(void *event, void *what), void *what,
				 void (*removed)(void *event))
{
	uint32_t i, kept, count = 0;

	pthread_mutex_lock(&queue->lock);
	kept = queue->head;
	for (i = queue->head; i != queue->tail; i++) {
		void *event = *event_at(queue, i);

		if (!matches(event, what)) {
			*event_at(queue, kept++) = event;
			continue;
		}
		take_count(queue);
		if (removed)
			removed(event);
		count++;
	}
	queue->tail = kept;
	pthread_mutex_unlock(&queue->lock);
	return count;
}
