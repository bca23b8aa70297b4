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

/* Conditions that a test cannot go on without, and waiting for events. */
#ifndef T_WAIT_H
#define T_WAIT_H

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

#include "../../test/c/t.h"

#define T_PATIENCE	30	/* seconds to wait for something that must come */
#define T_PATIENCE_MS	(T_PATIENCE * 1000)

#define T_MUST(condition)								\
	do {										\
		if (!(condition)) {							\
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, strerror(errno)); \
			exit(1);							\
		}									\
	} while (0)

static inline bool t_wait_readable_for(int fd, int ms)
{
	struct pollfd set = { .fd = fd, .events = POLLIN };
	int ready;

	do
		ready = poll(&set, 1, ms);
	while (ready < 0 && errno == EINTR);
	return ready > 0;
}

static inline bool t_is_readable(int fd)
{
	return t_wait_readable_for(fd, 0);
}

/* Returns false when nothing has come in time. */
static inline bool t_wait_readable(int fd)
{
	return t_wait_readable_for(fd, T_PATIENCE_MS);
}

/* Returns false when it was not posted in time. */
static inline bool t_wait_posted(sem_t *semaphore)
{
	struct timespec limit;
	int result;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += T_PATIENCE;
	do
		result = sem_timedwait(semaphore, &limit);
	while (result && errno == EINTR);
	return !result;
}

#endif
