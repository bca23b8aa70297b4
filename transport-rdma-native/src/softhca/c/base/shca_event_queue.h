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
 * A queue of events with a file descriptor that signals them: async events, completion events, CM events.
 *
 * While there are events the descriptor is readable, or a reader has just read it and is about to look at the queue.
 * Others may write to the descriptor as well (see wire/shca_waker.h): it may be readable without an event.
 */
#ifndef SHCA_EVENT_QUEUE_H
#define SHCA_EVENT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct shca_event_queue {
	pthread_mutex_t lock;
	int fd;			/* eventfd */
	void **events;
	uint32_t capacity;	/* a power of two */
	uint32_t head;
	uint32_t tail;
	uint32_t reserved;	/* events that may still be put, with room reserved for them */
	uint32_t holders;	/* readers that look at the queue soon: a put need not signal */
	bool signalled;		/* we have written to the descriptor, and it was not read since */
	uint32_t signals;	/* how often we have written to it */
};

int shca_event_queue_open(struct shca_event_queue *queue);	/* 0 or -errno */
void shca_event_queue_close(struct shca_event_queue *queue);
/* Reserves room for one more event, so that a later put cannot fail. Returns 0 or -ENOMEM. */
int shca_event_queue_reserve(struct shca_event_queue *queue);
/* Whether there is room that was reserved and not used. */
bool shca_event_queue_is_reserved(struct shca_event_queue *queue);
void shca_event_queue_unreserve(struct shca_event_queue *queue);
/* Puts an event for which room was reserved. */
void shca_event_queue_put(struct shca_event_queue *queue, void *event);
/*
 * Takes the oldest event; NULL if there is none. Calls taken, if not NULL, with the event under the queue's lock: a
 * thread that destroys the event's object finds the event either in the queue or counted.
 */
void *shca_event_queue_try(struct shca_event_queue *queue, void (*taken)(void *event));
/*
 * Waits until the descriptor has been written to: blocks if the descriptor does. Returns false with errno EAGAIN or
 * EINTR.
 */
bool shca_event_queue_wait(struct shca_event_queue *queue);
/* The same in one: waits until there is an event. NULL with errno EAGAIN or EINTR. */
void *shca_event_queue_get(struct shca_event_queue *queue, void (*taken)(void *event));
/*
 * The caller is about to take events itself: between the two calls puts do not signal. The second one signals the
 * events that are left.
 */
void shca_event_queue_hold_signal(struct shca_event_queue *queue);
void shca_event_queue_release_signal(struct shca_event_queue *queue);
/* Removes every event that matches. Returns the number of events removed. */
uint32_t shca_event_queue_remove(struct shca_event_queue *queue, bool (*matches)(void *event, void *what), void *what,
				 void (*removed)(void *event));

#endif
