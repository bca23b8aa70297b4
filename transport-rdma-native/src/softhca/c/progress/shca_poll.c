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

/* Threads of the program that poll or arm drain the links. The helper thread does the same. */
#include "progress/shca_poll.h"

#include <sched.h>

#include "base/shca_upcalls.h"
#include "base/shca_util.h"
#include "progress/shca_drain.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"

/* Rounds of a budget of packets each: more than a ring holds. A round in which another thread drains yields to it. */
#define CATCH_UPS	1024u

bool shca_engine_progress(struct shca_link_set *set)
{
	struct shca_link *link = set->links;
	struct shca_link *end = link + shca_links_used(set);
	unsigned int handled = 0;

	for (; link != end; link++) {
		if (!shca_link_is_up(link))
			continue;
		if (SHCA_UNLIKELY(shca_ring_has_packet(&link->rx)) && shca_link_has_packet(link))
			handled += shca_drain(link, SHCA_DRAIN_BUDGET);
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->has_blocked, memory_order_relaxed)))
			shca_drain_unblock(link);
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->unrung, memory_order_relaxed)))
			shca_link_ring_doorbell(link);
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->woken_at, memory_order_relaxed)))
			shca_link_check_woken(link);
	}
	return handled;
}

bool shca_poll_has_packet(const struct shca_link_set *set)
{
	const struct shca_link *link = set->links;
	const struct shca_link *end = link + shca_links_used(set);

	for (; link != end; link++)
		if (shca_link_is_up(link) && shca_link_has_packet(link))
			return true;
	return false;
}

static void catch_up(struct shca_link_set *set)
{
	for (unsigned int i = 0; i < CATCH_UPS && shca_poll_has_packet(set); i++)
		if (!shca_engine_progress(set))
			sched_yield();
}

void shca_engine_catch_up(void)
{
	for (uint32_t i = 0; i < SHCA_LINK_SETS; i++)
		catch_up(&shca_link_sets[i]);
}

/*
 * From now on senders wake us, so we handle the packets that were sent before. A packet may come while another thread
 * drains its link, and has seen that there are no more: then we must not sleep before that thread has left.
 *
 *	another thread		sender				we
 *	finds no more
 *				publishes a packet
 *				finds no bit set
 *								set the bits
 *								cannot drain
 *	leaves
 *								find the packet: drain
 */
void shca_engine_arm(struct shca_link_set *set, uint32_t waker)
{
	_Atomic uint32_t *doorbell = shca_fabric_doorbell(shca_fabric_slot(), shca_link_set_number(set));
	uint32_t bits = waker ? SHCA_RING_DEVICE | 1u << waker : SHCA_RING_STAND_IN;

	if ((atomic_load_explicit(doorbell, memory_order_relaxed) & bits) == bits)
		return;
	if (waker)
		shca_waker_pass(set, waker);
	atomic_fetch_or(doorbell, bits);
	shca_full_fence();
	shca_engine_progress(set);
	catch_up(set);
	if (SHCA_UNLIKELY(shca_poll_has_packet(set)))
		shca_wakeup_now();
}
