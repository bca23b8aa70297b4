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

#ifndef SHCA_SHARED_RECEIVE_QUEUE_H
#define SHCA_SHARED_RECEIVE_QUEUE_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shca_util.h"
#include "queue/shca_receive_queue.h"

struct shca_srq {
	struct ibv_srq ibv;
	pthread_mutex_t lock;
	struct shca_receive_queue receives;
	uint32_t limit;			/* armed if not 0 */
	uint32_t pd;
	_Atomic uint32_t users;
	uint32_t async_events;		/* fetched; under the lock of the event queue */
};

/*
 * Takes the oldest receive, copies it (its SGEs into room for max_sge), and raises the limit event. Returns false when
 * there is none with as much room as least.
 */
bool shca_srq_take(struct shca_srq *srq, uint32_t least, struct shca_receive *into);

static inline struct shca_srq *to_shca_srq(struct ibv_srq *srq)
{
	return shca_container_of(srq, struct shca_srq, ibv);
}

/* For the function table of a context. */
int shca_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

#endif
