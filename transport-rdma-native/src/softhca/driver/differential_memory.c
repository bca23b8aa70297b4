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

#include "differential.h"

#define PAYLOADS (2u << 20)
#define PAGE 4096u
#define SHORT 64u	/* exceeds the sends that siw handles in another way */

static uint8_t payloads[PAYLOADS];	/* of this round */
static size_t payloads_used;

void order_memory(int side)
{
	for (uint32_t pair = 0; pair < PAIRS; pair++)
		if (sides[side].end && sides[side].info.has_pair[pair])
			run_simple(side, DO_STATE, pair);
}

void reset_memory(void)
{
	payloads_used = 0;
	for (int side = 0; side < 2; side++) {
		sides[side].used = DYNAMIC_AT;
		sides[side].reserved = 0;
		order_memory(side);
	}
}

bool has_room(int side, uint32_t length)
{
	/* Sums, not differences: gaps and empty lists may have used more than there was. */
	return sides[side].used + sides[side].reserved + length + ELEMENTS_ROOM <= ARENA &&
	       PAYLOADS - payloads_used >= length;
}

uint32_t take_room(int side, uint32_t length)
{
	uint32_t at = sides[side].used + d_below(&chance, 9);

	if (sides[side].info.deviations.spoils_short_sends && length < SHORT && at % PAGE + length > PAGE)
		at += PAGE - at % PAGE;
	sides[side].used = at + length;
	return at;
}

uint8_t *take_payload(uint32_t length)
{
	uint8_t *payload = payloads + payloads_used;

	payloads_used += length;
	return payload;
}

void set_memory(int side, uint32_t at, const void *bytes, uint32_t length)
{
	memcpy(sides[side].actual + at, bytes, length);
	memcpy(sides[side].expected + at, bytes, length);
}

void expect_memory(int side, uint32_t at, const void *bytes, uint32_t length)
{
	memcpy(sides[side].expected + at, bytes, length);
}

void check_memory(int side, uint32_t at, const void *bytes, uint32_t length)
{
	if (memcmp(sides[side].actual + at, bytes, length))
		D_FAIL("side %d: %u bytes at %u are not what was sent", side, length, at);
}

void compare_memory(int side)
{
	const struct side *s = &sides[side];

	if (!memcmp(s->expected, s->actual, ARENA))
		return;
	for (uint32_t i = 0; i < ARENA; i++)
		if (s->expected[i] != s->actual[i])
			D_FAIL("side %d: byte %u of its memory is %02x, not %02x (in use up to %u)", side, i,
			       s->actual[i], s->expected[i], s->used);
}

void adopt_actual(int side, uint32_t at, uint32_t length)
{
	memcpy(sides[side].expected + at, sides[side].actual + at, length);
}

void scatter(int side, const struct work *work, uint32_t skip, const uint8_t *bytes, uint32_t length,
	     void (*with)(int side, uint32_t at, const void *bytes, uint32_t length))
{
	for (uint32_t i = 0; i < work->num_sge && length; i++) {
		uint32_t at = work->sges[i].offset;
		uint32_t size = work->sges[i].length;
		uint32_t skipped = skip < size ? skip : size;

		at += skipped;
		size -= skipped;
		skip -= skipped;
		if (size > length)
			size = length;
		with(side, at, bytes, size);
		bytes += size;
		length -= size;
	}
}
