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

/* Wakes the threads of the peer that sleep. */
#include "base/shca_clock.h"
#include "base/shca_util.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_process_internal.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"

/* How long a thread that was woken may take, if a thread polls meanwhile. */
#define WOKEN_NS	1000000u

/* Of the set that the link leads to. */
static _Atomic uint32_t *doorbell_of(const struct shca_link *link)
{
	return shca_fabric_doorbell(atomic_load_explicit(&link->peer, memory_order_relaxed),
				    atomic_load_explicit(&link->their_set, memory_order_relaxed));
}

/*
 * Wakes the threads whose descriptors the process has passed. Returns the bits that are left: a thread that wakes does
 * the helper thread's work as well, if it comes soon.
 */
static uint32_t wake_threads(struct shca_link *link, struct shca_process *process, uint32_t asleep)
{
	uint32_t slot = atomic_load_explicit(&link->peer, memory_order_relaxed);
	uint32_t set = atomic_load_explicit(&link->their_set, memory_order_relaxed);
	uint32_t left = asleep;

	for (uint32_t waker = 1; waker <= SHCA_WAKERS; waker++)
		if (asleep & 1u << waker && shca_waker_wake(process, slot, set, waker))
			left &= SHCA_RING_WAKERS & ~(1u << waker);
	if (left != asleep) {
		uint64_t now = shca_now();

		atomic_store(&link->woken_at, now);
		shca_wakeup_at(now + SHCA_WOKEN_CHECK_NS);
	}
	return left;
}

void shca_link_wake(struct shca_link *link, uint32_t bits)
{
	struct shca_process *process = atomic_load_explicit(&link->process, memory_order_relaxed);
	uint32_t peer = atomic_load_explicit(&link->peer, memory_order_relaxed);
	_Atomic uint32_t *doorbell = doorbell_of(link);
	uint32_t asleep = atomic_load_explicit(doorbell, memory_order_relaxed) & (bits | SHCA_RING_STAND_IN);

	if (!asleep || !process ||
	    shca_fabric_nonce(peer) != atomic_load_explicit(&process->nonce, memory_order_relaxed))
		return;
	asleep = wake_threads(link, process, asleep);
	if (asleep)
		shca_process_kick(process, doorbell, asleep | SHCA_RING_DEVICE | SHCA_RING_STAND_IN, false);
}

void shca_link_ring_doorbell(struct shca_link *link)
{
	uint32_t bits;

	if (!atomic_load_explicit(&link->unrung, memory_order_relaxed))
		return;
	/* Acquire: our fence then covers another thread's packets as well as our own. */
	bits = atomic_exchange_explicit(&link->unrung, 0, memory_order_acq_rel);
	/* A thread that sends to its own context usually handles the packets itself. */
	if (link->is_loop && !shca_ring_has_packet(&link->rx))
		return;
	shca_full_fence();
	shca_link_wake(link, bits);
}

void shca_link_nudge(struct shca_link *link)
{
	struct shca_process *process = atomic_load(&link->process);

	if (process && shca_link_is_up(link))
		shca_process_kick(process, doorbell_of(link), SHCA_RING_DEVICE | SHCA_RING_STAND_IN, true);
}

/*
 * A thread that wakes another meanwhile stores a later time, which stays. The clock first: every poll comes here while
 * a thread of the peer has just been woken, and threads that send need the lock.
 */
void shca_link_check_woken(struct shca_link *link)
{
	uint64_t woken_at = atomic_load(&link->woken_at);
	bool is_drained;

	if (!woken_at || shca_now() - woken_at < WOKEN_NS)
		return;
	is_drained = shca_link_is_drained(link);
	if (atomic_compare_exchange_strong(&link->woken_at, &woken_at, 0) && !is_drained)
		shca_link_nudge(link);
}
