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

/* Several contexts of one process: each has links of its own, and two pairs of contexts share nothing of them. */
#include <sys/resource.h>

#include "abi/softhca.h"
#include "device/shca_context.h"
#include "registry/shca_fabric.h"
#include "wire/shca_link.h"
#include "t_child.h"
#include "t_context.h"
#include "t_fabric.h"

#define MESSAGES	200u
#define LENGTH		40000u	/* three packets */

static const struct t_settings small = {
	.psn_left = 1, .psn_right = 2, .psn_expected_by_right = 1,
	.timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .rnr_timer = 1, .reads = 4, .size = 1 << 17,
};

static sem_t drain_begun;
static _Atomic bool number_wanted;
static _Atomic bool drain_ended;

static struct shca_link_set *set_of(const struct t_pair *end)
{
	return to_shca_context(end->context)->links;
}

static void open_context(struct t_pair *end)
{
	end->context = t_context_open();
	T_MUST(!ibv_query_gid(end->context, 1, 0, &end->gid));
	end->pd = ibv_alloc_pd(end->context);
	T_MUST(end->pd);
}

/* One end: a context with one queue pair. */
static void open_end(struct t_pair *end)
{
	open_context(end);
	t_side_open(end, &end->left, small.size);
}

static void close_end(struct t_pair *end)
{
	t_side_close(&end->left);
	T_MUST(!ibv_dealloc_pd(end->pd));
	T_MUST(!ibv_close_device(end->context));
}

static void connect_ends(struct t_pair *from, struct t_pair *to)
{
	t_side_connect(from, &from->left, &to->left, &small, 1, 2);
	t_side_connect(to, &to->left, &from->left, &small, 2, 1);
}

static void open_two(struct t_pair *from, struct t_pair *to)
{
	open_end(from);
	open_end(to);
	connect_ends(from, to);
}

static void close_two(struct t_pair *from, struct t_pair *to)
{
	close_end(from);
	close_end(to);
}

static void exchange(struct t_pair *from, struct t_pair *to, uint32_t messages)
{
	for (uint32_t i = 0; i < messages && !t_failures; i++) {
		memset(from->left.memory, (int)i, LENGTH);
		t_receive(&to->left, i, 0, LENGTH);
		CHECK_EQ(0, t_post(&from->left, i, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, LENGTH, NULL, 0));
		t_expect(to->left.recv_cq, i, IBV_WC_SUCCESS);
		t_expect(from->left.send_cq, i, IBV_WC_SUCCESS);
		CHECK(!memcmp(from->left.memory, to->left.memory, LENGTH));
	}
}

/* ---- sets and numbers ---- */

static void contexts_have_a_set_each_until_all_are_used(void)
{
	struct ibv_context *contexts[SHCA_LINK_SETS + 1];
	uint32_t users[SHCA_LINK_SETS] = { 0 };

	for (uint32_t i = 0; i <= SHCA_LINK_SETS; i++) {
		contexts[i] = t_context_open();
		users[shca_link_set_number(to_shca_context(contexts[i])->links)]++;
		if (i == SHCA_LINK_SETS - 1)
			for (uint32_t set = 0; set < SHCA_LINK_SETS; set++)
				CHECK_EQ(1, users[set]);
	}
	/* A context that is closed leaves its set to the next one. */
	for (uint32_t i = 0; i < 2; i++)
		CHECK_EQ(0, ibv_close_device(contexts[i]));
	contexts[0] = t_context_open();
	CHECK_EQ(1, to_shca_context(contexts[0])->links->users);
	CHECK_EQ(0, ibv_close_device(contexts[0]));
	for (uint32_t i = 2; i <= SHCA_LINK_SETS; i++)
		CHECK_EQ(0, ibv_close_device(contexts[i]));
}

static void check_number(const struct t_pair *end)
{
	CHECK_EQ(shca_link_set_number(set_of(end)), shca_set_of_qpn(end->left.qp->qp_num));
}

