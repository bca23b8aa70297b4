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

#include "support.h"

#include <signal.h>
#include <stdarg.h>

static char context_text[256];
static unsigned int watchdog_seconds;

/* ---- failures ---- */

void d_context(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(context_text, sizeof(context_text), format, arguments);
	va_end(arguments);
}

void d_fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "FAILED %s:%d [%d] (%s): ", file, line, (int)getpid(), context_text);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	_exit(1);
}

static void write_text(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(2);
}

static void on_watchdog(int signal_number)
{
	(void)signal_number;
	write_text("FAILED: hangs (");
	write_text(context_text);
	write_text(")\n");
	/* A core dump or a debugger shows where. */
	abort();
}

void d_watchdog(unsigned int seconds)
{
	watchdog_seconds = seconds;
	signal(SIGALRM, on_watchdog);
	d_alive();
}

void d_alive(void)
{
	alarm(watchdog_seconds);
}

/* ---- random numbers: splitmix64 ---- */

uint64_t d_random(struct d_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint32_t d_below(struct d_random *random, uint32_t limit)
{
	return (uint32_t)((d_random(random) >> 32) * limit >> 32);
}

bool d_once_in(struct d_random *random, uint32_t n)
{
	return d_below(random, n) == 0;
}

void d_fill(void *memory, size_t length, uint64_t seed)
{
	struct d_random random = { .state = seed };
	uint8_t *to = memory;

	for (; length >= sizeof(uint64_t); to += sizeof(uint64_t), length -= sizeof(uint64_t)) {
		uint64_t word = d_random(&random);

		memcpy(to, &word, sizeof(word));
	}
	if (length) {
		uint64_t word = d_random(&random);

		memcpy(to, &word, length);
	}
}

/* ---- options ---- */

uint64_t d_option(int argc, char **argv, const char *name, uint64_t fallback)
{
	for (int i = 1; i + 1 < argc; i++) {
		char *end;
		uint64_t value;

		if (strcmp(argv[i], name))
			continue;
		value = strtoull(argv[i + 1], &end, 0);
		if (*end || end == argv[i + 1])
			D_FAIL("%s %s: not a number", name, argv[i + 1]);
		return value;
	}
	return fallback;
}
