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

#include "progress/shca_drain.h"

#include <sched.h>

#include "base/shca_upcalls.h"
#include "queue_pair/shca_queue_pair_progress.h"
#include "transport/shca_transport.h"
#include "wire/shca_link_receive.h"

/*
 * Bytes per batch. A batch is returned at once: the sender copies the next one in while the receiver copies this one
 * out.
 */
#define DRAIN_BYTES	(SHCA_RING_DATA / 16)

static unsigned int handle_packets(struct shca_link *link, unsigned int budget, bool dying)
{
	uint32_t start = link->rx.data_taken;
	unsigned int handled = 0;

	while (handled < budget && (dying || link->rx.data_taken - start < DRAIN_BYTES)) {
		struct shca_packet *packet = shca_link_next(link, dying);

		if (!packet)
			break;
		if (SHCA_LIKELY(shca_link_delivers(link, packet))) {
			const void *payload = shca_link_received(link, packet);

			if (SHCA_UNLIKELY(!shca_qp_receive(link, packet, payload)))
				shca_transport_no_queue_pair(link, packet, payload);
		}
		shca_link_take(link, packet);
		handled++;
	}
	return handled;
}

unsigned int shca_drain(struct shca_link *link, unsigned int budget)
{
	unsigned int handled = 0;
	bool waited_for = false;

	if (pthread_mutex_trylock(&link->rx_lock))
		return 0;
	if (shca_link_is_up(link)) {
		handled = handle_packets(link, budget, false);
		if (handled) {
			/* In this order, so that drained packets have been answered. */
			shca_qp_acknowledge_all(link);
			waited_for = shca_link_return(link);
		}
	}
	pthread_mutex_unlock(&link->rx_lock);
	if (SHCA_UNLIKELY(waited_for))
		shca_link_wake(link, SHCA_RING_DEVICE);
	shca_link_ring_doorbell(link);
	return handled;
}

void shca_drain_all(struct shca_link *link)
{
	unsigned int handled = 0;

	while (handled < SHCA_RING_SLOTS && shca_link_is_up(link) && shca_link_has_packet(link)) {
		unsigned int count = shca_drain(link, SHCA_RING_SLOTS);

		if (!count)
			sched_yield();
		handled += count;
	}
}

void shca_drain_rest(struct shca_link *link)
{
	handle_packets(link, SHCA_RING_SLOTS, true);
	shca_qp_acknowledge_all(link);
}

void shca_drain_unblock(struct shca_link *link)
{
	struct shca_wire_user *list;
	struct shca_wire_user *user;

	if (!shca_link_begin_unblock(link, &list))
		return;
	while ((user = shca_link_next_unblocked(&list)))
		shca_qp_unblock(user);
	shca_link_end_unblock(link);
}

void shca_engine_drain_own(struct shca_link *link)
{
	unsigned int handled;

	do {
		handled = shca_drain(link, SHCA_DRAIN_BUDGET);
		if (SHCA_UNLIKELY(atomic_load(&link->has_blocked)))
			shca_drain_unblock(link);
	} while (handled && shca_link_has_packet(link));
	if (shca_link_has_packet(link))
		shca_link_ring_doorbell(link);
}
