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
 * Completion queues and their channels. Completions are put as a queue pair puts them, of queue pairs that are only
 * what a completion refers to.
 */
#include "shca_fault.h"
#include "t_context.h"

static struct ibv_context *context;
static struct ibv_comp_channel *channel;
static struct shca_qp left = { .ibv.qp_num = 0x10002 }, right = { .ibv.qp_num = 0x10003 };

static struct ibv_cq *open_cq(int cqe, struct ibv_comp_channel *by)
{
	struct ibv_cq *cq = ibv_create_cq(context, cqe, &left, by, 0);

	T_MUST(cq);
	return cq;
}

static struct ibv_cq_ex *open_cq_ex(uint32_t cqe, uint64_t wc_flags, uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe, .wc_flags = wc_flags, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = flags,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(context, &attr);

	T_MUST(cq);
	return cq;
}

static void close_cq(struct ibv_cq *cq)
{
	T_MUST(!ibv_destroy_cq(cq));
}

static bool put(struct ibv_cq *cq, struct shca_cqe cqe)
{
	return shca_cq_put(to_shca_cq(cq), &cqe);
}

static bool put_send(struct ibv_cq *cq, struct shca_qp *qp, uint64_t id)
{
	return put(cq, (struct shca_cqe){ .wr_id = id, .qp = qp, .qp_num = qp->ibv.qp_num, .slots = (uint32_t)id });
}

static bool put_receive(struct ibv_cq *cq, struct shca_qp *qp, struct shca_srq *srq, uint64_t id, bool solicited)
{
	return put(cq, (struct shca_cqe){ .wr_id = id, .qp = qp, .srq = srq, .slots = 1, .opcode = IBV_WC_RECV,
					  .solicited = solicited });
}

static void expect(struct ibv_cq *cq, uint64_t id)
{
	struct ibv_wc wc = { .wr_id = ~id };

	CHECK_EQ(1, ibv_poll_cq(cq, 1, &wc));
	CHECK_EQ(id, wc.wr_id);
}

static void expect_none(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(cq, 1, &wc));
}

/* ---- making ---- */

static void arguments_are_checked(void)
{
	struct ibv_context *other = t_context_open();
	struct ibv_comp_channel *foreign = ibv_create_comp_channel(other);
	int max = (int)shca_profile()->max_cqe;
	struct ibv_cq *cq;

	T_MUST(foreign);
	CHECK_REFUSED(EINVAL, ibv_create_cq(context, 0, NULL, NULL, 0));
	CHECK_REFUSED(EINVAL, ibv_create_cq(context, -1, NULL, NULL, 0));
	CHECK_REFUSED(EINVAL, ibv_create_cq(context, max + 1, NULL, NULL, 0));
	CHECK_REFUSED(EINVAL, ibv_create_cq(context, 1, NULL, NULL, -1));
	CHECK_REFUSED(EINVAL, ibv_create_cq(context, 1, NULL, NULL, context->num_comp_vectors));
	CHECK_REFUSED(EINVAL, ibv_create_cq(context, 1, NULL, foreign, 0));
	T_MUST(!ibv_destroy_comp_channel(foreign));
	T_MUST(!ibv_close_device(other));
	cq = ibv_create_cq(context, max, &left, channel, context->num_comp_vectors - 1);
	T_MUST(cq);
	CHECK_EQ(max, cq->cqe);
	CHECK(cq->context == context && cq->channel == channel && cq->cq_context == &left);
	CHECK_EQ(EBUSY, ibv_destroy_comp_channel(channel));
	atomic_fetch_add(&to_shca_cq(cq)->users, 1);
	CHECK_EQ(EBUSY, ibv_destroy_cq(cq));
	atomic_fetch_sub(&to_shca_cq(cq)->users, 1);
	close_cq(cq);
	atomic_store(&to_shca_context(context)->removed, true);
	CHECK_REFUSED(EIO, ibv_create_cq(context, 1, NULL, NULL, 0));
	CHECK_REFUSED(EIO, ibv_create_comp_channel(context));
	atomic_store(&to_shca_context(context)->removed, false);
}

