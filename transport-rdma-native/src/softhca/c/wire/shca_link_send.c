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

/* The sending side of links: what happens for each packet. */
#include "base/shca_clock.h"
#include "base/shca_util.h"
#include "fault/shca_fault.h"
#include "wire/shca_process_internal.h"
#include "wire/shca_wire_user.h"

_Atomic bool shca_links_are_cut;

bool shca_links_set_carrier(bool up)
{
	return atomic_exchange(&shca_links_are_cut, !up) == up;
}

/* A queue pair is on one list at most: room on either link to its peer is enough to try again. */
static void block(struct shca_link *link, struct shca_wire_user *user)
{
	if (!user || atomic_exchange(&user->is_blocked, true))
		return;
	user->next_blocked = link->blocked;
	link->blocked = user;
	atomic_store(&link->has_blocked, true);
}

/* The ring of a link that is not up is empty private memory: writing to it is harmless. */
struct shca_packet *shca_link_begin(struct shca_link *link, struct shca_wire_user *user, uint32_t payload)
{
	struct shca_packet *packet;

	pthread_mutex_lock(&link->tx_lock);
	packet = shca_ring_reserve(&link->tx, payload);
	if (SHCA_LIKELY(packet))
		return packet;
	block(link, user);
	pthread_mutex_unlock(&link->tx_lock);
	return NULL;
}

void *shca_link_payload(struct shca_link *link, struct shca_packet *packet)
{
	return shca_ring_payload(&link->tx, packet);
}

static bool is_lost(const struct shca_link *link)
{
	const struct shca_process *process = atomic_load_explicit(&link->process, memory_order_relaxed);

	return process && atomic_load_explicit(&process->is_lost, memory_order_relaxed);
}

/* Returns false if the packet is lost. */
static bool survives_faults(struct shca_link *link, struct shca_packet *packet)
{
	uint32_t delay;

	shca_fault_maybe_kill();
	if (shca_fault_lose_peer())
		atomic_store(&atomic_load(&link->process)->is_lost, true);
	if (is_lost(link) || shca_fault_drop_packet())
		return false;
	delay = shca_fault_delay_ns();
	if (delay) {
		packet->not_before = shca_now() + delay;
		if (packet->not_before < link->last_not_before)
			packet->not_before = link->last_not_before;
		link->last_not_before = packet->not_before;
	}
	return true;
}

void shca_link_end(struct shca_link *link, struct shca_packet *packet, uint32_t waker)
{
	bool sent = shca_link_is_up(link) && SHCA_LIKELY(!is_lost(link) && shca_links_have_carrier());

	if (SHCA_UNLIKELY(shca_faults_are_active()) && sent)
		sent = survives_faults(link, packet);
	if (SHCA_LIKELY(sent)) {
		shca_ring_publish(&link->tx, packet);
		atomic_fetch_or_explicit(&link->unrung, 1u << waker, memory_order_release);
	}
	pthread_mutex_unlock(&link->tx_lock);
}

void shca_link_cancel(struct shca_link *link)
{
	pthread_mutex_unlock(&link->tx_lock);
}

bool shca_link_is_drained(struct shca_link *link)
{
	bool drained;

	pthread_mutex_lock(&link->tx_lock);
	drained = !shca_link_is_up(link) || is_lost(link) || shca_ring_is_drained(&link->tx);
	pthread_mutex_unlock(&link->tx_lock);
	return drained;
}
