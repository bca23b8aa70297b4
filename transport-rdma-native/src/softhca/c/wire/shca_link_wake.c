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
#include <errno.h>

#include "base/shca_clock.h"
#include "base/shca_util.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link_internal.h"
#include "wire/shca_link_socket.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"

/* How long a thread that was woken may take, if a thread polls meanwhile. */
#define WOKEN_NS	1000000u

/*
 * The thread that clears a bit of the doorbell must wake. If the kick fails it sets the bits again, unless the peer's
 * socket is full: then the peer wakes anyway. A sender that is killed in between wakes the peer by the end of its
 * socket.
 */
static void kick(struct shca_link *link, _Atomic uint32_t *doorbell, uint32_t bits)
{
	uint32_t cleared = atomic_fetch_and(doorbell, ~bits) & bits;
	int result = cleared ? shca_socket_kick(link->tx_socket) : 0;

	if (result && result != -EAGAIN)
		atomic_fetch_or(doorbell, cleared);
}

/*
 * Wakes the threads whose descriptors the link has. Returns the bits that are left: a thread that wakes does the helper
 * thread's work as well, if it comes soon.
 */
static uint32_t wake_threads(struct shca_link *link, uint32_t peer, uint32_t asleep)
{
	uint32_t left = asleep;
	uint32_t waker;

	for (waker = 1; waker <= SHCA_WAKERS; waker++)
		if (asleep & 1u << waker && shca_waker_wake(link, peer, waker))
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
	uint32_t peer = atomic_load_explicit(&link->peer, memory_order_relaxed);
	_Atomic uint32_t *doorbell = shca_fabric_doorbell(peer);
	uint32_t asleep = atomic_load_explicit(doorbell, memory_order_relaxed) & (bits | SHCA_RING_STAND_IN);

	if (!asleep || shca_fabric_nonce(peer) != atomic_load_explicit(&link->nonce, memory_order_relaxed))
		return;
	asleep = wake_threads(link, peer, asleep);
	if (!asleep)
		return;
	pthread_mutex_lock(&link->tx_lock);
	if (shca_link_is_up(link))
		kick(link, doorbell, asleep | SHCA_RING_DEVICE | SHCA_RING_STAND_IN);
	pthread_mutex_unlock(&link->tx_lock);
}

void shca_link_ring_doorbell(struct shca_link *link)
{
	uint32_t bits;

	if (!atomic_load_explicit(&link->unrung, memory_order_relaxed))
		return;
	/* Acquire: our fence then covers another thread's packets as well as our own. */
	bits = atomic_exchange_explicit(&link->unrung, 0, memory_order_acq_rel);
	/* A thread that sends to its own process usually handles the packets itself. */
	if (atomic_load_explicit(&link->peer, memory_order_relaxed) == shca_fabric_slot() &&
	    !shca_ring_has_packet(&link->rx))
		return;
	shca_full_fence();
	shca_link_wake(link, bits);
}

void shca_link_nudge(struct shca_link *link)
{
	_Atomic uint32_t *doorbell = shca_fabric_doorbell(atomic_load_explicit(&link->peer, memory_order_relaxed));

	pthread_mutex_lock(&link->tx_lock);
	if (shca_link_is_up(link)) {
		atomic_fetch_and(doorbell, ~(SHCA_RING_DEVICE | SHCA_RING_STAND_IN));
		shca_socket_kick(link->tx_socket);
	}
	pthread_mutex_unlock(&link->tx_lock);
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
