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

/* What ibv_post_send accepts and refuses of datagrams. */
#include "t_pair.h"

static struct t_pair pair;

static int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int ret = ibv_post_send(qp, wr, &bad);

	CHECK(!ret || bad == wr);
	return ret;
}

static int post_receive(struct ibv_qp *qp, struct ibv_sge *list, int count)
{
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = list, .num_sge = count }, *bad = NULL;
	int ret = ibv_post_recv(qp, &wr, &bad);

	CHECK(!ret || bad == &wr);
	return ret;
}

static void nothing_came(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(cq, 1, &wc));
}

static struct ibv_qp *create(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = pair.left.send_cq, .recv_cq = pair.left.recv_cq, .qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11 };
	struct ibv_qp *qp = ibv_create_qp(pair.pd, &init);

	T_MUST(qp);
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	return qp;
}

static void datagrams_have_rules_of_their_own(void)
{
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1 };
	struct ibv_pd *other_pd;
	struct ibv_ah *ah, *foreign;
	struct ibv_send_wr wr;
	struct ibv_port_attr port;
	struct ibv_sge sge;
	struct ibv_qp *qp;

	t_pair_open(&pair, &t_usual);
	CHECK_EQ(0, ibv_query_port(pair.context, 1, &port));
	sge = t_sge(&pair.left, 0, 8);
	to.grh.dgid = pair.gid;
	ah = ibv_create_ah(pair.pd, &to);
	other_pd = ibv_alloc_pd(pair.context);
	foreign = ibv_create_ah(other_pd, &to);
	T_MUST(ah && foreign);
	qp = create();
	wr = (struct ibv_send_wr){ .wr_id = 99, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	wr.wr.ud.remote_qpn = qp->qp_num;
	wr.send_flags = IBV_SEND_SIGNALED;
	CHECK_EQ(EINVAL, post(qp, &wr));
	wr.wr.ud.ah = foreign;
	CHECK_EQ(EINVAL, post(qp, &wr));
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = 1u << 24;
	CHECK_EQ(EINVAL, post(qp, &wr));
	wr.wr.ud.remote_qpn = qp->qp_num;
	sge.length = (128u << port.active_mtu) + 1;
	CHECK_EQ(EINVAL, post(qp, &wr));
	sge.length = 128u << port.active_mtu;
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
	CHECK_EQ(EINVAL, post(qp, &wr));
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.opcode = IBV_WR_RDMA_WRITE;
	CHECK_EQ(EINVAL, post(qp, &wr));
	wr.opcode = IBV_WR_SEND;
	nothing_came(pair.left.send_cq);
	CHECK_EQ(0, post(qp, &wr));
	t_expect(pair.left.send_cq, 99, IBV_WC_SUCCESS);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_ah(ah));
	CHECK_EQ(0, ibv_destroy_ah(foreign));
	CHECK_EQ(0, ibv_dealloc_pd(other_pd));
	t_pair_close(&pair);
}

/* A Q_Key with its highest bit set stands for the Q_Key of the sending queue pair. */
static void high_qkey_is_that_of_the_queue_pair(void)
{
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1 };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_ah *ah;
	struct ibv_qp *qp;

	t_pair_open(&pair, &t_usual);
	to.grh.dgid = pair.gid;
	ah = ibv_create_ah(pair.pd, &to);
	T_MUST(ah);
	qp = create();
	sge = t_sge(&pair.left, 64, 48);
	CHECK_EQ(0, post_receive(qp, &sge, 1));
	sge = t_sge(&pair.left, 0, 8);
	wr = (struct ibv_send_wr){ .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qp->qp_num;
	wr.wr.ud.remote_qkey = 0x12;
	CHECK_EQ(0, post(qp, &wr));
	nothing_came(pair.left.recv_cq);
	wr.wr.ud.remote_qkey = 0x80000000;
	CHECK_EQ(0, post(qp, &wr));
	t_expect(pair.left.recv_cq, 7, IBV_WC_SUCCESS);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_ah(ah));
	t_pair_close(&pair);
}

int main(void)
{
	T_RUN(datagrams_have_rules_of_their_own);
	T_RUN(high_qkey_is_that_of_the_queue_pair);
	return t_result();
}
