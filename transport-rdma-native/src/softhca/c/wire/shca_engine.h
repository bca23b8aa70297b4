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
 * Progress. A thread that polls a completion queue drains the links of the whole process. A helper thread drains them
 * too, but only while nobody polls. It alone handles the timers, the sockets of the links and connection management.
 *
 *            a poll was seen since the last check
 *      +---------------------------------------------+
 *      v                                             |
 *   ATTENDED: checks whether polls have     -----> STAND_IN: in the doorbell; sleeps until a
 *             ceased, ever less often               timer, a kick or a post wakes it
 *
 * A thread that means to sleep sets bits of the doorbell and then looks at the rings once more; a sender publishes and
 * then reads the doorbell. Both are sequentially consistent, so either the sender sees the bits or the sleeper sees the
 * packet. A thread that has a waker (shca_waker.h) is woken for packets to its own queue pairs, and the helper thread
 * for packets that the device handles alone. For a thread that has none the helper thread stands in at once.
 */
#ifndef SHCA_ENGINE_H
#define SHCA_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The first call enters the fabric and starts the helper thread; calls are counted. Returns 0 or -errno. */
int shca_engine_start(void);
void shca_engine_stop(void);
/* Whether the helper thread has ended, or this process never had one. */
bool shca_engine_is_stopped(void);

extern _Atomic uint32_t shca_engine_polled;

/* Every poll calls this first. Usually it costs one load. */
static inline void shca_engine_note_poll(void)
{
	if (!atomic_load_explicit(&shca_engine_polled, memory_order_relaxed))
		atomic_store_explicit(&shca_engine_polled, 1, memory_order_relaxed);
}

/* Drains all links and sends what was blocked. Returns whether a packet came. Call without locks. */
bool shca_engine_progress(void);
/* Handles the packets that have arrived and are due, also if another thread drains them. Call without locks. */
void shca_engine_catch_up(void);
/*
 * The caller is about to sleep: senders wake it from now on by its waker, or the helper thread if that is 0. Drains all
 * links. Call without locks.
 */
void shca_engine_arm(uint32_t waker);

#endif
