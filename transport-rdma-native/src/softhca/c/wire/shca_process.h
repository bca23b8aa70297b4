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
 * A process that this one talks to, or this process itself. The two have a socket, which carries connection management,
 * passes the memory of links, wakes a sleeping peer, and shows by its end that the peer is gone. A process that has
 * something to send and knows no socket connects. Both sides check that the other runs under the same user. Two
 * processes that connect to each other at once have two sockets: each uses the one that came up first for all that it
 * begins, so that a message stays behind the packets that were sent before it.
 *
 *    connecting side                        accepting side
 *    connect(abstract socket of slot)
 *    HELLO {slot, nonce, version}   ---->   accept, check the user
 *    LINK {sets} + memory           <--->   map: packets may be in it already
 *    CM messages, wakers, kick      <--->   the same
 *
 *    FREE ---> AWAITING_HELLO ---> UP ---> DEAD ---> FREE
 *      |                            ^        ^
 *      +-- connects ----------------+        |
 *              AWAITING_HELLO ---------------+  refused
 *
 * Structs are reused and never freed, as those of links are.
 */
#ifndef SHCA_PROCESS_H
#define SHCA_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "registry/shca_fabric.h"

struct shca_link;

#define SHCA_MAX_PROCESSES	1024u	/* those of other users that try to connect count for a moment */

enum shca_process_state {
	SHCA_PROCESS_FREE,
	SHCA_PROCESS_AWAITING_HELLO,	/* accepted; the connecting side has sent nothing yet */
	SHCA_PROCESS_UP,
	SHCA_PROCESS_DEAD,		/* until its links have ended and its connections have been notified */
};

/* A datagram that the socket had no room for. */
struct shca_process_message;

/* The descriptor of a peer's waker. It stays open while it has users. */
struct shca_peer_waker {
	int fd;
	_Atomic uint32_t serial;	/* 0: the peer has not passed it */
	_Atomic uint32_t users;		/* threads that are about to write it */
};

struct shca_process {
	_Atomic enum shca_process_state state;
	_Atomic uint32_t slot;
	_Atomic uint64_t nonce;		/* of its slot, see shca_fabric_file.h: another may have the slot by now */
	_Atomic bool is_lost;		/* a fault: nothing reaches the peer any more */
	_Atomic bool has_messages;
	_Atomic uint32_t passed[SHCA_LINK_SETS];	/* own wakers that the peer has got, by set and number */
	struct shca_link *_Atomic links;	/* changed under the table's lock; only the helper thread removes */

	pthread_mutex_t lock;		/* for the rest. Taken after any other lock of the wire */
	int tx_socket;			/* only the helper thread closes the sockets */
	int rx_socket;			/* the same socket, except to ourselves */
	struct shca_process_message *messages;
	uint32_t message_count;
	/* By set and number; only the helper thread changes them. */
	struct shca_peer_waker wakers[SHCA_LINK_SETS][SHCA_WAKERS + 1];
};

/* Opens our listening socket, for the engine to watch. Returns 0 or -errno. */
int shca_processes_listen(int *listening_fd);
void shca_processes_stop_listening(void);

/*
 * The process in a slot; connects if there is no socket to it. Returns 0 or -errno: ECONNREFUSED when no process
 * answers there; EAGAIN when many others wait there; else this process lacks something (shca_reason).
 */
int shca_process_reach(uint32_t slot, struct shca_process **process);

/* Those ever used are 0 .. count - 1; their state says which are up. */
uint32_t shca_process_count(void);
struct shca_process *shca_process_at(uint32_t index);

static inline bool shca_process_is_up(const struct shca_process *process)
{
	return atomic_load_explicit(&process->state, memory_order_acquire) == SHCA_PROCESS_UP;
}

/*
 * Sends a CM message of at most SHCA_PROCESS_MESSAGE bytes. Returns 0 or -errno (EPIPE: the process is gone; ENOBUFS:
 * it has left SHCA_PROCESS_QUEUE messages unread). Any thread.
 */
#define SHCA_PROCESS_MESSAGE 1024u
#define SHCA_PROCESS_QUEUE 4096u
int shca_process_send_message(struct shca_process *process, const void *message, size_t size);
/* Clears bits of one of the peer's doorbells, and wakes its helper thread if one of them was set, or always. */
void shca_process_kick(struct shca_process *process, _Atomic uint32_t *doorbell, uint32_t bits, bool always);

/* ---- for the helper thread ---- */

/* Accepts processes that connect. Returns false if this process cannot now. */
bool shca_processes_accept(int listening_fd);
/* Sends what waited for room in the socket. */
void shca_process_send_waiting(struct shca_process *process);

/* The result of reading a socket. */
enum shca_process_input {
	SHCA_PROCESS_NO_INPUT,
	SHCA_PROCESS_KICK,		/* of a peer that has sent something */
	SHCA_PROCESS_HANDLED,		/* nothing any more */
	SHCA_PROCESS_MESSAGE_CAME,	/* a CM message. Packets that were sent before it are in the rings */
	SHCA_PROCESS_COMMAND,		/* a command in place of HELLO; the socket ends then */
	SHCA_PROCESS_END,
};

/* Reads the next datagram; bytes of a message or command go to input, which has SHCA_PROCESS_INPUT bytes. */
#define SHCA_PROCESS_INPUT	1088u
enum shca_process_input shca_process_read(struct shca_process *process, uint8_t *input, size_t *size);

/*
 * The end of a process, in steps, between which its links end: progress/shca_process_end.c
 *
 *    shca_process_mark_dead  UP, AWAITING_HELLO --> DEAD. Returns whether it was UP. It gets no more links
 *    shca_process_close      closes its descriptors, so after its links are empty
 *    shca_process_make_free  DEAD --> FREE
 */
bool shca_process_mark_dead(struct shca_process *process);
void shca_process_close(struct shca_process *process);
void shca_process_make_free(struct shca_process *process);

/* In a child after fork: ends the parent's sockets here. */
void shca_processes_forked(void);

#endif
