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
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#define FIRST_CAPACITY	16u

int shca_event_queue_open(struct shca_event_queue *queue)
{
	queue->fd = eventfd(0, EFD_CLOEXEC);
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
	queue->reserved = 0;
	queue->holders = 0;
	queue->signalled = false;
	queue->signals = 0;
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

int shca_event_queue_reserve(struct shca_event_queue *queue)
{
	int ret = 0;

	pthread_mutex_lock(&queue->lock);
	if (queue->tail - queue->head + queue->reserved == queue->capacity)
		ret = grow(queue);
	if (!ret)
		queue->reserved++;
	pthread_mutex_unlock(&queue->lock);
	return ret;
}

bool shca_event_queue_is_reserved(struct shca_event_queue *queue)
{
	bool reserved;

	pthread_mutex_lock(&queue->lock);
	reserved = queue->reserved > 0;
	pthread_mutex_unlock(&queue->lock);
	return reserved;
}

void shca_event_queue_unreserve(struct shca_event_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->reserved--;
	pthread_mutex_unlock(&queue->lock);
}

static bool is_empty(const struct shca_event_queue *queue)
{
	return queue->head == queue->tail;
}

static void signal_events(struct shca_event_queue *queue)
{
	if (queue->signalled || queue->holders || is_empty(queue))
		return;
	queue->signalled = true;
	queue->signals++;
	/* Can only fail if another process has filled the counter; the descriptor is readable then. */
	eventfd_write(queue->fd, 1);
}

static bool is_readable(const struct shca_event_queue *queue, int timeout_ms)
{
	struct pollfd set = { .fd = queue->fd, .events = POLLIN };

	return poll(&set, 1, timeout_ms) > 0;
}

/* Reads without blocking, whatever the descriptor's mode. Returns 0, EAGAIN, or EOPNOTSUPP from Linux before 5.8. */
static int read_now(const struct shca_event_queue *queue)
{
	eventfd_t count;
	struct iovec into = { .iov_base = &count, .iov_len = sizeof(count) };

	return preadv2(queue->fd, &into, 1, -1, RWF_NOWAIT) < 0 ? errno : 0;
}

/*
 * For Linux before 5.8. All reads are under the lock there. Without it:
 *
 *	reader			remove, with the lock
 *	blocks in a read
 *				poll: readable
 *	reads the signal
 *	waits for the lock	blocks in a read, with the lock
 *
 * A program that reads the descriptor itself can still do this.
 */
static bool read_if_readable(const struct shca_event_queue *queue)
{
	eventfd_t count;

	return is_readable(queue, 0) && !eventfd_read(queue->fd, &count);
}

/* A reader that was faster looks at the queue soon. */
static void clear_signal(struct shca_event_queue *queue)
{
	int error = read_now(queue);

	queue->signalled = false;
	if (error && error != EAGAIN)
		read_if_readable(queue);
}

void shca_event_queue_put(struct shca_event_queue *queue, void *event)
{
	pthread_mutex_lock(&queue->lock);
	queue->reserved--;
	*event_at(queue, queue->tail++) = event;
	signal_events(queue);
	pthread_mutex_unlock(&queue->lock);
}

void *shca_event_queue_try(struct shca_event_queue *queue, void (*taken)(void *event))
{
	void *event = NULL;

	pthread_mutex_lock(&queue->lock);
	if (!is_empty(queue)) {
		event = *event_at(queue, queue->head++);
		if (taken)
			taken(event);
		if (is_empty(queue) && queue->signalled)
			clear_signal(queue);
	}
	pthread_mutex_unlock(&queue->lock);
	return event;
}

/* In place of a blocking read, for Linux before 5.8. A signal ends it with EINTR, even with SA_RESTART. */
static bool await_readable(struct shca_event_queue *queue)
{
	bool blocks = !(fcntl(queue->fd, F_GETFL) & O_NONBLOCK);
	bool got = false;

	while (!got) {
		errno = EAGAIN;
		if (!is_readable(queue, blocks ? -1 : 0))
			return false;
		pthread_mutex_lock(&queue->lock);
		got = read_if_readable(queue);
		pthread_mutex_unlock(&queue->lock);
	}
	return true;
}

/* Blocks if the descriptor does. */
static bool take_signal(struct shca_event_queue *queue)
{
	eventfd_t count;
	int error = read_now(queue);

	if (error == EAGAIN)
		return !eventfd_read(queue->fd, &count);
	return !error || await_readable(queue);
}

/*
 * The read takes the signal for all events, so the remaining ones are signalled again: other readers may be blocked.
 *
 *	reader 1		reader 2		put
 *	blocks			blocks			1 event, signals
 *	reads the signal				2 events: already signalled
 *	signals again
 *	takes an event		reads, takes an event
 *
 * If there were several signals meanwhile, the last one may still be unread.
 */
bool shca_event_queue_wait(struct shca_event_queue *queue)
{
	uint32_t before;

	pthread_mutex_lock(&queue->lock);
	before = queue->signals - queue->signalled;
	pthread_mutex_unlock(&queue->lock);
	if (!take_signal(queue))
		return false;
	pthread_mutex_lock(&queue->lock);
	if (queue->signals - before > 1)
		clear_signal(queue);
	queue->signalled = false;
	if (queue->tail - queue->head > 1)
		signal_events(queue);
	pthread_mutex_unlock(&queue->lock);
	return true;
}

void *shca_event_queue_get(struct shca_event_queue *queue, void (*taken)(void *event))
{
	for (;;) {
		void *event = shca_event_queue_try(queue, taken);

		if (event || !shca_event_queue_wait(queue))
			return event;
	}
}

void shca_event_queue_hold_signal(struct shca_event_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->holders++;
	pthread_mutex_unlock(&queue->lock);
}

void shca_event_queue_release_signal(struct shca_event_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->holders--;
	signal_events(queue);
	pthread_mutex_unlock(&queue->lock);
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
		if (removed)
			removed(event);
		count++;
	}
	queue->tail = kept;
	if (is_empty(queue) && queue->signalled)
		clear_signal(queue);
	pthread_mutex_unlock(&queue->lock);
	return count;
}
