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

/* The range of ports that a device chooses from, a setting of the kernel. */
#ifndef SHCA_PORT_RANGE_H
#define SHCA_PORT_RANGE_H

#include <stdint.h>

#define SHCA_PORT_RANGE_FILE	"/proc/sys/net/ipv4/ip_local_port_range"

/* All 0: not read yet. */
struct shca_port_range {
	uint32_t first;
	uint32_t last;
	uint64_t until;		/* it is not read again before */
};

/*
 * Reads the range from the file, unless it was read less than a second before now, which is in ns: reading it takes 10
 * us. A change counts from the next second on. Without such a file, or with other content, it is Linux's default.
 */
void shca_port_range_read(struct shca_port_range *range, const char *path, uint64_t now);

#endif
