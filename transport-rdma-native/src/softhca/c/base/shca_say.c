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

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE	1024

static _Thread_local struct {
	int error;
	char text[LINE];
} failure;

static void print(const char *text)
{
	int error = errno;

	fprintf(stderr, "softhca: %s\n", text);
	errno = error;
}

static bool is_power_of_ten(uint64_t number)
{
	while (number >= 10 && number % 10 == 0)
		number /= 10;
	return number == 1;
}

static void print_seldom(_Atomic uint64_t *count, const char *text)
{
	uint64_t times = atomic_fetch_add(count, 1) + 1;

	if (times == 1)
		print(text);
	else if (is_power_of_ten(times))
		shca_say("%s; %" PRIu64 " times by now", text, times);
}

#define WRITE_TEXT(text)					\
	do {							\
		va_list arguments;				\
								\
		va_start(arguments, format);			\
		vsnprintf(text, LINE, format, arguments);	\
		va_end(arguments);				\
	} while (0)

void shca_say(const char *format, ...)
{
	char text[LINE];

	WRITE_TEXT(text);
	print(text);
}

void shca_say_seldom(_Atomic uint64_t *count, const char *format, ...)
{
	char text[LINE];

	WRITE_TEXT(text);
	print_seldom(count, text);
}

int shca_fail(int error, const char *format, ...)
{
	WRITE_TEXT(failure.text);
	failure.error = error;
	print(failure.text);
	return -error;
}

int shca_fail_seldom(_Atomic uint64_t *count, int error, const char *format, ...)
{
	WRITE_TEXT(failure.text);
	failure.error = error;
	print_seldom(count, failure.text);
	return -error;
}

const char *shca_reason(int error)
{
	if (!error || failure.error != error)
		return NULL;
	failure.error = 0;
	return failure.text;
}
