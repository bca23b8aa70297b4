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

/* Extended completion queues: their creation attributes, and polling one completion at a time. */
#include "queue_pair/shca_queue_pair.h"
#include "t_completion.h"

static void extended_arguments_are_checked(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 1, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };

	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq_ex(t_context, &attr));
	attr.wc_flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq_ex(t_context, &attr));
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq_ex(t_context, &attr));
	attr.flags = 0;
	attr.comp_vector = (uint32_t)t_context->num_comp_vectors;
	CHECK_REFUSED(EINVAL, ibv_create_cq_ex(t_context, &attr));
	attr.comp_vector = 0;
	attr.cqe = 0;
	CHECK_REFUSED(EINVAL, ibv_create_cq_ex(t_context, &attr));
}

static void the_getters_are_those_that_were_asked_for(void)
{
	struct ibv_cq_ex *cq = t_cq_open_ex(1, 0, 0);

	CHECK(cq->start_poll && cq->next_poll && cq->end_poll);
	CHECK(cq->read_opcode && cq->read_vendor_err && cq->read_wc_flags);
	CHECK(!cq->read_byte_len && !cq->read_imm_data && !cq->read_qp_num && !cq->read_src_qp && !cq->read_slid &&
	      !cq->read_sl && !cq->read_dlid_path_bits && !cq->read_completion_ts);
	t_cq_close(ibv_cq_ex_to_cq(cq));
	cq = t_cq_open_ex(1, IBV_WC_STANDARD_FLAGS, 0);
	CHECK(cq->read_byte_len && cq->read_imm_data && cq->read_qp_num && cq->read_src_qp && cq->read_slid &&
	      cq->read_sl && cq->read_dlid_path_bits && !cq->read_completion_ts);
	t_cq_close(ibv_cq_ex_to_cq(cq));
}

static void check_extended(uint32_t flags)
{
	struct ibv_cq_ex *ex = t_cq_open_ex(4, IBV_WC_STANDARD_FLAGS, flags);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct ibv_poll_cq_attr attr = { .comp_mask = 1 };
	struct shca_cqe cqe = {
		.wr_id = 7, .byte_len = 2, .immediate = 3, .qp_num = 4, .src_qp = 5, .wc_flags = IBV_WC_WITH_IMM,
		.vendor_err = 6, .opcode = IBV_WC_RECV, .sl = 7, .qp = &t_left, .freed = &t_left.rq.freed, .slots = 1,
	};

	t_clear_slots();
	CHECK_EQ(EINVAL, ibv_start_poll(ex, &attr));
	attr.comp_mask = 0;
	CHECK_EQ(ENOENT, ibv_start_poll(ex, &attr));
	t_put(cq, cqe);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	CHECK_EQ(7, ex->wr_id);
	CHECK_EQ(IBV_WC_SUCCESS, ex->status);
	CHECK_EQ(IBV_WC_RECV, ibv_wc_read_opcode(ex));
	CHECK_EQ(6, ibv_wc_read_vendor_err(ex));
	CHECK_EQ(2, ibv_wc_read_byte_len(ex));
	CHECK_EQ(3, ibv_wc_read_imm_data(ex));
	CHECK_EQ(4, ibv_wc_read_qp_num(ex));
	CHECK_EQ(5, ibv_wc_read_src_qp(ex));
	CHECK_EQ(IBV_WC_WITH_IMM, ibv_wc_read_wc_flags(ex));
	CHECK_EQ(7, ibv_wc_read_sl(ex));
	CHECK_EQ(0, ibv_wc_read_slid(ex));
	CHECK_EQ(0, ibv_wc_read_dlid_path_bits(ex));
	CHECK_EQ(ENOENT, ibv_next_poll(ex));
	/* A completion arrives during the poll; a post from this thread can cause one. */
	cqe.status = IBV_WC_RETRY_EXC_ERR;
	cqe.wr_id = 8;
	CHECK(t_put(cq, cqe));
	CHECK_EQ(0, t_left.rq.freed);
	CHECK_EQ(0, ibv_next_poll(ex));
	CHECK_EQ(1, t_left.rq.freed);
	CHECK_EQ(8, ex->wr_id);
	CHECK_EQ(IBV_WC_RETRY_EXC_ERR, ex->status);
	CHECK_EQ(6, ibv_wc_read_vendor_err(ex));
	CHECK_EQ(4, ibv_wc_read_qp_num(ex));
	CHECK_EQ(0, ibv_wc_read_opcode(ex));
	CHECK_EQ(0, ibv_wc_read_byte_len(ex));
	CHECK_EQ(0, ibv_wc_read_imm_data(ex));
	CHECK_EQ(0, ibv_wc_read_src_qp(ex));
	CHECK_EQ(0, ibv_wc_read_wc_flags(ex));
	CHECK_EQ(0, ibv_wc_read_sl(ex));
	/* The entry that is being read still counts: three more fit. */
	cqe.status = IBV_WC_SUCCESS;
	for (cqe.wr_id = 9; cqe.wr_id < 12; cqe.wr_id++)
		CHECK(t_put(cq, cqe));
	ibv_end_poll(ex);
	CHECK_EQ(2, t_left.rq.freed);
	/* ibv_poll_cq works on this queue, too. */
	t_expect_id(cq, 9);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	CHECK_EQ(10, ex->wr_id);
	ibv_end_poll(ex);
	t_expect_id(cq, 11);
	CHECK_EQ(5, t_left.rq.freed);
	CHECK_EQ(ENOENT, ibv_start_poll(ex, &attr));
	t_cq_close(cq);
}

