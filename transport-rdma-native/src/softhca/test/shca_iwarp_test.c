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
 * Completions and the end of a connection on iWARP. A send completes when the device has taken its bytes, which the
 * peer may never get. A queue pair and its connection end together, and nothing can be posted after that.
 */
#include "abi/softhca.h"
#include "t_iwarp.h"

#define BUFFER		(1u << 20)	/* what the device keeps for a queue pair: docs/softhca.md */
#define PART		(BUFFER / 16)
#define PACKET		4096u
#define DEPTH		64
#define LATE		"faults seed=1,delay=1:100ms"
#define LOST		"faults seed=1,drop=1"

static void faults(const char *command)
{
	T_MUST(!softhca_control(0, command));
}

static struct ibv_wc wait_for(struct ibv_cq *cq)
{
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
	time_t end = time(NULL) + T_PATIENCE;

	while (ibv_poll_cq(cq, 1, &wc) == 0) {
		if (time(NULL) > end) {
			T_FAIL("no completion after %d s", T_PATIENCE);
			break;
		}
	}
	return wc;
}

static void expect(struct ibv_cq *cq, enum ibv_wc_status status)
{
	CHECK_EQ(status, wait_for(cq).status);
}

/* Polls all completions that are there now. Returns their number. */
static int count(struct ibv_cq *cq)
{
	struct ibv_wc wc[2 * DEPTH];

	return ibv_poll_cq(cq, 2 * DEPTH, wc);
}

/* The packet is lost, and the program has long freed its memory when it is retransmitted. */
static void send_completes_when_the_device_has_it(void)
{
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, PACKET);
	t_iwarp_receive(&pair.server, 0, PACKET);
	memset(pair.client.memory, 'a', PACKET);
	faults("faults seed=1,drop@1");
	CHECK_EQ(0, t_iwarp_send(&pair.client, 0, PACKET));
	CHECK_EQ(1, count(pair.client.id->send_cq));
	CHECK_EQ(0, count(pair.server.id->recv_cq));
	memset(pair.client.memory, 'b', PACKET);
	CHECK_EQ(0, rdma_dereg_mr(pair.client.mr));
	pair.client.mr = NULL;
	free(pair.client.memory);
	pair.client.memory = NULL;
	expect(pair.server.id->recv_cq, IBV_WC_SUCCESS);
	for (size_t i = 0; i < PACKET; i++)
		if (pair.server.memory[i] != 'a') {
			T_FAIL("byte %zu is 0x%x", i, pair.server.memory[i]);
			break;
		}
	faults("faults off");
	t_iwarp_close(&pair);
}

/*
 * Posts an unsignaled send and a signaled one, and overwrites the memory after the completion. Returns the last byte
 * that the peer gets of the unsignaled send.
 */
static uint8_t received_of_an_unsignaled_send(uint32_t length, const char *fault)
{
	struct t_iwarp pair;
	uint8_t got;

	t_iwarp_open(&pair, DEPTH, 2 * PACKET);
	t_iwarp_receive(&pair.server, 0, length);
	t_iwarp_receive(&pair.server, length, 1);
	memset(pair.client.memory, 'a', 2 * PACKET);
	faults(fault);
	CHECK_EQ(0, t_iwarp_post(&pair.client, 0, length, 0));
	CHECK_EQ(0, t_iwarp_post(&pair.client, 0, 1, IBV_SEND_SIGNALED));
	expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
	memset(pair.client.memory, 'b', 2 * PACKET);
	expect(pair.server.id->recv_cq, IBV_WC_SUCCESS);
	expect(pair.server.id->recv_cq, IBV_WC_SUCCESS);
	got = pair.server.memory[length - 1];
	CHECK_EQ('a', pair.server.memory[length]);
	faults("faults off");
	t_iwarp_close(&pair);
	return got;
}

/* As on siw, for unsignaled sends of a page or more. The delay is longer than the few calls take. */
static void unsignaled_page_is_read_when_it_is_sent(void)
{
	CHECK_EQ('b', received_of_an_unsignaled_send(PACKET, "faults seed=1,read=1:1s"));
	CHECK_EQ('a', received_of_an_unsignaled_send(PACKET - 1, "faults seed=1,read=1:1s"));
	CHECK_EQ('a', received_of_an_unsignaled_send(PACKET, "faults off"));
}

