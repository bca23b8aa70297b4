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

#include "abi/softhca.h"
#include "fault/shca_fault.h"
#include "t_pair.h"

static struct t_pair pair;

static void fill(uint8_t *memory, size_t size)
{
	for (size_t i = 0; i < size; i++)
		memory[i] = (uint8_t)t_random();
}

/* Sizes around every limit: no data, the slot's inline payload, one segment, several. */
static void every_size_arrives(void)
{
	static const uint32_t sizes[] = { 0, 1, 63, 64, 65, 16383, 16384, 16385, 65536, 1 << 20, 3000001 };

	t_pair_open(&pair, &t_usual);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(pair.left.memory, sizes[i]);
		t_receive(&pair.right, i, 0, 4 << 20);
		CHECK_EQ(0, t_post(&pair.left, i, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, sizes[i], NULL, 0));
		struct ibv_wc wc = t_wait(pair.right.recv_cq);

		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		CHECK_EQ(sizes[i], wc.byte_len);
		t_expect(pair.left.send_cq, i, IBV_WC_SUCCESS);
		CHECK_BYTES(pair.left.memory, pair.right.memory, sizes[i]);

		fill(pair.right.memory, sizes[i]);
		CHECK_EQ(0, t_post(&pair.left, i, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, 0, sizes[i], &pair.right, 0));
		t_expect(pair.left.send_cq, i, IBV_WC_SUCCESS);
		CHECK_BYTES(pair.right.memory, pair.left.memory, sizes[i]);

		fill(pair.left.memory, sizes[i]);
		CHECK_EQ(0, t_post(&pair.left, i, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, 0, sizes[i], &pair.right, 0));
		t_expect(pair.left.send_cq, i, IBV_WC_SUCCESS);
		CHECK_BYTES(pair.left.memory, pair.right.memory, sizes[i]);
	}
	t_pair_close(&pair);
}

/* A send that comes too early waits, and its message arrives once. */
static void send_waits_for_a_late_receive(void)
{
	t_pair_open(&pair, &t_usual);
	pair.left.memory[0] = 42;
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 1, NULL, 0));
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 1, NULL, 0));
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(pair.left.send_cq, 1, &wc));
	t_receive(&pair.right, 7, 0, 1);
	t_receive(&pair.right, 8, 1, 1);
	t_expect(pair.right.recv_cq, 7, IBV_WC_SUCCESS);
	t_expect(pair.right.recv_cq, 8, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 1, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 2, IBV_WC_SUCCESS);
	CHECK_EQ(42, pair.right.memory[1]);
	t_pair_close(&pair);
}

static void send_without_receive_exhausts_its_retries(void)
{
	struct t_settings settings = t_usual;

	settings.rnr_retry = 2;
	t_pair_open(&pair, &settings);
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, 0, 0, 1, NULL, 0));
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, 0, 0, 1, NULL, 0));
	t_expect(pair.left.send_cq, 1, IBV_WC_RNR_RETRY_EXC_ERR);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	t_pair_close(&pair);
}

/* The receive of a refused write with an immediate says why; a write without one, or without a receive, an event. */
static void a_refused_write_with_an_immediate_fails_its_receive(void)
{
	static const uint32_t sizes[] = { 1, 100000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct ibv_async_event event;

		t_pair_open(&pair, &t_usual);
		t_receive(&pair.right, 7, 0, 1);
		t_receive(&pair.right, 8, 0, 1);
		/* The last byte is beyond the region. */
		CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 0, sizes[i], &pair.right,
				   pair.right.size - sizes[i] + 1));
		t_expect(pair.left.send_cq, 1, IBV_WC_REM_ACCESS_ERR);
		t_expect(pair.right.recv_cq, 7, IBV_WC_LOC_ACCESS_ERR);
		t_expect(pair.right.recv_cq, 8, IBV_WC_WR_FLUSH_ERR);
		CHECK(!t_is_readable(pair.context->async_fd));
		t_pair_close(&pair);

		t_pair_open(&pair, &t_usual);
		CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 0, sizes[i], &pair.right,
				   pair.right.size - sizes[i] + 1));
		t_expect(pair.left.send_cq, 1, IBV_WC_REM_ACCESS_ERR);
		CHECK(t_wait_readable(pair.context->async_fd));
		CHECK_EQ(0, ibv_get_async_event(pair.context, &event));
		CHECK_EQ(IBV_EVENT_QP_ACCESS_ERR, event.event_type);
		ibv_ack_async_event(&event);
		t_pair_close(&pair);
	}
}

