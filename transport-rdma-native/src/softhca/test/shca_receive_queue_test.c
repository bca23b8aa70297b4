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

/* The receive queue, and the shared receive queue with its limit. */
#include "device/shca_context.h"
#include "personality/shca_personality.h"
#include "queue/shca_shared_receive_queue.h"
#include "t_context.h"

static struct ibv_context *context;
static struct ibv_pd *pd;

static struct ibv_srq *open_srq(uint32_t depth, uint32_t max_sge)
{
	struct ibv_srq_init_attr init = { .srq_context = &pd, .attr = { .max_wr = depth, .max_sge = max_sge } };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);

	T_MUST(srq);
	CHECK_EQ(depth, init.attr.max_wr);
	CHECK_EQ(max_sge, init.attr.max_sge);
	return srq;
}

static int post(struct ibv_srq *srq, uint64_t id, struct ibv_sge *list, int count)
{
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = list, .num_sge = count }, *bad = NULL;
	int ret = ibv_post_srq_recv(srq, &wr, &bad);

	CHECK(!ret || bad == &wr);
	return ret;
}

/* Takes the oldest receive. Returns its wr_id, or 0 if there is none. */
static uint64_t take(struct ibv_srq *srq)
{
	struct ibv_sge list[4];
	struct shca_receive receive = { .sges = list };

	return shca_srq_take(to_shca_srq(srq), 0, &receive) ? receive.wr_id : 0;
}

/* Frees a slot, as polling its completion does. */
static void give_slot_back(struct ibv_srq *srq)
{
	atomic_fetch_add(&to_shca_srq(srq)->receives.freed, 1);
}

static void set_limit(struct ibv_srq *srq, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };

	CHECK_EQ(0, ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
}

static uint32_t limit_of(struct ibv_srq *srq)
{
	struct ibv_srq_attr attr = { 0 };

	CHECK_EQ(0, ibv_query_srq(srq, &attr));
	return attr.srq_limit;
}

/* ---- the receive queue ---- */

static void slots_are_reused(void)
{
	struct shca_receive_queue queue;
	struct ibv_sge list[2] = { { 1, 2, 3 }, { 4, 5, 6 } };
	struct ibv_recv_wr wr = { .sg_list = list, .num_sge = 2 };

	T_MUST(!shca_receive_queue_init(&queue, 5, 2));
	/* The cursors wrap around during the test. */
	queue.posted = queue.taken = UINT32_MAX - 12;
	atomic_store(&queue.freed, queue.posted);
	for (uint64_t round = 0; round < 10; round++) {
		for (uint64_t i = 0; i < 5; i++) {
			wr.wr_id = list[1].addr = round * 5 + i;
			CHECK_EQ(0, shca_receive_queue_post(&queue, &wr));
		}
		CHECK_EQ(ENOMEM, shca_receive_queue_post(&queue, &wr));
		for (uint64_t i = 0; i < 5; i++) {
			const struct shca_receive *receive = shca_receive_queue_take(&queue);

			T_MUST(receive);
			CHECK_EQ(round * 5 + i, receive->wr_id);
			CHECK_EQ(2, receive->num_sge);
			CHECK_EQ(1, receive->sges[0].addr);
			CHECK_EQ(round * 5 + i, receive->sges[1].addr);
			/* A slot that is taken is not free yet. */
			if (i == 0)
				CHECK_EQ(ENOMEM, shca_receive_queue_post(&queue, &wr));
		}
		CHECK(!shca_receive_queue_take(&queue));
		atomic_fetch_add(&queue.freed, 5);
	}
	shca_receive_queue_destroy(&queue);
}

static void queue_of_depth_zero_refuses_posts(void)
{
	struct shca_receive_queue queue;
	struct ibv_recv_wr wr = { 0 };

	T_MUST(!shca_receive_queue_init(&queue, 0, 0));
	CHECK_EQ(ENOMEM, shca_receive_queue_post(&queue, &wr));
	CHECK(!shca_receive_queue_take(&queue));
	shca_receive_queue_destroy(&queue);
}

/* ---- the shared receive queue ---- */

