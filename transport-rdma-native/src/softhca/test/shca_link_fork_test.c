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

/* A forked child has none of its parent's links, and keeps nothing of them alive. */
#include "progress/shca_engine.h"
#include "registry/shca_fabric.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "wire/shca_wakeup.h"
#include "t_link.h"

static struct shca_link *before_fork;

static void use_nothing_of_the_parent(int fd)
{
	uint32_t slot = (uint32_t)t_get(fd);
	uint32_t i;

	CHECK_EQ(-ENODEV, shca_engine_start());
	CHECK_EQ(0, shca_fabric_slot());
	CHECK(!t_link_to(slot));
	for (i = 0; i < 3 * SHCA_RING_SLOTS; i++)
		CHECK(t_try_send(before_fork, NULL, 1000000 + i, t_size_of(i)));
	shca_link_ring_doorbell(before_fork);
	CHECK(shca_link_is_drained(before_fork));
	CHECK_EQ(-EPIPE, shca_process_send_message(before_fork->process, &i, sizeof(i)));
	t_poll_once();
	shca_engine_arm(T_SET, 0);
	shca_wakeup_now();
	shca_engine_stop();
	t_put(fd, 0);
	t_get(fd);
	/* Skips the sanitizer's work at exit: it would look for the threads of the parent. */
	_exit(t_result());
}

static void parent_that_forks(int fd)
{
	struct t_process other;
	struct t_process child;
	uint32_t slot;

	before_fork = t_link_open(&other, t_echo);
	slot = before_fork->peer;
	t_send_and_receive(before_fork, 100, 10);
	child = t_fork(use_nothing_of_the_parent);
	t_put(child.fd, slot);
	CHECK_EQ(0, t_get(child.fd));
	t_send_and_receive(before_fork, 100, 10);
	/* This process and the echo leave; the child stays, and must hold nothing. */
	t_put(other.fd, 0);
	t_join(&other);
	T_WAIT_UNTIL(!shca_fabric_slot_is_alive(slot));
	shca_engine_stop();
	CHECK_EQ(0, t_entries());
	t_put(fd, 0);
	t_put(child.fd, 0);
	t_join(&child);
}

static void child_has_nothing_of_its_parent(void)
{
	struct t_process parent = t_fork(parent_that_forks);

	CHECK_EQ(0, t_get(parent.fd));
	t_join(&parent);
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(child_has_nothing_of_its_parent);
	t_fabric_close();
	return t_result();
}
