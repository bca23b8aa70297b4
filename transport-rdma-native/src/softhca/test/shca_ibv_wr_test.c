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

/* Posting work requests by function calls: ibv_wr_*. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "t_pair.h"

#define RELIABLE_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE | \
			 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | \
			 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

static struct t_pair pair;
static struct ibv_qp_ex *ex;

static struct ibv_qp *create(enum ibv_qp_type type, uint64_t ops)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = pair.left.send_cq, .recv_cq = pair.left.recv_cq, .qp_type = type, .pd = pair.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = ops,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 1,
			 .max_inline_data = 32 },
	};
	struct ibv_qp *qp = ibv_create_qp_ex(pair.context, &init);

	T_MUST(qp);
	return qp;
}

/* Opens a pair whose left queue pair has the calls in ops. */
static void open_pair(uint64_t ops)
{
	t_pair_open(&pair, &t_usual);
	T_MUST(!ibv_destroy_qp(pair.left.qp));
	pair.left.qp = create(IBV_QPT_RC, ops);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	T_MUST(!ibv_modify_qp(pair.right.qp, &attr, IBV_QP_STATE));
	t_side_connect(&pair, &pair.left, &pair.right, &t_usual, 10, 20);
	t_side_connect(&pair, &pair.right, &pair.left, &t_usual, 20, 10);
	ex = ibv_qp_to_qp_ex(pair.left.qp);
	T_MUST(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
}

static uint64_t remote(size_t offset)
{
	return (uintptr_t)pair.right.memory + offset;
}

static void set_sge(size_t offset, uint32_t length)
{
	struct ibv_sge sge = t_sge(&pair.left, offset, length);

	ibv_wr_set_sge(ex, sge.lkey, sge.addr, sge.length);
}

static void nothing_came(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(cq, 1, &wc));
}

static struct ibv_wc done(uint64_t id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = t_wait(pair.left.send_cq);

	CHECK_EQ(id, wc.wr_id);
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(opcode, wc.opcode);
	return wc;
}

static void classic_queue_pair_has_no_calls(void)
{
	t_pair_open(&pair, &t_usual);
	CHECK(!ibv_qp_to_qp_ex(pair.left.qp));
	t_pair_close(&pair);
}

static void every_request_does_its_work(void)
{
	uint32_t rkey;
	uint64_t value = 40;
	struct ibv_wc wc;

	open_pair(RELIABLE_OPS);
	rkey = pair.right.mr->rkey;
	memcpy(pair.left.memory, "0123456789abcdef", 16);
	for (uint64_t id = 1; id <= 3; id++)
		t_receive(&pair.right, id, 100 * id, 16);

	ibv_wr_start(ex);
	ex->wr_id = 1;
	ibv_wr_send(ex);
	set_sge(0, 16);
	ex->wr_id = 2;
	ibv_wr_send_imm(ex, htonl(17));
	set_sge(0, 4);
	ex->wr_id = 3;
	ibv_wr_rdma_write_imm(ex, rkey, remote(1000), htonl(18));
	set_sge(2, 8);
	ex->wr_id = 4;
	ibv_wr_rdma_write(ex, rkey, remote(2000));
	set_sge(0, 16);
	ex->wr_id = 5;
	ibv_wr_rdma_read(ex, rkey, remote(2000));
	set_sge(3000, 16);
	CHECK_EQ(0, ibv_wr_complete(ex));

	t_expect(pair.right.recv_cq, 1, IBV_WC_SUCCESS);
	wc = t_wait(pair.right.recv_cq);
	CHECK_EQ(2, wc.wr_id);
	CHECK_EQ(17, ntohl(wc.imm_data));
	wc = t_wait(pair.right.recv_cq);
	CHECK_EQ(3, wc.wr_id);
	CHECK_EQ(IBV_WC_RECV_RDMA_WITH_IMM, wc.opcode);
	CHECK_EQ(18, ntohl(wc.imm_data));
	CHECK_EQ(8, wc.byte_len);
	done(1, IBV_WC_SEND);
	done(2, IBV_WC_SEND);
	done(3, IBV_WC_RDMA_WRITE);
	done(4, IBV_WC_RDMA_WRITE);
	CHECK_EQ(16, done(5, IBV_WC_RDMA_READ).byte_len);
	CHECK_BYTES("0123456789abcdef", pair.right.memory + 100, 16);
	CHECK_BYTES("0123", pair.right.memory + 200, 4);
	CHECK_BYTES("23456789", pair.right.memory + 1000, 8);
	CHECK_BYTES("0123456789abcdef", pair.left.memory + 3000, 16);

	memcpy(pair.right.memory + 4000, &value, 8);
	ibv_wr_start(ex);
	ex->wr_id = 6;
	ibv_wr_atomic_fetch_add(ex, rkey, remote(4000), 2);
	set_sge(4000, 8);
	ex->wr_id = 7;
	ibv_wr_atomic_cmp_swp(ex, rkey, remote(4000), 42, 99);
	set_sge(4008, 8);
	CHECK_EQ(0, ibv_wr_complete(ex));
	done(6, IBV_WC_FETCH_ADD);
	done(7, IBV_WC_COMP_SWAP);
	memcpy(&value, pair.left.memory + 4000, 8);
	CHECK_EQ(40, value);
	memcpy(&value, pair.left.memory + 4008, 8);
	CHECK_EQ(42, value);
	memcpy(&value, pair.right.memory + 4000, 8);
	CHECK_EQ(99, value);
	t_pair_close(&pair);
}

