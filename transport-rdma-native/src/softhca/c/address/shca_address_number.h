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

#ifndef SHCA_ADDRESS_NUMBER_H
#define SHCA_ADDRESS_NUMBER_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "queue/shca_completion_queue.h"

/*
 * Numbers of address handles (AHN), as EFA has them: all handles of a protection domain for one GID have the same. A
 * completion names its sender by it. Any thread.
 */

/* Counts one more handle. Returns its number, or SHCA_UNKNOWN_SENDER when all are in use. */
uint32_t shca_address_number_acquire(uint32_t pd, const union ibv_gid *gid);
void shca_address_number_release(uint32_t number);
/* The number of the domain's handles for this GID, or SHCA_UNKNOWN_SENDER: it has none. */
uint32_t shca_address_number_of(uint32_t pd, const union ibv_gid *gid);

#endif
