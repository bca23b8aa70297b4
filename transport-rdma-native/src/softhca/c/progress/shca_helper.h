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
 * The helper thread. It drains links too, but only while no thread polls. It alone handles the timers, the sockets of
 * the links and connection management.
 *
 *            a poll was seen since the last check
 *      +---------------------------------------------+
 *      v                                             |
 *   ATTENDED: checks whether polls have     -----> STAND_IN: in the doorbell; sleeps until a
 *             ceased, ever less often               timer, a kick or a post wakes it
 */
#ifndef SHCA_HELPER_H
#define SHCA_HELPER_H

/* listening_fd: where new peers come. Return 0 or -errno. */
int shca_helper_start(int listening_fd);
/* Returns when the thread has ended. */
void shca_helper_stop(void);

#endif
