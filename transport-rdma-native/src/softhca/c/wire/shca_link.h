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
 * A link joins this process to another, or to itself. It has two rings in anonymous shared memory and a socket. The
 * socket carries connection management, wakes a sleeping peer, and shows by its end that the peer is gone. A process
 * that has something to send and no link connects: it creates the memory and passes it through the socket. Both sides
 * check that the other runs under the same user. Two processes that connect to each other at once have two links.
 * Requests of a queue pair always take the link that came up first (shca_link_to); answers take the link that brought
 * the request.
 *
 *    connecting side                        accepting side
 *    connect(abstract socket of slot)
 *    HELLO {slot, version} + memory  ---->  accept, check the user, map
 *    packets in the ring, at once    ---->  drained as soon as it is mapped
 *    datagrams: CM messages, kick    <--->  the same
 *
 * Locks: rx_lock is held while packets are taken from the ring and handled, tx_lock while a packet is reserved, filled
 * and published. Order: rx_lock, queue pair, tx_lock; never the other way.
 *
 * Links are reused and never freed: a thread that looks into a ring without its lock must always find memory there. The
 * rings of a dead link are empty and accept nothing.
 */
#ifndef SHCA_LINK_H
#define SHCA_LINK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "registry/shca_fabric.h"
#include "wire/shca_ring.h"

struct shca_wire_user;

#define SHCA_MAX_LINKS	1024u
/* After how long the helper thread looks whether a thread of the peer that was woken has come. */
#define SHCA_WOKEN_CHECK_NS	10000000u

enum shca_link_state {
	SHCA_LINK_FREE,
	SHCA_LINK_AWAITING_HELLO,	/* accepted; the connecting side has sent nothing yet */
	SHCA_LINK_UP,
	SHCA_LINK_DEAD,		/* until its queue pairs and connections have been notified */
};

/* A CM message that the socket had no room for. */
struct shca_link_message {
	struct shca_link_message *next;
	size_t size;
	uint8_t bytes[];
};

/* The descriptor of a peer's waker. It stays open while it has users. */
struct shca_peer_waker {
	int fd;
	_Atomic uint32_t serial;	/* 0: the peer has not passed it */
	_Atomic uint32_t users;		/* threads that are about to write it */
};

struct shca_link {
	_Atomic enum shca_link_state state;
	_Atomic uint32_t peer;	/* slot */
	_Atomic uint32_t life;	/* counts how often this struct was used */
	_Atomic uint64_t nonce;	/* the peer's, see shca_fabric_file.h: another process may have its slot by now */
	_Atomic bool has_blocked;
	_Atomic bool has_messages;
	_Atomic uint32_t unrung;	/* wakers of packets published since the peer's doorbell was last read */
	_Atomic uint64_t woken_at;	/* when a waker of the peer was last written; 0: all is handled */
	_Atomic uint32_t passed;	/* own wakers that the peer has got, by number */
	_Atomic uint64_t held_until;	/* not_before of the packet that stopped a drain; 0: none */
	int tx_socket;		/* both sockets: under tx_lock; only the helper thread closes them */
	int rx_socket;		/* the same socket, except on the link to ourselves */
	void *memory;		/* both rings, the one we receive from first; its address never changes */

	_Alignas(128) pthread_mutex_t rx_lock;
	struct shca_ring rx;
	struct shca_wire_user *acks;	/* queue pairs that owe an acknowledgement; under rx_lock */

	_Alignas(128) pthread_mutex_t tx_lock;
	struct shca_ring tx;
	struct shca_wire_user *blocked; /* queue pairs that found the ring full; under tx_lock */
	struct shca_link_message *messages;
	uint32_t message_count;
	struct shca_peer_waker wakers[SHCA_WAKERS + 1];	/* by number; only the helper thread changes them */
	bool is_lost;		/* a fault: nothing reaches the peer any more */
	uint64_t last_not_before;
};

/* Opens our listening socket, for the engine to watch. Returns 0 or -errno. */
int shca_links_listen(int *listening_fd);
void shca_links_stop_listening(void);

/*
 * Sets the port up or down. While it is down everything sent and received is lost without notice, as with a pulled
 * cable. Returns whether the state changed. Any thread.
 */
bool shca_links_set_carrier(bool up);

extern _Atomic bool shca_links_are_cut;

static inline bool shca_links_have_carrier(void)
{
	return !atomic_load_explicit(&shca_links_are_cut, memory_order_relaxed);
}

/*
 * The link for requests to a slot; connects if there is none. Returns 0 or -errno: ECONNREFUSED when no process answers
 * there; EAGAIN when many others wait there; else this process lacks something (shca_reason). shca_link_to is for
 * packets, which are lost then: NULL.
 */
int shca_link_reach(uint32_t slot, struct shca_link **link);
struct shca_link *shca_link_to(uint32_t slot);

/*
 * The links that one poll looks at: those ever used are 0 .. count - 1; their state says which are up. A poll knows its
 * set by its context (device/shca_context.h), so a context may have a set of its own. Now all contexts of a process
 * have the one of the process, and its parts belong to
 *
 *    the context, as soon as each has a set:  the links, their rings and locks; polled; the bits of the doorbell
 *    the process:                             the slot, the listening socket, the helper thread, the timers, the
 *                                             numbers of queue pairs and of wakers
 */
struct shca_link_set {
	_Atomic uint32_t polled;	/* since the helper thread has looked the last time */
	_Atomic uint32_t count;
	struct shca_link links[SHCA_MAX_LINKS];
};

