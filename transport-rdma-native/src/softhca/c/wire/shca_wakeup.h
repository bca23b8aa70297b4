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
 * The sleep of the engine's thread: on descriptors, on a deadline, and on wake-ups. Links and connection management
 * request its time here and need not know the thread.
 */
#ifndef SHCA_WAKEUP_H
#define SHCA_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#define SHCA_NEVER	UINT64_MAX

/* Wakes the thread at this time (shca_now) at the latest. Any thread. */
void shca_wakeup_at(uint64_t deadline);
/* Wakes the thread at once, for work that only it does. Any thread. */
void shca_wakeup_now(void);
/* Wakes the thread when the descriptor is readable; shca_wakeup_handle then gets owner. Returns 0 or -errno. */
int shca_wakeup_watch_fd(int fd, void *owner);
void shca_wakeup_unwatch_fd(int fd);
/* A watched descriptor whose events the helper thread ignores, or handles again. */
void shca_wakeup_enable_fd(int fd, void *owner, bool enabled);

/* ---- for the engine ---- */

/* Returns 0, or -errno with a line on stderr. */
int shca_wakeup_open(void);
void shca_wakeup_close(void);
/* The earliest time requested, or SHCA_NEVER. */
uint64_t shca_wakeup_deadline(void);
/* Clears the deadline: everything that still waits must request its time again. */
void shca_wakeup_forget_deadline(void);
void shca_wakeup_sleep_until(uint64_t deadline);
enum shca_wakeup_cause {
	SHCA_WAKEUP_TIME,
	SHCA_WAKEUP_MESSAGE,
	SHCA_WAKEUP_KICK		/* of another process, or of a thread of this one */
};

/* Calls handle for each readable descriptor, which returns whether it was kicked. Returns what woke the thread. */
enum shca_wakeup_cause shca_wakeup_handle(bool (*handle)(void *owner));

#endif
