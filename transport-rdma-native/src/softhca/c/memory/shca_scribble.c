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

#include "memory/shca_scribble.h"

#include <string.h>

#include "memory/shca_region.h"

#define SCRIBBLE	0xdb

/* A wrong list is refused when the request is executed, not here. */
void shca_scribble(uint32_t pd, const struct ibv_sge *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct shca_region *region = NULL;

		if (list[i].length)
			region = shca_region_pin(pd, list[i].lkey, list[i].addr, list[i].length,
						 IBV_ACCESS_LOCAL_WRITE);
		if (region) {
			memset(shca_region_at(region, list[i].addr), SCRIBBLE, list[i].length);
			shca_region_unpin(region);
		}
	}
}
