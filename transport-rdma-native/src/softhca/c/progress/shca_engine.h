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
 * Drives the device. It is above all other folders but abi, and pulls: packets from links, datagrams from sockets,
 * timers that are due. A thread that polls drains the links of its context; a helper thread does the rest.
 *
 *    shca_engine.c    start and stop                     shca_drain.c     packets of one link to queue pairs
 *    shca_poll.c      threads that poll and arm          shca_inbox.c     a link's socket: messages, commands
 *    shca_helper.c    the helper thread                  shca_link_end.c  the end of a link
 *    shca_timers.c    all that waits for a time          shca_command.c   commands of softhca_control
 *                                                        shca_removal.c   the device goes while it is in use
 *
 * A thread that means to sleep sets bits of the doorbell and then looks at the rings once more; a sender publishes and
 * then reads the doorbell. Both are sequentially consistent, so either the sender sees the bits or the sleeper sees the
 * packet. A thread that has a waker (shca_waker.h) is woken for packets to its own queue pairs, and the helper thread
 * for packets that the device handles alone. For a thread that has none the helper thread stands in at once.
 *
 * Locks: progress holds none of its own while it calls, but the links' rx_lock (wire/shca_link.h), under which packets
 * reach their queue pairs, and those that end a removal or a round of ticks. cm/shca_cm.h draws the order.
 */
#ifndef SHCA_ENGINE_H
#define SHCA_ENGINE_H

#include <stdbool.h>

/* The first call enters the fabric and starts the helper thread; calls are counted. Returns 0 or -errno. */
int shca_engine_start(void);
void shca_engine_stop(void);
/* Whether the helper thread has ended, or this process never had one. */
bool shca_engine_is_stopped(void);

#endif
