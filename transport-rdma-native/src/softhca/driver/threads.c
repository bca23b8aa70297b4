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
 * Many threads at once: they post to the same queue pairs, poll the same completion queues and post to the same
 * shared receive queue, while another thread creates queue pairs and regions and destroys them with work in flight.
 * Each message must arrive exactly once. --threads N (4), --messages N (20000, of each pair), --seed N.
 * Meant for ThreadSanitizer.
 *
 *    thread i posts on pairs i and i + 1; each thread polls completions of all pairs
 *
 *    pair i:  left ---- inline SEND {pair, number} ----> right, into the shared receive queue
 *             left ---- FETCH_ADD 1 -------------------> one word for all
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "support.h"

#define MAX_THREADS	16
#define DEPTH		32
#define RECEIVES	256
#define COMPLETIONS	4096
#define ADD_EVERY	8		/* sends */
#define ADD		UINT64_MAX	/* wr_id */

struct message {
	uint32_t pair;
	uint32_t number;
};

struct pair {
	struct ibv_qp *left;
	struct ibv_qp *right;
	_Atomic uint64_t posted;
	_Atomic uint64_t sent;		/* completed */
	_Atomic uint64_t received;
	_Atomic uint8_t *seen;		/* per message */
};

static uint64_t threads;
static uint64_t messages;
static uint64_t seed;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *send_cq;
static struct ibv_cq *recv_cq;
static struct ibv_srq *srq;
static struct ibv_mr *mr;
static struct pair pairs[MAX_THREADS];
static _Atomic uint64_t adds_posted;
static _Atomic uint64_t adds_completed;
static atomic_bool finished;

/* The registered memory. */
static struct {
	uint64_t word;
	uint64_t olds[MAX_THREADS];		/* one per pair, whose adds follow each other */
	struct message received[RECEIVES];
} memory;

/* ---- queue pairs ---- */

static struct ibv_qp *make_qp(struct ibv_cq *sends, struct ibv_cq *receives, struct ibv_srq *shared)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = sends,
		.recv_cq = receives,
		.srq = shared,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = shared ? 0 : DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = shared ? 0 : 1,
			.max_inline_data = sizeof(struct message),
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct ibv_qp *qp = D_HAVE(ibv_create_qp(pd, &attr));

	d_to_init(qp, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	return qp;
}

static void connect_both(struct ibv_qp *left, struct ibv_qp *right)
{
	struct d_address a = d_address_of(left, 1);
	struct d_address b = d_address_of(right, 0xfffffe);

	d_connect(left, &a, &b, &d_patient);
	d_connect(right, &b, &a, &d_patient);
}

static void post_receive(uint64_t slot)
{
	struct ibv_sge sge = { (uintptr_t)&memory.received[slot], sizeof(struct message), mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	D_MUST(ibv_post_srq_recv(srq, &wr, &bad));
}

/* ---- workers ---- */

static void take_send(const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS)
		D_FAIL("send: %s", ibv_wc_status_str(wc->status));
	atomic_fetch_add(wc->wr_id == ADD ? &adds_completed : &pairs[wc->wr_id].sent, 1);
}

static void take_receive(const struct ibv_wc *wc)
{
	struct message message;

	if (wc->status != IBV_WC_SUCCESS)
		D_FAIL("receive: %s", ibv_wc_status_str(wc->status));
	D_EQ(sizeof(message), wc->byte_len);
	message = memory.received[wc->wr_id];
	D_CHECK(message.pair < threads && message.number < messages);
	D_EQ(pairs[message.pair].right->qp_num, wc->qp_num);
	if (atomic_exchange(&pairs[message.pair].seen[message.number], 1))
		D_FAIL("message %u of pair %u has come twice", message.number, message.pair);
	post_receive(wc->wr_id);
	atomic_fetch_add(&pairs[message.pair].received, 1);
}

