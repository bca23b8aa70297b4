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

/* When the range of ports is read, and which is taken for a file without one. The tests choose file and time. */
#include <unistd.h>

#include "base/shca_clock.h"
#include "registry/shca_port_range.h"
#include "t_wait.h"

#define START	(7 * SHCA_NS_PER_S)

static char path[] = "/tmp/shca_port_range_test.XXXXXX";

static void write_file(const char *text)
{
	FILE *file = fopen(path, "we");

	T_MUST(file && fputs(text, file) >= 0);
	T_MUST(!fclose(file));
}

static void expect(const struct shca_port_range *range, uint32_t first, uint32_t last)
{
	CHECK_EQ(first, range->first);
	CHECK_EQ(last, range->last);
}

static void expect_range_of(const char *text, uint32_t first, uint32_t last)
{
	struct shca_port_range range = { 0 };

	write_file(text);
	shca_port_range_read(&range, path, START);
	expect(&range, first, last);
}

static void the_range_is_that_of_the_file(void)
{
	expect_range_of("40000\t40009\n", 40000, 40009);
	expect_range_of("1\t65535\n", 1, 65535);
	expect_range_of("5000\t5000\n", 5000, 5000);
}

static void a_change_counts_from_the_next_second_on(void)
{
	struct shca_port_range range = { 0 };

	write_file("40000\t40009\n");
	shca_port_range_read(&range, path, START);
	write_file("50000\t50009\n");
	shca_port_range_read(&range, path, START + SHCA_NS_PER_S - 1);
	expect(&range, 40000, 40009);
	shca_port_range_read(&range, path, START + SHCA_NS_PER_S);
	expect(&range, 50000, 50009);
	write_file("40000\t40009\n");
	shca_port_range_read(&range, path, START + 2 * SHCA_NS_PER_S - 1);
	expect(&range, 50000, 50009);
	shca_port_range_read(&range, path, START + 2 * SHCA_NS_PER_S);
	expect(&range, 40000, 40009);
}

static void content_that_is_no_range_gives_the_default(void)
{
	static const char *const texts[] = { "", "x", "40000", "0\t100", "40009\t40000", "40000\t65536" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		expect_range_of(texts[i], 32768, 60999);
}

static void a_missing_file_gives_the_default_until_it_is_there(void)
{
	struct shca_port_range range = { 0 };

	T_MUST(!unlink(path));
	shca_port_range_read(&range, path, START);
	expect(&range, 32768, 60999);
	write_file("40000\t40009\n");
	shca_port_range_read(&range, path, START + SHCA_NS_PER_S);
	expect(&range, 40000, 40009);
}

int main(void)
{
	int file = mkstemp(path);

	T_MUST(file >= 0);
	close(file);
	T_RUN(the_range_is_that_of_the_file);
	T_RUN(a_change_counts_from_the_next_second_on);
	T_RUN(content_that_is_no_range_gives_the_default);
	T_RUN(a_missing_file_gives_the_default_until_it_is_there);
	unlink(path);
	return t_result();
}
