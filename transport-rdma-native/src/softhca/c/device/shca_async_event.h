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
 * Events that a context reports through its async_fd. An object is destroyed only when its fetched events have been
 * acknowledged; its events that were not fetched by then are removed.
 */
#ifndef SHCA_ASYNC_EVENT_H
#define SHCA_ASYNC_EVENT_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdint.h>

/* fetched counts, under the queue's lock, the object's fetched events. It is NULL for events of the device itself. */
void shca_async_raise(struct ibv_context *context, struct ibv_async_event event, uint32_t *fetched);
/*
 * Before an object is destroyed: removes its events that were not fetched, and waits on cond until *completed is the
 * number of those that were.
 */
void shca_async_forget(struct ibv_context *context, const uint32_t *fetched, pthread_mutex_t *mutex,
		       pthread_cond_t *cond, const uint32_t *completed);

#endif
