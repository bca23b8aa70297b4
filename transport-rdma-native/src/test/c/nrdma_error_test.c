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

#include "abi/nrdma_error.h"

#include "t.h"

static int fail(int ret, int error)
{
	errno = error;
	return ret;
}

static void *fail_with_null(int error)
{
	errno = error;
	return NULL;
}

/* The three dialects: errno, -1 and errno, -errno. */
static void every_dialect_becomes_minus_errno(void)
{
	CHECK_EQ(0, NRDMA_RESULT(fail(0, ENOMEM)));
	CHECK_EQ(-ENOMEM, NRDMA_RESULT(fail(ENOMEM, 0)));
	CHECK_EQ(-ENOMEM, NRDMA_RESULT(fail(-ENOMEM, 0)));
	CHECK_EQ(-ENOMEM, NRDMA_RESULT(fail(-1, ENOMEM)));
	CHECK_EQ(-ENODEV, NRDMA_HANDLE(fail_with_null(ENODEV)));
}

static void failure_without_errno_is_eio(void)
{
	errno = ENOENT;
	CHECK_EQ(-EIO, NRDMA_RESULT(-1));
	errno = ENOENT;
	CHECK_EQ(-EIO, NRDMA_HANDLE(NULL));
}

static void handle_is_the_address(void)
{
	int object;

	CHECK_EQ((intptr_t)&object, NRDMA_HANDLE(&object));
	CHECK(NRDMA_HANDLE(&object) > 0);
}

int main(void)
{
	T_RUN(every_dialect_becomes_minus_errno);
	T_RUN(failure_without_errno_is_eio);
	T_RUN(handle_is_the_address);
	return t_result();
}
