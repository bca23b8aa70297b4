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

/* EFA: completion queues, which have less than those of other devices. */
#include "t_child.h"
#include "t_srd.h"

#define CHECK_REFUSED(error, creation)			\
	do {						\
		errno = 0;				\
		CHECK((creation) == NULL);		\
		CHECK_EQ(error, errno);			\
	} while (0)

static struct t_srd side;

static void open_side(void)
{
	t_efa_open();
	t_srd_open(&side, 4096, T_MESSAGES, -1);
}

static void close_side(void)
{
	t_srd_close(&side);
	t_efa_close();
}

static void completion_queues_are_bare(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 5, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };
	struct efadv_cq_init_attr efa = { .comp_mask = 1 };
	struct ibv_cq_ex *ex;
	struct ibv_cq *cq;

	open_side();
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq_ex(t_efa, &attr));
	attr.wc_flags = 0;
	CHECK_REFUSED(EINVAL, efadv_create_cq(t_efa, &attr, &efa, sizeof(efa)));
	efa = (struct efadv_cq_init_attr){ .wc_flags = 2 };
	CHECK_REFUSED(EOPNOTSUPP, efadv_create_cq(t_efa, &attr, &efa, sizeof(efa)));
	efa.wc_flags = 0;
	CHECK_REFUSED(EINVAL, efadv_create_cq(t_efa, &attr, &efa, sizeof(efa) - 1));
	ex = efadv_create_cq(t_efa, &attr, &efa, sizeof(efa));
	T_MUST(ex);
	CHECK(!efadv_cq_from_ibv_cq_ex(ex)->wc_read_sgid);
	CHECK_EQ(8, attr.cqe);
	cq = ibv_cq_ex_to_cq(ex);
	CHECK_EQ(8, cq->cqe);
	CHECK_EQ(EOPNOTSUPP, ibv_resize_cq(cq, 16));
	CHECK_EQ(EOPNOTSUPP, ibv_req_notify_cq(cq, 1));
	CHECK_EQ(0, ibv_destroy_cq(cq));
	close_side();
}

static void arm_without_a_channel(void)
{
	t_efa_open();
	ibv_req_notify_cq(ibv_create_cq(t_efa, 4, NULL, NULL, 0), 0);
}

static void arming_without_a_channel_kills(void)
{
	t_aborts_in_child(arm_without_a_channel);
}

static void completion_raises_an_event(void)
{
	struct ibv_comp_channel *channel;
	struct ibv_qp_init_attr attr;
	struct ibv_cq *cq, *announced;
	struct t_srd other;
	void *context;

	open_side();
	channel = ibv_create_comp_channel(t_efa);
	T_MUST(channel);
	other = side;
	cq = ibv_create_cq(t_efa, 16, NULL, channel, 0);
	T_MUST(cq);
	attr = (struct ibv_qp_init_attr){
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_DRIVER,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	other.qp = efadv_create_driver_qp(side.pd, &attr, EFADV_QP_DRIVER_TYPE_SRD);
	T_MUST(other.qp);
	t_srd_start(other.qp, -1);
	CHECK_EQ(0, t_srd_receive(&other, 1, 0, 64));
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	CHECK_EQ(0, t_srd_post(&side, 2, IBV_WR_SEND, 64, 8, t_to(&other, 0)));
	CHECK_EQ(0, ibv_get_cq_event(channel, &announced, &context));
	CHECK(announced == cq);
	ibv_ack_cq_events(cq, 1);
	t_srd_expect(side.send_cq, 2, IBV_WC_SUCCESS, 0);
	CHECK_EQ(0, ibv_destroy_qp(other.qp));
	CHECK_EQ(0, ibv_destroy_cq(cq));
	CHECK_EQ(0, ibv_destroy_comp_channel(channel));
	close_side();
}

int main(void)
{
	T_MUST(!setenv("SOFTHCA_QUIET", "1", 1));
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "efa", 1));
	T_RUN(arming_without_a_channel_kills);
	T_RUN(completion_queues_are_bare);
	T_RUN(completion_raises_an_event);
	return t_result();
}
