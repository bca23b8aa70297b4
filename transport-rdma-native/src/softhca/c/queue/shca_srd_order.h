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
 * SRD promises no order, so a program must not see one: requests, segments, answers and completions are swapped within
 * a window. This is how the device works and no fault, but the keyword reorder changes it, and the seed of the faults
 * repeats it.
 */
#ifndef SHCA_SRD_ORDER_H
#define SHCA_SRD_ORDER_H

#include <stdint.h>

/* Which of count things comes next, 0 for the one whose turn it is. Any thread. */
uint32_t shca_srd_next_of(uint32_t count);

#endif
