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

#include "registry/shca_port_range.h"

#include <stdio.h>

#include "base/shca_clock.h"

#define DEFAULT_FIRST	32768u
#define DEFAULT_LAST	60999u

void shca_port_range_read(struct shca_port_range *range, const char *path, uint64_t now)
{
	FILE *file;

	if (now < range->until)
		return;
	range->until = now + SHCA_NS_PER_S;
	file = fopen(path, "re");
	if (!file || fscanf(file, "%u %u", &range->first, &range->last) != 2 || !range->first ||
	    range->first > range->last || range->last > UINT16_MAX) {
		range->first = DEFAULT_FIRST;
		range->last = DEFAULT_LAST;
	}
	if (file)
		fclose(file);
}
