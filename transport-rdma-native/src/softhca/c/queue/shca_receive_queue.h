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

#ifndef SHCA_RECEIVE_QUEUE_H
#define SHCA_RECEIVE_QUEUE_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A posted receive: a copy of the request that ibv_post_recv got. */
struct shca_receive {
	uint64_t wr_id;
	uint32_t num_sge;
	struct ibv_sge *sges;		/* room for max_sge, set when it is posted */
};

/* Receives in posting order. The lock of the queue's owner protects it. */
struct shca_receive_queue {
	struct shca_receive *ring;	/* and behind it, in the same memory: */
	struct ibv_sge *sges;
	uint32_t depth;			/* max_wr as granted */
	uint32_t mask;			/* slots of ring - 1 */
	uint32_t max_sge;
	uint32_t posted;		/* free-running */
	uint32_t taken;			/* by messages or flushes */
	_Atomic uint32_t freed;		/* completions polled; posted - freed <= depth */
};

int shca_receive_queue_init(struct shca_receive_queue *queue, uint32_t depth, uint32_t max_sge);
void shca_receive_queue_destroy(struct shca_receive_queue *queue);
/*
 * Copies the request. Returns 0, ENOMEM when full, EINVAL for a list longer than max_sge: the results of ibv_post_recv.
 */
int shca_receive_queue_post(struct shca_receive_queue *queue, const struct ibv_recv_wr *wr);
/* The oldest receive, which stays; NULL if there is none. */
const struct shca_receive *shca_receive_queue_peek(const struct shca_receive_queue *queue);
/* Takes the oldest receive, or returns NULL. It stays valid until polling frees its slot. */
const struct shca_receive *shca_receive_queue_take(struct shca_receive_queue *queue);
/*
 * Takes the oldest receive and copies it into the caller's memory. Returns false, and leaves everything as it is, if
 * there is none or if its list has less room than least.
 */
bool shca_receive_queue_take_into(struct shca_receive_queue *queue, uint32_t least, struct shca_receive *into);

#endif
