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
 * Creates and ends links. A FREE struct is taken, mapped and brought UP under the table's lock, by the thread that
 * needs it first, or by the helper thread of the peer. The helper thread alone ends links, with their process.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/shca_error.h"
#include "base/shca_say.h"
#include "base/shca_util.h"
#include "wire/shca_process_internal.h"

static pthread_once_t sets_once = PTHREAD_ONCE_INIT;
struct shca_link_set shca_link_sets[SHCA_LINK_SETS];

/* ---- sets ---- */

static void init_sets(void)
{
	for (uint32_t i = 0; i < SHCA_LINK_SETS; i++)
		pthread_mutex_init(&shca_link_sets[i].unblock_lock, NULL);
}

struct shca_link_set *shca_link_set_take(void)
{
	struct shca_link_set *set = &shca_link_sets[0];

	pthread_once(&sets_once, init_sets);
	pthread_mutex_lock(&shca_table_lock);
	for (uint32_t i = 1; i < SHCA_LINK_SETS; i++)
		if (shca_link_sets[i].users < set->users)
			set = &shca_link_sets[i];
	set->users++;
	pthread_mutex_unlock(&shca_table_lock);
	return set;
}

void shca_link_set_leave(struct shca_link_set *set)
{
	pthread_mutex_lock(&shca_table_lock);
	set->users--;
	pthread_mutex_unlock(&shca_table_lock);
}

/* ---- structs; with the table's lock held; NULL with errno ---- */

static struct shca_link *new_link(struct shca_link_set *set)
{
	static _Atomic uint64_t refused;
	uint32_t count = shca_links_used(set);
	struct shca_link *link = &set->links[count];

