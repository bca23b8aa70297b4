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

/* One link: its packets go to queue pairs, and the queue pairs that it has blocked go on. */
#ifndef SHCA_DRAIN_H
#define SHCA_DRAIN_H

#include "wire/shca_link.h"

/* Packets that one call handles, so that no link keeps a thread from the others. */
#define SHCA_DRAIN_BUDGET	64u

/*
 * Takes and handles up to budget packets, unless another thread drains the link. Returns the number handled. No locks.
 */
unsigned int shca_drain(struct shca_link *link, unsigned int budget);
/* Handles the packets that have arrived by now, also while another thread drains them. No locks. */
void shca_drain_all(struct shca_link *link);
/* Handles what the peer sent before its end, and does not answer. Under rx_lock. */
void shca_drain_rest(struct shca_link *link);
/* Lets the queue pairs go on that were blocked, if there is room now or the link is dead. No locks. */
void shca_drain_unblock(struct shca_link *link);

#endif