static void extended_arguments_are_checked(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 1, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };

	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq_ex(context, &attr));
	attr.wc_flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq_ex(context, &attr));
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq_ex(context, &attr));
	attr.flags = 0;
	attr.comp_vector = (uint32_t)context->num_comp_vectors;
	CHECK_REFUSED(EINVAL, ibv_create_cq_ex(context, &attr));
	attr.comp_vector = 0;
	attr.cqe = 0;
	CHECK_REFUSED(EINVAL, ibv_create_cq_ex(context, &attr));
}

/* ---- polling ---- */

static void completions_come_in_order(void)
{
	struct ibv_cq *cq = open_cq(7, NULL);
	struct ibv_wc wcs[5];
	uint64_t next = 1, polled = 1;

	expect_none(cq);
	while (polled < 1000) {
		int n;

		while (next - polled < 7)
			CHECK(put_send(cq, &left, next++));
		n = ibv_poll_cq(cq, 1 + (int)(next % 5), wcs);
		CHECK_EQ(1 + next % 5, n);
		for (int i = 0; i < n; i++)
			CHECK_EQ(polled++, wcs[i].wr_id);
	}
	CHECK_EQ(0, ibv_poll_cq(cq, 0, wcs));
	close_cq(cq);
}

static void a_completion_tells_all_or_only_what_is_valid(void)
{
	struct shca_cqe cqe = {
		.wr_id = 1, .byte_len = 2, .immediate = 3, .qp_num = 4, .src_qp = 5, .wc_flags = IBV_WC_WITH_IMM,
		.vendor_err = 6, .opcode = IBV_WC_RECV_RDMA_WITH_IMM, .sl = 7,
	};
	struct ibv_cq *cq = open_cq(2, NULL);
	struct ibv_wc wc, error = { .wr_id = 1, .status = IBV_WC_LOC_LEN_ERR, .vendor_err = 6, .qp_num = 4 };

	put(cq, cqe);
	cqe.status = IBV_WC_LOC_LEN_ERR;
	put(cq, cqe);
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
	close_cq(cq);
}

static void clear_slots(void)
{
	atomic_store(&left.sq.freed, 0);
	atomic_store(&left.rq.freed, 0);
}

static void polling_gives_slots_back(void)
{
	struct ibv_cq *cq = open_cq(8, NULL);
	struct shca_srq srq = { 0 };

	clear_slots();
	/* Of an unsuccessful one, too. */
	put(cq, (struct shca_cqe){ .qp = &left, .slots = 5, .status = IBV_WC_WR_FLUSH_ERR });
	put_receive(cq, &left, NULL, 0, false);
	put_receive(cq, &left, &srq, 0, false);
	expect(cq, 0);
	CHECK_EQ(5, left.sq.freed);
	CHECK_EQ(0, left.rq.freed);
	expect(cq, 0);
	CHECK_EQ(1, left.rq.freed);
	CHECK_EQ(0, srq.receives.freed);
	expect(cq, 0);
	CHECK_EQ(1, srq.receives.freed);
	CHECK_EQ(1, left.rq.freed);
	close_cq(cq);
}

static void completions_of_a_queue_pair_that_goes_vanish(void)
{
	struct ibv_cq *cq = open_cq(16, NULL);
	struct shca_srq srq = { 0 };

	for (uint64_t id = 1; id <= 12; id++) {
		if (id % 3 == 0)
			put_send(cq, &right, id);
		else
			put_receive(cq, &left, id % 3 == 1 ? &srq : NULL, id, false);
	}
	clear_slots();
	shca_cq_forget(to_shca_cq(cq), &left);
	CHECK_EQ(4, srq.receives.freed);
	CHECK_EQ(0, left.rq.freed);
	for (uint64_t id = 3; id <= 12; id += 3)
		expect(cq, id);
	expect_none(cq);
	close_cq(cq);
}

