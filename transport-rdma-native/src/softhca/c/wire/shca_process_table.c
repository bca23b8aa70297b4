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
 * Creates and ends processes. A FREE struct is taken under the table's lock. The thread that connects, or the helper
 * thread, brings it UP. The helper thread alone ends it (progress/shca_process_end.c); another thread that finds a
 * broken one shuts its socket down.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/shca_error.h"
#include "base/shca_say.h"
#include "base/shca_util.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_process_internal.h"
#include "wire/shca_process_socket.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"

pthread_mutex_t shca_table_lock = PTHREAD_MUTEX_INITIALIZER;

static struct shca_process processes[SHCA_MAX_PROCESSES];
static _Atomic uint32_t process_count;
/* The process that is asked in each slot: the one that came up first. */
static struct shca_process *_Atomic by_slot[SHCA_FABRIC_SLOTS];
/* Nonces of slots whose process does not answer: callers ask repeatedly. */
static _Atomic uint64_t gone[SHCA_FABRIC_SLOTS];
static int listening = -1;

uint32_t shca_process_count(void)
{
	return atomic_load_explicit(&process_count, memory_order_acquire);
}

struct shca_process *shca_process_at(uint32_t index)
{
	return &processes[index];
}

/* ---- structs; with the table's lock held ---- */

static struct shca_process *new_process(void)
{
	static _Atomic uint64_t refused;
	uint32_t count = shca_process_count();
	struct shca_process *process = &processes[count];

	if (count == SHCA_MAX_PROCESSES) {
		shca_fail_seldom(&refused, ENOBUFS, "this process talks to %u others already", SHCA_MAX_PROCESSES);
		return shca_null(ENOBUFS);
	}
	pthread_mutex_init(&process->lock, NULL);
	process->tx_socket = -1;
	process->rx_socket = -1;
	atomic_store_explicit(&process_count, count + 1, memory_order_release);
	return process;
}

/* Returns NULL with errno. */
static struct shca_process *take_process(int tx_socket, int rx_socket)
{
	uint32_t count = shca_process_count();
	struct shca_process *process = NULL;

	for (uint32_t i = 0; i < count && !process; i++)
		if (atomic_load(&processes[i].state) == SHCA_PROCESS_FREE)
			process = &processes[i];
	if (!process)
		process = new_process();
	if (!process)
		return NULL;
	pthread_mutex_lock(&process->lock);
	process->tx_socket = tx_socket;
	process->rx_socket = rx_socket;
	pthread_mutex_unlock(&process->lock);
	atomic_store(&process->state, SHCA_PROCESS_AWAITING_HELLO);
	return process;
}

static void bring_up(struct shca_process *process, uint32_t slot)
{
	struct shca_process *first = atomic_load(&by_slot[slot]);

	atomic_store(&process->slot, slot);
	atomic_store(&process->nonce, shca_fabric_nonce(slot));
	atomic_store(&process->is_lost, false);
	for (uint32_t set = 0; set < SHCA_LINK_SETS; set++)
		atomic_store(&process->passed[set], 0);
	atomic_store(&process->state, SHCA_PROCESS_UP);
	if (!first || !shca_process_is_up(first))
		atomic_store(&by_slot[slot], process);
}

/* With the process's lock held, so that no thread sends on a descriptor that another socket reuses. */
static void close_sockets(struct shca_process *process)
{
	if (process->rx_socket >= 0)
		close(process->rx_socket);
	if (process->tx_socket >= 0 && process->tx_socket != process->rx_socket)
		close(process->tx_socket);
	process->tx_socket = -1;
	process->rx_socket = -1;
	shca_wakers_drop(process);
	shca_process_drop_messages(process);
}

/* ---- the end ---- */

bool shca_process_mark_dead(struct shca_process *process)
{
	bool was_up;

	pthread_mutex_lock(&shca_table_lock);
	was_up = atomic_exchange(&process->state, SHCA_PROCESS_DEAD) != SHCA_PROCESS_AWAITING_HELLO;
	pthread_mutex_unlock(&shca_table_lock);
	shca_wakeup_unwatch_fd(process->rx_socket);
	return was_up;
}

void shca_process_close(struct shca_process *process)
{
	pthread_mutex_lock(&process->lock);
	close_sockets(process);
	pthread_mutex_unlock(&process->lock);
}

void shca_process_make_free(struct shca_process *process)
{
	uint32_t slot = atomic_load(&process->slot);
	uint32_t count = shca_process_count();

	pthread_mutex_lock(&shca_table_lock);
	if (atomic_load(&by_slot[slot]) == process) {
		atomic_store(&by_slot[slot], NULL);
		for (uint32_t i = 0; i < count; i++)
			if (shca_process_is_up(&processes[i]) && atomic_load(&processes[i].slot) == slot)
				atomic_store(&by_slot[slot], &processes[i]);
	}
	atomic_store(&process->state, SHCA_PROCESS_FREE);
	pthread_mutex_unlock(&shca_table_lock);
}

