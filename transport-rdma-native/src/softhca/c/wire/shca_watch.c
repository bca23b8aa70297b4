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

#include "wire/shca_watch.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/shca_clock.h"
#include "base/shca_util.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_wire_user.h"

/* Delay of the first tick of a newly watched queue pair, which starts its timers. */
#define FIRST_TICK_NS	1000000u
/*
 * A queue pair with nothing outstanding stays watched for a while: the next post is likely to come soon, and then need
 * not wake the helper thread. Its timer then starts late, by at most a quarter of its time and one of these periods.
 */
#define SHORT_IDLE_TICK_NS	10000000u
#define LONG_IDLE_TICK_NS	250000000u
#define IDLE_TICKS		10u

/* Under list_lock, which is taken after a queue pair's. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shca_wire_user *watched;
/* Held from shca_watch_begin to _end; taken before any other lock. */
static pthread_mutex_t tick_lock = PTHREAD_MUTEX_INITIALIZER;

static void push(struct shca_wire_user *user)
{
	pthread_mutex_lock(&list_lock);
	user->next_watched = watched;
	watched = user;
	pthread_mutex_unlock(&list_lock);
}

void shca_watch_add(struct shca_wire_user *user)
{
	if (SHCA_LIKELY(atomic_load_explicit(&user->is_watched, memory_order_relaxed)))
		return;
	if (atomic_exchange(&user->is_watched, true))
		return;
	push(user);
	shca_wakeup_at(shca_now() + FIRST_TICK_NS);
}

/* The next deadline of an idle queue pair; 0: stop watching it. */
static uint64_t idle_deadline(struct shca_wire_user *user, uint64_t now)
{
	uint64_t timeout = atomic_load_explicit(&user->timeout, memory_order_relaxed);
	uint64_t period = timeout / 4;

	if (!timeout || period > LONG_IDLE_TICK_NS)
		period = LONG_IDLE_TICK_NS;
	else if (period < SHORT_IDLE_TICK_NS)
		period = SHORT_IDLE_TICK_NS;
	if (!user->idle_since)
		user->idle_since = now;
	if (now - user->idle_since < IDLE_TICKS * period)
		return now + period;
	user->idle_since = 0;
	return 0;
}

struct shca_wire_user *shca_watch_begin(void)
{
	struct shca_wire_user *list;

	pthread_mutex_lock(&tick_lock);
	pthread_mutex_lock(&list_lock);
	list = watched;
	watched = NULL;
	pthread_mutex_unlock(&list_lock);
	return list;
}

struct shca_wire_user *shca_watch_next(struct shca_wire_user **list)
{
	struct shca_wire_user *user = *list;

	if (user)
		*list = user->next_watched;
	return user;
}

uint64_t shca_watch_until(struct shca_wire_user *user, uint64_t deadline, uint64_t now)
{
	if (deadline) {
		user->idle_since = 0;
		return deadline;
	}
	return idle_deadline(user, now);
}

void shca_watch_leave(struct shca_wire_user *user)
{
	atomic_store(&user->is_watched, false);
}

bool shca_watch_return(struct shca_wire_user *user)
{
	return !atomic_exchange(&user->is_watched, true);
}

void shca_watch_keep(struct shca_wire_user *user)
{
	push(user);
}

void shca_watch_end(void)
{
	pthread_mutex_unlock(&tick_lock);
}

void shca_watch_remove(struct shca_wire_user *user)
{
	struct shca_wire_user **at = &watched;

	pthread_mutex_lock(&tick_lock);
	pthread_mutex_lock(&list_lock);
	while (*at && *at != user)
		at = &(*at)->next_watched;
	if (*at)
		*at = user->next_watched;
	pthread_mutex_unlock(&list_lock);
	pthread_mutex_unlock(&tick_lock);
	atomic_store(&user->is_watched, false);
}

void shca_watch_forked(void)
{
	pthread_mutex_init(&list_lock, NULL);
	pthread_mutex_init(&tick_lock, NULL);
	watched = NULL;
}
