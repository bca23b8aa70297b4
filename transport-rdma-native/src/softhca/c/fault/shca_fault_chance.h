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

/* Which occasions are hit: by the seed, the kind and the number of the occasion alone. Each call counts one. */
#ifndef SHCA_FAULT_CHANCE_H
#define SHCA_FAULT_CHANCE_H

#include "fault/shca_fault_specification.h"

bool shca_fault_happens(enum shca_fault_kind kind);
/* How long it takes, in ns; 0: it does not happen. */
uint32_t shca_fault_duration(enum shca_fault_kind kind);

/* Of how many things one may be chosen out of turn. Counts nothing. */
uint32_t shca_fault_window(void);
/* One of count things, at least 2; 0 is the one whose turn it is. Also without faults. */
uint32_t shca_fault_choose(uint32_t count);

#endif
