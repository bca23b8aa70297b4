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
 * The small file that the processes of one user share. It lists the processes, which of them sleep, and which ports are
 * taken. Its name is softhca.<uid>.<network namespace>[.<SOFTHCA_FABRIC>] in /dev/shm, mode 0600. The last process
 * that leaves removes it; after a kill the next process that enters and leaves does.
 *
 * Every process in the fabric holds a shared flock on the file, and an open-file-description lock on its slot's byte.
 * The kernel releases both when a process dies, however it dies. The ports are changed under another such lock, in an
 * order that keeps the tables whole when the writer is killed at any instruction: a record is complete before it is
 * linked, and one store unlinks it. A process that finds records of a dead one removes them.
 *
 * A queue pair number names its process: the slot is in its highest 8 bits, of the 24 or 16 that the device's numbers
 * have. No process has slot 0. The index is in the lower bits, because programs use these to find their queue pairs.
 *
 *    | slot: 8 | index: 16 or 8                     |
 *              | block: 8 | in the block: 8 or 0    |
 *
 * All queue pairs of a block belong to one set of links (wire/shca_link.h). The file says to which one, so that a
 * sender finds the link for a number.
 */
#ifndef SHCA_FABRIC_H
#define SHCA_FABRIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "personality/shca_personality.h"

#define SHCA_FABRIC_SLOTS	256u
#define SHCA_SLOT_BITS		8
#define SHCA_QP_BLOCK_BITS	8
#define SHCA_QP_BLOCKS		(1u << SHCA_QP_BLOCK_BITS)
/* Sets of links of a process: so many event loops share nothing. */
#define SHCA_LINK_SETS		16u

static inline uint32_t shca_qp_index_bits(void)
{
	return shca_personality()->qp_number_bits - SHCA_SLOT_BITS;
}

static inline uint32_t shca_qpn(uint32_t slot, uint32_t index)
{
	return slot << shca_qp_index_bits() | index;
}

static inline uint32_t shca_slot_of_qpn(uint32_t qpn)
{
	return qpn >> shca_qp_index_bits();
}

static inline uint32_t shca_block_of_qpn(uint32_t qpn)
{
	return qpn >> (shca_qp_index_bits() - SHCA_QP_BLOCK_BITS) & (SHCA_QP_BLOCKS - 1);
}

/*
 * Enters the fabric and takes a slot, 1 to 255. Returns 0, or -errno with a line on stderr that names the file and the
 * cure: ENOSPC when all slots are taken, EACCES when the file belongs to another user, EPROTO when another version of
 * this library wrote it.
 */
int shca_fabric_enter(void);
void shca_fabric_leave(void);
/* Our slot, or 0 outside of the fabric. */
uint32_t shca_fabric_slot(void);
/* Whether the process that holds the slot is alive. */
bool shca_fabric_slot_is_alive(uint32_t slot);
/*
 * No listener was found there. If there seems to be one in a different fabric, a line on stderr says why the
 * two do not meet. listener: the address, in words. In shca_fabric_absent.c.
 */
void shca_fabric_explain_absence(const char *listener);
/* Writes the name of the slot's abstract socket. It is unique to this fabric, the slot and the process in it. */
void shca_fabric_socket_name(uint32_t slot, char *name, size_t size);

/* The set of links that the queue pairs of a block belong to. Changes only while there are none. */
_Atomic uint8_t *shca_fabric_set_of_block(uint32_t slot, uint32_t block);

/* The set of a queue pair of any process. */
static inline uint32_t shca_set_of_qpn(uint32_t qpn)
{
	return atomic_load_explicit(shca_fabric_set_of_block(shca_slot_of_qpn(qpn), shca_block_of_qpn(qpn)),
				    memory_order_relaxed) % SHCA_LINK_SETS;
}

/*
 * The doorbell of a set of links names the threads of its process that sleep. A sender clears the bits of those that it
 * wakes.
 *
 *    DEVICE      the helper thread, for what the device does itself: threads of the program may be asleep
 *    1 to 15     the thread that sleeps on the set's waker of this number, for packets to its queue pairs
 *    STAND_IN    the helper thread, for every packet: no thread of the program polls
 */
#define SHCA_WAKERS		15u
#define SHCA_RING_DEVICE	(1u << 0)
#define SHCA_RING_WAKERS	0xfffeu
#define SHCA_RING_STAND_IN	(1u << 16)

_Atomic uint32_t *shca_fabric_doorbell(uint32_t slot, uint32_t set);
/* The serial of a set's waker, 1 to SHCA_WAKERS, of the process in a slot; 0: there is none. */
_Atomic uint32_t *shca_fabric_waker(uint32_t slot, uint32_t set, uint32_t waker);

#endif
