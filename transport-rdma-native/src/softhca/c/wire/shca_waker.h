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
 * Descriptors by which a sender wakes the thread that its packets are for, without the helper thread in between.
 *
 *	sender			helper thread		thread of a program
 *							arms, sleeps on the descriptor of its completion channel
 *	publishes packets,
 *	writes the descriptor	sleeps on		wakes, handles the packets, takes the event
 *
 * A waker has a number from 1 to SHCA_WAKERS, within the set of links of its context, and a bit of that number in
 * the doorbell of the set. A packet names the wakers of its sender: packets to that queue pair wake them. A process
 * passes a waker's descriptor to its peers when a thread first arms it. The descriptor comes with a serial, which
 * the process shows in the fabric's file: a sender whose descriptor has another serial wakes the helper thread
 * instead.
 *
 * A descriptor that was written to may have no event: the packet was handled by another thread, or completes nothing.
 * So only channels have a waker whose program does not block in ibv_get_cq_event.
 */
#ifndef SHCA_WAKER_H
#define SHCA_WAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "registry/shca_fabric.h"

struct shca_link_set;
struct shca_process;

/* Returns the number, or 0 if all are in use. The descriptor stays open until shca_waker_remove. */
uint32_t shca_waker_add(struct shca_link_set *set, int fd);
void shca_waker_remove(struct shca_link_set *set, uint32_t waker);
/* Passes the descriptor to each peer that has not got it. Call without locks. */
void shca_waker_pass(struct shca_link_set *set, uint32_t waker);
/* In a child after fork: the wakers are the parent's. */
void shca_wakers_forked(void);

/* ---- the peer's wakers ---- */

/* Keeps a descriptor that the peer has passed, and owns it from now on. Helper thread only. */
void shca_waker_received(struct shca_process *process, uint32_t set, uint32_t waker, uint32_t serial, int fd);
/*
 * Wakes a thread of the peer if its bit is set in the doorbell of its set. Returns false if the process in the slot has
 * not passed the descriptor of the waker that has this number now. Any thread, without locks: the thread that wakes up
 * may preempt the caller, and would keep all others from the lock.
 */
bool shca_waker_wake(struct shca_process *process, uint32_t slot, uint32_t set, uint32_t waker);
/* Closes all descriptors. Helper thread only. */
void shca_wakers_drop(struct shca_process *process);

#endif
