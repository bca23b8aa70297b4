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
 * The sockets between processes: abstract AF_UNIX, SOCK_SEQPACKET, non-blocking. Every datagram starts with its type.
 * The first one of a connection may instead be a command: text that starts with "CONTROL ".
 */
#ifndef SHCA_PROCESS_SOCKET_H
#define SHCA_PROCESS_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SHCA_SOCKET_NAME	108
#define SHCA_CONTROL_PREFIX	"CONTROL "
#define SHCA_CONTROL_SIZE	1024u

enum shca_datagram {
	SHCA_DATAGRAM_HELLO = 1,	/* struct shca_hello */
	SHCA_DATAGRAM_KICK,
	SHCA_DATAGRAM_MESSAGE,		/* a CM message */
	SHCA_DATAGRAM_WAKER,		/* struct shca_waker_datagram, with the descriptor */
	SHCA_DATAGRAM_LINK,		/* struct shca_link_datagram, with the memory */
};

struct shca_hello {
	uint32_t datagram;
	uint32_t slot;			/* of the connecting side */
	uint64_t nonce;			/* of its slot: proves that it may read the fabric's file */
	uint64_t version;
};

/* Sets of the side that sends this, and of the one that gets it. */
struct shca_link_datagram {
	uint32_t datagram;
	uint32_t own_set;
	uint32_t their_set;
};

struct shca_waker_datagram {
	uint32_t datagram;
	uint32_t set;
	uint32_t waker;
	uint32_t serial;
};

/* Return a descriptor or -errno. */
int shca_socket_listen(const char *name);
int shca_socket_connect(const char *name);
int shca_socket_accept(int listening_fd);
/* Whether the other end runs as our user, and with this pid here. pid 0: any. */
bool shca_socket_is_peer(int fd, uint32_t pid);

/* Whether the descriptor is an eventfd: writing to it does not block, unless the counter is full. */
bool shca_socket_is_eventfd(int fd);

/* Return 0 or -errno; -EAGAIN: no room. */
int shca_socket_kick(int fd);
int shca_socket_send_message(int fd, const void *message, size_t size);
int shca_socket_send_hello(int fd, const struct shca_hello *hello);
int shca_socket_send_link(int fd, const struct shca_link_datagram *datagram, int memory_fd);
int shca_socket_send_waker(int fd, const struct shca_waker_datagram *datagram, int waker_fd);
/* Returns the bytes of one datagram, 0 at the end, or -errno. *passed: a descriptor that came with it, or -1. */
#define SHCA_FD_LOST	(-2)	/* a descriptor came, and this process may not open more of them */
ssize_t shca_socket_receive(int fd, void *datagram, size_t size, int *passed);

#endif
