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

/* A device, and two reliable queue pairs that are connected to each other, by public verbs alone. */
#ifndef T_PAIR_H
#define T_PAIR_H

#include <infiniband/verbs.h>

#include "t_wait.h"

#define T_DEPTH		64
#define T_SGES		4

struct t_side {
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *memory;
	size_t size;
};

struct t_settings {
	uint32_t psn_left;
	uint32_t psn_right;
	uint32_t psn_expected_by_right;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t rnr_timer;
	uint8_t reads;
	size_t size;
};

static const struct t_settings t_usual = {
	.psn_left = 0xfffffe, .psn_right = 5, .psn_expected_by_right = 0xfffffe,
	.timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .rnr_timer = 1, .reads = 4, .size = 4 << 20,
};

struct t_pair {
	struct ibv_context *context;
	struct ibv_pd *pd;
	union ibv_gid gid;
	struct t_side left;
	struct t_side right;
};

static inline void t_side_open(struct t_pair *pair, struct t_side *side, size_t size)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = T_DEPTH, .max_recv_wr = T_DEPTH, .max_send_sge = T_SGES,
			 .max_recv_sge = T_SGES, .max_inline_data = 128 },
		.qp_type = IBV_QPT_RC,
	};

	side->send_cq = ibv_create_cq(pair->context, 2 * T_DEPTH, NULL, NULL, 0);
	side->recv_cq = ibv_create_cq(pair->context, 2 * T_DEPTH, NULL, NULL, 0);
	T_MUST(side->send_cq && side->recv_cq);
	init.send_cq = side->send_cq;
	init.recv_cq = side->recv_cq;
	side->qp = ibv_create_qp(pair->pd, &init);
	T_MUST(side->qp);
	side->size = size;
	side->memory = calloc(1, size);
	T_MUST(side->memory);
	side->mr = ibv_reg_mr(pair->pd, side->memory, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	T_MUST(side->mr);
}

/* From RESET to RTR. */
static inline void t_side_ready_to_receive(const struct t_pair *pair, struct t_side *side, const struct t_side *peer,
					   const struct t_settings *settings, uint32_t rq_psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};

	T_MUST(!ibv_modify_qp(side->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = peer->qp->qp_num;
	attr.rq_psn = rq_psn;
	attr.max_dest_rd_atomic = settings->reads;
	attr.min_rnr_timer = settings->rnr_timer;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.grh.dgid = pair->gid;
	attr.ah_attr.grh.hop_limit = 64;
	attr.ah_attr.port_num = 1;
	T_MUST(!ibv_modify_qp(side->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
}

/* From RTR to RTS. Returns what ibv_modify_qp does. */
static inline int t_side_ready_to_send(struct t_side *side, const struct t_settings *settings, uint32_t sq_psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .sq_psn = sq_psn, .timeout = settings->timeout,
		.retry_cnt = settings->retry_cnt, .rnr_retry = settings->rnr_retry, .max_rd_atomic = settings->reads,
	};

	return ibv_modify_qp(side->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static inline void t_side_connect(const struct t_pair *pair, struct t_side *side, const struct t_side *peer,
				  const struct t_settings *settings, uint32_t sq_psn, uint32_t rq_psn)
{
	t_side_ready_to_receive(pair, side, peer, settings, rq_psn);
	T_MUST(!t_side_ready_to_send(side, settings, sq_psn));
}

static inline void t_pair_open(struct t_pair *pair, const struct t_settings *settings)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	T_MUST(list && list[0]);
	pair->context = ibv_open_device(list[0]);
	T_MUST(pair->context);
	ibv_free_device_list(list);
	T_MUST(!ibv_query_gid(pair->context, 1, 0, &pair->gid));
	pair->pd = ibv_alloc_pd(pair->context);
	T_MUST(pair->pd);
	t_side_open(pair, &pair->left, settings->size);
	t_side_open(pair, &pair->right, settings->size);
	t_side_connect(pair, &pair->left, &pair->right, settings, settings->psn_left, settings->psn_right);
	t_side_connect(pair, &pair->right, &pair->left, settings, settings->psn_right, settings->psn_expected_by_right);
}

static inline void t_side_close(struct t_side *side)
{
	T_MUST(!ibv_destroy_qp(side->qp));
	T_MUST(!ibv_destroy_cq(side->send_cq));
	T_MUST(!ibv_destroy_cq(side->recv_cq));
	T_MUST(!ibv_dereg_mr(side->mr));
	free(side->memory);
}

static inline void t_pair_close(struct t_pair *pair)
{
	t_side_close(&pair->left);
	t_side_close(&pair->right);
	T_MUST(!ibv_dealloc_pd(pair->pd));
	T_MUST(!ibv_close_device(pair->context));
}

static inline struct ibv_sge t_sge(const struct t_side *side, size_t offset, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)side->memory + offset, length, side->mr->lkey };
}

static inline void t_receive(struct t_side *side, uint64_t id, size_t offset, uint32_t length)
{
	struct ibv_sge sge = t_sge(side, offset, length);
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK_EQ(0, ibv_post_recv(side->qp, &wr, &bad));
}

/* Posts a request with one SGE; target and to are for one-sided ones. Returns what ibv_post_send does. */
static inline int t_post(struct t_side *side, uint64_t id, enum ibv_wr_opcode opcode, unsigned int flags, size_t from,
			 uint32_t length, const struct t_side *target, size_t to)
{
	struct ibv_sge sge = t_sge(side, from, length);
	struct ibv_send_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = flags };
	struct ibv_send_wr *bad;

	if (target) {
		wr.wr.rdma.remote_addr = (uintptr_t)target->memory + to;
		wr.wr.rdma.rkey = target->mr->rkey;
	}
	return ibv_post_send(side->qp, &wr, &bad);
}

/* Returns the next completion, or wr_id UINT64_MAX when none came in time. */
static inline struct ibv_wc t_wait(struct ibv_cq *cq)
{
	struct ibv_wc wc = { .wr_id = UINT64_MAX };
	time_t end = time(NULL) + T_PATIENCE;

	while (ibv_poll_cq(cq, 1, &wc) == 0) {
		if (time(NULL) > end) {
			T_FAIL("no completion after %d s", T_PATIENCE);
			break;
		}
	}
	return wc;
}

static inline void t_expect(struct ibv_cq *cq, uint64_t id, enum ibv_wc_status status)
{
	struct ibv_wc wc = t_wait(cq);

	CHECK_EQ(id, wc.wr_id);
	CHECK_EQ(status, wc.status);
}

#endif
