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
 * What the engine tells connection management. Everything here runs on the helper thread.
 */
#ifndef SHCA_CM_H
#define SHCA_CM_H

#include <stddef.h>
#include <stdint.h>

struct shca_link;

/* A CM message has come by a link. It is not trusted: one that makes no sense is dropped with a line on stderr. */
void shca_cm_message(struct shca_link *link, const void *message, size_t size);
/* The process at the other end is gone: as if it had rejected what it was asked and disconnected what it had. */
void shca_cm_link_died(struct shca_link *link);
/* Timers. Returns the next deadline in CLOCK_MONOTONIC ns, 0 for none. */
uint64_t shca_cm_tick(uint64_t now);
/*
 * iWARP: a queue pair has failed, and its connection ends, at the next tick, which is soon: DISCONNECTED at both ends.
 * Any thread, its lock may be held.
 */
void shca_cm_queue_pair_failed(void);
/* The device is gone: DEVICE_REMOVAL for every id that is bound to it. Any thread, without locks. */
void shca_cm_device_removed(void);

#endif
