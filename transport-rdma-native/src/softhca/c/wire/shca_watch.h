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

#include <stdint.h>

struct shca_wire_user;

/* The helper thread calls shca_qp_tick until that returns 0. Cheap when the user is already watched. */
void shca_watch_add(struct shca_wire_user *user);
/* Removes the user; afterwards the helper thread has no reference to it. Call without locks. */
void shca_watch_remove(struct shca_wire_user *user);

/* Helper thread: ticks all users. Returns the next deadline, 0 when none is left. */
uint64_t shca_watch_tick(uint64_t now);
void shca_watch_forked(void);

#endif
