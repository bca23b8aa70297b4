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

/* Completion queues: creation, polling, overruns, and many threads at once. */
#include "device/shca_context.h"
#include "fault/shca_fault.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_queue_pair.h"
#include "t_completion.h"

/* ---- creation ---- */

static void arguments_are_checked(void)
{
	struct ibv_context *other = t_context_open();
	struct ibv_comp_channel *foreign = ibv_create_comp_channel(other);
	int max = (int)shca_personality()->max_cqe;
	struct ibv_cq *cq;

	T_MUST(foreign);
	CHECK_REFUSED(EINVAL, ibv_create_cq(t_context, 0, NULL, NULL, 0));
	CHECK_REFUSED(EINVAL, ibv_create_cq(t_context, -1, NULL, NULL, 0));
	CHECK_REFUSED(EINVAL, ibv_create_cq(t_context, max + 1, NULL, NULL, 0));
	CHECK_REFUSED(EINVAL, ibv_create_cq(t_context, 1, NULL, NULL, -1));
	CHECK_REFUSED(EINVAL, ibv_create_cq(t_context, 1, NULL, NULL, t_context->num_comp_vectors));
	CHECK_REFUSED(EINVAL, ibv_create_cq(t_context, 1, NULL, foreign, 0));
	T_MUST(!ibv_destroy_comp_channel(foreign));
	T_MUST(!ibv_close_device(other));
	cq = ibv_create_cq(t_context, max, &t_left, t_channel, t_context->num_comp_vectors - 1);
	T_MUST(cq);
	CHECK_EQ(max, cq->cqe);
	CHECK(cq->context == t_context && cq->channel == t_channel && cq->cq_context == &t_left);
	CHECK_EQ(EBUSY, ibv_destroy_comp_channel(t_channel));
	atomic_fetch_add(&to_shca_cq(cq)->users, 1);
	CHECK_EQ(EBUSY, ibv_destroy_cq(cq));
	atomic_fetch_sub(&to_shca_cq(cq)->users, 1);
	t_cq_close(cq);
	atomic_store(&to_shca_context(t_context)->removed, true);
	CHECK_REFUSED(EIO, ibv_create_cq(t_context, 1, NULL, NULL, 0));
	CHECK_REFUSED(EIO, ibv_create_comp_channel(t_context));
	atomic_store(&to_shca_context(t_context)->removed, false);
}

/* ---- polling ---- */

static void completions_come_in_order(void)
{
	struct ibv_cq *cq = t_cq_open(7, NULL);
	struct ibv_wc wcs[5];
	uint64_t next = 1, polled = 1;

	t_expect_nothing(cq);
	while (polled < 1000) {
		int n;

		while (next - polled < 7)
			CHECK(t_put_send(cq, &t_left, next++));
		n = ibv_poll_cq(cq, 1 + (int)(next % 5), wcs);
		CHECK_EQ(1 + next % 5, n);
		for (int i = 0; i < n; i++)
			CHECK_EQ(polled++, wcs[i].wr_id);
	}
	CHECK_EQ(0, ibv_poll_cq(cq, 0, wcs));
	t_cq_close(cq);
}

static void completion_has_only_valid_fields(void)
{
	struct shca_cqe cqe = {
		.wr_id = 1, .byte_len = 2, .immediate = 3, .qp_num = 4, .src_qp = 5, .wc_flags = IBV_WC_WITH_IMM,
		.vendor_err = 6, .opcode = IBV_WC_RECV_RDMA_WITH_IMM, .sl = 7,
	};
	struct ibv_cq *cq = t_cq_open(2, NULL);
	struct ibv_wc wc, error = { .wr_id = 1, .status = IBV_WC_LOC_LEN_ERR, .vendor_err = 6, .qp_num = 4 };

	t_put(cq, cqe);
	cqe.status = IBV_WC_LOC_LEN_ERR;
	t_put(cq, cqe);
	CHECK_EQ(1, ibv_poll_cq(cq, 1, &wc));
	CHECK_EQ(1, wc.wr_id);
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(IBV_WC_RECV_RDMA_WITH_IMM, wc.opcode);
	CHECK_EQ(2, wc.byte_len);
	CHECK_EQ(3, wc.imm_data);
	CHECK_EQ(4, wc.qp_num);
	CHECK_EQ(5, wc.src_qp);
	CHECK_EQ(IBV_WC_WITH_IMM, wc.wc_flags);
	CHECK_EQ(7, wc.sl);
	memset(&wc, 0xff, sizeof(wc));
	CHECK_EQ(1, ibv_poll_cq(cq, 1, &wc));
	CHECK_EQ(error.wr_id, wc.wr_id);
	CHECK_EQ(error.status, wc.status);
	CHECK_EQ(error.vendor_err, wc.vendor_err);
	CHECK_EQ(error.qp_num, wc.qp_num);
	CHECK_EQ(0, wc.opcode);
	CHECK_EQ(0, wc.byte_len);
	CHECK_EQ(0, wc.imm_data);
	CHECK_EQ(0, wc.src_qp);
	CHECK_EQ(0, wc.wc_flags);
	CHECK_EQ(0, wc.sl);
	t_cq_close(cq);
}

