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

#ifndef SHCA_PROCESS_END_H
#define SHCA_PROCESS_END_H

struct shca_process;

/*
 * Ends a link that is dead or whose peer is: handles its last packets, notifies connection management. Helper thread.
 */
void shca_process_end_dead(struct shca_process *process);
/* Ends all links. The helper thread has ended, and the device is not in use any more. */
void shca_process_end_all(void);

#endif
