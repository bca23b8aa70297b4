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

/* Arming completion queues, and the events of their completion channel. */
#include "queue/shca_completion_queue.h"
#include "t_completion.h"

static void expect_event(struct ibv_cq *cq)
{
	struct ibv_cq *announced = NULL;
	void *its_context = NULL;

	if (!t_is_readable(t_channel->fd)) {
		T_FAIL("no event");
		return;
	}
	CHECK_EQ(0, ibv_get_cq_event(t_channel, &announced, &its_context));
	CHECK(announced == cq);
	CHECK(its_context == cq->cq_context);
	ibv_ack_cq_events(cq, 1);
	CHECK(!t_is_readable(t_channel->fd));
}

static void an_armed_queue_announces_the_next_completion(void)
{
	struct ibv_cq *cq = t_cq_open(64, t_channel);

	t_put_send(cq, &t_left, 1);
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	/* Completions from before the arming cause no event, and all those after it cause one. */
	CHECK(!t_is_readable(t_channel->fd));
	t_put_send(cq, &t_left, 2);
	t_put_send(cq, &t_left, 3);
	expect_event(cq);
	t_put_send(cq, &t_left, 4);
	CHECK(!t_is_readable(t_channel->fd));
	t_cq_close(cq);
}

static void solicited_means_solicited_or_failed(void)
{
	struct ibv_cq *cq = t_cq_open(64, t_channel);

	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	t_put_send(cq, &t_left, 1);
	t_put_receive(cq, &t_left, NULL, 2, false);
	CHECK(!t_is_readable(t_channel->fd));
	t_put_receive(cq, &t_left, NULL, 3, true);
	expect_event(cq);
	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	t_put(cq, (struct shca_cqe){ .qp = &t_left, .status = IBV_WC_WR_FLUSH_ERR });
	expect_event(cq);
	/* Arming for any completion wins over arming for solicited ones, whichever came last. */
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	t_put_send(cq, &t_left, 4);
	expect_event(cq);
	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	t_put_send(cq, &t_left, 5);
	expect_event(cq);
	t_cq_close(cq);
}

static void without_a_channel_there_is_nothing_to_arm(void)
{
	struct ibv_cq *cq = t_cq_open(1, NULL);

	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	CHECK(t_put_send(cq, &t_left, 1));
	t_expect_id(cq, 1);
	t_cq_close(cq);
}

static void events_end_with_their_queue(void)
{
	struct ibv_cq *first = t_cq_open(4, t_channel), *second = t_cq_open(4, t_channel), *got;
	void *its_context;
	pthread_t destroyer;

	for (int i = 0; i < 2; i++) {
		CHECK_EQ(0, ibv_req_notify_cq(first, 0));
		t_put_send(first, &t_left, 1);
	}
	CHECK_EQ(0, ibv_req_notify_cq(second, 0));
	t_put_send(second, &t_left, 1);
	CHECK_EQ(0, ibv_req_notify_cq(second, 0));
	CHECK_EQ(0, ibv_get_cq_event(t_channel, &got, &its_context));
	CHECK(got == first);
	/* One of its events has been fetched; the other vanishes. */
	destroyer = t_start(t_destroy, first);
	ibv_ack_cq_events(first, 1);
	pthread_join(destroyer, NULL);
	expect_event(second);
	t_cq_close(second);
	CHECK(!t_is_readable(t_channel->fd));
	CHECK_EQ(0, to_shca_channel(t_channel)->queue.reserved);
}

/* ---- no completion is lost between arming and polling ---- */

#define RACE_ROUNDS 20000

static _Atomic uint64_t consumed;

static void *produce(void *cq)
{
	for (uint64_t id = 1; id <= RACE_ROUNDS; id++) {
		t_put_send(cq, &t_left, id);
		while (atomic_load(&consumed) != id)
			sched_yield();
	}
	return NULL;
}

static void arm_look_and_sleep(void)
{
	struct ibv_cq *cq = t_cq_open(1, t_channel), *got;
	void *its_context;
	unsigned int events = 0;
	pthread_t producer;

	atomic_store(&consumed, 0);
	producer = t_start(produce, cq);
	for (uint64_t id = 1; id <= RACE_ROUNDS;) {
		struct ibv_wc wc;

		CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
		if (ibv_poll_cq(cq, 1, &wc) == 1) {
			CHECK_EQ(id, wc.wr_id);
			atomic_store(&consumed, id++);
			continue;
		}
		if (!t_wait_readable(t_channel->fd)) {
			T_FAIL("completion %" PRIu64 " was not announced", id);
			exit(1);
		}
		CHECK_EQ(0, ibv_get_cq_event(t_channel, &got, &its_context));
		events++;
	}
	pthread_join(producer, NULL);
	ibv_ack_cq_events(cq, events);
	t_cq_close(cq);
}

int main(void)
{
	t_completion_open();
	T_RUN(an_armed_queue_announces_the_next_completion);
	T_RUN(solicited_means_solicited_or_failed);
	T_RUN(without_a_channel_there_is_nothing_to_arm);
	T_RUN(events_end_with_their_queue);
	T_RUN(arm_look_and_sleep);
	t_completion_close();
	return t_result();
}
