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
 * An EFA device, and queue pairs of type SRD by the functions of libefa. Each end has a protection domain of its own:
 * whether it has an address handle for the other matters.
 */
#ifndef T_SRD_H
#define T_SRD_H

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#include "t_wait.h"

#define T_DEPTH		64
#define T_QKEY		0x11111111u
#define T_MESSAGES	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define T_ALL_OPS	(T_MESSAGES | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE | \
			 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)

struct t_srd {
	struct ibv_pd *pd;
	struct ibv_cq_ex *send_cq;
	struct ibv_cq_ex *recv_cq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	struct ibv_mr *mr;
	uint8_t *memory;
	size_t size;
};

static struct ibv_context *t_efa;
static union ibv_gid t_gid;

static inline void t_efa_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	T_MUST(list && list[0]);
	t_efa = ibv_open_device(list[0]);
	T_MUST(t_efa);
	ibv_free_device_list(list);
	T_MUST(!ibv_query_gid(t_efa, 1, 0, &t_gid));
}

static inline void t_efa_close(void)
{
	T_MUST(!ibv_close_device(t_efa));
}

static inline struct ibv_cq_ex *t_efa_cq(uint32_t entries)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = entries, .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct efadv_cq_init_attr efa = { .wc_flags = EFADV_WC_EX_WITH_SGID };

	return efadv_create_cq(t_efa, &attr, &efa, sizeof(efa));
}

static inline struct ibv_qp_init_attr_ex t_srd_attr(struct t_srd *side, uint64_t ops)
{
	return (struct ibv_qp_init_attr_ex){
		.send_cq = ibv_cq_ex_to_cq(side->send_cq), .recv_cq = ibv_cq_ex_to_cq(side->recv_cq),
		.cap = { .max_send_wr = T_DEPTH, .max_recv_wr = T_DEPTH, .max_send_sge = 2, .max_recv_sge = 1,
			 .max_inline_data = 32 },
		.qp_type = IBV_QPT_DRIVER, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = side->pd, .send_ops_flags = ops,
	};
}

static inline struct ibv_qp *t_srd_qp(struct t_srd *side, uint64_t ops)
{
	struct ibv_qp_init_attr_ex attr = t_srd_attr(side, ops);
	struct efadv_qp_init_attr efa = { .driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD };

	return efadv_create_qp_ex(t_efa, &attr, &efa, sizeof(efa));
}

static inline void t_srd_start(struct ibv_qp *qp, int rnr_retry)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = T_QKEY };

	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	attr.rnr_retry = (uint8_t)rnr_retry;
	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | (rnr_retry < 0 ? 0 : IBV_QP_RNR_RETRY)));
}

static inline struct ibv_ah *t_handle(struct ibv_pd *pd)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1, .grh.dgid = t_gid };

	return ibv_create_ah(pd, &attr);
}

/* rnr_retry -1: not set. */
static inline void t_srd_open(struct t_srd *side, size_t size, uint64_t ops, int rnr_retry)
{
	side->pd = ibv_alloc_pd(t_efa);
	T_MUST(side->pd);
	side->send_cq = t_efa_cq(2 * T_DEPTH);
	side->recv_cq = t_efa_cq(2 * T_DEPTH);
	T_MUST(side->send_cq && side->recv_cq);
	side->qp = t_srd_qp(side, ops);
	T_MUST(side->qp);
	t_srd_start(side->qp, rnr_retry);
	side->ah = t_handle(side->pd);
	T_MUST(side->ah);
	side->size = size;
	side->memory = calloc(1, size);
	T_MUST(side->memory);
	side->mr = ibv_reg_mr(side->pd, side->memory, size, IBV_ACCESS_LOCAL_WRITE |
			      (ops & IBV_QP_EX_WITH_RDMA_READ ? IBV_ACCESS_REMOTE_READ : 0) |
			      (ops & IBV_QP_EX_WITH_RDMA_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0));
	T_MUST(side->mr);
}

