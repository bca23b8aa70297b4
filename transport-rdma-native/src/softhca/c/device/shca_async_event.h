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
 * Events that a context reports by its async_fd. An object goes only when its events that were fetched have been
 * acknowledged; what nobody has fetched by then vanishes with it.
 */
#ifndef SHCA_ASYNC_EVENT_H
#define SHCA_ASYNC_EVENT_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdint.h>

/*
 * fetched: counts, under the queue's lock, the events of the object that were fetched. NULL: it is the device's own.
 */
void shca_async_raise(struct ibv_context *context, struct ibv_async_event event, uint32_t *fetched);
/*
 * Before the object goes: takes out what nobody fetched, and waits until *completed, which cond announces, is as many
 * as were.
 */
void shca_async_forget(struct ibv_context *context, const uint32_t *fetched, pthread_mutex_t *mutex,
		       pthread_cond_t *cond, const uint32_t *completed);

#endif
