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
 * Two processes whose threads have a context each, and all talk to all: each pair of contexts has a link. A thread
 * opens a context, connects to every thread of the other process, exchanges messages, closes everything and begins
 * again, while the others are at another point of the same. It polls, or sleeps on its completion channel, by chance.
 * Each message must arrive exactly once, in order and whole. --threads N (4, of each process), --rounds N (5),
 * --messages N (200, of each connection and direction), --seed N.
 *
 *    process 0, thread i                                     process 1, thread j
 *    ends[0][i][j] {address, round} ---- shared memory ---> waits for the round, connects
 *    waits for ends[1][j][i] <------------------------------ the same
 *    waits until j is ready to receive                       the same
 *    queue pair j   <---------- messages, both ways -------->   queue pair i
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "support.h"

#define MAX_THREADS	8
#define WINDOW		8u
#define LONGEST		40000u
#define EMPTY_POLLS	200
#define NAP_MS		20

struct end {
	struct d_address address;
	_Atomic uint64_t round;		/* of the address */
	_Atomic uint64_t ready;		/* the round in which it may be sent to: what comes before is lost */
};

/* Written by the one process, read by the other. */
static struct end (*ends)[MAX_THREADS][MAX_THREADS];

struct header {
	uint64_t round;
	uint32_t process;
	uint32_t from;
	uint32_t to;
	uint32_t number;
};

struct connection {
	struct ibv_qp *qp;
	uint8_t *sent_from;		/* WINDOW messages of LONGEST */
	uint8_t *received_into;
	uint64_t sends;
	uint64_t completed;
	uint64_t received;
};

struct worker {
	uint32_t process;
	uint32_t index;
	uint64_t round;
	struct d_random random;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *memory;
	uint64_t naps;
	struct connection connections[MAX_THREADS];
};

static uint64_t threads;
static uint64_t rounds;
static uint64_t messages;
static uint64_t seed;

/* ---- opening and closing ---- */

static void open_connection(struct worker *worker, uint32_t peer)
{
	struct ibv_qp_init_attr attr = d_rc_attributes(WINDOW, WINDOW);
	struct connection *connection = &worker->connections[peer];
	struct end *end = &ends[worker->process][worker->index][peer];

	attr.send_cq = worker->cq;
	attr.recv_cq = worker->cq;
	*connection = (struct connection){
		.qp = D_HAVE(ibv_create_qp(worker->pd, &attr)),
		.sent_from = worker->memory + 2 * peer * WINDOW * LONGEST,
		.received_into = worker->memory + (2 * peer + 1) * WINDOW * LONGEST,
	};
	d_to_init(connection->qp, 0);
	end->address = d_address_of(connection->qp, d_below(&worker->random, 1 << 24));
	atomic_store(&end->round, worker->round);
}

static void connect_to(struct worker *worker, uint32_t peer)
{
	struct end *theirs = &ends[!worker->process][peer][worker->index];

	while (atomic_load(&theirs->round) != worker->round)
		sched_yield();
	d_connect(worker->connections[peer].qp, &ends[worker->process][worker->index][peer].address, &theirs->address,
		  &d_calm);
	atomic_store(&ends[worker->process][worker->index][peer].ready, worker->round);
}

static void wait_for(struct worker *worker, uint32_t peer)
{
	while (atomic_load(&ends[!worker->process][peer][worker->index].ready) != worker->round)
		sched_yield();
}

static void open_all(struct worker *worker)
{
	size_t size = threads * 2 * WINDOW * LONGEST;

	worker->context = d_open();
	worker->pd = D_HAVE(ibv_alloc_pd(worker->context));
	worker->channel = D_HAVE(ibv_create_comp_channel(worker->context));
	d_non_blocking(worker->channel->fd);
	worker->cq = D_HAVE(ibv_create_cq(worker->context, MAX_THREADS * 2 * WINDOW, NULL, worker->channel, 0));
	worker->memory = D_HAVE((uint8_t *)malloc(size));
	worker->mr = D_HAVE(ibv_reg_mr(worker->pd, worker->memory, size, IBV_ACCESS_LOCAL_WRITE));
	for (uint32_t peer = 0; peer < threads; peer++)
		open_connection(worker, peer);
}

