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

/* Reads the sockets of links. Helper thread only. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/shca_say.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link_internal.h"
#include "wire/shca_link_socket.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"

/* At a time: foreign processes must not keep the helper thread from its other work. */
#define ACCEPTED	64

static void adopt_socket(int fd)
{
	static _Atomic uint64_t foreign;
	struct shca_link *link;

	if (!shca_socket_is_peer(fd, 0)) {
		shca_say_seldom(&foreign, "a process of another user tried to connect to this one: refused");
		close(fd);
		return;
	}
	link = shca_link_adopt(fd);
	if (!link)
		close(fd);
	else if (shca_wakeup_watch_fd(fd, link))
		shca_link_drop(link);
}

bool shca_links_accept(int listening_fd)
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

enum violation { NO_VIOLATION, NO_HELLO, OTHER_VERSION, NOT_ITS_SLOT, NOT_ITSELF, MEMORY_LOST, NO_MEMORY, VIOLATIONS };

static const char *const violations[VIOLATIONS] = {
	[NO_HELLO] = "sent no HELLO",
	[OTHER_VERSION] = "is another version of softhca",
	[NOT_ITS_SLOT] = "does not hold the slot it claims",
	[NOT_ITSELF] = "is not the process that holds its slot",
	[MEMORY_LOST] = "passed its memory, but this one may not open more descriptors (ulimit -n)",
	[NO_MEMORY] = "passed no memory",
};

static enum violation check_hello(const struct shca_link *link, const struct shca_hello *hello, ssize_t size,
				  int memory)
{
	if (size != sizeof(*hello) || hello->datagram != SHCA_DATAGRAM_HELLO)
		return NO_HELLO;
	if (hello->version != SHCA_FABRIC_VERSION)
		return OTHER_VERSION;
	if (!hello->nonce || shca_fabric_nonce(hello->slot) != hello->nonce)
		return NOT_ITS_SLOT;
	if (!shca_socket_is_peer(link->rx_socket, shca_fabric_visible_pid(hello->slot)))
		return NOT_ITSELF;
	if (memory == SHCA_FD_LOST)
		return MEMORY_LOST;
	return memory < 0 || !shca_link_is_sealed_memory(memory) ? NO_MEMORY : NO_VIOLATION;
}

static bool handle_hello(struct shca_link *link, const struct shca_hello *hello, ssize_t size, int memory)
{
	static _Atomic uint64_t counts[VIOLATIONS];
	enum violation violation = check_hello(link, hello, size, memory);

	if (violation) {
		shca_say_seldom(&counts[violation], "a process that tried to connect to this one %s: refused",
				violations[violation]);
		return false;
	}
	return !shca_link_got_hello(link, hello->slot, memory);
}

/* ---- datagrams ---- */

union datagram {
	uint32_t type;
	struct shca_hello hello;
	struct shca_waker_datagram waker;
	struct {
		uint32_t message_type;
		uint8_t message[SHCA_LINK_MESSAGE];
	};
	char text[sizeof(SHCA_CONTROL_PREFIX) + SHCA_CONTROL_SIZE];
};

static enum shca_link_input pass_on(enum shca_link_input kind, const void *bytes, size_t size, uint8_t *input,
				    size_t *passed)
{
	memcpy(input, bytes, size);
	*passed = size;
	return kind;
}

static enum shca_link_input first_datagram(struct shca_link *link, const union datagram *datagram, size_t size,
					   int memory, uint8_t *input, size_t *passed)
{
	if (size >= strlen(SHCA_CONTROL_PREFIX) &&
	    !memcmp(datagram->text, SHCA_CONTROL_PREFIX, strlen(SHCA_CONTROL_PREFIX)))
		return pass_on(SHCA_LINK_COMMAND, datagram->text, size, input, passed);
	return handle_hello(link, &datagram->hello, (ssize_t)size, memory) ? SHCA_LINK_HANDLED : SHCA_LINK_END;
}

/* Takes the descriptor, unless it is no waker. */
static bool take_waker(struct shca_link *link, const struct shca_waker_datagram *datagram, ssize_t size, int fd)
{
	if (size != sizeof(*datagram) || fd < 0 || !shca_socket_is_eventfd(fd) || !datagram->waker ||
	    datagram->waker > SHCA_WAKERS || !datagram->serial)
		return false;
	shca_waker_received(link, datagram->waker, datagram->serial, fd);
	return true;
}

/* A kick needs no handling: a process that is awake drains all links. */
static enum shca_link_input next_datagram(const union datagram *datagram, size_t size, uint8_t *input, size_t *passed)
{
	const size_t type = sizeof(datagram->type);

	if (size < type)
		return SHCA_LINK_HANDLED;
	if (datagram->type == SHCA_DATAGRAM_MESSAGE && shca_links_have_carrier())
		return pass_on(SHCA_LINK_MESSAGE_CAME, datagram->message, size - type, input, passed);
	return datagram->type == SHCA_DATAGRAM_KICK ? SHCA_LINK_KICK : SHCA_LINK_HANDLED;
}

enum shca_link_input shca_link_read(struct shca_link *link, uint8_t *input, size_t *passed)
{
	union datagram datagram;
	enum shca_link_input kind;
	int fd;
	ssize_t size = shca_socket_receive(link->rx_socket, &datagram, sizeof(datagram), &fd);

	static_assert(sizeof(datagram) <= SHCA_LINK_INPUT, "the caller has room for it");
	if (size == -EAGAIN)
		return SHCA_LINK_NO_INPUT;
	if (size <= 0)
		kind = SHCA_LINK_END;
	else if (atomic_load(&link->state) == SHCA_LINK_AWAITING_HELLO)
		kind = first_datagram(link, &datagram, (size_t)size, fd, input, passed);
	else if ((size_t)size >= sizeof(datagram.type) && datagram.type == SHCA_DATAGRAM_WAKER &&
		 take_waker(link, &datagram.waker, size, fd))
		return SHCA_LINK_HANDLED;
	else
		kind = next_datagram(&datagram, (size_t)size, input, passed);
	if (fd >= 0)
		close(fd);
	return kind;
}
