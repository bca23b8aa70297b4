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

/* Payloads of all lengths around those that are copied in several steps. */
#include <stdint.h>

#include "base/shca_copy.h"
#include "t_context.h"

#define MOST	(3 * SHCA_COPY_AT_ONCE + 1)
#define GUARD	0xa5

static uint8_t from[MOST];
static uint8_t to[MOST + 2];

static void copies_its_bytes_and_no_others(void)
{
	size_t length;

	for (length = 0; length <= MOST; length++) {
		memset(to, GUARD, sizeof(to));
		shca_copy(to + 1, from, length);
		T_MUST(to[0] == GUARD && to[length + 1] == GUARD);
		T_MUST(!memcmp(to + 1, from, length));
	}
}

int main(void)
{
	size_t i;

	t_seed();
	for (i = 0; i < MOST; i++)
		from[i] = (uint8_t)t_random();
	T_RUN(copies_its_bytes_and_no_others);
	return t_result();
}
