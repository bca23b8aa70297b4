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

/* The data path of links: what happens per packet. shca_link_table.c creates and ends links. */
#include <errno.h>
#include <sys/socket.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"
#include "base/shca_util.h"
#include "fault/shca_fault.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link_internal.h"
#include "wire/shca_link_socket.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_wire_upcalls.h"
#include "wire/shca_wire_user.h"

#define LARGEST_PAYLOAD	(SHCA_SEGMENT + SHCA_GRH_SIZE)
/*
 * Bytes per batch. A batch is returned at once: the sender copies the next one in while this side copies its own out.
 */
#define DRAIN_BYTES	(SHCA_RING_DATA / 16)
/* How long a thread that was woken may take, if somebody polls meanwhile. */
#define WOKEN_NS	1000000u

/* The outermost lock, held while blocked queue pairs are called; removing a queue pair waits for it. */
static pthread_mutex_t unblock_lock = PTHREAD_MUTEX_INITIALIZER;

_Atomic bool shca_links_are_cut;

bool shca_links_set_carrier(bool up)
{
	return atomic_exchange(&shca_links_are_cut, !up) == up;
}

/* ---- sending ---- */

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

/* Returns false if the packet is lost. */
static bool survives_faults(struct shca_link *link, struct shca_packet *packet)
{
	uint32_t delay;

	shca_fault_maybe_kill();
	if (shca_fault_lose_peer())
		link->is_lost = true;
	if (link->is_lost || shca_fault_drop_packet())
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
	bool sent = shca_link_is_up(link) && SHCA_LIKELY(!link->is_lost && shca_links_have_carrier());

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
	drained = !shca_link_is_up(link) || link->is_lost || shca_ring_is_drained(&link->tx);
	pthread_mutex_unlock(&link->tx_lock);
	return drained;
}

/* ---- waking ---- */

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
 * Wakes the threads whose descriptors the link has. Returns whom else to wake: a thread that wakes does the helper
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

/* whom: bits of the peer's doorbell. */
static void wake(struct shca_link *link, uint32_t whom)
{
	uint32_t peer = atomic_load_explicit(&link->peer, memory_order_relaxed);
	_Atomic uint32_t *doorbell = shca_fabric_doorbell(peer);
	uint32_t asleep = atomic_load_explicit(doorbell, memory_order_relaxed) & (whom | SHCA_RING_STAND_IN);

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
	uint32_t whom;

	if (!atomic_load_explicit(&link->unrung, memory_order_relaxed))
		return;
	/* Acquire: our fence then covers another thread's packets as well as our own. */
	whom = atomic_exchange_explicit(&link->unrung, 0, memory_order_acq_rel);
	/* A thread that sends to its own process usually handles the packets itself. */
	if (atomic_load_explicit(&link->peer, memory_order_relaxed) == shca_fabric_slot() &&
	    !shca_ring_has_packet(&link->rx))
		return;
	shca_full_fence();
	wake(link, whom);
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
 * A thread that wakes somebody meanwhile stores a later time, which stays. The clock first: every poll comes here while
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

/* ---- receiving ---- */

bool shca_link_has_packet(const struct shca_link *link)
{
	uint64_t held_until;

	if (SHCA_LIKELY(!shca_ring_has_packet(&link->rx)))
		return false;
	held_until = atomic_load_explicit(&link->held_until, memory_order_relaxed);
	return SHCA_LIKELY(!held_until) || shca_now() >= held_until;
}

/* Under rx_lock. The end of the socket notifies the helper thread, which does the rest. */
static void take_down_broken(struct shca_link *link)
{
	static _Atomic uint64_t count;
	enum shca_link_state up = SHCA_LINK_UP;

	if (!atomic_compare_exchange_strong(&link->state, &up, SHCA_LINK_DEAD))
		return;
	shca_say_seldom(&count, "process %u in slot %u has written into its ring what no packet is: its link is closed",
			shca_fabric_pid(link->peer), link->peer);
	shutdown(link->rx_socket, SHUT_RDWR);
}

/* Returns false if the oldest packet, and all behind it, must wait. */
static bool is_due(struct shca_link *link, const struct shca_packet *packet)
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

/*
 * Whether the packet is between these two processes: not for a previous owner of our slot, and not with another's
 * source.
 */
static bool is_between_us(const struct shca_link *link, const struct shca_packet *packet)
{
	return shca_slot_of_qpn(packet->source) == atomic_load_explicit(&link->peer, memory_order_relaxed) &&
	       shca_slot_of_qpn(packet->destination) == shca_fabric_slot();
}

static unsigned int handle_packets(struct shca_link *link, unsigned int budget, bool dying)
{
	uint32_t start = link->rx.data_taken;
	unsigned int handled = 0;
	bool broken = false;

	while (handled < budget && (dying || link->rx.data_taken - start < DRAIN_BYTES)) {
		struct shca_packet *packet = shca_ring_peek(&link->rx, &broken);

		if (!packet || (!dying && !is_due(link, packet)))
			break;
		if (SHCA_LIKELY(is_between_us(link, packet) && shca_links_have_carrier()))
			shca_qp_receive(link, packet, shca_ring_payload(&link->rx, packet));
		shca_ring_take(&link->rx, packet);
		handled++;
	}
	if (SHCA_UNLIKELY(broken))
		take_down_broken(link);
	return handled;
}

unsigned int shca_link_drain(struct shca_link *link, unsigned int budget)
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
			waited_for = shca_ring_release(&link->rx);
		}
	}
	pthread_mutex_unlock(&link->rx_lock);
	if (SHCA_UNLIKELY(waited_for))
		wake(link, SHCA_RING_DEVICE);
	shca_link_ring_doorbell(link);
	return handled;
}