static void another_size_keeps_what_is_there(void)
{
	struct ibv_cq *cq = open_cq(6, NULL);

	for (uint64_t id = 1; id <= 5; id++)
		put_send(cq, &left, id);
	expect(cq, 1);
	CHECK_EQ(EINVAL, ibv_resize_cq(cq, 0));
	CHECK_EQ(EINVAL, ibv_resize_cq(cq, (int)shca_profile()->max_cqe + 1));
	CHECK_EQ(EINVAL, ibv_resize_cq(cq, 3));
	CHECK_EQ(6, cq->cqe);
	CHECK_EQ(0, ibv_resize_cq(cq, 4));
	CHECK_EQ(4, cq->cqe);
	expect(cq, 2);
	CHECK_EQ(0, ibv_resize_cq(cq, 100));
	for (uint64_t id = 6; id <= 102; id++)
		CHECK(put_send(cq, &left, id));
	for (uint64_t id = 3; id <= 102; id++)
		expect(cq, id);
	expect_none(cq);
	close_cq(cq);
}

/* ---- extended polling ---- */

static void the_getters_are_those_that_were_asked_for(void)
{
	struct ibv_cq_ex *cq = open_cq_ex(1, 0, 0);

	CHECK(cq->start_poll && cq->next_poll && cq->end_poll);
	CHECK(cq->read_opcode && cq->read_vendor_err && cq->read_wc_flags);
	CHECK(!cq->read_byte_len && !cq->read_imm_data && !cq->read_qp_num && !cq->read_src_qp && !cq->read_slid &&
	      !cq->read_sl && !cq->read_dlid_path_bits && !cq->read_completion_ts);
	close_cq(ibv_cq_ex_to_cq(cq));
	cq = open_cq_ex(1, IBV_WC_STANDARD_FLAGS, 0);
	CHECK(cq->read_byte_len && cq->read_imm_data && cq->read_qp_num && cq->read_src_qp && cq->read_slid &&
	      cq->read_sl && cq->read_dlid_path_bits && !cq->read_completion_ts);
	close_cq(ibv_cq_ex_to_cq(cq));
}

static void check_extended(uint32_t flags)
{
	struct ibv_cq_ex *ex = open_cq_ex(4, IBV_WC_STANDARD_FLAGS, flags);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct ibv_poll_cq_attr attr = { .comp_mask = 1 };
	struct shca_cqe cqe = {
		.wr_id = 7, .byte_len = 2, .immediate = 3, .qp_num = 4, .src_qp = 5, .wc_flags = IBV_WC_WITH_IMM,
		.vendor_err = 6, .opcode = IBV_WC_RECV, .sl = 7, .qp = &left, .slots = 1,
	};

	clear_slots();
	CHECK_EQ(EINVAL, ibv_start_poll(ex, &attr));
	attr.comp_mask = 0;
	CHECK_EQ(ENOENT, ibv_start_poll(ex, &attr));
	put(cq, cqe);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	CHECK_EQ(7, ex->wr_id);
	CHECK_EQ(IBV_WC_SUCCESS, ex->status);
	CHECK_EQ(IBV_WC_RECV, ibv_wc_read_opcode(ex));
	CHECK_EQ(6, ibv_wc_read_vendor_err(ex));
	CHECK_EQ(2, ibv_wc_read_byte_len(ex));
	CHECK_EQ(3, ibv_wc_read_imm_data(ex));
	CHECK_EQ(4, ibv_wc_read_qp_num(ex));
	CHECK_EQ(5, ibv_wc_read_src_qp(ex));
	CHECK_EQ(IBV_WC_WITH_IMM, ibv_wc_read_wc_flags(ex));
	CHECK_EQ(7, ibv_wc_read_sl(ex));
	CHECK_EQ(0, ibv_wc_read_slid(ex));
	CHECK_EQ(0, ibv_wc_read_dlid_path_bits(ex));
	CHECK_EQ(ENOENT, ibv_next_poll(ex));
	/* Something completes meanwhile, as posting from here can do. */
	cqe.status = IBV_WC_RETRY_EXC_ERR;
	cqe.wr_id = 8;
	CHECK(put(cq, cqe));
	CHECK_EQ(0, left.rq.freed);
	CHECK_EQ(0, ibv_next_poll(ex));
	CHECK_EQ(1, left.rq.freed);
	CHECK_EQ(8, ex->wr_id);
	CHECK_EQ(IBV_WC_RETRY_EXC_ERR, ex->status);
	CHECK_EQ(6, ibv_wc_read_vendor_err(ex));
	CHECK_EQ(4, ibv_wc_read_qp_num(ex));
	CHECK_EQ(0, ibv_wc_read_opcode(ex));
	CHECK_EQ(0, ibv_wc_read_byte_len(ex));
	CHECK_EQ(0, ibv_wc_read_imm_data(ex));
	CHECK_EQ(0, ibv_wc_read_src_qp(ex));
	CHECK_EQ(0, ibv_wc_read_wc_flags(ex));
	CHECK_EQ(0, ibv_wc_read_sl(ex));
	/* The entry that is being looked at counts: three more fit. */
	cqe.status = IBV_WC_SUCCESS;
	for (cqe.wr_id = 9; cqe.wr_id < 12; cqe.wr_id++)
		CHECK(put(cq, cqe));
	ibv_end_poll(ex);
	CHECK_EQ(2, left.rq.freed);
	/* ibv_poll_cq works on it as well. */
	expect(cq, 9);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	CHECK_EQ(10, ex->wr_id);
	ibv_end_poll(ex);
	expect(cq, 11);
	CHECK_EQ(5, left.rq.freed);
	CHECK_EQ(ENOENT, ibv_start_poll(ex, &attr));
	close_cq(cq);
}

