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

/* Events of the connection manager. Only one thread at a time may read those of an event channel. */
#ifndef NRDMA_CM_EVENT_H
#define NRDMA_CM_EVENT_H

#include <rdma/rdma_cma.h>

#include "abi/nrdma_abi.h"

/* The event must not be acknowledged yet: until then its id and private data stay valid. */
void nrdma_copy_cm_event(const struct rdma_cm_event *from, struct nrdma_cm_event *to);

/* Copies and acknowledges an event. Returns 1, 0 if no event is pending, or -errno. */
int nrdma_next_cm_event(struct rdma_event_channel *channel, struct nrdma_cm_event *record);

#endif
