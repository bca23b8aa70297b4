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
 * A link joins this process to another, or to itself: two rings in anonymous shared memory, and a
 * socket that carries connection management, wakes a sleeping peer, and tells by its end that the
 * peer is gone. Whoever has something to send first dials: it makes the memory and hands it over
 * through the socket. Both check that the other runs under the same user. Two processes that dial
 * each other at once have two links; requests of a queue pair always take the link that was there
 * first (shca_link_to), answers go back on the link that the request came by.
 *
 *    dialler                                acceptor
 *    connect(abstract socket of slot)
 *    HELLO {slot, version} + memory  ---->  accept, check the user, map
 *    packets in the ring, at once    ---->  drained as soon as it is mapped
 *    datagrams: CM messages, kick    <--->  the same
 *
 * Locks: rx_lock is held while packets are taken from the ring and handled; tx_lock while a packet
 * is reserved, filled and published. Order: rx_lock, queue pair, tx_lock; never the other way.
 *
 * Links are never freed, only used again: who looks into a ring without its lock must always find
 * memory there. A dead link's rings are empty and take nothing.
 */
#ifndef SHCA_LINK_H
#define SHCA_LINK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fabric/shca_ring.h"

struct shca_wire_user;

#define SHCA_MAX_LINKS	1024u

enum shca_link_state {
	SHCA_LINK_FREE,
	SHCA_LINK_GREETING,	/* accepted; who dialled has not said yet who it is */
	SHCA_LINK_UP,
	SHCA_LINK_DEAD,		/* until its queue pairs and connections were told */
};

/* A CM message that the socket had no room for. */
struct shca_link_message {
	struct shca_link_message *next;
	size_t size;
	uint8_t bytes[];
};

struct shca_link {
	_Atomic enum shca_link_state state;
	_Atomic uint32_t peer;	/* slot */
	_Atomic uint32_t life;	/* counts the uses of this struct */
	_Atomic uint64_t nonce;	/* the peer's, see shca_fabric_file.h: its slot may be another's by now */
	_Atomic bool has_blocked;
	_Atomic bool has_messages;
	_Atomic bool is_unrung;	/* something was published since the peer's doorbell was looked at */
	_Atomic uint64_t held_until;	/* not_before of the packet that a drain stopped at; 0: none */
	int tx_socket;		/* both: under tx_lock; the helper thread alone closes them */
	int rx_socket;		/* the same, but for the link to ourselves */
	void *memory;		/* both rings, the one we receive from first; its address never changes */

	_Alignas(128) pthread_mutex_t rx_lock;
	struct shca_ring rx;
	struct shca_wire_user *acks;	/* queue pairs that owe an acknowledgement; under rx_lock */

	_Alignas(128) pthread_mutex_t tx_lock;
	struct shca_ring tx;
	struct shca_wire_user *blocked; /* queue pairs that found the ring full; under tx_lock */
	struct shca_link_message *messages;
	uint32_t message_count;
	bool is_lost;		/* a fault: nothing reaches the peer any more */
	uint64_t last_not_before;
};

/* Opens our listening socket, its fd watched by the engine. 0 or -errno. */
int shca_links_open(int *listening_fd);
void shca_links_close(void);

/*
 * The port. While it is down, what would leave is lost, and so is what comes: as on a cable that was pulled, nobody
 * is told. Whether that was news. Any thread.
 */
bool shca_links_set_carrier(bool up);

extern _Atomic bool shca_links_are_cut;

static inline bool shca_links_have_carrier(void)
{
	return !atomic_load_explicit(&shca_links_are_cut, memory_order_relaxed);
}

/* The link for requests to a slot, dialled when there is none. NULL when nobody answers there. */
struct shca_link *shca_link_to(uint32_t slot);
/* All links that were ever used are 0 .. count - 1, in one array; their state says which are up. */
uint32_t shca_link_count(void);
struct shca_link *shca_link_at(uint32_t index);

/*
 * Sender side of the data path. The link may be dead: then there is a slot to write to and nothing is
 * sent, as on a cable that was pulled. begin takes tx_lock and returns the packet, or NULL when the ring
 * is full (the lock is not held then; user, if any, is called again by shca_qp_unblock once there is room).
 * end applies the faults and publishes, and drops the lock.
 */
struct shca_packet *shca_link_begin(struct shca_link *link, struct shca_wire_user *user, uint32_t payload);
void *shca_link_payload(struct shca_link *link, struct shca_packet *packet);
void shca_link_end(struct shca_link *link, struct shca_packet *packet);
/* begin without end: nothing is sent. */
void shca_link_cancel(struct shca_link *link);
/* Once after a batch of packets: wakes the peer if it sleeps. */
void shca_link_ring_doorbell(struct shca_link *link);
/* Whether all that was sent on it has been handled by the peer, or nobody will. */
bool shca_link_is_drained(struct shca_link *link);

/* Takes up to budget packets and handles them. Skips a link that another thread drains. Returns how many. */
unsigned int shca_link_drain(struct shca_link *link, unsigned int budget);

/*
 * A CM message, at most SHCA_LINK_MESSAGE bytes. 0 or -errno (EPIPE: the link is dead; ENOBUFS: the peer has
 * left SHCA_LINK_QUEUE of them unread). Any thread.
 */
#define SHCA_LINK_MESSAGE 1024u
#define SHCA_LINK_QUEUE 4096u
int shca_link_send_message(struct shca_link *link, const void *message, size_t size);

/* Any thread, without a lock: whether the link has a packet that may be looked at now. */
bool shca_link_has_packet(const struct shca_link *link);
/* Calls the queue pairs that were blocked, if there is room now or the link is dead. Call without locks. */
void shca_link_unblock(struct shca_link *link);

/* Helper thread only: a new dialler; datagrams or the end of a link's socket; messages that had to wait. */
void shca_links_accept(int listening_fd);
void shca_link_readable(struct shca_link *link);
void shca_link_send_waiting(struct shca_link *link);

/* Takes a queue pair that goes away out of every list. */
void shca_links_forget(struct shca_wire_user *user);
/* Returns when no thread is inside a drain that began before. Call without any lock. */
void shca_links_quiesce(void);
/* In a child after fork: the parent's links are dead here, and what is sent on them goes nowhere. */
void shca_links_forked(void);

#endif