static void polling_frees_slots(void)
{
	struct ibv_cq *cq = t_cq_open(8, NULL);
	struct shca_srq srq = { 0 };

	t_clear_slots();
	/* Those of a failed request, too. */
	t_put(cq, (struct shca_cqe){ .qp = &t_left, .freed = &t_left.sq.freed, .slots = 5,
				     .status = IBV_WC_WR_FLUSH_ERR });
	t_put_receive(cq, &t_left, NULL, 0, false);
	t_put_receive(cq, &t_left, &srq, 0, false);
	t_expect_id(cq, 0);
	CHECK_EQ(5, t_left.sq.freed);
	CHECK_EQ(0, t_left.rq.freed);
	t_expect_id(cq, 0);
	CHECK_EQ(1, t_left.rq.freed);
	CHECK_EQ(0, srq.receives.freed);
	t_expect_id(cq, 0);
	CHECK_EQ(1, srq.receives.freed);
	CHECK_EQ(1, t_left.rq.freed);
	t_cq_close(cq);
}

static void destroyed_queue_pair_removes_its_completions(void)
{
	struct ibv_cq *cq = t_cq_open(16, NULL);
	struct shca_srq srq = { 0 };

	for (uint64_t id = 1; id <= 12; id++) {
		if (id % 3 == 0)
			t_put_send(cq, &t_right, id);
		else
			t_put_receive(cq, &t_left, id % 3 == 1 ? &srq : NULL, id, false);
	}
	t_clear_slots();
	shca_cq_forget(to_shca_cq(cq), &t_left);
	CHECK_EQ(4, srq.receives.freed);
	CHECK_EQ(0, t_left.rq.freed);
	for (uint64_t id = 3; id <= 12; id += 3)
		t_expect_id(cq, id);
	t_expect_nothing(cq);
	t_cq_close(cq);
}

static void resize_keeps_completions(void)
{
	struct ibv_cq *cq = t_cq_open(6, NULL);

	for (uint64_t id = 1; id <= 5; id++)
		t_put_send(cq, &t_left, id);
	t_expect_id(cq, 1);
	CHECK_EQ(EINVAL, ibv_resize_cq(cq, 0));
	CHECK_EQ(EINVAL, ibv_resize_cq(cq, (int)shca_personality()->max_cqe + 1));
	CHECK_EQ(EINVAL, ibv_resize_cq(cq, 3));
	CHECK_EQ(6, cq->cqe);
	CHECK_EQ(0, ibv_resize_cq(cq, 4));
	CHECK_EQ(4, cq->cqe);
	t_expect_id(cq, 2);
	CHECK_EQ(0, ibv_resize_cq(cq, 100));
	for (uint64_t id = 6; id <= 102; id++)
		CHECK(t_put_send(cq, &t_left, id));
	for (uint64_t id = 3; id <= 102; id++)
		t_expect_id(cq, id);
	t_expect_nothing(cq);
	t_cq_close(cq);
}

/* ---- overrun ---- */

static void overrun_is_reported_once(void)
{
	struct ibv_cq *cq = t_cq_open(3, NULL);
	struct ibv_async_event event;
	pthread_t destroyer;

	for (uint64_t id = 1; id <= 3; id++)
		CHECK(t_put_send(cq, &t_left, id));
	CHECK(!t_is_readable(t_context->async_fd));
	CHECK(!t_put_send(cq, &t_left, 4));
	CHECK(!t_put_send(cq, &t_left, 5));
	for (uint64_t id = 1; id <= 3; id++)
		t_expect_id(cq, id);
	CHECK(!t_put_send(cq, &t_left, 6));
	t_expect_nothing(cq);
	CHECK_EQ(0, ibv_get_async_event(t_context, &event));
	CHECK_EQ(IBV_EVENT_CQ_ERR, event.event_type);
	CHECK(event.element.cq == cq);
	CHECK(!t_is_readable(t_context->async_fd));
	/* The destruction waits for the acknowledgement, or finds it already there. */
	destroyer = t_start(t_destroy, cq);
	ibv_ack_async_event(&event);
	pthread_join(destroyer, NULL);
}

