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

#include "wire/shca_ring.h"

#include <string.h>
#include <unistd.h>

#define DATA_ALIGNMENT	64u
#define MAX_PAYLOAD	(SHCA_SEGMENT + SHCA_GRH_SIZE)
#define CONTROL_BYTES	4096u
#define SLOTS_BYTES	(SHCA_RING_SLOTS * sizeof(struct shca_packet))
/* The turns of a position wrap around with the cursors: 1 .. TURNS, never 0, which is what fresh memory holds. */
#define TURNS		(UINT32_MAX / SHCA_RING_SLOTS + 1)

static_assert((SHCA_RING_SLOTS & (SHCA_RING_SLOTS - 1)) == 0, "cursors run freely");
static_assert((SHCA_RING_DATA & (SHCA_RING_DATA - 1)) == 0, "cursors run freely");
static_assert(MAX_PAYLOAD <= UINT16_MAX, "the payload of a packet has 16 bits");
static_assert(SHCA_RING_DATA >= 4 * MAX_PAYLOAD, "the largest packet always fits once the ring is drained");
static_assert(sizeof(struct shca_ring_control) <= CONTROL_BYTES, "one page");

size_t shca_ring_bytes(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (CONTROL_BYTES + SLOTS_BYTES + SHCA_RING_DATA + page - 1) / page * page;
}

void shca_ring_view(struct shca_ring *ring, void *memory)
{
	ring->control = memory;
	ring->slots = (struct shca_packet *)((uint8_t *)memory + CONTROL_BYTES);
	ring->data = (uint8_t *)memory + CONTROL_BYTES + SLOTS_BYTES;
	shca_ring_restart(ring);
}

void shca_ring_restart(struct shca_ring *ring)
{
	ring->next = 0;
	ring->data_next = 0;
	ring->data_reserved = 0;
	ring->consumed_seen = 0;
	ring->data_consumed_seen = 0;
	atomic_store_explicit(&ring->taken, 0, memory_order_relaxed);
	ring->data_taken = 0;
}

static inline struct shca_packet *slot_at(const struct shca_ring *ring, uint32_t position)
{
	return &ring->slots[position % SHCA_RING_SLOTS];
}

/*
 * Where a payload lies; both sides compute the same. A payload is contiguous, so the rest of the area is skipped if it
 * is too small. Returns the number of bytes taken from cursor on.
 */
static inline uint32_t locate(uint32_t cursor, uint32_t payload, uint32_t *at)
{
	uint32_t size = (payload + DATA_ALIGNMENT - 1) & ~(DATA_ALIGNMENT - 1);
	uint32_t position = cursor % SHCA_RING_DATA;

	if (payload <= SHCA_INLINE_PAYLOAD) {
		*at = SHCA_PAYLOAD_INLINE;
		return 0;
	}
	if (position + size <= SHCA_RING_DATA) {
		*at = position;
		return size;
	}
	*at = 0;
	return SHCA_RING_DATA - position + size;
}

/* ---- producer ---- */

/* If the peer writes nonsense into its cursors the ring counts as full: the distance is never underestimated. */
static inline bool has_room(const struct shca_ring *ring, uint32_t span)
{
	uint32_t used = ring->data_next - ring->data_consumed_seen;

	return ring->next - ring->consumed_seen < SHCA_RING_SLOTS && used <= SHCA_RING_DATA &&
	       span <= SHCA_RING_DATA - used;
}

/* The consumer stores data_consumed before consumed, so a producer that sees the new consumed sees both. */
static bool look_for_room(struct shca_ring *ring, uint32_t span)
{
	ring->consumed_seen = atomic_load(&ring->control->consumed);
	ring->data_consumed_seen = atomic_load_explicit(&ring->control->data_consumed, memory_order_acquire);
	return has_room(ring, span);
}

/*
 * The producer sets the flag and looks again; the consumer stores consumed and then looks at the flag. All four are
 * sequentially consistent, so one of the two sees the other's store.
 */
static bool wait_for_room(struct shca_ring *ring, uint32_t span)
{
	if (look_for_room(ring, span))
		return true;
	atomic_store(&ring->control->producer_waits, 1);
	if (!look_for_room(ring, span))
		return false;
	atomic_store_explicit(&ring->control->producer_waits, 0, memory_order_relaxed);
	return true;
}

struct shca_packet *shca_ring_reserve(struct shca_ring *ring, uint32_t payload)
{
	struct shca_packet *packet = slot_at(ring, ring->next);
	uint32_t at;
	uint32_t span = locate(ring->data_next, payload, &at);

	if (__builtin_expect(!has_room(ring, span), 0) && !wait_for_room(ring, span))
		return NULL;
	packet->payload = (uint16_t)payload;
	packet->data_at = at;
	packet->data_span = span;
	packet->not_before = 0;
	ring->data_reserved = span;
	return packet;
}

void *shca_ring_payload(const struct shca_ring *ring, struct shca_packet *packet)
{
	if (packet->data_at == SHCA_PAYLOAD_INLINE)
		return packet->inline_payload;
	return ring->data + packet->data_at;
}

void shca_ring_publish(struct shca_ring *ring, struct shca_packet *packet)
{
	atomic_store_explicit(&packet->turn, shca_ring_turn(ring->next), memory_order_release);
	ring->next++;
	ring->data_next += ring->data_reserved;
}

bool shca_ring_is_drained(const struct shca_ring *ring)
{
	return atomic_load_explicit(&ring->control->consumed, memory_order_acquire) == ring->next;
}

/* ---- consumer ---- */

/* Whether an unpublished slot still has the turn of its previous use. */
static bool is_previous(uint32_t turn, uint32_t expected)
{
	return turn == expected - 1 || (expected == 1 && turn == TURNS);
}

static bool is_sound(const struct shca_ring *ring, const struct shca_packet *packet)
{
	uint32_t at;

	return packet->payload <= MAX_PAYLOAD && packet->type < SHCA_PACKET_TYPES &&
	       packet->data_span == locate(ring->data_taken, packet->payload, &at) && packet->data_at == at;
}

struct shca_packet *shca_ring_peek(struct shca_ring *ring, bool *broken)
{
	uint32_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
	struct shca_packet *packet = slot_at(ring, taken);
	uint32_t turn = atomic_load_explicit(&packet->turn, memory_order_acquire);

	*broken = false;
	if (turn != shca_ring_turn(taken)) {
		*broken = !is_previous(turn, shca_ring_turn(taken));
		return NULL;
	}
	if (is_sound(ring, packet))
		return packet;
	*broken = true;
	return NULL;
}

void shca_ring_take(struct shca_ring *ring, const struct shca_packet *packet)
{
	ring->data_taken += packet->data_span;
	atomic_store_explicit(&ring->taken, atomic_load_explicit(&ring->taken, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

bool shca_ring_release(struct shca_ring *ring)
{
	struct shca_ring_control *control = ring->control;

	atomic_store_explicit(&control->data_consumed, ring->data_taken, memory_order_release);
	atomic_store(&control->consumed, atomic_load_explicit(&ring->taken, memory_order_relaxed));
	return atomic_load(&control->producer_waits) && atomic_exchange(&control->producer_waits, 0);
}
