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

#ifndef SHCA_CLOCK_H
#define SHCA_CLOCK_H

#include <stdint.h>

#define SHCA_NS_PER_S	1000000000ull

/* CLOCK_MONOTONIC in ns. */
uint64_t shca_now(void);

/* Returns at once if that time is over. */
void shca_sleep_until(uint64_t ns);

/* The earlier of two deadlines; 0 means no deadline. */
static inline uint64_t shca_sooner(uint64_t one, uint64_t other)
{
	return !one || (other && other < one) ? other : one;
}

#endif
