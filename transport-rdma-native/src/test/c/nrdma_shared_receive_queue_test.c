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

#include <errno.h>

#include "abi/nrdma_abi.h"
#include "t_rdma.h"

static struct ibv_pd pd;
static struct ibv_srq srq;
static uint32_t armed;
static int modify_result;
static int destroyed;

static struct ibv_srq *create_srq(struct ibv_pd *of, struct ibv_srq_init_attr *attr)
{
	CHECK(of == &pd);
	CHECK_EQ(0x1234, (uintptr_t)attr->srq_context);
	CHECK_EQ(100, attr->attr.max_wr);
	CHECK_EQ(2, attr->attr.max_sge);
	CHECK_EQ(0, attr->attr.srq_limit);
	attr->attr.max_wr = 127;
	attr->attr.max_sge = 3;
	return &srq;
}

static int modify_srq(struct ibv_srq *of, struct ibv_srq_attr *attr, int mask)
{
	CHECK(of == &srq);
	CHECK_EQ(IBV_SRQ_LIMIT, mask);
	armed = attr->srq_limit;
	return modify_result;
}

static int query_srq(struct ibv_srq *of, struct ibv_srq_attr *attr)
{
	CHECK(of == &srq);
	attr->srq_limit = armed;
	return 0;
}

static int destroy_srq(struct ibv_srq *of)
{
	CHECK(of == &srq);
	destroyed++;
	return 0;
}

static jlong create(struct nrdma_srq_init *init, uint32_t limit)
{
	*init = (struct nrdma_srq_init) {
		.pd = (uintptr_t)&pd, .context = 0x1234, .max_wr = 100, .max_sge = 2, .limit = limit,
	};
	armed = 0;
	t_verbs()->ibv_create_srq = create_srq;
	t_verbs()->ibv_modify_srq = modify_srq;
	t_verbs()->ibv_query_srq = query_srq;
	t_verbs()->ibv_destroy_srq = destroy_srq;
	return T_NATIVE(nrdma_shared_receive_queue_methods, jlong, createSharedReceiveQueue, jlong)
		(T_ENV, t_handle(init));
}

static void queue_reports_the_granted_values(void)
{
	struct nrdma_srq_init init;

	CHECK_EQ(t_handle(&srq), create(&init, 0));
	CHECK_EQ(127, init.max_wr);
	CHECK_EQ(3, init.max_sge);
	CHECK_EQ(0, armed);
}

static void limit_is_armed_and_read(void)
{
	struct nrdma_srq_init init;

	CHECK_EQ(t_handle(&srq), create(&init, 10));
	CHECK_EQ(10, armed);
	CHECK_EQ(0, T_NATIVE(nrdma_shared_receive_queue_methods, jint, armSharedReceiveQueueLimit, jlong, jint)
		 (T_ENV, t_handle(&srq), 20));
	CHECK_EQ(20, T_NATIVE(nrdma_shared_receive_queue_methods, jint, sharedReceiveQueueLimit, jlong)
		 (T_ENV, t_handle(&srq)));
}

static void queue_whose_limit_fails_is_destroyed(void)
{
	struct nrdma_srq_init init;

	modify_result = EINVAL;
	CHECK_EQ(-EINVAL, create(&init, 10));
	CHECK_EQ(1, destroyed);
	CHECK_EQ(100, init.max_wr);
	modify_result = 0;
}

int main(void)
{
	T_RUN(queue_reports_the_granted_values);
	T_RUN(limit_is_armed_and_read);
	T_RUN(queue_whose_limit_fails_is_destroyed);
	return t_result();
}
