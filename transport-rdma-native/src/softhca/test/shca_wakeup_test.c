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

/* The sleep of the helper thread, and the thread that has to end it. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/shca_clock.h"
#include "wire/shca_wakeup.h"
#include "t_wait.h"

#define FAR_NS		3600000000000ull

/* ---- a thread that sleeps, and that a signal stops in the middle of its sleep ---- */

static pthread_t sleeper;
static _Atomic pid_t sleeper_id;
static sem_t stopped;
static sem_t may_go_on;

static void stop(int signal)
{
	(void)signal;
	sem_post(&stopped);
	while (sem_wait(&may_go_on))
		;
}

static void *sleep_once(void *until)
{
	atomic_store(&sleeper_id, gettid());
	shca_wakeup_sleep_until(*(uint64_t *)until);
	return NULL;
}

/* Not by its state: a sanitizer's lock lets a thread sleep, too. */
static bool is_asleep(void)
{
	char path[64];
	long call = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", atomic_load(&sleeper_id));
	file = fopen(path, "re");
	T_MUST(file);
	/* "running", or the number of the system call that it sleeps in. */
	if (fscanf(file, "%ld", &call) != 1)
		call = -1;
	fclose(file);
	return call == SYS_ppoll;
}

static void start_sleeper(uint64_t *until)
{
	atomic_store(&sleeper_id, 0);
	T_MUST(!pthread_create(&sleeper, NULL, sleep_once, until));
	while (!atomic_load(&sleeper_id) || !is_asleep())
		sched_yield();
}

/* How often the thread was woken, since that was last read: the count of the only eventfd of this process. */
static long writes(void)
{
	DIR *files = opendir("/proc/self/fdinfo");
	struct dirent *entry;
	long count = -1;

	T_MUST(files);
	while ((entry = readdir(files))) {
		char path[300];
		char line[100];
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", entry->d_name);
		file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file))
			if (!strncmp(line, "eventfd-count:", 14))
				count = strtol(line + 14, NULL, 16);
		if (file)
			fclose(file);
	}
	closedir(files);
	return count;
}

static bool ignore(void *owner)
{
	(void)owner;
	return false;
}

/*
 * The sleeper has no processor, so it cannot say that it is awake. That takes long on a busy machine, and every thread
 * that needs it meanwhile would write.
 */
static void first_earlier_deadline_wakes(void)
{
	uint64_t until = shca_now() + FAR_NS;

	T_MUST(!shca_wakeup_open());
	start_sleeper(&until);
	T_MUST(!pthread_kill(sleeper, SIGUSR1));
	T_MUST(t_wait_posted(&stopped));
	CHECK_EQ(0, writes());
	for (uint64_t i = 1; i <= 3; i++) {
		shca_wakeup_at(until - i);
		CHECK_EQ(1, writes());
	}
	sem_post(&may_go_on);
	pthread_join(sleeper, NULL);
	CHECK_EQ(SHCA_WAKEUP_KICK, shca_wakeup_handle(ignore));
	shca_wakeup_forget_deadline();
	shca_wakeup_close();
}

static void later_deadline_does_not_wake(void)
{
	uint64_t until = shca_now() + FAR_NS;

	T_MUST(!shca_wakeup_open());
	start_sleeper(&until);
	shca_wakeup_at(until + 1);
	CHECK_EQ(0, writes());
	CHECK_EQ(until + 1, shca_wakeup_deadline());
	shca_wakeup_now();
	pthread_join(sleeper, NULL);
	shca_wakeup_forget_deadline();
	shca_wakeup_close();
}

/* A time that was requested while the thread was awake keeps it from sleeping, and wakes no thread. */
static void deadline_set_before_sleep_is_kept(void)
{
	T_MUST(!shca_wakeup_open());
	shca_wakeup_at(1);
	CHECK_EQ(0, writes());
	shca_wakeup_sleep_until(SHCA_NEVER);
	CHECK_EQ(1, shca_wakeup_deadline());
	shca_wakeup_forget_deadline();
	shca_wakeup_close();
}

/* ---- what woke it ---- */

static bool was_kicked;

static bool answer(void *owner)
{
	eventfd_t value;

	eventfd_read(*(int *)owner, &value);
	return was_kicked;
}

static void message_does_not_count_as_kick(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	T_MUST(!shca_wakeup_open());
	T_MUST(!shca_wakeup_watch_fd(fd, &fd));
	CHECK_EQ(SHCA_WAKEUP_TIME, shca_wakeup_handle(answer));
	for (int kicked = 0; kicked < 2; kicked++) {
		was_kicked = kicked;
		eventfd_write(fd, 1);
		CHECK_EQ(kicked ? SHCA_WAKEUP_KICK : SHCA_WAKEUP_MESSAGE, shca_wakeup_handle(answer));
		CHECK_EQ(SHCA_WAKEUP_TIME, shca_wakeup_handle(answer));
	}
	was_kicked = false;
	eventfd_write(fd, 1);
	shca_wakeup_now();
	CHECK_EQ(SHCA_WAKEUP_KICK, shca_wakeup_handle(answer));
	shca_wakeup_unwatch_fd(fd);
	shca_wakeup_close();
	close(fd);
}

int main(void)
{
	struct sigaction action = { .sa_handler = stop };

	T_MUST(!sem_init(&stopped, 0, 0) && !sem_init(&may_go_on, 0, 0));
	T_MUST(!sigaction(SIGUSR1, &action, NULL));
	T_RUN(first_earlier_deadline_wakes);
	T_RUN(later_deadline_does_not_wake);
	T_RUN(deadline_set_before_sleep_is_kept);
	T_RUN(message_does_not_count_as_kick);
	return t_result();
}
