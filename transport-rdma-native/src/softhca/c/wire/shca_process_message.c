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

/* What is sent through the socket of a process: messages and the memory of links wait for room, and a kick need not. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/shca_clock.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_process_internal.h"
#include "wire/shca_process_socket.h"
#include "wire/shca_wakeup.h"

/* Delay before a retry when a socket had no room. */
#define AGAIN_NS	1000000u

struct shca_process_message {
	struct shca_process_message *next;
	int memory;			/* of a link, whose datagram is in bytes; -1: a CM message */
	size_t size;
	uint8_t bytes[];
};

static int send_now(struct shca_process *process, const void *bytes, size_t size, int memory)
{
	return memory < 0 ? shca_socket_send_message(process->tx_socket, bytes, size) :
			    shca_socket_send_link(process->tx_socket, bytes, memory);
}

/* They keep their order: none overtakes those that wait. */
static int queue(struct shca_process *process, const void *bytes, size_t size, int memory)
{
	struct shca_process_message **end = &process->messages;
	struct shca_process_message *message;

	if (process->message_count == SHCA_PROCESS_QUEUE)
		return -ENOBUFS;
	message = malloc(sizeof(*message) + size);
	if (!message)
		return -ENOMEM;
	message->next = NULL;
	message->memory = memory < 0 ? -1 : fcntl(memory, F_DUPFD_CLOEXEC, 0);
	if (memory >= 0 && message->memory < 0) {
		free(message);
		return -errno;
	}
	message->size = size;
	memcpy(message->bytes, bytes, size);
	while (*end)
		end = &(*end)->next;
	*end = message;
	process->message_count++;
	atomic_store(&process->has_messages, true);
	return 0;
}

static int send_or_queue(struct shca_process *process, const void *bytes, size_t size, int memory)
{
	bool waits = false;
	int result = -EPIPE;

	pthread_mutex_lock(&process->lock);
	if (shca_process_is_up(process)) {
		result = process->messages ? -EAGAIN : send_now(process, bytes, size, memory);
		if (result == -EAGAIN) {
			result = queue(process, bytes, size, memory);
			waits = !result;
		}
	}
	pthread_mutex_unlock(&process->lock);
	if (waits)
		shca_wakeup_at(shca_now() + AGAIN_NS);
	return result;
}

int shca_process_send_message(struct shca_process *process, const void *message, size_t size)
{
	if (size > SHCA_PROCESS_MESSAGE)
		return -EMSGSIZE;
	return shca_links_have_carrier() ? send_or_queue(process, message, size, -1) : 0;
}

int shca_process_pass_memory(struct shca_process *process, uint32_t own_set, uint32_t their_set, int memory)
{
	struct shca_link_datagram datagram = { SHCA_DATAGRAM_LINK, own_set, their_set };

	return send_or_queue(process, &datagram, sizeof(datagram), memory);
}

static void free_message(struct shca_process *process, struct shca_process_message *message)
{
	process->messages = message->next;
	process->message_count--;
	if (message->memory >= 0)
		close(message->memory);
	free(message);
}

/* If the peer does not get the memory of a link, the processes cannot talk to each other any more. */
void shca_process_send_waiting(struct shca_process *process)
{
	struct shca_process_message *message;

	pthread_mutex_lock(&process->lock);
	while (shca_process_is_up(process) && (message = process->messages)) {
		int result = send_now(process, message->bytes, message->size, message->memory);

		if (result == -EAGAIN)
			break;
		if (result && message->memory >= 0)
			shutdown(process->rx_socket, SHUT_RDWR);
		free_message(process, message);
	}
	atomic_store(&process->has_messages, process->messages != NULL);
	pthread_mutex_unlock(&process->lock);
	if (atomic_load(&process->has_messages))
		shca_wakeup_at(shca_now() + AGAIN_NS);
}

void shca_process_drop_messages(struct shca_process *process)
{
	while (process->messages)
		free_message(process, process->messages);
	atomic_store(&process->has_messages, false);
}

/*
 * The thread that clears a bit of the doorbell must wake. If the kick fails it sets the bits again, unless the peer's
 * socket is full: then the peer wakes anyway. A sender that is killed in between wakes the peer by the end of its
 * socket.
 */
void shca_process_kick(struct shca_process *process, _Atomic uint32_t *doorbell, uint32_t bits, bool always)
{
	uint32_t cleared;
	int result = 0;

	pthread_mutex_lock(&process->lock);
	if (shca_process_is_up(process)) {
		cleared = atomic_fetch_and(doorbell, ~bits) & bits;
		if (cleared || always)
			result = shca_socket_kick(process->tx_socket);
		if (result && result != -EAGAIN)
			atomic_fetch_or(doorbell, cleared);
	}
	pthread_mutex_unlock(&process->lock);
}
