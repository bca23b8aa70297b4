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
/* Posting to queues that get full, against the provider of t_posting.h. */
#include "t_batch.h"

static const int full_results[] = { ENOMEM, -ENOMEM, -1 };

static void queue_gets_full(int capacity, int full_result)
{
	struct nrdma_qp qp = new_qp(false, false, 0);
	struct batch batch = sends(100);

	fake.capacity = capacity;
	fake.full_result = full_result;
	check_result(capacity, ENOMEM, post(&qp, &batch));
	CHECK_EQ(capacity, fake.count);
	free(batch.bytes);
}

static void full_queue_says_how_many_were_posted(void)
{
	static const int capacities[] = { 0, 1, 31, 32, 33, 63, 64, 99 };
	size_t i, j;

	for (i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
		for (j = 0; j < 3; j++)
			queue_gets_full(capacities[i], full_results[j]);
}

static void full_queue_posts_nothing_of_a_session(void)
{
	struct nrdma_qp qp = new_qp(true, false, CONNECTION_OPS);
	struct batch batch = sends(100);
	size_t j;

	for (j = 0; j < 4; j++) {
		fake.capacity = 99;
		fake.full_result = j < 3 ? full_results[j] : ENOSPC;	/* rxe */
		check_result(0, ENOMEM, post(&qp, &batch));
		CHECK_EQ(0, fake.count);
		CHECK(!fake.in_session);
	}
	free(batch.bytes);
}

static void failure_without_culprit_counts_nothing_of_its_chunk(void)
{
	struct nrdma_qp qp = new_qp(false, false, 0);
	struct batch batch = sends(100);

	fake.capacity = 40;
	fake.names_culprit = false;
	check_result(32, ENOMEM, post(&qp, &batch));
	free(batch.bytes);
}

static void full_receive_queue(bool shared, int capacity, int full_result)
{
	struct batch batch = receives(100);

	new_qp(false, false, 0);
	fake.capacity = capacity;
	fake.full_result = full_result;
	check_result(capacity, ENOMEM, post_receive_batch(shared, &batch));
	CHECK_EQ(capacity, fake.count);
	free(batch.bytes);
}

static void full_receive_queue_says_how_many_were_posted(void)
{
	size_t j;

	for (j = 0; j < 3; j++) {
		full_receive_queue(false, 0, full_results[j]);
		full_receive_queue(false, 33, full_results[j]);
		full_receive_queue(true, 64, full_results[j]);
		full_receive_queue(true, 99, full_results[j]);
	}
}

int main(void)
{
	T_RUN(full_queue_says_how_many_were_posted);
	T_RUN(full_queue_posts_nothing_of_a_session);
	T_RUN(failure_without_culprit_counts_nothing_of_its_chunk);
	T_RUN(full_receive_queue_says_how_many_were_posted);
	return t_result();
}