/* In both directions: both ends are in this process. */
static void while_the_port_is_down_all_is_lost(void)
{
	struct t_settings settings = t_usual;

	settings.timeout = 8;
	settings.retry_cnt = 2;
	t_pair_open(&pair, &settings);
	t_receive(&pair.right, 7, 0, 1);
	CHECK_EQ(0, softhca_control(0, "port-down"));
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, 0, 0, 1, NULL, 0));
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, 0, 0, 1, NULL, 0));
	t_expect(pair.left.send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(pair.right.recv_cq, 1, &wc));
	CHECK_EQ(0, softhca_control(0, "port-up"));
	t_pair_close(&pair);
}

static void port_that_recovers_loses_nothing(void)
{
	t_pair_open(&pair, &t_usual);
	pair.left.memory[0] = 42;
	t_receive(&pair.right, 7, 1, 1);
	CHECK_EQ(0, softhca_control(0, "port-down"));
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 1, NULL, 0));
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(pair.right.recv_cq, 1, &wc));
	CHECK_EQ(0, softhca_control(0, "port-up"));
	t_expect(pair.right.recv_cq, 7, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 1, IBV_WC_SUCCESS);
	CHECK_EQ(42, pair.right.memory[1]);
	t_pair_close(&pair);
}

/* Twelve reads where four may be in flight, and a fenced send that must see what the last read brought. */
static void reads_wait_for_each_other_and_a_fence_for_them(void)
{
	t_pair_open(&pair, &t_usual);
	fill(pair.right.memory, 12 << 16);
	t_receive(&pair.right, 9, 2 << 20, 1 << 16);
	for (int i = 0; i < 12; i++)
		CHECK_EQ(0, t_post(&pair.left, i, IBV_WR_RDMA_READ, 0, (size_t)i << 16, 1 << 16, &pair.right,
				   (size_t)i << 16));
	CHECK_EQ(0, t_post(&pair.left, 12, IBV_WR_SEND, IBV_SEND_SIGNALED | IBV_SEND_FENCE, 11 << 16, 1 << 16, NULL,
			   0));
	t_expect(pair.left.send_cq, 12, IBV_WC_SUCCESS);
	t_expect(pair.right.recv_cq, 9, IBV_WC_SUCCESS);
	CHECK_BYTES(pair.right.memory, pair.left.memory, 12 << 16);
	CHECK_BYTES(pair.right.memory + (11 << 16), pair.right.memory + (2 << 20), 1 << 16);
	t_pair_close(&pair);
}

/* Posted together, so that the read's response is not there when the send's turn comes. */
static void a_fenced_send_has_what_the_read_before_it_brought(void)
{
	t_pair_open(&pair, &t_usual);
	fill(pair.right.memory, 1 << 16);
	t_receive(&pair.right, 9, 2 << 20, 1 << 16);

	struct ibv_sge sge = t_sge(&pair.left, 0, 1 << 16);
	struct ibv_send_wr send = { .wr_id = 2, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE };
	struct ibv_send_wr read = { .wr_id = 1, .next = &send, .sg_list = &sge, .num_sge = 1,
				    .opcode = IBV_WR_RDMA_READ,
				    .wr.rdma = { (uintptr_t)pair.right.memory, pair.right.mr->rkey } }, *bad;

	CHECK_EQ(0, ibv_post_send(pair.left.qp, &read, &bad));
	t_expect(pair.left.send_cq, 2, IBV_WC_SUCCESS);
	t_expect(pair.right.recv_cq, 9, IBV_WC_SUCCESS);
	CHECK_BYTES(pair.right.memory, pair.right.memory + (2 << 20), 1 << 16);
	t_pair_close(&pair);
}

/* Message numbers that do not match look like a peer that does not answer. */
static void wrong_message_numbers_are_not_answered(void)
{
	struct t_settings settings = t_usual;

	settings.psn_expected_by_right = 0x1000;
	settings.timeout = 8;
	settings.retry_cnt = 2;
	t_pair_open(&pair, &settings);
	t_receive(&pair.right, 7, 0, 1);
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, 0, 0, 1, NULL, 0));
	struct ibv_wc wc = t_wait(pair.left.send_cq);

	CHECK_EQ(1, wc.wr_id);
	CHECK(wc.status == IBV_WC_RETRY_EXC_ERR);
	CHECK_EQ(0, ibv_poll_cq(pair.right.recv_cq, 1, &wc));
	t_pair_close(&pair);
}

