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
 * Creates and ends links. A FREE struct is taken under table_lock. The thread that connects, or the helper thread,
 * brings it UP. The helper thread alone ends links (progress/shca_link_end.c); another thread that finds a broken link
 * shuts its socket down.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/shca_error.h"
#include "base/shca_say.h"
#include "base/shca_util.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link_internal.h"
#include "wire/shca_link_socket.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"

struct shca_link_set shca_process_links;

/* Taken after a queue pair's lock and before a tx_lock. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
/* The link for requests to each slot: the one that came up first. */
static struct shca_link *_Atomic by_slot[SHCA_FABRIC_SLOTS];
/* Nonces of slots whose process does not answer: callers ask repeatedly. */
static _Atomic uint64_t gone[SHCA_FABRIC_SLOTS];
static int listening = -1;

/* ---- structs; with table_lock held; NULL with errno ---- */

static struct shca_link *new_link(void)
{
	static _Atomic uint64_t refused;
	uint32_t count = shca_link_count();
	struct shca_link *link = shca_link_at(count);

	if (count == SHCA_MAX_LINKS) {
		shca_fail_seldom(&refused, ENOBUFS, "this process has %u links already", SHCA_MAX_LINKS);
		return shca_null(ENOBUFS);
	}
	link->memory = mmap(NULL, 2 * shca_ring_bytes(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (link->memory == MAP_FAILED) {
		shca_fail_seldom(&refused, ENOMEM, "no address space for a link: %s. See ulimit -v", strerror(errno));
		return shca_null(ENOMEM);
	}
	pthread_mutex_init(&link->rx_lock, NULL);
	pthread_mutex_init(&link->tx_lock, NULL);
	shca_ring_view(&link->rx, link->memory);
	shca_ring_view(&link->tx, shca_link_tx_memory(link));
	link->tx_socket = -1;
	link->rx_socket = -1;
	atomic_store_explicit(&shca_process_links.count, count + 1, memory_order_release);
	return link;
}

static struct shca_link *take_link(void)
{
	uint32_t count = shca_link_count();
	struct shca_link *link = NULL;
	uint32_t i;

	for (i = 0; i < count && !link; i++)
		if (atomic_load(&shca_link_at(i)->state) == SHCA_LINK_FREE)
			link = shca_link_at(i);
	if (!link)
		link = new_link();
	if (link)
		atomic_store(&link->state, SHCA_LINK_AWAITING_HELLO);
	return link;
}

/* The link's memory is mapped. From now on packets are taken from it, so call this before the peer is notified. */
static void bring_up(struct shca_link *link, uint32_t slot)
{
	atomic_store(&link->peer, slot);
	atomic_store(&link->nonce, shca_fabric_nonce(slot));
	atomic_store(&link->held_until, 0);
	atomic_store(&link->unrung, 0);
	atomic_store(&link->woken_at, 0);
	atomic_store(&link->passed, 0);
	link->is_lost = false;
	link->last_not_before = 0;
	shca_ring_restart(&link->rx);
	shca_ring_restart(&link->tx);
	atomic_store(&link->state, SHCA_LINK_UP);
	if (!atomic_load(&by_slot[slot]) || !shca_link_is_up(atomic_load(&by_slot[slot])))
		atomic_store(&by_slot[slot], link);
}

/* With tx_lock held, so that no thread sends on a descriptor that another socket reuses, or into the shared memory. */
static void empty(struct shca_link *link)
{
	shca_link_blank(link);
	shca_ring_view(&link->tx, shca_link_tx_memory(link));
	shca_ring_restart(&link->rx);
	if (link->rx_socket >= 0)
		close(link->rx_socket);
	if (link->tx_socket >= 0 && link->tx_socket != link->rx_socket)
		close(link->tx_socket);
	link->tx_socket = -1;
	link->rx_socket = -1;
	shca_wakers_drop(link);
	shca_link_drop_messages(link);
}

bool shca_link_mark_dead(struct shca_link *link)
{
	bool was_up = atomic_exchange(&link->state, SHCA_LINK_DEAD) != SHCA_LINK_AWAITING_HELLO;

	shca_wakeup_unwatch_fd(link->rx_socket);
	return was_up;
}

void shca_link_empty(struct shca_link *link)
{
	pthread_mutex_lock(&link->tx_lock);
	empty(link);
	pthread_mutex_unlock(&link->tx_lock);
}

void shca_link_make_free(struct shca_link *link)
{
	uint32_t slot = atomic_load(&link->peer);
	uint32_t i;

	pthread_mutex_lock(&table_lock);
	if (atomic_load(&by_slot[slot]) == link) {
		atomic_store(&by_slot[slot], NULL);
		for (i = 0; i < shca_link_count(); i++)
			if (shca_link_is_up(shca_link_at(i)) && atomic_load(&shca_link_at(i)->peer) == slot)
				atomic_store(&by_slot[slot], shca_link_at(i));
	}
	atomic_fetch_add(&link->life, 1);
	atomic_store(&link->state, SHCA_LINK_FREE);
	pthread_mutex_unlock(&table_lock);
}

void shca_link_drop(struct shca_link *link)
{
	shca_link_mark_dead(link);
	pthread_mutex_lock(&link->rx_lock);
	shca_link_empty(link);
	pthread_mutex_unlock(&link->rx_lock);
	shca_link_make_free(link);
}

/* ---- accepting ---- */

struct shca_link *shca_link_adopt(int fd)
{
	struct shca_link *link;

	pthread_mutex_lock(&table_lock);
	link = take_link();
	if (link) {
		pthread_mutex_lock(&link->tx_lock);
		link->tx_socket = fd;
		link->rx_socket = fd;
		pthread_mutex_unlock(&link->tx_lock);
	}
	pthread_mutex_unlock(&table_lock);
	return link;
}

int shca_link_got_hello(struct shca_link *link, uint32_t slot, int memory)
{
	int result;

	pthread_mutex_lock(&table_lock);
	pthread_mutex_lock(&link->tx_lock);
	result = shca_link_map_shared(link, memory, false);
	if (!result)
		bring_up(link, slot);
	pthread_mutex_unlock(&link->tx_lock);
	pthread_mutex_unlock(&table_lock);
	return result;
}

/* ---- connecting ---- */

/* One ring is enough for the link to ourselves. Its socket only wakes the helper thread. */
static int map_own(struct shca_link *link)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets))
		return -errno;
	pthread_mutex_lock(&link->tx_lock);
	link->tx_socket = sockets[0];
	link->rx_socket = sockets[1];
	shca_link_blank(link);
	shca_ring_view(&link->tx, link->memory);
	bring_up(link, shca_fabric_slot());
	pthread_mutex_unlock(&link->tx_lock);
	return shca_wakeup_watch_fd(link->rx_socket, link);
}

