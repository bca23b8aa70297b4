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

/* Starts and stops what drives the device, once for all contexts of a process. */
#include "progress/shca_engine.h"

#include <errno.h>
#include <pthread.h>

#include "fault/shca_fault.h"
#include "progress/shca_helper.h"
#include "progress/shca_process_end.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"

static struct {
	pthread_mutex_t lock;		/* for users, start and stop */
	unsigned int users;
	bool is_forked;			/* a child: helper thread, links and slot are the parent's */
	bool has_fork_handler;
} engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* Prevents a fork in the middle of a start or a stop. */
static void before_fork(void)
{
	pthread_mutex_lock(&engine.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&engine.lock);
}

/* The child has the parent's descriptors, but no helper thread. Locks on open files are shared, too. */
static void forked(void)
{
	pthread_mutex_init(&engine.lock, NULL);
	if (!engine.users)
		return;
	engine.is_forked = true;
	engine.users = 0;
	shca_wakeup_close();
	shca_watch_forked();
	shca_wakers_forked();
	shca_processes_forked();
	shca_links_forked();
	shca_fabric_forked();
}

static void close_all(void)
{
	shca_processes_stop_listening();
	shca_process_end_all();
	shca_wakeup_close();
	shca_fabric_leave();
}

static int start(void)
{
	int listening_fd;
	int result;

	shca_fault_init();
	if (!engine.has_fork_handler && pthread_atfork(before_fork, after_fork, forked))
		return -ENOMEM;
	engine.has_fork_handler = true;
	result = shca_fabric_enter();
	if (result)
		return result;
	shca_wakeup_forget_deadline();
	result = shca_processes_listen(&listening_fd);
	if (!result)
		result = shca_wakeup_open();
	if (!result)
		result = shca_helper_start(listening_fd);
	if (result)
		close_all();
	return result;
}

int shca_engine_start(void)
{
	int result = 0;

	pthread_mutex_lock(&engine.lock);
	if (engine.is_forked)
		result = -ENODEV;
	else if (!engine.users)
		result = start();
	if (!result)
		engine.users++;
	pthread_mutex_unlock(&engine.lock);
	return result;
}

void shca_engine_stop(void)
{
	pthread_mutex_lock(&engine.lock);
	if (engine.users && --engine.users == 0) {
		shca_helper_stop();
		close_all();
	}
	pthread_mutex_unlock(&engine.lock);
}

bool shca_engine_is_stopped(void)
{
	bool stopped;

	pthread_mutex_lock(&engine.lock);
	stopped = !engine.users;
	pthread_mutex_unlock(&engine.lock);
	return stopped;
}
