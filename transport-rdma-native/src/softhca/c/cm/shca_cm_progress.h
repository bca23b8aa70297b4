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
 * Calls of progress. On the helper thread: messages, the end of links, time; on any thread the removal of the device.
 */
#ifndef SHCA_CM_PROGRESS_H
#define SHCA_CM_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct shca_process;

/* A CM message has arrived. It is not trusted: a malformed one is dropped with a line on stderr. shca_cm_receive.c */
void shca_cm_message(struct shca_process *process, const void *message, size_t size);
/*
 * The peer process is gone: as if it had rejected pending requests and disconnected its connections. shca_cm_receive.c
 */
void shca_cm_process_died(struct shca_process *process);
/* Reports DEVICE_REMOVAL to every id that is bound to the device. Without locks. shca_cm_receive.c */
void shca_cm_device_removed(void);
/* Runs the timers. Returns the next deadline in CLOCK_MONOTONIC ns, 0 for none. shca_cm_send.c */
uint64_t shca_cm_tick(uint64_t now);

#endif