static void close_all(struct worker *worker)
{
	for (uint32_t peer = 0; peer < threads; peer++)
		D_MUST(ibv_destroy_qp(worker->connections[peer].qp));
	D_MUST(ibv_dereg_mr(worker->mr));
	free(worker->memory);
	D_MUST(ibv_destroy_cq(worker->cq));
	D_MUST(ibv_destroy_comp_channel(worker->channel));
	D_MUST(ibv_dealloc_pd(worker->pd));
	D_MUST(ibv_close_device(worker->context));
}

/* ---- messages; a wr_id has the peer, the direction and the slot ---- */

#define IS_RECEIVE	0x100u

static void post_receive(struct worker *worker, uint32_t peer, uint32_t slot)
{
	struct connection *connection = &worker->connections[peer];
	struct ibv_sge sge = { (uintptr_t)connection->received_into + slot * LONGEST, LONGEST, worker->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = peer << 16 | IS_RECEIVE | slot, .sg_list = &sge, .num_sge = 1 }, *bad;

	D_MUST(ibv_post_recv(connection->qp, &wr, &bad));
}

static void post_send(struct worker *worker, uint32_t peer)
{
	struct connection *connection = &worker->connections[peer];
	uint32_t number = (uint32_t)connection->sends++;
	uint8_t *message = connection->sent_from + number % WINDOW * LONGEST;
	uint32_t longest = d_once_in(&worker->random, 8) ? LONGEST : 300;
	uint32_t length = (uint32_t)sizeof(struct header) + d_below(&worker->random,
								     longest - (uint32_t)sizeof(struct header));
	struct ibv_sge sge = { (uintptr_t)message, length, worker->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = peer << 16 | number % WINDOW, .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_SEND }, *bad;
	struct header header = { worker->round, worker->process, worker->index, peer, number };

	memset(message, (int)(number + peer), length);
	memcpy(message, &header, sizeof(header));
	D_MUST(ibv_post_send(connection->qp, &wr, &bad));
}

static void check_message(struct worker *worker, uint32_t peer, uint32_t slot, uint32_t length)
{
	struct connection *connection = &worker->connections[peer];
	const uint8_t *message = connection->received_into + slot * LONGEST;
	struct header header;
	uint8_t filled;

	memcpy(&header, message, sizeof(header));
	D_CHECK(length >= sizeof(header));
	D_EQ(worker->round, header.round);
	D_EQ(!worker->process, header.process);
	D_EQ(peer, header.from);
	D_EQ(worker->index, header.to);
	D_EQ(connection->received, header.number);
	filled = (uint8_t)(header.number + worker->index);
	for (uint32_t i = sizeof(header); i < length; i++)
		if (message[i] != filled)
			D_FAIL("byte %u of %u is %u, not %u", i, length, message[i], filled);
	connection->received++;
}

static void take(struct worker *worker, const struct ibv_wc *wc)
{
	uint32_t peer = (uint32_t)(wc->wr_id >> 16);
	uint32_t slot = (uint32_t)wc->wr_id & 0xff;

	if (wc->status != IBV_WC_SUCCESS)
		D_FAIL("%s: %s", wc->wr_id & IS_RECEIVE ? "receive" : "send", ibv_wc_status_str(wc->status));
	if (wc->wr_id & IS_RECEIVE) {
		check_message(worker, peer, slot, wc->byte_len);
		if (worker->connections[peer].received + WINDOW <= messages)
			post_receive(worker, peer, slot);
	} else {
		worker->connections[peer].completed++;
	}
}

