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
 * The two processes of raw_verbs: clock, meeting, printing.
 */
#include "raw_verbs.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

double seconds = 1.0;
int peer;

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void send_bytes(const void *data, size_t size)
{
	CHECK(write(peer, data, size) == (ssize_t)size);
}

void hear(void *data, size_t size)
{
	CHECK(recv(peer, data, size, MSG_WAITALL) == (ssize_t)size);
}

void meet(void)
{
	char c = 0;

	send_bytes(&c, 1);
	hear(&c, 1);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

void print_latency(const char *what, double *samples, unsigned int count)
{
	qsort(samples, count, sizeof(*samples), compare);
	printf("%-34s %8.3f us p50 %8.3f us p99 %9.3f us p99.9  (half a round trip, %u rounds)\n", what,
	       samples[count / 2] * 5e5, samples[(uint64_t)count * 99 / 100] * 5e5,
	       samples[(uint64_t)count * 999 / 1000] * 5e5, count);
	fflush(stdout);
}

void print_rate(const char *what, uint32_t size, double count, double took)
{
	if (size == SMALL)
		printf("%-34s %8.3f million/s\n", what, count / took * 1e-6);
	else
		printf("%-34s %8.2f GB/s\n", what, count * size / took * 1e-9);
	fflush(stdout);
}