extern struct shca_link_set shca_process_links;

/* Every poll calls this first. Usually it costs one load. */
static inline void shca_links_note_poll(struct shca_link_set *set)
{
	if (!atomic_load_explicit(&set->polled, memory_order_relaxed))
		atomic_store_explicit(&set->polled, 1, memory_order_relaxed);
}

static inline uint32_t shca_links_used(const struct shca_link_set *set)
{
	return atomic_load_explicit(&set->count, memory_order_acquire);
}

static inline bool shca_link_is_up(const struct shca_link *link)
{
	return __builtin_expect(atomic_load_explicit(&link->state, memory_order_acquire) == SHCA_LINK_UP, 1);
}

/* All links of the process. */
static inline uint32_t shca_link_count(void)
{
	return shca_links_used(&shca_process_links);
}

static inline struct shca_link *shca_link_at(uint32_t index)
{
	return &shca_process_links.links[index];
}

/*
 * The sending side of the data path. A dead link still provides a slot to write to, and nothing is sent, as on a pulled
 * cable. begin takes tx_lock and returns the packet, or NULL when the ring is full; it does not hold the lock then, and
 * shca_qp_unblock is called for user, if not NULL, once there is room. end applies the faults, publishes the packet and
 * releases the lock. It takes the number of the waker that the packet is for; 0: the device alone.
 */
struct shca_packet *shca_link_begin(struct shca_link *link, struct shca_wire_user *user, uint32_t payload);
void *shca_link_payload(struct shca_link *link, struct shca_packet *packet);
void shca_link_end(struct shca_link *link, struct shca_packet *packet, uint32_t waker);
/* In place of shca_link_end: sends nothing. */
void shca_link_cancel(struct shca_link *link);
/* Called once after a batch of packets: wakes those threads of the peer that sleep and that the packets are for. */
void shca_link_ring_doorbell(struct shca_link *link);
/* Whether the peer has handled everything sent on the link, or never will. */
bool shca_link_is_drained(struct shca_link *link);
/*
 * For a link with a woken_at: wakes the peer's helper thread if the thread that was woken has not come for a long time.
 * It may be busy with something else, and an adapter answers nevertheless.
 */
void shca_link_check_woken(struct shca_link *link);
/* Wakes those threads of the peer that sleep, by bits of its doorbell, or its helper thread. Without locks. */
void shca_link_wake(struct shca_link *link, uint32_t bits);
/* Wakes the peer's helper thread, whatever the doorbell says. */
void shca_link_nudge(struct shca_link *link);

/*
 * Sends a CM message of at most SHCA_LINK_MESSAGE bytes. Returns 0 or -errno (EPIPE: the link is dead; ENOBUFS: the
 * peer has left SHCA_LINK_QUEUE messages unread). Any thread.
 */
#define SHCA_LINK_MESSAGE 1024u
#define SHCA_LINK_QUEUE 4096u
int shca_link_send_message(struct shca_link *link, const void *message, size_t size);

/* Any thread, without a lock: whether the link has a packet that is due. */
bool shca_link_has_packet(const struct shca_link *link);

/*
 * The queue pairs that were blocked, if there is room now or the link is dead. begin returns false if there are none,
 * or another thread calls them. After true: call each that next returns, then end. Without locks.
 */
bool shca_link_begin_unblock(struct shca_link *link, struct shca_wire_user **list);
struct shca_wire_user *shca_link_next_unblocked(struct shca_wire_user **list);
void shca_link_end_unblock(struct shca_link *link);

/* ---- for the helper thread ---- */

/* Accepts processes that connect. Returns false if this process cannot now. */
bool shca_links_accept(int listening_fd);
/* Sends messages that waited for room in the socket. */
void shca_link_send_waiting(struct shca_link *link);

/* The result of reading a link's socket. */
enum shca_link_input {
	SHCA_LINK_NO_INPUT,
	SHCA_LINK_KICK,		/* of a peer that has sent something */
	SHCA_LINK_HANDLED,	/* nothing any more */
	SHCA_LINK_MESSAGE_CAME,	/* a CM message. Packets that were sent before it are in the ring */
	SHCA_LINK_COMMAND,	/* a command in place of HELLO; the link ends then */
	SHCA_LINK_END,
};

/* Reads the next datagram; bytes of a message or command go to input, which has SHCA_LINK_INPUT bytes. */
#define SHCA_LINK_INPUT	1088u
enum shca_link_input shca_link_read(struct shca_link *link, uint8_t *input, size_t *size);

/*
 * The end of a link, in steps, between which its last packets are handled: progress/shca_link_end.c
 *
 *    shca_link_mark_dead  UP, AWAITING_HELLO --> DEAD. Returns whether it was UP
 *    shca_link_empty      with rx_lock held: the rings accept nothing any more
 *    shca_link_make_free  DEAD --> FREE
 */
bool shca_link_mark_dead(struct shca_link *link);
void shca_link_empty(struct shca_link *link);
void shca_link_make_free(struct shca_link *link);

/* Removes a queue pair that is being destroyed from every list. */
void shca_links_forget(struct shca_wire_user *user);
/* Returns when every drain that began before has ended. Call without any lock. */
void shca_links_quiesce(void);
/* In a child after fork: ends the parent's links here. Packets that are sent on them are lost. */
void shca_links_forked(void);

#endif
