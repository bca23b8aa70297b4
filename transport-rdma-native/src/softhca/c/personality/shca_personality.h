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

/*
 * The abilities of a device. shca_personality.c has one of these for each device that softhca can be; nothing else
 * differs.
 */
#ifndef SHCA_PERSONALITY_H
#define SHCA_PERSONALITY_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shca_util.h"

struct shca_personality {
	const char *name;
	enum ibv_node_type node_type;
	enum ibv_transport_type transport_type;
	uint8_t link_layer;
	uint32_t gids;			/* length of the port's table; 1: its link-local address alone */
	bool connected;			/* reliable connections, and rdma_cm to make them */
	bool rdma_read;
	bool rdma_write;
	bool immediate;
	bool atomics;
	bool datagrams;
	bool shared_receive_queue;
	bool extended_cq;		/* ibv_create_cq_ex and the functions of its queues */
	bool extended_qp;		/* ibv_create_qp_ex with send_ops_flags: ibv_wr_* */
	bool negative_errno;		/* the post functions return -errno, as siw's do */
	bool refuses_posts_in_error;	/* a post fails with ENOTCONN instead of being flushed */
	bool reports_failed_receives;	/* QP_FATAL or QP_ACCESS_ERR comes before the completion */
	bool client_speaks_first;	/* the accepting side may not send before it has received */
	bool read_sink_needs_remote_write;
	bool receive_needs_sge;
	bool connect_by_cm_only;	/* no address vector in ibv_modify_qp: only rdma_cm connects queue pairs */
	/* Of EFA: features that some adapters lack; efadv_query_device reports them. */
	bool srd;			/* scalable reliable datagrams, and the functions of libefa */
	bool rnr_retry;			/* IBV_QP_RNR_RETRY */
	bool completion_channel;	/* for every device but some of EFA's */
	bool source_gid;		/* efadv_create_cq with EFADV_WC_EX_WITH_SGID */
	bool service_level;		/* a libefa that knows the fields sl and flags of a queue pair */
	/* Of EFA: how its library differs from others. */
	bool every_send_signaled;	/* and no flags but SIGNALED and INLINE */
	bool sends_alone;		/* ibv_post_send has no one-sided requests: ibv_wr_* has */
	bool sets_what_was_asked_for;	/* pointers of ibv_wr_* that the queue pair was not created for are NULL */
	bool rounds_depths;		/* queues are as long as their rings, powers of two */
	bool refuses_error_state;	/* a post there fails with EINVAL instead of being flushed */
	bool fails_alone;		/* an error of a datagram is that request's alone, and the queue goes on */
	bool bare_cq;			/* not resized, not armed for solicited ones, lost completions raise no event */
	uint32_t qp_number_bits;	/* 24, or 16: EFA's */
	uint32_t max_qp;
	uint32_t max_qp_wr;
	uint32_t max_recv_wr;		/* at one SGE each, where depths are rounded */
	uint32_t max_sge;
	uint32_t max_recv_sge;
	uint32_t max_sge_rd;
	uint32_t max_inline;
	uint32_t max_cq;
	uint32_t max_cqe;
	uint32_t max_mr;
	uint32_t max_pd;
	uint32_t max_ah;
	uint32_t max_srq;
	uint32_t max_srq_wr;
	uint32_t max_srq_sge;
	uint32_t max_rd_atomic;		/* per queue pair, as responder and as initiator */
	uint64_t max_mr_size;
	uint32_t max_message;
	uint32_t max_datagram;
	uint32_t max_rdma;		/* of EFA: a one-sided request */
	uint32_t send_buffer;		/* bytes that may complete before the peer has them, or 0 */
	enum ibv_mtu mtu;
};

/* Chooses by SOFTHCA_PERSONALITY at the first call. For an unknown name it prints a line on stderr and takes "rc". */
const struct shca_personality *shca_personality_choose(void);

extern const struct shca_personality *_Atomic shca_personality_chosen;

static inline const struct shca_personality *shca_personality(void)
{
	const struct shca_personality *chosen = atomic_load_explicit(&shca_personality_chosen, memory_order_relaxed);

	return SHCA_LIKELY(chosen) ? chosen : shca_personality_choose();
}

/* The result of a post function of this device for an error: some devices negate errno. */
static inline int shca_post_error(int error)
{
	return shca_personality()->negative_errno ? -error : error;
}

#endif