/* Posts as many as the peer has receives for. Returns whether everything is done. */
static bool go_on(struct worker *worker)
{
	bool done = true;

	for (uint32_t peer = 0; peer < threads; peer++) {
		struct connection *connection = &worker->connections[peer];

		while (connection->sends < messages && connection->sends < connection->completed + WINDOW)
			post_send(worker, peer);
		done = done && connection->completed == messages && connection->received == messages;
	}
	return done;
}

/* As an event loop sleeps: what came before the queue was armed is polled after it. */
static void nap(struct worker *worker)
{
	struct pollfd set = { .fd = worker->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *unused;

	D_MUST(ibv_req_notify_cq(worker->cq, 0));
	while (ibv_poll_cq(worker->cq, 1, &wc)) {
		take(worker, &wc);
		go_on(worker);
	}
	worker->naps++;
	while (ibv_get_cq_event(worker->channel, &cq, &unused))
		if (poll(&set, 1, NAP_MS) == 0)
			return;
	ibv_ack_cq_events(cq, 1);
}

static void exchange(struct worker *worker)
{
	int empty = 0;

	while (!go_on(worker)) {
		struct ibv_wc wc;

		if (ibv_poll_cq(worker->cq, 1, &wc)) {
			take(worker, &wc);
			empty = 0;
		} else if (++empty == EMPTY_POLLS) {
			empty = 0;
			if (d_once_in(&worker->random, 2))
				nap(worker);
			else
				sched_yield();
		}
	}
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	for (worker->round = 1; worker->round <= rounds; worker->round++) {
		open_all(worker);
		for (uint32_t peer = 0; peer < threads; peer++) {
			for (uint32_t slot = 0; slot < WINDOW && slot < messages; slot++)
				post_receive(worker, peer, slot);
			connect_to(worker, peer);
		}
		for (uint32_t peer = 0; peer < threads; peer++)
			wait_for(worker, peer);
		exchange(worker);
		close_all(worker);
		d_alive();
		if (d_once_in(&worker->random, 3))
			usleep(d_below(&worker->random, 5000));
	}
	return NULL;
}

static uint64_t run(uint32_t process)
{
	static struct worker workers[MAX_THREADS];
	pthread_t running[MAX_THREADS];
	uint64_t naps = 0;

	d_watchdog(120);
	for (uint32_t i = 0; i < threads; i++) {
		workers[i] = (struct worker){ .process = process, .index = i, .random = { seed + 100 * process + i } };
		D_MUST(pthread_create(&running[i], NULL, work, &workers[i]));
	}
	for (uint32_t i = 0; i < threads; i++) {
		D_MUST(pthread_join(running[i], NULL));
		naps += workers[i].naps;
	}
	return naps;
}

int main(int argc, char **argv)
{
	uint64_t naps;
	pid_t child;

	threads = d_option(argc, argv, "--threads", 4);
	rounds = d_option(argc, argv, "--rounds", 5);
	messages = d_option(argc, argv, "--messages", 200);
	seed = d_option(argc, argv, "--seed", (uint64_t)time(NULL));
	D_CHECK(threads > 0 && threads <= MAX_THREADS && messages >= WINDOW && messages <= UINT32_MAX);
	d_context("contexts --threads %llu --rounds %llu --messages %llu --seed %llu", (unsigned long long)threads,
		  (unsigned long long)rounds, (unsigned long long)messages, (unsigned long long)seed);
	ends = d_map(2 * sizeof(*ends), MAP_SHARED);
	child = d_fork();
	if (!child) {
		run(1);
		_exit(0);
	}
	naps = run(0);
	d_expect_exit(child, "the other process");
	printf("contexts: %llu rounds of %llu messages both ways on each of %llu links, %llu sleeps of one process\n",
	       (unsigned long long)rounds, (unsigned long long)messages, (unsigned long long)(threads * threads),
	       (unsigned long long)naps);
	return 0;
}
