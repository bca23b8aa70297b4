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

#ifndef SHCA_SEND_QUEUE_H
#define SHCA_SEND_QUEUE_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One posted send. */
struct shca_send {
	uint64_t wr_id;
	uint64_t remote_address;
	uint64_t operands[2];		/* compare or add, swap */
	uint32_t length;
	uint32_t rkey;
	uint32_t immediate;		/* network order */
	uint8_t opcode;			/* enum ibv_wr_opcode */
	uint8_t flags;			/* enum ibv_send_flags; SIGNALED also if sq_sig_all is set */
	uint8_t num_sge;		/* of the slot's list; 0 with INLINE: the bytes are in the slot */
	bool answered;			/* a read or an atomic whose response is complete */
	uint32_t received;		/* bytes of a read's response that have arrived */
	uint8_t *kept;			/* copy of its bytes, completed but not acknowledged: shca_send_buffer.c */
	/* of a datagram */
	uint32_t remote_qpn;
	uint32_t remote_qkey;
	union ibv_gid remote_gid;
	union ibv_gid local_gid;
	uint32_t flow_label;
	uint8_t traffic_class;
	uint8_t hop_limit;
};

/* The send queue. Cursors run freely, slot = cursor & mask. freed <= completed <= posted; acked <= completed, next. */
struct shca_send_queue {
	struct shca_send *ring;
	struct ibv_sge *sges;		/* max_sge per slot */
	uint8_t *inline_data;		/* max_inline per slot */
	uint32_t depth;			/* max_send_wr as granted */
	uint32_t mask;			/* slots of ring - 1; a power of two of them, because cursors wrap around */
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t posted;
	uint32_t next;			/* next to send */
	uint32_t next_offset;		/* bytes of it that were sent */
	uint32_t acked;			/* oldest that the peer is not known to have */
	uint32_t completed;		/* oldest that has not completed */
	uint32_t kept;			/* bytes of all requests from acked to completed */
	_Atomic uint32_t freed;		/* by polling: posted - freed <= depth */
	uint32_t reads;			/* reads and atomics in flight */
	bool drain_reported;		/* of SQD: IBV_EVENT_SQ_DRAINED was raised */
};

static inline struct shca_send *shca_send_at(struct shca_send_queue *sq, uint32_t cursor)
{
	return &sq->ring[cursor & sq->mask];
}

static inline struct ibv_sge *shca_send_sges(struct shca_send_queue *sq, uint32_t cursor)
{
	return &sq->sges[(size_t)(cursor & sq->mask) * sq->max_sge];
}

static inline uint8_t *shca_send_inline(struct shca_send_queue *sq, uint32_t cursor)
{
	return &sq->inline_data[(size_t)(cursor & sq->mask) * sq->max_inline];
}

/* Whether the request writes to local memory; the others read it. */
static inline bool shca_send_fills(const struct shca_send *send)
{
	return send->opcode == IBV_WR_RDMA_READ || send->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       send->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

#endif
