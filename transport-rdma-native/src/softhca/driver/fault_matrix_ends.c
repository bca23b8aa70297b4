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

#include "fault_matrix.h"

const struct d_timers quick = { .timeout = 6, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 1 };
const struct d_timers hasty = { .timeout = 4, .retry_cnt = 2, .rnr_retry = 2, .min_rnr_timer = 1 };
const struct d_timers never = { .timeout = 6, .retry_cnt = 7, .rnr_retry = 0, .min_rnr_timer = 1 };

struct end ends[2];
struct ibv_context *context;
struct ibv_pd *pd;
uint64_t current_seed;

/* ---- creation ---- */

void open_device(void)
{
	context = d_open();
	pd = D_HAVE(ibv_alloc_pd(context));
}

void close_device(void)
{
	D_MUST(ibv_dealloc_pd(pd));
	D_MUST(ibv_close_device(context));
}

void make_end(struct end *end, int cqe)
{
	struct ibv_qp_init_attr attr = d_rc_attributes(DEPTH, DEPTH);
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

void destroy_end(struct end *end)
{
	D_MUST(ibv_destroy_qp(end->qp));
	D_MUST(ibv_dereg_mr(end->mr));
	D_MUST(ibv_destroy_cq(end->send_cq));
	D_MUST(ibv_destroy_cq(end->recv_cq));
}

void make_ends(const struct d_timers *timers)
{
	for (int i = 0; i < 2; i++)
		make_end(&ends[i], 2 * DEPTH);
	for (int i = 0; i < 2; i++)
		d_connect(ends[i].qp, &ends[i].address, &ends[!i].address, timers);
}

void destroy_ends(void)
{
	for (int i = 0; i < 2; i++) {
		d_expect_nothing(ends[i].send_cq);
		d_expect_nothing(ends[i].recv_cq);
		destroy_end(&ends[i]);
	}
	D_EQ(-1, d_async_event(context, NULL));
}

/* ---- posting ---- */

static uint64_t content_of(uint32_t message)
{
	return current_seed << 32 | message;
}

int post_receive(struct end *end, uint32_t slot)
{
	struct ibv_sge sge = { (uintptr_t)end->received[slot % DEPTH], SIZE, end->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(end->qp, &wr, &bad);
}

int post_send(struct end *end, uint32_t message)
{
	struct ibv_sge sge = { (uintptr_t)end->sent[message % DEPTH], SIZE, end->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = message, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;

	d_fill(end->sent[message % DEPTH], SIZE, content_of(message));
	return ibv_post_send(end->qp, &wr, &bad);
}

int post_add(struct end *end, struct end *target, uint32_t message)
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

/* ---- expectations ---- */

void expect_completion(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc = d_wait(cq);

	if (wc.wr_id != wr_id || wc.status != status)
		D_FAIL("wr_id %llu with %s instead of %llu with %s", (unsigned long long)wc.wr_id,
		       ibv_wc_status_str(wc.status), (unsigned long long)wr_id, ibv_wc_status_str(status));
}

void expect_content(const struct end *end, uint32_t message)
{
	uint8_t expected[SIZE];

	d_fill(expected, SIZE, content_of(message));
	if (memcmp(expected, end->received[message % DEPTH], SIZE))
		D_FAIL("message %u has other bytes than were sent", message);
}

void expect_message(struct end *end, uint32_t message)
{
	expect_completion(end->recv_cq, message, IBV_WC_SUCCESS);
	expect_content(end, message);
}

void expect_receives_left(struct end *end, uint32_t first, uint32_t count)
{
	d_expect_nothing(end->recv_cq);
	D_EQ(IBV_QPS_RTS, d_state(end->qp));
	d_to_state(end->qp, IBV_QPS_ERR);
	for (uint32_t i = first; i < first + count; i++)
		expect_completion(end->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
}

uint32_t expect_break(struct ibv_cq *cq, enum ibv_wc_status status)
{
	uint32_t good = 0;
	struct ibv_wc wc;

	for (wc = d_wait(cq); wc.status == IBV_WC_SUCCESS; wc = d_wait(cq))
		D_EQ(good++, wc.wr_id);
	D_EQ(good, wc.wr_id);
	D_EQ(status, wc.status);
	for (uint32_t i = good + 1; i < DEPTH; i++)
		expect_completion(cq, i, IBV_WC_WR_FLUSH_ERR);
	return good;
}

void expect_async(enum ibv_event_type type)
{
	int event = d_wait_async_event(context, NULL);

	if (event != (int)type)
		D_FAIL("asynchronous event %s instead of %s", ibv_event_type_str((enum ibv_event_type)event),
		       ibv_event_type_str(type));
}

void expect_async_both(enum ibv_event_type one, enum ibv_event_type other)
{
	int first = d_wait_async_event(context, NULL);

	if (first != (int)one && first != (int)other)
		D_FAIL("asynchronous event %s instead of %s or %s", ibv_event_type_str((enum ibv_event_type)first),
		       ibv_event_type_str(one), ibv_event_type_str(other));
	expect_async(first == (int)one ? other : one);
}

/* ---- faults and processes ---- */

void faults(const char *format, uint64_t number)
{
	char text[128];

	snprintf(text, sizeof(text), format, (unsigned long long)number);
	d_control(0, "faults off,seed=%llu%s%s", (unsigned long long)current_seed, *text ? "," : "", text);
}

void run_alone(void (*run)(int fd))
{
	int fd;

	d_expect_exit(d_run_in_child(run, &fd), "child");
	close(fd);
}
