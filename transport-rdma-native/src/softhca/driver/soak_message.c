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

#include "soak.h"

#define HEADER	24u
#define TABLE	(1u << 16)	/* words that the contents are taken from */

struct header {
	uint64_t number;
	uint64_t length;
	uint64_t checksum;
};

static uint64_t words[TABLE + SLOT / 8];

void prepare_messages(void)
{
	d_fill(words, sizeof(words), seed);
}

static uint64_t mix(uint64_t z)
{
	return d_random(&(struct d_random){ .state = z });
}

static uint32_t length_of(uint64_t number)
{
	uint64_t dice = mix(number ^ seed);
	uint32_t kind = dice % 1000;
	uint32_t most = kind < 600 ? 64 : kind < 900 ? 1024 : kind < 990 ? EAGER : SLOT;

	return HEADER + (uint32_t)((dice >> 16) % (most - HEADER + 1)) / 8 * 8;
}

static uint64_t checksum_of(const uint8_t *bytes, uint32_t length)
{
	uint64_t sum = length;

	for (uint32_t i = 0; i < length; i += 8) {
		uint64_t word;

		memcpy(&word, bytes + i, 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
	}
	return sum;
}

uint32_t write_message(uint8_t *to, uint64_t number)
{
	struct header header = { .number = number, .length = length_of(number) };
	uint32_t body = (uint32_t)header.length - HEADER;

	memcpy(to + HEADER, &words[mix(number) % TABLE], body);
	header.checksum = checksum_of(to + HEADER, body);
	memcpy(to, &header, HEADER);
	return (uint32_t)header.length;
}

void check_message(const uint8_t *bytes, uint32_t length, uint64_t number, const char *from)
{
	struct header header;

	memcpy(&header, bytes, HEADER);
	if (header.number != number)
		D_FAIL("%s: message %llu instead of %llu", from, (unsigned long long)header.number,
		       (unsigned long long)number);
	if (header.length != length || length != length_of(number))
		D_FAIL("%s: message %llu has %u bytes instead of %u", from, (unsigned long long)number, length,
		       length_of(number));
	if (header.checksum != checksum_of(bytes + HEADER, length - HEADER) ||
	    memcmp(bytes + HEADER, &words[mix(number) % TABLE], length - HEADER))
		D_FAIL("%s: message %llu has other bytes than were sent", from, (unsigned long long)number);
}

bool is_written(uint64_t number)
{
	return number % 3 == 0 || length_of(number) > EAGER;
}