static void arguments_are_checked(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 0, .max_sge = 1 } };
	struct ibv_srq_attr attr = { .max_wr = 100, .srq_limit = 9 };
	struct ibv_srq *srq;

	CHECK_REFUSED(EINVAL, ibv_create_srq(pd, &init));
	init.attr.max_wr = shca_personality()->max_srq_wr + 1;
	CHECK_REFUSED(EINVAL, ibv_create_srq(pd, &init));
	init.attr.max_wr = 8;
	init.attr.max_sge = shca_personality()->max_srq_sge + 1;
	CHECK_REFUSED(EINVAL, ibv_create_srq(pd, &init));
	init.attr.max_sge = 1;
	atomic_store(&to_shca_context(context)->removed, true);
	CHECK_REFUSED(EIO, ibv_create_srq(pd, &init));
	atomic_store(&to_shca_context(context)->removed, false);
	srq = open_srq(8, 1);
	CHECK(srq->context == context && srq->pd == pd && srq->srq_context == &pd);
	CHECK_EQ(EBUSY, ibv_dealloc_pd(pd));
	CHECK_EQ(EOPNOTSUPP, ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	CHECK_EQ(EINVAL, ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
	CHECK_EQ(EINVAL, ibv_modify_srq(srq, &attr, 1 << 7));
	CHECK_EQ(0, limit_of(srq));
	memset(&attr, 0, sizeof(attr));
	CHECK_EQ(0, ibv_query_srq(srq, &attr));
	CHECK_EQ(8, attr.max_wr);
	CHECK_EQ(1, attr.max_sge);
	atomic_fetch_add(&to_shca_srq(srq)->users, 1);
	CHECK_EQ(EBUSY, ibv_destroy_srq(srq));
	atomic_fetch_sub(&to_shca_srq(srq)->users, 1);
	CHECK_EQ(0, ibv_destroy_srq(srq));
}

static void chain_stops_before_its_first_bad_request(void)
{
	struct ibv_srq *srq = open_srq(4, 2);
	struct ibv_sge list[3] = { { 0 } };
	struct ibv_recv_wr wrs[3] = { { .wr_id = 1, .next = &wrs[1] },
				      { .wr_id = 2, .next = &wrs[2], .sg_list = list, .num_sge = 3 },
				      { .wr_id = 3 } };
	struct ibv_recv_wr *bad = NULL;

	CHECK_EQ(EINVAL, ibv_post_srq_recv(srq, wrs, &bad));
	CHECK(bad == &wrs[1]);
	CHECK_EQ(1, take(srq));
	CHECK_EQ(0, take(srq));
	CHECK_EQ(EINVAL, post(srq, 4, list, -1));
	for (uint64_t id = 5; id < 8; id++)
		CHECK_EQ(0, post(srq, id, list, 2));
	/* The completion of the receive that was taken has not been polled. */
	CHECK_EQ(ENOMEM, post(srq, 8, NULL, 0));
	give_slot_back(srq);
	CHECK_EQ(0, post(srq, 9, NULL, 0));
	atomic_store(&to_shca_context(context)->removed, true);
	CHECK_EQ(EIO, post(srq, 10, NULL, 0));
	atomic_store(&to_shca_context(context)->removed, false);
	for (uint64_t id = 5; id < 8; id++)
		CHECK_EQ(id, take(srq));
	CHECK_EQ(9, take(srq));
	CHECK_EQ(0, take(srq));
	CHECK_EQ(0, ibv_destroy_srq(srq));
}

static void *destroy_srq(void *srq)
{
	CHECK_EQ(0, ibv_destroy_srq(srq));
	return NULL;
}

static void limit_event_is_raised_once(void)
{
	struct ibv_srq *srq = open_srq(8, 1);
	struct ibv_async_event event;
	pthread_t destroyer;

	for (uint64_t id = 1; id <= 5; id++)
		CHECK_EQ(0, post(srq, id, NULL, 0));
	set_limit(srq, 3);
	CHECK_EQ(3, limit_of(srq));
	CHECK_EQ(1, take(srq));
	CHECK_EQ(2, take(srq));
	CHECK(!t_is_readable(context->async_fd));
	CHECK_EQ(3, take(srq));
	CHECK_EQ(0, limit_of(srq));
	CHECK_EQ(4, take(srq));
	CHECK_EQ(0, ibv_get_async_event(context, &event));
	CHECK_EQ(IBV_EVENT_SRQ_LIMIT_REACHED, event.event_type);
	CHECK(event.element.srq == srq);
	ibv_ack_async_event(&event);
	CHECK(!t_is_readable(context->async_fd));
	/*
	 * Armed again, the limit raises another event. An event that was fetched must be acknowledged; one that was
	 * not vanishes with the queue.
	 */
	set_limit(srq, 1);
	CHECK_EQ(5, take(srq));
	CHECK_EQ(0, ibv_get_async_event(context, &event));
	CHECK_EQ(0, post(srq, 6, NULL, 0));
	set_limit(srq, 1);
	CHECK_EQ(6, take(srq));
	CHECK(t_is_readable(context->async_fd));
	destroyer = t_start(destroy_srq, srq);
	ibv_ack_async_event(&event);
	pthread_join(destroyer, NULL);
	CHECK(!t_is_readable(context->async_fd));
}

/* ---- many threads post and take ---- */

#define PER_THREAD 20000

static _Atomic uint64_t taken_sum, taken_count;

static void *post_many(void *srq)
{
	for (uint64_t id = 1; id <= PER_THREAD; id++) {
		while (post(srq, id, NULL, 0) == ENOMEM)
			sched_yield();
	}
	return NULL;
}

static void *take_many(void *srq)
{
	while (atomic_load(&taken_count) < 2 * PER_THREAD) {
		uint64_t id = take(srq);

		if (!id) {
			sched_yield();
			continue;
		}
		atomic_fetch_add(&taken_sum, id);
		atomic_fetch_add(&taken_count, 1);
		give_slot_back(srq);
	}
	return NULL;
}

static void nothing_is_lost_among_threads(void)
{
	struct ibv_srq *srq = open_srq(16, 1);
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		threads[i] = t_start(i < 2 ? post_many : take_many, srq);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(2 * PER_THREAD, taken_count);
	CHECK_EQ((uint64_t)PER_THREAD * (PER_THREAD + 1), taken_sum);
	CHECK_EQ(0, ibv_destroy_srq(srq));
}

int main(void)
{
	context = t_context_open();
	pd = ibv_alloc_pd(context);
	T_MUST(pd);
	T_RUN(slots_are_reused);
	T_RUN(queue_of_depth_zero_refuses_posts);
	T_RUN(arguments_are_checked);
	T_RUN(chain_stops_before_its_first_bad_request);
	T_RUN(limit_event_is_raised_once);
	T_RUN(nothing_is_lost_among_threads);
	T_MUST(!ibv_dealloc_pd(pd));
	T_MUST(!ibv_close_device(context));
	return t_result();
}