	if (count == SHCA_MAX_LINKS) {
		shca_fail_seldom(&refused, ENOBUFS, "a context of this process has %u links already", SHCA_MAX_LINKS);
		return shca_null(ENOBUFS);
	}
	link->memory = mmap(NULL, 2 * shca_ring_bytes(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (link->memory == MAP_FAILED) {
		shca_fail_seldom(&refused, ENOMEM, "no address space for a link: %s. See ulimit -v", strerror(errno));
		return shca_null(ENOMEM);
	}
	link->set = set;
	link->own_set = shca_link_set_number(set);
	pthread_mutex_init(&link->rx_lock, NULL);
	pthread_mutex_init(&link->tx_lock, NULL);
	shca_ring_view(&link->rx, link->memory);
	shca_ring_view(&link->tx, shca_link_tx_memory(link));
	atomic_store_explicit(&set->count, count + 1, memory_order_release);
	return link;
}

static struct shca_link *take_link(struct shca_link_set *set)
{
	uint32_t count = shca_links_used(set);

	for (uint32_t i = 0; i < count; i++)
		if (atomic_load(&set->links[i].state) == SHCA_LINK_FREE)
			return &set->links[i];
	return new_link(set);
}

/*
 * The link's memory is mapped, and its tx_lock held. From now on packets are taken from it, so call this before the
 * peer is notified.
 */
static void bring_up(struct shca_link *link, struct shca_process *process, uint32_t their_set)
{
	uint32_t slot = atomic_load(&process->slot);
	struct shca_link *_Atomic *first = &link->set->by_peer[slot][their_set];

	atomic_store(&link->process, process);
	atomic_store(&link->peer, slot);
	atomic_store(&link->their_set, their_set);
	link->set_of_block = shca_fabric_set_of_block(shca_fabric_slot(), 0);
	atomic_store(&link->held_until, 0);
	atomic_store(&link->unrung, 0);
	atomic_store(&link->woken_at, 0);
	link->last_not_before = 0;
	shca_ring_restart(&link->rx);
	shca_ring_restart(&link->tx);
	link->next_of_process = atomic_load(&process->links);
	atomic_store(&process->links, link);
	atomic_store(&link->state, SHCA_LINK_UP);
	if (!atomic_load(first) || !shca_link_is_up(atomic_load(first)))
		atomic_store(first, link);
}

/* Maps the memory and brings the link up. 0 or -errno. */
static int open_link(struct shca_link *link, struct shca_process *process, uint32_t their_set, int memory,
		     bool connecting)
{
	int result;

	pthread_mutex_lock(&link->tx_lock);
	link->is_loop = false;
	result = shca_link_map_shared(link, memory, connecting);
	if (result)
		shca_link_blank(link);
	else
		bring_up(link, process, their_set);
	pthread_mutex_unlock(&link->tx_lock);
	return result;
}

/* ---- the end ---- */

void shca_link_mark_dead(struct shca_link *link)
{
	atomic_store(&link->state, SHCA_LINK_DEAD);
}

/* With tx_lock held, so that no thread sends into the shared memory. */
static void empty(struct shca_link *link)
{
	shca_link_blank(link);
	shca_ring_view(&link->tx, shca_link_tx_memory(link));
	shca_ring_restart(&link->rx);
}

void shca_link_empty(struct shca_link *link)
{
	pthread_mutex_lock(&link->tx_lock);
	empty(link);
	pthread_mutex_unlock(&link->tx_lock);
}

static struct shca_link *other_link(struct shca_link_set *set, uint32_t slot, uint32_t their_set)
{
	uint32_t count = shca_links_used(set);

	for (uint32_t i = 0; i < count; i++) {
		struct shca_link *link = &set->links[i];

		if (shca_link_is_up(link) && atomic_load(&link->peer) == slot &&
		    atomic_load(&link->their_set) == their_set)
			return link;
	}
	return NULL;
}

void shca_link_make_free(struct shca_link *link)
{
	uint32_t slot = atomic_load(&link->peer);
	uint32_t their_set = atomic_load(&link->their_set);
	struct shca_link *_Atomic *first = &link->set->by_peer[slot][their_set];

	pthread_mutex_lock(&shca_table_lock);
	if (atomic_load(first) == link)
		atomic_store(first, other_link(link->set, slot, their_set));
	atomic_fetch_add(&link->life, 1);
	atomic_store(&link->state, SHCA_LINK_FREE);
	pthread_mutex_unlock(&shca_table_lock);
}

/* ---- accepting ---- */

int shca_link_got_memory(struct shca_process *process, uint32_t own_set, uint32_t their_set, int memory)
{
	struct shca_link *link;
	int result;

	pthread_mutex_lock(&shca_table_lock);
	link = take_link(&shca_link_sets[own_set]);
	result = link ? open_link(link, process, their_set, memory, false) : -errno;
	pthread_mutex_unlock(&shca_table_lock);
	return result;
}

/* ---- connecting; with the table's lock held ---- */

/* What the link sends goes into the ring that the other one, or the link itself, receives from. */
static void open_own(struct shca_link *link, struct shca_link *to, struct shca_process *process)
{
	pthread_mutex_lock(&link->tx_lock);
	link->is_loop = link == to;
	shca_ring_view(&link->tx, to->memory);
	bring_up(link, process, to->own_set);
	pthread_mutex_unlock(&link->tx_lock);
}

/* Two sets of this process have a link each. A set and itself have one, with one ring. */
static int connect_own(struct shca_link_set *set, struct shca_process *process, uint32_t their_set,
		       struct shca_link **connected)
{
	struct shca_link *link = take_link(set);
	struct shca_link *other = link;

	if (link && &shca_link_sets[their_set] != set)
		other = take_link(&shca_link_sets[their_set]);
	if (!other)
		return -errno;
	shca_link_blank(link);
	shca_link_blank(other);
	open_own(other, link, process);
	if (other != link)
		open_own(link, other, process);
	*connected = link;
	return 0;
}

/* If the peer does not get the memory, the processes cannot talk to each other any more. */
static int pass_memory(struct shca_link *link, struct shca_process *process, uint32_t their_set)
{
	int memory = shca_link_create_memory();
	int result = memory < 0 ? memory : open_link(link, process, their_set, memory, true);

	if (!result && shca_process_pass_memory(process, link->own_set, their_set, memory))
		shutdown(process->rx_socket, SHUT_RDWR);
	if (memory >= 0)
		close(memory);
	return result;
}

static int connect_link(struct shca_link_set *set, uint32_t slot, uint32_t their_set, struct shca_link **connected)
{
	struct shca_process *process;
	struct shca_link *link;
	int result = shca_process_reach_locked(slot, &process);

	if (result)
		return result;
	if (slot == shca_fabric_slot())
		return connect_own(set, process, their_set, connected);
	link = take_link(set);
	result = link ? pass_memory(link, process, their_set) : -errno;
	if (!result)
		*connected = link;
	return result;
}

static struct shca_link *known_link(struct shca_link_set *set, uint32_t slot, uint32_t their_set)
{
	struct shca_link *link = atomic_load_explicit(&set->by_peer[slot][their_set], memory_order_acquire);

	if (link && shca_link_is_up(link) && atomic_load_explicit(&link->peer, memory_order_relaxed) == slot &&
	    atomic_load_explicit(&link->their_set, memory_order_relaxed) == their_set)
		return link;
	return NULL;
}

int shca_link_reach(struct shca_link_set *set, uint32_t slot, uint32_t their_set, struct shca_link **link)
{
	int result = 0;

	if (slot >= SHCA_FABRIC_SLOTS)
		return -ECONNREFUSED;
	*link = known_link(set, slot, their_set);
	if (SHCA_LIKELY(*link))
		return 0;
	if (!shca_process_may_answer(slot))
		return -ECONNREFUSED;
	pthread_mutex_lock(&shca_table_lock);
	*link = known_link(set, slot, their_set);
	if (!*link)
		result = connect_link(set, slot, their_set, link);
	pthread_mutex_unlock(&shca_table_lock);
	return result;
}

struct shca_link *shca_link_to(struct shca_link_set *set, uint32_t qpn)
{
	struct shca_link *link;
	int result = shca_link_reach(set, shca_slot_of_qpn(qpn), shca_set_of_qpn(qpn), &link);

	if (SHCA_LIKELY(!result))
		return link;
	shca_reason(-result);
	return NULL;
}

void shca_links_forked(void)
{
	for (uint32_t i = 0; i < SHCA_LINK_SETS; i++) {
		struct shca_link_set *set = &shca_link_sets[i];

		pthread_mutex_init(&set->unblock_lock, NULL);
		for (uint32_t j = 0; j < shca_links_used(set); j++) {
			struct shca_link *link = &set->links[j];

			atomic_store(&link->state, SHCA_LINK_DEAD);
			pthread_mutex_init(&link->rx_lock, NULL);
			pthread_mutex_init(&link->tx_lock, NULL);
			empty(link);
		}
	}
}