static void poll_both(void)
{
	struct ibv_wc wcs[8];
	int count = ibv_poll_cq(send_cq, 8, wcs);

	D_CHECK(count >= 0);
	for (int i = 0; i < count; i++)
		take_send(&wcs[i]);
	count = ibv_poll_cq(recv_cq, 8, wcs);
	D_CHECK(count >= 0);
	for (int i = 0; i < count; i++)
		take_receive(&wcs[i]);
}

/* Polls until there is room: completions make it. */
static void post(uint32_t pair, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int ret;

	while ((ret = abs(ibv_post_send(pairs[pair].left, wr, &bad))) == ENOMEM)
		poll_both();
	D_EQ(0, ret);
}

static void post_add(uint32_t pair)
{
	struct ibv_sge sge = { (uintptr_t)&memory.olds[pair], sizeof(uint64_t), mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = ADD,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { .remote_addr = (uintptr_t)&memory.word, .compare_add = 1, .rkey = mr->rkey },
	};

	atomic_fetch_add(&adds_posted, 1);
	post(pair, &wr);
}

/* Returns false when all messages of the pair have been posted. */
static bool post_message(uint32_t pair)
{
	struct message message = { .pair = pair };
	struct ibv_sge sge = { .addr = (uintptr_t)&message, .length = sizeof(message) };
	struct ibv_send_wr wr = {
		.wr_id = pair,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
	};
	uint64_t number = atomic_fetch_add(&pairs[pair].posted, 1);

	if (number >= messages)
		return false;
	message.number = (uint32_t)number;
	post(pair, &wr);
	return true;
}

static bool is_all_done(void)
{
	for (uint64_t i = 0; i < threads; i++)
		if (atomic_load(&pairs[i].received) < messages || atomic_load(&pairs[i].sent) < messages)
			return false;
	return atomic_load(&adds_completed) == atomic_load(&adds_posted);
}

static void *work(void *argument)
{
	uint32_t thread = (uint32_t)(uintptr_t)argument;
	uint32_t mine[2] = { thread, (thread + 1) % (uint32_t)threads };
	bool more = true;

	for (uint64_t i = 0; more; i++) {
		more = false;
		for (int j = 0; j < 2; j++)
			more |= post_message(mine[j]);
		if (i % ADD_EVERY == 0)
			post_add(mine[i / ADD_EVERY % 2]);
		poll_both();
		d_alive();
	}
	while (!is_all_done())
		poll_both();
	return NULL;
}

/* ---- churn: objects are created, used and destroyed with work in flight, which may succeed or fail ---- */

static void post_writes(struct ibv_qp *qp, const struct ibv_mr *source, const struct ibv_mr *target, uint32_t count)
{
	struct ibv_sge sge = { (uintptr_t)source->addr, (uint32_t)source->length, source->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = (uintptr_t)target->addr, .rkey = target->rkey },
	};
	struct ibv_send_wr *bad;

	for (uint32_t i = 0; i < count; i++)
		D_MUST(ibv_post_send(qp, &wr, &bad));
}

static void churn_once(struct d_random *random)
{
	static uint8_t bytes[2][4096];
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_cq *cq = D_HAVE(ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0));
	struct ibv_mr *source = D_HAVE(ibv_reg_mr(pd, bytes[0], sizeof(bytes[0]), access));
	struct ibv_mr *target = D_HAVE(ibv_reg_mr(pd, bytes[1], sizeof(bytes[1]), access));
	struct ibv_qp *qps[2] = { make_qp(cq, cq, NULL), make_qp(cq, cq, NULL) };
	int first = (int)d_below(random, 2);
	struct ibv_wc wc;

	connect_both(qps[0], qps[1]);
	post_writes(qps[0], source, target, 1 + d_below(random, DEPTH));
	if (d_once_in(random, 2))
		D_CHECK(ibv_poll_cq(cq, 1, &wc) >= 0);
	if (d_once_in(random, 2))
		d_to_state(qps[d_below(random, 2)], IBV_QPS_ERR);
	/* Sometimes while the writes still use it. */
	if (d_once_in(random, 2)) {
		D_MUST(ibv_dereg_mr(target));
		target = NULL;
	}
	D_MUST(ibv_destroy_qp(qps[first]));
	D_CHECK(ibv_poll_cq(cq, 1, &wc) >= 0);
	D_MUST(ibv_destroy_qp(qps[!first]));
	if (target)
		D_MUST(ibv_dereg_mr(target));
	D_MUST(ibv_dereg_mr(source));
	D_MUST(ibv_destroy_cq(cq));
	/* Access errors raise events, which do not matter here. */
	while (d_async_event(context, NULL) >= 0)
		;
}

