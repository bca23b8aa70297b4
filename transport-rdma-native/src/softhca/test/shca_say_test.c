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

#include "base/shca_say.h"
#include "t_child.h"

static void print_a_thousand_times(void)
{
	static _Atomic uint64_t count;

	for (int i = 0; i < 1000; i++)
		shca_say_seldom(&count, "number %d", i);
}

static void repeated_line_is_printed_ever_less_often(void)
{
	char said[1024];

	t_said_in_child(NULL, NULL, print_a_thousand_times, said, sizeof(said));
	CHECK_TEXT("softhca: number 0\n"
		   "softhca: number 9; 10 times by now\n"
		   "softhca: number 99; 100 times by now\n"
		   "softhca: number 999; 1000 times by now\n", said);
}

static void fail_twice(void)
{
	static _Atomic uint64_t count;

	errno = EBUSY;
	CHECK_EQ(-ENOSPC, shca_fail(ENOSPC, "the %s is full", "cup"));
	CHECK_EQ(-ENOSPC, shca_fail_seldom(&count, ENOSPC, "still full"));
	CHECK_EQ(-ENOSPC, shca_fail_seldom(&count, ENOSPC, "full for long"));
	CHECK_EQ(EBUSY, errno);
	CHECK_TEXT("full for long", shca_reason(ENOSPC));
}

static void failure_is_printed_and_kept(void)
{
	char said[1024];

	t_said_in_child(NULL, NULL, fail_twice, said, sizeof(said));
	CHECK_TEXT("softhca: the cup is full\nsofthca: still full\n", said);
}

static void check_reasons(void)
{
	CHECK(!shca_reason(0));
	CHECK(!shca_reason(ENOSPC));
	shca_fail(ENOSPC, "full");
	/* Another call has failed. */
	CHECK(!shca_reason(EINVAL));
	CHECK_TEXT("full", shca_reason(ENOSPC));
	CHECK(!shca_reason(ENOSPC));
}

static void a_reason_belongs_to_one_failure(void)
{
	char said[64];

	t_said_in_child(NULL, NULL, check_reasons, said, sizeof(said));
}

int main(void)
{
	T_RUN(repeated_line_is_printed_ever_less_often);
	T_RUN(failure_is_printed_and_kept);
	T_RUN(a_reason_belongs_to_one_failure);
	return t_result();
}
