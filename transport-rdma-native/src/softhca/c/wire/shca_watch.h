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

/* The users of the wire that the helper thread watches: they have something outstanding or wait for a timer. */
#ifndef SHCA_WATCH_H
#define SHCA_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct shca_wire_user;

/* The helper thread ticks it until that returns 0. Cheap when the user is already watched. */
void shca_watch_add(struct shca_wire_user *user);
/* Removes the user; afterwards the helper thread has no reference to it. Call without locks. */
void shca_watch_remove(struct shca_wire_user *user);

/* ---- a round of ticks, on the helper thread: progress/shca_timers.c ---- */

/* Takes all users off the list. No user is removed until shca_watch_end. */
struct shca_wire_user *shca_watch_begin(void);
/* The next one of the list, or NULL. Call it before the user may be kept, which puts it on the list again. */
struct shca_wire_user *shca_watch_next(struct shca_wire_user **list);
/* The time of its next tick after one that returned deadline; 0: it need not be watched any more. */
uint64_t shca_watch_until(struct shca_wire_user *user, uint64_t deadline, uint64_t now);
/* Marks it as not watched: from now on a post watches it again. */
void shca_watch_leave(struct shca_wire_user *user);
/* Takes that back. False: a post has done so, and keeps it. */
bool shca_watch_return(struct shca_wire_user *user);
void shca_watch_keep(struct shca_wire_user *user);
void shca_watch_end(void);

void shca_watch_forked(void);

#endif
