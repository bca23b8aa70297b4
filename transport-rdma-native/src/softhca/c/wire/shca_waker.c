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

#include "wire/shca_waker.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "registry/shca_fabric_file.h"
#include "wire/shca_link_internal.h"
#include "wire/shca_link_socket.h"

/* Taken before a link's tx_lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* By number; serial 0: not in use. */
static struct { int fd; uint32_t serial; } wakers[SHCA_WAKERS + 1];
static uint32_t last_serial;

/* ---- this process's own wakers ---- */

uint32_t shca_waker_add(int fd)
{
	uint32_t waker = 1;

	pthread_mutex_lock(&lock);
	while (waker <= SHCA_WAKERS && wakers[waker].serial)
		waker++;
	if (waker <= SHCA_WAKERS) {
		wakers[waker].fd = fd;
		wakers[waker].serial = ++last_serial;
		atomic_store(shca_fabric_waker(shca_fabric_slot(), waker), last_serial);
	} else {
		waker = 0;
	}
	pthread_mutex_unlock(&lock);
	return waker;
}

void shca_waker_remove(uint32_t waker)
{
	uint32_t i;

	pthread_mutex_lock(&lock);
	wakers[waker].serial = 0;
	atomic_store(shca_fabric_waker(shca_fabric_slot(), waker), 0);
	atomic_fetch_and(shca_fabric_doorbell(shca_fabric_slot()), ~(1u << waker));
	for (i = 0; i < shca_link_count(); i++)
		atomic_fetch_and(&shca_link_at(i)->passed, ~(1u << waker));
	pthread_mutex_unlock(&lock);
}

/* If the socket is full the next call tries again; until then the peer wakes the helper thread. */
static void pass_to(struct shca_link *link, uint32_t waker)
{
	pthread_mutex_lock(&link->tx_lock);
	if (shca_link_is_up(link) && link->tx_socket == link->rx_socket &&
	    !shca_socket_send_waker(link->tx_socket, waker, wakers[waker].serial, wakers[waker].fd))
		atomic_fetch_or(&link->passed, 1u << waker);
	pthread_mutex_unlock(&link->tx_lock);
}

void shca_waker_pass(uint32_t waker)
{
	uint32_t count = shca_link_count();
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct shca_link *link = shca_link_at(i);

		if (!shca_link_is_up(link) || atomic_load(&link->passed) & 1u << waker)
			continue;
		pthread_mutex_lock(&lock);
		if (wakers[waker].serial)
			pass_to(link, waker);
		pthread_mutex_unlock(&lock);
	}
}

void shca_wakers_forked(void)
{
	uint32_t count = shca_link_count();
	uint32_t i;

	pthread_mutex_init(&lock, NULL);
	memset(wakers, 0, sizeof(wakers));
	/* Threads of the parent that were about to write a descriptor are not here. */
	for (i = 0; i < count; i++)
		for (uint32_t waker = 1; waker <= SHCA_WAKERS; waker++)
			atomic_store(&shca_link_at(i)->wakers[waker].users, 0);
}

/* ---- the peer's ---- */

/*
 *	a sender			the helper thread
 *
 *	users + 1
 *					serial = 0
 *					waits until there are no users
 *	serial: 0, writes nothing
 *	users - 1
 *					closes the descriptor, stores the next one
 *
 * All are sequentially consistent: either the sender sees serial 0, or the helper thread sees the user.
 */
static void replace(struct shca_peer_waker *waker, uint32_t serial, int fd)
{
	uint32_t before = atomic_exchange(&waker->serial, 0);

	while (atomic_load(&waker->users))
		sched_yield();
	if (before)
		close(waker->fd);
	waker->fd = fd;
	atomic_store(&waker->serial, serial);
}

void shca_waker_received(struct shca_link *link, uint32_t waker, uint32_t serial, int fd)
{
	replace(&link->wakers[waker], serial, fd);
}

void shca_wakers_drop(struct shca_link *link)
{
	uint32_t i;

	for (i = 1; i <= SHCA_WAKERS; i++)
		replace(&link->wakers[i], 0, -1);
}

/* While the waker has a user and a serial, the link is not reused for another peer. */
bool shca_waker_wake(struct shca_link *link, uint32_t peer, uint32_t waker)
{
	struct shca_peer_waker *theirs = &link->wakers[waker];
	uint32_t bit = 1u << waker;
	uint32_t serial;
	bool known;

	atomic_fetch_add(&theirs->users, 1);
	serial = atomic_load(&theirs->serial);
	known = serial && peer == atomic_load(&link->peer) && serial == atomic_load(shca_fabric_waker(peer, waker));
	/* The write fails only if the counter is full: the descriptor is readable then. */
	if (known && atomic_fetch_and(shca_fabric_doorbell(peer), ~bit) & bit)
		eventfd_write(theirs->fd, 1);
	atomic_fetch_sub(&theirs->users, 1);
	return known;
}