/* More queue pairs than a block has numbers, of two contexts in turn: each number leads to its own context. */
static void number_of_a_queue_pair_names_its_set(void)
{
	struct t_pair ends[2];
	uint32_t before[2];

	open_end(&ends[0]);
	open_end(&ends[1]);
	CHECK(set_of(&ends[0]) != set_of(&ends[1]));
	for (uint32_t i = 0; i < 3000 && !t_failures; i++) {
		struct t_pair *end = &ends[i % 2];

		check_number(end);
		before[i % 2] = end->left.qp->qp_num;
		t_side_close(&end->left);
		t_side_open(end, &end->left, 4096);
		check_number(end);
		/* It recurs late. */
		CHECK(end->left.qp->qp_num != before[i % 2]);
		CHECK(ends[0].left.qp->qp_num != ends[1].left.qp->qp_num);
	}
	close_two(&ends[0], &ends[1]);
}

/* Stands for a drain of set 0, and ends when the main thread waits. */
static void *drain_until_it_is_waited_for(void *lock)
{
	pthread_mutex_lock(lock);
	sem_post(&drain_begun);
	while (!atomic_load(&number_wanted))
		sched_yield();
	t_wait_for_state(getpid(), 'S');
	atomic_store(&drain_ended, true);
	pthread_mutex_unlock(lock);
	return NULL;
}

/* Every block is set 0's at first, and a drain of that set may be looking up a number of any of them. */
static void a_block_goes_to_another_set_when_drains_have_ended(void)
{
	struct t_pair first, second;
	pthread_t drain;

	T_MUST(!sem_init(&drain_begun, 0, 0));
	t_pair_open(&first, &small);
	CHECK_EQ(0, shca_link_set_number(set_of(&first)));
	open_context(&second);
	atomic_store(&number_wanted, false);
	atomic_store(&drain_ended, false);
	drain = t_start(drain_until_it_is_waited_for, &set_of(&first)->links[0].rx_lock);
	T_MUST(t_wait_posted(&drain_begun));
	atomic_store(&number_wanted, true);
	t_side_open(&second, &second.left, small.size);
	CHECK(atomic_load(&drain_ended));
	pthread_join(drain, NULL);
	check_number(&second);
	close_end(&second);
	t_pair_close(&first);
	sem_destroy(&drain_begun);
}

/* ---- links ---- */

static struct shca_link *only_link(const struct t_pair *end)
{
	struct shca_link_set *set = set_of(end);
	struct shca_link *up = NULL;

	for (uint32_t i = 0; i < shca_links_used(set); i++) {
		if (!shca_link_is_up(&set->links[i]))
			continue;
		CHECK(!up);
		up = &set->links[i];
	}
	T_MUST(up);
	return up;
}

static bool is_apart(const void *one, const void *other)
{
	ptrdiff_t distance = (const uint8_t *)one - (const uint8_t *)other;

	return distance >= 64 || distance <= -64;
}

static void lock_all(struct shca_link *const *links)
{
	pthread_mutex_lock(&links[0]->set->unblock_lock);
	pthread_mutex_lock(&links[1]->set->unblock_lock);
	pthread_mutex_lock(&links[0]->rx_lock);
	pthread_mutex_lock(&links[1]->rx_lock);
	pthread_mutex_lock(&links[0]->tx_lock);
	pthread_mutex_lock(&links[1]->tx_lock);
}

static void unlock_all(struct shca_link *const *links)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_unlock(&links[i]->tx_lock);
		pthread_mutex_unlock(&links[i]->rx_lock);
		pthread_mutex_unlock(&links[i]->set->unblock_lock);
	}
}

/* Between two ends that follow each other. */
static void *exchange_both_ways(void *ends)
{
	struct t_pair *end = ends;

	exchange(&end[0], &end[1], MESSAGES);
	exchange(&end[1], &end[0], MESSAGES);
	return NULL;
}

