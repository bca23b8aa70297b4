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
 * Completion queues and a channel. Completions are put as a queue pair puts them. The queue pairs here exist only for
 * completions to refer to.
 */
#ifndef T_COMPLETION_H
#define T_COMPLETION_H

#include "queue_pair/shca_queue_pair.h"
#include "t_context.h"

static struct ibv_context *t_context;
static struct ibv_comp_channel *t_channel;
static struct shca_qp t_left = { .ibv.qp_num = 0x10002 };
__attribute__((unused)) static struct shca_qp t_right = { .ibv.qp_num = 0x10003 };

static inline void t_completion_open(void)
{
	t_context = t_context_open();
	t_channel = ibv_create_comp_channel(t_context);
	T_MUST(t_channel);
}

static inline void t_completion_close(void)
{
	T_MUST(!ibv_destroy_comp_channel(t_channel));
	T_MUST(!ibv_close_device(t_context));
}

static inline struct ibv_cq *t_cq_open(int cqe, struct ibv_comp_channel *by)
{
	struct ibv_cq *cq = ibv_create_cq(t_context, cqe, &t_left, by, 0);

	T_MUST(cq);
	return cq;
}

static inline struct ibv_cq_ex *t_cq_open_ex(uint32_t cqe, uint64_t wc_flags, uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe, .wc_flags = wc_flags, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = flags,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(t_context, &attr);

	T_MUST(cq);
	return cq;
}

static inline void t_cq_close(struct ibv_cq *cq)
{
	T_MUST(!ibv_destroy_cq(cq));
}

static inline void *t_destroy(void *cq)
{
	CHECK_EQ(0, ibv_destroy_cq(cq));
	return NULL;
}

static inline bool t_put(struct ibv_cq *cq, struct shca_cqe cqe)
{
	return shca_cq_put(to_shca_cq(cq), &cqe);
}

static inline bool t_put_send(struct ibv_cq *cq, struct shca_qp *qp, uint64_t id)
{
	return t_put(cq, (struct shca_cqe){ .wr_id = id, .qp = qp, .freed = &qp->sq.freed, .qp_num = qp->ibv.qp_num,
					    .slots = (uint32_t)id });
}

static inline bool t_put_receive(struct ibv_cq *cq, struct shca_qp *qp, struct shca_srq *srq, uint64_t id,
				 bool solicited)
{
	return t_put(cq, (struct shca_cqe){ .wr_id = id, .qp = qp, .is_shared = srq,
					    .freed = srq ? &srq->receives.freed : &qp->rq.freed, .slots = 1,
					    .opcode = IBV_WC_RECV, .solicited = solicited });
}

static inline void t_expect_id(struct ibv_cq *cq, uint64_t id)
{
	struct ibv_wc wc = { .wr_id = ~id };

	CHECK_EQ(1, ibv_poll_cq(cq, 1, &wc));
	CHECK_EQ(id, wc.wr_id);
}

static inline void t_expect_nothing(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(cq, 1, &wc));
}

static inline void t_clear_slots(void)
{
	atomic_store(&t_left.sq.freed, 0);
	atomic_store(&t_left.rq.freed, 0);
}

#endif
