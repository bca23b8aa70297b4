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
 * The memory of a posted receive or read belongs to the device until the request completes. With the fault scribble the
 * device writes there whenever it may: when the request is posted, and before it is flushed. That exposes a program
 * that reads the old contents, or has stored something else there.
 */
#ifndef SHCA_SCRIBBLE_H
#define SHCA_SCRIBBLE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "fault/shca_fault.h"

void shca_scribble(uint32_t pd, const struct ibv_sge *list, uint32_t count);

static inline void shca_maybe_scribble(uint32_t pd, const struct ibv_sge *list, uint32_t count)
{
	if (shca_faults_are_active() && shca_fault_scribble())
		shca_scribble(pd, list, count);
}

#endif
