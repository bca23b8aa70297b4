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
 * What the two faces of a completion queue share: ibv_poll_cq, and the polling of ibv_cq_ex.
 */
#ifndef SHCA_COMPLETION_QUEUE_H
#define SHCA_COMPLETION_QUEUE_H

#include "shca.h"

/* NULL with errno set. vector and cqe are checked here. */
struct shca_cq *shca_cq_new(struct ibv_context *context, int64_t cqe, void *cq_context,
			    struct ibv_comp_channel *channel, int64_t vector);

/* Without the lock. */
static inline bool shca_cq_is_empty(struct shca_cq *cq)
{
	return atomic_load_explicit(&cq->head, memory_order_relaxed) ==
	       atomic_load_explicit(&cq->tail, memory_order_acquire);
}

/* Whether there is something to poll, after looking at the links if there was not. Without any lock. */
bool shca_cq_find(struct shca_cq *cq);

/*
 * Makes the oldest entry the current one, and gives back what the one before held. False when there is none: the
 * current one stays, if there is one.
 */
bool shca_cq_advance(struct shca_cq *cq);
/* The current entry, if there is one, is given up. */
void shca_cq_leave(struct shca_cq *cq);

#endif
