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

#ifndef SHCA_UTIL_H
#define SHCA_UTIL_H

#include <stddef.h>
#include <stdint.h>

#define shca_container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define SHCA_LIKELY(x)		__builtin_expect(!!(x), 1)
#define SHCA_UNLIKELY(x)	__builtin_expect(!!(x), 0)

/* The number of slots for a ring of at least count entries: a power of two, because the cursors run freely. */
static inline uint32_t shca_slots_for(uint32_t count)
{
	uint32_t slots = 1;

	while (slots < count)
		slots *= 2;
	return slots;
}

static inline uint8_t shca_at_most(uint8_t value, uint8_t limit)
{
	return value < limit ? value : limit;
}

#endif