static void event_of_an_overrun_is_removed_with_the_queue(void)
{
	struct ibv_cq *cq = t_cq_open(1, NULL);

	T_MUST(!shca_fault_set("overrun@2"));
	CHECK(t_put_send(cq, &t_left, 1));
	t_expect_id(cq, 1);
	CHECK(!t_put_send(cq, &t_left, 2));
	T_MUST(!shca_fault_set("off"));
	CHECK(t_is_readable(t_context->async_fd));
	t_cq_close(cq);
	CHECK(!t_is_readable(t_context->async_fd));
}

/* ---- many threads ---- */

#define PER_PRODUCER 20000

static _Atomic uint32_t put_count, polled_count;
static _Atomic bool done;

static void *put_many(void *cq)
{
	for (uint32_t i = 0; i < PER_PRODUCER; i++) {
		/* As queue pairs do, puts never more than there is room for. */
		while (atomic_fetch_add(&put_count, 1) - atomic_load(&polled_count) >= 32) {
			atomic_fetch_sub(&put_count, 1);
			sched_yield();
		}
		CHECK(t_put_receive(cq, &t_left, NULL, i, false));
	}
	return NULL;
}

/*
 * Counts receives only, which are the producers'. If sends counted, more would be polled than put, which looks like a
 * full queue to the producers, without end.
 */
static void count(enum ibv_wc_opcode opcode)
{
	if (opcode == IBV_WC_RECV)
		atomic_fetch_add(&polled_count, 1);
}

static void *poll_many(void *cq)
{
	struct ibv_wc wcs[4];

	while (!atomic_load(&done)) {
		int n = ibv_poll_cq(cq, 4, wcs);

		for (int i = 0; i < n; i++)
			count(wcs[i].opcode);
		if (!n)
			sched_yield();
	}
	return NULL;
}

static void *poll_many_extended(void *cq)
{
	struct ibv_cq_ex *ex = cq;
	struct ibv_poll_cq_attr attr = { 0 };

	while (!atomic_load(&done)) {
		if (ibv_start_poll(ex, &attr)) {
			sched_yield();
			continue;
		}
		do {
			count(ibv_wc_read_opcode(ex));
		} while (ibv_next_poll(ex) == 0);
		ibv_end_poll(ex);
	}
	return NULL;
}

static void nothing_is_lost_among_threads(void)
{
	struct ibv_cq_ex *ex = t_cq_open_ex(40, 0, 0);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	pthread_t pollers[3], producers[2];

	t_clear_slots();
	pollers[0] = t_start(poll_many, cq);
	pollers[1] = t_start(poll_many_extended, ex);
	pollers[2] = t_start(poll_many_extended, ex);
	producers[0] = t_start(put_many, cq);
	producers[1] = t_start(put_many, cq);
	for (int i = 0; i < 500; i++) {
		CHECK_EQ(0, ibv_resize_cq(cq, 40 + i));
		t_put_send(cq, &t_right, 1);
		shca_cq_forget(to_shca_cq(cq), &t_right);
	}
	pthread_join(producers[0], NULL);
	pthread_join(producers[1], NULL);
	while (atomic_load(&t_left.rq.freed) < 2 * PER_PRODUCER)
		sched_yield();
	atomic_store(&done, true);
	for (int i = 0; i < 3; i++)
		pthread_join(pollers[i], NULL);
	CHECK_EQ(2 * PER_PRODUCER, t_left.rq.freed);
	t_expect_nothing(cq);
	t_cq_close(cq);
}

int main(void)
{
	t_completion_open();
	T_RUN(arguments_are_checked);
	T_RUN(completions_come_in_order);
	T_RUN(completion_has_only_valid_fields);
	T_RUN(polling_frees_slots);
	T_RUN(destroyed_queue_pair_removes_its_completions);
	T_RUN(resize_keeps_completions);
	T_RUN(overrun_is_reported_once);
	T_RUN(event_of_an_overrun_is_removed_with_the_queue);
	T_RUN(nothing_is_lost_among_threads);
	t_completion_close();
	return t_result();
}
