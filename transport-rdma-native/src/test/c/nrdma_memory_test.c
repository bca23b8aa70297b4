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

#include "t_rdma.h"

static struct ibv_pd pd;
static struct ibv_mr mr = { .lkey = 0x80000001, .rkey = 0x80000002 };
static char memory[64];
static int old_calls, young_calls;

static struct ibv_mr *reg_mr(struct ibv_pd *of, void *addr, size_t length, int access)
{
	CHECK(of == &pd);
	CHECK(addr == memory);
	CHECK_EQ(0x100000000, length);
	CHECK_EQ(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ, access);
	old_calls++;
	return &mr;
}

static struct ibv_mr *reg_mr_iova2(struct ibv_pd *of, void *addr, size_t length, uint64_t iova,
				   unsigned int access)
{
	CHECK(of == &pd);
	CHECK(addr == memory);
	CHECK_EQ(0x100000000, length);
	CHECK_EQ((uintptr_t)memory, iova);
	CHECK_EQ(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING, access);
	young_calls++;
	return &mr;
}

static struct ibv_mr *reg_no_mr(__attribute__((unused)) struct ibv_pd *of, __attribute__((unused)) void *addr,
				__attribute__((unused)) size_t length, __attribute__((unused)) int access)
{
	errno = ENOMEM;
	return NULL;
}

static jlong register_memory(jint access)
{
	return T_NATIVE(nrdma_memory_methods, jlong, registerMemory, jlong, jlong, jlong, jint)
		(T_ENV, t_handle(&pd), t_handle(memory), 0x100000000, access);
}

static void ordinary_access_takes_the_call_that_every_library_has(void)
{
	t_verbs()->ibv_reg_mr = reg_mr;
	t_verbs()->ibv_reg_mr_iova2 = NULL;
	CHECK_EQ(t_handle(&mr), register_memory(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ));
	CHECK_EQ(1, old_calls);
}

static void relaxed_ordering_uses_the_newer_call(void)
{
	jint access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING;

	t_verbs()->ibv_reg_mr_iova2 = NULL;
	CHECK_EQ(-ENOSYS, register_memory(access));
	t_verbs()->ibv_reg_mr_iova2 = reg_mr_iova2;
	CHECK_EQ(t_handle(&mr), register_memory(access));
	CHECK_EQ(1, young_calls);
}

static void failure_says_why(void)
{
	t_verbs()->ibv_reg_mr = reg_no_mr;
	CHECK_EQ(-ENOMEM, register_memory(IBV_ACCESS_LOCAL_WRITE));
}

static void keys_are_passed_as_their_bits(void)
{
	CHECK_EQ((jint)0x80000001, T_NATIVE(nrdma_memory_methods, jint, localKey, jlong)(T_ENV, t_handle(&mr)));
	CHECK_EQ((jint)0x80000002, T_NATIVE(nrdma_memory_methods, jint, remoteKey, jlong)(T_ENV, t_handle(&mr)));
}

int main(void)
{
	T_RUN(ordinary_access_takes_the_call_that_every_library_has);
	T_RUN(relaxed_ordering_uses_the_newer_call);
	T_RUN(failure_says_why);
	T_RUN(keys_are_passed_as_their_bits);
	return t_result();
}
