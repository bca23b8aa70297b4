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

/* Unreliable datagrams between two processes: what a full ring does, and which datagrams are lost. */
#include <infiniband/verbs.h>

#include "t_fabric.h"

#define DEPTH	64
#define COUNT	600		/* more than a ring has room for, by twice */
#define SIZE	4096u
#define GRH	40u
#define QKEY	5u

struct end {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	union ibv_gid gid;
	uint8_t *memory;
};

static void modify(struct end *end, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state, .port_num = 1, .qkey = QKEY };
	int mask = IBV_QP_STATE;

	if (state == IBV_QPS_INIT)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
	if (state == IBV_QPS_RTS)
		mask |= IBV_QP_SQ_PSN;
	CHECK_EQ(0, ibv_modify_qp(end->qp, &attr, mask));
}

static void bring_up(struct end *end)
{
	modify(end, IBV_QPS_INIT);
	modify(end, IBV_QPS_RTR);
	modify(end, IBV_QPS_RTS);
}

static struct end end_open(bool is_shared)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = COUNT, .max_sge = 1 } };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = COUNT, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD, .sq_sig_all = 1,
	};
	struct end end = { 0 };

	T_MUST(list && list[0]);
	end.context = ibv_open_device(list[0]);
	T_MUST(end.context && !ibv_query_gid(end.context, 1, 0, &end.gid));
	ibv_free_device_list(list);
	end.pd = ibv_alloc_pd(end.context);
	init.send_cq = end.send_cq = ibv_create_cq(end.context, 2 * DEPTH, NULL, NULL, 0);
	init.recv_cq = end.recv_cq = ibv_create_cq(end.context, COUNT, NULL, NULL, 0);
	T_MUST(end.pd && end.send_cq && end.recv_cq);
	if (is_shared) {
		init.srq = end.srq = ibv_create_srq(end.pd, &srq_init);
		T_MUST(end.srq);
	}
	end.qp = ibv_create_qp(end.pd, &init);
	end.memory = calloc(COUNT, GRH + SIZE);
	T_MUST(end.qp && end.memory);
	end.mr = ibv_reg_mr(end.pd, end.memory, (size_t)COUNT * (GRH + SIZE), IBV_ACCESS_LOCAL_WRITE);
	T_MUST(end.mr);
	bring_up(&end);
	return end;
}

static void end_close(struct end *end)
{
	T_MUST(!ibv_destroy_qp(end->qp));
	T_MUST(!end->srq || !ibv_destroy_srq(end->srq));
	T_MUST(!ibv_destroy_cq(end->send_cq) && !ibv_destroy_cq(end->recv_cq) && !ibv_dereg_mr(end->mr));
	T_MUST(!ibv_dealloc_pd(end->pd) && !ibv_close_device(end->context));
	free(end->memory);
}

/* Posts a receive whose number is its index in the memory. */
static void post_receive(struct end *end, uint32_t number, uint32_t room)
{
	struct ibv_sge sge = { (uintptr_t)end->memory + (uint64_t)number * (GRH + SIZE), room, end->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK_EQ(0, end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad) : ibv_post_recv(end->qp, &wr, &bad));
}

static struct ibv_ah *handle_for(struct end *end)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1, .grh.dgid = end->gid };
	struct ibv_ah *ah = ibv_create_ah(end->pd, &attr);

	T_MUST(ah);
	return ah;
}

