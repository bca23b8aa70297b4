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

#include "queue/shca_srd_order.h"

#include "fault/shca_fault_chance.h"

uint32_t shca_srd_next_of(uint32_t count)
{
	uint32_t window = shca_fault_window();

	if (count > window)
		count = window;
	return count < 2 ? 0 : shca_fault_choose(count);
}
