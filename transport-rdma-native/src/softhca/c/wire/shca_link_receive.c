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

#include "wire/shca_link_receive.h"

#include <sys/socket.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_process.h"
#include "wire/shca_wakeup.h"

bool shca_link_has_packet(const struct shca_link *link)
{
	uint64_t held_until;

	if (SHCA_LIKELY(!shca_ring_has_packet(&link->rx)))
		return false;
	held_until = atomic_load_explicit(&link->held_until, memory_order_relaxed);
	return SHCA_LIKELY(!held_until) || shca_now() >= held_until;
}

void shca_link_break(struct shca_link *link)
{
	static _Atomic uint64_t count;
	enum shca_link_state up = SHCA_LINK_UP;

	if (!atomic_compare_exchange_strong(&link->state, &up, SHCA_LINK_DEAD))
		return;
	shca_say_seldom(&count, "process %u in slot %u has written an invalid packet into its ring: its links are "
			"closed", shca_fabric_pid(link->peer), link->peer);
	shutdown(atomic_load(&link->process)->rx_socket, SHUT_RDWR);
}

bool shca_link_is_due(struct shca_link *link, const struct shca_packet *packet)
{
	if (SHCA_LIKELY(!packet->not_before) || packet->not_before <= shca_now()) {
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->held_until, memory_order_relaxed)))
			atomic_store_explicit(&link->held_until, 0, memory_order_relaxed);
		return true;
	}
	atomic_store(&link->held_until, packet->not_before);
	shca_wakeup_at(packet->not_before);
	return false;
}
