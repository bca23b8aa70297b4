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

/* SRD between processes: both directions at once, a peer that stands still, one that is killed, and its successor. */
#include "t_fabric.h"
#include "t_srd.h"

#define SIZE		(1u << 20)
#define MESSAGES	5000u
#define RECEIVES	T_DEPTH
#define IN_FLIGHT	32u

static struct t_srd own;

static void open_own(void)
{
	t_efa_open();
	t_srd_open(&own, SIZE, T_ALL_OPS, 7);
}

static void close_own(void)
{
	t_srd_close(&own);
	t_efa_close();
}

static void put_own(int fd)
{
	t_put(fd, own.qp->qp_num);
	t_put(fd, own.mr->rkey);
	t_put(fd, (int64_t)(uintptr_t)own.memory);
}

static struct t_target receive_target(int fd)
{
	struct t_target to = { .qkey = T_QKEY };

	to.qpn = (uint32_t)t_get(fd);
	to.rkey = (uint32_t)t_get(fd);
	to.address = (uint64_t)t_get(fd);
	return to;
}

/* Takes no part but by its device. */
static void be_passive(int fd)
{
	open_own();
	put_own(fd);
	t_get(fd);
	close_own();
}

/* Waits until it is asked to begin: a process is forked before the device is used. */
static void be_passive_later(int fd)
{
	t_get(fd);
	be_passive(fd);
}

/* ---- traffic ---- */

static uint8_t seen[MESSAGES];

static void take_receives(uint32_t *received)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(ibv_cq_ex_to_cq(own.recv_cq), 1, &wc) == 1) {
		uint32_t number = wc.imm_data;

		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		T_MUST(number < MESSAGES);
		CHECK_EQ(0, seen[number]++);
		if (wc.opcode == IBV_WC_RECV)
			CHECK_EQ(number, *(uint32_t *)(own.memory + wc.wr_id * 64));
		++*received;
		if (*received + RECEIVES <= MESSAGES)
			CHECK_EQ(0, t_srd_receive(&own, wc.wr_id, wc.wr_id * 64, 64));
	}
}

static uint32_t take_sends(void)
{
	struct ibv_wc wc;
	uint32_t count = 0;

	while (ibv_poll_cq(ibv_cq_ex_to_cq(own.send_cq), 1, &wc) == 1) {
		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		count++;
	}
	return count;
}

/* Each message has an entry of its own until the peer has it: at most as many are in flight as there are entries. */
static void exchange(struct t_target to)
{
	uint32_t sent = 0, done = 0, received = 0;
	time_t end = time(NULL) + 2 * T_PATIENCE;

	for (uint64_t i = 0; i < RECEIVES; i++)
		CHECK_EQ(0, t_srd_receive(&own, i, i * 64, 64));
	while (done < MESSAGES || received < MESSAGES) {
		T_MUST(time(NULL) < end);
		if (sent < MESSAGES && sent - done < IN_FLIGHT && ((sent ^ done) & IN_FLIGHT) == 0) {
			size_t entry = 8192 + (sent % IN_FLIGHT) * 64;

			*(uint32_t *)(own.memory + entry) = sent;
			CHECK_EQ(0, t_srd_post(&own, sent, sent % 3 ? IBV_WR_SEND_WITH_IMM : IBV_WR_RDMA_WRITE_WITH_IMM,
					       entry, 64, (struct t_target){ to.qpn, to.qkey, to.rkey,
									     to.address + 65536 }));
			sent++;
		}
		done += take_sends();
		take_receives(&received);
	}
	for (uint32_t i = 0; i < MESSAGES; i++)
		CHECK_EQ(1, seen[i]);
}

static void talk(int fd)
{
	struct t_target to;

	open_own();
	put_own(fd);
	to = receive_target(fd);
	exchange(to);
	/* Both wait for each other: requests that the peer has not acknowledged need our memory. */
	t_put(fd, 1);
	t_get(fd);
	close_own();
}

static void both_processes_may_send_at_once(void)
{
	struct t_process peer = t_fork(talk);
	struct t_target to = receive_target(peer.fd);

	memset(seen, 0, sizeof(seen));
	open_own();
	put_own(peer.fd);
	exchange(to);
	CHECK_EQ(1, t_get(peer.fd));
	t_put(peer.fd, 1);
	t_join(&peer);
	close_own();
}

/* ---- peers that do not answer ---- */

static void stop(const struct t_process *process)
{
	int status;

	T_MUST(!kill(process->pid, SIGSTOP));
	T_MUST(waitpid(process->pid, &status, WUNTRACED) == process->pid && WIFSTOPPED(status));
}

