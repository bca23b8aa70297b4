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

/* Functions that return an error number set errno to it, as the kernel's ioctl does below rdma-core. */
#include "base/shca_error.h"
#include "t_context.h"

static struct ibv_context *context;

static void success_leaves_errno_alone(void)
{
	errno = EDOM;
	CHECK_EQ(0, shca_error(0));
	CHECK_EQ(EDOM, errno);
	CHECK_EQ(EBUSY, shca_error(EBUSY));
	CHECK_EQ(EBUSY, errno);
}

static void control_calls_set_errno(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
	struct ibv_cq *cq = ibv_create_cq(context, 10, NULL, channel, 0);
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 10, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &srq_init);
	struct ibv_srq_attr limit = { .srq_limit = 1000 };
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = IBV_QPT_RC, .cap = { .max_send_wr = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	struct ibv_gid_entry entry;
	struct ibv_port_attr port;
	struct ibv_ece ece;
	struct ibv_qp *qp;

	T_MUST(pd && channel && cq && srq);
	qp = ibv_create_qp(pd, &init);
	T_MUST(qp);
	CHECK_ERROR(EINVAL, ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	CHECK_ERROR(EBUSY, ibv_destroy_cq(cq));
	CHECK_ERROR(EBUSY, ibv_destroy_srq(srq));
	CHECK_ERROR(EBUSY, ibv_dealloc_pd(pd));
	CHECK_ERROR(EBUSY, ibv_destroy_comp_channel(channel));
	CHECK_ERROR(EINVAL, ibv_query_port(context, 9, &port));
	CHECK_ERROR(EINVAL, ibv_query_gid_ex(context, 9, 0, &entry, 0));
	CHECK_ERROR(EINVAL, ibv_resize_cq(cq, 100000000));
	CHECK_ERROR(EINVAL, ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	CHECK_ERROR(EOPNOTSUPP, ibv_modify_srq(srq, &limit, IBV_SRQ_MAX_WR));
	CHECK_ERROR(EOPNOTSUPP, ibv_attach_mcast(qp, &entry.gid, 0));
	CHECK_ERROR(EOPNOTSUPP, ibv_query_ece(qp, &ece));
	CHECK_ERROR(EOPNOTSUPP, ibv_modify_cq(cq, NULL));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_srq(srq));
	CHECK_EQ(0, ibv_destroy_cq(cq));
	CHECK_EQ(0, ibv_destroy_comp_channel(channel));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
}

/* They do not enter the kernel, and no adapter's library sets it for them. */
static void posting_leaves_errno_alone(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_cq *cq = ibv_create_cq(context, 10, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_recv_wr receive = { .num_sge = 2 }, *bad_receive;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad_send;
	struct ibv_qp *qp;

	T_MUST(pd && cq);
	qp = ibv_create_qp(pd, &init);
	T_MUST(qp);
	errno = EDOM;
	CHECK_EQ(EINVAL, ibv_post_recv(qp, &receive, &bad_receive));
	CHECK_EQ(EINVAL, ibv_post_send(qp, &send, &bad_send));
	CHECK_EQ(EDOM, errno);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_cq(cq));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
}

int main(void)
{
	context = t_context_open();
	T_RUN(success_leaves_errno_alone);
	T_RUN(control_calls_set_errno);
	T_RUN(posting_leaves_errno_alone);
	T_MUST(!ibv_close_device(context));
	return t_result();
}