static void lists_and_inline_data(void)
{
	char first[] = "abc", second[] = "defgh";
	struct ibv_data_buf buffers[2] = { { first, 3 }, { second, 5 } };
	struct ibv_sge list[2];

	open_pair(RELIABLE_OPS);
	memcpy(pair.left.memory, "xyz", 3);
	memcpy(pair.left.memory + 64, "12345", 5);
	list[0] = t_sge(&pair.left, 0, 3);
	list[1] = t_sge(&pair.left, 64, 5);
	ibv_wr_start(ex);
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	ibv_wr_set_sge_list(ex, 2, list);
	/* Programs leave the flag of ibv_post_send set. */
	ex->wr_flags |= IBV_SEND_INLINE;
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(8));
	ibv_wr_set_inline_data_list(ex, 2, buffers);
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(16));
	ibv_wr_set_inline_data(ex, second, 5);
	memset(first, 0, 3);
	memset(second, 0, 5);
	CHECK_EQ(0, ibv_wr_complete(ex));
	for (int i = 0; i < 3; i++)
		CHECK_EQ(IBV_WC_SUCCESS, t_wait(pair.left.send_cq).status);
	CHECK_BYTES("xyz12345abcdefghdefgh", pair.right.memory, 21);
	t_pair_close(&pair);
}

static void aborted_session_leaves_nothing(void)
{
	open_pair(RELIABLE_OPS);
	ibv_wr_start(ex);
	for (int i = 0; i < 8; i++) {
		ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
		set_sge(0, 8);
	}
	ibv_wr_abort(ex);
	nothing_came(pair.left.send_cq);
	/* All slots are still there. */
	ibv_wr_start(ex);
	for (int i = 0; i < 8; i++) {
		ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
		set_sge(0, 8);
	}
	CHECK_EQ(0, ibv_wr_complete(ex));
	for (int i = 0; i < 8; i++)
		CHECK_EQ(IBV_WC_SUCCESS, t_wait(pair.left.send_cq).status);
	t_pair_close(&pair);
}

/*
 * Calls build, which does something wrong, after a good request: the session fails with error and posts nothing, and
 * the next session works.
 */
static void fails(void (*build)(void), int error)
{
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	set_sge(0, 8);
	build();
	/* A request that follows the error does not hide it. */
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	set_sge(0, 8);
	CHECK_EQ(error, ibv_wr_complete(ex));
	nothing_came(pair.left.send_cq);
	ibv_wr_start(ex);
	ex->wr_id = 2;
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	set_sge(0, 8);
	CHECK_EQ(0, ibv_wr_complete(ex));
	done(2, IBV_WC_RDMA_WRITE);
}

static void overfill(void)
{
	for (int i = 0; i < 8; i++) {
		ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
		set_sge(0, 8);
	}
}

static void set_three_entries(void)
{
	struct ibv_sge list[3] = { t_sge(&pair.left, 0, 1), t_sge(&pair.left, 0, 1), t_sge(&pair.left, 0, 1) };

	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	ibv_wr_set_sge_list(ex, 3, list);
}

static void set_data_twice(void)
{
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	set_sge(0, 8);
	set_sge(8, 8);
}

static void set_too_much_inline(void)
{
	char data[33] = { 0 };

	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	ibv_wr_set_inline_data(ex, data, sizeof(data));
}

static void read_inline(void)
{
	char data[8];

	ibv_wr_rdma_read(ex, pair.right.mr->rkey, remote(0));
	ibv_wr_set_inline_data(ex, data, sizeof(data));
}

static void add_seven_bytes(void)
{
	ibv_wr_atomic_fetch_add(ex, pair.right.mr->rkey, remote(0), 1);
	set_sge(0, 7);
}

static void use_unknown_flag(void)
{
	ex->wr_flags |= 1u << 20;
	ibv_wr_rdma_write(ex, pair.right.mr->rkey, remote(0));
	ex->wr_flags &= ~(1u << 20);
}

static void address_a_connection(void)
{
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, NULL, 1, 1);
}

static void bind_a_window(void)
{
	ibv_wr_bind_mw(ex, NULL, 0, NULL);
}

static void invalidate(void)
{
	ibv_wr_local_inv(ex, 1);
}

static void send_and_invalidate(void)
{
	ibv_wr_send_inv(ex, 1);
}

static void segment(void)
{
	ibv_wr_send_tso(ex, NULL, 0, 1000);
}

