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
 * The fault matrix: every fault that the software device injects, and the completion statuses and events
 * that it must give, at both ends, for many seeds. --seeds N (100), --first N (1), --case N (all)
 *
 * Cases that leave the process without a device, or dead, run in children. Ack timers are short, so that what
 * only a timer finds is found soon; how soon is not looked at.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "d.h"

#define DEPTH	64
#define SIZE	256u	/* of a message */

static const struct d_timers quick = { .timeout = 6, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 1 };
static const struct d_timers hasty = { .timeout = 4, .retry_cnt = 2, .rnr_retry = 2, .min_rnr_timer = 1 };
static const struct d_timers never = { .timeout = 6, .retry_cnt = 7, .rnr_retry = 0, .min_rnr_timer = 1 };

static struct ibv_context *context;
static struct ibv_pd *pd;
static uint64_t current_seed;

/* One end of a connection. Its memory: DEPTH messages to be sent, DEPTH received, a word for atomics. */
struct end {
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct d_address address;
	uint8_t sent[DEPTH][SIZE];
	uint8_t received[DEPTH][SIZE];
	uint64_t word;
	uint64_t old[DEPTH];
};

static struct end ends[2];

/* ---- ends ---- */

static void open_device(void)
{
	context = d_open();
	pd = D_HAVE(ibv_alloc_pd(context));
}

static void close_device(void)
{
	D_MUST(ibv_dealloc_pd(pd));
	D_MUST(ibv_close_device(context));
}

static void make_end(struct end *end, int cqe)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	unsigned int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			      IBV_ACCESS_REMOTE_ATOMIC;

	end->send_cq = attr.send_cq = D_HAVE(ibv_create_cq(context, cqe, NULL, NULL, 0));
	end->recv_cq = attr.recv_cq = D_HAVE(ibv_create_cq(context, cqe, NULL, NULL, 0));
	end->mr = D_HAVE(ibv_reg_mr(pd, end, sizeof(*end), (int)access));
	end->qp = D_HAVE(ibv_create_qp(pd, &attr));
	end->word = 0;
	memset(end->received, 0, sizeof(end->received));
	d_to_init(end->qp, access & ~(unsigned int)IBV_ACCESS_LOCAL_WRITE);
	end->address = d_address_of(end->qp, (uint32_t)current_seed * 7919);
}

static void destroy_end(struct end *end)
{
	D_MUST(ibv_destroy_qp(end->qp));
	D_MUST(ibv_dereg_mr(end->mr));
	D_MUST(ibv_destroy_cq(end->send_cq));
	D_MUST(ibv_destroy_cq(end->recv_cq));
}

static void make_ends(const struct d_timers *timers)
{
	for (int i = 0; i < 2; i++)
		make_end(&ends[i], 2 * DEPTH);
	for (int i = 0; i < 2; i++)
		d_connect(ends[i].qp, &ends[i].address, &ends[!i].address, timers);
}

static void destroy_ends(void)
{
	for (int i = 0; i < 2; i++) {
		d_expect_nothing(ends[i].send_cq);
		d_expect_nothing(ends[i].recv_cq);
		destroy_end(&ends[i]);
	}
	D_EQ(-1, d_async_event(context, NULL));
}

static uint64_t content_of(uint32_t message)
{
	return current_seed << 32 | message;
}