/*
 * Each of four contexts has one link, to its partner. While all locks of one pair are held, the other one goes on, and
 * the rings of the first stay as they are.
 */
static void two_pairs_of_contexts_share_no_ring_no_lock_and_no_doorbell(void)
{
	struct t_pair ends[4];
	struct shca_link *links[4];
	uint32_t taken[2];

	open_two(&ends[0], &ends[1]);
	open_two(&ends[2], &ends[3]);
	exchange(&ends[0], &ends[1], 3);
	exchange(&ends[2], &ends[3], 3);
	for (int i = 0; i < 4; i++)
		links[i] = only_link(&ends[i]);
	for (int i = 0; i < 4; i++) {
		CHECK_EQ(shca_link_set_number(set_of(&ends[i ^ 1])), links[i]->their_set);
		for (int j = 0; j < i; j++) {
			CHECK(links[i]->rx.control != links[j]->rx.control);
			CHECK(links[i]->tx.control != links[j]->tx.control);
			CHECK(is_apart(shca_fabric_doorbell(shca_fabric_slot(), shca_link_set_number(set_of(&ends[i]))),
				       shca_fabric_doorbell(shca_fabric_slot(),
							    shca_link_set_number(set_of(&ends[j])))));
		}
	}
	lock_all(links);
	for (int i = 0; i < 2; i++)
		taken[i] = atomic_load(&links[i]->rx.taken);
	pthread_join(t_start(exchange_both_ways, &ends[2]), NULL);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(taken[i], atomic_load(&links[i]->rx.taken));
	unlock_all(links);
	exchange(&ends[0], &ends[1], 3);
	close_two(&ends[2], &ends[3]);
	close_two(&ends[0], &ends[1]);
}

/* Every kind of request between two contexts of one process, of which none is a loop. */
static void contexts_of_one_process_reach_each_other(void)
{
	struct ibv_send_wr add = { .wr_id = 3, .num_sge = 1, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
				   .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct t_pair from, to;
	struct ibv_sge old;
	uint64_t value = 41;

	open_two(&from, &to);
	old = t_sge(&from.left, 0, sizeof(value));
	add.sg_list = &old;
	add.wr.atomic.remote_addr = (uintptr_t)to.left.memory;
	add.wr.atomic.rkey = to.left.mr->rkey;
	add.wr.atomic.compare_add = 1;
	exchange(&from, &to, 10);
	exchange(&to, &from, 10);
	CHECK(!only_link(&from)->is_loop && !only_link(&to)->is_loop);
	memset(from.left.memory, 7, LENGTH);
	CHECK_EQ(0, t_post(&from.left, 1, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, 0, LENGTH, &to.left, LENGTH));
	t_expect(from.left.send_cq, 1, IBV_WC_SUCCESS);
	CHECK(!memcmp(from.left.memory, to.left.memory + LENGTH, LENGTH));
	memset(from.left.memory, 0, LENGTH);
	CHECK_EQ(0, t_post(&from.left, 2, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, 0, LENGTH, &to.left, LENGTH));
	t_expect(from.left.send_cq, 2, IBV_WC_SUCCESS);
	CHECK(!memcmp(from.left.memory, to.left.memory + LENGTH, LENGTH));
	memcpy(to.left.memory, &value, sizeof(value));
	CHECK_EQ(0, ibv_post_send(from.left.qp, &add, &bad));
	t_expect(from.left.send_cq, 3, IBV_WC_SUCCESS);
	CHECK(!memcmp(from.left.memory, &value, sizeof(value)));
	close_two(&from, &to);
}

/* A context may be the peer of itself, too. */
static void a_context_reaches_itself_by_a_loop(void)
{
	struct t_pair pair;

	t_pair_open(&pair, &small);
	t_receive(&pair.right, 1, 0, LENGTH);
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, LENGTH, NULL, 0));
	t_expect(pair.right.recv_cq, 1, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 2, IBV_WC_SUCCESS);
	CHECK(only_link(&pair)->is_loop);
	t_pair_close(&pair);
}

