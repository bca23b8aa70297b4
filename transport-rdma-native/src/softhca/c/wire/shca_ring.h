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
 * A ring of packets in shared memory from one process to another, with one producer and one consumer at a time. Each
 * side has its own lock for its threads, see shca_link.h.
 *
 * The turn of a slot publishes it: the producer writes everything else first, then turn = lap + 1 of its position, with
 * release order. The consumer takes a slot that has the expected turn, with acquire order. So a look at an empty ring
 * costs one load of a line that stays in the consumer's cache, and a short message moves two adjacent lines and no
 * index.
 *
 *      control page | slots: SHCA_RING_SLOTS x 128 | data: SHCA_RING_DATA bytes
 *                     ^consumed ... ^published       ^ freed in slot order, data_span each
 *
 * The consumer returns slots in batches by writing consumed and data_consumed. A producer that finds no room sets
 * producer_waits, looks once more, and gives up. After the consumer has freed something it clears the flag, and if the
 * flag was set it rings the producer's doorbell.
 *
 * A process may be killed at any instruction: a slot that it had not published does not exist, and the other process
 * does not wait for it. The consumer does not trust the producer: shca_ring_peek checks payload and data_at.
 */
#ifndef SHCA_RING_H
#define SHCA_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/shca_packet.h"

#define SHCA_RING_SLOTS	2048u
#define SHCA_RING_DATA	(1u << 20)

struct shca_ring_control {
	_Alignas(128) _Atomic uint32_t consumed;
	_Atomic uint32_t data_consumed;
	_Alignas(128) _Atomic uint32_t producer_waits;
};

/* Bytes of shared memory for one ring, a multiple of the page size. */
size_t shca_ring_bytes(void);

/* A view of a ring, of its producer or its consumer. The fields of the other one stay 0. */
struct shca_ring {
	struct shca_ring_control *control;
	struct shca_packet *slots;
	uint8_t *data;
	/* producer */
	uint32_t next;
	uint32_t data_next;
	uint32_t data_reserved;		/* data_span of the slot reserved last */
	uint32_t consumed_seen;
	uint32_t data_consumed_seen;
	/* consumer */
	_Atomic uint32_t taken;		/* written under the consumer's lock, read by any thread */
	uint32_t data_taken;
};

/* Initialises a view of zeroed shared memory of shca_ring_bytes(). */
void shca_ring_view(struct shca_ring *ring, void *memory);
/* Resets the view after its memory was replaced by zeroed memory. */
void shca_ring_restart(struct shca_ring *ring);

/* Earlier stores are visible to every processor before later loads are performed. */
static inline void shca_full_fence(void)
{
#ifdef __SANITIZE_THREAD__
	/* ThreadSanitizer does not model fences, only atomic operations; this one is as strong on x86-64. */
	static _Atomic uint32_t nothing;

	atomic_fetch_add(&nothing, 0);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

/*
 * Producer: reserves the next slot, with room for payload bytes (at most SHCA_SEGMENT + SHCA_GRH_SIZE). Sets its
 * payload, data_at and data_span, and not_before to 0. Returns NULL when the ring is full; producer_waits is set then.
 * A reserved slot that is not published is reserved again by the next call.
 */
struct shca_packet *shca_ring_reserve(struct shca_ring *ring, uint32_t payload);
void *shca_ring_payload(const struct shca_ring *ring, struct shca_packet *packet);
void shca_ring_publish(struct shca_ring *ring, struct shca_packet *packet);

/* The turn of a published position: at least 1, so never what fresh memory holds. */
static inline uint32_t shca_ring_turn(uint32_t position)
{
	return position / SHCA_RING_SLOTS + 1;
}

/* Any thread, without a lock: whether the consumer would find a packet. */
static inline bool shca_ring_has_packet(const struct shca_ring *ring)
{
	uint32_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
	const struct shca_packet *packet = &ring->slots[taken % SHCA_RING_SLOTS];

	return atomic_load_explicit(&packet->turn, memory_order_acquire) == shca_ring_turn(taken);
}

/*
 * Consumer: the oldest packet that was not taken, or NULL. Sets *broken when the slot holds no valid packet. The packet
 * stays valid until shca_ring_release.
 */
struct shca_packet *shca_ring_peek(struct shca_ring *ring, bool *broken);
void shca_ring_take(struct shca_ring *ring, const struct shca_packet *packet);
/* Returns all taken slots to the producer. True if the producer waits for room and must be woken. */
bool shca_ring_release(struct shca_ring *ring);

/* Producer: whether the consumer has returned everything that was published, so that nothing is in the ring. */
bool shca_ring_is_drained(const struct shca_ring *ring);

#endif