/* Writes that fill the ring to a stopped process hold back nothing that goes elsewhere. */
static void stopped_peer_does_not_block_others(void)
{
	struct t_process peer = t_fork(be_passive);
	struct t_target to = receive_target(peer.fd);

	open_own();
	CHECK_EQ(0, t_srd_post(&own, 0, IBV_WR_RDMA_WRITE, 0, 8, to));
	t_srd_expect(own.send_cq, 0, IBV_WC_SUCCESS, 0);
	stop(&peer);
	for (uint64_t i = 1; i <= 8; i++)
		CHECK_EQ(0, t_srd_post(&own, i, IBV_WR_RDMA_WRITE, 0, SIZE, to));
	for (int i = 0; i < 100; i++) {
		CHECK_EQ(0, t_srd_post(&own, 100, IBV_WR_RDMA_WRITE, 0, 64, t_to(&own, 4096)));
		t_srd_expect(own.send_cq, 100, IBV_WC_SUCCESS, 0);
	}
	T_MUST(!kill(peer.pid, SIGCONT));
	for (int i = 1; i <= 8; i++)
		CHECK_EQ(IBV_WC_SUCCESS, t_srd_wait(own.send_cq).status);
	/* And back: the peer's answer is eight times its ring. */
	for (uint64_t i = 1; i <= 8; i++)
		CHECK_EQ(0, t_srd_post(&own, i, IBV_WR_RDMA_READ, 0, SIZE, to));
	for (int i = 1; i <= 8; i++)
		CHECK_EQ(IBV_WC_SUCCESS, t_srd_wait(own.send_cq).status);
	t_put(peer.fd, 0);
	t_join(&peer);
	close_own();
}

static void a_killed_peer_is_unresponsive(void)
{
	struct t_process successor = t_fork(be_passive_later);
	struct t_process peer = t_fork(be_passive);
	struct t_target to = receive_target(peer.fd);

	open_own();
	CHECK_EQ(0, t_srd_post(&own, 0, IBV_WR_RDMA_WRITE, 0, 8, to));
	t_srd_expect(own.send_cq, 0, IBV_WC_SUCCESS, 0);
	/* It has no receive, and never will have one. */
	CHECK_EQ(0, t_srd_post(&own, 1, IBV_WR_SEND, 0, 8, to));
	stop(&peer);
	for (uint64_t i = 2; i < 6; i++)
		CHECK_EQ(0, t_srd_post(&own, i, IBV_WR_RDMA_READ, 0, SIZE, to));
	t_kill(&peer);
	for (int i = 1; i < 6; i++) {
		struct ibv_wc wc = t_srd_wait(own.send_cq);

		CHECK_EQ(IBV_WC_RESP_TIMEOUT_ERR, wc.status);
		CHECK_EQ(13, wc.vendor_err);
	}
	CHECK_EQ(0, t_srd_post(&own, 7, IBV_WR_RDMA_WRITE, 0, 64, t_to(&own, 4096)));
	t_srd_expect(own.send_cq, 7, IBV_WC_SUCCESS, 0);
	/* The next process may have the same slot, and the same number of a queue pair. */
	t_put(successor.fd, 0);
	to = receive_target(successor.fd);
	CHECK_EQ(0, t_srd_post(&own, 8, IBV_WR_RDMA_WRITE, 0, 8, to));
	t_srd_expect(own.send_cq, 8, IBV_WC_SUCCESS, 0);
	t_put(successor.fd, 0);
	t_join(&successor);
	close_own();
}

/* Sends one message to the target that it is sent. */
static void send_one_message(int fd)
{
	struct t_target to = receive_target(fd);

	open_own();
	CHECK_EQ(0, t_srd_post(&own, 1, IBV_WR_SEND, 0, 8, to));
	t_srd_expect(own.send_cq, 1, IBV_WC_SUCCESS, 0);
	t_put(fd, own.qp->qp_num);
	close_own();
}

/* The second may have the slot and the numbers of the first, and is not taken for it. */
static void successor_in_a_slot_is_another_sender(void)
{
	struct t_process speakers[2] = { t_fork(send_one_message), t_fork(send_one_message) };

	open_own();
	for (uint64_t i = 0; i < 2; i++)
		CHECK_EQ(0, t_srd_receive(&own, i, i * 64, 64));
	for (uint64_t i = 0; i < 2; i++) {
		struct ibv_wc wc;

		put_own(speakers[i].fd);
		wc = t_srd_wait(own.recv_cq);
		CHECK_EQ(i, wc.wr_id);
		CHECK_EQ(wc.src_qp, t_get(speakers[i].fd));
		t_join(&speakers[i]);
	}
	close_own();
}

int main(void)
{
	t_fabric_open();
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "efa", 1));
	T_RUN(both_processes_may_send_at_once);
	T_RUN(stopped_peer_does_not_block_others);
	T_RUN(a_killed_peer_is_unresponsive);
	T_RUN(successor_in_a_slot_is_another_sender);
	t_fabric_close();
	return t_result();
}