/* The bytes of a message say which one it is. Returns what ibv_post_send does. */
static int send_to(struct end *end, struct ibv_ah *ah, uint32_t qpn, uint32_t number, uint32_t size)
{
	uint8_t *memory = end->memory + (size_t)(number % COUNT) * (GRH + SIZE);
	struct ibv_sge sge = { (uintptr_t)memory, size, end->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;

	memset(memory, (int)number, size);
	memcpy(memory, &number, sizeof(number));
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = QKEY;
	return ibv_post_send(end->qp, &wr, &bad);
}

/* Returns the next completion, or a wr_id of UINT64_MAX when none came in time. */
static struct ibv_wc next(struct ibv_cq *cq)
{
	struct ibv_wc wc = { .wr_id = UINT64_MAX };
	time_t end = time(NULL) + T_PATIENCE;

	while (ibv_poll_cq(cq, 1, &wc) == 0)
		if (time(NULL) > end) {
			T_FAIL("no completion after %d s", T_PATIENCE);
			break;
		}
	return wc;
}

static void check_received(struct end *end, uint32_t number, uint32_t size)
{
	struct ibv_wc wc = next(end->recv_cq);
	const uint8_t *memory = end->memory + wc.wr_id % COUNT * (GRH + SIZE) + GRH;
	uint32_t found;

	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(number % COUNT, wc.wr_id);
	CHECK_EQ(GRH + size, wc.byte_len);
	memcpy(&found, memory, sizeof(found));
	CHECK_EQ(number, found);
	CHECK_EQ((uint8_t)number, memory[size - 1]);
}

/* ---- a full ring ---- */

/* Posts all receives and reports it. Handles nothing before it is asked to: only the helper thread does. */
static void receive_all(int fd)
{
	struct end end = end_open(false);

	for (uint32_t i = 0; i < COUNT; i++)
		post_receive(&end, i, GRH + SIZE);
	t_put(fd, end.qp->qp_num);
	t_get(fd);
	for (uint32_t i = 0; i < COUNT && !t_failures; i++)
		check_received(&end, i, SIZE);
	t_put(fd, 0);
	t_get(fd);
	end_close(&end);
}

static void send_all(int unused)
{
	struct t_process receiver = t_fork(receive_all);
	uint32_t qpn = (uint32_t)t_get(receiver.fd), sent = 0, completed = 0;
	struct end end = end_open(false);
	struct ibv_ah *ah = handle_for(&end);

	(void)unused;
	while (completed < COUNT && !t_failures) {
		while (sent < COUNT && sent - completed < DEPTH) {
			CHECK_EQ(0, send_to(&end, ah, qpn, sent++, SIZE));
			/* From half of them on it polls, too. */
			if (sent == COUNT / 2)
				t_put(receiver.fd, 0);
		}
		CHECK_EQ(completed, next(end.send_cq).wr_id);
		completed++;
	}
	CHECK_EQ(0, t_get(receiver.fd));
	t_put(receiver.fd, 0);
	t_join(&receiver);
	T_MUST(!ibv_destroy_ah(ah));
	end_close(&end);
}

/* Puts datagrams into the ring of a process that stands still, until the queue behind it is full, too. */
static uint32_t fill(struct end *end, struct ibv_ah *ah, uint32_t qpn)
{
	struct ibv_wc wc;
	uint32_t sent = 0;

	while (sent < COUNT && !send_to(end, ah, qpn, sent, SIZE)) {
		sent++;
		while (ibv_poll_cq(end->send_cq, 1, &wc) > 0)
			CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	}
	CHECK(sent < COUNT);
	return sent;
}

static void stop(const struct t_process *process)
{
	int status;

	T_MUST(!kill(process->pid, SIGSTOP));
	T_MUST(waitpid(process->pid, &status, WUNTRACED) == process->pid && WIFSTOPPED(status));
}

static void send_to_one_that_stands_still(int unused)
{
	struct t_process receiver = t_fork(receive_all);
	uint32_t qpn = (uint32_t)t_get(receiver.fd), sent, completed;
	struct end end = end_open(false), other = end_open(false);
	struct ibv_ah *ah = handle_for(&end);
	struct ibv_wc wc;

	(void)unused;
	stop(&receiver);
	sent = fill(&end, ah, qpn);
	/* The last ones wait in the queue. It goes on, and what finds no room then is lost. */
	for (completed = 0; completed < DEPTH && !t_failures; completed++) {
		wc = next(end.send_cq);
		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		CHECK_EQ(sent - DEPTH + completed, wc.wr_id);
	}
	/* Now the next one need not wait for that. */
	CHECK_EQ(0, send_to(&end, ah, qpn, sent, SIZE));
	CHECK_EQ(1, ibv_poll_cq(end.send_cq, 1, &wc));
	/* Others are reached. */
	post_receive(&other, 1, GRH + SIZE);
	CHECK_EQ(0, send_to(&end, ah, other.qp->qp_num, 1, 100));
	check_received(&other, 1, 100);
	CHECK_EQ(0, next(end.send_cq).status);
	t_kill(&receiver);
	T_MUST(!ibv_destroy_ah(ah));
	end_close(&end);
	end_close(&other);
}

/* Posted datagrams that wait are flushed like any other, and forgotten by RESET. */
static void leave_while_it_waits(int unused)
{
	struct t_process receiver = t_fork(receive_all);
	uint32_t qpn = (uint32_t)t_get(receiver.fd), sent;
	struct end end = end_open(false);
	struct ibv_ah *ah = handle_for(&end);
	struct ibv_wc wc;

	(void)unused;
	stop(&receiver);
	sent = fill(&end, ah, qpn);
	modify(&end, IBV_QPS_ERR);
	for (uint32_t i = 0; i < DEPTH; i++) {
		wc = next(end.send_cq);
		CHECK_EQ(IBV_WC_WR_FLUSH_ERR, wc.status);
		CHECK_EQ(sent - DEPTH + i, wc.wr_id);
	}
	modify(&end, IBV_QPS_RESET);
	bring_up(&end);
	for (uint32_t i = 0; i < DEPTH; i++)
		CHECK_EQ(0, send_to(&end, ah, qpn, i, SIZE));
	CHECK_EQ(ENOMEM, send_to(&end, ah, qpn, DEPTH, SIZE));
	modify(&end, IBV_QPS_RESET);
	bring_up(&end);
	CHECK_EQ(0, ibv_poll_cq(end.send_cq, 1, &wc));
	post_receive(&end, 2, GRH + SIZE);
	CHECK_EQ(0, send_to(&end, ah, end.qp->qp_num, 2, 100));
	check_received(&end, 2, 100);
	CHECK_EQ(0, send_to(&end, ah, qpn, 3, SIZE));
	t_kill(&receiver);
	/* No queue pair has the number any more: the datagram is lost, and the queue goes on. */
	CHECK_EQ(2, next(end.send_cq).wr_id);
	CHECK_EQ(3, next(end.send_cq).wr_id);
	T_MUST(!ibv_destroy_ah(ah));
	end_close(&end);
}

/* ---- receives that are too short ---- */

static void send_too_much(bool is_shared)
{
	struct end end = end_open(is_shared);
	struct ibv_ah *ah = handle_for(&end);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;

	post_receive(&end, 1, GRH + 100);
	post_receive(&end, 2, GRH + SIZE);
	CHECK_EQ(0, send_to(&end, ah, end.qp->qp_num, 7, 101));
	CHECK_EQ(IBV_WC_SUCCESS, next(end.send_cq).status);
	CHECK_EQ(0, ibv_poll_cq(end.recv_cq, 1, &wc));
	CHECK_EQ(0, ibv_query_qp(end.qp, &attr, IBV_QP_STATE, &init));
	CHECK_EQ(IBV_QPS_RTS, attr.qp_state);
	/* Both receives are still there, in their order. */
	CHECK_EQ(0, send_to(&end, ah, end.qp->qp_num, 1, 100));
	CHECK_EQ(0, send_to(&end, ah, end.qp->qp_num, 2, SIZE));
	check_received(&end, 1, 100);
	check_received(&end, 2, SIZE);
	T_MUST(!ibv_destroy_ah(ah));
	end_close(&end);
}

static void receive_in_own_queue(int unused)
{
	(void)unused;
	send_too_much(false);
}

static void receive_in_shared_queue(int unused)
{
	(void)unused;
	send_too_much(true);
}

/* ---- the header in front of what was received ---- */

static int index_of(struct end *end, const union ibv_gid *gid)
{
	union ibv_gid found;
	int index = 0;

	do
		T_MUST(!ibv_query_gid(end->context, 1, index++, &found));
	while (memcmp(&found, gid, sizeof(found)));
	return index - 1;
}

/* The fields of the sender's address handle arrive, and an answer goes the same way. */
static void check_header(struct end *end, const union ibv_gid *gid, uint32_t flow_label)
{
	struct ibv_ah_attr to = {
		.grh = { .dgid = *gid, .flow_label = 0x12345, .sgid_index = (uint8_t)index_of(end, gid),
			 .hop_limit = 33, .traffic_class = 0xb8 },
		.is_global = 1, .port_num = 1,
	};
	struct ibv_ah *ah = ibv_create_ah(end->pd, &to);
	struct ibv_ah_attr back;
	struct ibv_wc wc;

	T_MUST(ah);
	post_receive(end, 1, GRH + SIZE);
	CHECK_EQ(0, send_to(end, ah, end->qp->qp_num, 2, 100));
	wc = next(end->recv_cq);
	CHECK_EQ(IBV_WC_GRH, wc.wc_flags);
	CHECK_EQ(0, ibv_init_ah_from_wc(end->context, 1, &wc, (struct ibv_grh *)(end->memory + GRH + SIZE), &back));
	CHECK_EQ(33, back.grh.hop_limit);
	CHECK_EQ(0xb8, back.grh.traffic_class);
	CHECK_EQ(flow_label, back.grh.flow_label);
	CHECK_BYTES(gid, &back.grh.dgid, sizeof(*gid));
	CHECK_EQ(IBV_WC_SUCCESS, next(end->send_cq).status);
	T_MUST(!ibv_destroy_ah(ah));
}

static void receive_headers(int unused)
{
	static const union ibv_gid loopback = { .raw = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 } };
	struct end end = end_open(false);

	(void)unused;
	check_header(&end, &end.gid, 0x12345);
	check_header(&end, &loopback, 0);
	/* As with RoCE v2: the header of IPv4, behind 20 bytes without a meaning. */
	CHECK_EQ(0x45, end.memory[GRH + SIZE + 20]);
	end_close(&end);
}

/* A process must not fork after it has used the device. */
static void in_a_process(void (*run)(int fd))
{
	struct t_process process = t_fork(run);

	t_join(&process);
}

static void datagrams_with_receives_arrive(void)
{
	in_a_process(send_all);
}

static void stopped_process_delays_datagrams_to_others_shortly(void)
{
	in_a_process(send_to_one_that_stands_still);
}

static void datagrams_that_wait_end_with_their_queue(void)
{
	in_a_process(leave_while_it_waits);
}

static void a_datagram_that_is_too_long_is_lost_and_takes_no_receive(void)
{
	in_a_process(receive_in_own_queue);
	in_a_process(receive_in_shared_queue);
}

static void a_receiver_finds_the_header_of_the_packet(void)
{
	in_a_process(receive_headers);
}

int main(void)
{
	t_fabric_open();
	T_RUN(datagrams_with_receives_arrive);
	T_RUN(stopped_process_delays_datagrams_to_others_shortly);
	T_RUN(datagrams_that_wait_end_with_their_queue);
	T_RUN(a_datagram_that_is_too_long_is_lost_and_takes_no_receive);
	T_RUN(a_receiver_finds_the_header_of_the_packet);
	t_fabric_close();
	return t_result();
}