void shca_link_drain_rest(struct shca_link *link)
{
	handle_packets(link, SHCA_RING_SLOTS, true);
	shca_qp_acknowledge_all(link);
}

/* ---- queue pairs that wait for room ---- */

static struct shca_wire_user *pop_all_if_room(struct shca_link *link)
{
	struct shca_wire_user *list = NULL;

	pthread_mutex_lock(&link->tx_lock);
	if (!shca_link_is_up(link) || shca_ring_reserve(&link->tx, LARGEST_PAYLOAD)) {
		list = link->blocked;
		link->blocked = NULL;
		atomic_store(&link->has_blocked, false);
	}
	pthread_mutex_unlock(&link->tx_lock);
	return list;
}

void shca_link_unblock(struct shca_link *link)
{
	struct shca_wire_user *user;

	/* The holder of the lock calls them, or will come here again. */
	if (!atomic_load(&link->has_blocked) || pthread_mutex_trylock(&unblock_lock))
		return;
	user = pop_all_if_room(link);
	while (user) {
		/* Read next first: once the queue pair is not blocked it may be put on a list again. */
		struct shca_wire_user *next = user->next_blocked;

		atomic_store(&user->is_blocked, false);
		shca_qp_unblock(user);
		user = next;
	}
	pthread_mutex_unlock(&unblock_lock);
	shca_link_ring_doorbell(link);
}

static bool remove_blocked(struct shca_link *link, struct shca_wire_user *user)
{
	struct shca_wire_user **at = &link->blocked;

	while (*at && *at != user)
		at = &(*at)->next_blocked;
	if (!*at)
		return false;
	*at = user->next_blocked;
	return true;
}

static void remove_ack(struct shca_link *link, struct shca_wire_user *user)
{
	struct shca_wire_user **at = &link->acks;

	while (*at && *at != user)
		at = &(*at)->next_ack;
	if (*at) {
		*at = user->next_ack;
		user->is_on_acks = false;
	}
}

void shca_links_forget(struct shca_wire_user *user)
{
	uint32_t count = shca_link_count();
	uint32_t i;

	/* With this lock, no thread has the queue pair on a private list and is about to call it. */
	pthread_mutex_lock(&unblock_lock);
	for (i = 0; i < count; i++) {
		struct shca_link *link = shca_link_at(i);

		pthread_mutex_lock(&link->rx_lock);
		remove_ack(link, user);
		pthread_mutex_lock(&link->tx_lock);
		if (remove_blocked(link, user))
			atomic_store(&user->is_blocked, false);
		pthread_mutex_unlock(&link->tx_lock);
		pthread_mutex_unlock(&link->rx_lock);
	}
	pthread_mutex_unlock(&unblock_lock);
}

void shca_links_quiesce(void)
{
	uint32_t count = shca_link_count();
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct shca_link *link = shca_link_at(i);

		pthread_mutex_lock(&link->rx_lock);
		pthread_mutex_unlock(&link->rx_lock);
	}
	pthread_mutex_lock(&unblock_lock);
	pthread_mutex_unlock(&unblock_lock);
}