static void an_extended_poll_sees_everything(void)
{
	check_extended(0);
	check_extended(IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

static void a_queue_pair_may_go_while_its_completion_is_looked_at(void)
{
	struct ibv_cq_ex *ex = open_cq_ex(4, IBV_WC_EX_WITH_QP_NUM, 0);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct ibv_poll_cq_attr attr = { 0 };
	struct shca_qp *gone = calloc(1, sizeof(*gone));
	struct shca_srq srq = { 0 };

	T_MUST(gone);
	put(cq, (struct shca_cqe){ .wr_id = 1, .qp_num = 77, .qp = gone, .srq = &srq, .opcode = IBV_WC_RECV });
	put_send(cq, gone, 2);
	put_send(cq, &right, 3);
	CHECK_EQ(0, ibv_start_poll(ex, &attr));
	shca_cq_forget(to_shca_cq(cq), gone);
	free(gone);
	CHECK_EQ(1, srq.receives.freed);
	CHECK_EQ(1, ex->wr_id);
	CHECK_EQ(77, ibv_wc_read_qp_num(ex));
	CHECK_EQ(0, ibv_next_poll(ex));
	CHECK_EQ(3, ex->wr_id);
	CHECK_EQ(1, srq.receives.freed);
	CHECK_EQ(ENOENT, ibv_next_poll(ex));
	ibv_end_poll(ex);
	close_cq(cq);
}

/* ---- overrun ---- */

static void *destroy_cq(void *cq)
{
	CHECK_EQ(0, ibv_destroy_cq(cq));
	return NULL;
}

static void an_overrun_is_told_once_and_for_all(void)
{
	struct ibv_cq *cq = open_cq(3, NULL);
	struct ibv_async_event event;
	pthread_t destroyer;

	for (uint64_t id = 1; id <= 3; id++)
		CHECK(put_send(cq, &left, id));
	CHECK(!t_is_readable(context->async_fd));
	CHECK(!put_send(cq, &left, 4));
	CHECK(!put_send(cq, &left, 5));
	for (uint64_t id = 1; id <= 3; id++)
		expect(cq, id);
	CHECK(!put_send(cq, &left, 6));
	expect_none(cq);
	CHECK_EQ(0, ibv_get_async_event(context, &event));
	CHECK_EQ(IBV_EVENT_CQ_ERR, event.event_type);
	CHECK(event.element.cq == cq);
	CHECK(!t_is_readable(context->async_fd));
	/* It waits for the acknowledgement, or finds it. */
	destroyer = t_start(destroy_cq, cq);
	ibv_ack_async_event(&event);
	pthread_join(destroyer, NULL);
}

static void an_overrun_that_nobody_fetched_vanishes_with_the_queue(void)
{
	struct ibv_cq *cq = open_cq(1, NULL);

	T_MUST(!shca_fault_set("overrun@2"));
	CHECK(put_send(cq, &left, 1));
	expect(cq, 1);
	CHECK(!put_send(cq, &left, 2));
	T_MUST(!shca_fault_set("off"));
	CHECK(t_is_readable(context->async_fd));
	close_cq(cq);
	CHECK(!t_is_readable(context->async_fd));
}

/* ---- arming ---- */

static void expect_event(struct ibv_cq *cq)
{
	struct ibv_cq *announced = NULL;
	void *its_context = NULL;

	CHECK(t_is_readable(channel->fd));
	CHECK_EQ(0, ibv_get_cq_event(channel, &announced, &its_context));
	CHECK(announced == cq);
	CHECK(its_context == cq->cq_context);
	ibv_ack_cq_events(cq, 1);
	CHECK(!t_is_readable(channel->fd));
}

static void an_armed_queue_announces_the_next_completion(void)
{
	struct ibv_cq *cq = open_cq(64, channel);

	put_send(cq, &left, 1);
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	/* What was there before does not count, and what comes after counts once. */
	CHECK(!t_is_readable(channel->fd));
	put_send(cq, &left, 2);
	put_send(cq, &left, 3);
	expect_event(cq);
	put_send(cq, &left, 4);
	CHECK(!t_is_readable(channel->fd));
	close_cq(cq);
}

static void solicited_means_solicited_or_failed(void)
{
	struct ibv_cq *cq = open_cq(64, channel);

	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	put_send(cq, &left, 1);
	put_receive(cq, &left, NULL, 2, false);
	CHECK(!t_is_readable(channel->fd));
	put_receive(cq, &left, NULL, 3, true);
	expect_event(cq);
	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	put(cq, (struct shca_cqe){ .qp = &left, .status = IBV_WC_WR_FLUSH_ERR });
	expect_event(cq);
	/* Any completion wins, whichever was asked for last. */
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	put_send(cq, &left, 4);
	expect_event(cq);
	CHECK_EQ(0, ibv_req_notify_cq(cq, 1));
	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	put_send(cq, &left, 5);
	expect_event(cq);
	close_cq(cq);
}

static void without_a_channel_there_is_nothing_to_arm(void)
{
	struct ibv_cq *cq = open_cq(1, NULL);

	CHECK_EQ(0, ibv_req_notify_cq(cq, 0));
	CHECK(put_send(cq, &left, 1));
	expect(cq, 1);
	close_cq(cq);
}

static void events_end_with_their_queue(void)
{
	struct ibv_cq *first = open_cq(4, channel), *second = open_cq(4, channel), *got;
	void *its_context;
	pthread_t destroyer;

	for (int i = 0; i < 2; i++) {
		CHECK_EQ(0, ibv_req_notify_cq(first, 0));
		put_send(first, &left, 1);
	}
	CHECK_EQ(0, ibv_req_notify_cq(second, 0));
	put_send(second, &left, 1);
	CHECK_EQ(0, ibv_req_notify_cq(second, 0));
	CHECK_EQ(0, ibv_get_cq_event(channel, &got, &its_context));
	CHECK(got == first);
	/* One of its events was fetched, the other one vanishes. */
	destroyer = t_start(destroy_cq, first);
	ibv_ack_cq_events(first, 1);
	pthread_join(destroyer, NULL);
	expect_event(second);
	close_cq(second);
	CHECK(!t_is_readable(channel->fd));
	CHECK_EQ(0, to_shca_channel(channel)->queue.promised);
}

/* ---- between a look and an arming nothing is lost ---- */

#define RACE_ROUNDS 20000

static _Atomic uint64_t consumed;

static void *produce(void *cq)
{
	for (uint64_t id = 1; id <= RACE_ROUNDS; id++) {
		put_send(cq, &left, id);
		while (atomic_load(&consumed) != id)
			sched_yield();
	}
	return NULL;
}

static void arm_look_and_sleep(void)
{
	struct ibv_cq *cq = open_cq(1, channel), *got;
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
		if (!t_wait_readable(channel->fd)) {
			T_FAIL("completion %" PRIu64 " was not announced", id);
			exit(1);
		}
		CHECK_EQ(0, ibv_get_cq_event(channel, &got, &its_context));
		events++;
	}
	pthread_join(producer, NULL);
	ibv_ack_cq_events(cq, events);
	close_cq(cq);
}

/* ---- many threads ---- */

#define PER_PRODUCER 20000

static _Atomic uint32_t put_count, polled_count;
static _Atomic bool done;

static void *put_many(void *cq)
{
	for (uint32_t i = 0; i < PER_PRODUCER; i++) {
		/* As a queue pair does: never more than there is room for. */
		while (atomic_fetch_add(&put_count, 1) - atomic_load(&polled_count) >= 32) {
			atomic_fetch_sub(&put_count, 1);
			sched_yield();
		}
		CHECK(put_receive(cq, &left, NULL, i, false));
	}
	return NULL;
}

/* Sends are not the producers': more polled than put would look like a full queue to them, for ever. */
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
	}
	return NULL;
}