static void name_a_shared_queue(void)
{
	ibv_wr_set_xrc_srqn(ex, 1);
}

static void one_error_refuses_the_session(void)
{
	open_pair(RELIABLE_OPS);
	fails(overfill, ENOMEM);
	fails(set_three_entries, EINVAL);
	fails(set_data_twice, EINVAL);
	fails(set_too_much_inline, EINVAL);
	fails(read_inline, EINVAL);
	fails(add_seven_bytes, EINVAL);
	fails(use_unknown_flag, EINVAL);
	fails(address_a_connection, EINVAL);
	fails(bind_a_window, EOPNOTSUPP);
	fails(invalidate, EOPNOTSUPP);
	fails(send_and_invalidate, EOPNOTSUPP);
	fails(segment, EOPNOTSUPP);
	fails(name_a_shared_queue, EOPNOTSUPP);
	t_pair_close(&pair);
}

static void setter_needs_a_request(void)
{
	open_pair(RELIABLE_OPS);
	ibv_wr_start(ex);
	set_sge(0, 8);
	CHECK_EQ(EINVAL, ibv_wr_complete(ex));
	/* An empty session posts nothing. */
	ibv_wr_start(ex);
	CHECK_EQ(0, ibv_wr_complete(ex));
	nothing_came(pair.left.send_cq);
	t_pair_close(&pair);
}

static void read_something(void)
{
	ibv_wr_rdma_read(ex, pair.right.mr->rkey, remote(0));
	set_sge(0, 8);
}

static void only_requested_operations_are_allowed(void)
{
	open_pair(IBV_QP_EX_WITH_RDMA_WRITE);
	fails(read_something, EINVAL);
	/* The restriction does not hold for ibv_post_send. */
	CHECK_EQ(0, t_post(&pair.left, 3, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, 0, 8, &pair.right, 0));
	done(3, IBV_WC_RDMA_READ);
	t_pair_close(&pair);
}

static void states_are_checked(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	open_pair(RELIABLE_OPS);
	CHECK_EQ(0, ibv_modify_qp(pair.left.qp, &attr, IBV_QP_STATE));
	ibv_wr_start(ex);
	ex->wr_id = 5;
	ibv_wr_send(ex);
	set_sge(0, 1);
	CHECK_EQ(0, ibv_wr_complete(ex));
	t_expect(pair.left.send_cq, 5, IBV_WC_WR_FLUSH_ERR);
	attr.qp_state = IBV_QPS_RESET;
	CHECK_EQ(0, ibv_modify_qp(pair.left.qp, &attr, IBV_QP_STATE));
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	set_sge(0, 1);
	CHECK_EQ(EINVAL, ibv_wr_complete(ex));
	t_pair_close(&pair);
}

static void open_datagrams(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11 };

	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

static void datagrams_need_an_address(void)
{
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1 };
	struct ibv_sge sge;
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_ah *ah;
	struct ibv_qp *qp;
	struct ibv_wc wc;

	t_pair_open(&pair, &t_usual);
	to.grh.dgid = pair.gid;
	ah = ibv_create_ah(pair.pd, &to);
	T_MUST(ah);
	qp = create(IBV_QPT_UD, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM);
	open_datagrams(qp);
	ex = ibv_qp_to_qp_ex(qp);
	ex->wr_flags = IBV_SEND_SIGNALED;
	sge = t_sge(&pair.left, 256, 256);
	CHECK_EQ(0, ibv_post_recv(qp, &wr, &bad));
	memcpy(pair.left.memory, "datagram", 8);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	set_sge(0, 8);
	CHECK_EQ(EINVAL, ibv_wr_complete(ex));
	ibv_wr_start(ex);
	ex->wr_id = 3;
	ibv_wr_send_imm(ex, htonl(5));
	ibv_wr_set_ud_addr(ex, ah, qp->qp_num, 0x11);
	set_sge(0, 8);
	CHECK_EQ(0, ibv_wr_complete(ex));
	done(3, IBV_WC_SEND);
	wc = t_wait(pair.left.recv_cq);
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(48, wc.byte_len);
	CHECK_EQ(qp->qp_num, wc.src_qp);
	CHECK_EQ(5, ntohl(wc.imm_data));
	CHECK_BYTES("datagram", pair.left.memory + 256 + 40, 8);
	/* The header names the sender: its address is that of the address handle's sgid_index. */
	CHECK_BYTES(&pair.gid, pair.left.memory + 256 + 8, 16);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_ah(ah));
	t_pair_close(&pair);
}

int main(void)
{
	T_RUN(classic_queue_pair_has_no_calls);
	T_RUN(every_request_does_its_work);
	T_RUN(lists_and_inline_data);
	T_RUN(aborted_session_leaves_nothing);
	T_RUN(one_error_refuses_the_session);
	T_RUN(setter_needs_a_request);
	T_RUN(only_requested_operations_are_allowed);
	T_RUN(states_are_checked);
	T_RUN(datagrams_need_an_address);
	return t_result();
}
