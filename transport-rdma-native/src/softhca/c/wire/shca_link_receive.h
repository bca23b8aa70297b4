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
 * The receiving side of links: hands out packets, one after the other. progress/shca_drain.c takes them. All of it with
 * the link's rx_lock held; inline, because each packet comes this way.
 *
 *    shca_link_next ---> packet ---> handled ---> shca_link_take     for each packet
 *                                                 shca_link_return   once: the peer may use the slots again
 */
#ifndef SHCA_LINK_RECEIVE_H
#define SHCA_LINK_RECEIVE_H

#include "base/shca_util.h"
#include "registry/shca_fabric.h"
#include "wire/shca_link.h"

/* Whether a packet with a time is due. If not, it and all behind it wait. */
bool shca_link_is_due(struct shca_link *link, const struct shca_packet *packet);
/* The peer has written an invalid packet. The end of the socket notifies the helper thread, which does the rest. */
void shca_link_break(struct shca_link *link);

/* The oldest packet, if it is due, or NULL. It stays in the ring. dying: the link's end is near, everything is due. */
static inline struct shca_packet *shca_link_next(struct shca_link *link, bool dying)
{
	bool broken = false;
	struct shca_packet *packet = shca_ring_peek(&link->rx, &broken);

	if (SHCA_UNLIKELY(broken))
		shca_link_break(link);
	if (!packet || dying)
		return packet;
	if (SHCA_LIKELY(!packet->not_before &&
			!atomic_load_explicit(&link->held_until, memory_order_relaxed)))
		return packet;
	return shca_link_is_due(link, packet) ? packet : NULL;
}

/*
 * Whether the packet is between the peer and a queue pair of this set: not for a previous owner of our slot, not with
 * another's source, and not for a queue pair whose removal does not wait for this drain. While the port is down none
 * is.
 */
static inline bool shca_link_delivers(const struct shca_link *link, const struct shca_packet *packet)
{
	return shca_slot_of_qpn(packet->source) == atomic_load_explicit(&link->peer, memory_order_relaxed) &&
	       shca_slot_of_qpn(packet->destination) == shca_fabric_slot() &&
	       atomic_load_explicit(&link->set_of_block[shca_block_of_qpn(packet->destination)],
				    memory_order_relaxed) == link->own_set &&
	       shca_links_have_carrier();
}

static inline const void *shca_link_received(const struct shca_link *link, struct shca_packet *packet)
{
	return shca_ring_payload(&link->rx, packet);
}

static inline void shca_link_take(struct shca_link *link, const struct shca_packet *packet)
{
	shca_ring_take(&link->rx, packet);
}

/* Returns the slots of all packets that were taken. True: the peer waits for room. Wake it then, without locks. */
static inline bool shca_link_return(struct shca_link *link)
{
	return shca_ring_release(&link->rx);
}

#endif
