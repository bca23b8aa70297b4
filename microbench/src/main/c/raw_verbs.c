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
 * What the device itself takes, without Java: two processes that poll busily, next to memcpy and to TCP on
 * loopback in the same run. Plain verbs: run it as microbench/raw-verbs (software device), or by
 * itself on whatever rdma-core finds.
 *
 *    raw_verbs [SECONDS_PER_FIGURE]
 *
 * The parent is the client and prints; the child answers. Before each figure the two meet at a barrier.
 */

#include "raw_verbs.h"

#include <infiniband/verbs.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH		256u
#define SIGNAL_EVERY	16u

/* What each side sends the other. */
struct address {
	uint32_t qpn;
	uint32_t rkey;
	uint64_t memory;
	union ibv_gid gid;
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static struct address remote;
static int gid_index;
static unsigned int receives_posted;
uint8_t *memory;

static void pin(int index)
{
	cpu_set_t set;
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

	CPU_ZERO(&set);
	CPU_SET(index % cpus, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void find_gid(struct address *local)
{
	struct ibv_port_attr port;
	int i;

	CHECK(ibv_query_port(context, 1, &port) == 0);
	for (i = 0; i < port.gid_tbl_len; i++) {
		if (ibv_query_gid(context, 1, i, &local->gid) == 0 && local->gid.raw[10] == 0xff &&
		    local->gid.raw[11] == 0xff && local->gid.global.subnet_prefix == 0) {
			gid_index = i;
			return;
		}
	}
	CHECK(ibv_query_gid(context, 1, 0, &local->gid) == 0);
}

static void open_device(struct address *local)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1,
			 .max_inline_data = SMALL },
		.qp_type = IBV_QPT_RC,
	};

	CHECK(devices && devices[0]);
	context = ibv_open_device(devices[0]);
	CHECK(context);
	ibv_free_device_list(devices);
	pd = ibv_alloc_pd(context);
	CHECK(pd);
	cq = ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0);
	CHECK(cq);
	memory = aligned_alloc(4096, 2 * LARGE);
	CHECK(memory);
	memset(memory, 1, 2 * LARGE);
	mr = ibv_reg_mr(pd, memory, 2 * LARGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	CHECK(mr);
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = ibv_create_qp(pd, &init);
	CHECK(qp);
	find_gid(local);
	local->qpn = qp->qp_num;
	local->rkey = mr->rkey;
	local->memory = (uintptr_t)memory + LARGE;
}

static void connect_pair(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = remote.qpn;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 1;
	attr.ah_attr.is_global = 1;
	attr.ah_attr.grh.dgid = remote.gid;
	attr.ah_attr.grh.sgid_index = (uint8_t)gid_index;
	attr.ah_attr.grh.hop_limit = 64;
	attr.ah_attr.port_num = 1;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void post_receive(uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)memory + LARGE, length, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(ibv_post_recv(qp, &wr, &bad) == 0);
	receives_posted++;
}

static void post(enum ibv_wr_opcode opcode, uint32_t length, unsigned int flags)
{
	struct ibv_sge sge = { (uintptr_t)memory, length, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = flags }, *bad;

	wr.wr.rdma.remote_addr = remote.memory;
	wr.wr.rdma.rkey = remote.rkey;
	CHECK(ibv_post_send(qp, &wr, &bad) == 0);
}

/* Polls once; counts what came. */
static void poll_into(unsigned int *sends, unsigned int *receives)
{
	struct ibv_wc wc[16];
	int i, n = ibv_poll_cq(cq, 16, wc);

	CHECK(n >= 0);
	for (i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS) {
			fprintf(stderr, "completion: %s\n", ibv_wc_status_str(wc[i].status));
			exit(1);
		}
		if (wc[i].opcode & IBV_WC_RECV) {
			++*receives;
			receives_posted--;
		} else {
			++*sends;
		}
	}
}

/* ---- the figures; client is true in the process that measures ---- */

static void empty_poll(bool client)
{
	unsigned int sends = 0, receives = 0, i, rounds = 20000000;
	double start, took;

	meet();
	if (client) {
		start = now();
		for (i = 0; i < rounds; i++)
			poll_into(&sends, &receives);
		took = now() - start;
		printf("%-34s %8.1f ns\n", "empty poll", took / rounds * 1e9);
	}
	meet();
}

static void send_round_trip(bool client)
{
	static double samples[MAX_SAMPLES];
	unsigned int i, sends = 0, receives = 0, posted = 0, warm = 20000, rounds = warm + 200000;

	for (i = 0; i < DEPTH / 2; i++)
		post_receive(SMALL);
	meet();
	for (i = 0; i < rounds; i++) {
		unsigned int seen = receives;
		double start = now();

		if (client)
			post(IBV_WR_SEND, SMALL, IBV_SEND_INLINE | (++posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED));
		while (receives == seen)
			poll_into(&sends, &receives);
		if (!client)
			post(IBV_WR_SEND, SMALL, IBV_SEND_INLINE | (++posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED));
		if (i >= warm)
			samples[i - warm] = now() - start;
		post_receive(SMALL);
	}
	meet();
	/* What is left posted is used up, so that the next figure starts with an empty queue. */
	if (!client)
		for (i = 0; i < DEPTH / 2; i++)
			post(IBV_WR_SEND, SMALL, IBV_SEND_INLINE | (++posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED));
	for (receives = 0; client && receives < DEPTH / 2;)
		poll_into(&sends, &receives);
	meet();
	if (client)
		for (i = 0; i < DEPTH / 2; i++)
			post(IBV_WR_SEND, SMALL, IBV_SEND_INLINE | (++posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED));
	for (receives = 0; !client && receives < DEPTH / 2;)
		poll_into(&sends, &receives);
	while (sends < posted / SIGNAL_EVERY)
		poll_into(&sends, &receives);
	meet();
	if (client)
		print_latency("send 64 B", samples, rounds - warm);
}