static void *churn(void *argument)
{
	struct d_random random = { .state = seed };
	uint64_t *rounds = argument;

	while (!atomic_load(&finished)) {
		churn_once(&random);
		++*rounds;
	}
	return NULL;
}

/* ---- start and end ---- */

static void start(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = RECEIVES, .max_sge = 1 } };
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	context = d_open();
	pd = D_HAVE(ibv_alloc_pd(context));
	mr = D_HAVE(ibv_reg_mr(pd, &memory, sizeof(memory), access));
	send_cq = D_HAVE(ibv_create_cq(context, COMPLETIONS, NULL, NULL, 0));
	recv_cq = D_HAVE(ibv_create_cq(context, COMPLETIONS, NULL, NULL, 0));
	srq = D_HAVE(ibv_create_srq(pd, &attr));
	for (uint64_t slot = 0; slot < RECEIVES; slot++)
		post_receive(slot);
	for (uint64_t i = 0; i < threads; i++) {
		pairs[i].left = make_qp(send_cq, recv_cq, NULL);
		pairs[i].right = make_qp(send_cq, recv_cq, srq);
		pairs[i].seen = D_HAVE((_Atomic uint8_t *)calloc(messages, 1));
		connect_both(pairs[i].left, pairs[i].right);
	}
}

static void stop(void)
{
	for (uint64_t i = 0; i < threads; i++) {
		D_EQ(messages, pairs[i].received);
		D_EQ(messages, pairs[i].sent);
		D_MUST(ibv_destroy_qp(pairs[i].left));
		D_MUST(ibv_destroy_qp(pairs[i].right));
		free((void *)pairs[i].seen);
	}
	D_EQ(adds_posted, memory.word);
	d_expect_nothing(send_cq);
	d_expect_nothing(recv_cq);
	D_MUST(ibv_destroy_srq(srq));
	D_MUST(ibv_destroy_cq(send_cq));
	D_MUST(ibv_destroy_cq(recv_cq));
	D_MUST(ibv_dereg_mr(mr));
	D_MUST(ibv_dealloc_pd(pd));
	D_MUST(ibv_close_device(context));
}

int main(int argc, char **argv)
{
	pthread_t workers[MAX_THREADS];
	pthread_t churner;
	uint64_t rounds = 0;

	threads = d_option(argc, argv, "--threads", 4);
	messages = d_option(argc, argv, "--messages", 20000);
	seed = d_option(argc, argv, "--seed", (uint64_t)time(NULL));
	D_CHECK(threads > 0 && threads <= MAX_THREADS && messages > 0 && messages <= UINT32_MAX);
	d_context("threads --threads %llu --messages %llu --seed %llu", (unsigned long long)threads,
		  (unsigned long long)messages, (unsigned long long)seed);
	d_watchdog(120);
	start();
	D_MUST(pthread_create(&churner, NULL, churn, &rounds));
	for (uint64_t i = 0; i < threads; i++)
		D_MUST(pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)i));
	for (uint64_t i = 0; i < threads; i++)
		D_MUST(pthread_join(workers[i], NULL));
	atomic_store(&finished, true);
	D_MUST(pthread_join(churner, NULL));
	stop();
	printf("threads: %llu messages of each of %llu pairs, %llu adds, %llu queue pairs came and went\n",
	       (unsigned long long)messages, (unsigned long long)threads, (unsigned long long)adds_posted,
	       (unsigned long long)(2 * rounds));
	return 0;
}