static inline void t_srd_close(struct t_srd *side)
{
	if (side->qp)
		T_MUST(!ibv_destroy_qp(side->qp));
	if (side->ah)
		T_MUST(!ibv_destroy_ah(side->ah));
	T_MUST(!ibv_destroy_cq(ibv_cq_ex_to_cq(side->send_cq)));
	T_MUST(!ibv_destroy_cq(ibv_cq_ex_to_cq(side->recv_cq)));
	T_MUST(!ibv_dereg_mr(side->mr));
	free(side->memory);
	T_MUST(!ibv_dealloc_pd(side->pd));
}

static inline int t_srd_receive(struct t_srd *side, uint64_t id, size_t offset, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)side->memory + offset, length, side->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(side->qp, &wr, &bad);
}

/* Where a request goes, and to which memory there. */
struct t_target {
	uint32_t qpn;
	uint32_t qkey;
	uint32_t rkey;
	uint64_t address;
};

static inline struct t_target t_to(const struct t_srd *side, size_t offset)
{
	return (struct t_target){ side->qp->qp_num, T_QKEY, side->mr->rkey, (uintptr_t)side->memory + offset };
}

/* Adds a request to the session of ibv_wr_*. */
static inline void t_srd_add(struct t_srd *side, uint64_t id, enum ibv_wr_opcode opcode, size_t from, uint32_t length,
			     struct t_target to)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(side->qp);

	ex->wr_id = id;
	ex->wr_flags = IBV_SEND_SIGNALED;
	if (opcode == IBV_WR_SEND)
		ibv_wr_send(ex);
	else if (opcode == IBV_WR_SEND_WITH_IMM)
		ibv_wr_send_imm(ex, (uint32_t)id);
	else if (opcode == IBV_WR_RDMA_READ)
		ibv_wr_rdma_read(ex, to.rkey, to.address);
	else if (opcode == IBV_WR_RDMA_WRITE)
		ibv_wr_rdma_write(ex, to.rkey, to.address);
	else
		ibv_wr_rdma_write_imm(ex, to.rkey, to.address, (uint32_t)id);
	ibv_wr_set_sge(ex, side->mr->lkey, (uintptr_t)side->memory + from, length);
	ibv_wr_set_ud_addr(ex, side->ah, to.qpn, to.qkey);
}

static inline int t_srd_post(struct t_srd *side, uint64_t id, enum ibv_wr_opcode opcode, size_t from, uint32_t length,
			     struct t_target to)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(side->qp);

	ibv_wr_start(ex);
	t_srd_add(side, id, opcode, from, length, to);
	return ibv_wr_complete(ex);
}

/* Returns the next completion, or wr_id UINT64_MAX when none came in time. */
static inline struct ibv_wc t_srd_wait(struct ibv_cq_ex *cq)
{
	struct ibv_wc wc = { .wr_id = UINT64_MAX };
	time_t end = time(NULL) + T_PATIENCE;

	while (ibv_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc) == 0) {
		if (time(NULL) > end) {
			T_FAIL("no completion after %d s", T_PATIENCE);
			break;
		}
	}
	return wc;
}

static inline void t_srd_expect(struct ibv_cq_ex *cq, uint64_t id, enum ibv_wc_status status, uint32_t vendor_err)
{
	struct ibv_wc wc = t_srd_wait(cq);

	CHECK_EQ(id, wc.wr_id);
	CHECK_EQ(status, wc.status);
	CHECK_EQ(vendor_err, wc.vendor_err);
}

/* The device and both ends, with all operations. */
static inline void t_srd_open_both(struct t_srd *left, struct t_srd *right, size_t size, int rnr_retry)
{
	t_efa_open();
	t_srd_open(left, size, T_ALL_OPS, rnr_retry);
	t_srd_open(right, size, T_ALL_OPS, rnr_retry);
}

static inline void t_srd_close_both(struct t_srd *left, struct t_srd *right)
{
	t_srd_close(left);
	t_srd_close(right);
	t_efa_close();
}

#endif
