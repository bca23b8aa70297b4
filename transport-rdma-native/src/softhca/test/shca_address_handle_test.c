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

/* Address handles, made by hand and from a received datagram. */
#include <arpa/inet.h>

#include "address/shca_address_handle.h"
#include "device/shca_context.h"
#include "device/shca_gid.h"
#include "personality/shca_personality.h"
#include "t_child.h"
#include "t_context.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static union ibv_gid own;	/* index 0 */

static struct ibv_ah_attr to_ourselves(void)
{
	return (struct ibv_ah_attr){ .grh = { .dgid = own, .hop_limit = 64 }, .is_global = 1, .port_num = SHCA_PORT };
}

static void open_all(void)
{
	context = t_context_open();
	pd = ibv_alloc_pd(context);
	T_MUST(pd && !ibv_query_gid(context, SHCA_PORT, 0, &own));
}

static void close_all(void)
{
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_close_device(context));
}

static void handle_keeps_its_domain(void)
{
	struct ibv_ah_attr attr = to_ourselves();
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);

	T_MUST(ah);
	CHECK(ah->pd == pd && ah->context == context);
	CHECK_BYTES(&own, &to_shca_ah(ah)->local_gid, sizeof(own));
	CHECK_BYTES(&attr, &to_shca_ah(ah)->attr, sizeof(attr));
	CHECK_EQ(EBUSY, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_destroy_ah(ah));
}

static void unreachable_address_handle_is_refused(void)
{
	struct ibv_ah_attr attr = to_ourselves();
	int free_index = 1;
	union ibv_gid gid;

	while (!shca_gid_at(free_index, &gid, NULL))
		free_index++;
	attr.is_global = 0;
	CHECK_REFUSED(EINVAL, ibv_create_ah(pd, &attr));
	attr = to_ourselves();
	attr.port_num = 0;
	CHECK_REFUSED(EINVAL, ibv_create_ah(pd, &attr));
	attr.port_num = SHCA_PORT + 1;
	CHECK_REFUSED(EINVAL, ibv_create_ah(pd, &attr));
	attr = to_ourselves();
	attr.grh.sgid_index = (uint8_t)free_index;
	CHECK_REFUSED(EINVAL, ibv_create_ah(pd, &attr));
	attr = to_ourselves();
	attr.sl = 16;
	CHECK_REFUSED(EINVAL, ibv_create_ah(pd, &attr));
	attr = to_ourselves();
	memset(&attr.grh.dgid, 0, sizeof(attr.grh.dgid));
	CHECK_REFUSED(EINVAL, ibv_create_ah(pd, &attr));
}

/* The header that the receiver of a datagram finds in the first 40 bytes. */
static struct ibv_grh header(const union ibv_gid *from, const union ibv_gid *to)
{
	return (struct ibv_grh){
		.version_tclass_flow = htonl(6u << 28 | 0x12u << 20 | 0x34567u),
		.hop_limit = 64, .sgid = *from, .dgid = *to,
	};
}

static void handle_from_header_leads_to_its_sender(void)
{
	union ibv_gid sender = { .raw = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } };
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH, .sl = 3, .src_qp = 77 };
	struct ibv_grh grh = header(&sender, &own);
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;

	memset(&attr, 0xff, sizeof(attr));
	CHECK_EQ(0, ibv_init_ah_from_wc(context, SHCA_PORT, &wc, &grh, &attr));
	CHECK_EQ(1, attr.is_global);
	CHECK_EQ(SHCA_PORT, attr.port_num);
	CHECK_EQ(3, attr.sl);
	CHECK_EQ(0, attr.dlid);
	CHECK_EQ(0, attr.grh.sgid_index);
	CHECK_EQ(0x34567, attr.grh.flow_label);
	CHECK_EQ(0x12, attr.grh.traffic_class);
	CHECK_EQ(64, attr.grh.hop_limit);
	CHECK_BYTES(&sender, &attr.grh.dgid, sizeof(sender));
	ah = ibv_create_ah_from_wc(pd, &wc, &grh, SHCA_PORT);
	T_MUST(ah);
	CHECK_BYTES(&sender, &to_shca_ah(ah)->attr.grh.dgid, sizeof(sender));
	CHECK_EQ(0, ibv_destroy_ah(ah));
}

/* An answer has the destination address of the datagram as its source. */
static void handle_from_header_starts_at_its_destination(void)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	int end = shca_gid_count();
	int seen = 0;

	for (int i = 0; i < end; i++) {
		struct ibv_ah_attr attr;
		struct ibv_grh grh;
		union ibv_gid to;

		if (shca_gid_at(i, &to, NULL))
			continue;
		grh = header(&own, &to);
		CHECK_EQ(0, ibv_init_ah_from_wc(context, SHCA_PORT, &wc, &grh, &attr));
		/* Two interfaces may have the same address, so this compares addresses, not indices. */
		CHECK_EQ(0, shca_gid_at(attr.grh.sgid_index, &grh.sgid, NULL));
		CHECK_BYTES(&to, &grh.sgid, sizeof(to));
		seen++;
	}
	CHECK(seen > 0);
}

static void foreign_header_makes_no_handle(void)
{
	union ibv_gid other = { .raw = { 0x20, 0x01, 0x0d, 0xb8, [15] = 9 } };
	struct ibv_grh grh = header(&own, &other);
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	struct ibv_ah_attr attr;

	CHECK_EQ(-1, ibv_init_ah_from_wc(context, SHCA_PORT, &wc, &grh, &attr));
	CHECK(!ibv_create_ah_from_wc(pd, &wc, &grh, SHCA_PORT));
	grh = header(&own, &own);
	wc.wc_flags = 0;
	CHECK(!ibv_create_ah_from_wc(pd, &wc, &grh, SHCA_PORT));
}

static void no_handles_where_there_are_no_datagrams(void)
{
	struct ibv_ah_attr attr;

	open_all();
	attr = to_ourselves();
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_ah(pd, &attr));
	close_all();
}

static void handles_are_limited(void)
{
	struct ibv_ah **handles;
	struct ibv_ah_attr attr;
	uint32_t count;

	open_all();
	attr = to_ourselves();
	count = shca_personality()->max_ah;
	handles = calloc(count, sizeof(struct ibv_ah *));
	T_MUST(handles);
	for (uint32_t i = 0; i < count; i++) {
		handles[i] = ibv_create_ah(pd, &attr);
		T_MUST(handles[i]);
	}
	CHECK_REFUSED(ENOMEM, ibv_create_ah(pd, &attr));
	for (uint32_t i = 0; i < count; i++)
		CHECK_EQ(0, ibv_destroy_ah(handles[i]));
	free(handles);
	close_all();
}

static void personalities_limit_handles(void)
{
	t_in_child("SOFTHCA_PERSONALITY", "iwarp", no_handles_where_there_are_no_datagrams);
	t_in_child("SOFTHCA_PERSONALITY", "minimal", handles_are_limited);
}

int main(void)
{
	/* First: a child must not have a device open from before. */
	T_RUN(personalities_limit_handles);
	open_all();
	T_RUN(handle_keeps_its_domain);
	T_RUN(unreachable_address_handle_is_refused);
	T_RUN(handle_from_header_leads_to_its_sender);
	T_RUN(handle_from_header_starts_at_its_destination);
	T_RUN(foreign_header_makes_no_handle);
	close_all();
	return t_result();
}
