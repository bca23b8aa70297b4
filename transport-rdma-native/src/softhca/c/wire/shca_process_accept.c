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

/* Accepts processes and reads their sockets. Helper thread only. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/shca_say.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_process_internal.h"
#include "wire/shca_process_socket.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"

/* At a time: foreign processes must not keep the helper thread from its other work. */
#define ACCEPTED	64

static void adopt_socket(int fd)
{
	static _Atomic uint64_t foreign;
	struct shca_process *process;

	if (!shca_socket_is_peer(fd, 0)) {
		shca_say_seldom(&foreign, "a process of another user tried to connect to this one: refused");
		close(fd);
		return;
	}
	process = shca_process_adopt(fd);
	if (!process)
		close(fd);
	else if (shca_wakeup_watch_fd(fd, process))
		shca_process_drop(process);
}

bool shca_processes_accept(int listening_fd)
{
	static _Atomic uint64_t failures;

	for (int i = 0; i < ACCEPTED; i++) {
		int fd = shca_socket_accept(listening_fd);

		if (fd == -EAGAIN)
			return true;
		if (fd < 0) {
			shca_say_seldom(&failures, "cannot accept a process that wants to connect to this one: %s. It "
					"waits; see ulimit -n", strerror(-fd));
			return false;
		}
		adopt_socket(fd);
	}
	return true;
}

enum violation {
	NO_VIOLATION, NO_HELLO, OTHER_VERSION, NOT_ITS_SLOT, NOT_ITSELF, MEMORY_LOST, NO_MEMORY, NO_SET, VIOLATIONS
};

static const char *const violations[VIOLATIONS] = {
	[NO_HELLO] = "sent no HELLO",
	[OTHER_VERSION] = "is another version of softhca",
	[NOT_ITS_SLOT] = "does not hold the slot it claims",
	[NOT_ITSELF] = "is not the process that holds its slot",
	[MEMORY_LOST] = "passed its memory, but this one may not open more descriptors (ulimit -n)",
	[NO_MEMORY] = "passed no memory",
	[NO_SET] = "passed memory of a set of links that there is not",
};

static bool refuse(enum violation violation)
{
	static _Atomic uint64_t counts[VIOLATIONS];

	shca_say_seldom(&counts[violation], "a process that tried to connect to this one %s: refused",
			violations[violation]);
	return false;
}

static enum violation check_hello(const struct shca_process *process, const struct shca_hello *hello, size_t size)
{
	if (size != sizeof(*hello) || hello->datagram != SHCA_DATAGRAM_HELLO)
		return NO_HELLO;
	if (hello->version != SHCA_FABRIC_VERSION)
		return OTHER_VERSION;
	if (!hello->nonce || shca_fabric_nonce(hello->slot) != hello->nonce)
		return NOT_ITS_SLOT;
	if (!shca_socket_is_peer(process->rx_socket, shca_fabric_visible_pid(hello->slot)))
		return NOT_ITSELF;
	return NO_VIOLATION;
}

static bool handle_hello(struct shca_process *process, const struct shca_hello *hello, size_t size)
{
	enum violation violation = check_hello(process, hello, size);

	if (violation)
		return refuse(violation);
	shca_process_got_hello(process, hello->slot);
	return true;
}

static enum violation check_link(const struct shca_link_datagram *datagram, size_t size, int memory)
{
	if (memory == SHCA_FD_LOST)
		return MEMORY_LOST;
	if (size != sizeof(*datagram) || memory < 0 || !shca_link_is_sealed_memory(memory))
		return NO_MEMORY;
	return datagram->own_set < SHCA_LINK_SETS && datagram->their_set < SHCA_LINK_SETS ? NO_VIOLATION : NO_SET;
}

/* The sets are as the sender sees them. */
static bool handle_link(struct shca_process *process, const struct shca_link_datagram *datagram, size_t size,
			int memory)
{
	enum violation violation = check_link(datagram, size, memory);

	if (violation)
		return refuse(violation);
	return !shca_link_got_memory(process, datagram->their_set, datagram->own_set, memory);
}

