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
 * The users of the wire that the helper thread minds: those that have something outstanding, or wait for a timer.
 */
#ifndef SHCA_WATCH_H
#define SHCA_WATCH_H

#include <stdint.h>

struct shca_wire_user;

/* The helper calls shca_qp_tick until that says that it can be left alone. Cheap when it is watched already. */
void shca_watch_add(struct shca_wire_user *user);
/* Takes it off the list; afterwards the helper does not hold it. Without locks. */
void shca_watch_remove(struct shca_wire_user *user);

/* Helper thread: ticks all of them. The next deadline, 0 when none is left. */
uint64_t shca_watch_tick(uint64_t now);
void shca_watch_forked(void);

#endif