void shca_process_drop(struct shca_process *process)
{
	shca_process_mark_dead(process);
	shca_process_close(process);
	shca_process_make_free(process);
}

/* ---- accepting ---- */

struct shca_process *shca_process_adopt(int fd)
{
	struct shca_process *process;

	pthread_mutex_lock(&shca_table_lock);
	process = take_process(fd, fd);
	pthread_mutex_unlock(&shca_table_lock);
	return process;
}

void shca_process_got_hello(struct shca_process *process, uint32_t slot)
{
	pthread_mutex_lock(&shca_table_lock);
	bring_up(process, slot);
	pthread_mutex_unlock(&shca_table_lock);
}

/* ---- connecting; with the table's lock held ---- */

/* Our own socket only wakes the helper thread and brings our own messages. */
static int connect_own(struct shca_process **connected)
{
	struct shca_process *process;
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets))
		return -errno;
	process = take_process(sockets[0], sockets[1]);
	if (!process) {
		int error = errno;

		close(sockets[0]);
		close(sockets[1]);
		return -error;
	}
	bring_up(process, shca_fabric_slot());
	*connected = process;
	return shca_wakeup_watch_fd(sockets[1], process);
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

/* The process is UP before HELLO is sent: the peer may answer as soon as it has that. If it never does, both end. */
static int connect_peer(uint32_t slot, uint64_t nonce, struct shca_process **connected)
{
	struct shca_hello hello = {
		.datagram = SHCA_DATAGRAM_HELLO,
		.slot = shca_fabric_slot(),
		.nonce = shca_fabric_nonce(shca_fabric_slot()),
		.version = SHCA_FABRIC_VERSION,
	};
	int fd = connect_socket(slot, nonce);
	struct shca_process *process;

	if (fd < 0)
		return fd;
	process = take_process(fd, fd);
	if (!process) {
		int error = errno;

		close(fd);
		return -error;
	}
	/* With the lock, so that no other thread sends something before HELLO. */
	pthread_mutex_lock(&process->lock);
	bring_up(process, slot);
	if (shca_socket_send_hello(fd, &hello))
		shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&process->lock);
	*connected = process;
	return shca_wakeup_watch_fd(fd, process);
}

static struct shca_process *known_process(uint32_t slot)
{
	struct shca_process *process = atomic_load_explicit(&by_slot[slot], memory_order_acquire);

	if (process && shca_process_is_up(process) &&
	    atomic_load_explicit(&process->slot, memory_order_relaxed) == slot)
		return process;
	return NULL;
}

bool shca_process_may_answer(uint32_t slot)
{
	uint64_t nonce = shca_fabric_nonce(slot);

	return nonce && nonce != atomic_load_explicit(&gone[slot], memory_order_relaxed);
}

int shca_process_reach_locked(uint32_t slot, struct shca_process **process)
{
	*process = known_process(slot);
	if (*process)
		return 0;
	if (listening < 0 || !shca_process_may_answer(slot))
		return -ECONNREFUSED;
	return slot == shca_fabric_slot() ? connect_own(process) :
					    connect_peer(slot, shca_fabric_nonce(slot), process);
}

int shca_process_reach(uint32_t slot, struct shca_process **process)
{
	int result;

	if (slot >= SHCA_FABRIC_SLOTS)
		return -ECONNREFUSED;
	*process = known_process(slot);
	if (*process)
		return 0;
	if (!shca_process_may_answer(slot))
		return -ECONNREFUSED;
	pthread_mutex_lock(&shca_table_lock);
	result = shca_process_reach_locked(slot, process);
	pthread_mutex_unlock(&shca_table_lock);
	return result;
}

/* ---- the listening socket, and a fork ---- */

int shca_processes_listen(int *listening_fd)
{
	char name[SHCA_SOCKET_NAME];

	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	*listening_fd = shca_socket_listen(name);
	if (*listening_fd < 0)
		return shca_fail(-*listening_fd, "@%s: cannot listen: %s", name, strerror(-*listening_fd));
	pthread_mutex_lock(&shca_table_lock);
	listening = *listening_fd;
	pthread_mutex_unlock(&shca_table_lock);
	return 0;
}

void shca_processes_stop_listening(void)
{
	pthread_mutex_lock(&shca_table_lock);
	if (listening >= 0)
		close(listening);
	listening = -1;
	pthread_mutex_unlock(&shca_table_lock);
}

void shca_processes_forked(void)
{
	pthread_mutex_init(&shca_table_lock, NULL);
	if (listening >= 0)
		close(listening);
	listening = -1;
	for (uint32_t i = 0; i < shca_process_count(); i++) {
		atomic_store(&processes[i].state, SHCA_PROCESS_DEAD);
		pthread_mutex_init(&processes[i].lock, NULL);
		close_sockets(&processes[i]);
	}
}
