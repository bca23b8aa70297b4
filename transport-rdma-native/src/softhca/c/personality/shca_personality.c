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

/* The personalities. Devices differ only by the data in this table. */
#include "personality/shca_personality.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/shca_say.h"

#define SHCA_GIDS	256

/* Common to all of Amazon's adapters. The limits are those that one of the first generation reports. */
#define EFA_COMMON						\
	.node_type = IBV_NODE_UNSPECIFIED,			\
	.transport_type = IBV_TRANSPORT_UNSPECIFIED,		\
	.link_layer = IBV_LINK_LAYER_UNSPECIFIED,		\
	.gids = 1,						\
	.immediate = true,					\
	.datagrams = true,					\
	.extended_cq = true,					\
	.extended_qp = true,					\
	.srd = true,						\
	.every_send_signaled = true,				\
	.sends_alone = true,					\
	.sets_what_was_asked_for = true,			\
	.rounds_depths = true,					\
	.refuses_error_state = true,				\
	.fails_alone = true,					\
	.bare_cq = true,					\
	.qp_number_bits = 16,					\
	.max_qp = 256,						\
	.max_qp_wr = 4096,					\
	.max_recv_wr = 32768,					\
	.max_sge = 2,						\
	.max_recv_sge = 3,					\
	.max_sge_rd = 1,					\
	.max_inline = 32,					\
	.max_cq = 512,						\
	.max_cqe = 32768,					\
	.max_mr = 262144,					\
	.max_pd = 256,						\
	.max_ah = 1024,						\
	.max_mr_size = 96ull << 30,				\
	.max_message = 8928,					\
	.max_datagram = 8928,					\
	.mtu = IBV_MTU_4096

static const struct shca_personality personalities[] = {
	{
		.name = "rc",
		.node_type = IBV_NODE_CA,
		.transport_type = IBV_TRANSPORT_IB,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.gids = SHCA_GIDS,
		.connected = true,
		.rdma_read = true,
		.rdma_write = true,
		.completion_channel = true,
		.immediate = true,
		.atomics = true,
		.datagrams = true,
		.shared_receive_queue = true,
		.extended_cq = true,
		.extended_qp = true,
		.qp_number_bits = 24,
		.max_qp = 65000,
		.max_qp_wr = 16384,
		.max_recv_wr = 16384,
		.max_sge = 32,
		.max_recv_sge = 32,
		.max_sge_rd = 32,
		.max_inline = 1024,
		.max_cq = 65536,
		.max_cqe = 1 << 22,
		.max_mr = 1 << 20,
		.max_pd = 65536,
		.max_ah = 65536,
		.max_srq = 65536,
		.max_srq_wr = 65536,
		.max_srq_sge = 32,
		.max_rd_atomic = 16,
		.max_mr_size = UINT64_MAX,
		.max_message = 1u << 30,
		.max_datagram = 4096,
		.mtu = IBV_MTU_4096,
	},
	/* Modelled on siw and on what other iWARP adapters have in common. */
	{
		.name = "iwarp",
		.node_type = IBV_NODE_RNIC,
		.transport_type = IBV_TRANSPORT_IWARP,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.gids = SHCA_GIDS,
		.connected = true,
		.rdma_read = true,
		.rdma_write = true,
		.completion_channel = true,
		.shared_receive_queue = true,
		.negative_errno = true,
		.refuses_posts_in_error = true,
		.reports_failed_receives = true,
		.client_speaks_first = true,
		.read_sink_needs_remote_write = true,
		.receive_needs_sge = true,
		.connect_by_cm_only = true,
		.qp_number_bits = 24,
		.max_qp = 65000,
		.max_qp_wr = 8192,
		.max_recv_wr = 8192,
		.max_sge = 6,
		.max_recv_sge = 6,
		.max_sge_rd = 1,
		.max_inline = 64,
		.max_cq = 65536,
		.max_cqe = 1 << 18,
		.max_mr = 1 << 20,
		.max_pd = 65536,
		.max_srq = 65536,
		.max_srq_wr = 8192,
		.max_srq_sge = 6,
		.max_rd_atomic = 8,
		.max_mr_size = UINT64_MAX,
		.max_message = 1u << 30,
		.send_buffer = 1u << 20,
		.mtu = IBV_MTU_1024,
	},
	/* Only features that every program may rely on. */
	{
		.name = "minimal",
		.node_type = IBV_NODE_CA,
		.transport_type = IBV_TRANSPORT_IB,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.gids = SHCA_GIDS,
		.connected = true,
		.rdma_read = true,
		.rdma_write = true,
		.completion_channel = true,
		.immediate = true,
		.atomics = true,
		.datagrams = true,
		.qp_number_bits = 24,
		.max_qp = 1024,
		.max_qp_wr = 64,
		.max_recv_wr = 64,
		.max_sge = 1,
		.max_recv_sge = 1,
		.max_sge_rd = 1,
		.max_inline = 0,
		.max_cq = 1024,
		.max_cqe = 256,
		.max_mr = 4096,
		.max_pd = 256,
		.max_ah = 256,
		.max_rd_atomic = 1,
		.max_mr_size = 1u << 30,
		/* Linux's rxe takes 8 MiB. */
		.max_message = 1u << 20,
		.max_datagram = 1024,
		.mtu = IBV_MTU_1024,
	},
	/* Amazon's EFA with all that a new adapter has. */
	{
		.name = "efa",
		EFA_COMMON,
		.rdma_read = true,
		.rdma_write = true,
		.rnr_retry = true,
		.completion_channel = true,
		.source_gid = true,
		.service_level = true,
		.max_rdma = 1u << 30,
	},
	/* The same adapter behind version 44 of rdma-core, which Debian 12 has: it knows no RDMA write. */
	{
		.name = "efa44",
		EFA_COMMON,
		.rdma_read = true,
		.rnr_retry = true,
		.completion_channel = true,
		.source_gid = true,
		.max_rdma = 1u << 30,
	},
	/* The first adapter: messages alone. */
	{
		.name = "efa0",
		EFA_COMMON,
	},
};

const struct shca_personality *_Atomic shca_personality_chosen;

static const struct shca_personality *named_by_environment(void)
{
	const char *name = getenv("SOFTHCA_PERSONALITY");
	size_t i;

	if (!name || !*name)
		return &personalities[0];
	for (i = 0; i < sizeof(personalities) / sizeof(personalities[0]); i++)
		if (!strcmp(name, personalities[i].name))
			return &personalities[i];
	shca_say("SOFTHCA_PERSONALITY=%s is not one of rc, iwarp, minimal, efa, efa44, efa0: rc is used", name);
	return &personalities[0];
}

static void choose(void)
{
	atomic_store_explicit(&shca_personality_chosen, named_by_environment(), memory_order_relaxed);
}

/* The chosen pointer leads to constants, so readers need no memory order. */
const struct shca_personality *shca_personality_choose(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, choose);
	return atomic_load_explicit(&shca_personality_chosen, memory_order_relaxed);
}
