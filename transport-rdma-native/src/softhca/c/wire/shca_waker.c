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
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "wire/shca_process_socket.h"

/* Taken before a process's lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Of this process, by set and number. The descriptors are their owners'. */
static struct shca_peer_waker wakers[SHCA_LINK_SETS][SHCA_WAKERS + 1];
static uint32_t last_serial;

/* ---- the descriptor of a waker, while threads may be about to write it ---- */

/*
 *	a sender			the thread that takes it away
 *
 *	users + 1
 *					serial = 0
 *					waits until there are no users
 *	serial: 0, writes nothing
 *	users - 1
 *					closes the descriptor, stores the next one
 *
 * All are sequentially consistent: either the sender sees serial 0, or the other thread sees the user.
 */
static uint32_t take_away(struct shca_peer_waker *waker)
{
	uint32_t before = atomic_exchange(&waker->serial, 0);

	while (atomic_load(&waker->users))
		sched_yield();
	return before;
}

/* ---- this process's own wakers ---- */

uint32_t shca_waker_add(struct shca_link_set *set, int fd)
{
	uint32_t number = shca_link_set_number(set);
	uint32_t waker = 1;

	pthread_mutex_lock(&lock);
	while (waker <= SHCA_WAKERS && atomic_load(&wakers[number][waker].serial))
		waker++;
	if (waker <= SHCA_WAKERS) {
		wakers[number][waker].fd = fd;
		atomic_store(&wakers[number][waker].serial, ++last_serial);
		atomic_store(shca_fabric_waker(shca_fabric_slot(), number, waker), last_serial);
	} else {
		waker = 0;
	}
	pthread_mutex_unlock(&lock);
	return waker;
}

void shca_waker_remove(struct shca_link_set *set, uint32_t waker)
{
	uint32_t number = shca_link_set_number(set);
	uint32_t count = shca_process_count();

	pthread_mutex_lock(&lock);
	take_away(&wakers[number][waker]);
	atomic_store(shca_fabric_waker(shca_fabric_slot(), number, waker), 0);
	atomic_fetch_and(shca_fabric_doorbell(shca_fabric_slot(), number), ~(1u << waker));
	for (uint32_t i = 0; i < count; i++)
		atomic_fetch_and(&shca_process_at(i)->passed[number], ~(1u << waker));
	pthread_mutex_unlock(&lock);
}

/* If the socket is full the next call tries again; until then the peer wakes the helper thread. */
static void pass_to(struct shca_process *process, uint32_t set, uint32_t waker)
{
	struct shca_waker_datagram datagram = {
		SHCA_DATAGRAM_WAKER, set, waker, atomic_load(&wakers[set][waker].serial),
	};

	pthread_mutex_lock(&process->lock);
	if (shca_process_is_up(process) &&
	    !shca_socket_send_waker(process->tx_socket, &datagram, wakers[set][waker].fd))
		atomic_fetch_or(&process->passed[set], 1u << waker);
	pthread_mutex_unlock(&process->lock);
}

/* This process itself needs no copy of the descriptor. */
static bool needs(struct shca_process *process, uint32_t set, uint32_t waker)
{
	return shca_process_is_up(process) && atomic_load(&process->slot) != shca_fabric_slot() &&
	       !(atomic_load(&process->passed[set]) & 1u << waker);
}

void shca_waker_pass(struct shca_link_set *set, uint32_t waker)
{
	uint32_t number = shca_link_set_number(set);
	uint32_t count = shca_process_count();

	for (uint32_t i = 0; i < count; i++) {
		struct shca_process *process = shca_process_at(i);

		if (!needs(process, number, waker))
			continue;
		pthread_mutex_lock(&lock);
		if (atomic_load(&wakers[number][waker].serial))
			pass_to(process, number, waker);
		pthread_mutex_unlock(&lock);
	}
}

void shca_wakers_forked(void)
{
	uint32_t count = shca_process_count();

	pthread_mutex_init(&lock, NULL);
	memset(wakers, 0, sizeof(wakers));
	/* Threads of the parent that were about to write a descriptor are not here. */
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t set = 0; set < SHCA_LINK_SETS; set++)
			for (uint32_t waker = 1; waker <= SHCA_WAKERS; waker++)
				atomic_store(&shca_process_at(i)->wakers[set][waker].users, 0);
}

/* ---- the peer's ---- */

static void replace(struct shca_peer_waker *waker, uint32_t serial, int fd)
{
	if (take_away(waker))
		close(waker->fd);
	waker->fd = fd;
	atomic_store(&waker->serial, serial);
}

void shca_waker_received(struct shca_process *process, uint32_t set, uint32_t waker, uint32_t serial, int fd)
{
	replace(&process->wakers[set][waker], serial, fd);
}

void shca_wakers_drop(struct shca_process *process)
{
	for (uint32_t set = 0; set < SHCA_LINK_SETS; set++)
		for (uint32_t i = 1; i <= SHCA_WAKERS; i++)
			replace(&process->wakers[set][i], 0, -1);
}

/* While the waker has a user and a serial, the struct is not reused for another process. */
bool shca_waker_wake(struct shca_process *process, uint32_t slot, uint32_t set, uint32_t waker)
{
	struct shca_peer_waker *theirs = slot == shca_fabric_slot() ? &wakers[set][waker] :
									&process->wakers[set][waker];
	uint32_t bit = 1u << waker;
	uint32_t serial;
	bool known;

	atomic_fetch_add(&theirs->users, 1);
	serial = atomic_load(&theirs->serial);
	known = serial && slot == atomic_load(&process->slot) &&
		serial == atomic_load(shca_fabric_waker(slot, set, waker));
	/* The write fails only if the counter is full: the descriptor is readable then. */
	if (known && atomic_fetch_and(shca_fabric_doorbell(slot, set), ~bit) & bit)
		eventfd_write(theirs->fd, 1);
	atomic_fetch_sub(&theirs->users, 1);
	return known;
}
