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

/* An object whose public structure the program has overwritten, or that it lent to another context. */
#include "t_context.h"

static struct t_pair pair;
static struct ibv_srq *srq;
static struct ibv_ah *ah;

static void open_all(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };

	t_pair_open(&pair, &t_usual);
	srq = ibv_create_srq(pair.pd, &init);
	attr.grh.dgid = pair.gid;
	ah = ibv_create_ah(pair.pd, &attr);
	T_MUST(srq && ah);
}

static void close_all(void)
{
	T_MUST(!ibv_destroy_ah(ah) && !ibv_destroy_srq(srq));
	t_pair_close(&pair);
}

/* Runs checks while the object has another handle. */
#define WITH_WRONG_HANDLE(object, checks)		\
	do {						\
		uint32_t handle = (object)->handle;	\
		(object)->handle = ~handle;		\
		checks;					\
		(object)->handle = handle;		\
	} while (0)

/* Objects that nothing uses, so that only the handle stands in the way. */
static void object_with_wrong_handle_is_not_destroyed(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(pair.context);
	struct ibv_cq *cq = ibv_create_cq(pair.context, 4, NULL, NULL, 0);
	struct ibv_cq_init_attr_ex attr = { .cqe = 4 };
	struct ibv_cq_ex *cq_ex = ibv_create_cq_ex(pair.context, &attr);

	T_MUST(pd && cq && cq_ex);
	WITH_WRONG_HANDLE(pd, CHECK_ERROR(ENOENT, ibv_dealloc_pd(pd)));
	WITH_WRONG_HANDLE(cq, CHECK_ERROR(ENOENT, ibv_destroy_cq(cq)));
	WITH_WRONG_HANDLE(cq_ex, CHECK_ERROR(ENOENT, ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex))));
	WITH_WRONG_HANDLE(srq, CHECK_ERROR(ENOENT, ibv_destroy_srq(srq)));
	WITH_WRONG_HANDLE(ah, CHECK_ERROR(ENOENT, ibv_destroy_ah(ah)));
	WITH_WRONG_HANDLE(pair.left.mr, CHECK_ERROR(ENOENT, ibv_dereg_mr(pair.left.mr)));
	WITH_WRONG_HANDLE(pair.left.qp, CHECK_ERROR(ENOENT, ibv_destroy_qp(pair.left.qp)));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_destroy_cq(cq));
	CHECK_EQ(0, ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)));
}

static void object_with_wrong_handle_is_not_changed(void)
{
	struct ibv_qp *qp = pair.left.qp;
	struct ibv_cq *cq = pair.left.send_cq;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_srq_attr limit = { .srq_limit = 1 };
	struct ibv_qp_init_attr init;

	WITH_WRONG_HANDLE(qp, CHECK_ERROR(EINVAL, ibv_modify_qp(qp, &attr, IBV_QP_STATE)));
	WITH_WRONG_HANDLE(qp, CHECK_ERROR(EINVAL, ibv_query_qp(qp, &attr, IBV_QP_STATE, &init)));
	WITH_WRONG_HANDLE(srq, CHECK_ERROR(EINVAL, ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT)));
	WITH_WRONG_HANDLE(srq, CHECK_ERROR(EINVAL, ibv_query_srq(srq, &limit)));
	WITH_WRONG_HANDLE(cq, CHECK_ERROR(EINVAL, ibv_resize_cq(cq, 8)));
	WITH_WRONG_HANDLE(cq, CHECK_EQ(EINVAL, ibv_req_notify_cq(cq, 0)));
	CHECK_EQ(IBV_QPS_RTS, qp->state);
}

static void object_with_wrong_handle_is_no_part(void)
{
	static uint8_t memory[64];
	struct ibv_pd *pd = pair.pd;
	struct ibv_cq *cq = pair.left.send_cq;
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_ah_attr address = { .grh = { .dgid = pair.gid }, .is_global = 1, .port_num = 1 };
	struct ibv_qp_init_attr send = { .send_cq = cq, .recv_cq = pair.left.recv_cq, .qp_type = IBV_QPT_RC };
	struct ibv_qp_init_attr receive = { .send_cq = pair.left.recv_cq, .recv_cq = cq, .qp_type = IBV_QPT_RC };
	struct ibv_qp_init_attr shared = send;

	shared.srq = srq;
	WITH_WRONG_HANDLE(pd, CHECK_REFUSED(EINVAL, ibv_reg_mr(pd, memory, sizeof(memory), 0)));
	WITH_WRONG_HANDLE(pd, CHECK_REFUSED(EINVAL, ibv_create_srq(pd, &srq_init)));
	WITH_WRONG_HANDLE(pd, CHECK_REFUSED(EINVAL, ibv_create_ah(pd, &address)));
	WITH_WRONG_HANDLE(pd, CHECK_REFUSED(EINVAL, ibv_create_qp(pd, &send)));
	WITH_WRONG_HANDLE(cq, CHECK_REFUSED(EINVAL, ibv_create_qp(pd, &send)));
	WITH_WRONG_HANDLE(cq, CHECK_REFUSED(EINVAL, ibv_create_qp(pd, &receive)));
	WITH_WRONG_HANDLE(srq, CHECK_REFUSED(EINVAL, ibv_create_qp(pd, &shared)));
}

static void object_of_another_context_is_not_destroyed(void)
{
	struct ibv_context *other = t_context_open();
	struct ibv_pd *pd = ibv_alloc_pd(pair.context);

	T_MUST(pd);
	pd->context = other;
	CHECK_ERROR(ENOENT, ibv_dealloc_pd(pd));
	pd->context = pair.context;
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_close_device(other));
}

int main(void)
{
	open_all();
	T_RUN(object_with_wrong_handle_is_not_destroyed);
	T_RUN(object_with_wrong_handle_is_not_changed);
	T_RUN(object_with_wrong_handle_is_no_part);
	T_RUN(object_of_another_context_is_not_destroyed);
	close_all();
	return t_result();
}
