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

/* The reads and atomics that a queue pair has to answer: as many as max_dest_rd_atomic says. */
#ifndef SHCA_RESPONSE_QUEUE_H
#define SHCA_RESPONSE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* A read or atomic that the responder has to answer, or has answered and may have to answer again. */
struct shca_response {
	uint32_t psn;
	uint8_t type;			/* SHCA_READ, SHCA_COMPARE_SWAP, SHCA_FETCH_ADD */
	bool sent;
	uint32_t key;
	uint64_t address;
	uint32_t length;
	uint32_t offset;		/* bytes sent so far */
	uint64_t old;			/* of an atomic: the old value in the memory's byte order */
};

struct shca_response_queue {
	struct shca_response *ring;	/* mask + 1 entries: a power of two, as cursors wrap around */
	uint32_t mask;
	uint32_t limit;			/* max_dest_rd_atomic: the maximum at a time */
	uint32_t first;			/* oldest that is to be sent, for the first time or again */
	uint32_t next;			/* free-running */
};

static inline struct shca_response *shca_response_at(const struct shca_response_queue *queue, uint32_t cursor)
{
	return &queue->ring[cursor & queue->mask];
}

#endif
