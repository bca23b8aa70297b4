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

/* A queue of events that a file descriptor announces: async events, completion events, CM events. */
#ifndef SHCA_EVENT_QUEUE_H
#define SHCA_EVENT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct shca_event_queue {
	pthread_mutex_t lock;
	int fd;			/* eventfd, semaphore mode: one count per event */
	void **events;
	uint32_t capacity;	/* a power of two */
	uint32_t head;
	uint32_t tail;
	uint32_t promised;	/* events that may still be put without growing */
	uint32_t strays;	/* counts that readers have taken for events that were then removed */
};

int shca_event_queue_open(struct shca_event_queue *queue);	/* 0 or -errno */
void shca_event_queue_close(struct shca_event_queue *queue);
/* Makes room for one more event, so that a later put cannot fail. 0 or -ENOMEM. */
int shca_event_queue_promise(struct shca_event_queue *queue);
void shca_event_queue_unpromise(struct shca_event_queue *queue);
/* Puts an event for which room was promised. */
void shca_event_queue_put(struct shca_event_queue *queue, void *event);
/*
 * Blocks as the descriptor does; NULL with errno set (EAGAIN). taken, if any, is called with the event under the
 * queue's lock: whoever destroys what the event is about finds it either in the queue or counted.
 */
void *shca_event_queue_get(struct shca_event_queue *queue, void (*taken)(void *event));
/* Takes every event out for which matches is true; returns how many. The descriptor's count follows. */
uint32_t shca_event_queue_remove(struct shca_event_queue *queue, bool (*matches)(void *event, void *what), void *what,
				 void (*removed)(void *event));

#endif