/* ---- datagrams ---- */

union datagram {
	uint32_t type;
	struct shca_hello hello;
	struct shca_link_datagram link;
	struct shca_waker_datagram waker;
	struct {
		uint32_t message_type;
		uint8_t message[SHCA_PROCESS_MESSAGE];
	};
	char text[sizeof(SHCA_CONTROL_PREFIX) + SHCA_CONTROL_SIZE];
};

static enum shca_process_input pass_on(enum shca_process_input kind, const void *bytes, size_t size, uint8_t *input,
				       size_t *passed)
{
	memcpy(input, bytes, size);
	*passed = size;
	return kind;
}

static enum shca_process_input first_datagram(struct shca_process *process, const union datagram *datagram, size_t size,
					      uint8_t *input, size_t *passed)
{
	if (size >= strlen(SHCA_CONTROL_PREFIX) &&
	    !memcmp(datagram->text, SHCA_CONTROL_PREFIX, strlen(SHCA_CONTROL_PREFIX)))
		return pass_on(SHCA_PROCESS_COMMAND, datagram->text, size, input, passed);
	return handle_hello(process, &datagram->hello, size) ? SHCA_PROCESS_HANDLED : SHCA_PROCESS_END;
}

/* Takes the descriptor, unless it is no waker. */
static bool take_waker(struct shca_process *process, const struct shca_waker_datagram *datagram, size_t size, int fd)
{
	if (size != sizeof(*datagram) || fd < 0 || !shca_socket_is_eventfd(fd) || datagram->set >= SHCA_LINK_SETS ||
	    !datagram->waker || datagram->waker > SHCA_WAKERS || !datagram->serial)
		return false;
	shca_waker_received(process, datagram->set, datagram->waker, datagram->serial, fd);
	return true;
}

/* A kick needs no handling: a process that is awake drains all links. A new link may have packets already. */
static enum shca_process_input next_datagram(struct shca_process *process, const union datagram *datagram, size_t size,
					     int fd, uint8_t *input, size_t *passed)
{
	const size_t type = sizeof(datagram->type);

	if (size < type)
		return SHCA_PROCESS_HANDLED;
	if (datagram->type == SHCA_DATAGRAM_MESSAGE && shca_links_have_carrier())
		return pass_on(SHCA_PROCESS_MESSAGE_CAME, datagram->message, size - type, input, passed);
	if (datagram->type == SHCA_DATAGRAM_LINK)
		return handle_link(process, &datagram->link, size, fd) ? SHCA_PROCESS_KICK : SHCA_PROCESS_END;
	return datagram->type == SHCA_DATAGRAM_KICK ? SHCA_PROCESS_KICK : SHCA_PROCESS_HANDLED;
}

enum shca_process_input shca_process_read(struct shca_process *process, uint8_t *input, size_t *passed)
{
	union datagram datagram;
	enum shca_process_input kind;
	int fd;
	ssize_t size = shca_socket_receive(process->rx_socket, &datagram, sizeof(datagram), &fd);

	static_assert(sizeof(datagram) <= SHCA_PROCESS_INPUT, "the caller has room for it");
	if (size == -EAGAIN)
		return SHCA_PROCESS_NO_INPUT;
	if (size <= 0)
		kind = SHCA_PROCESS_END;
	else if (atomic_load(&process->state) == SHCA_PROCESS_AWAITING_HELLO)
		kind = first_datagram(process, &datagram, (size_t)size, input, passed);
	else if ((size_t)size >= sizeof(datagram.type) && datagram.type == SHCA_DATAGRAM_WAKER &&
		 take_waker(process, &datagram.waker, (size_t)size, fd))
		return SHCA_PROCESS_HANDLED;
	else
		kind = next_datagram(process, &datagram, (size_t)size, fd, input, passed);
	if (fd >= 0)
		close(fd);
	return kind;
}
