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

/* Counts what becomes of packets here: for tests of the engine and of its wakers. */
#ifndef T_ENGINE_H
#define T_ENGINE_H

#include <sys/eventfd.h>

#include "progress/shca_engine.h"
#include "registry/shca_fabric.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "wire/shca_waker.h"
#include "t_wire.h"

static sem_t t_arrived;
static _Atomic uint32_t t_count;
/* The descriptor that a thread with a waker sleeps on; -1: none. */
static int t_waker_fd = -1;

/* As an event does, on each thread that handles the packet. */
static inline void t_announce(void)
{
	sem_post(&t_arrived);
	if (t_waker_fd >= 0)
		eventfd_write(t_waker_fd, 1);
}

static inline void t_note_arrival(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	(void)packet;
	(void)payload;
	atomic_fetch_add(&t_count, 1);
	t_announce();
}

static inline bool t_await_arrival(void)
{
	bool came = t_wait_posted(&t_arrived);

	if (!came)
		T_FAIL("no thread was woken");
	return came;
}

static inline void t_engine_start(void)
{
	T_MUST(!sem_init(&t_arrived, 0, 0));
	atomic_store(&t_count, 0);
	t_on_packet = t_note_arrival;
	t_on_tick = NULL;
	T_MUST(!shca_engine_start());
}

static inline void t_engine_stop(void)
{
	shca_engine_stop();
	sem_destroy(&t_arrived);
}

static inline bool t_has_waker(struct shca_link *link, uint32_t waker)
{
	uint32_t serial = atomic_load(&link->process->wakers[0][waker].serial);

	return serial && serial == atomic_load(shca_fabric_waker(atomic_load(&link->peer), 0, waker));
}

static inline void t_send_one(struct shca_link *link, uint32_t number, uint32_t size)
{
	T_POLL_UNTIL(t_try_send(link, NULL, number, size));
	shca_link_ring_doorbell(link);
}

/* ---- how often the helper thread has slept ---- */

static inline long t_sleeps_of(const char *task)
{
	char path[300];
	char line[200];
	long sleeps = -1;
	bool is_helper = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strcmp(line, "Name:\tsofthca\n"))
			is_helper = true;
		sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
	}
	if (file)
		fclose(file);
	return is_helper ? sleeps : -1;
}

static inline long t_look_at_tasks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	long found = -1;

	T_MUST(tasks);
	while (found < 0 && (entry = readdir(tasks)))
		found = t_sleeps_of(entry->d_name);
	closedir(tasks);
	return found;
}

/* Waits for the helper thread, which sets its name first. */
static inline long t_helper_sleeps(void)
{
	long sleeps = -1;

	T_WAIT_UNTIL((sleeps = t_look_at_tasks()) >= 0);
	return sleeps;
}

/* Waits until the helper thread has not woken for 300 ms, longer than any timeout of its own. */

#endif
