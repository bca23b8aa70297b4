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
 * All calls that go up. progress drives the device from above all other folders and pulls: it takes packets from links
 * and gives them to queue pairs, runs timers, and finds dead links. But a program enters from below, by a poll, by
 * arming, by a post, and these calls begin there. They are functions and no pointers to functions, which would cost
 * each poll an indirect jump. progress defines them.
 */
#ifndef SHCA_UPCALLS_H
#define SHCA_UPCALLS_H

#include <stdbool.h>
#include <stdint.h>

struct shca_link;
struct shca_link_set;

/* ---- of queue ---- */

/*
 * A poll found its queue empty. Drains the links, and sends what was blocked. Returns whether a packet came. No locks.
 */
bool shca_engine_progress(struct shca_link_set *set);
/*
 * The caller is about to sleep: senders wake it from now on by its waker, or the helper thread if that is 0. Drains the
 * links. No locks.
 */
void shca_engine_arm(struct shca_link_set *set, uint32_t waker);

/* ---- of queue_pair ---- */

/*
 * A post to this process itself: handles the packets at once, unless another thread does, or they are delayed. No
 * locks.
 */
void shca_engine_drain_own(struct shca_link *link);
/*
 * A fault of a post: removes the device while it is in use: DEVICE_FATAL, flushed queue pairs, DEVICE_REMOVAL. No
 * locks.
 */
void shca_device_remove(void);

/* ---- of cm ---- */

/* Handles the packets that have arrived and are due, also if another thread drains them. No locks. */
void shca_engine_catch_up(void);

#endif