static void *poll_many_extended(void *cq)
{
	struct ibv_cq_ex *ex = cq;
	struct ibv_poll_cq_attr attr = { 0 };

	while (!atomic_load(&done)) {
		if (ibv_start_poll(ex, &attr))
			continue;
		do {
			count(ibv_wc_read_opcode(ex));
		} while (ibv_next_poll(ex) == 0);
		ibv_end_poll(ex);
	}
	return NULL;
}

static void nothing_is_lost_among_threads(void)
{
	struct ibv_cq_ex *ex = open_cq_ex(40, 0, 0);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	pthread_t pollers[3], producers[2];

	clear_slots();
	pollers[0] = t_start(poll_many, cq);
	pollers[1] = t_start(poll_many_extended, ex);
	pollers[2] = t_start(poll_many_extended, ex);
	producers[0] = t_start(put_many, cq);
	producers[1] = t_start(put_many, cq);
	for (int i = 0; i < 500; i++) {
		CHECK_EQ(0, ibv_resize_cq(cq, 40 + i));
		put_send(cq, &right, 1);
		shca_cq_forget(to_shca_cq(cq), &right);
	}
	pthread_join(producers[0], NULL);
	pthread_join(producers[1], NULL);
	while (atomic_load(&left.rq.freed) < 2 * PER_PRODUCER)
		sched_yield();
	atomic_store(&done, true);
	for (int i = 0; i < 3; i++)
		pthread_join(pollers[i], NULL);
	CHECK_EQ(2 * PER_PRODUCER, left.rq.freed);
	expect_none(cq);
	close_cq(cq);
}

