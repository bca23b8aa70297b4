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

/* An open device, for tests that need no queue pair. */
#ifndef T_CONTEXT_H
#define T_CONTEXT_H

#include <pthread.h>
#include <sched.h>

#include "t_pair.h"

static inline struct ibv_context *t_context_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;

	T_MUST(list && list[0]);
	context = ibv_open_device(list[0]);
	T_MUST(context);
	ibv_free_device_list(list);
	return context;
}

/* Checks that a creation fails, and with which errno. */
#define CHECK_REFUSED(error, creation)			\
	do {						\
		errno = 0;				\
		CHECK((creation) == NULL);		\
		CHECK_EQ(error, errno);			\
	} while (0)

/* Checks that a call returns an error number, which is errno, too. */
#define CHECK_ERROR(error, call)			\
	do {						\
		errno = 0;				\
		CHECK_EQ(error, call);			\
		CHECK_EQ(error, errno);			\
	} while (0)

static inline pthread_t t_start(void *(*run)(void *argument), void *argument)
{
	pthread_t thread;

	T_MUST(!pthread_create(&thread, NULL, run, argument));
	return thread;
}

#endif