/* The device keeps at most BUFFER bytes; a longer message completes when the peer has it. */
static void send_beyond_the_buffer_completes_when_the_peer_has_it(void)
{
	struct t_iwarp pair;
	int i;

	t_iwarp_open(&pair, DEPTH, 2 * BUFFER);
	for (i = 0; i < 20; i++)
		t_iwarp_receive(&pair.server, 0, PART);
	t_iwarp_receive(&pair.server, 0, 2 * BUFFER);
	/* All packets leave the link, and the peer gets none. */
	faults(LOST);
	for (i = 0; i < 20; i++)
		CHECK_EQ(0, t_iwarp_send(&pair.client, 0, PART));
	CHECK_EQ(0, t_iwarp_send(&pair.client, 0, 2 * BUFFER));
	CHECK_EQ(16, count(pair.client.id->send_cq));
	faults("faults off");
	for (i = 16; i < 20; i++)
		expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
	expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
	CHECK_EQ(21, count(pair.server.id->recv_cq));
	t_iwarp_close(&pair);
}

static void refused_send_may_complete_as_flushed(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, BUFFER);
	CHECK_EQ(0, ibv_modify_qp(pair.client.id->qp, &attr, IBV_QP_STATE));
	faults("faults seed=1,flush=1");
	CHECK_EQ(-ENOTCONN, t_iwarp_send(&pair.client, 0, 1));
	expect(pair.client.id->send_cq, IBV_WC_WR_FLUSH_ERR);
	faults("faults seed=1,flush=0,swallow=1");
	CHECK_EQ(0, t_iwarp_send(&pair.client, 0, 1));
	CHECK_EQ(0, count(pair.client.id->send_cq));
	faults("faults off");
	t_iwarp_close(&pair);
}

/* The last acknowledgement comes alone: nothing else makes the device look at the waiting requests. */
static void a_late_acknowledgement_makes_room(void)
{
	struct t_iwarp pair;
	int i;

	t_iwarp_open(&pair, DEPTH, 2 * BUFFER);
	for (i = 0; i < 20; i++)
		t_iwarp_receive(&pair.server, 0, PART);
	faults("faults seed=1,acknowledge=1:5ms");
	for (i = 0; i < 20; i++)
		CHECK_EQ(0, t_iwarp_send(&pair.client, 0, PART));
	for (i = 0; i < 20; i++)
		expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
	faults("faults off");
	t_iwarp_close(&pair);
}

/* A completed send frees its entry in the queue; the entry of its copy is freed when the peer acknowledges it. */
static void kept_sends_are_bounded_by_the_queue(void)
{
	struct t_iwarp pair;
	int i;

	t_iwarp_open(&pair, 4, PART);
	for (i = 0; i < 4; i++)
		t_iwarp_receive(&pair.server, (size_t)i, 1);
	faults(LATE);
	for (i = 0; i < 4; i++) {
		pair.client.memory[i] = (uint8_t)i;
		CHECK_EQ(0, t_iwarp_send(&pair.client, (size_t)i, 1));
	}
	CHECK_EQ(4, count(pair.client.id->send_cq));
	for (i = 4; i < 8; i++) {
		pair.client.memory[i] = (uint8_t)i;
		CHECK_EQ(0, t_iwarp_send(&pair.client, (size_t)i, 1));
	}
	CHECK_EQ(0, count(pair.client.id->send_cq));
	CHECK_EQ(-ENOMEM, t_iwarp_send(&pair.client, 0, 1));
	for (i = 0; i < 4; i++) {
		expect(pair.server.id->recv_cq, IBV_WC_SUCCESS);
		t_iwarp_receive(&pair.server, (size_t)i + 4, 1);
	}
	for (i = 4; i < 8; i++) {
		expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
		expect(pair.server.id->recv_cq, IBV_WC_SUCCESS);
	}
	CHECK_BYTES(pair.client.memory, pair.server.memory, 8);
	faults("faults off");
	t_iwarp_close(&pair);
}

static void undelivered_data_is_lost_with_the_queue_pair(void)
{
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, PART);
	t_iwarp_receive(&pair.server, 0, PART);
	faults(LATE);
	CHECK_EQ(0, t_iwarp_send(&pair.client, 0, PART));
	expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
	t_iwarp_end(&pair.client);
	t_id_close(&pair.active);
	pair.client.id = NULL;
	expect(pair.server.id->recv_cq, IBV_WC_WR_FLUSH_ERR);
	t_expect_event(pair.listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	faults("faults off");
	t_iwarp_close(&pair);
}