static int connect_socket(uint32_t slot, uint64_t nonce)
{
	static _Atomic uint64_t foreign;
	char name[SHCA_SOCKET_NAME];
	int fd;

	shca_fabric_socket_name(slot, name, sizeof(name));
	fd = shca_socket_connect(name);
	if (fd == -ECONNREFUSED)
		atomic_store(&gone[slot], nonce);
	if (fd < 0)
		return fd;
	if (shca_socket_is_peer(fd, shca_fabric_visible_pid(slot)))
		return fd;
	atomic_store(&gone[slot], nonce);
	close(fd);
	return shca_fail_seldom(&foreign, EPERM, "the answer for process %u in slot %u is of another process or "
				"user: refused", shca_fabric_pid(slot), slot);
}

/*
 * The link is UP before HELLO is sent: the peer may answer as soon as it has HELLO. If the peer never gets it, the link
 * ends at once.
 */
static int send_hello(struct shca_link *link, uint32_t slot, int fd, int memory)
{
	struct shca_hello hello = {
		.datagram = SHCA_DATAGRAM_HELLO,
		.slot = shca_fabric_slot(),
		.nonce = shca_fabric_nonce(shca_fabric_slot()),
		.version = SHCA_FABRIC_VERSION,
	};
	int result;

	pthread_mutex_lock(&link->tx_lock);
	link->tx_socket = fd;
	link->rx_socket = fd;
	result = shca_link_map_shared(link, memory, true);
	if (!result)
		bring_up(link, slot);
	if (!result && shca_socket_send_hello(fd, &hello, memory))
		shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&link->tx_lock);
	return result ? result : shca_wakeup_watch_fd(fd, link);
}

