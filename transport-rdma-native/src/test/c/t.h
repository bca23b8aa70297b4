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
 * All that a test program needs. Each test is a function; main runs them and returns t_result().
 * A failed check prints what it saw and where, and the program goes on to the next one.
 */
#ifndef T_H
#define T_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int t_failures;
static const char *t_name;

#define T_RUN(test)		\
	do {			\
		t_name = #test;	\
		test();		\
	} while (0)

#define T_FAIL(...)								\
	do {									\
		fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, t_name);	\
		fprintf(stderr, __VA_ARGS__);					\
		fputc('\n', stderr);						\
		t_failures++;							\
	} while (0)

#define CHECK(condition)				\
	do {						\
		if (!(condition))			\
			T_FAIL("not so: %s", #condition);	\
	} while (0)

#define CHECK_EQ(expected, actual)						\
	do {									\
		int64_t t_expected = (int64_t)(expected);			\
		int64_t t_actual = (int64_t)(actual);				\
										\
		if (t_expected != t_actual)					\
			T_FAIL("%s is %" PRId64 " (0x%" PRIx64 "), not %" PRId64 " (0x%" PRIx64 ")", \
			       #actual, t_actual, (uint64_t)t_actual, t_expected, (uint64_t)t_expected); \
	} while (0)

#define CHECK_BYTES(expected, actual, size)					\
	do {									\
		if (memcmp(expected, actual, size))				\
			T_FAIL("%s and %s differ", #expected, #actual);		\
	} while (0)

#define CHECK_TEXT(expected, actual)						\
	do {									\
		if (strcmp(expected, actual))					\
			T_FAIL("%s is \"%s\", not \"%s\"", #actual, actual, expected);	\
	} while (0)

/* A machine may refuse what a test needs. ctest names programs that end with this status among those not run. */
#define T_NOT_RUN_STATUS	77

static int t_not_run;

#define T_NOT_RUN(...)							\
	do {								\
		fprintf(stderr, "NOT RUN: %s: ", t_name);		\
		fprintf(stderr, __VA_ARGS__);				\
		fputc('\n', stderr);					\
		t_not_run++;						\
	} while (0)

__attribute__((unused)) static int t_result(void)
{
	if (t_failures)
		fprintf(stderr, "%d checks failed\n", t_failures);
	return t_failures ? 1 : t_not_run ? T_NOT_RUN_STATUS : 0;
}

/* Random numbers that can be repeated: the seed is T_SEED in the environment, else the clock; it is printed. */
static uint64_t t_random_state;

__attribute__((unused)) static void t_seed(void)
{
	const char *seed = getenv("T_SEED");

	t_random_state = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	printf("T_SEED=%" PRIu64 "\n", t_random_state);
}

/* splitmix64 */
__attribute__((unused)) static uint64_t t_random(void)
{
	uint64_t z = t_random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* From 0 to limit - 1. */
__attribute__((unused)) static int t_random_below(int limit)
{
	return (int)(t_random() % (uint64_t)limit);
}

#endif
