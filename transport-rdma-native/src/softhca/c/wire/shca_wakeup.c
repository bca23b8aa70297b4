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

#include "wire/shca_wakeup.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"

#define EVENTS		32
#define WATCHED		(EPOLLIN | EPOLLRDHUP)

static struct {
	int epoll_fd;
	int wake_fd;
	_Atomic uint64_t deadline;	/* the earliest time requested */
	_Atomic uint64_t asleep_until;	/* 0: the thread is awake and will read deadline */
} wakeup = {
	.epoll_fd = -1,
	.wake_fd = -1,
	.deadline = SHCA_NEVER,
};

void shca_wakeup_now(void)
{
	static _Atomic uint64_t count;
	uint64_t one = 1;

	if (wakeup.wake_fd >= 0 && write(wakeup.wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		shca_say_seldom(&count, "cannot wake the helper thread: %s", strerror(errno));
}

/*
 * The caller lowers the deadline and then reads asleep_until. The sleeper stores asleep_until and then reads the
 * deadline once more. All are sequentially consistent, so one of the two sees the other's store. The caller that clears
 * asleep_until wakes the sleeper; others need not, however long it takes until the sleeper gets a processor.
 */
void shca_wakeup_at(uint64_t deadline)
{
	uint64_t known = atomic_load(&wakeup.deadline);
	uint64_t until;

	while (deadline < known)
		if (atomic_compare_exchange_weak(&wakeup.deadline, &known, deadline))
			break;
	until = atomic_load(&wakeup.asleep_until);
	while (deadline < until)
		if (atomic_compare_exchange_weak(&wakeup.asleep_until, &until, 0)) {
			shca_wakeup_now();
			break;
		}
}

uint64_t shca_wakeup_deadline(void)
{
	return atomic_load(&wakeup.deadline);
}

void shca_wakeup_forget_deadline(void)
{
	atomic_store(&wakeup.deadline, SHCA_NEVER);
}

void shca_wakeup_sleep_until(uint64_t deadline)
{
	struct pollfd set = { .fd = wakeup.epoll_fd, .events = POLLIN };
	struct timespec left;
	uint64_t now;

	atomic_store(&wakeup.asleep_until, deadline);
	if (atomic_load(&wakeup.deadline) < deadline) {
		atomic_store(&wakeup.asleep_until, 0);
		return;
	}
	if (deadline == SHCA_NEVER) {
		ppoll(&set, 1, NULL, NULL);
	} else {
		now = shca_now();
		left.tv_sec = deadline > now ? (time_t)((deadline - now) / SHCA_NS_PER_S) : 0;
		left.tv_nsec = deadline > now ? (long)((deadline - now) % SHCA_NS_PER_S) : 0;
		ppoll(&set, 1, &left, NULL);
	}
	atomic_store(&wakeup.asleep_until, 0);
}

static void clear_wake(void)
{
	uint64_t count;

	/* Nothing to read: another event of this round has read it. */
	if (read(wakeup.wake_fd, &count, sizeof(count)) < 0)
		return;
}

enum shca_wakeup_cause shca_wakeup_handle(bool (*handle)(void *owner))
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(wakeup.epoll_fd, events, EVENTS, 0);
	bool kicked = false;
	int i;

	for (i = 0; i < count; i++) {
		if (events[i].data.ptr == &wakeup) {
			clear_wake();
			kicked = true;
		} else if (handle(events[i].data.ptr)) {
			kicked = true;
		}
	}
	return kicked ? SHCA_WAKEUP_KICK : count > 0 ? SHCA_WAKEUP_MESSAGE : SHCA_WAKEUP_TIME;
}

int shca_wakeup_watch_fd(int fd, void *owner)
{
	struct epoll_event event = { .events = WATCHED, .data.ptr = owner };

	if (!epoll_ctl(wakeup.epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return 0;
	return shca_fail(errno, "epoll_ctl: %s. See /proc/sys/fs/epoll/max_user_watches", strerror(errno));
}

void shca_wakeup_unwatch_fd(int fd)
{
	epoll_ctl(wakeup.epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

void shca_wakeup_enable_fd(int fd, void *owner, bool enabled)
{
	struct epoll_event event = { .events = enabled ? WATCHED : 0, .data.ptr = owner };

	epoll_ctl(wakeup.epoll_fd, EPOLL_CTL_MOD, fd, &event);
}

int shca_wakeup_open(void)
{
	wakeup.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	wakeup.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wakeup.epoll_fd < 0 || wakeup.wake_fd < 0)
		return shca_fail(errno, "no descriptor for the helper thread: %s. See ulimit -n", strerror(errno));
	return shca_wakeup_watch_fd(wakeup.wake_fd, &wakeup);
}

void shca_wakeup_close(void)
{
	if (wakeup.epoll_fd >= 0)
		close(wakeup.epoll_fd);
	if (wakeup.wake_fd >= 0)
		close(wakeup.wake_fd);
	wakeup.epoll_fd = -1;
	wakeup.wake_fd = -1;
}