static int post_receive(struct end *end, uint32_t slot)
{
	struct ibv_sge sge = { (uintptr_t)end->received[slot % DEPTH], SIZE, end->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(end->qp, &wr, &bad);
}

static int post_send(struct end *end, uint32_t message)
{
	struct ibv_sge sge = { (uintptr_t)end->sent[message % DEPTH], SIZE, end->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = message, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;

	d_fill(end->sent[message % DEPTH], SIZE, content_of(message));
	return ibv_post_send(end->qp, &wr, &bad);
}

static int post_add(struct end *end, struct end *target, uint32_t message)
{
	struct ibv_sge sge = { (uintptr_t)&end->old[message % DEPTH], sizeof(uint64_t), end->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = message,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { .remote_addr = (uintptr_t)&target->word, .compare_add = 1, .rkey = target->mr->rkey },
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(end->qp, &wr, &bad);
}

static void expect_completion(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc = d_wait(cq);

	if (wc.wr_id != wr_id || wc.status != status)
		D_FAIL("wr_id %llu with %s instead of %llu with %s", (unsigned long long)wc.wr_id,
		       ibv_wc_status_str(wc.status), (unsigned long long)wr_id, ibv_wc_status_str(status));
}

static void expect_message(struct end *end, uint32_t message)
{
	uint8_t expected[SIZE];

	expect_completion(end->recv_cq, message, IBV_WC_SUCCESS);
	d_fill(expected, SIZE, content_of(message));
	if (memcmp(expected, end->received[message % DEPTH], SIZE))
		D_FAIL("message %u has other bytes than were sent", message);
}

/* What is still in a receive queue is there: into the error state with it, and it is flushed. */
static void expect_receives_left(struct end *end, uint32_t first, uint32_t count)
{
	d_expect_nothing(end->recv_cq);
	D_EQ(IBV_QPS_RTS, d_state(end->qp));
	d_to_state(end->qp, IBV_QPS_ERR);
	for (uint32_t i = first; i < first + count; i++)
		expect_completion(end->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
}

static void expect_async(enum ibv_event_type type)
{
	int event = d_wait_async_event(context, NULL);

	if (event != (int)type)
		D_FAIL("asynchronous event %s instead of %s", ibv_event_type_str((enum ibv_event_type)event),
		       ibv_event_type_str(type));
}

/* Both, in any order. */
static void expect_async_both(enum ibv_event_type one, enum ibv_event_type other)
{
	int first = d_wait_async_event(context, NULL);

	if (first != (int)one && first != (int)other)
		D_FAIL("asynchronous event %s instead of %s or %s", ibv_event_type_str((enum ibv_event_type)first),
		       ibv_event_type_str(one), ibv_event_type_str(other));
	expect_async(first == (int)one ? other : one);
}

static void faults(const char *format, uint64_t number)
{
	char text[128];

	snprintf(text, sizeof(text), format, (unsigned long long)number);
	d_control(0, "faults off,seed=%llu%s%s", (unsigned long long)current_seed, *text ? "," : "", text);
}

/* ---- what is lost, late or not expected: everything arrives all the same, in order, once ---- */

static void everything_arrives(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t adds = 0;

	make_ends(&quick);
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_receive(b, i));
	for (uint32_t i = 0; i < DEPTH; i++) {
		/* An atomic that is carried out twice shows. */
		if (i % 4 == 3) {
			D_MUST(post_add(a, b, i));
			adds++;
		} else {
			D_MUST(post_send(a, i - adds));
		}
	}
	for (uint32_t i = 0, message = 0; i < DEPTH; i++)
		expect_completion(a->send_cq, i % 4 == 3 ? i : message++, IBV_WC_SUCCESS);
	for (uint32_t i = 0; i < DEPTH - adds; i++)
		expect_message(b, i);
	D_EQ(adds, b->word);
	for (uint32_t i = 3; i < DEPTH; i += 4)
		D_EQ(i / 4, a->old[i]);
	faults("", 0);
	expect_receives_left(b, DEPTH - adds, adds);
	destroy_ends();
}

static void drop(void)
{
	faults("drop=0.03", 0);
	everything_arrives();
}

static void delay(void)
{
	faults("delay=0.2:30us", 0);
	everything_arrives();
}

static void receiver_not_ready(void)
{
	faults("rnr=0.2", 0);
	everything_arrives();
}

static void drop_and_delay_and_not_ready(void)
{
	faults("drop=0.01,delay=0.1:20us,rnr=0.1", 0);
	everything_arrives();
}

/* One packet exactly is lost, a different one with each seed. */
static void drop_one(void)
{
	faults("drop@%llu", current_seed);
	everything_arrives();
}

/* ---- what does not arrive ---- */

static void expect_nothing_arrives(const struct d_timers *timers, enum ibv_wc_status status)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];

	make_ends(timers);
	for (uint32_t i = 0; i < 3; i++) {
		D_MUST(post_receive(b, i));
		D_MUST(post_receive(a, i));
	}
	for (uint32_t i = 0; i < 5; i++)
		D_MUST(post_send(a, i));
	expect_completion(a->send_cq, 0, status);
	for (uint32_t i = 1; i < 5; i++)
		expect_completion(a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
	for (uint32_t i = 0; i < 3; i++)
		expect_completion(a->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	/* The other end has noticed nothing. */
	expect_receives_left(b, 0, 3);
	d_expect_nothing(b->send_cq);
	faults("", 0);
	destroy_ends();
}

static void drop_all(void)
{
	faults("drop=1", 0);
	expect_nothing_arrives(&hasty, IBV_WC_RETRY_EXC_ERR);
}

static void never_ready(void)
{
	faults("rnr=1", 0);
	expect_nothing_arrives(&hasty, IBV_WC_RNR_RETRY_EXC_ERR);
	faults("rnr=1", 0);
	expect_nothing_arrives(&never, IBV_WC_RNR_RETRY_EXC_ERR);
}

/* No fault: simply no receive. */
static void no_receive(void)
{
	struct end *a = &ends[0];

	make_ends(current_seed % 2 ? &hasty : &never);
	D_MUST(post_send(a, 0));
	expect_completion(a->send_cq, 0, IBV_WC_RNR_RETRY_EXC_ERR);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	D_EQ(IBV_QPS_RTS, d_state(ends[1].qp));
	destroy_ends();
}

/* As many not-ready answers as there are retries are borne, one more is not. */
static void retries_are_counted(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];

	for (uint8_t retries = 0; retries < 2; retries++) {
		struct d_timers timers = quick;

		timers.rnr_retry = retries;
		faults("rnr@1", 0);
		make_ends(&timers);
		D_MUST(post_receive(b, 0));
		D_MUST(post_send(a, 0));
		if (retries) {
			expect_completion(a->send_cq, 0, IBV_WC_SUCCESS);
			expect_message(b, 0);
		} else {
			expect_completion(a->send_cq, 0, IBV_WC_RNR_RETRY_EXC_ERR);
			expect_receives_left(b, 0, 1);
		}
		faults("", 0);
		destroy_ends();
	}
}

/* ---- completion queues that overrun ---- */

/* Lockstep: completion 2 i + 1 is that of receive i, 2 i + 2 that of send i. */
static void overrun(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t n = 1 + (uint32_t)current_seed % 20;
	bool at_receiver = n % 2;
	uint32_t good = (n - 1) / 2;

	faults("overrun@%llu", n);
	make_ends(&hasty);
	for (uint32_t i = 0; i <= good; i++)
		D_MUST(post_receive(b, i));
	for (uint32_t i = 0; i < good; i++) {
		D_MUST(post_send(a, i));
		expect_message(b, i);
		expect_completion(a->send_cq, i, IBV_WC_SUCCESS);
	}
	D_MUST(post_send(a, good));
	expect_async_both(IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL);
	if (at_receiver) {
		D_EQ(IBV_QPS_ERR, d_state(b->qp));
		expect_completion(a->send_cq, good, IBV_WC_RETRY_EXC_ERR);
		d_expect_nothing(b->recv_cq);
	} else {
		D_EQ(IBV_QPS_ERR, d_state(a->qp));
		D_EQ(IBV_QPS_RTS, d_state(b->qp));
		expect_message(b, good);
		d_expect_nothing(a->send_cq);
	}
	faults("", 0);
	destroy_ends();
}

/* No fault: a queue that nobody empties. What was in it can still be had. */
static void real_overrun(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t room;

	make_end(a, 4);
	make_end(b, 2 * DEPTH);
	room = (uint32_t)a->send_cq->cqe;
	D_CHECK(room >= 4 && room < DEPTH);
	for (int i = 0; i < 2; i++)
		d_connect(ends[i].qp, &ends[i].address, &ends[!i].address, &quick);
	for (uint32_t i = 0; i <= room; i++) {
		D_MUST(post_receive(b, i));
		D_MUST(post_send(a, i));
	}
	expect_async_both(IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	for (uint32_t i = 0; i <= room; i++)
		expect_message(b, i);
	for (uint32_t i = 0; i < room; i++)
		expect_completion(a->send_cq, i, IBV_WC_SUCCESS);
	destroy_ends();
}

/* ---- registration, ports ---- */

static void registration(void)
{
	uint64_t n = 1 + current_seed % 5;
	static uint8_t memory[4096];

	faults("register@%llu", n);
	for (uint64_t i = 1; i <= 6; i++) {
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);

		if (i == n) {
			D_CHECK(!mr);
			D_EQ(ENOMEM, errno);
		} else {
			D_CHECK(mr);
			D_MUST(ibv_dereg_mr(mr));
		}
	}
	faults("", 0);
}

static enum ibv_port_state port_state(void)
{
	struct ibv_port_attr port;

	D_MUST(ibv_query_port(context, 1, &port));
	return port.state;
}

static void port(void)
{
	D_EQ(IBV_PORT_ACTIVE, port_state());
	d_control(0, "port-down");
	expect_async(IBV_EVENT_PORT_ERR);
	D_EQ(IBV_PORT_DOWN, port_state());
	d_control(0, "port-up");
	expect_async(IBV_EVENT_PORT_ACTIVE);
	D_EQ(IBV_PORT_ACTIVE, port_state());
}

/* ---- cases that need a process of their own ---- */

static void run_in_child(void (*run)(int fd), int *fd, pid_t *child)
{
	int fds[2];

	fflush(NULL);
	D_MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	*child = fork();
	if (*child < 0)
		D_FAIL("fork: %s", strerror(errno));
	if (!*child) {
		close(fds[0]);
		run(fds[1]);
		_exit(0);
	}
	close(fds[1]);
	*fd = fds[0];
}

static void expect_exit(pid_t child)
{
	int status = 0;

	D_EQ(child, waitpid(child, &status, 0));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		D_FAIL("child %d has failed: status %x", (int)child, status);
}

static void expect_kill(pid_t child)
{
	int status = 0;

	D_EQ(child, waitpid(child, &status, 0));
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		D_FAIL("child %d was not killed: status %x", (int)child, status);
}

static void exchange_addresses(int fd, const struct d_timers *timers)
{
	struct d_address peer;

	make_end(&ends[0], 2 * DEPTH);
	d_send(fd, &ends[0].address, sizeof(ends[0].address));
	if (!d_receive(fd, &peer, sizeof(peer)))
		D_FAIL("the other process has ended");
	d_connect(ends[0].qp, &ends[0].address, &peer, timers);
}

static void run_alone(void (*run)(int fd))
{
	pid_t child;
	int fd;

	run_in_child(run, &fd, &child);
	expect_exit(child);
	close(fd);
}

/* From some packet on nothing reaches the peer, though it lives; nor will it ever again. */
static void lose_at_packet(int fd)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t good = 0;
	uint32_t arrived = 0;
	struct ibv_wc wc;

	(void)fd;
	open_device();
	faults("lose@%llu", 1 + current_seed % 40);
	make_ends(&hasty);
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_receive(b, i));
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_send(a, i));
	for (wc = d_wait(a->send_cq); wc.status == IBV_WC_SUCCESS; wc = d_wait(a->send_cq))
		D_EQ(good++, wc.wr_id);
	D_EQ(good, wc.wr_id);
	D_EQ(IBV_WC_RETRY_EXC_ERR, wc.status);
	for (uint32_t i = good + 1; i < DEPTH; i++)
		expect_completion(a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	D_EQ(IBV_QPS_RTS, d_state(b->qp));
	d_to_state(b->qp, IBV_QPS_ERR);
	/* What was acknowledged has arrived; more may have, in order. */
	for (wc = d_wait(b->recv_cq); wc.status == IBV_WC_SUCCESS; wc = d_wait(b->recv_cq))
		D_EQ(arrived++, wc.wr_id);
	D_CHECK(arrived >= good);
	D_EQ(arrived, wc.wr_id);
	D_EQ(IBV_WC_WR_FLUSH_ERR, wc.status);
	for (uint32_t i = arrived + 1; i < DEPTH; i++)
		expect_completion(b->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	destroy_ends();
	close_device();
}

static void lose(void)
{
	run_alone(lose_at_packet);
}

/* Sends, and is killed at its n-th packet. */
static void killed_peer(int fd)
{
	open_device();
	exchange_addresses(fd, &quick);
	d_send(fd, "", 1);
	d_receive(fd, &(char){ 0 }, 1);
	faults("kill@%llu", 1 + current_seed % 30);
	for (uint32_t i = 0; i < DEPTH; i++) {
		D_MUST(post_send(&ends[0], i));
		expect_completion(ends[0].send_cq, i, IBV_WC_SUCCESS);
	}
	D_FAIL("it should have been killed");
}

/* The survivor: what was sent to it came in order, and what it sends finds nobody. */
static void surviving_peer(int fd)
{
	struct end *end = &ends[0];
	uint32_t arrived = 0;
	struct ibv_wc wc;
	char byte;

	open_device();
	exchange_addresses(fd, &hasty);
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_receive(end, i));
	d_send(fd, "", 1);
	D_CHECK(d_receive(fd, &byte, 1));	/* the other one is dead */
	D_EQ(IBV_QPS_RTS, d_state(end->qp));
	D_MUST(post_send(end, 0));
	D_MUST(post_send(end, 1));
	expect_completion(end->send_cq, 0, IBV_WC_RETRY_EXC_ERR);
	expect_completion(end->send_cq, 1, IBV_WC_WR_FLUSH_ERR);
	for (wc = d_wait(end->recv_cq); wc.status == IBV_WC_SUCCESS; wc = d_wait(end->recv_cq)) {
		uint8_t expected[SIZE];

		d_fill(expected, SIZE, content_of(arrived));
		D_CHECK(!memcmp(expected, end->received[arrived], SIZE));
		D_EQ(arrived++, wc.wr_id);
	}
	D_EQ(arrived, wc.wr_id);
	D_EQ(IBV_WC_WR_FLUSH_ERR, wc.status);
	for (uint32_t i = arrived + 1; i < DEPTH; i++)
		expect_completion(end->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	D_EQ(IBV_QPS_ERR, d_state(end->qp));
	destroy_end(end);
	close_device();
}

static void killed_process(void)
{
	struct d_address addresses[2];
	pid_t children[2];
	int fds[2];
	char byte;

	run_in_child(surviving_peer, &fds[0], &children[0]);
	run_in_child(killed_peer, &fds[1], &children[1]);
	for (int i = 0; i < 2; i++)
		D_CHECK(d_receive(fds[i], &addresses[i], sizeof(addresses[i])));
	for (int i = 0; i < 2; i++)
		d_send(fds[i], &addresses[!i], sizeof(addresses[!i]));
	for (int i = 0; i < 2; i++)
		D_CHECK(d_receive(fds[i], &byte, 1));
	d_send(fds[1], "", 1);
	expect_kill(children[1]);
	d_send(fds[0], "", 1);
	expect_exit(children[0]);
	close(fds[0]);
	close(fds[1]);
}

/* ---- connection management ---- */

static struct rdma_cm_id *listener;
static struct rdma_event_channel *channel;

static struct ibv_qp_init_attr connection_attributes(void)
{
	return (struct ibv_qp_init_attr){
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
}

static void connect_and_die(int fd)
{
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attr = connection_attributes();
	struct rdma_cm_id *id;
	uint16_t listening;

	D_CHECK(d_receive(fd, &listening, sizeof(listening)));
	channel = D_HAVE(rdma_create_event_channel());
	id = d_cm_resolve(channel, listening);
	D_MUST(rdma_create_qp(id, NULL, &attr));
	D_MUST(rdma_connect(id, &parameters));
	d_cm_pass(channel, RDMA_CM_EVENT_ESTABLISHED);
	d_send(fd, "", 1);
	d_receive(fd, &(char){ 0 }, 1);
	D_FAIL("it should have been killed");
}

/* Accepts; the other process is killed; DISCONNECTED, and receives are flushed. */
static void accept_and_survive(int fd)
{
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attr = connection_attributes();
	struct ibv_recv_wr wr = { .wr_id = 5 };
	struct ibv_recv_wr *bad;
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	uint16_t listening;

	channel = D_HAVE(rdma_create_event_channel());
	listener = d_cm_listen(channel, &listening);
	d_send(fd, &listening, sizeof(listening));
	event = d_cm_expect(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	id = event->id;
	D_MUST(rdma_create_qp(id, NULL, &attr));
	D_MUST(rdma_ack_cm_event(event));
	D_MUST(ibv_post_recv(id->qp, &wr, &bad));
	D_MUST(rdma_accept(id, &parameters));
	d_cm_pass(channel, RDMA_CM_EVENT_ESTABLISHED);
	d_cm_pass(channel, RDMA_CM_EVENT_DISCONNECTED);
	D_MUST(rdma_disconnect(id));
	expect_completion(id->recv_cq, 5, IBV_WC_WR_FLUSH_ERR);
	rdma_destroy_qp(id);
	D_MUST(rdma_destroy_id(id));
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(channel);
}

static void killed_connection(void)
{
	uint16_t listening;
	pid_t children[2];
	int fds[2];
	char byte;

	run_in_child(accept_and_survive, &fds[0], &children[0]);
	run_in_child(connect_and_die, &fds[1], &children[1]);
	D_CHECK(d_receive(fds[0], &listening, sizeof(listening)));
	d_send(fds[1], &listening, sizeof(listening));
	D_CHECK(d_receive(fds[1], &byte, 1));
	D_MUST(kill(children[1], SIGKILL));
	expect_kill(children[1]);
	expect_exit(children[0]);
	close(fds[0]);
	close(fds[1]);
}

/* Which one is lost differs with the seed; asking again makes up for it. */
static void lost_message(void)
{
	struct rdma_event_channel *active = D_HAVE(rdma_create_event_channel());
	struct rdma_event_channel *passive = D_HAVE(rdma_create_event_channel());
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attrs[2] = { connection_attributes(), connection_attributes() };
	struct rdma_cm_event *event;
	struct rdma_cm_id *ids[2];
	uint16_t listening;

	listener = d_cm_listen(passive, &listening);
	ids[0] = d_cm_resolve(active, listening);
	D_MUST(rdma_create_qp(ids[0], NULL, &attrs[0]));
	faults("message@%llu", 1 + current_seed % 6);
	D_MUST(rdma_connect(ids[0], &parameters));
	event = d_cm_expect(passive, RDMA_CM_EVENT_CONNECT_REQUEST);
	ids[1] = event->id;
	D_MUST(rdma_ack_cm_event(event));
	D_MUST(rdma_create_qp(ids[1], NULL, &attrs[1]));
	D_MUST(rdma_accept(ids[1], &parameters));
	d_cm_pass(active, RDMA_CM_EVENT_ESTABLISHED);
	d_cm_pass(passive, RDMA_CM_EVENT_ESTABLISHED);
	D_MUST(rdma_disconnect(ids[0]));
	d_cm_pass(passive, RDMA_CM_EVENT_DISCONNECTED);
	D_MUST(rdma_disconnect(ids[1]));
	d_cm_pass(active, RDMA_CM_EVENT_DISCONNECTED);
	faults("", 0);
	for (int i = 0; i < 2; i++) {
		rdma_destroy_qp(ids[i]);
		D_MUST(rdma_destroy_id(ids[i]));
	}
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(active);
	rdma_destroy_event_channel(passive);
}

static void lost_messages(void)
{
	struct rdma_event_channel *active = D_HAVE(rdma_create_event_channel());
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attr = connection_attributes();
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	uint16_t listening;

	listener = d_cm_listen(active, &listening);
	id = d_cm_resolve(active, listening);
	D_MUST(rdma_create_qp(id, NULL, &attr));
	faults("message=1", 0);
	D_MUST(rdma_connect(id, &parameters));
	event = d_cm_expect(active, RDMA_CM_EVENT_UNREACHABLE);
	D_CHECK(event->id == id);
	D_EQ(-ETIMEDOUT, event->status);
	D_MUST(rdma_ack_cm_event(event));
	faults("", 0);
	rdma_destroy_qp(id);
	D_MUST(rdma_destroy_id(id));
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(active);
}

/* ---- removal of the device ---- */

static void expect_removed(struct end *end, uint32_t receives)
{
	for (uint32_t i = 0; i < receives; i++)
		expect_completion(end->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	d_expect_nothing(end->recv_cq);
	D_EQ(EIO, post_receive(end, 0));
	D_EQ(EIO, post_send(end, 0));
}

/* With the n-th send that is posted the device goes; everything is flushed, and there is nothing but to close. */
static void remove_at_post(int fd)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t last = (uint32_t)current_seed % 20;

	(void)fd;
	open_device();
	make_ends(&quick);
	for (uint32_t i = 0; i < 3; i++)
		D_MUST(post_receive(a, i));
	faults("remove@%llu", last + 1);
	for (uint32_t i = 0; i < last; i++) {
		D_MUST(post_receive(b, i));
		D_MUST(post_send(a, i));
		expect_message(b, i);
		expect_completion(a->send_cq, i, IBV_WC_SUCCESS);
	}
	D_MUST(post_receive(b, last));
	D_MUST(post_send(a, last));
	expect_completion(a->send_cq, last, IBV_WC_WR_FLUSH_ERR);
	expect_completion(b->recv_cq, last, IBV_WC_WR_FLUSH_ERR);
	expect_async(IBV_EVENT_DEVICE_FATAL);
	expect_removed(a, 3);
	expect_removed(b, 0);
	D_CHECK(!ibv_alloc_pd(context));
	D_EQ(EIO, errno);
	D_EQ(-1, d_async_event(context, NULL));
	destroy_end(a);
	destroy_end(b);
	close_device();
}

static void removal(void)
{
	run_alone(remove_at_post);
}

static void remove_under_ids(int fd)
{
	uint16_t listening;
	struct rdma_cm_id *bound;
	struct sockaddr_in address = { .sin_family = AF_INET };
	bool seen[2] = { false, false };

	(void)fd;
	channel = D_HAVE(rdma_create_event_channel());
	listener = d_cm_listen(channel, &listening);
	address.sin_addr.s_addr = htobe32(INADDR_LOOPBACK);
	D_MUST(rdma_create_id(channel, &bound, &bound, RDMA_PS_TCP));
	D_MUST(rdma_bind_addr(bound, (struct sockaddr *)&address));
	D_CHECK(bound->verbs);
	d_control(0, "remove-device");
	for (int i = 0; i < 2; i++) {
		struct rdma_cm_event *event = d_cm_expect(channel, RDMA_CM_EVENT_DEVICE_REMOVAL);

		D_CHECK(event->id == bound || event->id == listener);
		D_CHECK(!seen[event->id == bound]);
		seen[event->id == bound] = true;
		D_MUST(rdma_ack_cm_event(event));
	}
	D_MUST(rdma_destroy_id(bound));
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(channel);
}

static void removal_of_ids(void)
{
	run_alone(remove_under_ids);
}

/* ---- the whole ---- */

static const struct {
	const char *name;
	void (*run)(void);
	bool forks;	/* must run before this process opens the device */
} cases[] = {
	{ "killed process: RETRY_EXC_ERR, flush", killed_process, true },
	{ "killed process: DISCONNECTED", killed_connection, true },
	{ "lost peer: RETRY_EXC_ERR, flush", lose, true },
	{ "removed device: DEVICE_FATAL, flush, EIO", removal, true },
	{ "removed device: DEVICE_REMOVAL", removal_of_ids, true },
	{ "drop: all arrives", drop, false },
	{ "drop one: all arrives", drop_one, false },
	{ "delay: order is kept", delay, false },
	{ "receiver not ready: all arrives", receiver_not_ready, false },
	{ "drop, delay, not ready: all arrives", drop_and_delay_and_not_ready, false },
	{ "drop all: RETRY_EXC_ERR", drop_all, false },
	{ "never ready: RNR_RETRY_EXC_ERR", never_ready, false },
	{ "no receive: RNR_RETRY_EXC_ERR", no_receive, false },
	{ "retries are counted", retries_are_counted, false },
	{ "overrun: CQ_ERR, QP_FATAL", overrun, false },
	{ "overrun without a fault", real_overrun, false },
	{ "registration: ENOMEM", registration, false },
	{ "port: PORT_ERR, PORT_ACTIVE", port, false },
	{ "one message of rdma_cm lost: connects and disconnects", lost_message, false },
	{ "all messages of rdma_cm lost: UNREACHABLE", lost_messages, false },
};

int main(int argc, char **argv)
{
	uint64_t seeds = d_option(argc, argv, "--seeds", 100);
	uint64_t first = d_option(argc, argv, "--first", 1);
	uint64_t only = d_option(argc, argv, "--case", D_COUNT(cases));
	bool is_open = false;

	if (!d_has_control())
		D_FAIL("faults need the software device: run it with bin/softhca");
	setenv("SOFTHCA_QUIET", "1", 0);
	/* What is lost is asked for again soon. */
	setenv("SOFTHCA_CM_TIMEOUT_MS", "160", 0);
	d_watchdog(120);
	for (uint64_t i = 0; i < D_COUNT(cases); i++) {
		if (only < D_COUNT(cases) && only != i)
			continue;
		if (!cases[i].forks && !is_open) {
			open_device();
			is_open = true;
		}
		for (current_seed = first; current_seed < first + seeds; current_seed++) {
			d_context("--case %llu --first %llu: %s", (unsigned long long)i,
				  (unsigned long long)current_seed, cases[i].name);
			d_alive();
			cases[i].run();
		}
		printf("fault matrix: %llu seeds: %s\n", (unsigned long long)seeds, cases[i].name);
		fflush(stdout);
	}
	if (is_open)
		close_device();
	return 0;
}