static int connect_peer(struct shca_link *link, uint32_t slot, uint64_t nonce)
{
	int memory = shca_link_create_memory();
	int result = memory;
	int fd;

	if (memory < 0)
		return result;
	fd = connect_socket(slot, nonce);
	result = fd < 0 ? fd : send_hello(link, slot, fd, memory);
	close(memory);
	return result;
}

/* With table_lock held. The helper thread handles the end of a link that came up; a link that did not is freed here. */
static int connect_link(uint32_t slot, uint64_t nonce, struct shca_link **connected)
{
	struct shca_link *link = take_link();
	int result;

	if (!link)
		return -errno;
	result = slot == shca_fabric_slot() ? map_own(link) : connect_peer(link, slot, nonce);
	if (!result || shca_link_is_up(link)) {
		*connected = link;
		return 0;
	}
	shca_link_empty(link);
	atomic_store(&link->state, SHCA_LINK_FREE);
	return result;
}

static struct shca_link *known_link(uint32_t slot)
{
	struct shca_link *link = atomic_load_explicit(&by_slot[slot], memory_order_acquire);

	if (link && shca_link_is_up(link) && atomic_load_explicit(&link->peer, memory_order_relaxed) == slot)
		return link;
	return NULL;
}

int shca_link_reach(uint32_t slot, struct shca_link **link)
{
	uint64_t nonce;
	int result = 0;

	if (slot >= SHCA_FABRIC_SLOTS)
		return -ECONNREFUSED;
	*link = known_link(slot);
	if (SHCA_LIKELY(*link))
		return 0;
	nonce = shca_fabric_nonce(slot);
	if (!nonce || nonce == atomic_load_explicit(&gone[slot], memory_order_relaxed))
		return -ECONNREFUSED;
	pthread_mutex_lock(&table_lock);
	*link = known_link(slot);
	if (!*link)
		result = listening >= 0 ? connect_link(slot, nonce, link) : -ECONNREFUSED;
	pthread_mutex_unlock(&table_lock);
	return result;
}

struct shca_link *shca_link_to(uint32_t slot)
{
	struct shca_link *link;
	int result = shca_link_reach(slot, &link);

	if (SHCA_LIKELY(!result))
		return link;
	shca_reason(-result);
	return NULL;
}

/* ---- the listening socket, and a fork ---- */

int shca_links_listen(int *listening_fd)
{
	char name[SHCA_SOCKET_NAME];

	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	*listening_fd = shca_socket_listen(name);
	if (*listening_fd < 0)
		return shca_fail(-*listening_fd, "@%s: cannot listen: %s", name, strerror(-*listening_fd));
	pthread_mutex_lock(&table_lock);
	listening = *listening_fd;
	pthread_mutex_unlock(&table_lock);
	return 0;
}

void shca_links_stop_listening(void)
{
	pthread_mutex_lock(&table_lock);
	if (listening >= 0)
		close(listening);
	listening = -1;
	pthread_mutex_unlock(&table_lock);
}

void shca_links_forked(void)
{
	uint32_t i;

	pthread_mutex_init(&table_lock, NULL);
	if (listening >= 0)
		close(listening);
	listening = -1;
	for (i = 0; i < shca_link_count(); i++) {
		struct shca_link *link = shca_link_at(i);

		atomic_store(&link->state, SHCA_LINK_DEAD);
		pthread_mutex_init(&link->rx_lock, NULL);
		pthread_mutex_init(&link->tx_lock, NULL);
		empty(link);
	}
}
