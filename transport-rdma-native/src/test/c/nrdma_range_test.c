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
#include <unistd.h>

#include "t_rdma.h"

#define ALIGNMENT	0x400000l
#define SIZE		(8 * ALIGNMENT)
#define PIECE		0x100000l

static int descriptors[2];

/* Returns whether a byte can be read, without a signal if not. */
static int is_there(jlong address)
{
	char byte;

	if (write(descriptors[1], nrdma_ptr(address), 1) < 0) {
		CHECK_EQ(EFAULT, errno);
		return 0;
	}
	CHECK_EQ(1, read(descriptors[0], &byte, 1));
	return 1;
}

static jlong reserve(jlong size, jlong alignment)
{
	return T_NATIVE(nrdma_range_methods, jlong, reserve, jlong, jlong)(T_ENV, size, alignment);
}

static jint commit(jlong address, jlong size, jint huge)
{
	return T_NATIVE(nrdma_range_methods, jint, commit, jlong, jlong, jint)(T_ENV, address, size, huge);
}

static jint uncommit(jlong address, jlong size)
{
	return T_NATIVE(nrdma_range_methods, jint, uncommit, jlong, jlong)(T_ENV, address, size);
}

static jint release(jlong address, jlong size)
{
	return T_NATIVE(nrdma_range_methods, jint, release, jlong, jlong)(T_ENV, address, size);
}

static void a_range_is_aligned_and_empty(void)
{
	jlong range = reserve(SIZE, ALIGNMENT);

	CHECK(range > 0);
	CHECK_EQ(0, range % ALIGNMENT);
	CHECK(!is_there(range));
	CHECK(!is_there(range + SIZE - 1));
	CHECK_EQ(0, release(range, SIZE));
}

static void what_is_committed_is_there_and_zero(void)
{
	jlong range = reserve(SIZE, ALIGNMENT);
	jlong piece = range + ALIGNMENT;
	jint huge;

	for (huge = 0; huge <= 1; huge++) {
		CHECK_EQ(0, commit(piece, PIECE, huge));
		CHECK(!is_there(piece - 1));
		CHECK(is_there(piece));
		CHECK(is_there(piece + PIECE - 1));
		CHECK(!is_there(piece + PIECE));
		CHECK_EQ(0, *(char *)nrdma_ptr(piece));
		*(char *)nrdma_ptr(piece) = 1;
		CHECK_EQ(0, uncommit(piece, PIECE));
		CHECK(!is_there(piece));
		CHECK(!is_there(piece + PIECE - 1));
	}
	CHECK_EQ(0, release(range, SIZE));
	CHECK(!is_there(piece));
}

/* Asks for more explicit huge pages than any machine has ready. */
static void what_cannot_be_had_is_told(void)
{
	jlong range = reserve(1l << 40, 1l << 21);

	CHECK(range > 0);
	CHECK_EQ(-ENOMEM, commit(range, 1l << 40, 2));
	CHECK_EQ(0, release(range, 1l << 40));
	CHECK_EQ(-ENOMEM, reserve(1l << 60, 1l << 21));
	CHECK_EQ(-EINVAL, release(1, 1));
	CHECK_EQ(-EINVAL, uncommit(1, 1));
}

int main(void)
{
	CHECK_EQ(0, pipe(descriptors));
	T_RUN(a_range_is_aligned_and_empty);
	T_RUN(what_is_committed_is_there_and_zero);
	T_RUN(what_cannot_be_had_is_told);
	return t_result();
}