/* A sender whose sends neither fail nor are flushed sees the end by its receives, and by the event. */
static void a_queue_pair_that_fails_ends_its_connection(void)
{
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, PART);
	t_iwarp_receive(&pair.client, 0, PART);
	/* The peer has no receive. */
	CHECK_EQ(0, t_iwarp_send(&pair.client, 0, 1));
	expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
	expect(pair.client.id->recv_cq, IBV_WC_WR_FLUSH_ERR);
	t_expect_event(pair.active.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(pair.listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(IBV_QPS_ERR, t_iwarp_state(&pair.client));
	CHECK_EQ(IBV_QPS_ERR, t_iwarp_state(&pair.server));
	t_expect_no_event(pair.active.channel);
	t_expect_no_event(pair.listener.channel);
	t_iwarp_close(&pair);
}

/* As on siw: the status of a local error, an async event, and only then the end of the connection. */
static void a_send_may_find_that_the_connection_is_gone(void)
{
	struct ibv_async_event event;
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, PART);
	t_iwarp_receive(&pair.server, 0, PART);
	t_iwarp_receive(&pair.client, 0, PART);
	faults("faults seed=1,reset@2");
	CHECK_EQ(0, t_iwarp_send(&pair.client, 0, 1));
	expect(pair.client.id->send_cq, IBV_WC_SUCCESS);
	CHECK_EQ(0, t_iwarp_send(&pair.client, 0, 1));
	expect(pair.client.id->send_cq, IBV_WC_LOC_QP_OP_ERR);
	expect(pair.client.id->recv_cq, IBV_WC_WR_FLUSH_ERR);
	T_MUST(!ibv_get_async_event(pair.client.id->verbs, &event));
	CHECK_EQ(IBV_EVENT_QP_FATAL, event.event_type);
	CHECK(event.element.qp == pair.client.id->qp);
	ibv_ack_async_event(&event);
	t_expect_event(pair.active.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(pair.listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	faults("faults off");
	t_iwarp_close(&pair);
}

/* The flush does not wait until the program sees the end; after it no post is accepted. */
static void flushes_come_before_the_event_and_posts_are_refused(void)
{
	struct ibv_sge sge = { 0 };
	struct ibv_recv_wr receive = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad = NULL;
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, PART);
	t_iwarp_receive(&pair.server, 0, PART);
	CHECK_EQ(0, rdma_disconnect(pair.client.id));
	expect(pair.server.id->recv_cq, IBV_WC_WR_FLUSH_ERR);
	CHECK_EQ(-ENOTCONN, t_iwarp_send(&pair.server, 0, 1));
	CHECK_EQ(-ENOTCONN, t_iwarp_send(&pair.client, 0, 1));
	sge = (struct ibv_sge){ (uintptr_t)pair.server.memory, 1, pair.server.mr->lkey };
	CHECK_EQ(-ENOTCONN, ibv_post_recv(pair.server.id->qp, &receive, &bad));
	CHECK(bad == &receive);
	CHECK_EQ(0, count(pair.server.id->send_cq) + count(pair.server.id->recv_cq) + count(pair.client.id->send_cq));
	t_expect_event(pair.listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(pair.active.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_iwarp_close(&pair);
}

static void functions_that_iwarp_lacks_are_refused(void)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_send_wr *bad;
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, 8);
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		struct ibv_sge sge = { (uintptr_t)pair.client.memory, 8, pair.client.mr->lkey };
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcodes[i] };

		CHECK_EQ(-EINVAL, ibv_post_send(pair.client.id->qp, &wr, &bad));
		CHECK(bad == &wr);
	}
	t_iwarp_close(&pair);
}

static void tests(void)
{
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "iwarp", 1));
	T_RUN(send_completes_when_the_device_has_it);
	T_RUN(unsignaled_page_is_read_when_it_is_sent);
	T_RUN(send_beyond_the_buffer_completes_when_the_peer_has_it);
	T_RUN(a_late_acknowledgement_makes_room);
	T_RUN(refused_send_may_complete_as_flushed);
	T_RUN(kept_sends_are_bounded_by_the_queue);
	T_RUN(undelivered_data_is_lost_with_the_queue_pair);
	T_RUN(a_queue_pair_that_fails_ends_its_connection);
	T_RUN(a_send_may_find_that_the_connection_is_gone);
	T_RUN(flushes_come_before_the_event_and_posts_are_refused);
	T_RUN(functions_that_iwarp_lacks_are_refused);
}

int main(void)
{
	return t_cm_main(tests);
}