static void an_extended_poll_sees_everything(void)
{
	check_extended(0);
	check_extended(IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

static void single_threaded_queue_refuses_a_second_poll(void)
{
	struct ibv_cq_ex *ex = t_cq_open_ex(4, 0, IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct ibv_poll_cq_attr attr = { 0 };
	struct shca_cqe cqe = {
		.wr_id = 1, .opcode = IBV_WC_RECV, .qp = &t_left, .freed = &t_left.rq.freed, .slots = 1,
	};

	t_clear_slots();
	t_put(cq, cqe);
	cqe.wr_id = 2;
	t_put(cq, cqe);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	CHECK_EQ(EBUSY, ibv_start_poll(ex, &attr));
	CHECK_EQ(1, ex->wr_id);
	ibv_end_poll(ex);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	CHECK_EQ(2, ex->wr_id);
	ibv_end_poll(ex);
	t_cq_close(cq);
}

static void queue_pair_may_be_destroyed_during_a_poll(void)
{
	struct ibv_cq_ex *ex = t_cq_open_ex(4, IBV_WC_EX_WITH_QP_NUM, 0);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct ibv_poll_cq_attr attr = { 0 };
	struct shca_qp *gone = calloc(1, sizeof(*gone));
	struct shca_srq srq = { 0 };

	T_MUST(gone);
	t_put(cq, (struct shca_cqe){ .wr_id = 1, .qp_num = 77, .qp = gone, .is_shared = true,
				     .freed = &srq.receives.freed, .opcode = IBV_WC_RECV });
	t_put_send(cq, gone, 2);
	t_put_send(cq, &t_right, 3);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	shca_cq_forget(to_shca_cq(cq), gone);
	free(gone);
	CHECK_EQ(1, srq.receives.freed);
	CHECK_EQ(1, ex->wr_id);
	CHECK_EQ(77, ibv_wc_read_qp_num(ex));
	CHECK_EQ(0, ibv_next_poll(ex));
	CHECK_EQ(3, ex->wr_id);
	CHECK_EQ(1, srq.receives.freed);
	CHECK_EQ(ENOENT, ibv_next_poll(ex));
	ibv_end_poll(ex);
	t_cq_close(cq);
}

int main(void)
{
	t_completion_open();
	T_RUN(extended_arguments_are_checked);
	T_RUN(the_getters_are_those_that_were_asked_for);
	T_RUN(an_extended_poll_sees_everything);
	T_RUN(single_threaded_queue_refuses_a_second_poll);
	T_RUN(queue_pair_may_be_destroyed_during_a_poll);
	t_completion_close();
	return t_result();
}
