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

#include <arpa/inet.h>

#include "address/shca_network_header.h"
#include "t_wait.h"

static const union ibv_gid mapped_1 = { .raw = { [10] = 0xff, [11] = 0xff, 10, 1, 2, 3 } };
static const union ibv_gid mapped_2 = { .raw = { [10] = 0xff, [11] = 0xff, 192, 168, 4, 5 } };
static const union ibv_gid wide = { .raw = { 0xfd, 0, 9, [15] = 1 } };

static struct shca_network_header header(const union ibv_gid *from, const union ibv_gid *to)
{
	return (struct shca_network_header){
		.source = *from, .destination = *to, .flow_label = 0x54321, .traffic_class = 0xa8, .hop_limit = 7,
		.length = 1032,
	};
}

static void check_same(const struct shca_network_header *a, const struct shca_network_header *b)
{
	CHECK_BYTES(&a->source, &b->source, sizeof(a->source));
	CHECK_BYTES(&a->destination, &b->destination, sizeof(a->destination));
	CHECK_EQ(a->flow_label, b->flow_label);
	CHECK_EQ(a->traffic_class, b->traffic_class);
	CHECK_EQ(a->hop_limit, b->hop_limit);
	CHECK_EQ(a->length, b->length);
}

/* The checksum was computed by hand: the sum of the other words, folded, and inverted. */
static void ip4_header_is_in_the_second_half(void)
{
	static const uint8_t expected[SHCA_NETWORK_HEADER] = {
		[20] = 0x45, 0xa8, 0x04, 0x1c, 0x00, 0x00, 0x40, 0x00, 7, 17, 0x9e, 0x78, 10, 1, 2, 3, 192, 168, 4, 5,
	};
	struct shca_network_header written = header(&mapped_1, &mapped_2), read;
	uint8_t bytes[SHCA_NETWORK_HEADER];

	memset(bytes, 0xff, sizeof(bytes));
	shca_network_header_write(&written, bytes);
	CHECK_BYTES(expected, bytes, sizeof(bytes));
	CHECK(shca_network_header_read(bytes, &read));
	written.flow_label = 0;
	check_same(&written, &read);
	/* The bytes before it mean nothing, even if they look like the other kind. */
	memset(bytes, 0x60, 20);
	CHECK(shca_network_header_read(bytes, &read));
	check_same(&written, &read);
}

static void ip6_header_is_a_grh(void)
{
	struct shca_network_header written = header(&wide, &wide), read;
	uint8_t bytes[SHCA_NETWORK_HEADER];
	struct ibv_grh grh;

	shca_network_header_write(&written, bytes);
	memcpy(&grh, bytes, sizeof(grh));
	CHECK_EQ(0x6a854321, ntohl(grh.version_tclass_flow));
	CHECK_EQ(1032, ntohs(grh.paylen));
	CHECK_EQ(17, grh.next_hdr);
	CHECK_EQ(7, grh.hop_limit);
	CHECK_BYTES(&wide, &grh.sgid, sizeof(wide));
	CHECK(shca_network_header_read(bytes, &read));
	check_same(&written, &read);
	/* An address of each kind: only this form has room for both. */
	written = header(&mapped_1, &wide);
	shca_network_header_write(&written, bytes);
	CHECK(shca_network_header_read(bytes, &read));
	check_same(&written, &read);
}

static void other_bytes_are_no_header(void)
{
	struct shca_network_header written = header(&mapped_1, &mapped_2), read = written;
	uint8_t bytes[SHCA_NETWORK_HEADER] = { 0 };

	CHECK(!shca_network_header_read(bytes, &read));
	shca_network_header_write(&written, bytes);
	bytes[33] ^= 1;
	CHECK(!shca_network_header_read(bytes, &read));
	check_same(&written, &read);
}

int main(void)
{
	T_RUN(ip4_header_is_in_the_second_half);
	T_RUN(ip6_header_is_a_grh);
	T_RUN(other_bytes_are_no_header);
	return t_result();
}
