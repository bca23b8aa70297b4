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

/* SRD with many threads: two post to one queue pair, others poll, while handles and queue pairs come and go. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "t_srd.h"

#define POSTERS		2
#define REQUESTS	3000u

static struct t_srd left, right;
static _Atomic uint32_t sent, received;
static _Atomic bool over;

static void *post(void *argument)
{
	uint64_t number = (uintptr_t)argument;
	uint32_t i = 0;

	while (i < REQUESTS) {
		enum ibv_wr_opcode opcode = i % 2 ? IBV_WR_SEND_WITH_IMM : IBV_WR_RDMA_WRITE_WITH_IMM;
		/* The threads write to memory of their own. */
		int ret = t_srd_post(&left, number, opcode, number * 64, 64, t_to(&right, 65536 + number * 64));

		if (ret == 0)
			i++;
		else
			CHECK_EQ(ENOMEM, ret);
	}
	return NULL;
}

static void *take_sends(void *argument)
{
	struct ibv_wc wc;

	(void)argument;
	while (!atomic_load(&over)) {
		if (ibv_poll_cq(ibv_cq_ex_to_cq(left.send_cq), 1, &wc) != 1)
			continue;
		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		atomic_fetch_add(&sent, 1);
	}
	return NULL;
}

static void *take_receives(void *argument)
{
	struct ibv_wc wc;

	(void)argument;
	for (uint64_t i = 0; i < T_DEPTH; i++)
		CHECK_EQ(0, t_srd_receive(&right, i, i * 64, 64));
	while (!atomic_load(&over)) {
		if (ibv_poll_cq(ibv_cq_ex_to_cq(right.recv_cq), 1, &wc) != 1)
			continue;
		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		atomic_fetch_add(&received, 1);
		CHECK_EQ(0, t_srd_receive(&right, wc.wr_id, wc.wr_id * 64, 64));
	}
	return NULL;
}

/* Its queue pairs are destroyed with requests in flight. */
static void *create_and_destroy(void *argument)
{
	(void)argument;
	while (!atomic_load(&over)) {
		struct ibv_ah *handle = t_handle(left.pd);
		struct t_srd third;

		T_MUST(handle);
		t_srd_open(&third, 4096, T_ALL_OPS, 7);
		for (uint64_t i = 0; i < 8; i++)
			CHECK_EQ(0, t_srd_post(&third, i, IBV_WR_RDMA_READ, 0, 4096, t_to(&right, 131072)));
		t_srd_close(&third);
		T_MUST(!ibv_destroy_ah(handle));
	}
	return NULL;
}

static void each_request_is_done_once(void)
{
	static void *(*const others[])(void *) = { take_sends, take_receives, create_and_destroy };
	pthread_t threads[POSTERS + 3];
	time_t end = time(NULL) + 4 * T_PATIENCE;

	t_efa_open();
	t_srd_open(&left, 1 << 20, T_ALL_OPS, 7);
	t_srd_open(&right, 1 << 20, T_ALL_OPS, 7);
	for (size_t i = 0; i < 3; i++)
		T_MUST(!pthread_create(&threads[i], NULL, others[i], NULL));
	for (uintptr_t i = 0; i < POSTERS; i++)
		T_MUST(!pthread_create(&threads[3 + i], NULL, post, (void *)i));
	while (time(NULL) < end && (atomic_load(&sent) < POSTERS * REQUESTS ||
				    atomic_load(&received) < POSTERS * REQUESTS))
		sched_yield();
	CHECK_EQ(POSTERS * REQUESTS, atomic_load(&sent));
	CHECK_EQ(POSTERS * REQUESTS, atomic_load(&received));
	atomic_store(&over, true);
	for (size_t i = 0; i < POSTERS + 3; i++)
		pthread_join(threads[i], NULL);
	t_srd_close(&left);
	t_srd_close(&right);
	t_efa_close();
}

int main(void)
{
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "efa", 1));
	T_MUST(!setenv("SOFTHCA_QUIET", "1", 1));
	T_RUN(each_request_is_done_once);
	return t_result();
}