static void post_atomic(uint64_t id, enum ibv_wr_opcode opcode, uint64_t first, uint64_t second)
{
	struct ibv_sge sge = t_sge(&pair.left, 8 * id, 8);
	struct ibv_send_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;

	wr.wr.atomic.remote_addr = (uintptr_t)pair.right.memory;
	wr.wr.atomic.rkey = pair.right.mr->rkey;
	wr.wr.atomic.compare_add = first;
	wr.wr.atomic.swap = second;
	CHECK_EQ(0, ibv_post_send(pair.left.qp, &wr, &bad));
}

/* A tenth of all packets is lost, and yet each message arrives once, in order, and each addition counts once. */
static void lost_packets_are_retransmitted_and_count_once(void)
{
	struct t_settings settings = t_usual;
	uint64_t *counter, *old;

	settings.timeout = 6;
	t_pair_open(&pair, &settings);
	counter = (uint64_t *)pair.right.memory;
	old = (uint64_t *)pair.left.memory;
	CHECK_EQ(0, shca_fault_set("seed=3,drop=0.1"));
	for (uint64_t i = 0; i < 200; i++) {
		uint32_t length = (uint32_t)t_random_below(50000);

		fill(pair.left.memory + 65536, length);
		post_atomic(i, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 0);
		t_receive(&pair.right, i, 65536, 65536);
		CHECK_EQ(0, t_post(&pair.left, 1000 + i, IBV_WR_SEND, IBV_SEND_SIGNALED, 65536, length, NULL, 0));
		t_expect(pair.left.send_cq, i, IBV_WC_SUCCESS);
		t_expect(pair.left.send_cq, 1000 + i, IBV_WC_SUCCESS);
		t_expect(pair.right.recv_cq, i, IBV_WC_SUCCESS);
		CHECK_BYTES(pair.left.memory + 65536, pair.right.memory + 65536, length);
		CHECK_EQ(i, old[i]);
		if (t_failures)
			break;
	}
	CHECK_EQ(200, *counter);
	CHECK_EQ(0, shca_fault_set("off"));
	t_pair_close(&pair);
}

static void compare_and_swap_swaps_only_what_is_equal(void)
{
	uint64_t *target, *old;

	t_pair_open(&pair, &t_usual);
	target = (uint64_t *)pair.right.memory;
	old = (uint64_t *)pair.left.memory;
	*target = 5;
	post_atomic(1, IBV_WR_ATOMIC_CMP_AND_SWP, 4, 9);
	t_expect(pair.left.send_cq, 1, IBV_WC_SUCCESS);
	CHECK_EQ(5, old[1]);
	CHECK_EQ(5, *target);
	post_atomic(2, IBV_WR_ATOMIC_CMP_AND_SWP, 5, 9);
	t_expect(pair.left.send_cq, 2, IBV_WC_SUCCESS);
	CHECK_EQ(5, old[2]);
	CHECK_EQ(9, *target);
	t_pair_close(&pair);
}

/* One end is destroyed, then the other sends. */
static void a_queue_pair_that_is_gone_does_not_answer(void)
{
	struct t_settings settings = t_usual;

	settings.timeout = 8;
	settings.retry_cnt = 1;
	t_pair_open(&pair, &settings);
	T_MUST(!ibv_destroy_qp(pair.right.qp));
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, 0, 0, 1, NULL, 0));
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, 0, 0, 1, NULL, 0));
	t_expect(pair.left.send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);

	struct ibv_qp_init_attr init = {
		.send_cq = pair.right.send_cq, .recv_cq = pair.right.recv_cq, .qp_type = IBV_QPT_RC,
	};

	pair.right.qp = ibv_create_qp(pair.pd, &init);
	t_pair_close(&pair);
}

int main(void)
{
	t_seed();
	T_RUN(every_size_arrives);
	T_RUN(send_waits_for_a_late_receive);
	T_RUN(send_without_receive_exhausts_its_retries);
	T_RUN(a_refused_write_with_an_immediate_fails_its_receive);
	T_RUN(while_the_port_is_down_all_is_lost);
	T_RUN(port_that_recovers_loses_nothing);
	T_RUN(reads_wait_for_each_other_and_a_fence_for_them);
	T_RUN(a_fenced_send_has_what_the_read_before_it_brought);
	T_RUN(wrong_message_numbers_are_not_answered);
	T_RUN(lost_packets_are_retransmitted_and_count_once);
	T_RUN(compare_and_swap_swaps_only_what_is_equal);
	T_RUN(a_queue_pair_that_is_gone_does_not_answer);
	return t_result();
}
