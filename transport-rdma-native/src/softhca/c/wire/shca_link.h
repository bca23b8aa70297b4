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
 * A link joins two device contexts, of two processes, of one, or one to itself: it has a ring in each direction, in
 * anonymous shared memory that the sockets of the two processes pass (shca_process.h). It is made when one of the two
 * first sends something to the other. Each event loop has a context of its own, so a ring usually has one writer thread
 * and one reader thread, and neither waits for a lock.
 *
 *    process A                                       process B
 *    set 0 (context of loop 0) ---- link (0, 0) ---- set 0 (context of loop 0)
 *                              \--- link (0, 1) ---- set 1 (context of loop 1)
 *    set 1 (context of loop 1) ---- link (1, 1) ---/
 *
 * The links of a context are its set. A packet names its queue pair, and the number of that says which set it belongs
 * to (registry/shca_fabric.h). Requests of a queue pair always take the link that came up first (shca_link_to); answers
 * take the link that brought the request. There are two between the same sets only if both processes made one at once.
 *
 * Locks: rx_lock is held while packets are taken from the ring and handled, tx_lock while a packet is reserved, filled
 * and published. Order: rx_lock, queue pair, table's lock, tx_lock, process's lock; never the other way.
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

struct shca_link_set;
struct shca_process;
struct shca_wire_user;

#define SHCA_MAX_LINKS	1024u	/* of a set */
/* After how long the helper thread looks whether a thread of the peer that was woken has come. */
#define SHCA_WOKEN_CHECK_NS	10000000u

enum shca_link_state {
	SHCA_LINK_FREE,
	SHCA_LINK_UP,
	SHCA_LINK_DEAD,		/* until its queue pairs have been notified */
};

struct shca_link {
	_Atomic enum shca_link_state state;
	_Atomic uint32_t peer;		/* slot */
	_Atomic uint32_t their_set;
	_Atomic uint32_t life;		/* counts how often this struct was used */
	struct shca_process *_Atomic process;
	struct shca_link *next_of_process;	/* process->links */
	struct shca_link_set *set;	/* this and its number never change */
	uint32_t own_set;
	const _Atomic uint8_t *set_of_block;	/* of this process */
	bool is_loop;			/* one ring, from a context to itself */
	_Atomic bool has_blocked;
	_Atomic uint32_t unrung;	/* wakers of packets published since the peer's doorbell was last read */
	_Atomic uint64_t woken_at;	/* when a waker of the peer was last written; 0: all is handled */
	_Atomic uint64_t held_until;	/* not_before of the packet that stopped a drain; 0: none */
	void *memory;			/* both rings, the one we receive from first; its address never changes */

	_Alignas(128) pthread_mutex_t rx_lock;
	struct shca_ring rx;
	struct shca_wire_user *acks;	/* queue pairs that owe an acknowledgement; under rx_lock */

	_Alignas(128) pthread_mutex_t tx_lock;
	struct shca_ring tx;
	struct shca_wire_user *blocked; /* queue pairs that found the ring full; under tx_lock */
	uint64_t last_not_before;
};

/*
 * The links that one poll looks at: those of its context (device/shca_context.h). Those ever used are 0 .. count - 1;
 * their state says which are up. What threads of different sets share, and change only now and then, is the processes
 * and their sockets, the helper thread, its timers, and the numbers of queue pairs.
 */
struct shca_link_set {
	_Alignas(128) _Atomic uint32_t polled;	/* since the helper thread has looked the last time */
	_Atomic uint32_t count;
	uint32_t users;			/* contexts; under the table's lock */
	/* The outermost lock, held while blocked queue pairs are called; removing a queue pair waits for it. */
	pthread_mutex_t unblock_lock;
	/* The link for requests to each set of each slot: the one that came up first. */
	struct shca_link *_Atomic by_peer[SHCA_FABRIC_SLOTS][SHCA_LINK_SETS];
	struct shca_link links[SHCA_MAX_LINKS];
};

extern struct shca_link_set shca_link_sets[SHCA_LINK_SETS];

/* The set of a new context: the one that the fewest others use. More contexts than there are sets share some. */
struct shca_link_set *shca_link_set_take(void);
void shca_link_set_leave(struct shca_link_set *set);

static inline uint32_t shca_link_set_number(const struct shca_link_set *set)
{
	return (uint32_t)(set - shca_link_sets);
}

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
 * The link from a set for requests to a queue pair; makes one if there is none. shca_link_reach returns 0 or -errno:
 * ECONNREFUSED when no process answers there; EAGAIN when many others wait there; else this process lacks something
 * (shca_reason). shca_link_to is for packets, which are lost then: NULL.
 */
int shca_link_reach(struct shca_link_set *set, uint32_t slot, uint32_t their_set, struct shca_link **link);
struct shca_link *shca_link_to(struct shca_link_set *set, uint32_t qpn);

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

/* Any thread, without a lock: whether the link has a packet that is due. */
bool shca_link_has_packet(const struct shca_link *link);

/*
 * The queue pairs that were blocked, if there is room now or the link is dead. begin returns false if there are none,
 * or another thread calls them. After true: call each that next returns, then end. Without locks.
 */
bool shca_link_begin_unblock(struct shca_link *link, struct shca_wire_user **list);
struct shca_wire_user *shca_link_next_unblocked(struct shca_wire_user **list);
void shca_link_end_unblock(struct shca_link *link);

/*
 * The end of a link, for the helper thread, in steps, between which its last packets are handled. The process is dead
 * before. progress/shca_process_end.c
 *
 *    shca_link_mark_dead  UP --> DEAD
 *    shca_link_empty      with rx_lock held: the rings accept nothing any more
 *    shca_link_make_free  DEAD --> FREE
 */
void shca_link_mark_dead(struct shca_link *link);
void shca_link_empty(struct shca_link *link);
void shca_link_make_free(struct shca_link *link);

/* Removes a queue pair of a set that is being destroyed from every list. */
void shca_links_forget(struct shca_link_set *set, struct shca_wire_user *user);
/* Returns when every drain of the set that began before has ended. Call without any lock. */
void shca_links_quiesce(struct shca_link_set *set);
/* In a child after fork: ends the parent's links here. Packets that are sent on them are lost. */
void shca_links_forked(void);

#endif