/* The context of one end is closed, and another one gets its set and uses its link. */
static void a_link_outlives_the_contexts_that_made_it(void)
{
	struct t_pair stays, goes;
	struct shca_link *link;

	open_two(&stays, &goes);
	exchange(&stays, &goes, 3);
	link = only_link(&stays);
	for (int i = 0; i < 5; i++) {
		close_end(&goes);
		open_end(&goes);
		t_side_close(&stays.left);
		t_side_open(&stays, &stays.left, small.size);
		connect_ends(&stays, &goes);
		exchange(&stays, &goes, 3);
		exchange(&goes, &stays, 3);
		CHECK(only_link(&stays) == link);
	}
	close_two(&stays, &goes);
}

/* ---- what is missing is an error of the call that needs it ---- */

/* Connects to a queue pair of another process as far as the limit allows, and answers its number. */
static void be_the_peer(int fd)
{
	struct ibv_qp theirs = { 0 };
	struct t_side peer = { .qp = &theirs };
	struct t_pair own;

	/* The other process has the lower slot, so it makes the link. */
	t_get(fd);
	open_end(&own);
	t_put(fd, own.left.qp->qp_num);
	theirs.qp_num = (uint32_t)t_get(fd);
	t_side_connect(&own, &own.left, &peer, &small, 2, 1);
	t_receive(&own.left, 1, 0, LENGTH);
	t_put(fd, 0);
	t_expect(own.left.recv_cq, 1, IBV_WC_SUCCESS);
	t_get(fd);
	close_end(&own);
}

/* The memory that the two share is more than the limit allows. */
static void become_ready_to_send_without_memory(void)
{
	struct t_process process = t_fork(be_the_peer);
	struct ibv_qp theirs = { 0 };
	struct t_side peer = { .qp = &theirs };
	struct rlimit limit = { 1 << 20, RLIM_INFINITY };
	struct t_pair own;
	const char *reason;

	open_end(&own);
	t_put(process.fd, 0);
	theirs.qp_num = (uint32_t)t_get(process.fd);
	t_side_ready_to_receive(&own, &own.left, &peer, &small, 2);
	T_MUST(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK_EQ(EFBIG, t_side_ready_to_send(&own.left, &small, 1));
	reason = softhca_reason(EFBIG);
	CHECK(reason && strstr(reason, "ulimit -f"));
	limit.rlim_cur = RLIM_INFINITY;
	T_MUST(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK_EQ(0, t_side_ready_to_send(&own.left, &small, 1));
	t_put(process.fd, own.left.qp->qp_num);
	CHECK_EQ(0, t_get(process.fd));
	CHECK_EQ(0, t_post(&own.left, 2, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, LENGTH, NULL, 0));
	t_expect(own.left.send_cq, 2, IBV_WC_SUCCESS);
	t_put(process.fd, 0);
	t_join(&process);
	close_end(&own);
}

static void ready_to_send_is_refused_without_memory_for_the_link(void)
{
	t_in_child(NULL, NULL, become_ready_to_send_without_memory);
}

int main(void)
{
	t_fabric_open();
	T_RUN(ready_to_send_is_refused_without_memory_for_the_link);
	T_RUN(contexts_have_a_set_each_until_all_are_used);
	T_RUN(number_of_a_queue_pair_names_its_set);
	T_RUN(a_block_goes_to_another_set_when_drains_have_ended);
	T_RUN(two_pairs_of_contexts_share_no_ring_no_lock_and_no_doorbell);
	T_RUN(contexts_of_one_process_reach_each_other);
	T_RUN(a_context_reaches_itself_by_a_loop);
	T_RUN(a_link_outlives_the_contexts_that_made_it);
	t_fabric_close();
	return t_result();
}