int main(void)
{
	context = t_context_open();
	channel = ibv_create_comp_channel(context);
	T_MUST(channel);
	T_RUN(arguments_are_checked);
	T_RUN(extended_arguments_are_checked);
	T_RUN(completions_come_in_order);
	T_RUN(a_completion_tells_all_or_only_what_is_valid);
	T_RUN(polling_gives_slots_back);
	T_RUN(completions_of_a_queue_pair_that_goes_vanish);
	T_RUN(another_size_keeps_what_is_there);
	T_RUN(the_getters_are_those_that_were_asked_for);
	T_RUN(an_extended_poll_sees_everything);
	T_RUN(a_queue_pair_may_go_while_its_completion_is_looked_at);
	T_RUN(an_overrun_is_told_once_and_for_all);
	T_RUN(an_overrun_that_nobody_fetched_vanishes_with_the_queue);
	T_RUN(an_armed_queue_announces_the_next_completion);
	T_RUN(solicited_means_solicited_or_failed);
	T_RUN(without_a_channel_there_is_nothing_to_arm);
	T_RUN(events_end_with_their_queue);
	T_RUN(arm_look_and_sleep);
	T_RUN(nothing_is_lost_among_threads);
	T_MUST(!ibv_destroy_comp_channel(channel));
	T_MUST(!ibv_close_device(context));
	return t_result();
}