/*
 * One way. Half of the receives are posted again at a time, and the other side notified by a short send: that is the
 * flow control that keeps RNR away.
 */
static void one_way(bool client, enum ibv_wr_opcode opcode, uint32_t size, const char *what)
{
	unsigned int half = DEPTH / 4, window = 2 * half, sent = 0, allowed = window;
	unsigned int sends = 0, receives = 0, posted = 0;
	bool is_send = opcode == IBV_WR_SEND;
	double start, took;

	if (!client) {
		unsigned int i, credited = 0, reports = 0;
		uint32_t last;

		for (i = 0; is_send && i < window; i++)
			post_receive(size);
		meet();
		while (is_send) {
			poll_into(&sends, &receives);
			if (receives - credited >= half) {
				for (i = 0; i < half; i++)
					post_receive(size);
				credited += half;
				post(IBV_WR_SEND, 0, ++reports % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED);
			}
			/* The client is done when it says so by its socket; looked at now and then. */
			if (receives % half)
				continue;
			if (recv(peer, &last, sizeof(last), MSG_DONTWAIT | MSG_PEEK) == sizeof(last))
				break;
		}
		if (is_send) {
			hear(&last, sizeof(last));
			while (receives < last)
				poll_into(&sends, &receives);
			/* The window that stays posted is used up by the client. */
			credited = last / half * half;
			send_bytes(&credited, sizeof(credited));
			while (receives < credited + window)
				poll_into(&sends, &receives);
			while (sends < reports / SIGNAL_EVERY)
				poll_into(&sends, &receives);
		}
		meet();
		return;
	}
	while (is_send && receives_posted < DEPTH / 2)
		post_receive(SMALL);
	meet();
	start = now();
	do {
		unsigned int credits = 0;

		while (sent < allowed && posted - sends * SIGNAL_EVERY < DEPTH - SIGNAL_EVERY) {
			post(opcode, size, ++posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED);
			sent++;
		}
		poll_into(&sends, &credits);
		if (!is_send)
			allowed = sent + window;
		for (allowed += credits * half; credits; credits--)
			post_receive(SMALL);
		took = now() - start;
	} while (took < seconds || sent % SIGNAL_EVERY);
	while (sends * SIGNAL_EVERY < posted)
		poll_into(&sends, &receives);
	took = now() - start;
	print_rate(what, size, sent, took);
	if (is_send) {
		uint32_t total = sent, credited;

		send_bytes(&total, sizeof(total));
		hear(&credited, sizeof(credited));
		while (sent < credited + window) {
			if (posted - sends * SIGNAL_EVERY < DEPTH - SIGNAL_EVERY) {
				post(opcode, size, ++posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED);
				sent++;
			}
			poll_into(&sends, &receives);
		}
		while (posted % SIGNAL_EVERY) {
			/* Completes the last unsignaled ones: a write of nothing needs no receive. */
			post(IBV_WR_RDMA_WRITE, 0, ++posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED);
		}
		while (sends * SIGNAL_EVERY < posted)
			poll_into(&sends, &receives);
	}
	meet();
}

static void run(bool client)
{
	struct address local;

	memset(&local, 0, sizeof(local));
	pin(client);
	open_device(&local);
	send_bytes(&local, sizeof(local));
	hear(&remote, sizeof(remote));
	connect_pair();
	if (client)
		printf("device %s, two processes, busy polling, %.1f s per bandwidth\n",
		       ibv_get_device_name(context->device), seconds);
	meet();
	word_round_trip(client);
	empty_poll(client);
	send_round_trip(client);
	one_way(client, IBV_WR_SEND, SMALL, "send 64 B, one way");
	one_way(client, IBV_WR_SEND, 65536, "send 64 KiB");
	one_way(client, IBV_WR_SEND, LARGE, "send 1 MiB");
	one_way(client, IBV_WR_RDMA_WRITE, 65536, "write 64 KiB");
	one_way(client, IBV_WR_RDMA_WRITE, LARGE, "write 1 MiB");
	if (client) {
		plain_memcpy(65536, "memcpy 64 KiB");
		plain_memcpy(LARGE, "memcpy 1 MiB");
	}
	meet();
	tcp(client);
}

int main(int argc, char **argv)
{
	int sockets[2], status = 0;
	pid_t child;

	if (argc > 1)
		seconds = atof(argv[1]);
	share_words();
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	child = fork();
	CHECK(child >= 0);
	peer = sockets[child != 0];
	close(sockets[child == 0]);
	run(child != 0);
	if (child) {
		waitpid(child, &status, 0);
		return status != 0;
	}
	return 0;
}
